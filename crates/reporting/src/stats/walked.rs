//! Queries over rows.

use std::collections::BTreeMap;

use racun_access::Entity;
use racun_catalog::{Customer, Item};
use racun_documents::expense::{EXPENSES, Expense};
use racun_documents::{Document, DocumentId};
use racun_insights::{StatCondition, StatFold, StatQuery, StatTable, StatValue};
use racun_kernel::{Currency, ExchangeRate};
use racun_records::get_documents;
use racun_settlement::{Payment, SettleableId};
use racun_store::{Clause, Context, Operator, Record, StoreError, Table, Value};

use super::value::stat;
use super::{books, stored};
use crate::days::{Budget, between, for_each};

/// Documents that are read at once.
const AT_ONCE: usize = 100;

/// The values that `record` declares, by the names of the fields of `table`; null where it declares
/// none.
fn row<A: Record>(table: StatTable, stored: &Table, record: &A) -> Vec<StatValue> {
    let values = record.values();
    let value = |name: &str| stored.field(name).and_then(|(place, _)| values.get(place));
    let fields = table.fields().iter();
    fields.map(|field| value(field.name).map_or(StatValue::Null, stat)).collect()
}

fn put(table: StatTable, row: &mut [StatValue], name: &str, value: StatValue) {
    if let Some((place, _)) = table.field(name)
        && let Some(cell) = row.get_mut(place)
    {
        *cell = value;
    }
}

/// Gives all rows that `query` may ask for to `fold`, as far as `budget` has so many left.
pub(super) async fn walk(
    cx: Context<'_>,
    entity: &Entity,
    query: &StatQuery,
    budget: &mut Budget,
    fold: &mut StatFold<'_>,
) -> Result<(), StoreError> {
    let table = query.table;
    match table {
        StatTable::Invoices
        | StatTable::Estimates
        | StatTable::CreditNotes
        | StatTable::AdvanceInvoices => {
            each::<Document>(cx, query, budget, |document, mut row| {
                put(table, &mut row, "quote_currency", quote(&document));
                fold.add(&row);
            })
            .await
        }
        StatTable::InvoiceTaxes => {
            each::<Document>(cx, query, budget, |document, row| {
                for row in taxes(&document, row) {
                    fold.add(&row);
                }
            })
            .await
        }
        StatTable::Customers => each::<Customer>(cx, query, budget, |_, row| fold.add(&row)).await,
        StatTable::Items => each::<Item>(cx, query, budget, |_, row| fold.add(&row)).await,
        StatTable::Payments => payments(cx, entity, query, budget, fold).await,
    }
}

/// All rows of the query's table within its days, each with what it declares.
async fn each<A: Record>(
    cx: Context<'_>,
    query: &StatQuery,
    budget: &mut Budget,
    mut each: impl FnMut(A, Vec<StatValue>),
) -> Result<(), StoreError> {
    let table = stored(query.table);
    let (clauses, order) = narrowed(query, table);
    let take = |record: A| {
        let row = row(query.table, table, &record);
        each(record, row);
    };
    for_each(cx, table, clauses, order, budget, take).await
}

/// What a store can already leave out: other days, where days are declared, and rows that differ in
/// a declared text or flag.
fn narrowed(query: &StatQuery, table: &'static Table) -> (Vec<Clause>, &'static str) {
    let order = query.table.date_field();
    let mut clauses =
        if order == "date" { between(table, "date", query.from, query.to) } else { Vec::new() };
    for filter in &query.filters {
        let value = match &filter.condition {
            StatCondition::Equals(StatValue::Text(text)) => Value::Text(text.clone()),
            StatCondition::Equals(StatValue::Bool(value)) => Value::Bool(*value),
            _ => continue,
        };
        let is_plain = filter.field.fallback.is_none() && filter.field.name != "id";
        if is_plain && table.field(filter.field.name).is_some() {
            clauses.push(Clause::on(table, filter.field.name, Operator::Equals(value)));
        }
    }
    (clauses, order)
}

