//! Use cases on expenses: gather what a request names, decide purely, commit once.
//!
//! | Module     | Owns                                                                    |
//! | ---------- | ----------------------------------------------------------------------- |
//! | `request`  | what a caller asks for, in plain values                                 |
//! | `gather`   | the reads: supplier, items, taxes, categories, rate                     |
//! | `compose`  | from request and reads to an expense's content                          |
//! | `items`    | the same for items                                                      |
//! | `amounts`  | whether totals are calculated of the items or kept as given             |
//! | `supplier` | the supplier as frozen, and what of it is kept in the catalogue         |
//! | `import`   | drafts of received electronic invoices                                  |

mod amounts;
mod compose;
mod gather;
mod import;
mod items;
mod request;
mod supplier;

use compose::{Composition, compose};
use gather::gather;
pub use import::{ImportError, ReceivedFile, import};
use racun_access::Entity;
use racun_documents::DocumentError;
use racun_documents::events::expense as events;
use racun_documents::expense::{EXPENSES, Expense, ExpenseContent};
use racun_documents::recognition::{self, RecognitionSide, changes as recognition_changes};
use racun_kernel::id::ExpenseId;
use racun_kernel::{Issues, Stamp};
use racun_settlement::{NewPayment, PaymentWrite, Settlement, SettlementOutcome};
use racun_store::{
    Actor, Clause, Context, Decision, Event, EventKind, ListQuery, Operator, Page, Put, RawQuery,
    StoreError, Value, Writes,
};
pub use request::{
    ExpenseCreation, ExpenseLineRequest, ExpenseRequest, SupplierPatch, TotalsRequest,
};
use time::Date;

use crate::documents::rates;
use crate::documents::{archived_of_items, expense_numbering, in_payments, today};
use crate::error::Error;
use crate::recognition::{HeldEntries, default_of};
use crate::settling::{events, settleable_expense};

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
    let Composition { content, catalogue } = compose(
        ExpenseContent::blank(entity.currency),
        &request,
        creation.custom,
        &gathered,
        cx.stamp,
    )?;
    let draft = Expense::draft(entity.id, content, cx.stamp)?;
    let today = gathered.today;
    let recognition = default_of(entity, RecognitionSide::Expense);
    let date = draft.content.date.unwrap_or(today);
    let numbering = if creation.is_draft { None } else { Some(expense_numbering(entity, date)?) };
    let mut unit = cx.unit();
    let supplier = catalogue.hold(&mut unit);
    let numbering = numbering.map(|(series, format)| (unit.number(series), format));
    unit.decide(move |held| {
        let actor = held.actor();
        let mut told = vec![events::CREATED];
        let expense = match numbering {
            Some((number, format)) => {
                told.push(events::FINALIZED);
                let number = format.format(date, held.number(&number)?, None);
                draft.finalize(Some(number), actor.stamp())?
            }
            None => draft,
        };
        let (expense, paid) = pay(expense, creation.payments, today, actor.stamp())?;
        let mut writes =
            Writes::default().insert(&expense).events(happened(&expense, &told, actor));
        writes.takes_number = !expense.is_draft();
        let writes = writes.puts(paid.writes.iter().map(PaymentWrite::put));
        let entries = expense.recognition(recognition, actor.stamp());
        let writes = writes.puts(entries.iter().map(Put::insert));
        let saved = catalogue.writes(held.find(supplier)?, actor);
        Ok((expense, writes.events(events(&paid, actor)).and(saved)))
    })
    .await
}

/// Pays a new `expense` with what it is made with.
fn pay(
    expense: Expense,
    payments: Vec<NewPayment>,
    today: Date,
    stamp: &Stamp,
) -> Result<(Expense, SettlementOutcome), Error> {
    let settlement = Settlement {
        entity_id: expense.entity_id,
        today,
        documents: vec![settleable_expense(&expense)],
        allocations: Vec::new(),
        links: Vec::new(),
    };
    let outcome = settlement.cover(expense.id.into(), payments, stamp).map_err(in_payments)?;
    let paid = outcome.documents.first().map(|after| after.total_paid.clone());
    let expense = match paid {
        Some(total) => expense.paid(total, stamp),
        None => expense,
    };
    Ok((expense, outcome))
}

fn happened(expense: &Expense, what: &[EventKind], actor: &Actor) -> Vec<Event> {
    what.iter().map(|what| actor.event(*what, expense.id)).collect()
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
    let mut unit = cx.unit();
    let expense = unit.hold(&EXPENSES, id);
    let supplier = gathered.hold_supplier(&request, &mut unit);
    let entries = HeldEntries::of_expense(&mut unit, id);
    let recognition = default_of(entity, RecognitionSide::Expense);
    unit.decide(move |held| {
        let (before, actor) = (live(held.one(expense)?)?, held.actor());
        let Composition { content, catalogue } =
            compose(before.content.clone(), &request, false, &gathered, actor.stamp())?;
        let after = before.clone().update(content, actor.stamp())?;
        let mut writes = Writes::default();
        if after != before {
            settleable_expense(&after).must_hold_what_is_paid()?;
            let updated = happened(&after, &[events::UPDATED], actor);
            writes = writes.update(&before, &after).events(updated);
            let own = entries.read(held)?;
            let new = after.recognition(recognition.or_of(&own), actor.stamp());
            writes = writes.puts(recognition_changes(&own, new));
        }
        let saved = catalogue.writes(held.find(supplier)?, actor);
        Ok((after, writes.and(saved)))
    })
    .await
}

