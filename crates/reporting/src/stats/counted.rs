//! Queries as figures that stores count.
//!
//! A month, a year or an age is no value of a row: rows are counted by the day that it hangs on, in
//! one reading, and the fold puts days together. An age hangs on flags as well, and a condition on
//! a converted amount on whether something was converted, so that those rows are counted in parts,
//! in one question.

use racun_insights::{
    Group, Measure, Partial, StatCondition, StatField, StatFilter, StatFold, StatKind, StatQuery,
    StatTable, StatValue,
};
use racun_kernel::Decimal;
use racun_kernel::calendar::midnight;
use racun_store::{
    Clause, Condition, Context, Extremes, FieldKind, Figure, Operator, Part, StoreError, Table,
    Tally, TallyRow, Value,
};

use super::stored;
use super::value::{stat, value};
use crate::days::between;

/// The body of the taxes of a document.
const TAXES: &[&str] = &["amounts", "taxes"];
/// The body of the currency into which a document is converted.
const QUOTE: &[&str] = &["content", "exchange_rate", "quote_currency"];

/// Has the store count what `query` asks for; false when its language does not say that: payments
/// by what their documents say.
pub(super) async fn count(
    cx: Context<'_>,
    query: &StatQuery,
    fold: &mut StatFold<'_>,
) -> Result<bool, StoreError> {
    let Some(counted) = Counted::of(query) else { return Ok(false) };
    let (tallies, without): (Vec<Tally>, Vec<Option<usize>>) = counted.shares().into_iter().unzip();
    let answers = cx.store.tallies(&cx.tenant(), &tallies).await?;
    for (rows, without) in answers.into_iter().zip(without) {
        rows.into_iter().for_each(|row| counted.take(row, without, fold));
    }
    Ok(true)
}

/// Where a field is, and the field in whose place it is null.
#[derive(Debug, Clone, Copy)]
struct Place {
    own: Part,
    or: Option<Part>,
}

/// A query as its store counts it.
struct Counted<'a> {
    query: &'a StatQuery,
    table: &'static Table,
    /// Where the values of each group are.
    groups: Vec<Place>,
    /// All of it, but for what hangs on flags and on converted amounts.
    tally: Tally,
    /// Conditions on fields that have another one in their place, by field. A table has three of
    /// these at most, and each doubles the parts.
    split: Vec<(Place, Vec<Operator>)>,
}

/// Some of the rows of a query, counted by all its groups, or without the one at a place, whose
/// field is as good as null on all of them.
type Share = (Tally, Option<usize>);

impl<'a> Counted<'a> {
    /// `None` when a tally does not look at something that `query` names.
    fn of(query: &'a StatQuery) -> Option<Self> {
        let table = stored(query.table);
        let groups = query.groups.iter().map(|group| group_place(query.table, group));
        let groups: Vec<Place> = groups.collect::<Option<_>>()?;
        let by = groups.iter().flat_map(|place| [Some(place.own), place.or]).flatten().collect();
        let tally = Tally { by, clauses: days(query, table), ..Tally::of(table) };
        let mut counted = Self { query, table, groups, tally, split: Vec::new() };
        if query.table == StatTable::InvoiceTaxes {
            counted.tally.each = Some(TAXES);
        }
        for filter in &query.filters {
            counted.narrow(filter)?;
        }
        for metric in &query.metrics {
            counted.measure(metric.measure)?;
        }
        Some(counted)
    }

    /// Only rows that `filter` lets through.
    fn narrow(&mut self, filter: &StatFilter) -> Option<()> {
        let operator = operator(&filter.condition);
        let place = place(self.query.table, filter.field)?;
        if let (Part::Field { field, .. }, None) = (place.own, place.or) {
            self.tally.clauses.push(Clause::on(self.table, field.name, operator));
            return Some(());
        }
        if place.or.is_none() {
            self.tally.filter.push(Condition { part: place.own, operator });
            return Some(());
        }
        match self.split.iter_mut().find(|(known, _)| known.own == place.own) {
            Some((_, operators)) => operators.push(operator),
            None => self.split.push((place, vec![operator])),
        }
        Some(())
    }

