//! Where, by whom and how a document is issued, whichever authority it is reported to.

use racun_fiscal::{Authority, Means};
use racun_kernel::Issues;
use time::OffsetDateTime;

use super::paper::Paper;
use super::request::{FiscalRequest, FiscalizeRequest};

/// Where, by whom and how a document is issued, as far as a request says, whichever authority is
/// told.
#[derive(Debug, Clone, Default)]
pub(super) struct IssueDetails {
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

impl IssueDetails {
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

impl From<FiscalizeRequest> for IssueDetails {
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
