//! Why what is asked is refused in Portugal.

use racun_kernel::{Issue, Issues};
use racun_store::StoreError;

use crate::{Number, SigningFailed, WallTime};

/// Why a command on series or documents is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PortugalError {
    /// The input breaks rules; every rule that it breaks is named.
    #[error(transparent)]
    Invalid(#[from] Issues),
    /// This entity has no such series.
    #[error("there is no {id} here")]
    NotFound {
        /// The id that was asked for.
        id: String,
    },
    /// A rule does not allow it.
    #[error(transparent)]
    Refused(#[from] PortugalRefusal),
    /// The store showed a number that does not follow the last document of the series: what is kept
    /// of the two does not belong together.
    #[error("the series goes on with {expected}, and the number taken for it is {shown}")]
    OutOfSequence {
        /// What follows the last document.
        expected: i64,
        /// What the store counted.
        shown: i64,
    },
    /// The program's key is of no use.
    #[error(transparent)]
    Signing(#[from] SigningFailed),
    /// The store failed.
    #[error(transparent)]
    Store(StoreError),
}

impl From<Issue> for PortugalError {
    fn from(issue: Issue) -> Self {
        Self::Invalid(issue.into())
    }
}

impl From<StoreError> for PortugalError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { id } => Self::NotFound { id },
            StoreError::Duplicate { table: "pt_series", field: "active" } => {
                PortugalRefusal::SeriesActive.into()
            }
            StoreError::Duplicate { table: "pt_series", .. } => {
                PortugalRefusal::SeriesExists.into()
            }
            StoreError::Duplicate { table: "pt_forms", .. } => {
                PortugalRefusal::FormRecovered.into()
            }
            other => Self::Store(other),
        }
    }
}

/// A rule that does not allow a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PortugalRefusal {
    /// The entity is of another country.
    #[error("ATCUD series are for entities with the country_code PT; this entity has another one")]
    OtherCountry,
    /// The identifier was used for this type of document.
    #[error(
        "the series_code is or was used for a series of this type; the authority knows each once, \
         capitals aside: choose another one"
    )]
    SeriesExists,
    /// Another series of the type is active.
    #[error(
        "there is an active series for this document_type; close it first, or make this one with \
         is_manual"
    )]
    SeriesActive,
    /// The operator has not set up the program.
    #[error(
        "this server is no certified program for Portugal yet: its operator sets \
         RACUN__PORTUGAL__KEY_FILE and RACUN__PORTUGAL__CERTIFICATE_NUMBER"
    )]
    ProgramMissing,
    /// A fatura-recibo that is not paid.
    #[error(
        "a fatura-recibo (FR) is paid in full when it is issued: send payments, or name a series \
         of the document_type invoice"
    )]
    NotPaid,
    /// The customer has the original, so the document is not voided.
    #[error(
        "the customer has the original of the document, so it is not voided; give it back by a \
         credit note, or send has_original_document true once you have it again"
    )]
    OriginalGone,
    /// The authority's answer.
    #[error("the tax authority refused it: {code} {message}")]
    Authority {
        /// Its code.
        code: String,
        /// Its words.
        message: String,
    },
    /// The authority did not answer.
    #[error(
        "the tax authority did not answer; try again, or enter validation_code by hand: {reason}"
    )]
    Unanswered {
        /// What was seen.
        reason: String,
    },
    /// Nothing says who calls the authority.
    #[error(
        "the authority asks who registers the series: store username and password of a sub-user \
         by PUT /fiscalization/pt/settings, or send validation_code"
    )]
    SubUserMissing,
    /// A document that SAF-T cannot hold.
    #[error("SAF-T cannot be written: {reason}")]
    Unwritable {
        /// Which document, and what is wrong with it.
        reason: String,
    },
    /// There is no series to issue in.
    #[error("there is no active series for this document; make one first")]
    SeriesMissing,
    /// The series that was named is closed.
    #[error("the series is closed, for good; make one with another series_code")]
    SeriesClosed,
    /// The series that was named is for other documents.
    #[error("the series is for documents of another type, or is_manual differs; name another one")]
    SeriesOfOther,
    /// Documents were numbered in the series.
    #[error("documents were numbered in the series, so this can no longer be changed; close it")]
    SeriesUsed,
    /// The number that follows is longer than SAF-T holds.
    #[error("the numbers of the series are used up; close it and make another one")]
    SeriesFull,
    /// There are as many series as there may be.
    #[error("an entity has at most {most} series, closed ones included")]
    TooManySeries {
        /// How many there may be.
        most: usize,
    },
    /// The clock shows a time before the last document's.
    #[error(
        "the clock is wrong: the last document, of this series or another active one, entered at \
         {last}; have it set, or close a series that ran ahead"
    )]
    ClockBehind {
        /// When the last one entered.
        last: WallTime,
    },
    /// The form was recovered before.
    #[error("a document was recovered from this form; a form is entered once")]
    FormRecovered,
    /// Documents in Portugal are not changed.
    #[error(
        "a document in Portugal is never changed, once it is issued; void it with a reason, or \
         issue a credit note"
    )]
    Immutable,
    /// A document in Portugal is not deleted.
    #[error("documents and series in Portugal are never deleted; void a document, close a series")]
    NotDeleted,
    /// The document is void.
    #[error("the document {number} is voided; a voided document takes no credit note")]
    Voided {
        /// Its number.
        number: Number,
    },
    /// It is to be voided again.
    #[error("the document {number} is voided and stays as it is; make a new one")]
    VoidedBefore {
        /// Its number.
        number: Number,
    },
    /// Another document rectifies it.
    #[error("the document {number} has a credit or debit note; void that one first")]
    Rectified {
        /// Its number.
        number: Number,
    },
    /// A receipt says that it was paid.
    #[error(
        "the receipt {receipt} says that money came for the document {number}; delete that payment \
         first, which voids its receipt"
    )]
    Receipted {
        /// Its number.
        number: Number,
        /// The receipt's.
        receipt: String,
    },
    /// It is not signed yet.
    #[error("a document in Portugal is printed and sent when it is issued and signed, not before")]
    NotSigned,
}

impl PortugalRefusal {
    /// The stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::OtherCountry => "country_not_supported",
            Self::SeriesExists => "duplicate",
            Self::SeriesActive => "pt_series_active",
            Self::ProgramMissing => "pt_program_missing",
            Self::NotPaid => "pt_not_paid",
            Self::OriginalGone => "pt_original_gone",
            Self::Authority { .. } => "pt_authority_refused",
            Self::Unanswered { .. } => "pt_authority_unanswered",
            Self::SubUserMissing => "pt_sub_user_missing",
            Self::Unwritable { .. } => "pt_saft_unwritable",
            Self::SeriesMissing => "pt_series_missing",
            Self::SeriesClosed => "pt_series_closed",
            Self::SeriesOfOther => "pt_series_of_other_type",
            Self::SeriesUsed => "pt_series_used",
            Self::SeriesFull => "pt_series_full",
            Self::TooManySeries { .. } => "too_many_series",
            Self::ClockBehind { .. } => "clock_behind",
            Self::FormRecovered => "pt_form_recovered",
            Self::Immutable => "pt_document_immutable",
            Self::NotDeleted => "pt_not_deleted",
            Self::Voided { .. } => "pt_document_voided",
            Self::VoidedBefore { .. } => "document_voided",
            Self::Rectified { .. } => "document_credited",
            Self::Receipted { .. } => "pt_receipt_holds",
            Self::NotSigned => "pt_not_signed",
        }
    }
}
