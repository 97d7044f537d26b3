//! What a caller says of a new series.

use racun_kernel::id::PtSeriesId;
use racun_kernel::{Issue, Issues};
use racun_store::{Actor, Decision};
use time::Date;

use super::{MAX_SERIES, PtSeries, Registration, SeriesStatus, series_key};
use crate::{
    MAX_NUMBER_CHARS, Number, PortugalError, PortugalRefusal, Purpose, SeriesCode, ValidationCode,
    events,
};

/// The highest sequence that a series starts with.
const HIGHEST_START: i64 = 999_999_999;

/// What a caller says of a new series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSeries {
    /// For which documents.
    pub document_type: Purpose,
    /// 1 to 35 letters, digits and signs.
    pub series_code: String,
    /// What the authority answered for it; the program registers it when this is missing.
    pub validation_code: Option<String>,
    /// The first number, such as `FT 2026A/00001`: it tells how many digits numbers have.
    pub first_number: Option<String>,
    /// The first day on which documents may be dated.
    pub start_date: Date,
    /// Whether documents that were written by hand are recovered in it.
    pub is_manual: bool,
    /// The sequence of its first document; 1 when missing.
    pub initial_sequence: Option<i64>,
}

/// A new series in which nothing is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedSeries {
    /// For which documents.
    pub document_type: Purpose,
    /// What it is called.
    pub series_code: SeriesCode,
    /// What the authority answered, when the caller knows.
    pub validation_code: Option<ValidationCode>,
    /// The first day on which documents may be dated.
    pub start_date: Date,
    /// Whether documents that were written by hand are recovered in it.
    pub is_manual: bool,
    /// The sequence of its first document.
    pub initial_sequence: i64,
    first_number: Option<Number>,
}

/// The code of a series, and whether the program got it by registering the series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validated {
    /// The code.
    pub code: ValidationCode,
    /// Whether it came from the authority's service, not from a person.
    pub is_registered: bool,
}

impl NewSeries {
    /// Accepts it beside the `present` ones of the entity.
    ///
    /// # Errors
    /// All that is wrong with the input, by path; [`PortugalRefusal::SeriesExists`];
    /// [`PortugalRefusal::SeriesActive`]; [`PortugalRefusal::TooManySeries`].
    pub fn check(self, present: &[PtSeries]) -> Result<CheckedSeries, PortugalError> {
        let mut issues = Issues::default();
        let code = SeriesCode::new(&self.series_code).map_err(Issues::from);
        let code = issues.collect("series_code", code);
        let validation = self.validation_code.as_deref().map(ValidationCode::new).transpose();
        let validation = issues.collect("validation_code", validation.map_err(Issues::from));
        let start = self.initial_sequence;
        if start.is_some_and(|start| !(1..=HIGHEST_START).contains(&start)) {
            let message = format!("expected a whole number from 1 to {HIGHEST_START}");
            issues.push(Issue::new("invalid_value", message).at("initial_sequence"));
        }
        let first = code.as_ref().map_or(Ok(None), |code| self.read_first(code));
        let first = issues.collect("first_number", first.map_err(Issues::from));
        issues.into_result(())?;
        // Nothing is missing where nothing is wrong.
        let (Some(series_code), Some(validation_code), Some(first_number)) =
            (code, validation, first)
        else {
            return Err(PortugalRefusal::SeriesMissing.into());
        };
        let counted = first_number.as_ref().and_then(Number::sequence);
        let checked = CheckedSeries {
            document_type: self.document_type,
            series_code,
            validation_code,
            start_date: self.start_date,
            is_manual: self.is_manual,
            initial_sequence: start.or(counted).unwrap_or(1),
            first_number,
        };
        checked.beside(present)?;
        Ok(checked)
    }

    fn read_first(&self, code: &SeriesCode) -> Result<Option<Number>, Issue> {
        let Some(text) = &self.first_number else { return Ok(None) };
        let prefix = self.document_type.code().text();
        let expected = |sequence: i64| {
            let example = format!("{prefix} {code}/{sequence:05}");
            Issue::new("invalid_value", format!("expected a number of this series, as {example}"))
        };
        let number: Number = text.parse().map_err(|_| expected(1))?;
        let sequence = number.sequence().filter(|n| (1..=HIGHEST_START).contains(n));
        let wanted = self.initial_sequence.or(sequence).unwrap_or(1);
        let is_own = number.prefix() == prefix
            && number.series() == code.as_str()
            && sequence == Some(wanted)
            && number.as_str().len() <= MAX_NUMBER_CHARS;
        if is_own { Ok(Some(number)) } else { Err(expected(wanted)) }
    }
}

impl CheckedSeries {
    /// Whether it may stand beside the `present` ones.
    ///
    /// # Errors
    /// [`PortugalRefusal::SeriesExists`], [`PortugalRefusal::SeriesActive`],
    /// [`PortugalRefusal::TooManySeries`].
    pub fn beside(&self, present: &[PtSeries]) -> Result<(), PortugalRefusal> {
        let key = series_key(self.document_type, &self.series_code);
        if present.iter().any(|other| other.key() == key) {
            return Err(PortugalRefusal::SeriesExists);
        }
        let rivals = |other: &PtSeries| {
            other.is_active() && !other.is_manual && other.document_type == self.document_type
        };
        if !self.is_manual && present.iter().any(rivals) {
            return Err(PortugalRefusal::SeriesActive);
        }
        if present.len() >= MAX_SERIES {
            return Err(PortugalRefusal::TooManySeries { most: MAX_SERIES });
        }
        Ok(())
    }

    /// The series with its code, beside the `present` ones.
    ///
    /// # Errors
    /// Of [`CheckedSeries::beside`]: another request may have made one.
    pub fn into_series(
        self,
        validated: Validated,
        present: &[PtSeries],
        actor: &Actor,
    ) -> Result<Decision<PtSeries>, PortugalError> {
        self.beside(present)?;
        let series = PtSeries {
            id: PtSeriesId::new(actor.stamp().ulid()),
            entity_id: actor.entity_id(),
            document_type: self.document_type,
            series_code: self.series_code,
            validation_code: validated.code,
            first_number: self.first_number,
            start_date: self.start_date,
            is_manual: self.is_manual,
            initial_sequence: self.initial_sequence,
            status: SeriesStatus::Active,
            registration: validated.is_registered.then_some(Registration::Registered),
            head: None,
            created_at: actor.now(),
            updated_at: actor.now(),
        };
        Ok(series.changed(events::pt_series::CREATED, actor))
    }
}
