//! What e-SLOG wants beside EN 16931: its schema's lengths, and what receivers in Slovenia check.

use en16931::Invoice;
use racun_kernel::vat_number::compact;
use racun_kernel::{Currency, Decimal, Step, iban};

use super::header::street;
use crate::facts::{Account, Facts, Line, Party, Priced};
use crate::finding::{Finding, Level};
use crate::model::{Model, item_path};
use crate::units;

/// Rates of VAT in Slovenia: articles 41 and 41.a of ZDDV-1, and 0 for what bears none.
const RATES: [(i64, u8); 4] = [(0, 0), (5, 0), (95, 1), (22, 0)];

/// Characters of an identifier in an envelope.
const MAX_IDENTIFIER_CHARS: usize = 35;
/// Characters of a name in an envelope.
const MAX_NAME_CHARS: usize = 70;

/// Characters of a person or department to ask.
const MAX_CONTACT_CHARS: usize = 256;

/// What is wrong, each with the field that mends it.
pub fn findings(facts: &Facts, model: &Model) -> Vec<Finding> {
    let mut found = Found(Vec::new());
    currency(facts, &mut found);
    issuer(facts, &mut found);
    customer(facts, &mut found);
    lengths(facts, &model.invoice, &mut found);
    for (place, line) in facts.lines.iter().enumerate() {
        if let Line::Priced(line) = line {
            of_line(line, place, &mut found);
        }
    }
    terms(model, &mut found);
    taxes(facts, model, &mut found);
    found.0
}

struct Found(Vec<Finding>);

impl Found {
    fn add(&mut self, rule: &str, path: Vec<Step>, message: impl Into<String>) {
        let rule = rule.to_owned();
        self.0.push(Finding { rule, level: Level::Fatal, path, message: message.into() });
    }

    /// A text that the schema has no room for.
    fn most(&mut self, text: Option<&str>, most: usize, path: &[&str]) {
        if text.is_some_and(|text| text.chars().count() > most) {
            let message = format!("e-SLOG has room for {most} characters: shorten it");
            self.add("XSD", keys(path), message);
        }
    }

    fn needed(&mut self, text: Option<&str>, path: &[&str], what: &str) {
        if is_missing(text) {
            self.add("ESLOG-REQUIRED", keys(path), format!("e-SLOG needs {what}: add it"));
        }
    }
}

pub fn keys(path: &[&str]) -> Vec<Step> {
    path.iter().map(|key| Step::from(*key)).collect()
}

/// A finding of UJP.
fn refused(path: &[&str], message: &str) -> Finding {
    Finding {
        rule: "UJP".to_owned(),
        level: Level::Fatal,
        path: keys(path),
        message: message.to_owned(),
    }
}

/// Whether a text is not there, or blank.
pub fn is_missing(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}

/// What is not in euros is of an issuer whose own currency is the euro, into which it is converted.
fn currency(facts: &Facts, found: &mut Found) {
    let (own, stated) = (facts.issuer_currency, facts.currency);
    if stated != Currency::EUR && own != Currency::EUR {
        let message = format!(
            "an e-SLOG in {stated} is of an entity whose own currency is EUR, and this entity's is \
             {own}: issue the document in EUR, or set the entity's currency_code to EUR"
        );
        found.add("ESLOG-CURRENCY", keys(&["currency_code"]), message);
    }
}

fn issuer(facts: &Facts, found: &mut Found) {
    let issuer = &facts.issuer;
    for (field, text, what) in [
        ("address", &issuer.address, "the issuer's address"),
        ("post_code", &issuer.post_code, "the issuer's post code"),
        ("city", &issuer.city, "the issuer's city"),
        ("tax_number", &issuer.tax_number, "the issuer's tax number"),
    ] {
        found.needed(text.as_deref(), &["issuer", field], what);
    }
    let number = issuer.tax_number.as_deref().unwrap_or_default().trim();
    let digits = number.strip_prefix("SI").unwrap_or(number).trim();
    let is_slovenian = digits.len() == 8 && digits.bytes().all(|sign| sign.is_ascii_digit());
    if !number.is_empty() && !is_slovenian {
        let message = "a Slovenian tax number has eight digits, SI ahead of them or not";
        found.add("ESLOG-TAX-NUMBER", keys(&["issuer", "tax_number"]), message);
    }
    match facts.accounts.first() {
        Some(account) => checked(account, &OWN_ACCOUNTS, &OWN_ACCOUNTS, found),
        None => {
            let message = "e-SLOG needs a bank account of the issuer: add it";
            found.add("ESLOG-REQUIRED", keys(&OWN_ACCOUNTS), message);
        }
    }
}

