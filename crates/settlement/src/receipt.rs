//! The receipt that was issued for a payment.

use racun_kernel::Decimal;
use racun_kernel::calendar::date;
use racun_kernel::id::PtSeriesId;
use serde::{Deserialize, Serialize};
use time::Date;

/// The receipt of a payment in Portugal: a document of its own, numbered when the payment is
/// recorded, and never changed. It is not signed (Despacho 8632/2014, 1.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentReceipt {
    /// Its series.
    pub series_id: PtSeriesId,
    /// What that is called.
    pub series_code: String,
    /// The authority's code for it.
    pub validation_code: String,
    /// Its number: `RG 2026A/1`.
    pub number: String,
    /// Its place in the series.
    pub sequence: i64,
    /// The unique code, without `ATCUD:` before it.
    pub atcud: String,
    /// What its QR code says.
    pub qr: String,
    /// What paper says of the program, and the unique code right above the QR code.
    pub printed: Vec<String>,
    /// The number of the program's certificate.
    pub certificate: u16,
    /// Its type: `RG`.
    pub code: String,
    /// The day on which it was issued.
    #[serde(with = "date")]
    pub date: Date,
    /// When it entered the system, as clocks at the establishment showed it.
    pub entered_at: String,
    /// The user, key or job that issued it, as SAF-T names it.
    pub source_id: String,
    /// The payment's amount in euros.
    pub euros: Decimal,
    /// The customer of the document that is paid, as SAF-T names one.
    pub customer_id: String,
    /// The number of that document.
    pub document_number: String,
    /// Its day.
    #[serde(with = "date")]
    pub document_date: Date,
    /// When and by whom it was voided: the payment was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voided: Option<ReceiptVoided>,
}

impl PaymentReceipt {
    /// Whether it says that money came: not that it is voided.
    #[must_use]
    pub const fn holds(&self) -> bool {
        self.voided.is_none()
    }
}

/// When and by whom a receipt was voided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptVoided {
    /// When, as clocks at the establishment showed it.
    pub at: String,
    /// The user, key or job, as SAF-T names it.
    pub by: String,
}
