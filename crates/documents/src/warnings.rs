//! What is odd about a document, and no reason to refuse it.

use racun_kernel::{Issues, iban, vat_number, vat_rates};

use crate::{BankAccountType, Document, Line, Party, TransactionType};

impl Document {
    /// What is odd about it: numbers of the customer that cannot be, and rates of tax that the country
    /// of the sale does not have on the document's day.
    #[must_use]
    pub fn warnings(&self) -> Issues {
        let mut found = Issues::default();
        if let Some(customer) = &self.content.customer {
            found.extend_at("customer", of_party(customer));
        }
        for (n, line) in self.content.lines.iter().enumerate() {
            found.extend_at("items", self.of_taxes(line).at(n));
        }
        found
    }

    /// Rates that a line has and the country of the sale has not.
    fn of_taxes(&self, line: &Line) -> Issues {
        let mut found = Issues::default();
        let Some(country) = self.country_of_sale() else { return found };
        for (n, tax) in line.taxes.iter().enumerate() {
            if let Some(issue) = vat_rates::warning(country, &tax.rate, self.content.date) {
                found.push(issue.at("rate").at(n).at("taxes"));
            }
        }
        found
    }

    /// Whose tax it bears: the issuer's country's. `None` for sales to consumers in another member
    /// state, where it may be either's (Directive 2006/112/EC, articles 33 and 59c).
    fn country_of_sale(&self) -> Option<&str> {
        let may_be_either = self.content.transaction_type == TransactionType::IntraEuB2c;
        self.content.issuer.country_code.as_deref().filter(|_| !may_be_either)
    }
}

fn of_party(party: &Party) -> Issues {
    let mut found = Issues::default();
    let country = party.country_code.as_deref();
    if let Some(issue) = vat_number::warning(country, party.tax_number.as_deref()) {
        found.push(issue.at("tax_number"));
    }
    for (n, account) in party.bank_accounts.iter().flatten().enumerate() {
        let number = account.iban.as_deref().filter(|_| account.kind == BankAccountType::Iban);
        if let Some(issue) = iban::warning(number) {
            found.push(issue.at("iban").at(n).at("bank_accounts"));
        }
    }
    found
}
