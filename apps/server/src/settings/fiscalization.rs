//! How reports to tax authorities are retried.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::value::{Seconds, required};

/// `RACUN__FISCALIZATION__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Fiscalization {
    #[serde(deserialize_with = "Retry::ordered")]
    retry: Retry,
}

impl Fiscalization {
    /// How long a document waits before it is sent again to a tax authority that gave no answer.
    pub const fn retry(&self) -> racun_fiscal::Retry {
        let Retry { initial_seconds, max_seconds } = &self.retry;
        racun_fiscal::Retry { initial: initial_seconds.duration(), max: max_seconds.duration() }
    }
}

/// The back-off of re-sending.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
struct Retry {
    #[serde(deserialize_with = "required")]
    initial_seconds: Seconds,
    #[serde(deserialize_with = "required")]
    max_seconds: Seconds,
}

impl Retry {
    fn ordered<'de, D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let retry = Self::deserialize(source)?;
        if retry.max_seconds < retry.initial_seconds {
            return Err(D::Error::custom("max_seconds must not be below initial_seconds"));
        }
        Ok(retry)
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self { initial_seconds: Seconds::new(30), max_seconds: Seconds::new(3_600) }
    }
}
