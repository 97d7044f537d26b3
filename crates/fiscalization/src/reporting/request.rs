//! What a caller says of where and by whom a document is issued.

use racun_fiscal::Means;
use racun_fiscal::furs::SalesBook;
use time::{Date, OffsetDateTime};

use super::certified::PtRequest;

/// What a request says to FURS's rules. What is missing is taken from the acting person, from the
/// settings, or from the only candidate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FursRequest {
    /// Name of the business premise.
    pub business_premise_name: Option<String>,
    /// Name of the electronic device.
    pub electronic_device_name: Option<String>,
    /// Tax number of who issues.
    pub operator_tax_number: Option<String>,
    /// Their mark on documents.
    pub operator_label: Option<String>,
    /// Whether to issue without being fiscalized; the setting when missing.
    pub skip: Option<bool>,
    /// The form of a bound book that it was written on.
    pub sales_book: Option<SalesBook>,
    /// The day on that form.
    pub issue_date: Option<Date>,
}

/// What a request says to the rules of Croatia.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FinaRequest {
    /// Name of the business premise.
    pub business_premise_name: Option<String>,
    /// Name of the electronic device.
    pub electronic_device_name: Option<String>,
    /// OIB of who issues.
    pub operator_oib: Option<String>,
    /// Their mark on documents.
    pub operator_label: Option<String>,
    /// How it is paid; as its payments say when missing, else by bank transfer.
    pub payment_type: Option<Means>,
    /// True is refused: fiscalization cannot be skipped there.
    pub skip: Option<bool>,
    /// The number of the receipt of a bound book that it was written on.
    pub paragon: Option<String>,
    /// The time on that receipt.
    pub issued_at: Option<OffsetDateTime>,
}

/// What a request says of fiscalization. What is said to an authority that is not the entity's, or
/// not switched on, is ignored, and so is all of it for drafts; what names paper is refused there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FiscalRequest {
    /// To FURS's rules.
    pub furs: FursRequest,
    /// To those of Croatia.
    pub fina: FinaRequest,
    /// To those of Portugal.
    pub pt: PtRequest,
}

/// How a document is to be fiscalized that was refused or skipped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FiscalizeRequest {
    /// Name of the business premise.
    pub business_premise_name: Option<String>,
    /// Name of the electronic device.
    pub electronic_device_name: Option<String>,
    /// Tax number or OIB of who issues.
    pub operator_number: Option<String>,
    /// Their mark on documents.
    pub operator_label: Option<String>,
    /// FURS: whether they have no Slovenian tax number.
    pub foreign_operator: Option<bool>,
}
