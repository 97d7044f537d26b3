//! Documents as rows, and what they come to together.

use std::collections::{BTreeMap, BTreeSet};

use racun_access::Entity;
use racun_documents::{Document, DocumentKind, Stage};
use racun_exports::ColumnKind::{Amount, Date, Instant, Number, Text, Whole};
use racun_exports::{Cell, Column, Sheet, SheetWriter, word};
use racun_kernel::{Currency, Decimal};
use racun_paper::Language;
use racun_sales::documents::taxes;
use racun_store::Context;

use super::{Export, ExportError, ExportPlan, currency_cell, for_each_page, payment_state};

/// Rates that have columns of their own, at most: the highest ones.
const MAX_RATES: usize = 12;

/// The sheet of a kind.
const fn sheet_key(kind: DocumentKind) -> &'static str {
    match kind {
        DocumentKind::Invoice => "invoices",
        DocumentKind::Estimate => "estimates",
        DocumentKind::CreditNote => "credit_notes",
        DocumentKind::AdvanceInvoice => "advance_invoices",
        DocumentKind::DeliveryNote => "delivery_notes",
    }
}

/// Whether a document is in sums: it is issued, or an invoice that was voided by credit notes,
/// which take back what it came to.
#[must_use]
pub fn is_counted(document: &Document) -> bool {
    match document.stage {
        Stage::Draft => false,
        Stage::Issued(_) => true,
        Stage::Voided(..) => document.amounts.total_credited.is_positive(),
    }
}

/// Whether documents of the kind are paid.
const fn is_paid(kind: DocumentKind) -> bool {
    match kind {
        DocumentKind::Invoice | DocumentKind::CreditNote | DocumentKind::AdvanceInvoice => true,
        DocumentKind::Estimate | DocumentKind::DeliveryNote => false,
    }
}

/// What of a document's amounts goes into sums: those of credit notes are taken off.
pub(super) fn signed(kind: DocumentKind, amount: &Decimal) -> Decimal {
    if kind == DocumentKind::CreditNote && !amount.is_zero() { -amount } else { amount.clone() }
}

/// What documents of one kind and currency come to.
#[derive(Default)]
struct Sums {
    documents: i64,
    amounts: [Option<Decimal>; 7],
}

