//! Errors of exports.

use std::io::ErrorKind;

use racun_delivery::exports::ExportError;

use super::{ApiError, Kind};

/// When to ask again for an export while others are put together.
const RETRY_SECONDS: u32 = 30;

impl From<ExportError> for ApiError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Invalid(issues) => issues.into(),
            ExportError::Store(error) => error.into(),
            ExportError::Related(error) => error.into(),
            ExportError::Portugal(error) => error.into(),
            ExportError::TooManyAtOnce => {
                let message = error.to_string();
                Self::new(Kind::TooManyRequests, message).retry_after(RETRY_SECONDS)
            }
            ExportError::Io(error) => match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    Self::storage_full().detailed(error)
                }
                _ => Self::unavailable(error),
            },
        }
    }
}
