//! National rules of Peppol BIS Billing 3.0.21, which hold beside those of all.
//!
//! | Country     | Whom they bind     | What is known here                                       |
//! | ----------- | ------------------ | -------------------------------------------------------- |
//! | Germany     | seller and buyer   | all: they are those of XRechnung by numbers of their own |
//! | Netherlands | seller, some both  | all but those on tax representatives and lines of orders |
//! | Italy       | seller             | all                                                      |
//! | Greece      | seller             | the number's parts, both names, the mark of the authority |
//!
//! Those of Denmark, Iceland, Norway and Sweden are not: no seller of these sends from here, for
//! the network has no scheme of their VAT numbers.
//!
//! Source: Schematron of OpenPeppol, `PEPPOL-EN16931-UBL` 2026.5.

use en16931::bt::{BtId, Path};
use en16931::invoice::PostalAddress;
use en16931::{DocumentKind, Finding, Identifier, Invoice, Severity};

use crate::specification::Specification;

/// Numbers of XRechnung's rules, `BR-DE-` ahead, that Peppol has as `DE-R-`; beside BR-TMP-2.
const OF_KOSIT: [&str; 30] = [
    "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "14", "15", "16", "17", "18", "19",
    "20", "22", "23-a", "23-b", "24-a", "24-b", "25-a", "25-b", "26", "27", "28", "30", "31",
];

/// The rule of Peppol that is the rule of XRechnung: `DE-R-001` for `BR-DE-1`, `DE-R-023-1` for
/// `BR-DE-23-a`, `DE-R-T02` for `BR-TMP-2`.
pub fn of_germany(rule: &str) -> Option<String> {
    if rule == "BR-TMP-2" {
        return Some("DE-R-T02".to_owned());
    }
    let number = rule.strip_prefix("BR-DE-").filter(|number| OF_KOSIT.contains(number))?;
    let (number, part) = number.split_once('-').unwrap_or((number, ""));
    let part = match part {
        "a" => "-1",
        "b" => "-2",
        _ => "",
    };
    Some(format!("DE-R-{number:0>3}{part}"))
}

/// Whether the parties are in Germany, both.
pub fn is_german(invoice: &Invoice) -> bool {
    is_in(&invoice.seller.address, "DE") && is_in(&invoice.buyer.address, "DE")
}

/// What XRechnung's rules say of an invoice between parties in Germany, by the numbers of
/// XRechnung: [`of_germany`] has Peppol's.
pub fn german(invoice: &Invoice) -> Vec<Finding> {
    if !is_german(invoice) {
        return Vec::new();
    }
    let report = Specification::XRechnung.check().run(invoice);
    let own = report.findings().iter().filter(|one| of_germany(&one.rule).is_some());
    own.cloned().collect()
}

/// What the other countries' rules say. What mends it is the hint.
pub fn findings(invoice: &Invoice) -> Vec<Finding> {
    let mut found = Found(Vec::new());
    if is_in(&invoice.seller.address, "NL") {
        dutch(invoice, &mut found);
        if is_in(&invoice.buyer.address, "NL") {
            between_dutch(invoice, &mut found);
        }
    }
    match seller_country(invoice).as_str() {
        "IT" => italian(invoice, &mut found),
        "GR" | "EL" => greek(invoice, &mut found),
        _ => {}
    }
    found.0
}

struct Found(Vec<Finding>);

impl Found {
    fn add(&mut self, rule: &str, term: u16, says: &str, remedy: &str) {
        self.0.push(Finding {
            rule: rule.to_owned(),
            severity: Severity::Fatal,
            path: Path::term(BtId(term)),
            message: says.to_owned(),
            detail: None,
            hint: Some(remedy.to_owned()),
        });
    }
}

fn is_in(address: &PostalAddress, country: &str) -> bool {
    let stated = address.country.as_ref();
    stated.is_some_and(|code| code.as_str().trim().eq_ignore_ascii_case(country))
}

/// The country whose rules bind the seller: that of its VAT number, else that of its
/// representative's, else its own.
fn seller_country(invoice: &Invoice) -> String {
    let of_representative = || invoice.tax_representative.as_ref()?.vat_identifier.as_ref();
    let number = invoice.seller.vat_identifier.as_ref().or_else(of_representative);
    let country = match number {
        Some(number) => number.chars().take(2).collect(),
        None => invoice.seller.address.country.as_ref().map_or("", |it| it.as_str()).to_owned(),
    };
    country.trim().to_ascii_uppercase()
}

fn dutch(invoice: &Invoice, found: &mut Found) {
    let is_credit_note = invoice.kind == DocumentKind::CreditNote;
    let seller = &invoice.seller;
    if is_credit_note && invoice.preceding_invoices.is_empty() {
        let says = "A credit note of a Dutch seller names the invoice";
        found.add("NL-R-001", 25, says, "Link the invoice of which it gives back.");
    }
    for (text, term, what) in [
        (&seller.address.line1, 35, "Add the issuer's address."),
        (&seller.address.city, 37, "Add the issuer's city."),
        (&seller.address.post_code, 38, "Add the issuer's post code."),
    ] {
        if text.is_none() {
            found.add("NL-R-002", term, "A Dutch seller has street, city and post code", what);
        }
    }
    if seller.legal_registration.as_ref().is_some_and(|number| !is_dutch_number(number)) {
        let says = "The number of a Dutch seller is a KvK or an OIN number";
        found.add("NL-R-003", 30, says, DUTCH_NUMBER);
    }
    let due = invoice.totals.due;
    let is_owed = if is_credit_note { due.is_negative() } else { due.is_positive() };
    if is_owed && invoice.payment.is_none() {
        let says = "An invoice of a Dutch seller says how to pay what is due";
        found.add("NL-R-007", 81, says, "Give the issuer a bank account.");
    }
}

