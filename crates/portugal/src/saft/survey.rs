//! What is counted and named before anything is written.

use std::collections::BTreeSet;

use racun_kernel::Decimal;

use super::check::{check_document, check_receipt};
use super::{Customer, SaftDocument, SaftError, SaftReceipt, SaftTax};
use crate::{Class, Level, Region, Status};

/// What the documents of a file come to, and what they name.
///
/// Voided documents are counted, as their lines are of what was moved, and are in no sum; invoices
/// that others took the place of are in no sum either (Portaria 302/2016, fields 4.1.1 to 4.1.3,
/// 4.2.1, 4.2.2, 4.3.1 to 4.3.3 and 4.4.1 to 4.4.3).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    pub(super) sales: Totals,
    pub(super) movement: Moved,
    pub(super) working: Totals,
    pub(super) payments: Totals,
    pub(super) customers: BTreeSet<String>,
    /// Customers with a tax number.
    pub(super) numbered: BTreeSet<String>,
    pub(super) products: BTreeSet<String>,
    pub(super) taxes: BTreeSet<TaxKey>,
}

/// What the documents of a part come to, before tax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Totals {
    pub entries: u64,
    pub debit: Decimal,
    pub credit: Decimal,
}

impl Default for Totals {
    fn default() -> Self {
        Self { entries: 0, debit: Decimal::zero(), credit: Decimal::zero() }
    }
}

impl Totals {
    fn add<'a>(&mut self, amounts: impl Iterator<Item = (&'a Decimal, bool)>) {
        for (amount, is_debit) in amounts {
            let side = if is_debit { &mut self.debit } else { &mut self.credit };
            *side += amount;
        }
    }
}

/// What was moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moved {
    pub entries: u64,
    pub lines: u64,
    pub quantity: Decimal,
}

impl Default for Moved {
    fn default() -> Self {
        Self { entries: 0, lines: 0, quantity: Decimal::zero() }
    }
}

/// A row of the table of taxes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TaxKey {
    Vat(Region, Level, Decimal),
    NotSubject(Region),
}

impl TaxKey {
    fn of(tax: &SaftTax) -> Self {
        match tax {
            SaftTax::Vat { region, level, percent, .. } => {
                Self::Vat(*region, *level, percent.clone())
            }
            SaftTax::NotSubject { region, .. } => Self::NotSubject(*region),
        }
    }
}

impl Survey {
    /// Counts a document.
    ///
    /// # Errors
    /// [`SaftError::Document`] for one that cannot be written.
    pub fn document(&mut self, document: &SaftDocument) -> Result<(), SaftError> {
        check_document(document)?;
        self.count(document);
        name(&mut self.customers, &document.customer_id);
        for line in &document.lines {
            name(&mut self.products, &line.product_code);
            self.tax(&line.tax);
        }
        Ok(())
    }

    /// Counts a receipt.
    ///
    /// # Errors
    /// [`SaftError::Document`] for one that cannot be written.
    pub fn receipt(&mut self, receipt: &SaftReceipt) -> Result<(), SaftError> {
        check_receipt(receipt)?;
        self.count_receipt(receipt);
        name(&mut self.customers, &receipt.customer_id);
        receipt.lines.iter().filter_map(|line| line.tax.as_ref()).for_each(|tax| self.tax(tax));
        Ok(())
    }

    /// Looks at a customer as a document says it. One has documents without a tax number and later
    /// ones with it, where it was filled in: their row in the file says the number.
    pub fn customer(&mut self, customer: &Customer) {
        if customer.has_number() {
            name(&mut self.numbered, &customer.id);
        }
    }

    /// Whether a document names this customer.
    #[must_use]
    pub fn names_customer(&self, id: &str) -> bool {
        self.customers.contains(id)
    }

    /// Whether a line names this product.
    #[must_use]
    pub fn names_product(&self, code: &str) -> bool {
        self.products.contains(code)
    }

    /// The entries of the part `class`, voided ones included.
    #[must_use]
    pub const fn entries(&self, class: Class) -> u64 {
        match class {
            Class::Sales => self.sales.entries,
            Class::Movement => self.movement.entries,
            Class::Working => self.working.entries,
            Class::Payments => self.payments.entries,
        }
    }

    /// The sums of debit and credit of the part `class`, before tax; zero of movements, which have
    /// none.
    #[must_use]
    pub fn sums(&self, class: Class) -> (Decimal, Decimal) {
        let totals = match class {
            Class::Sales => &self.sales,
            Class::Working => &self.working,
            Class::Payments => &self.payments,
            Class::Movement => return (Decimal::zero(), Decimal::zero()),
        };
        (totals.debit.clone(), totals.credit.clone())
    }

    pub(super) fn count(&mut self, document: &SaftDocument) {
        let status = document.state.status;
        let is_debit = document.code.is_debit();
        let amounts = document.lines.iter().map(|line| (&line.amount, is_debit));
        let is_void = status == Status::Voided;
        match document.code.class() {
            Class::Sales => {
                self.sales.entries += 1;
                if !is_void && status != Status::Invoiced {
                    self.sales.add(amounts);
                }
            }
            Class::Working => {
                self.working.entries += 1;
                if !is_void {
                    self.working.add(amounts);
                }
            }
            Class::Movement => {
                self.movement.entries += 1;
                for line in &document.lines {
                    self.movement.lines += 1;
                    if !is_void {
                        self.movement.quantity += &line.quantity;
                    }
                }
            }
            // Documents of this class are receipts: `check_document` refuses them.
            Class::Payments => {}
        }
    }

    pub(super) fn count_receipt(&mut self, receipt: &SaftReceipt) {
        self.payments.entries += 1;
        if receipt.state.status != Status::Voided {
            let amounts = receipt.lines.iter().map(|line| (&line.amount, line.is_credit_note));
            self.payments.add(amounts);
        }
    }

    /// Whether both count the same.
    pub(super) fn has_counts_of(&self, other: &Self) -> bool {
        self.sales == other.sales
            && self.movement == other.movement
            && self.working == other.working
            && self.payments == other.payments
    }

    fn tax(&mut self, tax: &SaftTax) {
        let key = TaxKey::of(tax);
        if !self.taxes.contains(&key) {
            self.taxes.insert(key);
        }
    }
}

/// Adds a name without copying one that is known.
fn name(names: &mut BTreeSet<String>, own: &str) {
    if !names.contains(own) {
        names.insert(own.to_owned());
    }
}
