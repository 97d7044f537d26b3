//! Who issues a document.

use racun_kernel::{Issue, Issues};
use serde::{Deserialize, Serialize};

use crate::is_nif;

/// The longest name of an operator, in characters.
pub const MAX_OPERATOR_CHARS: usize = 100;
/// The longest `SourceID` of SAF-T, in characters.
const MAX_SOURCE_CHARS: usize = 30;

/// What one source says of the operator: a request (`pt.operator_*`, for which `pt.account_*` are
/// other names), a user's settings, or an entity's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperatorInput {
    /// First name.
    pub first_name: Option<String>,
    /// Last name.
    pub last_name: Option<String>,
    /// Tax number.
    pub tax_number: Option<String>,
}

/// Who issues a document, as the document keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtOperator {
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// Tax number: nine digits.
    pub tax_number: String,
}

impl OperatorInput {
    /// What is said here, and what `other` says where nothing is.
    #[must_use]
    pub fn or(self, other: &Self) -> Self {
        let first = |own: Option<String>, other: &Option<String>| {
            own.filter(|text| !text.trim().is_empty()).or_else(|| other.clone())
        };
        Self {
            first_name: first(self.first_name, &other.first_name),
            last_name: first(self.last_name, &other.last_name),
            tax_number: first(self.tax_number, &other.tax_number),
        }
    }

    /// The operator by the first source that says each part: the request, then the user's settings,
    /// then the entity's. Each part is required.
    ///
    /// Source: Despacho 8632/2014, 3.1; `SourceID` of SAF-T.
    ///
    /// # Errors
    /// `required`, `too_long` or `invalid_value`, by the field of the request:
    /// `operator_tax_number` and the like.
    pub fn resolve(sources: impl IntoIterator<Item = Self>) -> Result<PtOperator, Issues> {
        let all = sources.into_iter().fold(Self::default(), |first, next| first.or(&next));
        let mut issues = Issues::default();
        let (first, last, number) =
            ("operator_first_name", "operator_last_name", "operator_tax_number");
        let first_name = issues.note(name(all.first_name, first)).unwrap_or_default();
        let last_name = issues.note(name(all.last_name, last)).unwrap_or_default();
        let tax_number = issues.note(tax_number(all.tax_number, number)).unwrap_or_default();
        issues.into_result(PtOperator { first_name, last_name, tax_number })
    }
}

fn required(at: &str) -> Issue {
    let message = "a document in Portugal names who issues it: send it in pt, or store it in the \
                   settings of the user or of the entity";
    Issue::new("required", message).at(at)
}

fn name(name: Option<String>, at: &str) -> Result<String, Issues> {
    let name = name.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let name = name.ok_or_else(|| required(at))?;
    racun_kernel::text::check(&name, MAX_OPERATOR_CHARS).map_err(|issue| issue.at(at))?;
    Ok(name)
}

fn tax_number(number: Option<String>, at: &str) -> Result<String, Issues> {
    let number = number.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let number = number.ok_or_else(|| required(at))?;
    if is_nif(&number) {
        return Ok(number);
    }
    let message = "expected a Portuguese tax number (NIF): nine digits with their check digit";
    Err(Issue::new("invalid_value", message).at(at).into())
}

/// The user as SAF-T names one, by a text that is never used for another one: an id of a user, key
/// or job. Longer texts are cut at their front, where ids of a kind are the same.
#[must_use]
pub fn source_id(actor: &str) -> String {
    let skipped = actor.chars().count().saturating_sub(MAX_SOURCE_CHARS);
    actor.chars().skip(skipped).collect()
}
