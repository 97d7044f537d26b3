//! Counting, row by row.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use racun_kernel::Decimal;
use serde_json::Value as Json;

use super::{CountedRow, Extremes, Figure, Part, Tally, TallyRow, at, order};
use crate::Value;

/// Counts rows, one after the other: for stores that find rows and cannot add decimals.
#[derive(Debug)]
pub struct Counter<'a> {
    tally: &'a Tally,
    groups: BTreeMap<Group, (Vec<Running>, Vec<LeastAndGreatest>)>,
}

/// The least value so far and the greatest one.
type LeastAndGreatest = (Value, Value);

/// The values of a group, which are in the order of [`Value::order`].
#[derive(Debug, PartialEq, Eq)]
struct Group(Vec<Value>);

impl Ord for Group {
    fn cmp(&self, other: &Self) -> Ordering {
        order(&self.0, &other.0)
    }
}

impl PartialOrd for Group {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A figure that is not finished.
#[derive(Debug)]
enum Running {
    Count(i64),
    Filled(i64),
    Distinct(BTreeSet<Group>),
    Sum(Decimal),
}

impl Running {
    fn start(figure: Figure) -> Self {
        match figure {
            Figure::Count => Self::Count(0),
            Figure::Filled(_) => Self::Filled(0),
            Figure::CountDistinct(_) => Self::Distinct(BTreeSet::new()),
            Figure::Sum(_) | Figure::SumOr(..) => Self::Sum(Decimal::zero()),
        }
    }

    fn add(&mut self, value: Value) {
        match (self, value) {
            (Self::Count(count), _) => *count += 1,
            (Self::Filled(_) | Self::Distinct(_), Value::Null) => {}
            (Self::Filled(count), _) => *count += 1,
            (Self::Distinct(values), value) => {
                values.insert(Group(vec![value]));
            }
            (Self::Sum(sum), Value::Number(number)) => *sum += &number,
            (Self::Sum(_), _) => {}
        }
    }

    fn finish(self) -> Decimal {
        match self {
            Self::Count(count) | Self::Filled(count) => count.into(),
            Self::Distinct(values) => i64::try_from(values.len()).unwrap_or(i64::MAX).into(),
            Self::Sum(sum) => sum,
        }
    }
}

impl<'a> Counter<'a> {
    /// Nothing is counted yet.
    #[must_use]
    pub const fn new(tally: &'a Tally) -> Self {
        Self { tally, groups: BTreeMap::new() }
    }

    /// Counts a row that fulfils the tally's clauses and names one of `within`.
    pub fn add(&mut self, row: CountedRow<'_>) {
        let Some(path) = self.tally.each else { return self.count(row, &Json::Null) };
        let elements = at(row.body, path).and_then(Json::as_array);
        for element in elements.into_iter().flatten() {
            self.count(row, element);
        }
    }

    fn count(&mut self, row: CountedRow<'_>, element: &Json) {
        let tally = self.tally;
        if !tally.filter.iter().all(|condition| condition.holds(row, element)) {
            return;
        }
        let value = |part: &Part| part.value(row, element);
        let group = Group(tally.by.iter().map(value).collect());
        let or = |part: &Part, instead: &Part| match value(part) {
            Value::Null => value(instead),
            own => own,
        };
        let (figures, extremes) = self.groups.entry(group).or_insert_with(|| {
            let figures = tally.figures.iter().map(|figure| Running::start(*figure)).collect();
            (figures, vec![(Value::Null, Value::Null); tally.extremes.len()])
        });
        for (figure, running) in tally.figures.iter().zip(figures) {
            running.add(match figure {
                Figure::Count => Value::Null,
                Figure::Filled(part) | Figure::CountDistinct(part) | Figure::Sum(part) => {
                    value(part)
                }
                Figure::SumOr(part, instead) => or(part, instead),
            });
        }
        for (Extremes { of, or: instead }, running) in tally.extremes.iter().zip(extremes) {
            widen(running, instead.map_or_else(|| value(of), |instead| or(of, &instead)));
        }
    }

    /// The groups, in the order of their values.
    #[must_use]
    pub fn rows(self) -> Vec<TallyRow> {
        let row = |(group, (running, extremes)): (Group, (Vec<Running>, Vec<_>))| TallyRow {
            by: group.0,
            figures: running.into_iter().map(Running::finish).collect(),
            extremes,
        };
        self.groups.into_iter().map(row).collect()
    }
}

/// Takes `value` in between the least and the greatest one.
fn widen((least, greatest): &mut (Value, Value), value: Value) {
    if value == Value::Null {
        return;
    }
    if *greatest == Value::Null || value.order(greatest).is_gt() {
        greatest.clone_from(&value);
    }
    if *least == Value::Null || value.order(least).is_lt() {
        *least = value;
    }
}
