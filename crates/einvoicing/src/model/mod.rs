//! From what a document says to the business terms of EN 16931-1.
//!
//! | Module    | Owns                                                                      |
//! | --------- | ------------------------------------------------------------------------- |
//! | `parties` | seller and buyer: BG-4, BG-7, and where goods go, BG-15                   |
//! | `lines`   | lines, their prices and discounts: BG-25                                  |
//! | `vat`     | which VAT category a line has, and the breakdown: BG-23                   |
//! | `totals`  | what it comes to, and a rounding of the whole: BG-22, BG-20, BG-21        |
//! | `payment` | how to pay: BG-16, BT-20                                                  |
//! | `text`    | texts as XML can hold them                                                |
//!
//! The mapping takes all facts. What the terms cannot hold is a finding, beside those of the rules.

mod lines;
mod parties;
mod payment;
mod text;
mod totals;
mod vat;

use en16931::invoice::{Code, Delivery, InvoiceNote, Period, PrecedingInvoice};
use en16931::{DocumentKind, DocumentReference, Invoice};
use racun_kernel::Step;
use text::{paragraphs, single};
use time::Date;

use crate::facts::{Facts, FactsKind};
use crate::finding::{Finding, Level};
use crate::specification::Specification;

pub(crate) use vat::Category;

/// The terms of a document, with what they could not hold and where lines come from.
pub struct Model {
    /// The terms.
    pub invoice: Invoice,
    /// What they could not hold.
    pub found: Vec<Finding>,
    /// Of each line of the terms, its index among `items`.
    pub places: Vec<usize>,
    /// Of each group of the breakdown, that of its first line.
    pub group_places: Vec<usize>,
}

impl Model {
    /// The terms of `facts` for `specification`.
    pub fn of(facts: &Facts, specification: Specification) -> Self {
        let mut found = Vec::new();
        let lines = lines::lines(facts, &mut found);
        let categories: Vec<Category> = lines.iter().map(|line| line.treatment.category).collect();
        // O stands alone. Beside others it is refused by that, not by numbers that are withheld.
        let is_outside = categories.contains(&Category::O)
            && categories.iter().all(|category| *category == Category::O);
        let mut invoice = header(facts, specification);
        invoice.seller = parties::seller(&facts.issuer, is_outside);
        if let Some(customer) = &facts.customer {
            invoice.buyer = parties::buyer(customer, is_outside);
            invoice.buyer_reference = single(customer.buyer_reference.as_deref());
        }
        let goes_abroad = categories.contains(&Category::K);
        invoice.delivery = delivery(facts, goes_abroad);
        invoice.invoicing_period = period(facts);
        invoice.payment = payment::instructions(facts, specification);
        invoice.payment_terms = payment::terms(facts);
        totals::fill(&mut invoice, facts, &lines, specification, &mut found);
        invoice.notes = notes(facts, &invoice);
        let group_places = totals::places_of(&invoice.vat_breakdown, &lines);
        let places = lines.iter().map(|line| line.place).collect();
        invoice.lines = lines.into_iter().map(|line| line.term).collect();
        Self { invoice, found, places, group_places }
    }
}

/// Why money with more than two decimals is refused.
const TOO_FINE: &str = "amounts of an electronic invoice have at most two decimals and 16 \
                        digits before: use another currency";

/// A finding of the mapping.
fn fatal(rule: &str, path: Vec<Step>, message: &str) -> Finding {
    Finding { rule: rule.to_owned(), level: Level::Fatal, path, message: message.to_owned() }
}

/// The path of `field` of the element `place` of `items`.
pub(crate) fn item_path(place: usize, field: &str) -> Vec<Step> {
    vec!["items".into(), place.into(), field.into()]
}

fn header(facts: &Facts, specification: Specification) -> Invoice {
    let mut invoice = Invoice::default();
    let (kind, code) = match facts.kind {
        FactsKind::Invoice => (DocumentKind::Invoice, "380"),
        FactsKind::AdvanceInvoice => (DocumentKind::Invoice, "386"),
        FactsKind::CreditNote => (DocumentKind::CreditNote, "381"),
        FactsKind::Estimate => (DocumentKind::Invoice, "325"),
    };
    invoice.kind = kind;
    invoice.type_code = Some(Code::new(code));
    invoice.specification_id = Some(specification.identifier().to_owned());
    invoice.business_process = specification.process().map(str::to_owned);
    invoice.number = single(Some(&facts.number));
    invoice.issue_date = day(facts.date);
    invoice.currency = Some(Code::new(facts.currency.code()));
    // UBL has no place for the due date of a credit note, and nothing is due.
    let is_due = facts.kind != FactsKind::CreditNote;
    invoice.due_date = facts.date_due.filter(|_| is_due).and_then(day);
    let delivery_note = single(facts.delivery_note.as_deref());
    invoice.despatch_advice_reference = delivery_note.map(DocumentReference::new);
    let preceding = facts.preceding.iter().filter_map(|earlier| {
        Some(PrecedingInvoice {
            reference: DocumentReference::new(single(Some(&earlier.number))?),
            issue_date: earlier.date.and_then(day),
        })
    });
    invoice.preceding_invoices = preceding.collect();
    invoice
}

/// A day; years of more than four digits are no dates of documents.
fn day(date: Date) -> Option<en16931::Date> {
    en16931::Date::new(date.year(), u8::from(date.month()), date.day()).ok()
}

/// The day of the supply, and where the goods went when they left for another member state, which
/// BR-IC-12 wants to know.
fn delivery(facts: &Facts, goes_abroad: bool) -> Option<Delivery> {
    let date = facts.date_service.filter(|_| period(facts).is_none()).and_then(day);
    let address = facts.customer.as_ref().filter(|_| goes_abroad).map(parties::address);
    let is_known = date.is_some() || address.is_some();
    is_known.then(|| Delivery { date, address, ..Delivery::default() })
}

/// The days of the supply, when there are several.
fn period(facts: &Facts) -> Option<Period> {
    let (from, to) = (facts.date_service, facts.date_service_to?);
    (from != Some(to)).then(|| Period { start: from.and_then(day), end: day(to) })
}

/// One note, as Peppol takes one: the document's, and the tax clause where no exemption states it.
fn notes(facts: &Facts, invoice: &Invoice) -> Vec<InvoiceNote> {
    let clause = paragraphs(facts.texts.tax_clause.as_deref());
    let is_stated = |clause: &String| {
        let mut reasons = invoice.vat_breakdown.iter().map(|vat| vat.exemption_reason.as_ref());
        reasons.any(|reason| reason == Some(clause))
    };
    let clause = clause.filter(|clause| !is_stated(clause));
    let texts: Vec<String> =
        paragraphs(facts.texts.note.as_deref()).into_iter().chain(clause).collect();
    let note = texts.join("\n");
    // A note that begins with a number sign would be read as having a subject code.
    let note = if note.starts_with('#') { format!("- {note}") } else { note };
    if note.is_empty() { Vec::new() } else { vec![InvoiceNote::new(note)] }
}
