//! Errors of recurring invoices.

use racun_documents::recurrence::{RecurrenceError, RecurrenceRefused};

use super::{ApiError, Kind};

impl From<RecurrenceError> for ApiError {
    fn from(error: RecurrenceError) -> Self {
        match error {
            RecurrenceError::Invalid(issues) => issues.into(),
            RecurrenceError::NotFound { id } => Self::not_found(&id),
            RecurrenceError::Refused(reason) => match reason {
                RecurrenceRefused::NotActive
                | RecurrenceRefused::NotPaused
                | RecurrenceRefused::Completed
                | RecurrenceRefused::InTrash
                | RecurrenceRefused::NotInTrash
                | RecurrenceRefused::PeriodPassed => {
                    Self::new(Kind::Unprocessable, reason.to_string()).caused_by(reason.code())
                }
            },
            RecurrenceError::Store(error) => error.into(),
        }
    }
}
