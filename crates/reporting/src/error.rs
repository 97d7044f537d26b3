//! Why there is no report.

use racun_access::AccessError;
use racun_kernel::{Issue, Issues};
use racun_store::StoreError;

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// What is wrong with the request.
    #[error(transparent)]
    Invalid(#[from] Issues),
    /// There is no such record.
    #[error("there is no {0}")]
    NotFound(String),
    /// The report is of another country.
    #[error("this report is for entities in {0}")]
    OtherCountry(&'static str),
    /// The entity's profile does not allow it.
    #[error("{0}")]
    Profile(&'static str),
    /// No document of the days can be posted.
    #[error("{0}")]
    NothingToPost(String),
    /// The profile is not changed.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The store fails, or the report is too large for it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Issue> for ReportError {
    fn from(issue: Issue) -> Self {
        Self::Invalid(issue.into())
    }
}
