//! A stored document as SAF-T, the QR code and the authority ask for it: in euros, by region and
//! rate.

use racun_access::known_country;
use racun_documents::{Document, DocumentKind, Line, LineKind, LineTaxDetail, Party, Stage};
use racun_kernel::{Classification, Currency, Decimal, PaymentType};
use racun_portugal::saft::{
    Address, Customer, LineReference, Product, ProductKind, SaftCurrency, SaftDocument, SaftLine,
    SaftPayment, SaftTax, Shipping, State, product_code,
};
use racun_portugal::{Code, Hash, Level, Mechanism, Origin, Region, Status, WallTime};
use time::Date;

use super::figures::{Figures, day_of, level};

/// What a credit note says of why it gives back, when its note does not.
const RECTIFIED: &str = "Retificação";
/// What a customer who is not named is called.
const CONSUMER_ID: &str = "999999990";

/// What others call `document` by: its number, or that of the form that it was recovered from.
pub(super) fn referred_number(document: &Document) -> String {
    let manual = document.pt.as_deref().and_then(|record| {
        let manual = record.manual.as_ref()?;
        Some(format!("{}M {}/{}", record.code, manual.series, manual.number))
    });
    manual.unwrap_or_else(|| document.number())
}

/// The identifier in SAF-T of the customer of `document`.
pub(super) fn customer_id(document: &Document) -> String {
    let Some(party) = &document.content.customer else { return CONSUMER_ID.to_owned() };
    match document.content.customer_id {
        Some(id) => id.to_string(),
        None if party.name.is_none() && party.tax_number.is_none() => CONSUMER_ID.to_owned(),
        None => {
            let text = |own: &Option<String>| own.clone().unwrap_or_default();
            product_code(&format!("{}\n{}", text(&party.tax_number), text(&party.name)))
        }
    }
}

/// The customer of `document`.
pub(super) fn customer(document: &Document) -> Customer {
    let id = customer_id(document);
    let Some(party) = &document.content.customer else {
        return Customer { id, ..Customer::default() };
    };
    Customer {
        id,
        tax_number: party.tax_number.clone(),
        name: party.name.clone(),
        address: address(party),
        telephone: party.phone.clone(),
        email: party.email.clone(),
    }
}

fn address(party: &Party) -> Address {
    Address {
        detail: party.address.clone(),
        city: party.city.clone(),
        post_code: party.post_code.clone(),
        region: party.state.clone(),
        country: country(party),
    }
}

/// The code of the country of `party`, which is named by it or in words.
pub(super) fn country(party: &Party) -> Option<String> {
    known_country(party.country_code.as_deref(), party.country.as_deref())
}

/// The products that the lines of `document` sell.
pub(super) fn products(document: &Document) -> impl Iterator<Item = Product> {
    let is_advance = document.id.kind() == DocumentKind::AdvanceInvoice;
    sold(document).map(move |(_, line)| Product {
        kind: match line.classification {
            _ if is_advance => ProductKind::Other,
            Some(Classification::Service) => ProductKind::Service,
            Some(Classification::Advance) => ProductKind::Other,
            Some(Classification::Product) | None => ProductKind::Goods,
        },
        code: line_code(line),
        description: line.name.clone(),
    })
}

fn sold(document: &Document) -> impl Iterator<Item = (usize, &Line)> {
    let lines = document.content.lines.iter().enumerate();
    lines.filter(|(_, line)| line.kind != Some(LineKind::Separator))
}

/// The code of what a line sells. An item may be sold under other words, which are another product:
/// the description of one does not change.
fn line_code(line: &Line) -> String {
    match line.item_id {
        Some(id) => {
            let words = product_code(&line.name);
            format!("{id}-{}", words.chars().skip(2).take(8).collect::<String>())
        }
        None => product_code(&line.name),
    }
}

/// What stands beside a document.
#[derive(Debug, Clone, Default)]
pub(super) struct Beside {
    /// What it was paid by at its issue, in its currency.
    pub payments: Vec<SaftPayment>,
    /// When it was invoiced, and by whom, where an invoice that holds goes back to it.
    pub invoiced: Option<(WallTime, String)>,
}

/// When `invoice` was issued, and by whom; `None` where it is not certified or voided.
pub(super) fn invoiced_by(invoice: &Document) -> Option<(WallTime, String)> {
    let record = invoice.pt.as_deref().filter(|record| record.voided.is_none())?;
    Some((record.entered_at.parse().ok()?, record.source_id.clone()))
}

