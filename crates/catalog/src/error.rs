//! Why the catalogue refuses.

use racun_kernel::Issues;
use racun_store::StoreError;

/// Why a command on the catalogue is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    /// The input, or a list query, breaks a rule; every rule that it breaks is named.
    #[error(transparent)]
    Invalid(#[from] Issues),
    /// This entity has no such record.
    #[error("there is no {id} here")]
    NotFound {
        /// The id that was asked for.
        id: String,
    },
    /// Another record of the entity has this value already.
    #[error("another record has the same {field}")]
    Conflict {
        /// The field, as on the wire.
        field: &'static str,
    },
    /// The record's state does not allow it.
    #[error("{}", .0.message())]
    Refused(RefusalReason),
    /// The store failed.
    #[error(transparent)]
    Store(StoreError),
}

/// Which state refuses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalReason {
    /// A record in the trash cannot be updated.
    InTrash,
    /// Only a record in the trash can be restored or erased.
    NotInTrash,
}

impl RefusalReason {
    /// The stable code for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::InTrash => "in_trash",
            Self::NotInTrash => "not_in_trash",
        }
    }

    /// What is wrong and what would help, for people.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::InTrash => "the record is in the trash; restore it first",
            Self::NotInTrash => "the record is not in the trash; delete it first",
        }
    }
}

impl From<StoreError> for CatalogError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { id } => Self::NotFound { id },
            StoreError::Duplicate { field: "live_classification", .. } => {
                Self::Conflict { field: "classification" }
            }
            other => Self::Store(other),
        }
    }
}
