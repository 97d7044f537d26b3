//! The mark that a taxpayer's key leaves on a document.

use std::fmt;
use std::str::FromStr;

use md5::{Digest, Md5};
use racun_kernel::Decimal;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::macros::format_description;

use crate::message::{amount_text, time_text};
use crate::{PlaceOfIssue, Signer, SigningFailed};

/// A taxpayer's mark: the ZOI of Slovenia, the ZKI of Croatia. 32 lower-case hexadecimal digits.
///
/// Two documents may have the same mark, for what is signed is not told apart by separators: it is
/// no key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Mark([u8; 16]);

/// The text is not 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a mark is 32 hexadecimal digits")]
pub struct InvalidMark;

impl Mark {
    /// The mark made from a signature: MD5 over its bytes.
    #[must_use]
    pub fn of(signature: &[u8]) -> Self {
        Self(Md5::digest(signature).into())
    }

    /// The mark as a number, which the code of Slovenia writes with decimal digits.
    #[must_use]
    pub(crate) const fn number(&self) -> u128 {
        u128::from_be_bytes(self.0)
    }
}

impl FromStr for Mark {
    type Err = InvalidMark;

    /// Reads hexadecimal digits, small or capital.
    fn from_str(text: &str) -> Result<Self, InvalidMark> {
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(InvalidMark);
        }
        let number = u128::from_str_radix(text, 16).map_err(|_| InvalidMark)?;
        Ok(Self(number.to_be_bytes()))
    }
}

impl TryFrom<String> for Mark {
    type Error = InvalidMark;

    fn try_from(text: String) -> Result<Self, InvalidMark> {
        text.parse()
    }
}

impl From<Mark> for String {
    fn from(mark: Mark) -> Self {
        mark.to_string()
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// What is marked. Both countries sign the same six facts in the same order and form.
///
/// Source: FURS, technical specification 3.2, chapter 5; Porezna uprava, technical specification
/// 2.7, chapter 12. RSA with SHA-256 is the rule of both.
#[derive(Debug, Clone, Copy)]
pub struct Marked<'a> {
    /// The taxpayer's tax number or OIB.
    pub taxpayer: &'a str,
    /// When the document is issued, with the offset of the authority's zone.
    pub issued_at: OffsetDateTime,
    /// Its number, digits.
    pub number: &'a str,
    /// Where it is issued.
    pub place: &'a PlaceOfIssue,
    /// Its total with the sign of the message.
    pub total: &'a Decimal,
}

impl Marked<'_> {
    /// The text that is signed: the facts one after the other, with nothing between them. The
    /// amount is written as in the message.
    #[must_use]
    pub fn text(&self) -> String {
        let form = format_description!("[day].[month].[year] [hour]:[minute]:[second]");
        let Self { taxpayer, number, place, .. } = self;
        let time = time_text(self.issued_at, form);
        let total = amount_text(self.total);
        format!("{taxpayer}{time}{number}{}{}{total}", place.premise, place.device)
    }

    /// The mark: the ZOI or the ZKI.
    ///
    /// # Errors
    /// When the key cannot sign.
    pub fn sign(&self, signer: &dyn Signer) -> Result<Mark, SigningFailed> {
        signer.sign(self.text().as_bytes()).map(|signature| Mark::of(&signature))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_the_md5_of_a_signature() {
        // The test suite of RFC 1321.
        for (signature, mark) in
            [("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72")]
        {
            assert_eq!(Mark::of(signature.as_bytes()).to_string(), mark);
        }
    }

    #[test]
    fn a_mark_is_stored_as_its_digits() {
        let text = "\"00000000000000000000000000000a0f\"";
        let mark: Mark = serde_json::from_str(&text.to_uppercase()).unwrap();
        assert_eq!(serde_json::to_string(&mark).unwrap(), text);
        assert_eq!(mark.number(), 0xa0f);
        for text in
            ["", "0", "g0000000000000000000000000000000", "+0000000000000000000000000000000"]
        {
            assert_eq!(text.parse::<Mark>(), Err(InvalidMark), "{text}");
        }
    }
}
