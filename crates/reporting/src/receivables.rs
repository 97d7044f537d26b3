//! What customers owe.

use std::collections::{BTreeMap, BTreeSet};

use racun_access::Entity;
use racun_catalog::{CUSTOMERS, Customer};
use racun_documents::{Document, DocumentKind, Stage, table_of};
use racun_insights::{Aging, Movement, MovementKind, Statement};
use racun_kernel::{Currency, Issue, PaymentType};
use racun_records::where_in;
use racun_sales::documents::today;
use racun_settlement::{PAYMENTS, Payment};
use racun_store::{Clause, Context, Operator, StoreError, Value};
use time::{Date, OffsetDateTime};

use crate::ReportError;
use crate::days::{Budget, for_each};
use crate::facts::open_item;

/// Ids that one question about payments names.
const AT_ONCE: usize = 100;

/// What is owed on `date`, or today: all invoices that are open now, by how late they are then.
///
/// # Errors
/// When the store fails.
pub async fn aging(
    cx: Context<'_>,
    entity: &Entity,
    date: Option<Date>,
) -> Result<Aging, ReportError> {
    let table = table_of(DocumentKind::Invoice);
    let clauses = ["is_draft", "paid_in_full"]
        .map(|field| Clause::on(table, field, Operator::Equals(false.into())));
    let mut items = Vec::new();
    let each = |one: Document| items.extend(open_item(&one, entity.currency));
    for_each(cx, table, clauses.to_vec(), "date", &mut Budget::new(), each).await?;
    Ok(Aging::of(items, date.unwrap_or_else(|| today(entity, cx.stamp))))
}

/// A customer's account in one currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerStatement {
    /// The customer.
    pub customer: Customer,
    /// The currency: documents in others are not in it.
    pub currency: Currency,
    /// Other currencies in which the customer has documents.
    pub other_currencies: Vec<String>,
    /// The account.
    pub statement: Statement,
}

/// The statement of the customer `id` over `from` to `to` in `currency`, or the entity's.
///
/// Invoices and credit notes that are issued and not voided count by their dates, money by the
/// day on which it moved. What an advance invoice took is owed to the customer in goods, not in
/// money, so it counts on the day on which an invoice takes it: the date of an invoice that took it
/// when it was issued, and otherwise the day of the link. A settlement by a credit note moves
/// nothing: the credit note itself counts. Money that is dated before its document counts on its
/// own day, so that what is owed at the end of a day is what is owed before the next one.
///
/// # Errors
/// A customer that there is not; days in the wrong order; the store's failure.
pub async fn statement(
    cx: Context<'_>,
    entity: &Entity,
    id: &str,
    (from, to): (Date, Date),
    currency: Option<Currency>,
) -> Result<CustomerStatement, ReportError> {
    if to < from {
        let message = "must not be before date_from";
        return Err(Issue::new("invalid_period", message).at("date_to").into());
    }
    let found: Option<Customer> = cx.store.get(&CUSTOMERS, &cx.tenant(), id).await?;
    let customer = found.ok_or_else(|| ReportError::NotFound(id.to_owned()))?;
    let currency = currency.unwrap_or(entity.currency);
    let mut budget = Budget::new();
    let (mut movements, mut others) = (Vec::new(), Vec::new());
    for (kind, field) in
        [(DocumentKind::Invoice, "invoice_id"), (DocumentKind::CreditNote, "credit_note_id")]
    {
        let table = table_of(kind);
        // Also those that are dated later: money may be dated before its document.
        let clauses = vec![
            Clause::on(table, "is_draft", Operator::Equals(false.into())),
            Clause::on(table, "customer_id", Operator::Equals(id.into())),
        ];
        let mut issued = BTreeMap::new();
        let each = |document: Document| {
            let code = document.content.currency;
            if code == currency {
                movements.extend(moved(&document));
                let at = issued_at(&document);
                issued.insert(document.id.to_string(), (document.content.date, at));
            } else if !others.iter().any(|other| other == code.code()) {
                others.push(code.code().to_owned());
            }
        };
        for_each(cx, table, clauses, "date", &mut budget, each).await?;
        let ids: Vec<String> = issued.keys().cloned().collect();
        for ids in ids.chunks(AT_ONCE) {
            let mut payments: Vec<Payment> = Vec::new();
            let clauses = vec![where_in(&PAYMENTS, field, ids)];
            let each = |payment| payments.push(payment);
            for_each(cx, &PAYMENTS, clauses, "date", &mut budget, each).await?;
            let ahead = paid_ahead(cx, &payments, &mut budget).await?;
            movements.extend(payments.iter().filter_map(|payment| {
                let date = counted_on(payment, &issued, &ahead);
                paid(payment, date, kind)
            }));
        }
    }
    others.sort();
    let statement = Statement::of(from, to, movements);
    Ok(CustomerStatement { customer, currency, other_currencies: others, statement })
}

