//! Records that exist to be stored: every kind of field, in a column and in the body.

use std::hash::{BuildHasher, RandomState};

use racun_kernel::id::EntityId;
use racun_kernel::{Decimal, Metadata, Tenant};
use serde::{Deserialize, Serialize};
use time::macros::datetime;
use time::{Date, OffsetDateTime};
use ulid::Ulid;

use crate::{Field, Listing, State, Unique, Value};

crate::record! {
    /// Where [`Sample`]s are kept.
    pub static SAMPLES: Sample = "samples";
    |sample|
    id: sample.id,
    tenant: Tenant::entity(sample.entity_id),
    trashed: sample.deleted_at.is_some(),
    where {
        let customer_name = sample.customer.as_ref().and_then(|customer| customer.name.clone());
    }
    fields: {
        Field::id() => sample.id,
        Field::instant("created_at") => sample.created_at,
        Field::instant("deleted_at") => sample.deleted_at,
        Field::text("name").searched().listed(Listing::Ordered) => sample.name,
        Field::text("code").unique(Unique::Tenant) => sample.code,
        Field::text("handle").unique(Unique::Everywhere).hidden() => sample.handle,
        Field::text("group").in_column("group_name").indexed() => sample.group,
        Field::number("amount").listed(Listing::Ordered).state(State::Beside) => sample.amount,
        Field::bool("active").listed(Listing::Ordered).state(State::Leads) => sample.active,
        Field::date("day").indexed() => sample.day,
        Field::instant("seen_at").listed(Listing::Seldom).state(State::Beside) => sample.seen_at,
        Field::map("metadata") => sample.metadata,
        Field::list("tags") => sample.tags.clone().map_or(Value::Null, Value::List),
        Field::body("customer.name", &["customer", "name"]).searched().listed(Listing::Ordered)
            => customer_name,
        Field::body("note", &["note"]).listed(Listing::Long) => sample.note,
    }
}

crate::record! {
    /// Where [`Note`]s are kept: a table without a trash.
    pub static NOTES: Note = "sample_notes";
    |note|
    id: note.id,
    tenant: Tenant::entity(note.entity_id),
    fields: {
        Field::instant("created_at") => note.created_at,
        Field::text("sample_id").indexed() => note.sample_id,
        Field::text("text").searched() => note.text,
    }
}

/// A record with a field of every kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Its id.
    pub id: String,
    /// The tenant.
    pub entity_id: EntityId,
    /// The default order.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// Set while it is in the trash.
    #[serde(with = "time::serde::rfc3339::option")]
    pub deleted_at: Option<OffsetDateTime>,
    /// A searched text.
    pub name: Option<String>,
    /// A text that is unique within the tenant.
    pub code: Option<String>,
    /// A text that is unique everywhere, and hidden from callers.
    pub handle: Option<String>,
    /// An indexed text whose column has another name.
    pub group: Option<String>,
    /// A number.
    pub amount: Option<Decimal>,
    /// A truth.
    pub active: Option<bool>,
    /// A day.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub day: Option<Date>,
    /// An instant.
    #[serde(with = "time::serde::rfc3339::option")]
    pub seen_at: Option<OffsetDateTime>,
    /// A map.
    pub metadata: Option<Metadata>,
    /// A list.
    pub tags: Option<Vec<String>>,
    /// A snapshot: `customer.name` is a searched field inside the body.
    pub customer: Option<SampleCustomer>,
    /// A field inside the body.
    pub note: Option<String>,
    /// An array inside the body, as the lines of a document.
    #[serde(default)]
    pub parts: Option<Vec<SamplePart>>,
}

/// An element of [`Sample::parts`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SamplePart {
    /// A text.
    pub label: Option<String>,
    /// A number that is deeper inside.
    pub price: SamplePrice,
}

/// What a [`SamplePart`] costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SamplePrice {
    /// How much.
    pub amount: Option<Decimal>,
}

/// What a [`Sample`] holds of a customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleCustomer {
    /// The customer's name.
    pub name: Option<String>,
}

impl Sample {
    /// A sample with nothing in it but its id and tenant.
    #[must_use]
    pub fn new(entity_id: EntityId, id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            entity_id,
            created_at: datetime!(2026-11-20 08:30 UTC),
            deleted_at: None,
            name: None,
            code: None,
            handle: None,
            group: None,
            amount: None,
            active: None,
            day: None,
            seen_at: None,
            metadata: None,
            tags: None,
            customer: None,
            note: None,
            parts: None,
        }
    }
}

/// A record of a table without a trash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Its id.
    pub id: String,
    /// The tenant.
    pub entity_id: EntityId,
    /// The default order.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// The sample that it is on.
    pub sample_id: String,
    /// What it says.
    pub text: String,
}

impl Note {
    /// A note on the sample `sample_id`.
    #[must_use]
    pub fn new(entity_id: EntityId, id: impl Into<String>, sample_id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            entity_id,
            created_at: datetime!(2026-11-20 08:30 UTC),
            sample_id: sample_id.into(),
            text: "Račun".to_owned(),
        }
    }
}

/// An entity that no other test, and no earlier run, has used: a database may be shared.
pub(super) fn fresh_entity() -> EntityId {
    let random = || u128::from(RandomState::new().hash_one("entity"));
    EntityId::new(Ulid::from(random() << 64 | random()))
}