/// `document` as SAF-T has it, with what stands `beside` it; `None` of what was not certified.
pub(super) fn saft_document(document: &Document, beside: Beside) -> Option<SaftDocument> {
    let record = document.pt.as_deref()?;
    let region = Region::from_code(&record.region)?;
    let code = Code::from_text(&record.code)?;
    let entered_at: WallTime = record.entered_at.parse().ok()?;
    let figures = Figures::of(document, region).ok()?;
    let Beside { payments, invoiced } = beside;
    let payments = figures.paid(document, payments);
    let line = |(place, line): (usize, &Line)| {
        let amount = figures.lines.get(place).cloned().unwrap_or_else(Decimal::zero);
        saft_line(document, line, amount, region)
    };
    Some(SaftDocument {
        code,
        number: document.number().parse().ok()?,
        atcud: record.atcud.parse().ok(),
        state: state(document, entered_at, invoiced),
        origin: if record.manual.is_some() { Origin::Manual } else { Origin::Program },
        hash: record.hash.as_deref()?.parse::<Hash>().ok()?,
        hash_control: record.hash_control.clone(),
        date: document.content.date,
        entered_at,
        by: record.source_id.clone(),
        customer_id: customer_id(document),
        shipping: shipping(document, entered_at),
        lines: sold(document).map(line).collect(),
        tax: figures.tax,
        net: figures.net,
        gross: figures.gross,
        currency: currency(document),
        payments,
        withheld: Vec::new(),
    })
}

/// The currency of `document`, where it is not in euros.
fn currency(document: &Document) -> Option<SaftCurrency> {
    let own = document.content.currency;
    let rate = document.content.exchange_rate.as_ref();
    (own != Currency::EUR).then(|| SaftCurrency {
        code: own.code().to_owned(),
        amount: document.amounts.total_with_tax.abs(),
        rate: rate.map_or_else(|| Decimal::from(1), |exchange| exchange.rate.clone()),
    })
}

/// An invoice that goes back to a delivery note or an estimate makes it F, unless it is voided
/// (Portaria 302/2016, fields 4.2.3.3.1 and 4.3.4.4.1). It stays in the totals of its part.
fn state(document: &Document, entered_at: WallTime, invoiced: Option<(WallTime, String)>) -> State {
    let record = document.pt.as_deref();
    let by = record.map(|own| own.source_id.clone()).unwrap_or_default();
    match (record.and_then(|own| own.voided.as_ref()), invoiced) {
        (Some(voided), _) => State {
            status: Status::Voided,
            since: voided.at.parse().unwrap_or(entered_at),
            reason: void_reason(document),
            by: voided.by.clone(),
        },
        (None, Some((since, by))) => State { status: Status::Invoiced, since, reason: None, by },
        (None, None) => State { status: Status::Normal, since: entered_at, reason: None, by },
    }
}

fn void_reason(document: &Document) -> Option<String> {
    match &document.stage {
        Stage::Voided(_, voided) => voided.reason.clone(),
        Stage::Draft | Stage::Issued(_) => None,
    }
}

/// Goods leave when the document is issued, from the issuer to the customer.
fn shipping(document: &Document, starts_at: WallTime) -> Option<Shipping> {
    (document.id.kind() == DocumentKind::DeliveryNote).then(|| Shipping {
        from: Some(address(&document.content.issuer)),
        to: document.content.customer.as_ref().map(address),
        starts_at,
        transport_code: None,
    })
}

fn saft_line(document: &Document, line: &Line, amount: Decimal, region: Region) -> SaftLine {
    let record = document.pt.as_deref();
    let references = record.map(|own| own.references.as_slice()).unwrap_or_default();
    let quantity = line.quantity.abs();
    // Six decimals: cents of ten thousand of them.
    let of_many = Currency::EUR.divide(&(&amount * &Decimal::from(10_000)), &quantity);
    let unit_price = of_many.map_or_else(Decimal::zero, |price| &price * &Decimal::new(1, 4));
    let is_credit = document.id.kind() == DocumentKind::CreditNote;
    let note = document.content.texts.note.as_deref().map(str::trim);
    let reason = note.filter(|text| !text.is_empty()).unwrap_or(RECTIFIED);
    let rectifies = references.iter().filter(|_| is_credit);
    let orders = references.iter().filter(|_| !is_credit);
    SaftLine {
        product_code: line_code(line),
        product_description: line.name.clone(),
        description: line.description.clone().unwrap_or_else(|| line.name.clone()),
        quantity,
        unit: line.unit.clone().unwrap_or_else(|| "un".to_owned()),
        unit_price,
        supplied_on: day_of(document),
        amount,
        discount: None,
        orders: orders
            .map(|own| LineReference { number: own.number.clone(), date: Some(own.date) })
            .collect(),
        rectifies: rectifies.map(|own| (own.number.clone(), reason.to_owned())).collect(),
        tax: saft_tax(line.taxes.first(), region, day_of(document)),
    }
}

fn saft_tax(tax: Option<&LineTaxDetail>, region: Region, day: Date) -> SaftTax {
    let (percent, is_reverse) =
        tax.map_or((Decimal::zero(), false), |tax| (tax.rate.clone(), tax.reverse_charge));
    let level = level(&percent, is_reverse, region, day);
    let percent = if level == Level::Ise { Decimal::zero() } else { percent };
    let exemption = tax
        .filter(|_| level == Level::Ise)
        .and_then(|tax| Some((tax.pt_exemption_code.clone()?, tax.pt_exemption_reason.clone()?)));
    SaftTax::Vat { region, level, percent, exemption }
}

/// A payment that was made with the issue of a document, in the currency of that.
pub(super) fn payment(kind: PaymentType, amount: &Decimal, date: Date) -> SaftPayment {
    SaftPayment { mechanism: Mechanism::from(kind), amount: amount.abs(), date }
}
