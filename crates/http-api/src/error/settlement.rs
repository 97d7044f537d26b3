//! Errors of settlement, and of what spans it and documents.

use racun_sales::Error;
use racun_settlement::{
    ProviderFault, SettlementError, SettlementRefusal, TypeChangeError, TypeChangeRule,
};
use racun_store::StoreError;
use serde_json::json;

use super::{ApiError, Kind};

/// When to come back to a tax authority that does not answer.
const AUTHORITY_RETRY_SECONDS: u32 = 5;

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        match error {
            Error::Document(error) => error.into(),
            Error::Settlement(error) => error.into(),
            Error::TypeChange(error) => error.into(),
            Error::Fiscalization(refused) => refused.into(),
            Error::Portugal(error) => error.into(),
            Error::EInvoice(refused) => refused.into(),
            Error::Network(refused) => refused.into(),
            Error::Pos(error) => error.into(),
            Error::Card(refused) => refused.into(),
            Error::Plan(refused) => refused.into(),
        }
    }
}

impl From<SettlementError> for ApiError {
    fn from(error: SettlementError) -> Self {
        match error {
            SettlementError::Invalid(issues) => issues.into(),
            SettlementError::NotFound { id } => StoreError::NotFound { id }.into(),
            SettlementError::Refused(refusal) => refusal.into(),
            SettlementError::Store(error) => error.into(),
        }
    }
}

impl From<SettlementRefusal> for ApiError {
    fn from(refusal: SettlementRefusal) -> Self {
        let error = Self::new(Kind::Unprocessable, refusal.to_string());
        match refusal.figures() {
            None => error.caused_by(refusal.code()),
            Some(figures) => error.because(json!({
                "code": refusal.code(),
                "total_with_tax": figures.total_with_tax,
                "total_paid": figures.total_paid,
                "amount": figures.amount,
                "maximum": figures.maximum,
            })),
        }
    }
}

impl From<TypeChangeError> for ApiError {
    fn from(error: TypeChangeError) -> Self {
        let (code, message) = (error.code(), error.to_string());
        match error {
            TypeChangeError::Refused(rule) => match rule {
                TypeChangeRule::FiscalizationRequired
                | TypeChangeRule::WindowExpired
                | TypeChangeRule::RecordUnavailable => {
                    Self::new(Kind::Unprocessable, message).caused_by(code)
                }
                TypeChangeRule::NotConfirmedYet => {
                    Self::new(Kind::Conflict, message).caused_by(code)
                }
            },
            TypeChangeError::Provider(provider) => {
                let (kind, remedy) = match ProviderFault::of(&provider.code) {
                    ProviderFault::Caller => {
                        (Kind::Unprocessable, "mend what it names, then send the change again")
                    }
                    ProviderFault::Message => {
                        (Kind::Internal, "quote the X-Request-Id header when you ask")
                    }
                    ProviderFault::Unknown => (Kind::Unavailable, "send the same change again"),
                };
                let message = format!("{message}; the payment is unchanged, {remedy}");
                let error = Self::new(kind, message).because(json!({
                    "code": code,
                    "provider_code": provider.code,
                    "provider_message": provider.message,
                }));
                let is_known = kind != Kind::Unavailable;
                if is_known { error } else { error.retry_after(AUTHORITY_RETRY_SECONDS) }
            }
            TypeChangeError::Unreachable(reason) => {
                let error = Self::new(Kind::Unavailable, message).caused_by(code);
                error.detailed(reason).retry_after(AUTHORITY_RETRY_SECONDS)
            }
            TypeChangeError::Unconfirmed { wait, .. } => {
                let error = Self::new(Kind::Conflict, message).caused_by(code);
                match wait {
                    Some(seconds) => error.retry_after(seconds.min(AUTHORITY_RETRY_SECONDS)),
                    None => error,
                }
            }
            TypeChangeError::Unrecorded(reason) => {
                Self::new(Kind::Internal, message).caused_by(code).detailed(reason)
            }
        }
    }
}
