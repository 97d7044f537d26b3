//! Errors of the catalogue.

use racun_catalog::{CatalogError, RefusalReason};

use super::{ApiError, Kind};

impl From<CatalogError> for ApiError {
    fn from(error: CatalogError) -> Self {
        match error {
            CatalogError::Invalid(issues) => issues.into(),
            CatalogError::NotFound { id } => Self::not_found(&id),
            CatalogError::Conflict { .. } => {
                Self::new(Kind::Conflict, error.to_string()).caused_by("duplicate")
            }
            CatalogError::Refused(reason) => match reason {
                RefusalReason::InTrash | RefusalReason::NotInTrash => {
                    Self::new(Kind::Unprocessable, error.to_string()).caused_by(reason.code())
                }
            },
            CatalogError::Store(error) => error.into(),
        }
    }
}
