//! Errors of files.

use racun_catalog::{FileRefused, StorageError};
use racun_delivery::files::FileError;
use racun_sales::expenses::ImportError;

use super::{ApiError, Kind};

impl From<FileError> for ApiError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Refused(refused) => refused.into(),
            FileError::Store(error) => error.into(),
            FileError::Storage(error) => error.into(),
        }
    }
}

impl From<StorageError> for ApiError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Full(reason) => Self::storage_full().detailed(reason),
            StorageError::Unavailable(reason) => Self::unavailable(reason),
        }
    }
}

impl From<ImportError> for ApiError {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Expense(error) => error.into(),
            ImportError::File(refused) => refused.into(),
            ImportError::Storage(error) => error.into(),
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
