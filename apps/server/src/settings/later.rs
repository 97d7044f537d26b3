//! Settings whose functions come with later versions. Their names and values are checked now, so
//! that a configuration written for Racun keeps its meaning.

use serde::Deserialize;

use super::value::{SmtpUrl, optional};

/// `RACUN__EMAIL__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Email {
    #[serde(deserialize_with = "optional")]
    smtp_url: Option<SmtpUrl>,
}
