//! What a cell holds.

use racun_kernel::Decimal;
use racun_kernel::text::turns_direction;
use time::{Date, OffsetDateTime};

/// One cell of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// Text, which no program takes for a formula.
    Text(String),
    /// An exact number.
    Number(Decimal),
    /// A whole number.
    Whole(i64),
    /// A calendar day.
    Date(Date),
    /// An instant; written in UTC.
    Instant(OffsetDateTime),
}

/// What cells show of a text: all but what turns the direction of writing, by which a name would
/// read as another one.
pub fn shown(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|sign| !turns_direction(*sign))
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Cell {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<Decimal> for Cell {
    fn from(number: Decimal) -> Self {
        Self::Number(number)
    }
}

impl From<&Decimal> for Cell {
    fn from(number: &Decimal) -> Self {
        Self::Number(number.clone())
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Whole(number)
    }
}

impl From<bool> for Cell {
    /// `true` or `false`, as the interface writes them.
    fn from(value: bool) -> Self {
        Self::Text(value.to_string())
    }
}

impl From<Date> for Cell {
    fn from(date: Date) -> Self {
        Self::Date(date)
    }
}

impl From<OffsetDateTime> for Cell {
    fn from(instant: OffsetDateTime) -> Self {
        Self::Instant(instant)
    }
}
