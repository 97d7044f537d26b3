//! Errors of fiscal settings.

use racun_delivery::printing::CannotPrint;
use racun_fiscal::{Authority, CertificateFault, ErrorClass, FiscalError, ProviderRefusal};
use racun_fiscalization::FiscalizationRefused;
use racun_render::RenderError;
use serde_json::json;

use super::{ApiError, Kind};

/// When to come back to a tax authority that does not answer.
const RETRY_SECONDS: u32 = 5;

impl From<FiscalError> for ApiError {
    fn from(error: FiscalError) -> Self {
        let message = error.to_string();
        match error {
            FiscalError::Invalid(issues) => issues.into(),
            FiscalError::NotFound { id } => Self::not_found(&id),
            FiscalError::Refused(refusal) => {
                Self::new(Kind::Unprocessable, message).caused_by(refusal.code())
            }
            FiscalError::Conflict(conflict) => {
                Self::new(Kind::Conflict, message).caused_by(conflict.code())
            }
            FiscalError::Certificate(fault) => fault.into(),
            FiscalError::Provider(refusal) => refusal.into(),
            FiscalError::Unreachable { authority, unknown } => {
                let code = match authority {
                    Authority::Furs => "furs_unreachable",
                    Authority::Fina => "fina_unreachable",
                };
                let error = Self::new(Kind::Unavailable, message).caused_by(code);
                error.detailed(unknown).retry_after(RETRY_SECONDS)
            }
            FiscalError::Sealed(_) => {
                Self::new(Kind::Unavailable, message).caused_by("certificate_sealed")
            }
            FiscalError::Store(error) => error.into(),
        }
    }
}

impl From<FiscalizationRefused> for ApiError {
    fn from(refused: FiscalizationRefused) -> Self {
        match refused {
            FiscalizationRefused::SkipNotAllowed
            | FiscalizationRefused::CannotSkip
            | FiscalizationRefused::CertificateMissing
            | FiscalizationRefused::CertificateExpired
            | FiscalizationRefused::CertificateUnusable
            | FiscalizationRefused::SettingsMissing(_) => {
                Self::new(Kind::Unprocessable, refused.to_string()).caused_by(refused.code())
            }
        }
    }
}

impl From<CertificateFault> for ApiError {
    fn from(fault: CertificateFault) -> Self {
        Self::from(fault.issue).caused_by(fault.code)
    }
}

impl From<ProviderRefusal> for ApiError {
    fn from(refusal: ProviderRefusal) -> Self {
        let kind = match refusal.class() {
            ErrorClass::Config | ErrorClass::PremiseUnknown => Kind::Unprocessable,
            // What we wrote is wrong.
            ErrorClass::Permanent => Kind::Internal,
            ErrorClass::Retry => Kind::Unavailable,
        };
        let error = Self::new(kind, refusal.to_string()).because(json!({
            "code": "fiscalization_provider_error",
            "provider_code": refusal.code,
            "provider_message": refusal.message,
        }));
        if kind == Kind::Unavailable { error.retry_after(RETRY_SECONDS) } else { error }
    }
}

impl From<CannotPrint> for ApiError {
    fn from(error: CannotPrint) -> Self {
        Self::internal(error)
    }
}

impl From<RenderError> for ApiError {
    fn from(error: RenderError) -> Self {
        Self::internal(error)
    }
}
