//! `RACUN__STRIPE__…`: the card processor.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::value::{BaseUrl, Secret, Setting, Word, optional};

/// `RACUN__STRIPE__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Stripe {
    /// The base of the processor's interface; absent: Stripe's.
    #[serde(deserialize_with = "optional")]
    pub url: Option<BaseUrl>,
    /// What the processor knows this server by; absent: no live entity takes cards.
    #[serde(deserialize_with = "optional")]
    pub secret_key: Option<Secret>,
    /// What the processor signs webhooks with: one for each of its endpoints.
    #[serde(deserialize_with = "optional")]
    pub webhook_secret: Option<Secrets>,
    /// What the processor calls this server to sellers; absent: they cannot connect accounts.
    #[serde(deserialize_with = "optional")]
    pub client_id: Option<Word>,
}

impl Stripe {
    /// Without a secret of webhooks no payment would be noted, and without a key nothing works.
    pub fn whole<'de, D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let stripe = Self::deserialize(source)?;
        let Self { url, secret_key, webhook_secret, client_id } = &stripe;
        match (secret_key, webhook_secret) {
            (Some(_), None) => Err(D::Error::custom(
                "RACUN__STRIPE__SECRET_KEY needs RACUN__STRIPE__WEBHOOK_SECRET, by which webhooks \
                 are known",
            )),
            (None, _) if webhook_secret.is_some() || url.is_some() || client_id.is_some() => {
                Err(D::Error::custom(
                    "url, webhook_secret and client_id need RACUN__STRIPE__SECRET_KEY",
                ))
            }
            _ => Ok(stripe),
        }
    }
}

/// Parts of keys to another service, where it gives out several.
#[derive(Clone, PartialEq, Eq)]
pub struct Secrets(Vec<Secret>);

impl Secrets {
    /// More are not taken.
    const MOST: usize = 5;

    /// Their texts.
    pub fn texts(&self) -> Vec<String> {
        self.0.iter().map(|secret| secret.as_str().to_owned()).collect()
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets(…)")
    }
}

impl Setting for Secrets {
    const EXPECTED: &'static str = "one to five keys without spaces, separated by commas";

    fn read(text: &str) -> Option<Self> {
        let secrets: Option<Vec<Secret>> =
            text.split(',').map(|part| Secret::read(part.trim())).collect();
        secrets.filter(|secrets| secrets.len() <= Self::MOST).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_have_a_secret_each() {
        let read = |text| Secrets::read(text).map(|secrets| secrets.texts());
        assert_eq!(read("whsec_1"), Some(vec!["whsec_1".to_owned()]));
        let both = Some(vec!["whsec_own".to_owned(), "whsec_connected".to_owned()]);
        assert_eq!(read("whsec_own, whsec_connected"), both);
        for text in ["", ",", "whsec_1,", "whsec 1", "1,2,3,4,5,6"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(format!("{:?}", Secrets::read("whsec_hush").unwrap()), "Secrets(…)");
    }
}
