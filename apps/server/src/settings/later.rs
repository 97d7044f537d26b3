//! Settings whose functions come with later versions. Their names and values are checked now, so
//! that a configuration written for Racun keeps its meaning.

use serde::Deserialize;

use super::value::{SmtpUrl, optional, required};

/// `RACUN__EMAIL__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Email {
    #[serde(deserialize_with = "optional")]
    smtp_url: Option<SmtpUrl>,
}

/// `RACUN__RATE_LIMITS__…`
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct RateLimits {
    #[serde(deserialize_with = "required")]
    enabled: bool,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self { enabled: true }
    }
}
