//! What is odd about a document, and no reason to refuse it.

use racun_kernel::{Authority, BankAccount, Decimal, Issue, Issues, iban, vat_number, vat_rates};

use crate::{Document, Fiscalization, Line, LineTaxDetail, Party, TransactionType};

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
            let accounts = iban::warnings(&unit.settings);
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
            let mut odd = self.of_taxes(line);
            odd.extend_elsewhere(&self.of_service(line));
            found.extend_at("items", odd.at(n));
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
        for Told { row, rate, base, amount } in self.told() {
            let due = (&base * rate).percent();
            if (&amount - &due).abs() > Decimal::new(MOST_OFF, 2) {
                let message = format!(
                    "{amount} is more than 0.10 off {rate} % of {base}, as every line is rounded; \
                     CIS takes the receipt and notes it (checks 160 to 163)"
                );
                found.push(Issue::new("vat_differs_from_base", message).at("amount").at(row));
            }
        }
        found
    }

    /// The taxes as the message to CIS has them: one for each rate, in euros, and
    /// the consumption tax apart from VAT.
    fn told(&self) -> Vec<Told<'_>> {
        let is_in_euros = self.content.currency.code() == "EUR";
        let figure = |own: &Decimal, converted: &Option<Decimal>| match converted {
            Some(converted) if !is_in_euros => converted.clone(),
            _ => own.clone(),
        };
        let mut all: Vec<Told<'_>> = Vec::new();
        let rows = self.amounts.taxes.iter().enumerate();
        for (row, taxes) in rows.filter(|(_, taxes)| !taxes.tax.reverse_charge) {
            let base = figure(&taxes.tax.base, &taxes.base_converted);
            let amount = figure(&taxes.tax.amount, &taxes.amount_converted);
            add(&mut all, Told { row, rate: &taxes.tax.rate, base, amount });
        }
        // It is charged on documents in euros only.
        let mut consumption = Vec::new();
        for line in &self.content.lines {
            let taxes = line.taxes.iter();
            for tax in taxes.filter(|tax| tax.is_called(LineTaxDetail::CONSUMPTION)) {
                let Some(of_rate) = all.iter_mut().find(|told| *told.rate == tax.rate) else {
                    continue;
                };
                of_rate.base -= &line.total;
                of_rate.amount -= &tax.amount;
                let (base, amount) = (line.total.clone(), tax.amount.clone());
                add(&mut consumption, Told { row: of_rate.row, rate: &tax.rate, base, amount });
            }
        }
        all.append(&mut consumption);
        all
    }

    /// Rates that a line has and the country of the sale has not.
    fn of_taxes(&self, line: &Line) -> Issues {
        let mut found = Issues::default();
        let Some(country) = self.country_of_sale() else { return found };
        let is_vat = |tax: &LineTaxDetail| {
            let may_be_other = tax.is_called(LineTaxDetail::CONSUMPTION)
                && tax.rate <= LineTaxDetail::most_consumption();
            !(country == "HR" && may_be_other)
        };
        for (n, tax) in line.taxes.iter().enumerate().filter(|(_, tax)| is_vat(tax)) {
            if let Some(issue) = vat_rates::warning(country, &tax.rate, self.content.date) {
                found.push(issue.at("rate").at(n).at("taxes"));
            }
        }
        found
    }

    /// A line that is to be spread over a service of which no days are known.
    fn of_service(&self, line: &Line) -> Issues {
        let mut found = Issues::default();
        let days = (self.content.date_service, self.content.date_service_to);
        if let Some(own) = &line.revenue_recognition
            && let Some(issue) = own.warning(days)
        {
            found.push(issue.at("revenue_recognition"));
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

/// What the message to CIS says of a rate.
struct Told<'a> {
    /// The first row of the summary that has the rate.
    row: usize,
    rate: &'a Decimal,
    base: Decimal,
    amount: Decimal,
}

/// Adds `more` to what `all` has of its rate.
fn add<'a>(all: &mut Vec<Told<'a>>, more: Told<'a>) {
    match all.iter_mut().find(|told| told.rate == more.rate) {
        Some(told) => {
            told.base += &more.base;
            told.amount += &more.amount;
        }
        None => all.push(more),
    }
}

fn of_party(party: &Party) -> Issues {
    let mut found = Issues::default();
    let country = party.country_code.as_deref();
    if let Some(issue) = vat_number::warning(country, party.tax_number.as_deref()) {
        found.push(issue.at("tax_number"));
    }
    for (n, account) in party.bank_accounts.iter().flatten().enumerate() {
        if let Some(issue) = account.warning() {
            found.push(issue.at(n).at("bank_accounts"));
        }
    }
    if let Some(issue) = party.bank_account.as_ref().and_then(BankAccount::warning) {
        found.push(issue.at("bank_account"));
    }
    let mailbox = party.ujp.as_ref().and_then(|ujp| ujp.receiver_mailbox.as_deref());
    if let Some(issue) = iban::warning(mailbox) {
        found.push(issue.at("receiver_mailbox").at("ujp"));
    }
    found
}
