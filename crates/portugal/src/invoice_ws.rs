//! Texts to and from the authority's web service of invoices, Fatcorews.
//!
//! It takes invoices and what rectifies them, one at a time, soon after they are issued. Who does
//! not use it hands in SAF-T instead, each month.
//!
//! Source: AT, "Comunicação de documentos à AT por webservice", 1.0 of June 2022; the service's
//! WSDL.

use std::collections::BTreeMap;

use racun_kernel::Decimal;
use racun_kernel::calendar::format_date;
use time::Date;

use crate::saft::{SaftDocument, SaftLine, SaftTax};
use crate::soap::{Unreadable, child, escaped, parse};
use crate::{Atcud, Class, UNKNOWN, amount_text, buyer_number};

/// The namespace of requests and answers.
pub const NAMESPACE: &str = "http://factemi.at.min_financas.pt/documents";
/// The version of the service.
const VERSION: &str = "0.0.1";
/// The newest version of SAF-T that the program writes.
const AUDIT_FILE: &str = "1.04_01";
/// The establishment, of issuers who tell none apart.
const ESTABLISHMENT: &str = "Global";

/// Who issued a document with which program, and who bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parties<'a> {
    /// The issuer's number: nine digits.
    pub issuer: &'a str,
    /// The number of the program's certificate.
    pub certificate: u16,
    /// The buyer's number, when it is known.
    pub buyer: Option<&'a str>,
    /// The buyer's country: ISO 3166-1 alpha-2.
    pub buyer_country: Option<&'a str>,
}

/// Whether the service takes `document`: invoices and what rectifies them.
#[must_use]
pub fn takes(document: &SaftDocument) -> bool {
    document.code.class() == Class::Sales
}

/// `RegisterInvoice` of `document`: the body of the envelope.
#[must_use]
pub fn register(document: &SaftDocument, parties: &Parties<'_>) -> String {
    let mut body = Body::new("RegisterInvoiceRequest");
    body.leaf("AuditFileVersion", AUDIT_FILE);
    body.leaf("TaxRegistrationNumber", parties.issuer);
    body.leaf("TaxEntity", ESTABLISHMENT);
    body.leaf("SoftwareCertificateNumber", &parties.certificate.to_string());
    body.within("InvoiceData", |body| {
        body.head(document, parties);
        body.status("DocumentStatus", document);
        body.leaf("HashCharacters", &document.hash.excerpt());
        body.leaf("CashVATSchemeIndicator", "0");
        body.leaf("PaperLessIndicator", "0");
        body.leaf("SystemEntryDate", &document.entered_at.to_string());
        for (key, amount) in summary(document) {
            body.line(document, &key, &amount);
        }
        body.within("DocumentTotals", |body| {
            body.leaf("TaxPayable", &amount_text(&document.tax));
            body.leaf("NetTotal", &amount_text(&document.net));
            body.leaf("GrossTotal", &amount_text(&document.gross));
        });
        for withheld in &document.withheld {
            body.within("WithholdingTax", |body| {
                body.leaf("WithholdingTaxType", withheld.kind);
                body.leaf("WithholdingTaxAmount", &amount_text(&withheld.amount));
            });
        }
    });
    body.end()
}

/// `ChangeInvoiceStatus` of `document`, which was voided.
#[must_use]
pub fn change_status(document: &SaftDocument, parties: &Parties<'_>) -> String {
    let mut body = Body::new("ChangeInvoiceStatusRequest");
    body.leaf("TaxRegistrationNumber", parties.issuer);
    body.within("InvoiceHeader", |body| body.head(document, parties));
    body.status("InvoiceStatus", document);
    body.end()
}

/// What tells rows of the summary of lines apart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    orders: Vec<(String, Option<Date>)>,
    supplied_on: Date,
    rectifies: Vec<String>,
    kind: &'static str,
    region: &'static str,
    code: &'static str,
    percent: String,
    exemption: Option<String>,
}

impl Key {
    fn of(line: &SaftLine) -> Self {
        let (kind, region, code) = match &line.tax {
            SaftTax::Vat { region, level, .. } => ("IVA", region, level.code()),
            SaftTax::NotSubject { region, .. } => ("NS", region, "NS"),
        };
        Self {
            orders: line.orders.iter().map(|own| (own.number.clone(), own.date)).collect(),
            supplied_on: line.supplied_on,
            rectifies: line.rectifies.iter().map(|(number, _)| number.clone()).collect(),
            kind,
            region: region.code(),
            code,
            percent: amount_text(&line.tax.percent()),
            exemption: line.tax.exemption().map(|(code, _)| code.to_owned()),
        }
    }
}

/// What the lines come to, by what tells them apart.
fn summary(document: &SaftDocument) -> BTreeMap<Key, Decimal> {
    let mut rows = BTreeMap::new();
    for line in &document.lines {
        *rows.entry(Key::of(line)).or_insert_with(Decimal::zero) += &line.amount;
    }
    rows
}