const OWN_ACCOUNTS: [&str; 2] = ["issuer", "bank_accounts"];

fn customer(facts: &Facts, found: &mut Found) {
    let Some(customer) = &facts.customer else { return };
    if !customer.is_end_consumer {
        let what = "the tax number of a business; say is_end_consumer where it is none";
        let number = customer.tax_number.as_deref();
        found.needed(number, &["customer", "tax_number"], what);
    }
    if let Some(account) = &customer.account {
        let own = &["customer", "bank_account"][..];
        checked(account, if customer.is_routed { &MAILBOX } else { own }, &AGENT, found);
    }
}

/// The fields of a customer's routing at UJP: its account there, and the bank that has it.
const MAILBOX: [&str; 3] = ["customer", "ujp", "receiver_mailbox"];
const AGENT: [&str; 3] = ["customer", "ujp", "receiver_agent"];
/// Its fields of who the customer is there.
const NAME: [&str; 3] = ["customer", "ujp", "receiver_name"];
const IDENTIFIER: [&str; 3] = ["customer", "ujp", "receiver_identifier"];

/// An account whose number and bank are at these fields.
fn checked(account: &Account, number: &[&str], bank: &[&str], found: &mut Found) {
    if let Err(issue) = iban::check(&account.number) {
        found.add("ESLOG-IBAN", keys(number), issue.message);
    }
    found.most(account.bic.as_deref(), 11, bank);
}

/// The lengths of the schema.
fn lengths(facts: &Facts, invoice: &Invoice, found: &mut Found) {
    found.most(invoice.number.as_deref(), 70, &["number"]);
    let customer = facts.customer.as_ref().map(|customer| ("customer", customer));
    for (side, party) in [("issuer", &facts.issuer)].into_iter().chain(customer) {
        party_lengths(side, party, found);
    }
    let payment = invoice.payment.as_ref();
    let reference = payment.and_then(|payment| payment.remittance_information.as_deref());
    found.most(reference, 70, &["reference"]);
    let buyer_reference = ["customer", "e_invoicing", "buyer_reference"];
    found.most(invoice.buyer_reference.as_deref(), 70, &buyer_reference);
    let note = invoice.despatch_advice_reference.as_ref();
    found.most(note.map(|note| note.as_str()), 70, &["linked_documents"]);
    for earlier in &invoice.preceding_invoices {
        found.most(Some(earlier.reference.as_str()), 70, &["linked_documents"]);
    }
}

fn party_lengths(side: &str, party: &Party, found: &mut Found) {
    for (field, text, most) in [
        ("name", &party.name, 70),
        ("city", &party.city, 35),
        ("state", &party.state, 70),
        ("post_code", &party.post_code, 17),
        ("tax_number", &party.tax_number, 70),
        ("company_number", &party.company_number, 70),
    ] {
        found.most(text.as_deref(), most, &[side, field]);
    }
    // Only an issuer has one: the name of the business unit that issues.
    if party.contact.as_deref().is_some_and(|unit| unit.chars().count() > MAX_CONTACT_CHARS) {
        let message = format!(
            "e-SLOG has room for {MAX_CONTACT_CHARS} characters of the business unit's name: \
             shorten the name of the unit, or leave the unit out"
        );
        found.add("XSD", keys(&["business_unit_id"]), message);
    }
    if street(party.address.as_deref(), party.address_2.as_deref()).len() > 4 {
        let message = "e-SLOG has room for four lines of 35 characters: shorten the address";
        found.add("XSD", keys(&[side, "address"]), message);
    }
}

