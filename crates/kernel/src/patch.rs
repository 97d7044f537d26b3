//! A field of a partial update.

use serde::{Deserialize, Deserializer};

/// Absent from the request, explicitly null, or a value.
///
/// A field of this type needs `#[serde(default)]`, so that absence is not an error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Patch<T> {
    #[default]
    /// The request does not mention the field: it stays as it is.
    Absent,
    /// The request clears the field.
    Null,
    /// The request sets the field.
    Value(T),
}

impl<T> Patch<T> {
    /// Writes what the request says into `field`.
    pub fn apply(self, field: &mut Option<T>) {
        match self {
            Self::Absent => {}
            Self::Null => *field = None,
            Self::Value(value) => *field = Some(value),
        }
    }

    /// Writes a value into a `field` that always holds one; null gives it `default`.
    pub fn apply_or(self, field: &mut T, default: T) {
        match self {
            Self::Absent => {}
            Self::Null => *field = default,
            Self::Value(value) => *field = value,
        }
    }

    /// The same field with its value changed by `f`.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Absent => Patch::Absent,
            Self::Null => Patch::Null,
            Self::Value(value) => Patch::Value(f(value)),
        }
    }

    /// Like [`Patch::map`], with a function that may refuse the value.
    ///
    /// # Errors
    /// What `f` answers.
    pub fn try_map<U, E>(self, f: impl FnOnce(T) -> Result<U, E>) -> Result<Patch<U>, E> {
        Ok(match self {
            Self::Absent => Patch::Absent,
            Self::Null => Patch::Null,
            Self::Value(value) => Patch::Value(f(value)?),
        })
    }

    /// Whether the request does not mention the field.
    #[must_use]
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// The value, when there is one.
    #[must_use]
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }
}

impl<T> From<Option<T>> for Patch<T> {
    /// A field that was given: `None` clears it.
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::from)
    }
}
