//! Tallies: figures over rows, grouped, and what they mean, in plain Rust.
//!
//! A [`Tally`] is a description that each store turns into its own sort of question, so that a
//! report over a day's documents is a few figures on their way, not the documents.
//! [`evaluate_tally`] is the meaning that every store is tested against. Sums are exact.

mod counter;
mod projection;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use racun_kernel::Decimal;
use serde_json::Value as Json;
use time::UtcOffset;

use crate::evaluate::{compare, holds};
use crate::{Clause, Field, FieldKind, Operator, Record, Table, Value};

pub use counter::Counter;
pub use projection::Projection;

/// Keys that lead from a JSON object to a value inside it.
pub type JsonPath = &'static [&'static str];

/// Figures over the rows of a table, grouped.
///
/// Counted are the rows outside the trash of which all `clauses` hold, or the elements of an array
/// inside them. A group is there because something counted is in it: over nothing there is none,
/// not even when `by` is empty and all would be in one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tally {
    /// The table.
    pub table: &'static Table,
    /// All must hold.
    pub clauses: Vec<Clause>,
    /// Rows of another table, one of which each row must name.
    pub within: Option<Within>,
    /// An array in the body, whose elements are counted instead of the row. What is no array has
    /// none.
    pub each: Option<JsonPath>,
    /// All must hold of what is counted, the row or the element. Tallies of one question that
    /// differ in these read their rows once; what all of them ask for is quicker in `clauses`.
    pub filter: Vec<Condition>,
    /// What makes a group.
    pub by: Vec<Part>,
    /// What is answered of each group.
    pub figures: Vec<Figure>,
    /// What the least and the greatest value of a group are answered of.
    pub extremes: Vec<Extremes>,
}

/// Whose least and greatest values are answered: a number, a day or an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Extremes {
    /// The part; null is none of its values.
    pub of: Part,
    /// The part whose value counts where the first one is null.
    pub or: Option<Part>,
}

/// A condition on what a tally looks at.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Condition {
    /// What is compared.
    pub part: Part,
    /// How.
    pub operator: Operator,
}

/// Rows of another table of the same tenant, outside the trash.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Within {
    /// The indexed text field of the counted row that holds the other's id.
    pub field: &'static Field,
    /// Its place in [`Record::values`].
    pub place: usize,
    /// The other table.
    pub table: &'static Table,
    /// All must hold of the other row.
    pub clauses: Vec<Clause>,
    /// How a store finds out; the meaning is the same. True: it looks up the other row of each
    /// counted one, when the tally's own clauses leave few of these. False: it begins with the
    /// other rows, when `clauses` leave few of those.
    pub is_looked_up: bool,
}

/// What a tally looks at. Only numbers are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// A declared field of the row.
    Field {
        /// The field.
        field: &'static Field,
        /// Its place in [`Record::values`].
        place: usize,
    },
    /// A declared field of the row that [`Tally::within`] names; null without that.
    Named {
        /// The field.
        field: &'static Field,
        /// Its place in [`Record::values`] of the named row.
        place: usize,
    },
    /// The day, in UTC, of an instant that the row declares.
    DayOf {
        /// The field.
        field: &'static Field,
        /// Its place in [`Record::values`].
        place: usize,
    },
    /// What is there in the row's body, or null when it is of another kind: a text, a number or a
    /// flag.
    Body(JsonPath, FieldKind),
    /// What is there in the element, or null when it is of another kind: a text, a number or a
    /// flag.
    Element(JsonPath, FieldKind),
}

/// A figure of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Figure {
    /// How many are in it.
    Count,
    /// In how many of it the part is not null.
    Filled(Part),
    /// How many different values the part has in it, null aside.
    CountDistinct(Part),
    /// What the part's numbers add up to; null adds nothing.
    Sum(Part),
    /// The same, where the second part's number counts where the first one is null.
    SumOr(Part, Part),
}

/// A group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TallyRow {
    /// The values of [`Tally::by`].
    pub by: Vec<Value>,
    /// The figures, in the order of [`Tally::figures`].
    pub figures: Vec<Decimal>,
    /// The least value and the greatest one of each of [`Tally::extremes`]; null where all are.
    pub extremes: Vec<(Value, Value)>,
}

impl Tally {
    /// How many rows of `table` are outside the trash: what others are made of.
    #[must_use]
    pub fn of(table: &'static Table) -> Self {
        Self {
            table,
            clauses: Vec::new(),
            within: None,
            each: None,
            filter: Vec::new(),
            by: Vec::new(),
            figures: vec![Figure::Count],
            extremes: Vec::new(),
        }
    }

