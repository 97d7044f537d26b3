//! What came to closed days: which of them may have changed, and what closings covered of them.
//!
//! A change of a day leaves a trace on the row that changed: its date, the dates that it had before
//! ([`racun_documents::Version`], [`Payment::dated`]), and when it was voided. So the rows that
//! changed since the last closing name all days that may have, and no other report is drawn up.

use std::collections::BTreeSet;

use racun_access::Entity;
use racun_documents::VERSIONS;
use racun_kernel::calendar;
use racun_pos::{CLOSINGS, CarriedDay, CarriedOver, ClosedDay, ClosedPlace, Closing};
use racun_sales::documents::zone;
use racun_settlement::{PAYMENTS, Payment};
use racun_store::{
    Clause, Context, FieldKind, ListQuery, Operator, Order, Part, Record, StoreError, Table, Tally,
    TallyRow, Value,
};
use time::{Date, Duration, OffsetDateTime};

use super::questions::{ADVANCES, CREDIT_NOTES, INVOICES};
use super::{Filter, of_day};

/// How long after its time a change may be committed: a unit's time is that of its request, and
/// none takes as long. What changed within it before a closing is looked at again.
const LATEST_COMMIT: Duration = Duration::HOUR;
/// Rows that are read at once.
const PAGE: usize = 200;

/// The last closing of `place`.
pub(crate) async fn last(
    cx: Context<'_>,
    place: &ClosedPlace,
) -> Result<Option<Closing>, StoreError> {
    let query = ListQuery {
        limit: 1,
        order: vec![Order::on(&CLOSINGS, "number", true)],
        ..of_place(place)
    };
    let page = cx.page(&CLOSINGS, &query).await?;
    Ok(page.rows.into_iter().next())
}

/// The closed days of the place of `last`, its last closing, that may have changed since then, as
/// they are now.
pub(crate) async fn days(
    cx: Context<'_>,
    entity: &Entity,
    last: &Closing,
) -> Result<Vec<ClosedDay>, StoreError> {
    let changed = changed(cx, entity, last).await?;
    let closings = closings_of(cx, &last.place, &changed).await?;
    let carried = carried_since(cx, &closings).await?;
    let filter = Filter { place: last.place.clone(), ..Filter::default() };
    let mut days = Vec::with_capacity(closings.len());
    for closing in closings {
        let now = of_day(cx, entity, closing.date, &filter, None).await?;
        let of_the_day = |day: &&CarriedDay| day.date == closing.date;
        let carried = carried.iter().filter(of_the_day).cloned().collect();
        days.push(ClosedDay { closing, carried, now });
    }
    Ok(days)
}

/// The days that may have changed since the closing `last`.
async fn changed(
    cx: Context<'_>,
    entity: &Entity,
    last: &Closing,
) -> Result<BTreeSet<Date>, StoreError> {
    let since = last.closed_at.min(cx.now()).saturating_sub(LATEST_COMMIT);
    let dates = |table, field, path: &[&'static [&'static str]]| Tally {
        by: path.iter().map(|path| Part::Body(path, FieldKind::Text)).collect(),
        ..Tally::of(table).only(field, Operator::Gte(since.into()))
    };
    let of_documents = [INVOICES, CREDIT_NOTES, ADVANCES]
        .map(|table| dates(table, "updated_at", &[&["content", "date"]]));
    let before = dates(&VERSIONS, "created_at", &[&["before", "content", "date"]]);
    let of_payments =
        dates(&PAYMENTS, "updated_at", &[&["date"], &["dated", "first"], &["dated", "last"]]);
    let mut asked = of_documents.to_vec();
    asked.extend([before, of_payments]);
    let mut answers = cx.store.tallies(&cx.tenant(), &asked).await?;
    let payments = answers.pop().unwrap_or_default();

    let mut days: BTreeSet<Date> =
        answers.iter().flatten().filter_map(|row| date(row, 0)).collect();
    for row in &payments {
        days.extend(date(row, 0));
        days.extend(date(row, 1).into_iter().flat_map(|first| between(first, date(row, 2))));
    }
    for payment in trashed(cx, since).await? {
        days.insert(payment.date);
        days.extend(payment.dated.into_iter().flat_map(|it| between(it.first, Some(it.last))));
    }
    // What was voided shows on the day of its voiding.
    let day = |instant: OffsetDateTime| {
        calendar::local_date(instant, zone(entity)).unwrap_or_else(|| instant.date())
    };
    days.extend(between(day(since), Some(day(cx.now()))));
    Ok(days)
}

