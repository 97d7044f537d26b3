//! Use cases on expenses: gather what a request names, decide purely, commit once.
//!
//! | Module     | Owns                                                                    |
//! | ---------- | ----------------------------------------------------------------------- |
//! | `request`  | what a caller asks for, in plain values                                 |
//! | `compose`  | from request and reads to an expense's content                          |
//! | `items`    | the same for items                                                      |
//! | `amounts`  | totals, calculated of the items or kept as given                        |
//! | `supplier` | the supplier as frozen, and what of it is kept in the catalogue         |

mod amounts;
mod compose;
mod items;
mod request;
mod supplier;

use racun_access::Entity;
use racun_documents::DocumentError;
use racun_kernel::id::ExpenseId;
use racun_kernel::{
    Clause, Context, Decision, Event, Issues, ListQuery, Load, Operator, Page, Put, RawQuery,
    Scope, Stamp, StoreError, Value, Writes,
};
use racun_settlement::{EXPENSES, Expense, NewPayment, Outcome, PaymentWrite, Settlement};
use time::Date;

pub use request::{
    ExpenseCreation, ExpenseLineRequest, ExpenseRequest, SupplierPatch, TotalsRequest,
};

use crate::documents::{expense_numbering, in_payments, today};
use crate::error::Error;
use crate::settling::events;
use compose::{Composition, blank, compose, gather};

/// Expenses with one number of a supplier's document that are looked at, of whichever supplier.
const MAX_DUPLICATES: usize = 100;

/// Makes an expense: a draft, or entered in the books at once with the next number of its sequence.
///
/// In the same commit its supplier and items are kept in the catalogue where the request says so,
/// and its payments are recorded.
///
/// # Errors
/// All that is wrong with the request, what an expense in the books cannot be without, a total too
/// far from the expected one, payments that are refused, or the store's failure. Nothing is then
/// written.
pub async fn create(
    cx: Context<'_>,
    entity: &Entity,
    request: ExpenseRequest,
    creation: ExpenseCreation,
) -> Result<Expense, Error> {
    let gathered = gather(cx.store, entity, &request, None, cx.stamp).await?;
    let Composition { content, savings } =
        compose(blank(entity), &request, creation.custom, &gathered, cx.stamp)?;
    let draft = Expense::draft(entity.id, content, cx.stamp)?;
    let (today, scope, stamp) = (gathered.today, cx.scope.clone(), cx.stamp.clone());
    let date = draft.content.date.unwrap_or(today);
    let numbering = if creation.is_draft { None } else { Some(expense_numbering(entity, date)?) };
    let (series, format) = numbering.unzip();
    cx.store
        .decide(savings.loads(scope.tenant()), series, move |loaded| {
            let mut told = vec!["created"];
            let expense = match (format, loaded.number) {
                (Some(format), Some(sequence)) => {
                    told.push("finalized");
                    draft.finalize(Some(format.format(date, sequence, None)), &stamp)?
                }
                _ => draft,
            };
            let (expense, paid) = pay(expense, creation.payments, today, &stamp)?;
            let mut writes = Writes { puts: vec![Put::insert(&expense)], ..Writes::default() };
            writes.takes_number = !expense.is_draft();
            writes.events.extend(happened(&expense, &told, &scope, &stamp));
            writes.puts.extend(paid.writes.iter().map(PaymentWrite::put));
            writes.events.extend(events(&paid, &scope, &stamp));
            savings.write(loaded.rows.first(), &mut writes, &scope, &stamp)?;
            Ok((expense, writes))
        })
        .await
}

/// Pays a new `expense` with what it is made with.
fn pay(
    expense: Expense,
    payments: Vec<NewPayment>,
    today: Date,
    stamp: &Stamp,
) -> Result<(Expense, Outcome), Error> {
    let settlement = Settlement {
        entity_id: expense.entity_id,
        today,
        documents: vec![expense.settleable()],
        allocations: Vec::new(),
        links: Vec::new(),
    };
    let id = expense.id.to_string();
    let outcome = settlement.cover(&id, payments, stamp).map_err(in_payments)?;
    let paid = outcome.documents.first().map(|after| after.total_paid.clone());
    let expense = match paid {
        Some(total) => expense.paid(total, stamp),
        None => expense,
    };
    Ok((expense, outcome))
}

fn happened(expense: &Expense, what: &[&str], scope: &Scope, stamp: &Stamp) -> Vec<Event> {
    let actor = scope.principal().id();
    what.iter().filter_map(|what| expense.event(what, &actor, stamp)).collect()
}

/// Changes a draft, or an expense in the books that is not voided.
///
/// Items that are sent replace all there were and are calculated; an empty list leaves totals only.
/// Totals that are sent for an expense without calculated items replace those that it has.
///
/// # Errors
/// [`StoreError::NotFound`], what is wrong with the request, a voided expense, or more paid than it
/// would come to.
pub async fn update(
    cx: Context<'_>,
    entity: &Entity,
    id: ExpenseId,
    request: ExpenseRequest,
) -> Result<Expense, Error> {
    let seen = get(cx, id).await?;
    let gathered = gather(cx.store, entity, &request, Some(&seen.content), cx.stamp).await?;
    let (scope, stamp) = (cx.scope.clone(), cx.stamp.clone());
    let mut loads = vec![load(&scope, id)];
    loads.extend(gathered.supplier_load(&request, scope.tenant()));
    cx.store
        .decide(loads, None, move |loaded| {
            let mut rows = loaded.rows.into_iter();
            let row = rows.next().unwrap_or_default().into_iter().next();
            let before = live(row.map(|row| row.read(&EXPENSES)).transpose()?, id)?;
            let Composition { content, savings } =
                compose(before.content.clone(), &request, false, &gathered, &stamp)?;
            let after = before.clone().update(content, &stamp)?;
            let mut writes = Writes::default();
            if after != before {
                writes.puts.push(Put::update(&before, &after));
                writes.events.extend(happened(&after, &["updated"], &scope, &stamp));
            }
            savings.write(rows.next().as_ref(), &mut writes, &scope, &stamp)?;
            Ok((after, writes))
        })
        .await
}

