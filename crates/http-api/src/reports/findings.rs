//! What a report left out, and what is odd.

use racun_insights::Findings;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Convert;

/// Documents that one finding names, at most.
const MOST_NAMED: usize = 1000;

/// What a report has to say of some documents.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReportFinding)]
pub(super) struct FindingBody {
    /// For programs.
    code: String,
    /// What is odd, and what to do.
    message: String,
    /// How many documents it is about.
    count: usize,
    /// The documents, at most 1,000 of them.
    documents: Vec<NamedBody>,
}

/// A document that is named.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReportedDocument)]
struct NamedBody {
    /// Its id.
    id: String,
    /// Its number.
    number: String,
}

impl Convert<Vec<FindingBody>> for &Findings {
    fn convert(self) -> Vec<FindingBody> {
        let body = |finding: &racun_insights::Finding| {
            let named = finding.documents.iter().take(MOST_NAMED);
            FindingBody {
                code: finding.code.to_owned(),
                message: finding.message.to_owned(),
                count: finding.documents.len(),
                documents: named
                    .map(|one| NamedBody { id: one.id.clone(), number: one.number.clone() })
                    .collect(),
            }
        };
        self.iter().map(body).collect()
    }
}
