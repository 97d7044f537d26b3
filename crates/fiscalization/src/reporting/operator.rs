//! Who issues a document: as the request says, else the person who acts, else as the settings say.

use racun_fiscal::{Authority, FiscalSettings};
use racun_kernel::{Issue, Issues, OperatorIdentity, Person};

use super::details::IssueDetails;
use super::paper::Paper;

/// The operator who issues a document, as reported to an authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Operator {
    /// Tax number or OIB; `None` for a foreigner in Slovenia.
    pub number: Option<String>,
    /// Their mark on the document.
    pub label: Option<String>,
}

impl Operator {
    /// Who issues for the entity of `settings`, when `person` acts and the request says `details`.
    ///
    /// The message of a form of a bound book names no operator, so none is needed there. An
    /// operator with a number is no foreigner, whatever the entity's settings say.
    ///
    /// # Errors
    /// Issues at the fields of the request that would have told who it is, `required`, or
    /// `invalid_value` for what is no such number.
    pub fn of(
        details: &IssueDetails,
        person: Option<&Person>,
        settings: &FiscalSettings,
    ) -> Result<Self, Issues> {
        let authority = settings.authority;
        let own =
            person.and_then(|person| identity(person, authority)).cloned().unwrap_or_default();
        let named = details.operator_number.clone().or(own.number);
        let may_be_foreign = authority == Authority::Furs && details.operator_number.is_none();
        let is_foreign = may_be_foreign
            && details.foreign_operator.unwrap_or(named.is_none() && settings.foreign_operator);
        let number = named.or_else(|| settings.operator_number.clone()).filter(|_| !is_foreign);
        let label = details
            .operator_label
            .clone()
            .or(own.label)
            .or_else(|| settings.operator_label.clone());
        let is_told = !matches!(details.paper, Some(Paper::Form { .. }));
        let mut issues = Issues::default();
        if let Some(number) = &details.operator_number {
            let checked = authority.check_number(number);
            issues.collect(authority.number_field(), checked.map_err(Issues::from));
        }
        if number.is_none() && !is_foreign && is_told {
            let message = "no number of an operator is known; send it, or store it in the \
                           settings of the user or of the entity";
            issues.push(Issue::new("required", message).at(authority.number_field()));
        }
        // Croatia receives the number only.
        if label.is_none() && !is_foreign && is_told && authority == Authority::Furs {
            let message = "no label of an operator is known; send it, or store it in the \
                           settings of the user or of the entity";
            issues.push(Issue::new("required", message).at("operator_label"));
        }
        issues.into_result(Self { number, label }).map_err(|issues| inside(details, issues))
    }
}

fn identity(person: &Person, authority: Authority) -> Option<&OperatorIdentity> {
    match authority {
        Authority::Furs => person.furs.as_ref(),
        Authority::Fina => person.fina.as_ref(),
    }
}

/// The issues where the caller wrote what they are of.
pub(super) fn inside(details: &IssueDetails, issues: Issues) -> Issues {
    match details.inside {
        Some(part) => issues.at(part),
        None => issues,
    }
}
