//! What a tax authority knows of a document.

use racun_kernel::{Authority, AuthorityError, Environment, SalesBook};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::TipReport;

/// How far a document's report has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FiscalStatus {
    /// Issued; whether the authority has it is not known yet.
    Pending,
    /// The authority confirmed it.
    Success,
    /// The authority refused it; a user has to correct what it names and fiscalize it again.
    Failed,
    /// Issued without being reported, as is legal for some ways of payment.
    Skipped,
}

impl FiscalStatus {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Success => "success",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// What a document was reported with. All but confirmations, the last message and `payment_type`
/// stays as issued.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FiscalRecord {
    /// Name of the business premise.
    pub premise: String,
    /// Name of the electronic device; none for a form of a bound book.
    pub device: Option<String>,
    /// Its place in their sequence; of a form the number on it.
    pub number: i64,
    /// When it was issued, to the second, with the offset of the authority's zone. Of a form only
    /// the day is known, and its noon in UTC is kept, which no zone of an authority moves to
    /// another day.
    #[serde(with = "time::serde::rfc3339")]
    pub issued_at: OffsetDateTime,
    /// The issuer's mark: ZOI or ZKI; empty for a form of a bound book, which has none.
    pub mark: String,
    /// All ids that the authority gave it, EOR or JIR, in the order in which they came.
    pub confirmations: Vec<String>,
    /// What its QR code says; empty for a form of a bound book.
    pub qr: String,
    /// Tax number or OIB of who issued it; none for a foreigner in Slovenia.
    pub operator_number: Option<String>,
    /// Their mark on the document.
    pub operator_label: Option<String>,
    /// Whether it went to the authority's test system.
    pub environment: Environment,
    /// Id of the last message.
    pub message_id: String,
    /// Whether that message said that the document was handed out before it was confirmed.
    pub is_late: bool,
    /// What the message says besides.
    pub special_notes: Option<String>,
    /// Croatia: the means of payment in the last report to the authority.
    pub payment_type: Option<String>,
    /// Slovenia: the form of a bound book that it was written on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<SalesBook>,
    /// Croatia: the number of the receipt of a bound book that it was written on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paragon: Option<String>,
}

/// What a tax authority knows of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fiscalization {
    /// Whom it is reported to.
    pub authority: Authority,
    /// How far the report has come.
    pub status: FiscalStatus,
    /// When the authority first confirmed it.
    #[serde(with = "time::serde::rfc3339::option")]
    pub fiscalized_at: Option<OffsetDateTime>,
    /// The authority's code, when it last answered an error.
    pub error: Option<String>,
    /// All errors that the authority answered last, when it refused the document.
    #[serde(default)]
    pub errors: Vec<AuthorityError>,
    /// What it was reported with; none while it is skipped.
    pub record: Option<FiscalRecord>,
    /// Croatia: the report of its tips; none while there never were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tips: Option<Box<TipReport>>,
}

impl Fiscalization {
    /// A document that is issued without being reported.
    #[must_use]
    pub const fn skipped(authority: Authority) -> Self {
        Self::of(authority, FiscalStatus::Skipped, None)
    }

    /// A document that is issued to be reported with `record`.
    #[must_use]
    pub const fn pending(authority: Authority, record: FiscalRecord) -> Self {
        Self::of(authority, FiscalStatus::Pending, Some(record))
    }

    const fn of(authority: Authority, status: FiscalStatus, record: Option<FiscalRecord>) -> Self {
        let errors = Vec::new();
        let (fiscalized_at, error, tips) = (None, None, None);
        Self { authority, status, fiscalized_at, error, errors, record, tips }
    }

    /// The id that the authority gave it: of several the last in Slovenia, where the last message
    /// counts, and the first in Croatia, where the first does.
    #[must_use]
    pub fn confirmation(&self) -> Option<&String> {
        let confirmations = &self.record.as_ref()?.confirmations;
        match self.authority {
            Authority::Furs => confirmations.last(),
            Authority::Fina => confirmations.first(),
        }
    }
}
