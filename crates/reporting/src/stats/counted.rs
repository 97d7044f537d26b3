//! Queries as figures that stores count.
//!
//! A month, a year or an age is no value of a row: rows are counted for each such bucket, between
//! its days, all of them in one reading. A sum of converted amounts that falls back is two figures:
//! of what was converted, and of what was not.

use racun_insights::{
    Derived, Group, Measure, Partial, StatCondition, StatField, StatFold, StatQuery, StatTable,
    StatValue,
};
use racun_store::{
    Clause, Condition, Context, FieldKind, Figure, ListQuery, Operator, Order, Part, Record,
    StoreError, Table, Tally, TallyRow, Value,
};
use time::{Date, Duration, Month};

use super::stored;
use crate::days::between;

/// Tallies of one question.
const MOST_TALLIES: usize = 250;

/// The body of the taxes of a document.
const TAXES: &[&str] = &["amounts", "taxes"];

/// A bucket: a value that stands for all of its rows, and what they have in common.
#[derive(Clone)]
struct Bucket {
    stands_for: StatValue,
    conditions: Vec<Condition>,
}

/// Has the store count what `query` asks for; false when its language does not say that.
pub(super) async fn count(
    cx: Context<'_>,
    today: Date,
    query: &StatQuery,
    fold: &mut StatFold<'_>,
) -> Result<bool, StoreError> {
    let table = stored(query.table);
    let Some(base) = base(query, table) else { return Ok(false) };
    let Some(days) = days(cx, query, table, &base).await? else { return Ok(false) };
    let Some(cells) = cells(query, table, days, today) else { return Ok(false) };
    let Some(columns) = columns(query, table) else { return Ok(false) };
    let tallies: Vec<Tally> = cells
        .iter()
        .flat_map(|cell| columns.iter().map(|column| column.tally(&base, cell, query, table)))
        .collect();
    if tallies.len() > MOST_TALLIES || tallies.is_empty() {
        return Ok(tallies.is_empty());
    }
    let answers = cx.store.tallies(&cx.tenant(), &tallies).await?;
    for (cell, answers) in cells.iter().zip(answers.chunks(columns.len())) {
        take(query, cell, &columns, answers, fold);
    }
    Ok(true)
}

/// All rows that the filters let through; `None` when one of them cannot be said.
fn base(query: &StatQuery, table: &'static Table) -> Option<Tally> {
    let mut tally = Tally::of(table);
    if query.table == StatTable::InvoiceTaxes {
        tally.each = Some(TAXES);
    }
    if query.table.date_field() == "date" {
        tally.clauses.extend(between(table, "date", query.from, query.to));
    } else if query.from.is_some() || query.to.is_some() {
        return None;
    }
    for filter in &query.filters {
        let is_plain = filter.field.fallback.is_none();
        let name = Some(filter.field.name).filter(|name| is_plain && table.field(name).is_some());
        let name = name?;
        tally.clauses.push(Clause::on(table, name, operator(&filter.condition)));
    }
    Some(tally)
}

fn operator(condition: &StatCondition) -> Operator {
    let all = |values: &[StatValue]| values.iter().map(value).collect();
    match condition {
        StatCondition::Equals(other) => Operator::Equals(value(other)),
        StatCondition::Not(other) => Operator::Not(value(other)),
        StatCondition::Gt(other) => Operator::Gt(value(other)),
        StatCondition::Gte(other) => Operator::Gte(value(other)),
        StatCondition::Lt(other) => Operator::Lt(value(other)),
        StatCondition::Lte(other) => Operator::Lte(value(other)),
        StatCondition::In(others) => Operator::In(all(others)),
        StatCondition::NotIn(others) => Operator::NotIn(all(others)),
    }
}

fn value(value: &StatValue) -> Value {
    match value {
        StatValue::Null => Value::Null,
        StatValue::Text(text) => Value::Text(text.clone()),
        StatValue::Number(number) => Value::Number(number.clone()),
        StatValue::Bool(value) => Value::Bool(*value),
        StatValue::Date(date) => Value::Date(*date),
        StatValue::Instant(instant) => Value::Instant(*instant),
    }
}

fn stat(value: &Value) -> StatValue {
    match value {
        Value::Text(text) => StatValue::Text(text.clone()),
        Value::Number(number) => StatValue::Number(number.clone()),
        _ => StatValue::Null,
    }
}