    /// The same tally of the rows of which this holds as well.
    ///
    /// # Panics
    /// When the table declares no field `name`: a mistake in the program.
    #[must_use]
    pub fn only(mut self, name: &str, operator: Operator) -> Self {
        self.clauses.push(Clause::on(self.table, name, operator));
        self
    }

    /// All parts that it looks at: those of the groups, of the figures and of the filter.
    pub fn parts(&self) -> impl Iterator<Item = Part> {
        self.answered().chain(self.filter.iter().map(|condition| condition.part))
    }

    /// The parts that its answer is made of: those of the groups, of the figures and of the
    /// extremes, in this order.
    pub fn answered(&self) -> impl Iterator<Item = Part> {
        let of_figures = self.figures.iter().map(|figure| match figure {
            Figure::Count => [None, None],
            Figure::Filled(part) | Figure::CountDistinct(part) | Figure::Sum(part) => {
                [Some(*part), None]
            }
            Figure::SumOr(part, instead) => [Some(*part), Some(*instead)],
        });
        let of_extremes = self.extremes.iter().map(|extremes| [Some(extremes.of), extremes.or]);
        let figures = of_figures.chain(of_extremes).flatten().flatten();
        self.by.iter().copied().chain(figures)
    }

    /// The places of `tallies` that count the same rows, or elements inside them, together: a store
    /// reads these rows once.
    #[must_use]
    pub fn of_the_same_rows(tallies: &[Self]) -> Vec<Vec<usize>> {
        let mut all: Vec<Vec<usize>> = Vec::new();
        for (place, tally) in tallies.iter().enumerate() {
            let counts_the_same = |other: &Self| {
                tally.table == other.table
                    && tally.clauses == other.clauses
                    && tally.within == other.within
            };
            let alike = |places: &&mut Vec<usize>| {
                places.first().and_then(|first| tallies.get(*first)).is_some_and(counts_the_same)
            };
            match all.iter_mut().find(alike) {
                Some(places) => places.push(place),
                None => all.push(vec![place]),
            }
        }
        all
    }

    /// Whether it looks into bodies; otherwise declared fields answer it, and a store reads no
    /// body.
    #[must_use]
    pub fn needs_bodies(&self) -> bool {
        let inside = |part: Part| matches!(part, Part::Body(..) | Part::Element(..));
        self.each.is_some() || self.parts().any(inside)
    }
}

impl Within {
    /// The rows of `table` that the field called `name` of `of` names.
    ///
    /// # Panics
    /// When `of` has no indexed text field of this name: a mistake in the program.
    #[must_use]
    pub fn new(
        of: &'static Table,
        name: &str,
        table: &'static Table,
        clauses: Vec<Clause>,
    ) -> Self {
        of.indexed_text(name).expect("use cases name indexed text fields");
        let (place, field) = of.field(name).expect("it was found a line above");
        Self { field, place, table, clauses, is_looked_up: false }
    }
}

impl Part {
    /// The field of `table` that is called `name`.
    ///
    /// # Panics
    /// When `table` declares no such field, or a map or a list: a mistake in the program.
    #[must_use]
    pub fn field(table: &'static Table, name: &str) -> Self {
        let (place, field) = declared(table, name, &SCALARS);
        Self::Field { field, place }
    }

    /// The day, in UTC, of the instant of `table` that is called `name`: a group for each day.
    ///
    /// # Panics
    /// When `table` declares no such field, or one that is no instant: a mistake in the program.
    #[must_use]
    pub fn day_of(table: &'static Table, name: &str) -> Self {
        let (place, field) = declared(table, name, &[FieldKind::Instant]);
        Self::DayOf { field, place }
    }

    /// The day of `table` that is called `name`: a group for each day.
    ///
    /// # Panics
    /// When `table` declares no such field, or one that is no day: a mistake in the program.
    #[must_use]
    pub fn day(table: &'static Table, name: &str) -> Self {
        let (place, field) = declared(table, name, &[FieldKind::Date]);
        Self::Field { field, place }
    }

    /// The field called `name` of the row of `table` that [`Tally::within`] names.
    ///
    /// # Panics
    /// As [`Part::field`].
    #[must_use]
    pub fn named(table: &'static Table, name: &str) -> Self {
        let (place, field) = declared(table, name, &[FieldKind::Text, FieldKind::Number]);
        Self::Named { field, place }
    }

    /// What it holds.
    #[must_use]
    pub const fn kind(&self) -> FieldKind {
        match self {
            Self::Field { field, .. } | Self::Named { field, .. } => field.kind,
            Self::DayOf { .. } => FieldKind::Date,
            Self::Body(_, kind) | Self::Element(_, kind) => *kind,
        }
    }

