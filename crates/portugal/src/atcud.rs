//! ATCUD: the unique code of a document.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Number, ValidationCode};

/// The code of a document: the validation code of its series, a hyphen, and the digits of its
/// number as they are written.
///
/// SAF-T and the QR code have it as it is displayed here; paper has `ATCUD:` before it.
///
/// Source: Portaria 195/2020, articles 3 and 4.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Atcud(String);

/// The text is no ATCUD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a validation code of 8 or more capitals and digits, a hyphen, and digits")]
pub struct InvalidAtcud;

impl Atcud {
    /// The code of the document `number` in the series with the code `validation`.
    #[must_use]
    pub fn new(validation: &ValidationCode, number: &Number) -> Self {
        Self(format!("{validation}-{}", number.digits()))
    }

    /// As SAF-T and the QR code have it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// As it is printed, on every page and right above the QR code.
    #[must_use]
    pub fn printed(&self) -> String {
        format!("ATCUD:{self}")
    }

    /// Whether it ends in the digits of `number`.
    #[must_use]
    pub fn is_of(&self, number: &Number) -> bool {
        self.0.rsplit_once('-').is_some_and(|(_, digits)| digits == number.digits())
    }
}

impl FromStr for Atcud {
    type Err = InvalidAtcud;

    fn from_str(text: &str) -> Result<Self, InvalidAtcud> {
        let (code, digits) = text.split_once('-').ok_or(InvalidAtcud)?;
        ValidationCode::new(code).map_err(|_| InvalidAtcud)?;
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(InvalidAtcud);
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for Atcud {
    type Error = InvalidAtcud;

    fn try_from(text: String) -> Result<Self, InvalidAtcud> {
        text.parse()
    }
}

impl From<Atcud> for String {
    fn from(atcud: Atcud) -> Self {
        atcud.0
    }
}

impl fmt::Display for Atcud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
