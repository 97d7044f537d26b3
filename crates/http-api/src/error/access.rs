//! Errors of access.

use racun_access::{AccessError, Forbidden};
use serde_json::json;

use super::{ApiError, Kind, OwnCode};

impl From<AccessError> for ApiError {
    fn from(error: AccessError) -> Self {
        let message = error.to_string();
        match error {
            AccessError::Unauthorized | AccessError::BadCredentials => {
                Self::new(Kind::Unauthorized, message)
            }
            AccessError::WrongPin { attempts_remaining } => {
                Self::new(Kind::Forbidden, message).coded(OwnCode::InvalidPin).because(json!({
                    "code": OwnCode::InvalidPin.name(),
                    "attempts_remaining": attempts_remaining,
                }))
            }
            AccessError::PinLocked { retry_after } => {
                Self::new(Kind::Locked, message).caused_by("pin_locked").retry_after(retry_after)
            }
            AccessError::PasswordLocked { retry_after } => {
                Self::new(Kind::TooManyRequests, message)
                    .caused_by("password_locked")
                    .retry_after(retry_after)
            }
            AccessError::EntityRequired { .. } => {
                Self::bad_request(message).caused_by("entity_required")
            }
            AccessError::Forbidden(reason @ Forbidden::EmailUnverified) => {
                Self::new(Kind::Forbidden, message)
                    .coded(OwnCode::EmailVerificationRequired)
                    .caused_by(reason.code())
            }
            AccessError::Forbidden(reason) => {
                Self::new(Kind::Forbidden, message).caused_by(reason.code())
            }
            AccessError::NotFound { id } => Self::not_found(&id),
            AccessError::Conflict(reason) => {
                Self::new(Kind::Conflict, message).caused_by(reason.code())
            }
            AccessError::Invalid(issues) => issues.into(),
            AccessError::Refused(reason) => {
                Self::new(Kind::Unprocessable, message).caused_by(reason.code())
            }
            AccessError::Store(error) => error.into(),
        }
    }
}