/// What the receivers' own checks want of a line.
fn of_line(line: &Priced, place: usize, found: &mut Found) {
    let path = |field: &str| item_path(place, field);
    if !line.quantity.is_positive() {
        let message = "quantities of e-SLOG are above 0: give goods back by a credit note";
        found.add("ESLOG-QUANTITY", path("quantity"), message);
    }
    let unit = line.unit.as_deref().unwrap_or_default();
    if line.unit_code.is_none() && units::unit_code(unit).is_none() {
        let message = "no code is known for this unit: say one in e_invoicing.unit_code";
        found.add("ESLOG-UNIT", path("unit"), message);
    }
    let rates = RATES.map(|(units, scale)| Decimal::new(units, scale));
    for (n, tax) in line.taxes.iter().enumerate().filter(|(_, tax)| !tax.reverse_charge) {
        if !rates.contains(&tax.rate) {
            let rate = [path("taxes"), vec![n.into(), "rate".into()]].concat();
            found.add("ESLOG-RATE", rate, "rates of VAT in Slovenia are 22, 9.5, 5 and 0");
        }
    }
}

/// Decimals of the schema: six, and nine digits in all for the quantity of a price.
fn terms(model: &Model, found: &mut Found) {
    for (line, place) in model.invoice.lines.iter().zip(&model.places) {
        let quantity = line.quantity.to_string();
        let price = line.price.net_price.to_string();
        let base = line.price.base_quantity.map(|base| base.to_string());
        for (text, field, digits) in
            [(Some(quantity), "quantity", 18), (Some(price), "price", 15), (base, "quantity", 9)]
        {
            if text.is_some_and(|text| !fits(&text, digits)) {
                let path = item_path(*place, field);
                let message = format!("e-SLOG has room for six decimals, {digits} digits in all");
                found.add("XSD", path, message);
            }
        }
    }
}

fn fits(text: &str, digits: usize) -> bool {
    let (_, decimals) = text.split_once('.').unwrap_or((text, ""));
    let all = text.bytes().filter(u8::is_ascii_digit).count();
    decimals.len() <= 6 && all <= digits
}

/// The tax of a rate, where it is not what the rate makes of the base to the cent: receivers
/// calculate it again (ADR 0039). The document's tax stays, so such a document is no e-SLOG; a
/// total with tax that is asked for moves the difference into the largest tax.
fn taxes(facts: &Facts, model: &Model, found: &mut Found) {
    let read = |text: String| Decimal::computed(&text).unwrap_or_else(Decimal::zero);
    let groups = model.invoice.vat_breakdown.iter().zip(&model.group_places);
    let groups: Vec<(Decimal, Decimal, Decimal, usize)> = groups
        .map(|(group, place)| {
            let rate = group.rate.map_or_else(Decimal::zero, |rate| read(rate.to_string()));
            let base = read(group.taxable_amount.to_string());
            (rate, base, read(group.tax_amount.to_string()), *place)
        })
        .collect();
    let largest = groups.iter().map(|(_, _, tax, _)| tax.abs()).max();
    let expected =
        |(rate, base): (&Decimal, &Decimal)| Currency::EUR.round(&(base * rate).percent());
    let off = || groups.iter().filter(|(rate, base, tax, _)| expected((rate, base)) != *tax);
    let is_alone = off().count() == 1;
    for (rate, base, stated, place) in off() {
        let expected = expected((rate, base));
        let total = &(&facts.totals.total_with_tax - stated) + &expected;
        let (path, remedy) = match is_alone && Some(stated.abs()) == largest {
            true => (keys(&["expected_total_with_tax"]), format!("ask for a total of {total}")),
            false => (item_path(*place, "taxes"), "put the lines of the rate into one".to_owned()),
        };
        let message = format!(
            "{rate} % of {base} is {expected}, and the lines' taxes come to {stated}, each rounded \
             by itself; e-SLOG has it to the cent: {remedy}"
        );
        found.add("BR-CO-17", path, message);
    }
}

