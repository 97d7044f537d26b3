//! Payments as rows, and what they come to together.

use std::collections::BTreeMap;

use racun_documents::Document;
use racun_documents::expense::Expense;
use racun_exports::ColumnKind::{Amount, Date, Instant, Text, Whole};
use racun_exports::{Cell, Sheet, SheetWriter};
use racun_kernel::{Currency, Decimal};
use racun_sales::payments::{Related, related};
use racun_settlement::{Payment, PaymentType, SettleableId};
use racun_store::Context;

use super::{ExportError, ExportPlan, currency_cell, walk};

/// Payments of one direction, type and currency: how many, and what they come to.
type Sums = BTreeMap<(&'static str, &'static str, Option<&'static str>), (i64, Decimal)>;

pub(super) async fn write(
    cx: Context<'_>,
    plan: &ExportPlan,
    locale: &str,
    to: &mut dyn SheetWriter,
) -> Result<(), ExportError> {
    let columns = [
        ("date", Date),
        ("direction", Text),
        ("method", Text),
        ("amount", Amount),
        ("currency", Text),
        ("type", Text),
        ("document", Text),
        ("name", Text),
        ("reference", Text),
        ("tip", Amount),
        ("tag", Text),
        ("note", Text),
        ("created_at", Instant),
        ("id", Text),
    ];
    to.begin(&Sheet::new("payments", locale).with(locale, &columns))?;
    let mut sums = Sums::new();
    for source in &plan.sources {
        let mut walk = walk(cx, source);
        while let Some(page) = walk.next::<Payment>(cx.store).await? {
            let related = Paid::of(&related(cx, &page).await?);
            for payment in &page {
                let paid = payment.documents().find_map(|id| related.get(&id));
                to.row(&row(payment, paid))?;
                let key = (
                    direction(payment),
                    payment.kind.name(),
                    paid.map(|paid| paid.currency.code()),
                );
                let (count, sum) = sums.entry(key).or_insert_with(|| (0, Decimal::zero()));
                *count += 1;
                *sum += &payment.amount;
            }
        }
    }
    if !to.has_sheets() {
        return Ok(());
    }
    let columns = [
        ("direction", Text),
        ("method", Text),
        ("currency", Text),
        ("payments", Whole),
        ("amount", Amount),
    ];
    to.begin(&Sheet::new("sums", locale).with(locale, &columns))?;
    for ((direction, method, currency), (count, sum)) in sums {
        to.row(&[direction.into(), method.into(), currency.into(), count.into(), sum.into()])?;
    }
    Ok(())
}

/// What a payment pays, as far as its row says it.
struct Paid {
    kind: &'static str,
    number: Option<String>,
    name: Option<String>,
    currency: Currency,
}

impl Paid {
    fn of(related: &Related) -> BTreeMap<SettleableId, Self> {
        let documents = related.documents.iter();
        let documents = documents.map(|one| (SettleableId::from(one.id), Self::document(one)));
        let expenses = related.expenses.iter();
        let expenses = expenses.map(|one| (SettleableId::from(one.id), Self::expense(one)));
        documents.chain(expenses).collect()
    }

    fn document(document: &Document) -> Self {
        Self {
            kind: document.id.kind().name(),
            number: Some(document.number()),
            name: document.content.customer.as_ref().and_then(|party| party.name.clone()),
            currency: document.content.currency,
        }
    }

    fn expense(expense: &Expense) -> Self {
        let content = &expense.content;
        Self {
            kind: "expense",
            number: expense.number().or(content.supplier_document_number.as_ref()).cloned(),
            name: content.supplier.as_ref().and_then(|supplier| supplier.name.clone()),
            currency: content.currency,
        }
    }
}

/// Where the money goes: `in`, `out`, or nowhere, for one document settles another.
fn direction(payment: &Payment) -> &'static str {
    let is_refund = payment.credit_note_id.is_some() && payment.invoice_id.is_none();
    match payment.kind {
        PaymentType::CreditNote | PaymentType::Advance => "settlement",
        _ if payment.expense_id.is_some() || is_refund => "out",
        _ => "in",
    }
}

fn row(payment: &Payment, paid: Option<&Paid>) -> Vec<Cell> {
    vec![
        payment.date.into(),
        direction(payment).into(),
        payment.kind.name().into(),
        (&payment.amount).into(),
        paid.map_or(Cell::Empty, |paid| currency_cell(paid.currency)),
        paid.map(|paid| paid.kind).into(),
        paid.and_then(|paid| paid.number.as_ref()).into(),
        paid.and_then(|paid| paid.name.as_ref()).into(),
        payment.reference.as_ref().into(),
        payment.tip.as_ref().into(),
        payment.tag.as_ref().into(),
        payment.note.as_ref().into(),
        payment.created_at.into(),
        payment.id.to_string().into(),
    ]
}
