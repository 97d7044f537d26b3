//! `RACUN__BILLING__…`: the white labels that there are.

use std::fmt;
use std::path::PathBuf;

use racun_access::Digest;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::value::{Setting, Word, optional};

/// Where the operator says what is sold: in one of the two.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Billing {
    /// The file of white labels and their plans.
    #[serde(deserialize_with = "optional")]
    pub file: Option<PathBuf>,
    /// The key by which the operator manages them in the store.
    #[serde(deserialize_with = "optional")]
    operator_key: Option<OperatorKey>,
}

impl Billing {
    /// White labels have one source.
    pub fn whole<'de, D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let billing = Self::deserialize(source)?;
        if billing.file.is_some() && billing.operator_key.is_some() {
            return Err(D::Error::custom(
                "white labels are in RACUN__BILLING__FILE, or are managed with \
                 RACUN__BILLING__OPERATOR_KEY; set one of the two",
            ));
        }
        Ok(billing)
    }

    /// What is kept of the operator's key.
    pub fn operator_key(&self) -> Option<Digest> {
        self.operator_key.as_ref().map(|key| key.0.clone())
    }
}

/// A key that is too long to be guessed, of which the digest is kept.
struct OperatorKey(Digest);

impl fmt::Debug for OperatorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OperatorKey(…)")
    }
}

impl Setting for OperatorKey {
    const EXPECTED: &'static str = "a random key of 32 characters or more, without spaces";

    fn read(text: &str) -> Option<Self> {
        Word::read(text).filter(|_| text.len() >= 32).map(|_| Self(Digest::of(text)))
    }
}
