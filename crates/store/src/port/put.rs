//! One row to write, and what it changes of the kept counts.

use std::collections::BTreeMap;

use racun_kernel::Tenant;

use super::Writes;
use crate::length::json_length;
use crate::{Record, Table, Value};

/// The name under which the bytes of a tenant are counted, in the place of a table's.
pub const BYTES: &str = "(bytes)";

/// Bytes of the JSON of most records, at most: a longer one is moved while it is written.
const USUAL_BYTES: usize = 4 * 1024;

/// What is to happen to a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutKind {
    /// It is new.
    Insert,
    /// It replaces the one with the same id.
    Update,
    /// It goes for good.
    Delete,
}

/// One row to write.
#[derive(Clone, PartialEq, Eq)]
pub struct Put {
    /// What happens.
    pub kind: PutKind,
    /// Where.
    pub table: &'static Table,
    /// Whose.
    pub tenant: Tenant,
    /// Which.
    pub id: String,
    /// The declared fields' values, in the table's order.
    pub values: Vec<Value>,
    /// What `search` looks through.
    pub search: String,
    /// The record as JSON.
    pub body: String,
    /// Change of the number of rows outside the trash: -1, 0 or 1.
    pub live_delta: i64,
    /// Change of the number of rows in the trash.
    pub trash_delta: i64,
    /// Change of the bytes that the account is charged for.
    pub bytes_delta: i64,
}

impl std::fmt::Debug for Put {
    /// Says which row, not what is in it: bodies hold digests, hashes and personal data.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {} {} of {}", self.kind, self.table.name, self.id, self.tenant.as_str())
    }
}

impl Put {
    /// A new row.
    #[must_use]
    pub fn insert<A: Record>(record: &A) -> Self {
        let trash = i64::from(record.is_trashed());
        Self::of(PutKind::Insert, record, 1 - trash, trash)
    }

    /// A row that replaces `before`.
    #[must_use]
    pub fn update<A: Record>(before: &A, after: &A) -> Self {
        Self::replacing(before.is_trashed(), bytes_of(before), after)
    }

    /// A row that replaces `before`, or a new one where there was none.
    #[must_use]
    pub fn write<A: Record>(before: Option<&A>, after: &A) -> Self {
        before.map_or_else(|| Self::insert(after), |before| Self::update(before, after))
    }

    /// What makes of `before` what is `after`, where `None` is no row; `None` when nothing changes.
    #[must_use]
    pub fn between<A: Record + PartialEq>(before: Option<&A>, after: Option<&A>) -> Option<Self> {
        match (before, after) {
            (None, None) => None,
            (None, Some(after)) => Some(Self::insert(after)),
            (Some(before), None) => Some(Self::delete(before)),
            (Some(before), Some(after)) => (before != after).then(|| Self::update(before, after)),
        }
    }

    /// A row that replaces one that was in the trash, or was not, and took so many bytes.
    pub(crate) fn replacing<A: Record>(was_trashed: bool, bytes: i64, after: &A) -> Self {
        let moved = i64::from(after.is_trashed()) - i64::from(was_trashed);
        let put = Self::of(PutKind::Update, after, -moved, moved);
        Self { bytes_delta: put.bytes_delta - bytes, ..put }
    }

    /// The end of a row.
    #[must_use]
    pub fn delete<A: Record>(record: &A) -> Self {
        let trash = i64::from(record.is_trashed());
        let put = Self::of(PutKind::Delete, record, trash - 1, -trash);
        Self { bytes_delta: -put.bytes_delta, ..put }
    }

    /// The end of a row that is there and was not read, for which no account is charged.
    ///
    /// # Panics
    /// When stores need what is in such a row: the table has a trash, or fields that are indexed. A
    /// mistake in the program.
    #[must_use]
    pub fn delete_row(table: &'static Table, tenant: Tenant, id: String) -> Self {
        let is_needed = table.has_trash() || table.fields.iter().any(|field| field.indexed);
        assert!(!is_needed, "rows of {} are read before they are deleted", table.name);
        Self {
            kind: PutKind::Delete,
            table,
            tenant,
            id,
            values: vec![Value::Null; table.fields.len()],
            search: String::new(),
            body: String::new(),
            live_delta: -1,
            trash_delta: 0,
            bytes_delta: 0,
        }
    }

    /// What `puts` together change of the kept counts, of rows out of the trash and of rows in it,
    /// by tenant and table; and of the bytes that an entity or account stores, under [`BYTES`].
    /// What stays as it is is left out.
    #[must_use]
    pub fn count_changes<'a>(
        puts: impl IntoIterator<Item = &'a Self>,
    ) -> BTreeMap<(&'a Tenant, &'static str), (i64, i64)> {
        let mut changes = BTreeMap::new();
        for put in puts {
            let (live, trashed): &mut (i64, i64) =
                changes.entry((&put.tenant, put.table.name)).or_default();
            *live += put.live_delta;
            *trashed += put.trash_delta;
            if put.tenant.is_budgeted() {
                let (bytes, _): &mut (i64, i64) = changes.entry((&put.tenant, BYTES)).or_default();
                *bytes += put.bytes_delta;
            }
        }
        changes.retain(|_, change| *change != (0, 0));
        changes
    }

    fn of<A: Record>(kind: PutKind, record: &A, live_delta: i64, trash_delta: i64) -> Self {
        let values = record.values();
        let body = json(record);
        Self {
            kind,
            table: record.table(),
            tenant: record.tenant(),
            id: record.id(),
            search: record.search_text(&values),
            values,
            live_delta,
            trash_delta,
            bytes_delta: record.charged_bytes(size(body.len())),
            body,
        }
    }
}

impl Writes {
    /// By how many bytes tenants with a budget store more with this, the log's entries included.
    #[must_use]
    pub fn stored_bytes(&self) -> i64 {
        let puts = self.puts.iter().filter(|put| put.tenant.is_budgeted());
        let events = self.events.iter().filter(|event| event.tenant.is_budgeted());
        let entries = events.map(super::Event::stored_bytes);
        puts.map(|put| put.bytes_delta).chain(entries).sum()
    }
}

/// `record` as JSON.
fn json<A: Record>(record: &A) -> String {
    let mut body = Vec::with_capacity(USUAL_BYTES);
    serde_json::to_writer(&mut body, record)
        .expect("records are plain data with string keys, which JSON always holds");
    String::from_utf8(body).expect("JSON is text")
}

/// The bytes that the account of `record` is charged for.
pub(super) fn bytes_of<A: Record>(record: &A) -> i64 {
    record.charged_bytes(size(json_length(record)))
}

/// A length as a number that can be below zero.
pub(super) fn size(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use racun_kernel::id::EntityId;

    use super::*;
    use crate::testing::contract::SAMPLES;

    #[test]
    #[should_panic(expected = "rows of samples are read before they are deleted")]
    fn rows_that_are_found_by_their_values_are_not_deleted_unread() {
        let tenant = Tenant::entity(EntityId::new(1_u128.into()));
        let _put = Put::delete_row(&SAMPLES, tenant, "smp_1".to_owned());
    }
}