/// The payments that went to the trash since then.
async fn trashed(cx: Context<'_>, since: OffsetDateTime) -> Result<Vec<Payment>, StoreError> {
    let clause = Clause::on(&PAYMENTS, "updated_at", Operator::Gte(since.into()));
    let query = ListQuery { trash: true, clauses: vec![clause], ..ordered(&PAYMENTS, "id") };
    let id = |payment: &Payment| payment.id.to_string().into();
    let mut payments = Vec::new();
    each_page(cx, &PAYMENTS, query, ("id", id), |page| payments.extend(page)).await?;
    Ok(payments)
}

/// The closings of `days` at `place`.
async fn closings_of(
    cx: Context<'_>,
    place: &ClosedPlace,
    days: &BTreeSet<Date>,
) -> Result<Vec<Closing>, StoreError> {
    let keys: Vec<Value> = days.iter().map(|day| place.day_key(*day).into()).collect();
    let mut closings = Vec::new();
    for keys in keys.chunks(PAGE) {
        let clause = Clause::on(&CLOSINGS, "day_key", Operator::In(keys.to_vec()));
        let query =
            ListQuery { limit: PAGE, clauses: vec![clause], ..ordered(&CLOSINGS, "number") };
        closings.extend(cx.page::<Closing>(&CLOSINGS, &query).await?.rows);
    }
    Ok(closings)
}

/// What closings after the first of `closings` carried over.
async fn carried_since(
    cx: Context<'_>,
    closings: &[Closing],
) -> Result<Vec<CarriedDay>, StoreError> {
    let Some(first) = closings.iter().min_by_key(|closing| closing.number) else {
        return Ok(Vec::new());
    };
    let mut query = of_place(&first.place);
    query.clauses.push(Clause::on(&CLOSINGS, "number", Operator::Gt(first.number.into())));
    let number = |closing: &Closing| closing.number.into();
    let mut carried = Vec::new();
    each_page(cx, &CLOSINGS, query, ("number", number), |page: Vec<Closing>| {
        let of_pages = page.into_iter().filter_map(|closing| closing.carried_over);
        carried.extend(of_pages.flat_map(CarriedOver::into_days));
    })
    .await?;
    Ok(carried)
}

/// Hands all rows of `query` to `take`, which is ordered by the field `by` that no two share.
async fn each_page<A: Record>(
    cx: Context<'_>,
    table: &'static Table,
    query: ListQuery,
    by: (&str, fn(&A) -> Value),
    mut take: impl FnMut(Vec<A>) + Send,
) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let mut query = query.clone();
        query.clauses.extend(after.take().map(|key| Clause::on(table, by.0, Operator::Gt(key))));
        let rows = cx.page::<A>(table, &query).await?.rows;
        after = rows.last().filter(|_| rows.len() == PAGE).map(by.1);
        take(rows);
        if after.is_none() {
            return Ok(());
        }
    }
}

/// The rows of `table`, the smallest of `field` first.
fn ordered(table: &'static Table, field: &str) -> ListQuery {
    let order = vec![Order::on(table, field, false)];
    ListQuery { limit: PAGE, count: false, order, ..ListQuery::first_page(table) }
}

fn of_place(place: &ClosedPlace) -> ListQuery {
    let clause = Clause::on(&CLOSINGS, "place_key", Operator::Equals(place.key().into()));
    ListQuery { clauses: vec![clause], ..ordered(&CLOSINGS, "number") }
}

fn date(row: &TallyRow, place: usize) -> Option<Date> {
    let text = row.by.get(place)?.as_text()?;
    calendar::parse_date(&text).ok()
}

/// All days from `first` to `last`, or to `first` when there is none.
fn between(first: Date, last: Option<Date>) -> impl Iterator<Item = Date> {
    let last = last.unwrap_or(first);
    std::iter::successors(Some(first), |day| day.next_day()).take_while(move |day| *day <= last)
}