/// Enters a draft in the books: gives it the next number of its sequence.
///
/// # Errors
/// [`StoreError::NotFound`], what the draft misses, an expense that is no draft, or
/// [`DocumentError::ChangedMeanwhile`] when another request moved the draft to another sequence.
pub async fn finalize(cx: Context<'_>, entity: &Entity, id: ExpenseId) -> Result<Expense, Error> {
    let date = get(cx, id).await?.content.date;
    // A draft without a date is refused below, with all else that it misses.
    let day = date.unwrap_or_else(|| today(entity, cx.stamp));
    let (series, format) = expense_numbering(entity, day)?;
    let mut unit = cx.unit();
    let (expense, number) = (unit.hold(&EXPENSES, id), unit.number(series));
    let recognition = default_of(entity, RecognitionSide::Expense);
    unit.decide(move |held| {
        let (before, actor) = (live(held.one(expense)?)?, held.actor());
        if before.content.date != date {
            return Err(DocumentError::ChangedMeanwhile.into());
        }
        let number = format.format(day, held.number(&number)?, None);
        let after = before.clone().finalize(Some(number), actor.stamp())?;
        let finalized = happened(&after, &[events::FINALIZED], actor);
        let entries = after.recognition(recognition, actor.stamp());
        let writes = Writes::default().update(&before, &after).events(finalized);
        let writes = writes.puts(entries.iter().map(Put::insert));
        Ok((after, writes.taking_number()))
    })
    .await
}

/// Declares an expense in the books void. Its number stays taken, its payments stay.
///
/// # Errors
/// [`StoreError::NotFound`], or what its stage refuses.
pub async fn void(cx: Context<'_>, entity: &Entity, id: ExpenseId) -> Result<Expense, Error> {
    let today = today(entity, cx.stamp);
    let mut unit = cx.unit();
    let expense = unit.hold(&EXPENSES, id);
    let entries = HeldEntries::of_expense(&mut unit, id);
    unit.decide(move |held| {
        let (entries, stamp) = (entries.read(held)?, held.actor().stamp());
        let ended = recognition::ended(&entries, today, stamp);
        held.amend(expense, |before: Expense| {
            let after = live(before)?.void(stamp)?;
            let voided = happened(&after, &[events::VOIDED], held.actor());
            Ok(Decision::Changed { record: after, beside: ended, events: voided })
        })
    })
    .await
}

/// Deletes a draft.
///
/// # Errors
/// [`StoreError::NotFound`], or an expense that is no draft.
pub async fn delete(cx: Context<'_>, id: ExpenseId) -> Result<Expense, Error> {
    let decide = |before: Expense, actor: &Actor| {
        let after = live(before)?.delete(actor.stamp())?;
        let events = happened(&after, &[events::DELETED], actor);
        Ok(Decision::changed(after, events))
    };
    cx.amend(&EXPENSES, id, decide).await
}

/// The expense `id`.
///
/// # Errors
/// [`StoreError::NotFound`], also for deleted drafts.
pub async fn get(cx: Context<'_>, id: ExpenseId) -> Result<Expense, Error> {
    live(cx.one(&EXPENSES, id).await?)
}

/// What is odd about `expense` beside other records: that its supplier's document is in the books
/// already, as the first of the others that have its number and are not voided; lines without a
/// category, because that of their item is archived; and another currency without a rate.
///
/// # Errors
/// When the store fails.
pub async fn warnings(cx: Context<'_>, expense: &Expense) -> Result<Issues, StoreError> {
    let lines = expense.content.items.iter();
    let lines = lines.map(|item| (item.item_id, item.financial_category_id));
    let mut found = archived_of_items(cx, lines).await?;
    found.extend_elsewhere(&duplicates(cx, expense).await?);
    let content = &expense.content;
    let rate = content.exchange_rate.as_ref();
    let missing = rates::missing(cx, expense.entity_id, content.currency, rate).await?;
    found.extend_elsewhere(&missing);
    Ok(found)
}

async fn duplicates(cx: Context<'_>, expense: &Expense) -> Result<Issues, StoreError> {
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
    let same: Vec<Expense> = cx.page(&EXPENSES, &query).await?.rows;
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
    Ok(cx.page(&EXPENSES, &query).await?)
}

/// The expense, unless it is deleted.
fn live(expense: Expense) -> Result<Expense, Error> {
    match expense.deleted_at {
        None => Ok(expense),
        Some(_) => Err(StoreError::NotFound { id: expense.id.to_string() }.into()),
    }
}
