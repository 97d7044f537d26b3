//! Errors of e-mail.

use racun_delivery::mailing::MailingError;

use super::{ApiError, Kind, OwnCode};

impl From<MailingError> for ApiError {
    fn from(error: MailingError) -> Self {
        match error {
            MailingError::Invalid(issues) => issues.into(),
            MailingError::Access(error) => error.into(),
            MailingError::Document(error) => error.into(),
            MailingError::Invoice(error) => error.into(),
            MailingError::Unsigned(error) => error.into(),
            MailingError::Limit(limit) => Self::new(Kind::TooManyRequests, limit.to_string())
                .coded(OwnCode::EmailRateLimitExceeded)
                .retry_after(limit.retry_after),
            MailingError::NothingOverdue => {
                Self::new(Kind::Unprocessable, error.to_string()).caused_by("no_overdue_invoices")
            }
            MailingError::Store(error) => error.into(),
        }
    }
}
