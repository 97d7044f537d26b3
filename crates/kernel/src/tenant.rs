//! Whose rows are whose.

use serde::{Deserialize, Serialize};

use crate::Kind;
use crate::id::{self, AccountId, EntityId};

/// Whose a row is: an entity's, an account's, or of the directory that all share.
///
/// The directory holds what is read before anyone is known: accounts, users, keys, sessions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tenant(String);

impl Tenant {
    /// The rows of an entity.
    #[must_use]
    pub fn entity(id: EntityId) -> Self {
        Self(id.to_string())
    }

    /// The rows of an account.
    #[must_use]
    pub fn account(id: AccountId) -> Self {
        Self(id.to_string())
    }

    /// The rows that belong to no account or entity.
    #[must_use]
    pub fn directory() -> Self {
        Self("directory".to_owned())
    }

    /// Whether what it stores counts against an account's budget: all but the directory, which is
    /// the server's own.
    #[must_use]
    pub fn is_budgeted(&self) -> bool {
        self.0 != "directory"
    }

    /// Whether it is an entity's; otherwise an account's, or the directory.
    #[must_use]
    pub fn is_of_an_entity(&self) -> bool {
        self.0.starts_with(<id::Entity as Kind>::PREFIX)
    }

    /// Its text, as stored.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
