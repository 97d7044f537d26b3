//! Errors of reports.

use racun_reporting::ReportError;

use super::{ApiError, Kind};

impl From<ReportError> for ApiError {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::Invalid(issues) => issues.into(),
            ReportError::NotFound(id) => Self::not_found(&id),
            ReportError::OtherCountry(_) => {
                Self::new(Kind::Unprocessable, error.to_string()).caused_by("country_not_supported")
            }
            ReportError::Profile(message) => {
                Self::new(Kind::Unprocessable, message).caused_by("tax_profile_missing")
            }
            ReportError::NothingToPost(message) => {
                Self::new(Kind::Unprocessable, message).caused_by("nothing_to_post")
            }
            ReportError::Access(error) => error.into(),
            ReportError::Store(error) => error.into(),
        }
    }
}
