//! Errors of certified invoicing in Portugal.

use racun_portugal::{PortugalError, PortugalRefusal};

use super::{ApiError, Kind};

/// When to come back to an authority that does not answer.
const RETRY_SECONDS: u32 = 5;

impl From<PortugalError> for ApiError {
    fn from(error: PortugalError) -> Self {
        match error {
            PortugalError::Invalid(issues) => issues.into(),
            PortugalError::NotFound { id } => Self::not_found(&id),
            PortugalError::Refused(refusal) => refusal.into(),
            // The row and the counter do not belong together, or the key is of no use.
            broken @ (PortugalError::OutOfSequence { .. } | PortugalError::Signing(_)) => {
                Self::internal(broken)
            }
            PortugalError::Store(error) => error.into(),
        }
    }
}

impl From<PortugalRefusal> for ApiError {
    fn from(refusal: PortugalRefusal) -> Self {
        let message = refusal.to_string();
        match &refusal {
            PortugalRefusal::OtherCountry
            | PortugalRefusal::ProgramMissing
            | PortugalRefusal::NotPaid
            | PortugalRefusal::OriginalGone
            | PortugalRefusal::Authority { .. }
            | PortugalRefusal::SubUserMissing
            | PortugalRefusal::SeriesMissing
            | PortugalRefusal::SeriesClosed
            | PortugalRefusal::SeriesOfOther
            | PortugalRefusal::SeriesUsed
            | PortugalRefusal::SeriesFull
            | PortugalRefusal::TooManySeries { .. }
            | PortugalRefusal::ClockBehind { .. }
            | PortugalRefusal::Immutable
            | PortugalRefusal::NotDeleted
            | PortugalRefusal::Voided { .. }
            | PortugalRefusal::VoidedBefore { .. }
            | PortugalRefusal::Rectified { .. }
            | PortugalRefusal::Receipted { .. }
            | PortugalRefusal::NotSigned
            | PortugalRefusal::Unwritable { .. } => {
                Self::new(Kind::Unprocessable, message).caused_by(refusal.code())
            }
            PortugalRefusal::SeriesExists
            | PortugalRefusal::SeriesActive
            | PortugalRefusal::FormRecovered => {
                Self::new(Kind::Conflict, message).caused_by(refusal.code())
            }
            PortugalRefusal::Unanswered { .. } => {
                let error = Self::new(Kind::Unavailable, message).caused_by(refusal.code());
                error.retry_after(RETRY_SECONDS)
            }
        }
    }
}
