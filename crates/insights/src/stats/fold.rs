//! What a query means: a fold over rows, or over groups that a store counted already.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use racun_kernel::{Currency, Decimal};
use time::{Date, OffsetDateTime};

use super::{Derived, Group, Measure, StatField, StatQuery, StatTable, StatValue};

/// What is known of a field in some rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partial {
    /// Rows that have a value.
    pub filled: i64,
    /// What its numbers come to.
    pub sum: Decimal,
    /// The least value; null when that is not asked for.
    pub least: StatValue,
    /// The greatest.
    pub greatest: StatValue,
}

/// A row of an answer: the groups' values, and the metrics behind them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatRow(pub Vec<StatValue>);

/// A query at work.
#[derive(Debug)]
pub struct StatFold<'a> {
    query: &'a StatQuery,
    today: Date,
    groups: BTreeMap<Key, (i64, Vec<Partial>)>,
}

/// Values of a group, in the order of [`StatValue::order`].
#[derive(Debug, PartialEq, Eq)]
struct Key(Vec<StatValue>);

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        let pairs = self.0.iter().zip(&other.0).map(|(a, b)| a.order(b));
        pairs.fold(Ordering::Equal, Ordering::then)
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Partial {
    /// Of no row.
    #[must_use]
    pub fn none() -> Self {
        Self { filled: 0, sum: Decimal::zero(), least: StatValue::Null, greatest: StatValue::Null }
    }

    /// Of one row.
    #[must_use]
    pub fn of(value: StatValue) -> Self {
        let sum = match &value {
            StatValue::Number(number) => number.clone(),
            _ => Decimal::zero(),
        };
        let filled = i64::from(!value.is_null());
        Self { filled, sum, least: value.clone(), greatest: value }
    }

    /// Takes in what is known of other rows.
    pub fn join(&mut self, other: Self) {
        self.filled += other.filled;
        self.sum += &other.sum;
        let takes = |own: &StatValue, new: &StatValue, wanted| {
            !new.is_null() && (own.is_null() || new.order(own) == wanted)
        };
        if takes(&self.least, &other.least, Ordering::Less) {
            self.least = other.least;
        }
        if takes(&self.greatest, &other.greatest, Ordering::Greater) {
            self.greatest = other.greatest;
        }
    }
}

impl StatTable {
    /// The value of `field` in `row`, which has the table's fields in their order; that of its
    /// fallback where it has none.
    #[must_use]
    pub fn value(self, row: &[StatValue], field: &StatField) -> StatValue {
        let of = |name: &str| self.field(name).and_then(|(place, _)| row.get(place)).cloned();
        let own = of(field.name).filter(|value| !value.is_null());
        own.or_else(|| of(field.fallback?)).unwrap_or(StatValue::Null)
    }
}

impl<'a> StatFold<'a> {
    /// Nothing is counted yet. `today` is the entity's day, for what is overdue.
    #[must_use]
    pub const fn new(query: &'a StatQuery, today: Date) -> Self {
        Self { query, today, groups: BTreeMap::new() }
    }

    /// Counts a row, with the table's fields in their order, if the query asks for it.
    pub fn add(&mut self, row: &[StatValue]) {
        let query = self.query;
        let value = |field: &StatField| query.table.value(row, field);
        let day = query.table.field(query.table.date_field());
        let day = day.and_then(|(_, field)| date_of(&value(field)));
        let is_in = query.from.is_none_or(|from| day.is_some_and(|day| day >= from))
            && query.to.is_none_or(|to| day.is_some_and(|day| day <= to));
        let holds = query.filters.iter().all(|one| one.condition.holds(&value(one.field)));
        if is_in && holds {
            let is_settled = |name: &&str| match query.table.field(name).map(|(_, one)| value(one))
            {
                Some(StatValue::Bool(flag)) => flag,
                Some(value) => !value.is_null(),
                None => false,
            };
            let groups = query.groups.iter().map(|group| match group.settled_by() {
                names if names.iter().any(is_settled) => StatValue::Null,
                _ => value(group.field()),
            });
            let groups = groups.collect();
            let fields = query.metrics.iter().map(|metric| metric.measure.field());
            let partials = fields
                .map(|field| field.map_or_else(Partial::none, |field| Partial::of(value(field))));
            self.add_group(groups, 1, partials.collect());
        }
    }