/// The days of the rows, where months or years are asked for: those of the query, or those of the
/// first and the last row. `None` when they are not needed or there are no rows, as `Some(None)`;
/// nothing when months are of no declared day.
async fn days(
    cx: Context<'_>,
    query: &StatQuery,
    table: &'static Table,
    base: &Tally,
) -> Result<Option<Option<(Date, Date)>>, StoreError> {
    let by_day = query
        .groups
        .iter()
        .any(|group| matches!(group, Group::Derived(Derived::Month | Derived::Year, _)));
    if !by_day {
        return Ok(Some(None));
    }
    if query.table.date_field() != "date" {
        return Ok(None);
    }
    let (first, last) = match (query.from, query.to) {
        (Some(from), Some(to)) => (Some(from), Some(to)),
        (from, to) => {
            let first = edge(cx, table, base, false).await?;
            let last = edge(cx, table, base, true).await?;
            (first.map(|day| from.unwrap_or(day)), last.map(|day| to.unwrap_or(day)))
        }
    };
    // Of no rows there are no days: no bucket is there.
    let (Some(first), Some(last)) = (first, last) else {
        let never = Date::MIN;
        return Ok(Some(Some((never, never))));
    };
    Ok(Some(Some((first, last))))
}

/// The first or the last day of the rows.
async fn edge(
    cx: Context<'_>,
    table: &'static Table,
    base: &Tally,
    last: bool,
) -> Result<Option<Date>, StoreError> {
    let query = ListQuery {
        limit: 1,
        count: false,
        clauses: base.clauses.clone(),
        order: vec![Order::on(table, "date", last)],
        ..ListQuery::first_page(table)
    };
    let place = table.field("date").map(|(place, _)| place);
    let page: racun_store::Page<racun_documents::Document> = match table.name {
        "payments" => return payment_edge(cx, table, &query, place).await,
        _ => cx.store.page(table, &cx.tenant(), &query).await?,
    };
    Ok(page.rows.first().and_then(|row| day_at(&row.values(), place)))
}

async fn payment_edge(
    cx: Context<'_>,
    table: &'static Table,
    query: &ListQuery,
    place: Option<usize>,
) -> Result<Option<Date>, StoreError> {
    let page: racun_store::Page<racun_settlement::Payment> =
        cx.store.page(table, &cx.tenant(), query).await?;
    Ok(page.rows.first().and_then(|row| day_at(&row.values(), place)))
}

fn day_at(values: &[Value], place: Option<usize>) -> Option<Date> {
    match values.get(place?) {
        Some(Value::Date(day)) => Some(*day),
        _ => None,
    }
}

/// Every combination of buckets of the derived groups, in the order of the groups.
fn cells(
    query: &StatQuery,
    table: &'static Table,
    days: Option<(Date, Date)>,
    today: Date,
) -> Option<Vec<Vec<Bucket>>> {
    let mut cells: Vec<Vec<Bucket>> = vec![Vec::new()];
    for group in &query.groups {
        let Group::Derived(derived, field) = group else { continue };
        let buckets = buckets(*derived, field, table, days, today)?;
        let with = |cell: &Vec<Bucket>| {
            let cell = cell.clone();
            buckets
                .iter()
                .map(move |bucket| cell.iter().cloned().chain([bucket.clone()]).collect::<Vec<_>>())
        };
        cells = cells.iter().flat_map(with).collect();
        if cells.len() > MOST_TALLIES {
            return None;
        }
    }
    Some(cells)
}

fn buckets(
    derived: Derived,
    field: &StatField,
    table: &'static Table,
    days: Option<(Date, Date)>,
    today: Date,
) -> Option<Vec<Bucket>> {
    let on = |operator| Condition::on(table, field.name, operator);
    match derived {
        Derived::OverdueBucket => {
            let ago = |days| today.checked_sub(Duration::days(days));
            let of = |stands_for: StatValue, operator| Bucket {
                stands_for,
                conditions: vec![on(operator)],
            };
            let mut buckets = vec![of(StatValue::Null, Operator::NotBefore(today.into()))];
            for (first, last) in [(1, 30), (31, 60), (61, 90)] {
                let (late, early) = (ago(first)?, ago(last)?);
                let within = Operator::Between(early.into(), late.into());
                buckets.push(of(late.into(), within));
            }
            let oldest = ago(91)?;
            buckets.push(of(oldest.into(), Operator::Lte(oldest.into())));
            Some(buckets)
        }
        Derived::Month | Derived::Year => {
            let (first, last) = days?;
            let mut buckets = Vec::new();
            let mut from = first;
            while from <= last && from != Date::MIN {
                let end = end_of(derived, from)?;
                let within = [Operator::Gte(from.into()), Operator::Lte(end.into())];
                buckets.push(Bucket { stands_for: from.into(), conditions: within.map(on).into() });
                if buckets.len() > MOST_TALLIES {
                    return None;
                }
                from = end.checked_add(Duration::DAY)?;
            }
            Some(buckets)
        }
    }
}

/// The last day of the month or the year of `day`.
fn end_of(derived: Derived, day: Date) -> Option<Date> {
    let month = if derived == Derived::Year { Month::December } else { day.month() };
    Date::from_calendar_date(day.year(), month, month.length(day.year())).ok()
}

