//! Why a document is not issued where it would be fiscalized.

use racun_documents::{DocumentError, Refused};
use racun_fiscal::{Authority, CertificateStatus};
use racun_kernel::Issues;
use racun_portugal::PortugalError;
use racun_store::StoreError;

/// Why a document is not issued where it would be fiscalized. Then it takes no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FiscalizationRefused {
    /// Slovenia: what is paid other than from account to account is fiscalized.
    #[error(
        "fiscalization can be skipped only for what is paid by bank transfer, or not paid yet; \
         leave out furs.skip"
    )]
    SkipNotAllowed,
    /// Croatia: everything is fiscalized.
    #[error("fiscalization cannot be skipped in Croatia; leave out fina.skip")]
    CannotSkip,
    /// There is no certificate to sign with.
    #[error("there is no certificate to sign with; upload one in the settings of fiscalization")]
    CertificateMissing,
    /// The certificate is no longer valid.
    #[error("the certificate to sign with has expired; upload a new one")]
    CertificateExpired,
    /// The certificate's private key cannot be used.
    #[error(
        "the private key of the certificate cannot be used with this server's master key; upload \
         the certificate again"
    )]
    CertificateUnusable,
    /// The document was fiscalized, and its entity no longer has the settings to say so again.
    #[error("the settings of {} are gone; store them again first", .0.name())]
    SettingsMissing(
        /// Whose.
        Authority,
    ),
}

impl FiscalizationRefused {
    /// The stable code for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::SkipNotAllowed => "furs_skip_not_allowed",
            Self::CannotSkip => "fina_cannot_skip",
            Self::CertificateMissing => "certificate_missing",
            Self::CertificateExpired => "certificate_expired",
            Self::CertificateUnusable => "certificate_invalid",
            Self::SettingsMissing(_) => "fiscalization_not_configured",
        }
    }
}

impl FiscalizationRefused {
    /// What a certificate of this status is refused for; `None` when it signs.
    pub(super) const fn of(status: CertificateStatus) -> Option<Self> {
        match status {
            CertificateStatus::Valid | CertificateStatus::ExpiringSoon => None,
            CertificateStatus::Expired => Some(Self::CertificateExpired),
            CertificateStatus::Missing => Some(Self::CertificateMissing),
        }
    }
}

/// Why a document is not issued where it would be fiscalized, or not fiscalized.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FiscalizationError {
    /// A rule of documents, what is wrong with the request, or the store.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// A rule of fiscalization.
    #[error(transparent)]
    Refused(#[from] FiscalizationRefused),
    /// A rule of certified invoicing in Portugal.
    #[error(transparent)]
    Portugal(PortugalError),
}

impl From<PortugalError> for FiscalizationError {
    /// What is wrong with an input, and what is not there, is one thing, whichever crate found it.
    fn from(error: PortugalError) -> Self {
        match error {
            PortugalError::Invalid(issues) => issues.into(),
            PortugalError::Store(error) => error.into(),
            PortugalError::NotFound { id } => StoreError::NotFound { id }.into(),
            refused @ (PortugalError::Refused(_)
            | PortugalError::OutOfSequence { .. }
            | PortugalError::Signing(_)) => Self::Portugal(refused),
        }
    }
}

impl From<StoreError> for FiscalizationError {
    fn from(error: StoreError) -> Self {
        Self::Document(error.into())
    }
}

impl From<Issues> for FiscalizationError {
    fn from(issues: Issues) -> Self {
        Self::Document(issues.into())
    }
}

impl From<Refused> for FiscalizationError {
    fn from(refused: Refused) -> Self {
        Self::Document(refused.into())
    }
}
