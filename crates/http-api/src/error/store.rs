//! Errors of the store.

use racun_store::StoreError;

use serde_json::json;

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
            StoreError::OverBudget { used, limit } => Self::over_budget(*used, *limit),
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

    /// The account stores `used` bytes of `limit` that it may, and this would be too many.
    pub(crate) fn over_budget(used: i64, limit: i64) -> Self {
        let message = format!(
            "the account stores {used} bytes of {limit} that it may: delete files that are not \
             needed, or, as long as no address is verified, verify one; GET /account has the \
             figures"
        );
        let cause = json!({ "code": "storage_limit", "used_bytes": used, "limit_bytes": limit });
        Self::new(Kind::Forbidden, message).because(cause)
    }
}