fn quote(document: &Document) -> StatValue {
    quote_of(document.content.exchange_rate.as_ref())
}

fn quote_of(rate: Option<&ExchangeRate>) -> StatValue {
    rate.map(|rate| rate.quote_currency.code()).into()
}

/// A row for each tax of an invoice, beside what the invoice says.
fn taxes(document: &Document, mut row: Vec<StatValue>) -> Vec<Vec<StatValue>> {
    let table = StatTable::InvoiceTaxes;
    put(table, &mut row, "invoice_id", document.id.to_string().into());
    put(table, &mut row, "quote_currency", quote(document));
    let each = document.amounts.taxes.iter().map(|tax| {
        let mut row = row.clone();
        put(table, &mut row, "rate", tax.tax.rate.clone().into());
        put(table, &mut row, "reverse_charge", tax.tax.reverse_charge.into());
        put(table, &mut row, "base", tax.tax.base.clone().into());
        put(table, &mut row, "tax_total", tax.tax.amount.clone().into());
        put(table, &mut row, "base_converted", tax.base_converted.clone().into());
        put(table, &mut row, "tax_total_converted", tax.amount_converted.clone().into());
        row
    });
    each.collect()
}

/// Payments, in the currencies of their documents, with what they come to by the rates of these.
async fn payments(
    cx: Context<'_>,
    entity: &Entity,
    query: &StatQuery,
    budget: &mut Budget,
    fold: &mut StatFold<'_>,
) -> Result<(), StoreError> {
    let mut all: Vec<(Payment, Vec<StatValue>)> = Vec::new();
    each::<Payment>(cx, query, budget, |payment, row| all.push((payment, row))).await?;
    for some in all.chunks_mut(AT_ONCE) {
        let paid = paid(cx, some.iter().map(|(payment, _)| payment)).await?;
        for (payment, row) in some {
            let document = paid_by(payment).and_then(|id| paid.get(&id));
            let mut say = |name, value| put(StatTable::Payments, row, name, value);
            if let Some((currency, rate)) = document {
                say("currency_code", currency.code().into());
                say("quote_currency", quote_of(rate.as_ref()));
                let rate = rate.as_ref().filter(|_| *currency != books(entity));
                say("amount_converted", rate.map(|rate| rate.convert(&payment.amount)).into());
            }
            fold.add(row);
        }
    }
    Ok(())
}

/// The document, or the expense, that a payment is on.
fn paid_by(payment: &Payment) -> Option<SettleableId> {
    let document = payment.invoice_id.or(payment.advance_invoice_id).or(payment.credit_note_id);
    let expense = payment.expense_id.map(SettleableId::Expense);
    document.map(SettleableId::Document).or(expense)
}

/// The currency of a document, and its rate of exchange.
type Money = (Currency, Option<ExchangeRate>);

/// The currencies and the rates of the documents of `payments`.
async fn paid(
    cx: Context<'_>,
    payments: impl Iterator<Item = &Payment>,
) -> Result<BTreeMap<SettleableId, Money>, StoreError> {
    let (mut documents, mut expenses): (Vec<DocumentId>, Vec<String>) = (Vec::new(), Vec::new());
    for payment in payments {
        match paid_by(payment) {
            Some(SettleableId::Document(id)) => documents.push(id),
            Some(SettleableId::Expense(id)) => expenses.push(id.to_string()),
            None => {}
        }
    }
    let mut paid = BTreeMap::new();
    for document in get_documents(cx.store, cx.scope, documents.into_iter()).await? {
        let content = document.content;
        paid.insert(SettleableId::from(document.id), (content.currency, content.exchange_rate));
    }
    if !expenses.is_empty() {
        let found: Vec<Expense> = cx.store.get_all(&EXPENSES, &cx.tenant(), &expenses).await?;
        for expense in found {
            let content = expense.content;
            paid.insert(SettleableId::from(expense.id), (content.currency, content.exchange_rate));
        }
    }
    Ok(paid)
}
