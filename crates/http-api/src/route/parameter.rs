//! Query parameters that routes read.

/// A query parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What it holds.
    pub kind: ParameterKind,
}

impl Parameter {
    /// The entity, of routes that are entered by their queries.
    pub const ENTITY: Self = Self::text(
        "entity_id",
        "The entity, in the place of the header `x-entity-id`; both name the same one.",
    );
    /// The environment, of such a route.
    pub const ENVIRONMENT: Self = Self::text(
        "environment",
        "The environment of the entity: `live` or `sandbox`. Where no entity is named, the only \
         one there.",
    );

    /// A text.
    pub const fn text(name: &'static str, meaning: &'static str) -> Self {
        Self { name, meaning, kind: ParameterKind::Text }
    }

    /// A day.
    pub const fn day(name: &'static str, meaning: &'static str) -> Self {
        Self { name, meaning, kind: ParameterKind::Day }
    }

    /// A whole number.
    pub const fn integer(name: &'static str, meaning: &'static str) -> Self {
        Self { name, meaning, kind: ParameterKind::Integer }
    }

    /// `true` or `false`.
    pub const fn flag(name: &'static str, meaning: &'static str) -> Self {
        Self { name, meaning, kind: ParameterKind::Flag }
    }

    /// Texts; the parameter may be repeated.
    pub const fn texts(name: &'static str, meaning: &'static str) -> Self {
        Self { name, meaning, kind: ParameterKind::Texts }
    }
}

/// What a query parameter holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// Text.
    Text,
    /// A day, `YYYY-MM-DD`.
    Day,
    /// A whole number.
    Integer,
    /// A whole number from `least` to `most`; `absent` when it is not sent.
    Count {
        /// The smallest.
        least: i64,
        /// The greatest.
        most: i64,
        /// What its absence means.
        absent: i64,
    },
    /// `true` or `false`.
    Flag,
    /// Texts; the parameter may be repeated.
    Texts,
}
