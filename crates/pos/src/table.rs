//! Tables: the places that tabs are opened on.

use std::collections::BTreeMap;

use racun_kernel::id::{EntityId, PosTableId};
use racun_kernel::{Issues, Metadata, Patch, Tenant};
use racun_store::Actor;
use racun_store::{Decision, Event, EventKind, Field};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::check::{apply_metadata, not_blank, required};
use crate::error::{PosError, TableRefusal};
use crate::events;

/// Tables that an entity may have; deleted ones do not count.
pub const MAX_TABLES: usize = 200;
/// Characters that a table's label may hold.
pub const MAX_LABEL_CHARS: usize = 200;

/// A place that tabs are opened on, as staff refer to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PosTable {
    /// Its id.
    pub id: PosTableId,
    /// Whose table.
    pub entity_id: EntityId,
    /// Its name, as staff refer to it.
    pub label: String,
    /// Its place in lists: smallest first.
    pub sort_order: i32,
    /// Whether tabs can be opened on it. One that is not active is left out of lists.
    pub is_active: bool,
    /// What the caller attached.
    pub metadata: Metadata,
    /// Since when it is deleted, for good.
    #[serde(with = "time::serde::rfc3339::option")]
    pub deleted_at: Option<OffsetDateTime>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// What a caller says of a table. A new one needs `label`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PosTableInput {
    /// 1 to [`MAX_LABEL_CHARS`] characters, not blank.
    pub label: Patch<String>,
    /// 0 when missing.
    pub sort_order: Patch<i32>,
    /// True when missing.
    pub is_active: Patch<bool>,
    /// What the caller attaches; replaces all that was attached, null empties it.
    pub metadata: Patch<BTreeMap<String, String>>,
}

impl PosTableInput {
    /// The new table that this describes, beside `present` others of the entity, and what happened.
    ///
    /// # Errors
    /// All that is wrong, by path; [`TableRefusal::TooMany`].
    pub fn into_table(
        self,
        present: usize,
        actor: &Actor,
    ) -> Result<(PosTable, Vec<Event>), PosError> {
        let mut table = PosTable {
            id: actor.stamp().id(),
            entity_id: actor.entity_id(),
            label: String::new(),
            sort_order: 0,
            is_active: true,
            metadata: Metadata::default(),
            deleted_at: None,
            created_at: actor.now(),
            updated_at: actor.now(),
        };
        self.apply(&mut table)?;
        if present >= MAX_TABLES {
            return Err(TableRefusal::TooMany.into());
        }
        let events = vec![actor.event(events::pos_table::CREATED, table.id)];
        Ok((table, events))
    }

    fn apply(self, table: &mut PosTable) -> Result<(), Issues> {
        let mut issues = Issues::default();
        let missing = || Err(required("a label is needed").into());
        let label = match self.label {
            Patch::Absent if !table.label.is_empty() => Ok(table.label.clone()),
            Patch::Absent | Patch::Null => missing(),
            Patch::Value(label) => not_blank(label, MAX_LABEL_CHARS),
        };
        if let Some(label) = issues.collect("label", label) {
            table.label = label;
        }
        self.sort_order.apply_or(&mut table.sort_order, 0);
        self.is_active.apply_or(&mut table.is_active, true);
        apply_metadata(&mut issues, self.metadata, &mut table.metadata);
        issues.into_result(())
    }
}

impl PosTable {
    /// Takes over what `input` says; what leaves the table as it was changes nothing.
    ///
    /// # Errors
    /// [`PosError::NotFound`] when it is deleted; all that is wrong with the input, by path.
    pub fn update(self, input: PosTableInput, actor: &Actor) -> Result<Decision<Self>, PosError> {
        self.must_be_there()?;
        let mut after = self.clone();
        input.apply(&mut after)?;
        if after == self {
            return Ok(Decision::Unchanged(self));
        }
        Ok(after.changed(events::pos_table::UPDATED, actor))
    }

    /// Deletes the table, for good. `in_use` says whether a tab is open on it.
    ///
    /// # Errors
    /// [`PosError::NotFound`] when it is deleted already; [`TableRefusal::InUse`].
    pub fn delete(mut self, in_use: bool, actor: &Actor) -> Result<Decision<Self>, PosError> {
        self.must_be_there()?;
        if in_use {
            return Err(TableRefusal::InUse.into());
        }
        self.deleted_at = Some(actor.now());
        Ok(self.changed(events::pos_table::DELETED, actor))
    }

    fn must_be_there(&self) -> Result<(), PosError> {
        match self.deleted_at {
            None => Ok(()),
            Some(_) => Err(PosError::NotFound { id: self.id.to_string() }),
        }
    }

    fn changed(mut self, event: EventKind, actor: &Actor) -> Decision<Self> {
        self.updated_at = actor.now();
        let events = vec![actor.event(event, self.id)];
        Decision::changed(self, events)
    }
}

racun_store::record! {
    /// Where tables are kept. The hidden field `live_of` is the entity of those that are not
    /// deleted: by it a unit holds all that count.
    pub static POS_TABLES: PosTable = "pos_tables";
    |table|
    id: table.id,
    tenant: Tenant::entity(table.entity_id),
    trashed: table.deleted_at.is_some(),
    fields: {
        Field::id() => table.id,
        Field::text("label").searched() => table.label,
        Field::number("sort_order") => table.sort_order,
        Field::bool("is_active") => table.is_active,
        Field::map("metadata") => table.metadata,
        Field::instant("created_at") => table.created_at,
        Field::instant("updated_at") => table.updated_at,
        Field::instant("deleted_at") => table.deleted_at,
        Field::text("live_of").indexed().hidden()
            => Some(table.entity_id).filter(|_| table.deleted_at.is_none()),
    }
}
