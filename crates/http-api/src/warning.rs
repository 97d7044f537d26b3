//! Warnings: what is odd in input that was nevertheless accepted. They have the shape of
//! `cause.issues[]`, and are part of the answer of the record that they concern.

use racun_kernel::{Issue, Issues, Step};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;

use crate::body::Convert;

/// What is odd about one field. Nothing was refused for it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Warning)]
pub struct WarningBody {
    /// Keys and zero-based indices from the resource's root to the field.
    path: Vec<Json>,
    /// Stable, for programs: `tax_number_check_digits`.
    code: String,
    /// For people: what is odd and how to mend it.
    message: String,
}

impl WarningBody {
    fn of(issue: &Issue) -> Self {
        Self {
            path: issue.path.iter().map(step).collect(),
            code: issue.code.to_owned(),
            message: issue.message.clone(),
        }
    }
}

impl Convert<Vec<WarningBody>> for Issues {
    fn convert(self) -> Vec<WarningBody> {
        self.iter().map(WarningBody::of).collect()
    }
}

/// A step of a path on the wire.
pub(crate) fn step(step: &Step) -> Json {
    match step {
        Step::Key(key) => key.as_str().into(),
        Step::Index(index) => (*index).into(),
    }
}
