//! Errors of documents on paper.

use racun_delivery::einvoice_files::PackageError;
use racun_delivery::files::FileError;
use racun_delivery::printing::PrintingError;

use super::ApiError;

impl From<PrintingError> for ApiError {
    fn from(error: PrintingError) -> Self {
        match error {
            PrintingError::Document(error) => error.into(),
            PrintingError::NotMade(error) => error.into(),
            PrintingError::Storage(error) => FileError::from(error).into(),
            PrintingError::Print(error) => error.into(),
            PrintingError::Refused(error) => error.into(),
        }
    }
}

impl From<PackageError> for ApiError {
    fn from(error: PackageError) -> Self {
        match error {
            PackageError::Refused(error) => error.into(),
            PackageError::Printing(error) => error.into(),
        }
    }
}
