//! Statistics: counts and sums over an entity's rows, grouped.
//!
//! | Module   | Owns                                                           |
//! | -------- | -------------------------------------------------------------- |
//! | `tables` | the tables that may be asked, and their fields                 |
//! | `parse`  | queries as they are sent, checked                              |
//! | `filter` | conditions, in the operators of lists                          |
//! | `fold`   | what a query means                                             |
//!
//! Drafts and voided documents are counted unless a filter leaves them out; what is in the trash is
//! never counted. Converted amounts are those of the document where nothing was converted.

mod filter;
mod fold;
mod parse;
mod tables;

use std::cmp::Ordering;

use racun_kernel::Decimal;
use time::{Date, OffsetDateTime};

pub use filter::{StatCondition, StatFilter};
pub use fold::{Partial, StatFold, StatRow, overdue_bucket};
pub use parse::{MAX_QUERIES, MAX_ROWS, parse_queries};
pub use tables::{Derived, StatField, StatKind, StatTable};

/// A value of a row or of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatValue {
    /// None.
    Null,
    /// Text.
    Text(String),
    /// A number.
    Number(Decimal),
    /// True or false.
    Bool(bool),
    /// A day.
    Date(Date),
    /// An instant.
    Instant(OffsetDateTime),
}

impl StatValue {
    /// The order of two values of one field: null first, then by value.
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => a.cmp(b),
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Date(a), Self::Date(b)) => a.cmp(b),
            (Self::Instant(a), Self::Instant(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }

    const fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Text(_) => 1,
            Self::Number(_) => 2,
            Self::Bool(_) => 3,
            Self::Date(_) => 4,
            Self::Instant(_) => 5,
        }
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

impl<T: Into<Self>> From<Option<T>> for StatValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl From<&str> for StatValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for StatValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Decimal> for StatValue {
    fn from(number: Decimal) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for StatValue {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Date> for StatValue {
    fn from(date: Date) -> Self {
        Self::Date(date)
    }
}

impl From<OffsetDateTime> for StatValue {
    fn from(instant: OffsetDateTime) -> Self {
        Self::Instant(instant)
    }
}

/// A query that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatQuery {
    /// What is counted.
    pub table: StatTable,
    /// Only from this day on, by the table's date.
    pub from: Option<Date>,
    /// Only up to this day, it included.
    pub to: Option<Date>,
    /// What is answered of each group.
    pub metrics: Vec<Metric>,
    /// All must hold.
    pub filters: Vec<StatFilter>,
    /// What makes a group.
    pub groups: Vec<Group>,
    /// The order of the answer; then by group.
    pub order: Vec<StatOrder>,
    /// Rows of the answer, at most.
    pub limit: usize,
}

/// A figure of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metric {
    /// What it is.
    pub measure: Measure,
    /// What it is called in the answer.
    pub alias: String,
}

/// What a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// How many rows.
    Count,
    /// What the field comes to; 0 of nothing.
    Sum(&'static StatField),
    /// The sum by the rows that have a value, to two decimals, halves away from zero.
    Avg(&'static StatField),
    /// The least value.
    Min(&'static StatField),
    /// The greatest value.
    Max(&'static StatField),
}

impl Measure {
    /// The field that it looks at.
    #[must_use]
    pub const fn field(&self) -> Option<&'static StatField> {
        match self {
            Self::Count => None,
            Self::Sum(field) | Self::Avg(field) | Self::Min(field) | Self::Max(field) => {
                Some(field)
            }
        }
    }
}

/// What rows of a group have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// The value of a field.
    Field(&'static StatField),
    /// What follows from one.
    Derived(Derived, &'static StatField),
}

impl Group {
    /// Its name in queries and answers.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Field(field) => field.name,
            Self::Derived(derived, _) => derived.name(),
        }
    }

    /// See [`Derived::settled_by`].
    #[must_use]
    pub const fn settled_by(&self) -> &'static [&'static str] {
        match self {
            Self::Field(_) => &[],
            Self::Derived(derived, _) => derived.settled_by(),
        }
    }

    /// The field that it looks at.
    #[must_use]
    pub const fn field(&self) -> &'static StatField {
        match self {
            Self::Field(field) | Self::Derived(_, field) => field,
        }
    }
}

/// A column of the answer to order by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatOrder {
    /// Its place in the answer: groups first, metrics behind.
    pub place: usize,
    /// Greatest first.
    pub descending: bool,
}