    fn value(&self, row: CountedRow<'_>, element: &Json) -> Value {
        match self {
            Self::Field { place, .. } => row.values.get(*place).cloned().unwrap_or(Value::Null),
            Self::Named { place, .. } => row.named.get(*place).cloned().unwrap_or(Value::Null),
            Self::DayOf { place, .. } => match row.values.get(*place) {
                Some(Value::Instant(instant)) => instant.to_offset(UtcOffset::UTC).date().into(),
                _ => Value::Null,
            },
            Self::Body(path, kind) => read(row.body, path, *kind),
            Self::Element(path, kind) => read(element, path, *kind),
        }
    }
}

/// The kinds of fields that tallies look at.
const SCALARS: [FieldKind; 5] =
    [FieldKind::Text, FieldKind::Number, FieldKind::Bool, FieldKind::Date, FieldKind::Instant];

/// The field `name` of `table`, which is of one of `kinds`.
fn declared(table: &'static Table, name: &str, kinds: &[FieldKind]) -> (usize, &'static Field) {
    let (place, field) = table.field(name).expect("use cases name declared fields");
    assert!(kinds.contains(&field.kind), "no tally looks at a field like {name}");
    (place, field)
}

impl Condition {
    /// That the field called `name` of the counted row of `table` is as `operator` says.
    ///
    /// # Panics
    /// When `table` declares no such field, or one that is no text, number or date: a mistake in
    /// the program.
    #[must_use]
    pub fn on(table: &'static Table, name: &str, operator: Operator) -> Self {
        let kinds = [FieldKind::Text, FieldKind::Number, FieldKind::Date];
        let (place, field) = declared(table, name, &kinds);
        Self { part: Part::Field { field, place }, operator }
    }

    fn holds(&self, row: CountedRow<'_>, element: &Json) -> bool {
        compare(&self.operator, &self.part.value(row, element))
    }
}

/// A row that is counted, as far as the tally looks at it.
#[derive(Debug, Clone, Copy)]
pub struct CountedRow<'a> {
    /// The values of its fields, in the table's order; what is not looked at may be null.
    pub values: &'a [Value],
    /// The same of the row that [`Tally::within`] names.
    pub named: &'a [Value],
    /// Its body, or null when nothing looks inside.
    pub body: &'a Json,
}

/// What `json` has at the end of `path`.
fn at(json: &Json, path: JsonPath) -> Option<&Json> {
    path.iter().try_fold(json, |json, key| json.as_object()?.get(*key))
}

fn read(json: &Json, path: JsonPath, kind: FieldKind) -> Value {
    match (at(json, path), kind) {
        (Some(Json::Number(number)), FieldKind::Number) => {
            Decimal::computed(number.as_str()).map_or(Value::Null, Value::Number)
        }
        (Some(Json::String(text)), FieldKind::Text) => Value::Text(text.clone()),
        (Some(Json::Bool(flag)), FieldKind::Bool) => Value::Bool(*flag),
        _ => Value::Null,
    }
}

/// What `tally` comes to over `rows`, all of one tenant, and `others`, that tenant's rows of
/// [`Within::table`]: by group, in the order of the groups' values, null first.
#[must_use]
pub fn evaluate_tally<A: Record, B: Record>(
    tally: &Tally,
    rows: &[A],
    others: &[B],
) -> Vec<TallyRow> {
    let within = tally.within.as_ref().map(|within| {
        let named = others.iter().map(|other| (other, other.values()));
        let named = named.filter(|(other, values)| counts(*other, values, &within.clauses));
        let by_id = named.map(|(other, values)| (other.id(), values));
        (within.place, by_id.collect::<BTreeMap<_, _>>())
    });
    let mut counter = Counter::new(tally);
    for row in rows {
        let values = row.values();
        let named = match &within {
            None => Some(&[][..]),
            Some((place, named)) => match values.get(*place) {
                Some(Value::Text(id)) => named.get(id).map(Vec::as_slice),
                _ => None,
            },
        };
        if let Some(named) = named
            && counts(row, &values, &tally.clauses)
        {
            let body = serde_json::to_value(row).unwrap_or(Json::Null);
            counter.add(CountedRow { values: &values, named, body: &body });
        }
    }
    counter.rows()
}

fn counts<A: Record>(row: &A, values: &[Value], clauses: &[Clause]) -> bool {
    !row.is_trashed() && clauses.iter().all(|clause| holds(clause, values.get(clause.place)))
}

impl TallyRow {
    /// The order in which groups are answered.
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        order(&self.by, &other.by)
    }
}

/// By the first values that differ.
fn order(a: &[Value], b: &[Value]) -> Ordering {
    let pairs = a.iter().zip(b).map(|(a, b)| a.order(b));
    pairs.fold(Ordering::Equal, Ordering::then)
}
