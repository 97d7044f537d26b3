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
            StoreError::Corrupt { table, id, reason } => {
                Self::internal(format_args!("corrupt {table} row {id}: {reason}"))
            }
        }
    }
}
