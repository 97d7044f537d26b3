//! Errors of orders.

use racun_orders::{OrderError, OrderRefusal, PlatformError};
use racun_shop::ShopError;

use super::{ApiError, Kind};

/// When to come back to a platform that does not answer.
const RETRY_SECONDS: u32 = 5;

impl From<OrderError> for ApiError {
    fn from(error: OrderError) -> Self {
        match error {
            OrderError::Invalid(issues) => issues.into(),
            OrderError::NotFound { id } => Self::not_found(&id),
            OrderError::Refused(refusal) => {
                let kind = match refusal {
                    OrderRefusal::Duplicate => Kind::Conflict,
                    OrderRefusal::InTrash
                    | OrderRefusal::NotInTrash
                    | OrderRefusal::Cancelled
                    | OrderRefusal::Invoiced
                    | OrderRefusal::Inactive
                    | OrderRefusal::TooMany => Kind::Unprocessable,
                };
                Self::new(kind, refusal.to_string()).caused_by(refusal.code())
            }
            OrderError::Store(error) => error.into(),
        }
    }
}

impl From<ShopError> for ApiError {
    fn from(error: ShopError) -> Self {
        match error {
            ShopError::Order(error) => error.into(),
            ShopError::Sales(error) => error.into(),
            ShopError::PlaceGone { .. } => {
                Self::new(Kind::Unprocessable, error.to_string()).caused_by("place_gone")
            }
            ShopError::Unsigned => {
                Self::new(Kind::Unauthorized, error.to_string()).caused_by("invalid_signature")
            }
            ShopError::BadConsent => {
                Self::new(Kind::Unauthorized, error.to_string()).caused_by("invalid_consent")
            }
            ShopError::NotAuthorized => {
                Self::new(Kind::Unprocessable, error.to_string()).caused_by("shop_not_authorized")
            }
            ShopError::Platform(PlatformError::NotConnected) => {
                Self::new(Kind::Unavailable, error.to_string()).caused_by("platform_not_connected")
            }
            ShopError::Platform(PlatformError::Refused(_)) => {
                Self::new(Kind::Unprocessable, error.to_string()).caused_by("platform_refused")
            }
            ShopError::Platform(PlatformError::NoAnswer(_)) => {
                Self::new(Kind::Unavailable, error.to_string())
                    .caused_by("platform_unreachable")
                    .retry_after(RETRY_SECONDS)
            }
            ShopError::NoVault => {
                Self::new(Kind::Unavailable, error.to_string()).caused_by("master_key_missing")
            }
        }
    }
}
