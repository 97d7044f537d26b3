//! Why a command on orders is refused.

use racun_kernel::Issues;
use racun_store::StoreError;

/// Why a command on orders is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// The input breaks rules; every rule that it breaks is named.
    #[error(transparent)]
    Invalid(#[from] Issues),
    /// This entity has no such order or integration.
    #[error("there is no {id} here")]
    NotFound {
        /// The id that was asked for.
        id: String,
    },
    /// Its state does not allow it.
    #[error(transparent)]
    Refused(#[from] OrderRefusal),
    /// The store failed.
    #[error(transparent)]
    Store(StoreError),
}

/// What the state of orders and integrations does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OrderRefusal {
    /// The source's order is here already.
    #[error("this integration has an order with this source and source_id; change that one")]
    Duplicate,
    /// It is in the trash.
    #[error("it is in the trash; restore it first")]
    InTrash,
    /// It is not in the trash.
    #[error("only what is in the trash can be restored or erased; delete it first")]
    NotInTrash,
    /// A cancelled order is not processed.
    #[error("the order is cancelled and makes no document; make another one")]
    Cancelled,
    /// The order has an invoice.
    #[error("the order has an invoice; void that first")]
    Invoiced,
    /// The integration is off.
    #[error("the integration is not active; set is_active first")]
    Inactive,
    /// The integration has orders.
    #[error("an entity has at most {} integrations; delete one first", crate::MAX_INTEGRATIONS)]
    TooMany,
}

impl OrderRefusal {
    /// The stable code for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::InTrash => "in_trash",
            Self::NotInTrash => "not_in_trash",
            Self::Cancelled => "order_cancelled",
            Self::Invoiced => "order_invoiced",
            Self::Inactive => "integration_inactive",
            Self::TooMany => "too_many_integrations",
        }
    }
}

impl From<StoreError> for OrderError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { id } => Self::NotFound { id },
            other => Self::Store(other),
        }
    }
}
