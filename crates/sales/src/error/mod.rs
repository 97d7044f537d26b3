//! Why a use case that spans domain crates is refused.

mod e_invoice;
mod network;

use racun_billing::NotAllowed;
use racun_card_payments::CardRefusal;
use racun_documents::{DocumentError, Refused};
use racun_fiscalization::{FiscalizationError, FiscalizationRefused};
use racun_kernel::Issues;
use racun_portugal::{PortugalError, PortugalRefusal};
use racun_pos::PosError;
use racun_settlement::{SettlementError, SettlementRefusal, TypeChangeError};
use racun_store::StoreError;

pub use e_invoice::EInvoiceRefused;
pub use network::NetworkRefused;

/// Why a use case on documents and what settles them is refused: in the words of the crate whose
/// rule refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A rule of documents, or the store.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// A rule of settlement.
    #[error(transparent)]
    Settlement(SettlementError),
    /// A change of a payment's type that a tax authority has a say in.
    #[error(transparent)]
    TypeChange(#[from] TypeChangeError),
    /// A rule of fiscalization.
    #[error(transparent)]
    Fiscalization(#[from] FiscalizationRefused),
    /// A rule of certified invoicing in Portugal.
    #[error(transparent)]
    Portugal(PortugalError),
    /// A rule of electronic invoices.
    #[error(transparent)]
    EInvoice(#[from] EInvoiceRefused),
    /// A rule of the network of electronic invoices.
    #[error(transparent)]
    Network(#[from] NetworkRefused),
    /// A rule of the point of sale.
    #[error(transparent)]
    Pos(PosError),
    /// A rule of payments by card.
    #[error(transparent)]
    Card(#[from] CardRefusal),
    /// What the entity's plan does not allow.
    #[error(transparent)]
    Plan(#[from] NotAllowed),
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Duplicate { table: "pt_forms", .. } => {
                Self::Portugal(PortugalRefusal::FormRecovered.into())
            }
            other => Self::Document(other.into()),
        }
    }
}

impl From<Issues> for Error {
    fn from(issues: Issues) -> Self {
        Self::Document(issues.into())
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::Document(refused.into())
    }
}

impl From<SettlementRefusal> for Error {
    fn from(refusal: SettlementRefusal) -> Self {
        Self::Settlement(refusal.into())
    }
}

impl From<PortugalError> for Error {
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

impl From<FiscalizationError> for Error {
    /// What is wrong with an input, and what is not there, is one thing, whichever crate found it.
    fn from(error: FiscalizationError) -> Self {
        match error {
            FiscalizationError::Document(error) => Self::Document(error),
            FiscalizationError::Refused(refused) => Self::Fiscalization(refused),
            FiscalizationError::Portugal(error) => error.into(),
        }
    }
}

impl From<PosError> for Error {
    /// What is wrong with an input, and what is not there, is one thing, whichever crate found it.
    fn from(error: PosError) -> Self {
        match error {
            PosError::Invalid(issues) => issues.into(),
            PosError::Store(error) => error.into(),
            PosError::NotFound { id } => StoreError::NotFound { id }.into(),
            refused @ (PosError::Tab(_)
            | PosError::Table(_)
            | PosError::Invoice(_)
            | PosError::DayClosed(_)
            | PosError::ClosedMeanwhile) => Self::Pos(refused),
        }
    }
}

impl From<SettlementError> for Error {
    /// What is wrong with an input is one thing, whichever crate found it.
    fn from(error: SettlementError) -> Self {
        match error {
            SettlementError::Invalid(issues) => issues.into(),
            SettlementError::Store(error) => error.into(),
            SettlementError::NotFound { id } => StoreError::NotFound { id }.into(),
            refused @ SettlementError::Refused(_) => Self::Settlement(refused),
        }
    }
}
