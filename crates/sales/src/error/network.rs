//! Why something about the network is not done.

use racun_einvoicing::network::{EnrollmentState, NetworkError};
use racun_kernel::{Environment, Issues};

/// Why a document is not sent, or a question not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetworkRefused {
    /// The entity is not enrolled.
    #[error(
        "the entity may not send yet: its enrollment is {}; see GET /e-invoicing/settings",
        .0.name()
    )]
    NotEnrolled(EnrollmentState),
    /// The settings do not want it.
    #[error("sending is off; turn it on by PUT /e-invoicing/settings with enabled: true")]
    NotEnabled,
    /// The entity is enrolled already.
    #[error("the entity is enrolled already; change it by PATCH /e-invoicing/supplier")]
    Enrolled,
    /// The document breaks rules of Peppol BIS; the issues name the fields to change.
    #[error("the document is not valid as Peppol BIS Billing 3.0: {0}")]
    Invalid(Issues),
    /// The document is a draft, or voided, or of another kind.
    #[error("only issued invoices and credit notes that are not void are sent")]
    NotToSend,
    /// There is nothing to verify.
    #[error("the provider asks for no verification; see GET /e-invoicing/settings")]
    NothingToVerify,
    /// This server is connected to no network.
    #[error("this server is connected to no network for {} entities", .0.name())]
    NotConnected(Environment),
    /// The provider refused what it was asked.
    #[error("the provider refused it: {0}")]
    Provider(String),
    /// The provider, or the network's directory, gave no answer that counts.
    #[error("the network does not answer: {0}; send the request again")]
    NoAnswer(String),
}

impl NetworkRefused {
    /// Stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotEnrolled(_) => "e_invoicing_not_enrolled",
            Self::NotEnabled => "e_invoicing_not_enabled",
            Self::Enrolled => "e_invoicing_enrolled",
            Self::Invalid(_) => "peppol_invalid",
            Self::NotToSend => "document_not_to_send",
            Self::NothingToVerify => "nothing_to_verify",
            Self::NotConnected(_) => "e_invoicing_not_connected",
            Self::Provider(_) => "e_invoicing_provider_refused",
            Self::NoAnswer(_) => "e_invoicing_unreachable",
        }
    }
}

impl From<NetworkError> for NetworkRefused {
    fn from(error: NetworkError) -> Self {
        match error {
            NetworkError::NotConnected(environment) => Self::NotConnected(environment),
            NetworkError::Refused(reason) => Self::Provider(reason),
            NetworkError::NoAnswer(silence) => Self::NoAnswer(silence.reason),
        }
    }
}
