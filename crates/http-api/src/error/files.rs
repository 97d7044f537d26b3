//! Errors of files.

use racun_application::files::FileError;
use racun_catalog::FileRefused;

use super::{ApiError, Kind};

impl From<FileError> for ApiError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Refused(refused) => refused.into(),
            FileError::Store(error) => error.into(),
            FileError::Storage(error) if error.is_full() => Self::storage_full(),
            FileError::Storage(error) => Self::unavailable(error.0),
        }
    }
}

impl From<FileRefused> for ApiError {
    fn from(refused: FileRefused) -> Self {
        let message = refused.to_string();
        match refused {
            FileRefused::TooLarge { .. } => Self::new(Kind::PayloadTooLarge, message),
            FileRefused::UnsupportedType(_) => Self::new(Kind::UnsupportedMediaType, message),
            FileRefused::Invalid(issues) => issues.into(),
        }
    }
}
