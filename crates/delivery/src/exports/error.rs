//! Why nothing is exported.

use std::io;

use racun_kernel::Issues;
use racun_portugal::PortugalError;
use racun_sales::Error;
use racun_store::StoreError;

/// Exports of one account that are not over, at most.
pub const MOST_AT_ONCE: usize = 3;

/// Why nothing is exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// What is wrong with the request.
    #[error(transparent)]
    Invalid(#[from] Issues),
    /// The store fails, or the export is too large for it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What records name cannot be read.
    #[error(transparent)]
    Related(#[from] Error),
    /// No file of SAF-T has this.
    #[error(transparent)]
    Portugal(#[from] PortugalError),
    /// The account has as many exports in the background as it may.
    #[error(
        "the account has {} exports that are not over; wait until one is, and ask again",
        MOST_AT_ONCE
    )]
    TooManyAtOnce,
    /// The file cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}