    /// Counts `rows` rows that fulfil the query: the values of the fields of its groups, and what
    /// is known of the field of each metric.
    pub fn add_group(&mut self, fields: Vec<StatValue>, rows: i64, partials: Vec<Partial>) {
        let groups = self.query.groups.iter().zip(fields);
        let key = Key(groups.map(|(group, value)| self.derived(*group, value)).collect());
        let none = || (0, vec![Partial::none(); partials.len()]);
        let running = self.groups.entry(key).or_insert_with(none);
        running.0 += rows;
        for (own, new) in running.1.iter_mut().zip(partials) {
            own.join(new);
        }
    }

    fn derived(&self, group: Group, value: StatValue) -> StatValue {
        let Group::Derived(derived, _) = group else { return value };
        let day = date_of(&value);
        match derived {
            Derived::Month => {
                day.map(|day| format!("{:04}-{:02}", day.year(), u8::from(day.month()))).into()
            }
            Derived::Year => day.map(|day| format!("{:04}", day.year())).into(),
            Derived::OverdueBucket => overdue_bucket(day, self.today).into(),
        }
    }

    /// The answer: ordered as asked for, then by group, and cut to the limit. Without groups it has
    /// one row, also of nothing.
    #[must_use]
    pub fn finish(mut self) -> Vec<StatRow> {
        let query = self.query;
        if query.groups.is_empty() && self.groups.is_empty() {
            self.add_group(Vec::new(), 0, vec![Partial::none(); query.metrics.len()]);
        }
        let row = |(key, (rows, partials)): (Key, (i64, Vec<Partial>))| {
            let metrics = query.metrics.iter().zip(partials);
            let metrics = metrics.map(|(metric, partial)| figure(metric.measure, rows, partial));
            StatRow(key.0.into_iter().chain(metrics).collect())
        };
        let mut rows: Vec<StatRow> = self.groups.into_iter().map(row).collect();
        rows.sort_by(|a, b| {
            let by = query.order.iter().map(|order| {
                let null = &StatValue::Null;
                let of = |row: &'_ StatRow| row.0.get(order.place).unwrap_or(null).clone();
                let sorted = of(a).order(&of(b));
                if order.descending { sorted.reverse() } else { sorted }
            });
            by.fold(Ordering::Equal, Ordering::then)
        });
        rows.truncate(query.limit);
        rows
    }
}

fn figure(measure: Measure, rows: i64, partial: Partial) -> StatValue {
    match measure {
        Measure::Count => Decimal::from(rows).into(),
        Measure::Sum(_) => partial.sum.into(),
        Measure::Avg(_) => Currency::EUR.divide(&partial.sum, &partial.filled.into()).into(),
        Measure::Min(_) => partial.least,
        Measure::Max(_) => partial.greatest,
    }
}

/// The day of a date or an instant, which is that of UTC.
fn date_of(value: &StatValue) -> Option<Date> {
    match value {
        StatValue::Date(date) => Some(*date),
        StatValue::Instant(instant) => Some(OffsetDateTime::date(*instant)),
        _ => None,
    }
}

/// How late what was due on `due` is on `today`: `current` when it is not, or has no day.
#[must_use]
pub fn overdue_bucket(due: Option<Date>, today: Date) -> &'static str {
    match due.map_or(0, |due| (today - due).whole_days()) {
        ..=0 => "current",
        1..=30 => "1-30",
        31..=60 => "31-60",
        61..=90 => "61-90",
        91.. => "90+",
    }
}
