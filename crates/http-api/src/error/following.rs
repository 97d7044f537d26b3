//! Errors of the logs and of jobs.

use racun_background::activities::ActivitiesError;
use racun_background::jobs::JobError;
use racun_background::request_log::RequestLogError;

use super::{ApiError, Kind};

impl From<ActivitiesError> for ApiError {
    fn from(error: ActivitiesError) -> Self {
        match error {
            ActivitiesError::Invalid(issues) => issues.into(),
            ActivitiesError::Store(error) => error.into(),
        }
    }
}

impl From<RequestLogError> for ApiError {
    fn from(error: RequestLogError) -> Self {
        match error {
            RequestLogError::Invalid(issues) => issues.into(),
            RequestLogError::Store(error) => error.into(),
        }
    }
}

impl From<JobError> for ApiError {
    fn from(error: JobError) -> Self {
        match &error {
            JobError::NotFound { id } => Self::not_found(id),
            JobError::NotDead => {
                Self::new(Kind::Conflict, error.to_string()).caused_by("job_not_dead")
            }
            JobError::Store(error) => error.clone().into(),
        }
    }
}
