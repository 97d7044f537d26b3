//! Why nothing is sent.

use racun_access::AccessError;
use racun_documents::DocumentError;
use racun_kernel::{Issue, Issues};
use racun_mail::LimitReached;
use racun_portugal::PortugalError;
use racun_sales::Error;
use racun_store::StoreError;

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
    /// The document has no electronic invoice to attach.
    #[error(transparent)]
    Invoice(Error),
    /// The law does not let it go out yet.
    #[error(transparent)]
    Unsigned(#[from] PortugalError),
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

impl From<Error> for MailingError {
    /// What is wrong with a document is one thing, whatever is made of it.
    fn from(error: Error) -> Self {
        match error {
            Error::Document(error) => Self::Document(error),
            refused => Self::Invoice(refused),
        }
    }
}

impl From<Issue> for MailingError {
    fn from(issue: Issue) -> Self {
        Self::Invalid(issue.into())
    }
}
