//! What is odd about an expense, and no reason to refuse it.

use racun_kernel::{Decimal, Issue, Issues, iban, vat_number, vat_rates};

use super::{Expense, ExpenseContent, ExpenseSupplier};

impl Expense {
    /// What is odd about it: numbers of the supplier that cannot be, and rates of tax that the
    /// supplier's country does not have on the document's day.
    #[must_use]
    pub fn warnings(&self) -> Issues {
        let mut found = Issues::default();
        if let Some(supplier) = &self.content.supplier {
            found.extend_at("supplier", of_supplier(supplier));
        }
        self.content.of_rates(&mut found);
        let days = (self.content.date_service, self.content.date_service_to);
        for (n, item) in self.content.items.iter().enumerate() {
            if let Some(own) = &item.expense_recognition
                && let Some(issue) = own.warning(days)
            {
                found.push(issue.at("expense_recognition").at(n).at("items"));
            }
        }
        found
    }

    /// That the same document of the supplier is in the books already, as `first`.
    #[must_use]
    pub fn duplicate_of(&self, first: &Self) -> Issue {
        let number = self.content.supplier_document_number.as_deref().unwrap_or_default();
        let message = format!(
            "the expense {} has this number of the same supplier already: {number}",
            first.id
        );
        Issue::new("duplicate_document_number", message).at("supplier_document_number")
    }

    /// Whether `other` is an expense of the same supplier: the same record, or the same tax number,
    /// or where neither side says one the same name.
    #[must_use]
    pub fn has_supplier_of(&self, other: &Self) -> bool {
        let (ours, theirs) = (&self.content, &other.content);
        if ours.supplier_id.is_some() && ours.supplier_id == theirs.supplier_id {
            return true;
        }
        let (Some(ours), Some(theirs)) = (&ours.supplier, &theirs.supplier) else { return false };
        let number =
            |supplier: &ExpenseSupplier| supplier.tax_number.as_deref().map(vat_number::key);
        let name = |supplier: &ExpenseSupplier| {
            supplier.name.as_deref().map(|name| name.trim().to_lowercase())
        };
        match (number(ours), number(theirs)) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => name(ours).is_some_and(|name_of| Some(name_of) == name(theirs)),
        }
    }
}

impl ExpenseContent {
    fn of_rates(&self, found: &mut Issues) {
        let supplier = self.supplier.as_ref().and_then(|supplier| supplier.country_code.as_deref());
        let (Some(country), Some(day)) = (supplier, self.date) else { return };
        let odd = |rate: Option<&Decimal>, reverse_charge: bool| {
            // Where the entity owes the tax, the rate is its own country's.
            let rate = rate.filter(|_| !reverse_charge)?;
            vat_rates::warning(country, rate, day).map(|issue| issue.at("rate"))
        };
        for (n, item) in self.items.iter().enumerate() {
            for (m, tax) in item.taxes.iter().enumerate() {
                if let Some(issue) = odd(Some(&tax.rate), tax.reverse_charge) {
                    found.push(issue.at(m).at("taxes").at(n).at("items"));
                }
            }
        }
        if self.items.is_empty() {
            for (n, tax) in self.amounts.taxes.iter().enumerate() {
                if let Some(issue) = odd(tax.rate.as_ref(), tax.reverse_charge) {
                    found.push(issue.at(n).at("taxes"));
                }
            }
        }
    }
}

fn of_supplier(supplier: &ExpenseSupplier) -> Issues {
    let mut found = Issues::default();
    let country = supplier.country_code.as_deref();
    if let Some(issue) = vat_number::warning(country, supplier.tax_number.as_deref()) {
        found.push(issue.at("tax_number"));
    }
    for (n, account) in supplier.bank_accounts.iter().flatten().enumerate() {
        if let Some(issue) = iban::warning(account.iban.as_deref()) {
            found.push(issue.at("iban").at(n).at("bank_accounts"));
        }
    }
    found
}
