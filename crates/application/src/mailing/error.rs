//! Why nothing is sent.

use racun_access::AccessError;
use racun_documents::DocumentError;
use racun_kernel::{Issue, Issues, StoreError};
use racun_mail::LimitReached;

/// Why nothing is sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MailingError {
    /// The input is wrong.
    #[error(transparent)]
    Invalid(#[from] Issues),
    /// The sender has no permission.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The document's stage does not allow it, or it is not there.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// As much was sent as may be.
    #[error(transparent)]
    Limit(#[from] LimitReached),
    /// There is nothing to remind of.
    #[error("the customer has no overdue unpaid invoices")]
    NothingOverdue,
    /// The store failed, or a record is not there.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Issue> for MailingError {
    fn from(issue: Issue) -> Self {
        Self::Invalid(issue.into())
    }
}
