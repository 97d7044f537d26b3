//! `RACUN__SHOPIFY__…`: the app at Shopify that shops consent to.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::value::{Secret, Word, optional};

/// `RACUN__SHOPIFY__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Shopify {
    /// The app's name at Shopify; absent: no shop consents.
    #[serde(deserialize_with = "optional")]
    pub client_id: Option<Word>,
    /// The app's secret.
    #[serde(deserialize_with = "optional")]
    pub client_secret: Option<Secret>,
}

impl Shopify {
    /// One without the other is refused: nothing would work.
    pub fn whole<'de, D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let app = Self::deserialize(source)?;
        match app.client_id.is_some() == app.client_secret.is_some() {
            true => Ok(app),
            false => Err(D::Error::custom("client_id and client_secret belong together")),
        }
    }
}
