//! Why a command at the point of sale is refused.

use racun_kernel::{Issue, Issues};
use racun_store::StoreError;

use crate::closing::Closing;
use crate::tab::Tab;
use crate::totals::TabTotals;

/// Why a command at the point of sale is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PosError {
    /// The input breaks rules; every rule that it breaks is named.
    #[error(transparent)]
    Invalid(#[from] Issues),
    /// This entity has no such table or tab.
    #[error("there is no {id} here")]
    NotFound {
        /// The id that was asked for.
        id: String,
    },
    /// The tab's state does not allow it.
    #[error("{}", .0.reason)]
    Tab(Box<RefusedTab>),
    /// The entity's tables do not allow it.
    #[error(transparent)]
    Table(#[from] TableRefusal),
    /// The invoice cannot close a tab.
    #[error("{}", .0.message)]
    Invoice(Issue),
    /// The day is closed: this is its closing.
    #[error("this day was closed before, as number {}; a closing never changes", .0.number)]
    DayClosed(Box<Closing>),
    /// Each attempt lost against another request that closed the same place.
    #[error("the same place was closed at the same moment; look at its closings")]
    ClosedMeanwhile,
    /// The store failed.
    #[error(transparent)]
    Store(StoreError),
}

/// A tab that refused a command, as it is: the caller decides again on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedTab {
    /// Why.
    pub reason: TabRefusal,
    /// The tab.
    pub tab: Tab,
    /// Its totals, once they are calculated.
    pub totals: Option<TabTotals>,
}

/// What a tab's state does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TabRefusal {
    /// A device is taking the payment: nothing is added, changed or claimed until it is done.
    #[error("another device is taking the payment; wait until it closes or releases the tab")]
    AlreadyClaimed,
    /// Only the device that claimed the tab releases it, until its claim runs out.
    #[error("another device has claimed the tab; only it can release it until the claim runs out")]
    NotClaimant,
    /// Only a claimed tab can be closed.
    #[error("the tab is not claimed; claim it before the invoice is issued")]
    NotClaimed,
    /// The caller saw another version.
    #[error("the tab is no longer at version {expected}; look at it and send the change again")]
    StaleVersion {
        /// The version that the caller saw.
        expected: i64,
    },
    /// What is invoiced stays as it is.
    #[error("the tab is invoiced and stays as it is; open another one")]
    Issued,
    /// This share of it is invoiced already.
    #[error("share {number} of the tab is invoiced already; the tab says by which invoice")]
    ShareInvoiced {
        /// Which one.
        number: u32,
    },
    /// One of several equal shares is invoiced, so what they are shares of stays as it is.
    #[error(
        "the tab is being invoiced in {of} equal shares; invoice the others, each by its number"
    )]
    SharesOutstanding {
        /// How many there are.
        of: u32,
    },
    /// It was closed with another invoice.
    #[error("the tab was closed with another invoice")]
    IssuedOtherwise,
    /// What is cancelled stays as it is.
    #[error("the tab is cancelled and stays as it is; open another one")]
    Cancelled,
}

/// What an entity's tables do not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TableRefusal {
    /// The entity has as many tables as it may have.
    #[error("an entity has at most {} tables; delete one first", crate::MAX_TABLES)]
    TooMany,
    /// A tab is open on the table.
    #[error("a tab is open on this table; close, cancel or move it first")]
    InUse,
}

impl TableRefusal {
    /// The stable code for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::TooMany => "too_many_tables",
            Self::InUse => "table_in_use",
        }
    }
}

impl From<StoreError> for PosError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { id } => Self::NotFound { id },
            other => Self::Store(other),
        }
    }
}
