//! `RACUN__STRIPE__…`: the card processor.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::value::{BaseUrl, Secret, Word, optional};

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
    /// What the processor signs webhooks with.
    #[serde(deserialize_with = "optional")]
    pub webhook_secret: Option<Secret>,
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
