//! Errors of webhooks.

use racun_delivery::webhooks::ManageError;
use racun_webhooks::{Refused, WebhookError};

use super::{ApiError, Kind};

impl From<WebhookError> for ApiError {
    fn from(error: WebhookError) -> Self {
        match error {
            WebhookError::Invalid(issues) => issues.into(),
            WebhookError::NotFound { id } => Self::not_found(&id),
            WebhookError::Refused(refused) => {
                let kind = match refused {
                    Refused::TooMany | Refused::Inactive | Refused::IsTest => Kind::Unprocessable,
                    Refused::UnderWay => Kind::Conflict,
                };
                Self::new(kind, refused.to_string()).caused_by(refused.code())
            }
            WebhookError::Store(error) => error.into(),
        }
    }
}

impl From<ManageError> for ApiError {
    fn from(error: ManageError) -> Self {
        match error {
            ManageError::Access(error) => error.into(),
            ManageError::Webhook(error) => error.into(),
        }
    }
}
