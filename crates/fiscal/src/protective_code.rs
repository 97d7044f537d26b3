//! The protective code of a document, which is made with the taxpayer's key.

use std::fmt;
use std::str::FromStr;

use md5::{Digest, Md5};
use racun_kernel::Decimal;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::macros::format_description;

use crate::message::{amount_text, time_text};
use crate::{PlaceOfIssue, Signer, SigningFailed};

/// The issuer's protective code: the ZOI of Slovenia, the ZKI of Croatia. 32 lower-case
/// hexadecimal digits.
///
/// Two documents may have the same code, because no separators stand between the facts that are
/// signed: it is no key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProtectiveCode([u8; 16]);

/// The text is not 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a protective code is 32 hexadecimal digits")]
pub struct InvalidProtectiveCode;

impl ProtectiveCode {
    /// The code made from a signature: MD5 over its bytes.
    #[must_use]
    pub fn of(signature: &[u8]) -> Self {
        Self(Md5::digest(signature).into())
    }

    /// The code as a number, which the code of Slovenia writes with decimal digits.
    #[must_use]
    pub(crate) const fn number(&self) -> u128 {
        u128::from_be_bytes(self.0)
    }
}

impl FromStr for ProtectiveCode {
    type Err = InvalidProtectiveCode;

    /// Reads hexadecimal digits, small or capital.
    fn from_str(text: &str) -> Result<Self, InvalidProtectiveCode> {
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(InvalidProtectiveCode);
        }
        let number = u128::from_str_radix(text, 16).map_err(|_| InvalidProtectiveCode)?;
        Ok(Self(number.to_be_bytes()))
    }
}

impl TryFrom<String> for ProtectiveCode {
    type Error = InvalidProtectiveCode;

    fn try_from(text: String) -> Result<Self, InvalidProtectiveCode> {
        text.parse()
    }
}

impl From<ProtectiveCode> for String {
    fn from(code: ProtectiveCode) -> Self {
        code.to_string()
    }
}

impl fmt::Display for ProtectiveCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The facts that the code is made of. Both countries sign the same six, in the same order and
/// form.
///
/// Source: FURS, technical specification 3.2, chapter 5; Porezna uprava, technical specification
/// 2.7, chapter 12. RSA with SHA-256 is the rule of both.
#[derive(Debug, Clone, Copy)]
pub struct CodedFacts<'a> {
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

impl CodedFacts<'_> {
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

    /// Makes the code: the ZOI or the ZKI.
    ///
    /// # Errors
    /// When the key cannot sign.
    pub fn sign(&self, signer: &dyn Signer) -> Result<ProtectiveCode, SigningFailed> {
        signer.sign(self.text().as_bytes()).map(|signature| ProtectiveCode::of(&signature))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_the_md5_of_a_signature() {
        // The test suite of RFC 1321.
        for (signature, code) in
            [("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72")]
        {
            assert_eq!(ProtectiveCode::of(signature.as_bytes()).to_string(), code);
        }
    }

    #[test]
    fn a_mark_is_stored_as_its_digits() {
        let text = "\"00000000000000000000000000000a0f\"";
        let code: ProtectiveCode = serde_json::from_str(&text.to_uppercase()).unwrap();
        assert_eq!(serde_json::to_string(&code).unwrap(), text);
        assert_eq!(code.number(), 0xa0f);
        for text in
            ["", "0", "g0000000000000000000000000000000", "+0000000000000000000000000000000"]
        {
            assert_eq!(text.parse::<ProtectiveCode>(), Err(InvalidProtectiveCode), "{text}");
        }
    }
}
