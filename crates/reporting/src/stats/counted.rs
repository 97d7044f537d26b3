//! Queries as figures that stores count.
//!
//! A month, a year or an age is no value of a row: rows are counted by the day that it hangs on, in
//! one reading, and the fold puts days together. An age hangs on flags as well, so that those rows
//! are counted in parts, in one question.

use racun_insights::{
    Group, Measure, Partial, StatCondition, StatField, StatFilter, StatFold, StatKind, StatQuery,
    StatTable, StatValue,
};
use racun_kernel::Decimal;
use racun_store::{
    Clause, Context, FieldKind, Figure, Operator, Part, StoreError, Table, Tally, TallyRow, Value,
};

use super::stored;
use crate::days::between;

/// The body of the taxes of a document.
const TAXES: &[&str] = &["amounts", "taxes"];

/// Has the store count what `query` asks for; false when its language does not say that.
pub(super) async fn count(
    cx: Context<'_>,
    query: &StatQuery,
    fold: &mut StatFold<'_>,
) -> Result<bool, StoreError> {
    let table = stored(query.table);
    let Some(base) = base(query, table) else { return Ok(false) };
    let Some(by) = groups(query, table) else { return Ok(false) };
    let Some(figures) = figures(query, table) else { return Ok(false) };
    let tally = Tally { by, figures, ..base };
    let (tallies, without): (Vec<Tally>, Vec<Option<usize>>) =
        shares(query, table, tally).into_iter().unzip();
    let counted = cx.store.tallies(&cx.tenant(), &tallies).await?;
    for (rows, without) in counted.into_iter().zip(without) {
        rows.into_iter().for_each(|row| take(query, row, without, fold));
    }
    Ok(true)
}

/// Some of the rows of a query, counted by all its groups, or without the one at a place, whose
/// field is as good as null on all of them.
type Share = (Tally, Option<usize>);

/// What `query` counts, which is `tally`, in parts that have no row in common: where a group hangs
/// on what settles a row ([`Group::settled_by`]), those that are not settled, and those that are by
/// each of these but by none before it.
fn shares(query: &StatQuery, table: &'static Table, tally: Tally) -> Vec<Share> {
    let hangs = query.groups.iter().position(|group| !group.settled_by().is_empty());
    let Some(place) = hangs else { return vec![(tally, None)] };
    let mut without_group = tally.clone();
    without_group.by.remove(place);
    let (mut open, mut settled) = (tally, Vec::new());
    for name in query.groups[place].settled_by() {
        let Some((_, field)) = query.table.field(name) else { continue };
        let is_flag = field.kind == StatKind::Bool;
        let (not, is) = match is_flag {
            true => (Operator::Equals(false.into()), Operator::Equals(true.into())),
            false => (Operator::Equals(Value::Null), Operator::Not(Value::Null)),
        };
        let mut tally = without_group.clone();
        tally.clauses.push(Clause::on(table, name, is));
        if query.filters.iter().all(|filter| filter.field.name != *name || may_settle(filter)) {
            settled.push((tally, Some(place)));
        }
        for tally in [&mut open, &mut without_group] {
            tally.clauses.push(Clause::on(table, name, not.clone()));
        }
    }
    settled.insert(0, (open, None));
    settled
}

/// Whether a row that its field settles can fulfil `filter`; not asked further than what is usual.
fn may_settle(filter: &StatFilter) -> bool {
    !matches!(filter.condition, StatCondition::Equals(StatValue::Bool(false) | StatValue::Null))
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
        Value::Date(day) => StatValue::Date(*day),
        _ => StatValue::Null,
    }
}

/// What makes the groups of `query`; `None` when a tally does not look at it.
fn groups(query: &StatQuery, table: &'static Table) -> Option<Vec<Part>> {
    let of = |group: &Group| match group {
        Group::Field(field) => part(query.table, table, field),
        Group::Derived(_, field) => {
            let (_, declared) = table.field(field.name)?;
            (declared.kind == FieldKind::Date).then(|| Part::day(table, field.name))
        }
    };
    query.groups.iter().map(of).collect()
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

/// The figures of a query: how many rows, and its sums. `None` when one is no sum, or hangs on how
/// many rows have a value.
fn figures(query: &StatQuery, table: &'static Table) -> Option<Vec<Figure>> {
    let mut figures = vec![Figure::Count];
    for metric in &query.metrics {
        let field = match metric.measure {
            Measure::Count => continue,
            Measure::Sum(field) => field,
            Measure::Avg(_) | Measure::Min(_) | Measure::Max(_) => return None,
        };
        let own = part(query.table, table, field)?;
        figures.push(match field.fallback {
            None => Figure::Sum(own),
            Some(name) => {
                let (_, instead) = query.table.field(name)?;
                Figure::SumOr(own, part(query.table, table, instead)?)
            }
        });
    }
    Some(figures)
}

/// Gives what a store counted of a group to the fold, `without` the value of one group.
fn take(query: &StatQuery, row: TallyRow, without: Option<usize>, fold: &mut StatFold<'_>) {
    let mut values: Vec<StatValue> = row.by.iter().map(stat).collect();
    if let Some(place) = without {
        values.insert(place, StatValue::Null);
    }
    let mut figures = row.figures.iter();
    let count = figures.next().cloned().unwrap_or_else(Decimal::zero);
    let count = count.to_string().parse().unwrap_or_default();
    let partials = query.metrics.iter().map(|metric| {
        let mut partial = Partial::none();
        if metric.measure.field().is_some() {
            partial.filled = count;
            partial.sum = figures.next().cloned().unwrap_or_else(Decimal::zero);
        }
        partial
    });
    let partials: Vec<Partial> = partials.collect();
    fold.add_group(values, count, partials);
}
