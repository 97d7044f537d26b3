//! Records that exist to be stored: every kind of field, in a column and in the body.

use std::hash::{BuildHasher, RandomState};

use serde::{Deserialize, Serialize};
use time::macros::datetime;
use time::{Date, OffsetDateTime};
use ulid::Ulid;

use crate::id::EntityId;
use crate::{
    Decimal, Field, FieldKind, Listing, Metadata, Record, State, Table, Tenant, Unique, Value,
};

/// Where [`Sample`]s are kept.
pub static SAMPLES: Table = Table {
    name: "samples",
    fields: &[
        Field::id(),
        Field::column("created_at", FieldKind::Instant),
        Field::column("deleted_at", FieldKind::Instant),
        Field::column("name", FieldKind::Text).searched().listed(Listing::Ordered),
        Field::column("code", FieldKind::Text).unique(Unique::Tenant),
        Field::column("handle", FieldKind::Text).unique(Unique::Everywhere).hidden(),
        Field::column("group", FieldKind::Text).in_column("group_name").indexed(),
        Field::column("amount", FieldKind::Number).listed(Listing::Ordered).state(State::Beside),
        Field::column("active", FieldKind::Bool).listed(Listing::Ordered).state(State::Leads),
        Field::column("day", FieldKind::Date).indexed(),
        Field::column("seen_at", FieldKind::Instant).listed(Listing::Seldom).state(State::Beside),
        Field::column("metadata", FieldKind::Map),
        Field::column("tags", FieldKind::List),
        Field::body("customer.name", &["customer", "name"]).searched().listed(Listing::Ordered),
        Field::body("note", &["note"]).listed(Listing::Long),
    ],
};

/// Where [`Note`]s are kept: a table without a trash.
pub static NOTES: Table = Table {
    name: "sample_notes",
    fields: &[
        Field::column("created_at", FieldKind::Instant),
        Field::column("sample_id", FieldKind::Text).indexed(),
        Field::column("text", FieldKind::Text).searched(),
    ],
};

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
    #[serde(with = "crate::calendar::date::option")]
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

impl Record for Sample {
    fn table(&self) -> &'static Table {
        &SAMPLES
    }

    fn id(&self) -> String {
        self.id.clone()
    }

    fn tenant(&self) -> Tenant {
        Tenant::entity(self.entity_id)
    }

    fn values(&self) -> Vec<Value> {
        let customer_name = self.customer.as_ref().and_then(|customer| customer.name.clone());
        vec![
            (&self.id).into(),
            self.created_at.into(),
            self.deleted_at.into(),
            self.name.clone().into(),
            self.code.clone().into(),
            self.handle.clone().into(),
            self.group.clone().into(),
            self.amount.as_ref().into(),
            self.active.into(),
            self.day.into(),
            self.seen_at.into(),
            self.metadata.as_ref().into(),
            self.tags.clone().map_or(Value::Null, Value::List),
            customer_name.into(),
            self.note.clone().into(),
        ]
    }

    fn is_trashed(&self) -> bool {
        self.deleted_at.is_some()
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

impl Record for Note {
    fn table(&self) -> &'static Table {
        &NOTES
    }

    fn id(&self) -> String {
        self.id.clone()
    }

    fn tenant(&self) -> Tenant {
        Tenant::entity(self.entity_id)
    }

    fn values(&self) -> Vec<Value> {
        vec![self.created_at.into(), (&self.sample_id).into(), (&self.text).into()]
    }
}

/// An entity that no other test, and no earlier run, has used: a database may be shared.
pub(super) fn fresh_entity() -> EntityId {
    let random = || u128::from(RandomState::new().hash_one("entity"));
    EntityId::new(Ulid::from(random() << 64 | random()))
}
