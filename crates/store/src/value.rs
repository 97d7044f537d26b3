//! The scalars that lists filter and order by.

use std::cmp::Ordering;

use time::{Date, OffsetDateTime};

use racun_kernel::Decimal;
use racun_kernel::calendar::{format_date, format_instant};

/// The value of a declared field.
///
/// Values of one field are of one kind, or null. Null sorts before everything else.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// No value.
    Null,
    /// Text; compared byte by byte.
    Text(String),
    /// An exact number.
    Number(Decimal),
    /// True or false; false sorts first.
    Bool(bool),
    /// A calendar day.
    Date(Date),
    /// An instant, at millisecond resolution.
    Instant(OffsetDateTime),
    /// A map of strings: `metadata`. Only filtered, never ordered by.
    Map(std::collections::BTreeMap<String, String>),
    /// An array of texts. Only filtered, never ordered by.
    List(Vec<String>),
}

impl Value {
    /// The order of two values of one field; null first, then by value.
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Null, Self::Null) => Ordering::Equal,
            (Self::Null, _) => Ordering::Less,
            (_, Self::Null) => Ordering::Greater,
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => a.cmp(b),
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Date(a), Self::Date(b)) => a.cmp(b),
            (Self::Instant(a), Self::Instant(b)) => a.cmp(b),
            _ => Ordering::Equal,
        }
    }

    /// The text by which text operators see this value; `None` for null, maps and lists.
    #[must_use]
    pub fn as_text(&self) -> Option<String> {
        match self {
            Self::Null | Self::Map(_) | Self::List(_) => None,
            Self::Text(text) => Some(text.clone()),
            Self::Number(number) => Some(number.to_string()),
            Self::Bool(value) => Some(value.to_string()),
            Self::Date(date) => Some(format_date(*date)),
            Self::Instant(instant) => Some(format_instant(*instant)),
        }
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&Decimal> for Value {
    fn from(number: &Decimal) -> Self {
        Self::Number(number.clone())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(Decimal::from(number))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Date> for Value {
    fn from(date: Date) -> Self {
        Self::Date(date)
    }
}

impl From<OffsetDateTime> for Value {
    fn from(instant: OffsetDateTime) -> Self {
        Self::Instant(instant)
    }
}

impl<K: racun_kernel::Kind> From<racun_kernel::Id<K>> for Value {
    fn from(id: racun_kernel::Id<K>) -> Self {
        Self::Text(id.to_string())
    }
}

impl From<&racun_kernel::Metadata> for Value {
    fn from(metadata: &racun_kernel::Metadata) -> Self {
        Self::Map(metadata.entries().clone())
    }
}
