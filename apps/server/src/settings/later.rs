//! Settings whose functions come with later versions. Their names and values are checked now, so
//! that a configuration written for Racun keeps its meaning.

use serde::Deserialize;

use super::value::{Delays, SmtpUrl, optional, required};

/// `RACUN__WEBHOOKS__…`
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Webhooks {
    #[serde(deserialize_with = "required")]
    allow_private_addresses: bool,
    #[serde(deserialize_with = "required")]
    retry_delays: Delays,
}

impl Default for Webhooks {
    fn default() -> Self {
        Self {
            allow_private_addresses: false,
            retry_delays: Delays::seconds([0, 60, 300, 1_800, 7_200]),
        }
    }
}

/// `RACUN__EMAIL__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Email {
    #[serde(deserialize_with = "optional")]
    smtp_url: Option<SmtpUrl>,
}
