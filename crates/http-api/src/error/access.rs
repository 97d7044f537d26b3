//! Errors of access.

use racun_access::{AccessError, Forbidden, IdentityError};
use serde_json::json;

use super::{ApiError, Kind, OwnCode};
use crate::security::SecurityEvent;

impl From<AccessError> for ApiError {
    fn from(error: AccessError) -> Self {
        let message = error.to_string();
        let event = event(&error);
        let error = match error {
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
            AccessError::SecondFactorRequired { continuation } => {
                let error = Self::new(Kind::Unauthorized, message);
                let error = error.caused_by("second_factor_required");
                match continuation {
                    Some(sealed) => error.because(json!({ "continuation": sealed })),
                    None => error,
                }
            }
            AccessError::WrongCode => {
                Self::new(Kind::Unauthorized, message).caused_by("second_factor_wrong")
            }
            AccessError::CodeLocked { retry_after } => Self::new(Kind::TooManyRequests, message)
                .caused_by("second_factor_locked")
                .retry_after(retry_after),
            AccessError::SecretSealed => {
                Self::new(Kind::Unavailable, message).caused_by("second_factor_sealed")
            }
            AccessError::Identity(IdentityError::Silent(_)) => {
                Self::new(Kind::Unavailable, message).caused_by("identity_provider_unreachable")
            }
            AccessError::Identity(IdentityError::Refused(_)) => {
                Self::new(Kind::Unauthorized, message).caused_by("identity_refused")
            }
            AccessError::Identity(IdentityError::Mistrusted(_)) | AccessError::Claims(_) => {
                Self::new(Kind::Unauthorized, message).caused_by("identity_mistrusted")
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
        };
        match event {
            Some(event) => error.seen_as(event),
            None => error,
        }
    }
}

/// The security event that a refusal is.
const fn event(error: &AccessError) -> Option<SecurityEvent> {
    match error {
        AccessError::Unauthorized => Some(SecurityEvent::TokenRefused),
        AccessError::BadCredentials
        | AccessError::Identity(IdentityError::Refused(_) | IdentityError::Mistrusted(_))
        | AccessError::Claims(_) => Some(SecurityEvent::LoginFailed),
        AccessError::WrongCode | AccessError::CodeLocked { .. } => {
            Some(SecurityEvent::SecondFactorFailed)
        }
        AccessError::PasswordLocked { .. } => Some(SecurityEvent::LoginLocked),
        AccessError::WrongPin { attempts_remaining: 0 } | AccessError::PinLocked { .. } => {
            Some(SecurityEvent::PinLocked)
        }
        AccessError::WrongPin { .. } => Some(SecurityEvent::PinFailed),
        AccessError::Forbidden(reason) => event_of(*reason),
        AccessError::SecondFactorRequired { .. }
        | AccessError::SecretSealed
        | AccessError::Identity(IdentityError::Silent(_))
        | AccessError::EntityRequired { .. }
        | AccessError::NotFound { .. }
        | AccessError::Conflict(_)
        | AccessError::Invalid(_)
        | AccessError::Refused(_)
        | AccessError::Store(_) => None,
    }
}

/// The same, of what a known caller may not do.
const fn event_of(reason: Forbidden) -> Option<SecurityEvent> {
    match reason {
        Forbidden::EntityNotAccessible | Forbidden::AccountNotAccessible => {
            Some(SecurityEvent::ForeignRefused)
        }
        Forbidden::InsufficientRole | Forbidden::UserRequired | Forbidden::PosOperatorScope => {
            Some(SecurityEvent::RoleRefused)
        }
        Forbidden::AddressNotAllowed => Some(SecurityEvent::AddressRefused),
        Forbidden::SwitchEnded => Some(SecurityEvent::PinLocked),
        Forbidden::EntityDisabled
        | Forbidden::EmailUnverified
        | Forbidden::SessionRequired
        | Forbidden::IdentityWithoutAddress
        | Forbidden::InvitationNotMailed
        | Forbidden::InvitationNotYours
        | Forbidden::SignUpByInvitation
        | Forbidden::SignUpClosed => None,
    }
}
