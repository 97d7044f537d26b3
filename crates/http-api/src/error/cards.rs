//! Errors of payments by card.

use racun_card_payments::{CardRefusal, ForgedWebhook, ProcessorError};
use racun_sales::billing::cards::CardError as SubscriptionError;
use racun_sales::card_payments::CardError;

use super::{ApiError, Kind};

/// When to come back to a processor that does not answer.
const RETRY_SECONDS: u32 = 5;

impl From<CardRefusal> for ApiError {
    fn from(refusal: CardRefusal) -> Self {
        let kind = match &refusal {
            CardRefusal::OtherAccount | CardRefusal::AccountTaken | CardRefusal::Recorded => {
                Kind::Conflict
            }
            CardRefusal::NoAccount
            | CardRefusal::OtherEnvironment
            | CardRefusal::NotPayable(_)
            | CardRefusal::TooManySessions { .. }
            | CardRefusal::NotPaid { .. }
            | CardRefusal::NotRecorded(_) => Kind::Unprocessable,
        };
        Self::new(kind, refusal.to_string()).caused_by(refusal.code())
    }
}

impl From<ProcessorError> for ApiError {
    fn from(error: ProcessorError) -> Self {
        let message = error.to_string();
        match error {
            ProcessorError::NotConnected => {
                Self::new(Kind::Unprocessable, message).caused_by("no_payment_processor")
            }
            ProcessorError::Refused { .. } => {
                Self::new(Kind::Unprocessable, message).caused_by("card_processor_refused")
            }
            ProcessorError::NoAnswer(_) => Self::new(Kind::Unavailable, message)
                .caused_by("card_processor_unreachable")
                .retry_after(RETRY_SECONDS),
        }
    }
}

impl From<CardError> for ApiError {
    fn from(error: CardError) -> Self {
        match error {
            CardError::Sales(error) => error.into(),
            CardError::Processor(error) => error.into(),
            CardError::BadConsent => {
                Self::new(Kind::Unauthorized, error.to_string()).caused_by("invalid_consent")
            }
            CardError::NoVault => {
                Self::new(Kind::Unavailable, error.to_string()).caused_by("master_key_missing")
            }
        }
    }
}

impl From<SubscriptionError> for ApiError {
    fn from(error: SubscriptionError) -> Self {
        match error {
            SubscriptionError::Billing(error) => error.into(),
            SubscriptionError::Processor(error) => error.into(),
        }
    }
}

impl From<ForgedWebhook> for ApiError {
    fn from(forged: ForgedWebhook) -> Self {
        Self::new(Kind::Unauthorized, forged.to_string()).caused_by("invalid_signature")
    }
}
