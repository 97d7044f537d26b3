//! What a series is called, and what the authority answers for it.

use std::fmt;

use racun_kernel::Issue;
use serde::{Deserialize, Serialize};

/// The longest identifier of a series.
pub const MAX_SERIES_CHARS: usize = 35;
/// The shortest validation code.
pub const MIN_VALIDATION_CHARS: usize = 8;
/// The longest validation code that is kept.
pub const MAX_VALIDATION_CHARS: usize = 32;

/// The identifier of a series: 1 to 35 letters and digits with `.`, `_` and `-` between them.
///
/// Source: AT, "Comunicação de Séries Documentais", 1.0. Two of a type differ in more than
/// capitals.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SeriesCode(String);

impl SeriesCode {
    /// Reads an identifier.
    ///
    /// # Errors
    /// `invalid_value`.
    pub fn new(text: &str) -> Result<Self, Issue> {
        let is_separator = |byte: u8| matches!(byte, b'.' | b'_' | b'-');
        let bytes = text.as_bytes();
        let is_known = |byte: &u8| byte.is_ascii_alphanumeric() || is_separator(*byte);
        let ends = [bytes.first(), bytes.last()];
        let is_one = (1..=MAX_SERIES_CHARS).contains(&bytes.len())
            && bytes.iter().all(is_known)
            && !ends.into_iter().flatten().any(|byte| is_separator(*byte))
            && !bytes.windows(2).any(|pair| pair.iter().all(|byte| is_separator(*byte)));
        if is_one {
            return Ok(Self(text.to_owned()));
        }
        Err(Issue::new(
            "invalid_value",
            "expected 1 to 35 letters (A to Z, a to z) and digits, with single signs . _ - between \
             them, such as 2026A; the type and a slash are not part of it",
        ))
    }

    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the authority takes both for one: capitals do not tell them apart.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }

    /// What is equal for identifiers that are the same.
    #[must_use]
    pub fn folded(&self) -> String {
        self.0.to_ascii_uppercase()
    }
}

/// The code that the authority answers for a series: 8 or more capitals and digits.
///
/// Source: Portaria 195/2020, article 3.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ValidationCode(String);

impl ValidationCode {
    /// Reads a code.
    ///
    /// # Errors
    /// `invalid_value`.
    pub fn new(text: &str) -> Result<Self, Issue> {
        let is_sign = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
        let is_long = (MIN_VALIDATION_CHARS..=MAX_VALIDATION_CHARS).contains(&text.len());
        if is_long && text.bytes().all(is_sign) {
            return Ok(Self(text.to_owned()));
        }
        Err(Issue::new(
            "invalid_value",
            "expected 8 to 32 capitals and digits, as the authority answered, such as AAJFB7NT",
        ))
    }

    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

macro_rules! text_of {
    ($($type:ident)*) => {$(
        impl TryFrom<String> for $type {
            type Error = Issue;

            fn try_from(text: String) -> Result<Self, Issue> {
                Self::new(&text)
            }
        }

        impl From<$type> for String {
            fn from(value: $type) -> Self {
                value.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}
text_of!(SeriesCode ValidationCode);