/// What mends a number of a Dutch company.
const DUTCH_NUMBER: &str = "Write the number of the Chamber of Commerce (KvK), eight digits, or \
                            the OIN of an authority, twenty, or leave it out.";

/// Whether its scheme says that it is of the Chamber of Commerce, or an OIN.
fn is_dutch_number(number: &Identifier) -> bool {
    matches!(number.scheme(), Some("0106" | "0190")) && !number.is_blank()
}

fn between_dutch(invoice: &Invoice, found: &mut Found) {
    let buyer = &invoice.buyer;
    for (text, term, what) in [
        (&buyer.address.line1, 50, "Add the customer's address."),
        (&buyer.address.city, 52, "Add the customer's city."),
        (&buyer.address.post_code, 53, "Add the customer's post code."),
    ] {
        if text.is_none() {
            found.add("NL-R-004", term, "A Dutch buyer has street, city and post code", what);
        }
    }
    if buyer.legal_registration.as_ref().is_some_and(|number| !is_dutch_number(number)) {
        let says = "The number of a Dutch buyer is a KvK or an OIN number";
        found.add("NL-R-005", 47, says, DUTCH_NUMBER);
    }
    let way = invoice.payment.as_ref().map(|payment| payment.means_code.as_ref());
    let ways = ["30", "48", "49", "57", "58", "59"];
    if way.is_some_and(|code| code.is_none_or(|code| !code.is_in(&ways))) {
        let says = "Within the Netherlands one pays by transfer, card or direct debit";
        found.add("NL-R-008", 81, says, "Give the issuer a bank account.");
    }
}

fn italian(invoice: &Invoice, found: &mut Found) {
    let seller = &invoice.seller;
    let is_code = |text: &String| {
        let has_signs = text.bytes().all(|sign| sign.is_ascii_uppercase() || sign.is_ascii_digit());
        (11..=16).contains(&text.len()) && has_signs
    };
    if seller.tax_registration.as_ref().is_some_and(|number| !is_code(number)) {
        let says = "The tax number of an Italian seller (Codice Fiscale) has 11 to 16 capitals and \
                    digits";
        found.add("IT-R-001", 32, says, "Write it so, or leave it out.");
    }
    for (rule, text, term, says, remedy) in [
        ("IT-R-002", &seller.address.line1, 35, "a street", "Add the issuer's address."),
        ("IT-R-003", &seller.address.city, 37, "a city", "Add the issuer's city."),
        ("IT-R-004", &seller.address.post_code, 38, "a post code", "Add the issuer's post code."),
    ] {
        if text.is_none() {
            found.add(rule, term, &format!("An Italian seller has {says}"), remedy);
        }
    }
}

/// The description by which a document of Greece names its mark.
const MARK: &str = "##M.AR.K##";

fn greek(invoice: &Invoice, found: &mut Found) {
    let remedy = "Invoices of issuers in Greece have a mark of the tax authority (myDATA), which \
                  nobody asks for here: send the document in another way.";
    let number = invoice.number.as_deref().unwrap_or_default();
    if number.split('|').count() != 6 {
        found.add("GR-R-001-1", 1, "The number of a Greek seller's invoice has six parts", remedy);
    }
    if invoice.seller.trading_name.is_none() {
        found.add("GR-R-002", 28, "A Greek seller has a trading name", remedy);
    }
    let is_mark = |text: Option<&str>| text == Some(MARK);
    let marks = invoice.attachments.iter().filter(|one| is_mark(one.description.as_deref()));
    if is_in(&invoice.seller.address, "GR") && marks.count() != 1 {
        found.add("GR-R-004-1", 122, "A Greek seller's invoice has the mark of myDATA", remedy);
    }
    if invoice.buyer.trading_name.is_none() {
        found.add("GR-R-005", 45, "The buyer of a Greek seller has a trading name", remedy);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_xrechnung_have_their_numbers_in_peppol() {
        for (rule, expected) in [
            ("BR-DE-1", Some("DE-R-001")),
            ("BR-DE-23-a", Some("DE-R-023-1")),
            ("BR-DE-25-b", Some("DE-R-025-2")),
            ("BR-TMP-2", Some("DE-R-T02")),
            ("BR-DE-21", None),
            ("BR-DE-TMP-32", None),
            ("BR-CO-10", None),
        ] {
            assert_eq!(of_germany(rule).as_deref(), expected, "{rule}");
        }
        let check = Specification::XRechnung.check();
        for number in OF_KOSIT {
            let rule = format!("BR-DE-{number}");
            assert!(check.profile().check_ids().any(|known| known == rule), "{rule}");
        }
    }
}
