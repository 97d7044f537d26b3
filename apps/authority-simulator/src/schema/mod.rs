//! What the schemas of the authorities allow, written as tables, and checked strictly: order,
//! types, patterns, and nothing that is not named.
//!
//! One table describes both forms: XML has the parts in this order, JSON in any. The checked
//! message is returned in one form: an object of texts, objects and, where a part may be repeated,
//! arrays.

#[cfg(test)]
mod agreement;
pub mod at;
pub mod fina;
pub mod furs;
mod json;
mod simple;
mod xml;

pub use json::json;
pub use simple::{Simple, croatian};
pub use xml::{FINA, FURS, xml};

/// What a message, or a part of it, consists of.
pub type Parts = &'static [Part];

/// A member of a sequence.
pub enum Part {
    /// This.
    One(Field),
    /// Exactly one of these.
    Either(&'static [Field]),
}

/// Something with a name.
pub struct Field {
    /// Its name, in both forms.
    pub name: &'static str,
    /// How often it stands at least.
    pub least: usize,
    /// The same, as JSON.
    pub least_in_json: usize,
    /// How often it stands at most. As JSON it is an array, if that is more than once.
    pub most: usize,
    /// What it holds.
    pub holds: Holds,
}

/// What a field holds.
pub enum Holds {
    /// A text, number or truth.
    Value(Simple),
    /// Other fields.
    Parts(Parts),
}

const fn field(name: &'static str, least: usize, most: usize, holds: Holds) -> Field {
    Field { name, least, least_in_json: least, most, holds }
}

/// A value that stands once.
const fn one(name: &'static str, value: Simple) -> Part {
    Part::One(field(name, 1, 1, Holds::Value(value)))
}

/// A value that may stand once.
const fn maybe(name: &'static str, value: Simple) -> Part {
    Part::One(field(name, 0, 1, Holds::Value(value)))
}

/// A group that stands once.
const fn group(name: &'static str, parts: Parts) -> Part {
    Part::One(field(name, 1, 1, Holds::Parts(parts)))
}

/// A group that may stand once.
const fn maybe_group(name: &'static str, parts: Parts) -> Part {
    Part::One(field(name, 0, 1, Holds::Parts(parts)))
}

/// A group that stands at least `least` times.
const fn groups(name: &'static str, least: usize, most: usize, parts: Parts) -> Part {
    Part::One(field(name, least, most, Holds::Parts(parts)))
}

/// What is wrong with a message, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct Invalid {
    /// The place, as a path of names.
    pub path: String,
    /// What is wrong there.
    pub reason: String,
}

impl Invalid {
    /// `reason`, at the place called `name`.
    pub fn at(name: &str, reason: impl Into<String>) -> Self {
        Self { path: name.to_owned(), reason: reason.into() }
    }

    fn within(mut self, name: &str) -> Self {
        self.path = format!("{name}/{}", self.path);
        self
    }
}