/// The date of an issued document, and when it was issued.
type IssuedOn = (Date, Option<OffsetDateTime>);

/// When `document` was issued.
fn issued_at(document: &Document) -> Option<OffsetDateTime> {
    match &document.stage {
        Stage::Draft => None,
        Stage::Issued(issued) | Stage::Voided(issued, _) => Some(issued.at),
    }
}

/// The days on which the last money came in of the advance invoices that `payments` take from.
async fn paid_ahead(
    cx: Context<'_>,
    payments: &[Payment],
    budget: &mut Budget,
) -> Result<BTreeMap<String, Date>, StoreError> {
    let taken = payments.iter().filter(|payment| payment.is_allocation());
    let advances: BTreeSet<String> =
        taken.filter_map(|payment| payment.advance_invoice_id.clone()).collect();
    let advances: Vec<String> = advances.into_iter().collect();
    let mut days = BTreeMap::new();
    for ids in advances.chunks(AT_ONCE) {
        let clauses = vec![
            where_in(&PAYMENTS, "advance_invoice_id", ids),
            Clause::on(&PAYMENTS, "invoice_id", Operator::Equals(Value::Null)),
        ];
        // In the order of their dates, so that the last one stays.
        let each = |money: Payment| {
            days.extend(money.advance_invoice_id.map(|advance| (advance, money.date)));
        };
        for_each(cx, &PAYMENTS, clauses, "date", budget, each).await?;
    }
    Ok(days)
}

/// The day on which `payment` counts. What an invoice took of an advance when it was issued counts
/// on the invoice's date, but never before the money of the advance, which `ahead` knows; it is
/// kept under the day of the issue, for tax authorities are told of that.
fn counted_on(
    payment: &Payment,
    issued: &BTreeMap<String, IssuedOn>,
    ahead: &BTreeMap<String, Date>,
) -> Date {
    let advance = payment.advance_invoice_id.as_ref().filter(|_| payment.is_allocation());
    let invoice = payment.invoice_id.as_ref().and_then(|invoice| issued.get(invoice));
    match advance.zip(invoice) {
        Some((advance, (date, at))) if *at == Some(payment.created_at) => {
            ahead.get(advance).map_or(*date, |money| *money.max(date))
        }
        _ => payment.date,
    }
}

/// What a document adds to what is owed. One that is voided and was not credited adds nothing.
fn moved(document: &Document) -> Option<Movement> {
    let is_credit = document.id.kind() == DocumentKind::CreditNote;
    let ended = document.voided_at().is_some() && !document.amounts.total_credited.is_positive();
    if ended {
        return None;
    }
    let total = &document.amounts.total_with_tax;
    Some(Movement {
        date: document.content.date,
        kind: if is_credit { MovementKind::CreditNote } else { MovementKind::Invoice },
        id: document.id.to_string(),
        reference: Some(document.number()),
        amount: if is_credit { -total } else { total.clone() },
    })
}

/// What a payment that counts on `date` takes off what is owed, or gives back of it; `None` where
/// no money moved.
fn paid(payment: &Payment, date: Date, on: DocumentKind) -> Option<Movement> {
    let is_settlement = matches!(payment.kind, PaymentType::CreditNote);
    if is_settlement {
        return None;
    }
    let is_refund = on == DocumentKind::CreditNote;
    Some(Movement {
        date,
        kind: if is_refund { MovementKind::Refund } else { MovementKind::Payment },
        id: payment.id.to_string(),
        reference: payment.reference.clone(),
        amount: if is_refund { payment.amount.clone() } else { -&payment.amount },
    })
}