    /// What answers `measure`, in the order in which [`Counted::take`] takes it. A field that has
    /// another one in its place has a value in each row.
    fn measure(&mut self, measure: Measure) -> Option<()> {
        let Some(field) = measure.field() else { return Some(()) };
        let place = place(self.query.table, field)?;
        match measure {
            Measure::Count => {}
            Measure::Sum(_) | Measure::Avg(_) => {
                self.tally.figures.push(match place.or {
                    None => Figure::Sum(place.own),
                    Some(or) => Figure::SumOr(place.own, or),
                });
                if matches!(measure, Measure::Avg(_)) {
                    self.tally.figures.push(match place.or {
                        None => Figure::Filled(place.own),
                        Some(_) => Figure::Count,
                    });
                }
            }
            Measure::Min(_) | Measure::Max(_) => {
                self.tally.extremes.push(Extremes { of: place.own, or: place.or });
            }
        }
        Some(())
    }

    /// What is counted, in parts that have no row in common.
    fn shares(&self) -> Vec<Share> {
        let mut tallies = vec![self.tally.clone()];
        for (place, operators) in &self.split {
            let Some(or) = place.or else { continue };
            let with = |tally: &Tally, is_null: Operator, part: Part| {
                let mut tally = tally.clone();
                tally.filter.push(Condition { part: place.own, operator: is_null });
                let all = operators.iter().cloned();
                tally.filter.extend(all.map(|operator| Condition { part, operator }));
                tally
            };
            tallies = tallies
                .iter()
                .flat_map(|tally| {
                    let own = with(tally, Operator::Not(Value::Null), place.own);
                    [own, with(tally, Operator::Equals(Value::Null), or)]
                })
                .collect();
        }
        tallies.into_iter().flat_map(|tally| self.settled(tally)).collect()
    }

    /// The rows of `tally` in parts: where a group hangs on what settles a row
    /// ([`Group::settled_by`]), those that are not settled, and those that are by each of these but
    /// by none before it.
    fn settled(&self, tally: Tally) -> Vec<Share> {
        let query = self.query;
        let hangs = query.groups.iter().position(|group| !group.settled_by().is_empty());
        let Some(place) = hangs else { return vec![(tally, None)] };
        let column: usize = self.groups.iter().take(place).map(Place::columns).sum();
        let mut without_group = tally.clone();
        without_group.by.remove(column);
        let (mut open, mut settled) = (tally, Vec::new());
        for name in query.groups[place].settled_by() {
            let Some((_, field)) = query.table.field(name) else { continue };
            let is_flag = field.kind == StatKind::Bool;
            let (not, is) = match is_flag {
                true => (Operator::Equals(false.into()), Operator::Equals(true.into())),
                false => (Operator::Equals(Value::Null), Operator::Not(Value::Null)),
            };
            let mut tally = without_group.clone();
            tally.clauses.push(Clause::on(self.table, name, is));
            if query.filters.iter().all(|filter| filter.field.name != *name || may_settle(filter)) {
                settled.push((tally, Some(place)));
            }
            for tally in [&mut open, &mut without_group] {
                tally.clauses.push(Clause::on(self.table, name, not.clone()));
            }
        }
        settled.insert(0, (open, None));
        settled
    }

    /// Gives what a store counted of a group to the fold, `without` the value of one group.
    fn take(&self, row: TallyRow, without: Option<usize>, fold: &mut StatFold<'_>) {
        let mut by = row.by.iter();
        let groups = self.groups.iter().enumerate().map(|(n, place)| {
            if without == Some(n) {
                return StatValue::Null;
            }
            let columns: Vec<StatValue> = by.by_ref().take(place.columns()).map(stat).collect();
            columns.into_iter().find(|value| !value.is_null()).unwrap_or(StatValue::Null)
        });
        let groups: Vec<StatValue> = groups.collect();
        let mut figures = row.figures.iter();
        let mut extremes = row.extremes.iter();
        let mut figure = || figures.next().cloned().unwrap_or_else(Decimal::zero);
        let rows = whole(&figure());
        let partials = self.query.metrics.iter().map(|metric| {
            let mut partial = Partial::none();
            match metric.measure {
                Measure::Count => {}
                Measure::Sum(_) => partial.sum = figure(),
                Measure::Avg(_) => (partial.sum, partial.filled) = (figure(), whole(&figure())),
                Measure::Min(_) | Measure::Max(_) => {
                    if let Some((least, greatest)) = extremes.next() {
                        (partial.least, partial.greatest) = (stat(least), stat(greatest));
                    }
                }
            }
            partial
        });
        let partials: Vec<Partial> = partials.collect();
        fold.add_group(groups, rows, partials);
    }
}

