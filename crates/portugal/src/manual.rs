//! Documents that were written by hand while the program could not be used, and recovered later.

use std::fmt;

use racun_kernel::{Issue, Issues};
use serde::{Deserialize, Serialize};

use crate::Code;

/// The longest series of a book of forms, in characters.
pub const MAX_MANUAL_SERIES_CHARS: usize = 35;

/// The number of a form that was filled in by hand: `FTM V/23`.
///
/// Source: Despacho 8632/2014, 2.4.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ManualNumber {
    /// The type of the document.
    pub code: Code,
    /// The series printed on the form.
    pub series: String,
    /// The number printed on the form.
    pub sequence: i64,
}

impl ManualNumber {
    /// The form `sequence` of the book `series`, as `manual_series_code` and
    /// `manual_sequential_number` of a request say.
    ///
    /// # Errors
    /// What is missing or wrong, by field. The series has no blank and no slash, or the number
    /// could not be read back (pattern of `HashControl` in SAF-T).
    pub fn new(code: Code, series: Option<&str>, sequence: Option<i64>) -> Result<Self, Issues> {
        let mut issues = Issues::default();
        let required = |what: &str| Issue::new("required", format!("a recovered document {what}"));
        match series {
            None => issues.push(
                required("needs the series that is printed on the form").at("manual_series_code"),
            ),
            Some(text) if !is_series(text) => issues.push(
                Issue::new(
                    "invalid_value",
                    "expected 1 to 35 letters and digits and the signs . _ -, without blanks",
                )
                .at("manual_series_code"),
            ),
            Some(_) => {}
        }
        let at = "manual_sequential_number";
        match sequence {
            None => issues.push(required("needs the number that is printed on the form").at(at)),
            Some(number) if number < 1 => {
                issues.push(Issue::new("invalid_value", "expected a whole number from 1").at(at));
            }
            Some(_) => {}
        }
        let series = series.unwrap_or_default().to_owned();
        issues.into_result(Self { code, series, sequence: sequence.unwrap_or_default() })
    }

    /// The key by which a form is recovered once.
    #[must_use]
    pub fn key(&self) -> String {
        self.to_string().to_uppercase()
    }
}

fn is_series(text: &str) -> bool {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '.' | '_' | '-');
    (1..=MAX_MANUAL_SERIES_CHARS).contains(&text.len()) && text.chars().all(is_sign)
}

impl fmt::Display for ManualNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, series, sequence } = self;
        write!(f, "{}M {series}/{sequence}", code.text())
    }
}
