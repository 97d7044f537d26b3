//! Errors of access.

use racun_access::AccessError;

use super::{ApiError, Kind};

impl From<AccessError> for ApiError {
    fn from(error: AccessError) -> Self {
        let message = error.to_string();
        match error {
            AccessError::Unauthorized | AccessError::BadCredentials => {
                Self::new(Kind::Unauthorized, message)
            }
            AccessError::EntityRequired { .. } => {
                Self::bad_request(message).caused_by("entity_required")
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
