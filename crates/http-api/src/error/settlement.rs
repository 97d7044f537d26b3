//! Errors of settlement, and of what spans it and documents.

use racun_application::Error;
use racun_kernel::StoreError;
use racun_settlement::{Refusal, SettlementError};
use serde_json::json;

use super::{ApiError, Kind};

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        match error {
            Error::Document(error) => error.into(),
            Error::Settlement(error) => error.into(),
        }
    }
}

impl From<SettlementError> for ApiError {
    fn from(error: SettlementError) -> Self {
        match error {
            SettlementError::Invalid(issues) => issues.into(),
            SettlementError::NotFound { id } => StoreError::NotFound { id }.into(),
            SettlementError::Refused(refusal) => refusal.into(),
            SettlementError::Store(error) => error.into(),
        }
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        let error = Self::new(Kind::Unprocessable, refusal.to_string());
        match refusal.figures() {
            None => error.caused_by(refusal.code()),
            Some(figures) => error.because(json!({
                "code": refusal.code(),
                "total_with_tax": figures.total_with_tax,
                "total_paid": figures.total_paid,
                "amount": figures.amount,
                "maximum": figures.maximum,
            })),
        }
    }
}
