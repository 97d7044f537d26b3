//! Numbers of documents: `FT 2026A/1`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Code, SeriesCode};

/// The longest number that SAF-T holds, in characters.
pub const MAX_NUMBER_CHARS: usize = 60;

/// A document's number: the code of its type, one blank, the series, a slash and the sequence.
///
/// The digits of the sequence are kept as they are written, leading zeros included, for the hash,
/// the ATCUD, the QR code and SAF-T all carry them so (AT, "Código QR", 1.0, example 1).
///
/// Source: Portaria 302/2016, field 4.1.4.1.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Number {
    text: String,
    blank: usize,
    slash: usize,
}

/// The text is no number of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a code, one blank, a series, a slash and digits, at most 60 characters, such as \
     FT 2026A/1"
)]
pub struct InvalidNumber;

impl Number {
    /// The number `sequence` of the series `series` of type `code`, its digits filled with zeros to
    /// `width`.
    #[must_use]
    pub fn new(code: Code, series: &SeriesCode, sequence: i64, width: usize) -> Self {
        let (code, series) = (code.text(), series.as_str());
        let text = format!("{code} {series}/{sequence:0width$}");
        Self { blank: code.len(), slash: code.len() + 1 + series.len(), text }
    }

    /// As it is written everywhere.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The code before the blank. It may be another one than that of the document's type.
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.text.get(..self.blank).unwrap_or_default()
    }

    /// The series, without the code.
    #[must_use]
    pub fn series(&self) -> &str {
        self.text.get(self.blank + 1..self.slash).unwrap_or_default()
    }

    /// The digits behind the slash, as written.
    #[must_use]
    pub fn digits(&self) -> &str {
        self.text.get(self.slash + 1..).unwrap_or_default()
    }

    /// What the digits count; `None` when there are too many of them.
    #[must_use]
    pub fn sequence(&self) -> Option<i64> {
        self.digits().parse().ok()
    }
}

impl FromStr for Number {
    type Err = InvalidNumber;

    fn from_str(text: &str) -> Result<Self, InvalidNumber> {
        let (prefix, rest) = text.split_once(' ').ok_or(InvalidNumber)?;
        let (series, digits) = rest.split_once('/').ok_or(InvalidNumber)?;
        let is_plain = |part: &str| !part.is_empty() && !part.contains([' ', '/', '^']);
        let is_number = !prefix.is_empty()
            && is_plain(series)
            && !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && text.chars().count() <= MAX_NUMBER_CHARS
            && !text.chars().any(char::is_control);
        if !is_number {
            return Err(InvalidNumber);
        }
        let (blank, slash) = (prefix.len(), prefix.len() + 1 + series.len());
        Ok(Self { text: text.to_owned(), blank, slash })
    }
}

impl TryFrom<String> for Number {
    type Error = InvalidNumber;

    fn try_from(text: String) -> Result<Self, InvalidNumber> {
        text.parse()
    }
}

impl From<Number> for String {
    fn from(number: Number) -> Self {
        number.text
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
