//! What a document in Portugal has by being certified.

use racun_kernel::id::PtSeriesId;
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};

/// Which characters of a signature are printed, counted from 0.
const PRINTED: [usize; 4] = [0, 10, 20, 30];

/// What a document in Portugal has by being issued, and keeps for good. What happens to it later is
/// in `voided` and `report`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtRecord {
    /// Its series.
    pub series_id: PtSeriesId,
    /// What that is called.
    pub series_code: String,
    /// The authority's code for it.
    pub validation_code: String,
    /// The unique code, without `ATCUD:` before it.
    pub atcud: String,
    /// Its place in the series.
    pub number: i64,
    /// Its signature, Base64; `None` of receipts.
    pub hash: Option<String>,
    /// The version of the program's key; of a recovered document with its form.
    pub hash_control: String,
    /// What its QR code says.
    pub qr: String,
    /// What paper says of the program, of the form, and the unique code right above the QR code: in
    /// the words of the law.
    #[serde(default)]
    pub printed: Vec<String>,
    /// The number of the program's certificate.
    pub certificate: u16,
    /// Its type: `FT` and the like.
    pub code: String,
    /// When it entered the system, as clocks at the establishment showed it.
    pub entered_at: String,
    /// The region whose rates of VAT it has: `PT`, `PT-AC` or `PT-MA`.
    pub region: String,
    /// The form that it was recovered from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manual: Option<PtManual>,
    /// Who issued it.
    pub operator: PtOperatorSnapshot,
    /// The user, key or job that issued it, as SAF-T names it.
    pub source_id: String,
    /// The documents that it goes back to: those that it gives back of, or those that it invoices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<PtReference>,
    /// When and by whom it was voided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voided: Option<PtVoided>,
    /// What the authority was told of it; `None` where it is not told document by document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Box<PtReport>>,
}

/// A form that was filled in by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtManual {
    /// The series printed on it.
    pub series: String,
    /// The number printed on it.
    pub number: i64,
}

/// A document that another one goes back to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtReference {
    /// Its number; of a recovered document that of its form.
    pub number: String,
    /// Its date.
    #[serde(with = "racun_kernel::calendar::date")]
    pub date: Date,
}

/// Who issued a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtOperatorSnapshot {
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// Tax number.
    pub tax_number: String,
}

/// When and by whom a document was voided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtVoided {
    /// When, as clocks at the establishment showed it.
    pub at: String,
    /// The user, key or job, as SAF-T names it.
    pub by: String,
}

/// How far the report of a document to the authority has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PtReportStatus {
    /// The authority has not answered yet.
    Pending,
    /// It took it.
    Success,
    /// It refused it, or all attempts to tell it failed.
    Failed,
}

impl PtReportStatus {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Success => "success",
            Self::Failed => "failed",
        }
    }
}

/// The report of a document to the authority: its text is stored before it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtReport {
    /// How far it has come.
    pub status: PtReportStatus,
    /// What is sent, without the header that says who calls; empty once it was taken.
    pub message: String,
    /// How often it was sent.
    pub attempts: u32,
    /// The authority's code, when it last answered an error.
    pub code: Option<String>,
    /// What last came in the way, in words.
    pub error: Option<String>,
    /// When the authority took it.
    #[serde(with = "time::serde::rfc3339::option")]
    pub reported_at: Option<OffsetDateTime>,
}

impl PtReport {
    /// A report that is about to be sent.
    #[must_use]
    pub const fn pending(message: String) -> Self {
        Self {
            status: PtReportStatus::Pending,
            message,
            attempts: 0,
            code: None,
            error: None,
            reported_at: None,
        }
    }
}

impl PtRecord {
    /// The four characters of the signature that paper has; `None` of receipts.
    #[must_use]
    pub fn excerpt(&self) -> Option<String> {
        let hash = self.hash.as_ref()?;
        Some(PRINTED.iter().filter_map(|place| hash.chars().nth(*place)).collect())
    }
}
