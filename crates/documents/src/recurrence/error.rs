//! Why a command on a recurring invoice is refused.

use racun_kernel::Issues;
use racun_store::StoreError;

/// Why a command on a recurring invoice is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecurrenceError {
    /// The input is wrong; the issues say where and how to mend it.
    #[error(transparent)]
    Invalid(#[from] Issues),
    /// This entity has no such recurring invoice.
    #[error("there is no {id} here")]
    NotFound {
        /// The id that was asked for.
        id: String,
    },
    /// Its state does not allow the command.
    #[error(transparent)]
    Refused(#[from] RecurrenceRefused),
    /// The store failed.
    #[error(transparent)]
    Store(StoreError),
}

/// What the state of a recurring invoice does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RecurrenceRefused {
    /// Only an active one can be paused or make invoices.
    #[error("the recurring invoice is not active; resume it, or move its end_date, first")]
    NotActive,
    /// Only a paused one can be resumed.
    #[error(
        "the recurring invoice is not paused; a completed one goes on when an update moves its \
         end_date"
    )]
    NotPaused,
    /// It has come to its end already.
    #[error("the recurring invoice is completed")]
    Completed,
    /// In the trash nothing changes.
    #[error("the recurring invoice is in the trash; restore it first")]
    InTrash,
    /// Only from the trash is anything restored or erased.
    #[error("the recurring invoice is not in the trash; delete it first")]
    NotInTrash,
    /// The period's invoice is made, or the period is no longer the next one.
    #[error("this period of the recurring invoice is made already, or no longer due")]
    PeriodPassed,
}

impl RecurrenceRefused {
    /// Stable code for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NotActive => "recurring_not_active",
            Self::NotPaused => "recurring_not_paused",
            Self::Completed => "recurring_completed",
            Self::InTrash => "in_trash",
            Self::NotInTrash => "not_in_trash",
            Self::PeriodPassed => "recurring_period_passed",
        }
    }
}

impl From<StoreError> for RecurrenceError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { id } => Self::NotFound { id },
            StoreError::Duplicate { table, field: "period" }
                if table == super::RECURRING_RUNS.name =>
            {
                RecurrenceRefused::PeriodPassed.into()
            }
            other => Self::Store(other),
        }
    }
}
