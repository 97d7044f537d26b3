//! What a caller says of where and by whom a document is issued.

use racun_fiscal::furs::SalesBook;
use racun_fiscal::{Authority, Means};
use racun_kernel::Issues;
use time::{Date, OffsetDateTime};

use super::certified::PtRequest;
use super::paper::Paper;

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

/// What a request says, whichever authority it is for.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub premise: Option<String>,
    pub device: Option<String>,
    pub operator_number: Option<String>,
    pub operator_label: Option<String>,
    pub foreign_operator: Option<bool>,
    pub payment_type: Option<Means>,
    pub skip: Option<bool>,
    /// What it was written on.
    pub paper: Option<Paper>,
    /// Whether it takes a document back, which names no place.
    pub takes_back: bool,
    /// Where in the body these fields are: `furs`, `fina`, or at its top.
    pub inside: Option<&'static str>,
}

impl Said {
    /// What `request` says to `authority`, at `now`.
    ///
    /// # Errors
    /// What is wrong with the paper that it names.
    pub fn to(
        authority: Authority,
        request: FiscalRequest,
        now: OffsetDateTime,
    ) -> Result<Self, Issues> {
        let inside = Some(authority.name());
        Ok(match authority {
            Authority::Furs => {
                let furs = request.furs;
                Self {
                    paper: Paper::of_furs(&furs, now)?,
                    premise: furs.business_premise_name,
                    device: furs.electronic_device_name,
                    operator_number: furs.operator_tax_number,
                    operator_label: furs.operator_label,
                    skip: furs.skip,
                    inside,
                    ..Self::default()
                }
            }
            Authority::Fina => {
                let fina = request.fina;
                Self {
                    paper: Paper::of_fina(&fina, now)?,
                    premise: fina.business_premise_name,
                    device: fina.electronic_device_name,
                    operator_number: fina.operator_oib,
                    operator_label: fina.operator_label,
                    payment_type: fina.payment_type,
                    skip: fina.skip,
                    inside,
                    ..Self::default()
                }
            }
        })
    }
}

impl From<FiscalizeRequest> for Said {
    fn from(request: FiscalizeRequest) -> Self {
        Self {
            premise: request.business_premise_name,
            device: request.electronic_device_name,
            operator_number: request.operator_number,
            operator_label: request.operator_label,
            foreign_operator: request.foreign_operator,
            skip: Some(false),
            ..Self::default()
        }
    }
}
