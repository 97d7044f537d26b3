//! What an expense says, and its limits.

use racun_kernel::id::SupplierId;
use racun_kernel::{
    Classification, Currency, Decimal, ExchangeRate, Issue, Issues, Metadata, text,
};
use serde::{Deserialize, Serialize};
use time::Date;

use super::{ExpenseAmounts, ExpenseItem, ExpenseSupplier, MAX_EXPENSE_TEXT_CHARS};
use crate::TransactionType;
use crate::calculation::{CalculationMode, MAX_TOTAL};

/// Items that one expense may hold.
pub const MAX_EXPENSE_ITEMS: usize = 1_000;
/// Taxes that the summary of one expense may hold.
pub const MAX_EXPENSE_TAXES: usize = 100;
/// Characters that an expense's note and an item's description may hold.
pub const MAX_EXPENSE_NOTE_CHARS: usize = 10_000;

/// What an expense says: looked up, calculated and ready to keep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpenseContent {
    /// The supplier in the catalogue.
    pub supplier_id: Option<SupplierId>,
    /// The supplier as it was then.
    pub supplier: Option<ExpenseSupplier>,
    /// The number that the supplier gave it.
    pub supplier_document_number: Option<String>,
    /// The date that the supplier gave it.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub date: Option<Date>,
    /// When it came in.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub date_received: Option<Date>,
    /// Until when it is to be paid.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub date_due: Option<Date>,
    /// First day of the service.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub date_service: Option<Date>,
    /// Last day of the service.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub date_service_to: Option<Date>,
    /// The currency of its amounts.
    pub currency: Currency,
    /// Into the entity's currency, when it is another.
    pub exchange_rate: Option<ExchangeRate>,
    /// The kind of purchase.
    pub transaction_type: Option<TransactionType>,
    /// The calculation mode by which its items came to its totals; `None` when those are given.
    pub calculation_mode: Option<CalculationMode>,
    /// What was bought, when only totals are known: a product or a service.
    pub summary_classification: Option<Classification>,
    /// The caller's reference.
    pub reference: Option<String>,
    /// The caller's note.
    pub note: Option<String>,
    /// The caller's properties.
    pub metadata: Metadata,
    /// Lines, in the request's order; none when only totals are known.
    pub items: Vec<ExpenseItem>,
    /// What it comes to.
    pub amounts: ExpenseAmounts,
}

impl ExpenseContent {
    /// Content in `currency` that says nothing yet.
    #[must_use]
    pub fn blank(currency: Currency) -> Self {
        Self {
            supplier_id: None,
            supplier: None,
            supplier_document_number: None,
            date: None,
            date_received: None,
            date_due: None,
            date_service: None,
            date_service_to: None,
            currency,
            exchange_rate: None,
            transaction_type: None,
            calculation_mode: None,
            summary_classification: None,
            reference: None,
            note: None,
            metadata: Metadata::default(),
            items: Vec::new(),
            amounts: ExpenseAmounts::default(),
        }
    }

    /// Whether it keeps all limits.
    ///
    /// # Errors
    /// All that breaks one, by path.
    pub fn check(&self) -> Result<(), Issues> {
        let mut issues = Issues::default();
        self.check_into(&mut issues);
        issues.into_result(())
    }

    /// Adds all that breaks a limit.
    pub(super) fn check_into(&self, issues: &mut Issues) {
        let long = MAX_EXPENSE_NOTE_CHARS;
        let short = MAX_EXPENSE_TEXT_CHARS;
        text::check_field(issues, "note", self.note.as_deref(), long);
        text::check_field(issues, "reference", self.reference.as_deref(), short);
        let number = self.supplier_document_number.as_deref();
        text::check_field(issues, "supplier_document_number", number, short);
        if let Some(supplier) = &self.supplier {
            issues.collect("supplier", supplier.check());
        }
        if self.summary_classification == Some(Classification::Advance) {
            let issue = Issue::new("invalid_value", "expected product or service");
            issues.push(issue.at("summary_classification"));
        }
        self.check_dates(issues);
        self.check_items(issues);
        self.check_amounts(issues);
    }

    fn check_dates(&self, issues: &mut Issues) {
        let is_before = |day: Option<Date>, other: Option<Date>| {
            day.zip(other).is_some_and(|(day, other)| day < other)
        };
        if is_before(self.date_due, self.date) {
            let issue = Issue::new("date_before_document", "not before date");
            issues.push(issue.at("date_due"));
        }
        if is_before(self.date_service_to, self.date_service) {
            let issue = Issue::new("date_before_service", "not before date_service");
            issues.push(issue.at("date_service_to"));
        }
    }

    fn check_items(&self, issues: &mut Issues) {
        if self.items.len() > MAX_EXPENSE_ITEMS {
            let message = format!("at most {MAX_EXPENSE_ITEMS} items");
            issues.push(Issue::new("too_many", message).at("items"));
            return;
        }
        let mut inner = Issues::default();
        for (n, item) in self.items.iter().enumerate() {
            let mut of_item = Issues::default();
            let (name, description) = (item.name.as_deref(), item.description.as_deref());
            text::check_field(&mut of_item, "name", name, MAX_EXPENSE_TEXT_CHARS);
            text::check_field(&mut of_item, "description", description, MAX_EXPENSE_NOTE_CHARS);
            text::check_field(&mut of_item, "unit", item.unit.as_deref(), MAX_EXPENSE_TEXT_CHARS);
            inner.extend_at(n, of_item);
        }
        issues.extend_at("items", inner);
    }

    fn check_amounts(&self, issues: &mut Issues) {
        let amounts = &self.amounts;
        if amounts.taxes.len() > MAX_EXPENSE_TAXES {
            let message = format!("at most {MAX_EXPENSE_TAXES} taxes");
            issues.push(Issue::new("too_many", message).at("taxes"));
        }
        for (field, amount) in [
            ("total", &amounts.total),
            ("total_with_tax", &amounts.total_with_tax),
            ("total_discount", &amounts.total_discount),
        ] {
            let Some(amount) = amount else { continue };
            if let Err(issue) = self.currency.check(amount) {
                issues.push(issue.at(field));
            }
            if amount.abs() > Decimal::from(MAX_TOTAL) {
                let message = format!("between -{MAX_TOTAL} and {MAX_TOTAL}");
                issues.push(Issue::new("out_of_range", message).at(field));
            }
        }
    }

    /// Adds what an expense cannot be finalized without.
    pub(super) fn check_complete(&self, issues: &mut Issues) {
        let mut missing = |field: &str, message: &str| {
            issues.push(Issue::new("required", message).at(field));
        };
        let name = self.supplier.as_ref().and_then(|supplier| supplier.name.as_deref());
        if name.is_none_or(|name| name.trim().is_empty()) {
            missing("supplier", "name the supplier: supplier_id, or supplier with a name");
        }
        if self.date.is_none() {
            missing("date", "give the date of the supplier's invoice");
        }
        if self.amounts.total_with_tax.is_none() {
            missing("total_with_tax", "give items, or the totals");
        }
    }
}