/// What UJP wants beside e-SLOG: Slovenian accounts with their banks on both sides, where the
/// customer is and who it is, and a document that the invoice refers to.
pub fn of_ujp(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    if let Some(account) = facts.accounts.first() {
        slovenian(account, &OWN_ACCOUNTS, &OWN_ACCOUNTS, &mut found);
    }
    let Some(customer) = &facts.customer else {
        found.push(refused(&["customer"], "an invoice to a budget user names it: add it"));
        return found;
    };
    match &customer.account {
        Some(account) => slovenian(account, &MAILBOX, &AGENT, &mut found),
        None => found.push(refused(&MAILBOX, "a budget user has an account at UJP: add it")),
    }
    for (field, text) in [
        ("address", &customer.address),
        ("post_code", &customer.post_code),
        ("city", &customer.city),
    ] {
        if is_missing(text.as_deref()) {
            found.push(refused(&["customer", field], "UJP needs it of a budget user: add it"));
        }
    }
    // Of a business e-SLOG wants the tax number anyway.
    let mut numbers = [&customer.tax_number, &customer.company_number].into_iter();
    if customer.is_end_consumer && numbers.all(|number| is_missing(number.as_deref())) {
        let message = "UJP needs the tax number or the company number of a budget user: add one";
        found.push(refused(&["customer", "tax_number"], message));
    }
    in_envelope(facts, customer, &mut found);
    if facts.totals.total_with_tax.is_negative() {
        found.push(refused(&["items"], "UJP takes no amounts below 0: issue a credit note"));
    }
    if customer.buyer_reference.is_none() && facts.delivery_note.is_none() {
        let path = ["customer", "e_invoicing", "buyer_reference"];
        let message = "UJP needs a document that the invoice refers to: link a delivery note, or \
                       send the customer's order as buyer_reference";
        found.push(refused(&path, message));
    }
    found
}

/// What of both sides the envelope has no room for.
fn in_envelope(facts: &Facts, customer: &Party, found: &mut Vec<Finding>) {
    let number_of = |party: &Party| party.tax_number.clone().or(party.company_number.clone());
    let routed = routed_identifier(customer);
    let (receiver, path) = match routed {
        Some(routed) => (Some(routed.to_owned()), &IDENTIFIER[..]),
        None => (number_of(customer), &["customer", "tax_number"][..]),
    };
    for (text, most, path) in [
        (number_of(&facts.issuer), MAX_IDENTIFIER_CHARS, &["issuer", "tax_number"][..]),
        (receiver, MAX_IDENTIFIER_CHARS, path),
        (routed_name(customer).map(str::to_owned), MAX_NAME_CHARS, &NAME),
    ] {
        if text.is_some_and(|text| text.trim().chars().count() > most) {
            let message = format!("the envelope has room for {most} characters: shorten it");
            found.push(refused(path, &message));
        }
    }
}

/// The name by which its routing knows a customer.
pub fn routed_name(customer: &Party) -> Option<&str> {
    customer.receiver_name.as_deref().filter(|text| !is_missing(Some(text)))
}

/// The number by which its routing knows a customer.
pub fn routed_identifier(customer: &Party) -> Option<&str> {
    customer.receiver_identifier.as_deref().filter(|text| !is_missing(Some(text)))
}

/// A Slovenian IBAN, whose 15 national digits check as well, with the BIC of its bank, at these
/// fields. What is no IBAN at all e-SLOG refuses.
fn slovenian(account: &Account, at_number: &[&str], at_bank: &[&str], found: &mut Vec<Finding>) {
    let number = compact(&account.number);
    let digits = number.strip_prefix("SI").and_then(|rest| rest.get(2..)).unwrap_or_default();
    let national: Option<u64> = digits.parse().ok();
    let is_slovenian = number.len() == 19 && national.is_some_and(|digits| digits % 97 == 1);
    if !is_slovenian && iban::check(&number).is_ok() {
        let message = "UJP takes Slovenian accounts: a digit of this one is wrong";
        found.push(refused(at_number, message));
    }
    let bic = account.bic.as_deref().unwrap_or_default().trim();
    if !is_bic(bic) {
        found.push(refused(at_bank, "UJP needs the BIC of the bank, of 8 or 11 characters"));
    }
}

/// ISO 9362: bank and country in letters, the place, and the branch or none.
fn is_bic(bic: &str) -> bool {
    let fits = |(place, sign): (usize, char)| match place {
        0..=5 => sign.is_ascii_alphabetic(),
        6 => sign.is_ascii_alphabetic() || matches!(sign, '2'..='9'),
        7 => sign.is_ascii_alphanumeric() && !sign.eq_ignore_ascii_case(&'o'),
        _ => sign.is_ascii_alphanumeric(),
    };
    matches!(bic.len(), 8 | 11) && bic.chars().enumerate().all(fits)
}