/// A body that is being written.
struct Body {
    text: String,
    root: &'static str,
}

impl Body {
    fn new(root: &'static str) -> Self {
        let mut body = Self { text: format!("<ns:{root} xmlns:ns=\"{NAMESPACE}\">"), root };
        body.leaf("eFaturaMDVersion", VERSION);
        body
    }

    fn end(mut self) -> String {
        self.text.push_str(&format!("</ns:{}>", self.root));
        self.text
    }

    fn leaf(&mut self, name: &str, text: &str) {
        self.text.push_str(&format!("<ns:{name}>{}</ns:{name}>", escaped(text)));
    }

    fn within(&mut self, name: &str, inside: impl FnOnce(&mut Self)) {
        self.text.push_str(&format!("<ns:{name}>"));
        inside(self);
        self.text.push_str(&format!("</ns:{name}>"));
    }

    fn head(&mut self, document: &SaftDocument, parties: &Parties<'_>) {
        let buyer: String = buyer_number(parties.buyer).chars().take(30).collect();
        let is_code =
            |code: &&str| code.len() == 2 && code.bytes().all(|b| b.is_ascii_alphabetic());
        let country = match (parties.buyer_country.filter(is_code), parties.buyer) {
            (Some(code), _) => code.to_ascii_uppercase(),
            (None, None) => "PT".to_owned(),
            (None, Some(_)) => UNKNOWN.to_owned(),
        };
        self.leaf("InvoiceNo", document.number.as_str());
        self.leaf("ATCUD", document.atcud.as_ref().map_or("0", Atcud::as_str));
        self.leaf("InvoiceDate", &format_date(document.date));
        self.leaf("InvoiceType", document.code.text());
        self.leaf("SelfBillingIndicator", "0");
        self.leaf("CustomerTaxID", &buyer);
        self.leaf("CustomerTaxIDCountry", &country);
    }

    fn status(&mut self, name: &str, document: &SaftDocument) {
        self.within(name, |body| {
            body.leaf("InvoiceStatus", document.state.status.letter());
            body.leaf("InvoiceStatusDate", &document.state.since.to_string());
        });
    }

    fn line(&mut self, document: &SaftDocument, key: &Key, amount: &Decimal) {
        self.within("LineSummary", |body| {
            for (number, date) in &key.orders {
                body.within("OrderReferences", |body| {
                    body.leaf("OriginatingON", number);
                    if let Some(date) = date {
                        body.leaf("OrderDate", &format_date(*date));
                    }
                });
            }
            body.leaf("TaxPointDate", &format_date(key.supplied_on));
            for number in &key.rectifies {
                body.leaf("Reference", number);
            }
            let side = if document.code.is_debit() { "D" } else { "C" };
            body.leaf("DebitCreditIndicator", side);
            body.leaf("Amount", &amount_text(amount));
            body.within("Tax", |body| {
                body.leaf("TaxType", key.kind);
                body.leaf("TaxCountryRegion", key.region);
                body.leaf("TaxCode", key.code);
                body.leaf("TaxPercentage", &key.percent);
            });
            if let Some(code) = &key.exemption {
                body.leaf("TaxExemptionCode", code);
            }
        });
    }
}

/// What the service answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvoiceReply {
    /// Its code: 0 took it, above zero something is wrong with who calls, below with the document.
    pub code: i32,
    /// Its text.
    pub message: String,
}

/// What an answer means for who asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// It was taken.
    Done,
    /// Who calls is not let in: the sub-user, its password or its rights are wrong.
    Denied,
    /// The document is refused, and would be again.
    Wrong,
    /// The service failed: the same request may succeed later.
    Failed,
}

impl InvoiceReply {
    /// What it means. The manual names 1 to 20 and 33 for who calls; 99 and -99 for faults of the
    /// service.
    #[must_use]
    pub const fn meaning(&self) -> Meaning {
        match self.code {
            0 => Meaning::Done,
            99 | -99 => Meaning::Failed,
            1.. => Meaning::Denied,
            _ => Meaning::Wrong,
        }
    }

    /// Reads an answer: the SOAP message, or its body.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let document = parse(text)?;
        let is_response =
            |name: &str| ["RegisterInvoiceResponse", "ChangeInvoiceStatusResponse"].contains(&name);
        let root = document.descendants().find(|node| is_response(node.tag_name().name()));
        let unreadable = |what: &str| Unreadable(what.to_owned());
        let response = root
            .and_then(|root| {
                root.children().find(|node| node.has_tag_name((NAMESPACE, "Response")))
            })
            .ok_or_else(|| unreadable("no Response"))?;
        let code = child(response, "CodigoResposta").and_then(|text| text.parse().ok());
        Ok(Self {
            code: code.ok_or_else(|| unreadable("no CodigoResposta"))?,
            message: child(response, "Mensagem").unwrap_or_default().to_owned(),
        })
    }
}
