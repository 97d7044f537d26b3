//! Appends that were accepted: each is applied once, however often it is sent.

use racun_kernel::id::{EntityId, PosTabId};
use racun_kernel::{Issue, Tenant};
use racun_store::Field;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Characters that an append's name may hold.
pub const MAX_APPEND_ID_CHARS: usize = 64;

/// The name that a caller gives an append or a move of lines, so that a retry is recognised.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AppendId(String);

impl AppendId {
    /// Accepts 1 to [`MAX_APPEND_ID_CHARS`] characters, none of them NUL.
    ///
    /// # Errors
    /// `invalid_length` or `invalid_value`.
    pub fn parse(text: String) -> Result<Self, Issue> {
        if text.is_empty() || text.chars().count() > MAX_APPEND_ID_CHARS {
            let message = format!(
                "expected 1 to {MAX_APPEND_ID_CHARS} characters, the same for each retry of an \
                 append and no other one"
            );
            return Err(Issue::new("invalid_length", message));
        }
        if text.contains('\0') {
            return Err(Issue::new("invalid_value", "text cannot hold a NUL character"));
        }
        Ok(Self(text))
    }

    /// What the accepted append of this name on `tab` is found by: [`APPENDS`]' field `key`.
    #[must_use]
    pub fn key(&self, tab: PosTabId) -> String {
        format!("{tab}/{}", self.0)
    }

    /// What the accepted move of this name from `tab` is found by. No append's key looks like it.
    #[must_use]
    pub fn move_key(&self, tab: PosTabId) -> String {
        format!("{tab}>{}", self.0)
    }
}

/// What is known of an append before it is decided on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Naming {
    /// It has no name: it is applied as often as it is sent.
    Unnamed,
    /// No append of its name was accepted.
    New(AppendId),
    /// An append of its name was accepted before.
    Accepted,
}

/// An append, or a move of lines, that was accepted. A row of its own, so that a tab does not grow
/// with its retries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedAppend {
    /// [`AppendId::key`] or [`AppendId::move_key`].
    pub id: String,
    /// Whose tab.
    pub entity_id: EntityId,
    /// The tab.
    pub tab_id: PosTabId,
    /// When it was accepted.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

racun_store::record! {
    /// Where accepted appends are kept. The hidden field `key` is the id once more: rows that a
    /// field finds are read after the tab is held, and so show what was accepted while a unit
    /// waited for it.
    pub static APPENDS: AcceptedAppend = "pos_appends";
    |append|
    id: append.id,
    tenant: Tenant::entity(append.entity_id),
    fields: {
        Field::id() => append.id,
        Field::text("tab_id") => append.tab_id,
        Field::instant("created_at") => append.created_at,
        Field::text("key").indexed().hidden() => append.id,
    }
}
