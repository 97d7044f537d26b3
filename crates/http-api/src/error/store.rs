//! Errors of the store.

use racun_kernel::StoreError;

use super::{ApiError, Kind};

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::NotFound { id } => Self::not_found(id),
            StoreError::Duplicate { field, .. } => {
                let message = format!("another one has the same {field}; choose a different one");
                Self::new(Kind::Conflict, message).caused_by("duplicate")
            }
            StoreError::Unavailable(reason) => Self::unavailable(reason),
            StoreError::Full => Self::storage_full(),
            StoreError::TooExpensive => {
                let message = "this takes too long to put together, and would again: filter by a \
                               date, a customer or a state, order by one field, or leave the total \
                               out with include_total_count=false";
                Self::new(Kind::Unprocessable, message).caused_by("query_too_expensive")
            }
            StoreError::Corrupt { table, id, reason } => {
                Self::internal(format_args!("corrupt {table} row {id}: {reason}"))
            }
        }
    }
}

impl ApiError {
    /// There is no room where data or files are kept.
    pub(crate) fn storage_full() -> Self {
        let message = "the service's disk is full: nothing can be written until there is room, \
                       and all that is there can be read";
        Self::new(Kind::Unavailable, message).caused_by("storage_full").retry_after(60)
    }
}