/// Enters a draft in the books: gives it the next number of its sequence.
///
/// # Errors
/// [`StoreError::NotFound`], what the draft misses, an expense that is no draft, or
/// [`DocumentError::ChangedMeanwhile`] when somebody moved the draft to another sequence.
pub async fn finalize(cx: Context<'_>, entity: &Entity, id: ExpenseId) -> Result<Expense, Error> {
    let date = get(cx, id).await?.content.date;
    // A draft without a date is refused below, with all else that it misses.
    let day = date.unwrap_or_else(|| today(entity, cx.stamp));
    let (series, format) = expense_numbering(entity, day)?;
    let (scope, stamp) = (cx.scope.clone(), cx.stamp.clone());
    cx.store
        .decide(vec![load(&scope, id)], Some(series), move |loaded| {
            let row = loaded.rows.into_iter().flatten().next();
            let before = live(row.map(|row| row.read(&EXPENSES)).transpose()?, id)?;
            if before.content.date != date {
                return Err(DocumentError::ChangedMeanwhile.into());
            }
            let number = loaded.number.map(|sequence| format.format(day, sequence, None));
            let after = before.clone().finalize(number, &stamp)?;
            let puts = vec![Put::update(&before, &after)];
            let events = happened(&after, &["finalized"], &scope, &stamp);
            Ok((after, Writes { puts, events, takes_number: true }))
        })
        .await
}

/// Declares an expense in the books void. Its number stays taken, its payments stay.
///
/// # Errors
/// [`StoreError::NotFound`], or what its stage refuses.
pub async fn void(cx: Context<'_>, id: ExpenseId) -> Result<Expense, Error> {
    let at = cx.stamp.clone();
    change(cx, id, "voided", move |expense| Ok(expense.void(&at)?)).await
}

/// Deletes a draft.
///
/// # Errors
/// [`StoreError::NotFound`], or an expense that is no draft.
pub async fn delete(cx: Context<'_>, id: ExpenseId) -> Result<Expense, Error> {
    let at = cx.stamp.clone();
    change(cx, id, "deleted", move |expense| Ok(expense.delete(&at)?)).await
}

async fn change(
    cx: Context<'_>,
    id: ExpenseId,
    what: &'static str,
    transition: impl FnOnce(Expense) -> Result<Expense, Error> + Send + 'static,
) -> Result<Expense, Error> {
    let (tenant, scope, stamp) = (cx.scope.tenant(), cx.scope.clone(), cx.stamp.clone());
    let decide = move |before: Expense| {
        let after = transition(live(Some(before), id)?)?;
        let events = happened(&after, &[what], &scope, &stamp);
        Ok(Decision::changed(after, events))
    };
    cx.store.amend(&EXPENSES, &tenant, id.to_string(), decide).await
}

/// The expense `id`.
///
/// # Errors
/// [`StoreError::NotFound`], also for deleted drafts.
pub async fn get(cx: Context<'_>, id: ExpenseId) -> Result<Expense, Error> {
    live(cx.store.get(&EXPENSES, &cx.tenant(), &id.to_string()).await?, id)
}

/// That the supplier's document of `expense` is in the books already: as the first of the others
/// that have its number, and are not voided.
///
/// # Errors
/// When the store fails.
pub async fn warnings(cx: Context<'_>, expense: &Expense) -> Result<Issues, StoreError> {
    let number = expense.content.supplier_document_number.as_ref();
    let Some(number) = number.filter(|number| !number.is_empty()) else {
        return Ok(Issues::default());
    };
    let clause = |field, operator| Clause::on(&EXPENSES, field, operator);
    let query = ListQuery {
        limit: MAX_DUPLICATES,
        count: false,
        clauses: vec![
            clause("supplier_document_number", Operator::Equals(number.into())),
            clause("voided_at", Operator::Equals(Value::Null)),
        ],
        ..ListQuery::first_page(&EXPENSES)
    };
    let same: Vec<Expense> = cx.store.page(&EXPENSES, &cx.tenant(), &query).await?.rows;
    let others = same.into_iter().filter(|other| {
        other.id != expense.id && other.deleted_at.is_none() && expense.has_supplier_of(other)
    });
    let first = others.min_by_key(|other| (other.created_at, other.id));
    Ok(first.map(|first| expense.duplicate_of(&first).into()).unwrap_or_default())
}

/// The page of expenses that `raw` asks for.
///
/// # Errors
/// What in `raw` cannot be understood, or the store's failure.
pub async fn list(cx: Context<'_>, raw: &RawQuery) -> Result<Page<Expense>, Error> {
    let query = ListQuery::parse(&EXPENSES, raw)?;
    Ok(cx.store.page(&EXPENSES, &cx.tenant(), &query).await?)
}

fn load(scope: &Scope, id: ExpenseId) -> Load {
    Load::One { table: &EXPENSES, tenant: scope.tenant(), id: id.to_string() }
}

/// An expense that is there and not deleted.
fn live(found: Option<Expense>, id: ExpenseId) -> Result<Expense, Error> {
    let live = found.filter(|expense| expense.deleted_at.is_none());
    live.ok_or_else(|| StoreError::NotFound { id: id.to_string() }.into())
}
