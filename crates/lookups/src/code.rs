//! Codes of currencies.

use std::fmt;
use std::str::FromStr;

use racun_kernel::Currency;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A code of ISO 4217: three capital letters. Other than [`Currency`] it may name what is no longer
/// money, such as HRK, for old rates stay true.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CurrencyCode([u8; 3]);

/// The text is not three letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a currency code of three letters, such as USD")]
pub struct NotACode;

impl CurrencyCode {
    /// The euro, which all rates of the European Central Bank are for one of.
    pub const EUR: Self = Self(*b"EUR");

    /// The three letters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Only capital letters of ASCII get in.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl FromStr for CurrencyCode {
    type Err = NotACode;

    /// Reads a code in capitals or small letters.
    fn from_str(text: &str) -> Result<Self, NotACode> {
        let letters: [u8; 3] = text.as_bytes().try_into().map_err(|_| NotACode)?;
        match letters.iter().all(u8::is_ascii_alphabetic) {
            true => Ok(Self(letters.map(|letter| letter.to_ascii_uppercase()))),
            false => Err(NotACode),
        }
    }
}

impl From<Currency> for CurrencyCode {
    fn from(currency: Currency) -> Self {
        // A currency has such a code.
        currency.code().parse().unwrap_or(Self::EUR)
    }
}

impl fmt::Display for CurrencyCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for CurrencyCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for CurrencyCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for CurrencyCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
