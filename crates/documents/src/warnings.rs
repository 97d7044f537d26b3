//! What is odd about a document, and no reason to refuse it.

use racun_kernel::{Authority, Decimal, Issue, Issues, iban, vat_number, vat_rates};

use crate::{
    BankAccount, BankAccountType, Document, Fiscalization, Line, LineTaxDetail, Party,
    TransactionType,
};

/// Cents by which a tax may miss its rate of its base (checks 160 to 163 of CIS).
const MOST_OFF: i64 = 10;

impl Document {
    /// What is odd about it: numbers of the parties, of the unit and of who issued it that cannot
    /// be, rates of tax that the country of the sale does not have on the document's day, and sums
    /// that an authority will remark on.
    #[must_use]
    pub fn warnings(&self) -> Issues {
        let mut found = Issues::default();
        if let Some(customer) = &self.content.customer {
            found.extend_at("customer", of_party(customer));
        }
        found.extend_at("issuer", of_party(&self.content.issuer));
        if let Some(unit) = &self.content.business_unit {
            let accounts = iban::warnings(unit.settings.get("bank_accounts")).at("bank_accounts");
            found.extend_at("business_unit", accounts.at("settings"));
        }
        if let Some(own) = self.fiscal.as_deref() {
            let number = own.record.as_ref().and_then(|record| record.operator_number.as_deref());
            if let Some(issue) = own.authority.warning(number) {
                found.push(
                    issue.at(own.authority.number_field()).at("data").at(own.authority.name()),
                );
            }
        }
        for (n, line) in self.content.lines.iter().enumerate() {
            found.extend_at("items", self.of_taxes(line).at(n));
        }
        found.extend_at("taxes", self.of_sums());
        found
    }

    /// Taxes of a Croatian receipt that CIS will find off their bases when it looks at them later:
    /// each line is rounded by itself, so a long receipt may add up to more than the check allows.
    fn of_sums(&self) -> Issues {
        let mut found = Issues::default();
        let is_told =
            |own: &Fiscalization| own.authority == Authority::Fina && own.record.is_some();
        if !self.fiscal.as_deref().is_some_and(is_told) {
            return found;
        }
        for (n, tax) in self.amounts.taxes.iter().map(|taxes| &taxes.tax).enumerate() {
            let due = (&tax.base * &tax.rate).percent();
            if !tax.reverse_charge && (&tax.amount - &due).abs() > Decimal::new(MOST_OFF, 2) {
                let message = format!(
                    "{} is more than 0.10 off {} % of {}, as every line is rounded; CIS takes the \
                     receipt and notes it (checks 160 to 163)",
                    tax.amount, tax.rate, tax.base
                );
                found.push(Issue::new("vat_differs_from_base", message).at("amount").at(n));
            }
        }
        found
    }

    /// Rates that a line has and the country of the sale has not.
    fn of_taxes(&self, line: &Line) -> Issues {
        let mut found = Issues::default();
        let Some(country) = self.country_of_sale() else { return found };
        let is_vat =
            |tax: &LineTaxDetail| !(country == "HR" && tax.is_called(LineTaxDetail::CONSUMPTION));
        for (n, tax) in line.taxes.iter().enumerate().filter(|(_, tax)| is_vat(tax)) {
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
        if let Some(issue) = of_account(account) {
            found.push(issue.at(n).at("bank_accounts"));
        }
    }
    if let Some(issue) = party.bank_account.as_ref().and_then(of_account) {
        found.push(issue.at("bank_account"));
    }
    let mailbox = party.ujp.as_ref().and_then(|ujp| ujp.receiver_mailbox.as_deref());
    if let Some(issue) = iban::warning(mailbox) {
        found.push(issue.at("receiver_mailbox").at("ujp"));
    }
    found
}

fn of_account(account: &BankAccount) -> Option<Issue> {
    let number = account.iban.as_deref().filter(|_| account.kind == BankAccountType::Iban);
    Some(iban::warning(number)?.at("iban"))
}
