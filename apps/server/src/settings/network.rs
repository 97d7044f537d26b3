//! `RACUN__E_INVOICING__…`: the network of electronic invoices.

use std::path::PathBuf;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::value::{BaseUrl, Secret, Word, optional};

/// `RACUN__E_INVOICING__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct EInvoicing {
    /// The provider that sends for live entities; absent: they send none.
    #[serde(deserialize_with = "Live::whole")]
    pub live: Live,
    /// The provider's test system, for entities of the sandbox; absent: the simulator.
    #[serde(deserialize_with = "Live::whole")]
    pub test: Live,
    /// The network's directory.
    pub directory: Directory,
}

/// `RACUN__E_INVOICING__LIVE__…` and `RACUN__E_INVOICING__TEST__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Live {
    /// The base of the provider's interface; absent: Storecove's.
    #[serde(deserialize_with = "optional")]
    pub url: Option<BaseUrl>,
    /// What the provider knows this server by.
    #[serde(deserialize_with = "optional")]
    pub api_key: Option<Secret>,
    /// What the provider shows with its notices; absent: none are taken.
    #[serde(deserialize_with = "optional")]
    pub notice_secret: Option<Secret>,
}

impl Live {
    /// An address or a secret without a key is refused: nothing would be sent.
    fn whole<'de, D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let live = Self::deserialize(source)?;
        match live.api_key {
            None if live.url.is_some() || live.notice_secret.is_some() => {
                Err(D::Error::custom("url and notice_secret need api_key"))
            }
            _ => Ok(live),
        }
    }
}

/// `RACUN__E_INVOICING__DIRECTORY__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Directory {
    /// Who certifies publishers, as PEM; absent: the provider is asked who receives.
    #[serde(deserialize_with = "optional")]
    pub ca_file: Option<PathBuf>,
    /// The zone of participants' names; absent: that of the production network.
    #[serde(deserialize_with = "optional")]
    pub zone: Option<Word>,
}
