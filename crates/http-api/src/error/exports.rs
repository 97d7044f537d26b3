//! Errors of exports.

use std::io::ErrorKind;

use racun_application::exports::ExportError;

use super::ApiError;

impl From<ExportError> for ApiError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Invalid(issues) => issues.into(),
            ExportError::Store(error) => error.into(),
            ExportError::Related(error) => error.into(),
            ExportError::Io(error) => match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    Self::storage_full().detailed(error)
                }
                _ => Self::unavailable(error),
            },
        }
    }
}