type AllSums = BTreeMap<(DocumentKind, &'static str), Sums>;

pub(super) async fn write(
    cx: Context<'_>,
    entity: &Entity,
    plan: &ExportPlan,
    locale: &str,
    to: &mut dyn SheetWriter,
) -> Result<(), ExportError> {
    let Export::Documents(kinds) = &plan.export else { return Ok(()) };
    let rates = rates(cx).await?;
    let mut sums = AllSums::new();
    if !to.has_sheets() {
        to.begin(&sheet("documents", locale, &rates))?;
    }
    for (kind, source) in kinds.iter().zip(&plan.sources) {
        if to.has_sheets() {
            to.begin(&sheet(sheet_key(*kind), locale, &rates))?;
        }
        let each = |page: Vec<Document>| {
            for document in &page {
                to.row(&row(document, &rates))?;
                if is_counted(document) {
                    count(&mut sums, document, entity.currency);
                }
            }
            Ok(())
        };
        for_each_page(cx, source, each).await?;
    }
    if to.has_sheets() {
        write_sums(to, locale, &sums)?;
    }
    Ok(())
}

/// The rates of the entity's taxes, highest first: those that have columns of their own.
async fn rates(cx: Context<'_>) -> Result<Vec<Decimal>, ExportError> {
    let taxes = taxes(cx.store, &cx.tenant()).await?;
    let rates = taxes.into_iter().flat_map(|tax| tax.tax_rates).map(|rate| rate.rate);
    let rates: BTreeSet<Decimal> = rates.collect();
    Ok(rates.into_iter().rev().take(MAX_RATES).collect())
}

fn sheet(key: &str, locale: &str, rates: &[Decimal]) -> Sheet {
    let mut sheet = Sheet::new(key, locale).with(
        locale,
        &[
            ("number", Text),
            ("type", Text),
            ("status", Text),
            ("counted", Text),
            ("date", Date),
            ("date_service", Date),
            ("date_service_to", Date),
            ("date_due", Date),
            ("customer", Text),
            ("tax_number", Text),
            ("country", Text),
            ("transaction_type", Text),
            ("business_unit", Text),
            ("currency", Text),
            ("net", Amount),
        ],
    );
    let language = Language::from_code(locale).unwrap_or(Language::ENGLISH);
    for rate in rates {
        let rate = language.number(rate, 0);
        for key in ["base", "tax"] {
            let heading = format!("{} {rate} %", word(key, locale));
            sheet = sheet.and(Column { heading, kind: Amount });
        }
    }
    sheet.with(
        locale,
        &[
            ("other_base", Amount),
            ("other_tax", Amount),
            ("reverse_charge", Amount),
            ("untaxed", Amount),
            ("tax", Amount),
            ("gross", Amount),
            ("exchange_rate", Number),
            ("net_converted", Amount),
            ("gross_converted", Amount),
            ("paid", Amount),
            ("due", Amount),
            ("payment_state", Text),
            ("reference", Text),
            ("fiscal_mark", Text),
            ("fiscal_confirmation", Text),
            ("voided_at", Instant),
            ("created_at", Instant),
            ("id", Text),
        ],
    )
}

/// What a document says, as cells of [`sheet`].
fn row(document: &Document, rates: &[Decimal]) -> Vec<Cell> {
    let (content, amounts) = (&document.content, &document.amounts);
    let kind = document.id.kind();
    let money = |amount: &Decimal| Cell::Number(signed(kind, amount));
    let customer = content.customer.as_ref();
    let status = match document.stage {
        Stage::Draft => "draft",
        Stage::Issued(_) => "issued",
        Stage::Voided(..) => "voided",
    };
    let mut cells = vec![
        document.number().into(),
        kind.name().into(),
        status.into(),
        is_counted(document).into(),
        content.date.into(),
        content.date_service.into(),
        content.date_service_to.into(),
        content.date_due.into(),
        customer.and_then(|party| party.name.as_ref()).into(),
        customer.and_then(|party| party.tax_number.as_ref()).into(),
        customer.and_then(|party| party.country_code.as_ref()).into(),
        content.transaction_type.name().into(),
        content.business_unit.as_ref().map(|unit| &unit.name).into(),
        currency_cell(content.currency),
        money(&amounts.total),
    ];
    let split = Split::of(document, rates);
    for (base, tax) in split.of_rates.iter().chain([&split.others]) {
        cells.extend([base, tax].map(&money));
    }
    let fiscal = document.fiscal.as_ref();
    let mark = document.fiscal_record().map(|record| &record.mark).filter(|mark| !mark.is_empty());
    let is_paid = is_paid(kind);
    let state = payment_state(document.paid_in_full(), &amounts.total_paid);
    cells.extend([
        money(&split.reverse_charge),
        money(&amounts.untaxed),
        money(&(&amounts.total_with_tax - &amounts.total)),
        money(&amounts.total_with_tax),
        content.exchange_rate.as_ref().map(|exchange| &exchange.rate).into(),
        amounts.total_converted.as_ref().map(money).unwrap_or(Cell::Empty),
        amounts.total_with_tax_converted.as_ref().map(money).unwrap_or(Cell::Empty),
        if is_paid { money(&amounts.total_paid) } else { Cell::Empty },
        if is_paid { money(&document.total_due()) } else { Cell::Empty },
        (is_paid && !document.is_draft()).then_some(state).into(),
        content.reference.as_ref().into(),
        mark.into(),
        fiscal.and_then(|fiscal| fiscal.confirmation()).into(),
        document.voided_at().into(),
        document.created_at.into(),
        document.id.to_string().into(),
    ]);
    cells
}

/// A document's taxes by rate.
struct Split {
    of_rates: Vec<(Decimal, Decimal)>,
    others: (Decimal, Decimal),
    reverse_charge: Decimal,
}

impl Split {
    fn of(document: &Document, rates: &[Decimal]) -> Self {
        let nothing = || (Decimal::zero(), Decimal::zero());
        let mut split = Self {
            of_rates: rates.iter().map(|_| nothing()).collect(),
            others: nothing(),
            reverse_charge: Decimal::zero(),
        };
        for tax in document.amounts.taxes.iter().map(|amounts| &amounts.tax) {
            if tax.reverse_charge {
                split.reverse_charge += &tax.base;
                continue;
            }
            let place = rates.iter().position(|rate| *rate == tax.rate);
            let own = place.and_then(|place| split.of_rates.get_mut(place));
            let (base, amount) = own.unwrap_or(&mut split.others);
            *base += &tax.base;
            *amount += &tax.amount;
        }
        split
    }
}

fn count(sums: &mut AllSums, document: &Document, own: Currency) {
    let (kind, amounts) = (document.id.kind(), &document.amounts);
    let sum = sums.entry((kind, document.content.currency.code())).or_default();
    sum.documents += 1;
    let tax = &amounts.total_with_tax - &amounts.total;
    // What is in the entity's currency needs no conversion.
    let is_own = document.content.currency == own;
    let net = amounts.total_converted.as_ref().or(is_own.then_some(&amounts.total));
    let gross =
        amounts.total_with_tax_converted.as_ref().or(is_own.then_some(&amounts.total_with_tax));
    let due = document.total_due();
    let parts = [
        Some(&amounts.total),
        Some(&tax),
        Some(&amounts.total_with_tax),
        is_paid(kind).then_some(&amounts.total_paid),
        is_paid(kind).then_some(&due),
        net,
        gross,
    ];
    for (total, part) in sum.amounts.iter_mut().zip(parts) {
        if let Some(part) = part {
            *total.get_or_insert_with(Decimal::zero) += &signed(kind, part);
        }
    }
}

fn write_sums(to: &mut dyn SheetWriter, locale: &str, sums: &AllSums) -> Result<(), ExportError> {
    let columns = [
        ("type", Text),
        ("currency", Text),
        ("documents", Whole),
        ("net", Amount),
        ("tax", Amount),
        ("gross", Amount),
        ("paid", Amount),
        ("due", Amount),
        ("net_converted", Amount),
        ("gross_converted", Amount),
    ];
    to.begin(&Sheet::new("sums", locale).with(locale, &columns))?;
    for ((kind, currency), sum) in sums {
        let mut cells = vec![kind.name().into(), (*currency).into(), sum.documents.into()];
        cells.extend(sum.amounts.iter().map(|amount| Cell::from(amount.as_ref())));
        to.row(&cells)?;
    }
    Ok(())
}
