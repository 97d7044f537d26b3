//! Errors of plans and subscriptions.

use racun_billing::{BillingError, NotAllowed};

use super::{ApiError, Kind};

impl From<BillingError> for ApiError {
    fn from(error: BillingError) -> Self {
        let message = error.to_string();
        match error {
            BillingError::Invalid(issues) => issues.into(),
            BillingError::NoSubscription => {
                Self::new(Kind::NotFound, message).caused_by("no_subscription")
            }
            BillingError::NoLabel { .. } | BillingError::NoBill { .. } => {
                Self::new(Kind::NotFound, message)
            }
            BillingError::NothingUnderWay => {
                Self::new(Kind::Unprocessable, message).caused_by("no_payment_under_way")
            }
            BillingError::NoPayment { .. } => {
                Self::new(Kind::Unprocessable, message).caused_by("no_payment_processor")
            }
            BillingError::NoCards => {
                Self::new(Kind::Unprocessable, message).caused_by("no_payment_processor")
            }
            BillingError::NoCard { .. } => {
                Self::new(Kind::Unprocessable, message).caused_by("no_payment_method")
            }
            BillingError::Overdue => {
                Self::new(Kind::Unprocessable, message).caused_by("payment_overdue")
            }
            BillingError::NotAllowed(refused) => refused.into(),
            BillingError::Store(error) => error.into(),
        }
    }
}

impl From<NotAllowed> for ApiError {
    fn from(refused: NotAllowed) -> Self {
        let code = match &refused {
            NotAllowed::LimitReached { .. }
            | NotAllowed::NoFeature { .. }
            | NotAllowed::Inactive { .. } => refused.code(),
        };
        Self::new(Kind::Forbidden, refused.to_string()).caused_by(code)
    }
}
