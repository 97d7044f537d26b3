//! Why a command on a document is refused.

use racun_kernel::Issues;
use racun_store::StoreError;

use crate::DocumentKind;
use crate::calculation::{CalculationError, TotalMismatch};

/// Why a command on a document is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// The input is wrong; the issues say where and how to mend it.
    #[error("the document cannot be made as sent: {0}")]
    Invalid(Issues),
    /// The document's stage does not allow the command.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The expected total is too far from the calculated one.
    #[error(transparent)]
    ExpectedTotalMismatch(Box<TotalMismatch>),
    /// A document that the request names cannot be linked; the issues say which and why.
    #[error("a linked document does not fit: {0}")]
    LinkRefused(Issues),
    /// The next number of the sequence is taken by a document of another sequence.
    #[error(
        "the next number is taken; two number formats give equal numbers, change one in \
         settings.number_formats"
    )]
    NumberTaken,
    /// The document changed between being read and being issued.
    #[error("the document changed meanwhile; send the request again")]
    ChangedMeanwhile,
    /// The store failed.
    #[error(transparent)]
    Store(StoreError),
}

/// What a document's stage does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Only drafts can be finalized or deleted.
    #[error("the document is issued already; only a draft can be finalized or deleted")]
    NotDraft,
    /// Only what was deleted can be restored.
    #[error("the document is not deleted; there is nothing to restore")]
    NotInTrash,
    /// Drafts have nothing to void.
    #[error("the document is a draft; delete it instead of voiding it")]
    Draft,
    /// A draft is not shown outside the entity.
    #[error("the document is a draft; finalize it before it is shared or sent")]
    DraftNotShared,
    /// A voided document stays as it is.
    #[error("the document is voided and stays as it is; make a new one")]
    Voided,
    /// Issued documents cannot be edited in this entity's country.
    #[error(
        "issued documents cannot be edited in this country; void the document and make a new one"
    )]
    NotEditable,
    /// The estimate was accepted.
    #[error("the estimate is accepted already")]
    Accepted,
    /// The estimate was rejected.
    #[error("the estimate is rejected already")]
    Rejected,
    /// The estimate is no longer valid.
    #[error("the estimate ran out; make a new one, or extend date_valid_till")]
    RanOut,
    /// An advance invoice that is applied stays.
    #[error("the advance invoice is applied to an invoice; void that invoice first")]
    Applied,
    /// Refunds, settlements or payments stand on it.
    #[error("payments stand on the document; delete them first")]
    Settled,
    /// A credit note settles an invoice, so its money is there.
    #[error("the credit note settles an invoice; void that invoice first")]
    SettlesInvoice,
    /// A credit note took back what is voided.
    #[error("the credit note took back a document that is voided, and stays with it")]
    TookBack,
    /// Credit notes give back of it, which would stay good without it.
    #[error("a credit note gives back of the document; void the credit note first")]
    Credited,
    /// Credit notes give back all of it.
    #[error(
        "credit notes give back all of the document already, so nothing of it is left to be voided"
    )]
    CreditedInFull,
    /// What credit notes leave of it cannot be computed.
    #[error(
        "what is left of the document cannot be told: its credit notes give back more at a tax \
         rate than it charges, or are over other documents, too; give back the rest by a credit \
         note of your own"
    )]
    CreditUnclear,
    /// Estimates end by being rejected or by running out.
    #[error("a document of this kind cannot be voided")]
    NotVoidable,
    /// It was reported to a tax authority, so its content is final.
    #[error(
        "the document is fiscalized and cannot be edited; issue a credit note and a new document"
    )]
    Fiscalized,
    /// It was reported to a tax authority, and a credit note can take back plain invoices only.
    #[error(
        "a fiscalized document of this kind cannot be voided; correct it with a document of its own"
    )]
    FiscalizedNotVoidable,
    /// The tax authority has it already, or no tax authority asks for it.
    #[error("the document is fiscalized already, or is none that is to be fiscalized")]
    NotToFiscalize,
    /// The tax authority has not confirmed yet how a payment on it was made.
    #[error(
        "a change of a payment's type is not confirmed by the tax authority yet; send that change \
         again first"
    )]
    PaymentChangeUnconfirmed,
}

impl Refused {
    /// Stable code for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NotDraft => "document_not_draft",
            Self::NotInTrash => "not_in_trash",
            Self::Draft | Self::DraftNotShared => "document_is_draft",
            Self::Voided => "document_voided",
            Self::NotEditable => "document_not_editable",
            Self::Accepted => "estimate_accepted",
            Self::Rejected => "estimate_rejected",
            Self::RanOut => "estimate_expired",
            Self::Applied | Self::TookBack => "document_linked",
            Self::Settled | Self::SettlesInvoice => "document_settled",
            Self::Credited | Self::CreditedInFull | Self::CreditUnclear => "document_credited",
            Self::NotVoidable => "document_not_voidable",
            Self::Fiscalized | Self::FiscalizedNotVoidable => "document_fiscalized",
            Self::NotToFiscalize => "document_not_to_fiscalize",
            Self::PaymentChangeUnconfirmed => "fina_payment_change_unconfirmed",
        }
    }
}

impl From<Issues> for DocumentError {
    fn from(issues: Issues) -> Self {
        Self::Invalid(issues)
    }
}

impl From<StoreError> for DocumentError {
    fn from(error: StoreError) -> Self {
        let is_number =
            |table: &str| DocumentKind::ALL.iter().any(|kind| crate::table_of(*kind).name == table);
        match error {
            StoreError::Duplicate { table, field: "number_key" } if is_number(table) => {
                Self::NumberTaken
            }
            other => Self::Store(other),
        }
    }
}

impl From<CalculationError> for DocumentError {
    fn from(error: CalculationError) -> Self {
        match error {
            CalculationError::Invalid(issues) => Self::Invalid(issues),
            CalculationError::ExpectedTotalMismatch(mismatch) => {
                Self::ExpectedTotalMismatch(mismatch)
            }
        }
    }
}
