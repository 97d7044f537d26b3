//! Why a use case of payments by card is refused.

use racun_card_payments::{CardRefusal, ProcessorError};
use racun_documents::DocumentError;
use racun_kernel::Issues;
use racun_settlement::TypeChangeError;
use racun_store::StoreError;

use crate::error::Error;

/// Why a use case of payments by card is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    /// A rule of cards, documents or settlement, or the store.
    #[error(transparent)]
    Sales(#[from] Error),
    /// The processor did not do what it was asked.
    #[error(transparent)]
    Processor(#[from] ProcessorError),
    /// What the processor led back with is altered, late, used, or another one's.
    #[error(
        "this consent is none of this server, is another one's, was used, or came too late; ask \
         for the page of consent again"
    )]
    BadConsent,
    /// Secrets cannot be kept or read.
    #[error("this server keeps no secrets, so consent cannot be checked; set its master key")]
    NoVault,
}

impl From<CardRefusal> for CardError {
    fn from(refusal: CardRefusal) -> Self {
        Self::Sales(refusal.into())
    }
}

impl From<StoreError> for CardError {
    fn from(error: StoreError) -> Self {
        Self::Sales(error.into())
    }
}

impl From<DocumentError> for CardError {
    fn from(error: DocumentError) -> Self {
        Self::Sales(error.into())
    }
}

impl From<Issues> for CardError {
    fn from(issues: Issues) -> Self {
        Self::Sales(issues.into())
    }
}

impl CardError {
    /// Whether it says nothing of the money: an event that comes again may then be recorded.
    pub(super) fn is_of_the_moment(&self) -> bool {
        match self {
            Self::Sales(Error::Document(DocumentError::Store(error))) => {
                !matches!(error, StoreError::NotFound { .. })
            }
            Self::Sales(Error::Document(error)) => {
                matches!(error, DocumentError::ChangedMeanwhile | DocumentError::NumberTaken)
            }
            Self::Sales(Error::TypeChange(error)) => matches!(
                error,
                TypeChangeError::Unreachable(_)
                    | TypeChangeError::Unconfirmed { .. }
                    | TypeChangeError::Unrecorded(_)
            ),
            Self::Sales(_) | Self::BadConsent => false,
            Self::Processor(ProcessorError::Refused { .. }) => false,
            Self::Processor(ProcessorError::NotConnected | ProcessorError::NoAnswer(_))
            | Self::NoVault => true,
        }
    }
}