/// A set of figures over the rows of a cell.
enum Column {
    /// How many, and the sums of these fields.
    Sums(Vec<Part>),
    /// The sum of the second where the first is missing.
    Missing(Part, Part),
}

impl Column {
    fn tally(
        &self,
        base: &Tally,
        cell: &[Bucket],
        query: &StatQuery,
        table: &'static Table,
    ) -> Tally {
        let mut tally = base.clone();
        tally.filter = cell.iter().flat_map(|bucket| bucket.conditions.iter().cloned()).collect();
        tally.by =
            plain_groups(query).filter_map(|field| part(query.table, table, field)).collect();
        match self {
            Self::Sums(parts) => {
                let sums = parts.iter().map(|part| Figure::Sum(*part));
                tally.figures = std::iter::once(Figure::Count).chain(sums).collect();
            }
            Self::Missing(own, instead) => {
                let is_missing = Operator::Equals(Value::Null);
                tally.filter.push(Condition { part: *own, operator: is_missing });
                tally.figures = vec![Figure::Sum(*instead)];
            }
        }
        tally
    }
}

fn plain_groups(query: &StatQuery) -> impl Iterator<Item = &'static StatField> {
    query.groups.iter().filter_map(|group| match group {
        Group::Field(field) => Some(*field),
        Group::Derived(..) => None,
    })
}

/// Where a field is; `None` when a tally does not look at such a one.
fn part(of: StatTable, table: &'static Table, field: &StatField) -> Option<Part> {
    if of == StatTable::InvoiceTaxes {
        let inside: Option<&'static [&'static str]> = match field.name {
            "rate" => Some(&["tax", "rate"]),
            "base" => Some(&["tax", "base"]),
            "tax_total" => Some(&["tax", "amount"]),
            "base_converted" => Some(&["base_converted"]),
            "tax_total_converted" => Some(&["amount_converted"]),
            "reverse_charge" | "quote_currency" | "invoice_id" => return None,
            _ => None,
        };
        if let Some(path) = inside {
            return Some(Part::Element(path, FieldKind::Number));
        }
    }
    let (_, declared) = table.field(field.name)?;
    let is_seen = matches!(declared.kind, FieldKind::Text | FieldKind::Number);
    is_seen.then(|| Part::field(table, field.name))
}

/// The figures of a query: first its sums, then what each that falls back has instead. `None` when
/// one is no sum, or hangs on how many rows have a value.
fn columns(query: &StatQuery, table: &'static Table) -> Option<Vec<Column>> {
    if plain_groups(query).any(|field| part(query.table, table, field).is_none()) {
        return None;
    }
    let (mut sums, mut missing) = (Vec::new(), Vec::new());
    for metric in &query.metrics {
        let field = match metric.measure {
            Measure::Count => continue,
            Measure::Sum(field) => field,
            Measure::Avg(_) | Measure::Min(_) | Measure::Max(_) => return None,
        };
        let own = part(query.table, table, field)?;
        sums.push(own);
        if let Some(name) = field.fallback {
            let (_, instead) = query.table.field(name)?;
            missing.push(Column::Missing(own, part(query.table, table, instead)?));
        }
    }
    Some(std::iter::once(Column::Sums(sums)).chain(missing).collect())
}

/// Gives what a store counted of a cell to the fold.
fn take(
    query: &StatQuery,
    cell: &[Bucket],
    columns: &[Column],
    answers: &[Vec<TallyRow>],
    fold: &mut StatFold<'_>,
) {
    let Some((sums, missing)) = answers.split_first() else { return };
    for row in sums {
        let mut derived = cell.iter();
        let mut plain = row.by.iter();
        let values = query.groups.iter().map(|group| match group {
            Group::Field(_) => plain.next().map_or(StatValue::Null, stat),
            Group::Derived(..) => {
                derived.next().map_or(StatValue::Null, |bucket| bucket.stands_for.clone())
            }
        });
        let values: Vec<StatValue> = values.collect();
        let mut figures = row.figures.iter();
        let count = figures.next().cloned().unwrap_or_else(racun_kernel::Decimal::zero);
        let count = count.to_string().parse().unwrap_or_default();
        let mut instead = missing.iter();
        let partials = query.metrics.iter().map(|metric| {
            let mut partial = Partial::none();
            let Some(field) = metric.measure.field() else { return partial };
            partial.filled = count;
            if let Some(sum) = figures.next() {
                partial.sum += sum;
            }
            if field.fallback.is_some() {
                let same = instead.next().into_iter().flatten().find(|other| other.by == row.by);
                if let Some(sum) = same.and_then(|other| other.figures.first()) {
                    partial.sum += sum;
                }
            }
            partial
        });
        let partials: Vec<Partial> = partials.collect();
        fold.add_group(values, count, partials);
    }
    debug_assert_eq!(columns.len(), answers.len(), "one answer for each column");
}
