//! What a caller says of a document in Portugal.

use racun_kernel::Issues;
use racun_kernel::id::PtSeriesId;
use racun_portugal::{Code, ManualNumber, OperatorInput};

/// What a request says in `pt`. What is missing is taken from the acting person, from the entity's
/// settings, or from the only active series.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PtRequest {
    /// The series; the active one of the document's type when missing.
    pub series_id: Option<PtSeriesId>,
    /// Whether the document is recovered from a form that was filled in by hand.
    pub manual: bool,
    /// The series printed on that form.
    pub manual_series_code: Option<String>,
    /// The number printed on it.
    pub manual_sequential_number: Option<i64>,
    /// Who issues.
    pub operator: OperatorInput,
}

impl PtRequest {
    /// The form that the document of the type `code` is recovered from.
    ///
    /// # Errors
    /// What is missing or wrong, by field; `manual` itself where only the others are sent.
    pub(super) fn form(&self, code: Code) -> Result<Option<ManualNumber>, Issues> {
        let (series, number) = (self.manual_series_code.as_deref(), self.manual_sequential_number);
        if self.manual {
            return ManualNumber::new(code, series, number).map(Some);
        }
        if series.is_some() || number.is_some() {
            let message = "a form is named, so the document is recovered from it: send true, or \
                           leave manual_series_code and manual_sequential_number out";
            return Err(racun_kernel::Issue::new("required", message).at("manual").into());
        }
        Ok(None)
    }
}
