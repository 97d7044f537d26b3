//! Scalars of document bodies.

use racun_kernel::calendar::{parse_date, parse_document_date, parse_instant};
use serde::{Deserialize, Deserializer};
use time::{Date, OffsetDateTime};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};

/// A document date: `YYYY-MM-DD`, optionally with a time of day, which is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentDate(pub Date);

impl<'de> Deserialize<'de> for DocumentDate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let read = parse_document_date(&text).map(Self);
        read.map_err(|issue| serde::de::Error::custom(issue.message))
    }
}

/// A day: `YYYY-MM-DD` and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day(pub Date);

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_date(&text).map(Self).map_err(|issue| serde::de::Error::custom(issue.message))
    }
}

/// An instant: `YYYY-MM-DDThh:mm:ss` with `Z` or an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instant(pub OffsetDateTime);

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_instant(&text).map(Self).map_err(|issue| serde::de::Error::custom(issue.message))
    }
}

/// A document date, or null.
pub(crate) fn date_schema() -> Schema {
    let either = SchemaType::from_iter([Type::String, Type::Null]);
    ObjectBuilder::new()
        .schema_type(either)
        .pattern(Some(r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z?)?$"))
        .build()
        .into()
}
