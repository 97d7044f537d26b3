//! Errors of documents.

use racun_documents::{DocumentError, Refused};
use serde_json::json;

use super::{ApiError, Kind};

impl From<DocumentError> for ApiError {
    fn from(error: DocumentError) -> Self {
        match error {
            DocumentError::Invalid(issues) => issues.into(),
            DocumentError::Refused(reason) => match reason {
                Refused::NotDraft
                | Refused::NotInTrash
                | Refused::Draft
                | Refused::DraftNotShared
                | Refused::Voided
                | Refused::NotEditable
                | Refused::Accepted
                | Refused::Rejected
                | Refused::RanOut
                | Refused::Applied
                | Refused::Settled
                | Refused::SettlesInvoice
                | Refused::TookBack
                | Refused::Credited
                | Refused::CreditedInFull
                | Refused::CreditUnclear
                | Refused::NotVoidable
                | Refused::Fiscalized
                | Refused::FiscalizedNotVoidable
                | Refused::NotToFiscalize => {
                    Self::new(Kind::Unprocessable, reason.to_string()).caused_by(reason.code())
                }
                Refused::PaymentChangeUnconfirmed => {
                    Self::new(Kind::Conflict, reason.to_string()).caused_by(reason.code())
                }
            },
            DocumentError::ExpectedTotalMismatch(mismatch) => {
                let message = mismatch.to_string();
                Self::new(Kind::Unprocessable, message).because(json!({
                    "code": "expected_total_mismatch",
                    "expected": mismatch.expected,
                    "calculated": mismatch.calculated,
                    "difference": mismatch.difference,
                    "tolerance": mismatch.tolerance,
                }))
            }
            DocumentError::LinkRefused(issues) => {
                Self::from(issues).caused_by("linked_document_invalid")
            }
            DocumentError::NumberTaken => {
                Self::new(Kind::Conflict, error.to_string()).caused_by("number_taken")
            }
            DocumentError::ChangedMeanwhile => {
                Self::new(Kind::Conflict, error.to_string()).caused_by("changed_meanwhile")
            }
            DocumentError::Store(error) => error.into(),
        }
    }
}