impl Place {
    /// How many groups of a tally it takes.
    const fn columns(&self) -> usize {
        if self.or.is_some() { 2 } else { 1 }
    }
}

fn whole(count: &Decimal) -> i64 {
    count.to_string().parse().unwrap_or_default()
}

/// Whether a row that its field settles can fulfil `filter`; not asked further than what is usual.
fn may_settle(filter: &StatFilter) -> bool {
    !matches!(filter.condition, StatCondition::Equals(StatValue::Bool(false) | StatValue::Null))
}

/// Only rows of the days of `query`: by their date, or by the day, in UTC, on which they were made.
fn days(query: &StatQuery, table: &'static Table) -> Vec<Clause> {
    let field = query.table.date_field();
    let is_instant = query.table.field(field).is_some_and(|(_, one)| one.kind == StatKind::Instant);
    if !is_instant {
        return between(table, field, query.from, query.to);
    }
    let on = |operator| Clause::on(table, field, operator);
    let from = query.from.map(|day| on(Operator::Gte(midnight(day).into())));
    let behind = query.to.and_then(time::Date::next_day);
    let to = behind.map(|day| on(Operator::Lt(midnight(day).into())));
    from.into_iter().chain(to).collect()
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

/// Where the values of a group are; `None` when a tally does not look there.
fn group_place(of: StatTable, group: &Group) -> Option<Place> {
    let Group::Derived(_, field) = group else { return place(of, group.field()) };
    let own = match stored(of).field(field.name)?.1.kind {
        FieldKind::Date => Part::day(stored(of), field.name),
        FieldKind::Instant => Part::day_of(stored(of), field.name),
        _ => return None,
    };
    Some(Place { own, or: None })
}

/// Where `field` is; `None` when a tally does not look there.
fn place(of: StatTable, field: &StatField) -> Option<Place> {
    let own = part(of, field.name)?;
    let or = field.fallback.map(|name| part(of, name)).map_or(Some(None), |or| or.map(Some))?;
    Some(Place { own, or })
}

fn part(of: StatTable, name: &str) -> Option<Part> {
    if let Some(part) = part_of_taxes(of, name) {
        return Some(part);
    }
    let table = stored(of);
    if name == "quote_currency" {
        // Payments have their documents'.
        return table.field("currency_code").map(|_| Part::Body(QUOTE, FieldKind::Text));
    }
    let (_, declared) = table.field(name)?;
    let is_seen = !matches!(declared.kind, FieldKind::Map | FieldKind::List);
    is_seen.then(|| Part::field(table, name))
}

/// Where the taxes of invoices have the field `name`; `None` for fields of the invoices.
fn part_of_taxes(of: StatTable, name: &str) -> Option<Part> {
    if of != StatTable::InvoiceTaxes {
        return None;
    }
    let (path, kind): (&'static [&'static str], _) = match name {
        "rate" => (&["tax", "rate"], FieldKind::Number),
        "base" => (&["tax", "base"], FieldKind::Number),
        "tax_total" => (&["tax", "amount"], FieldKind::Number),
        "base_converted" => (&["base_converted"], FieldKind::Number),
        "tax_total_converted" => (&["amount_converted"], FieldKind::Number),
        "reverse_charge" => (&["tax", "reverse_charge"], FieldKind::Bool),
        "invoice_id" => return Some(Part::field(stored(of), "id")),
        _ => return None,
    };
    Some(Part::Element(path, kind))
}
