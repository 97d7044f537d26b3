//! Why a command on webhooks is refused.

use racun_kernel::{Issue, Issues};
use racun_store::StoreError;

/// Why a command on webhooks is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// The input, or a list query, breaks a rule; every rule that it breaks is named.
    #[error(transparent)]
    Invalid(#[from] Issues),
    /// There is no such endpoint or delivery here.
    #[error("there is no {id} here")]
    NotFound {
        /// The id that was asked for.
        id: String,
    },
    /// A rule refuses what is well formed.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The store failed.
    #[error(transparent)]
    Store(StoreError),
}

/// The rule that refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// There are as many endpoints as there can be.
    #[error("there are at most 100 webhooks; delete one that is not used")]
    TooMany,
    /// Nothing is sent to an endpoint that is not active.
    #[error("the webhook is not active; set active to true, then replay")]
    Inactive,
    /// The delivery has not ended yet, so there is nothing to repeat.
    #[error("this delivery is under way; replay it when it has ended")]
    UnderWay,
    /// A test is not an event: make another one.
    #[error("a test is not replayed; send another one")]
    IsTest,
}

impl Refused {
    /// For programs: stable snake_case, sent as `cause.code`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::TooMany => "too_many_webhooks",
            Self::Inactive => "webhook_inactive",
            Self::UnderWay => "delivery_under_way",
            Self::IsTest => "delivery_is_test",
        }
    }
}

impl From<StoreError> for WebhookError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { id } => Self::NotFound { id },
            other => Self::Store(other),
        }
    }
}

impl From<Issue> for WebhookError {
    fn from(issue: Issue) -> Self {
        Self::Invalid(issue.into())
    }
}
