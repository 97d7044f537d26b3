//! Settings whose functions come with later versions. Their names and values are checked now, so
//! that a configuration written for Racun keeps its meaning.

use std::path::PathBuf;

use serde::Deserialize;

use super::value::{BaseUrl, Delays, Seconds, Setting, SmtpUrl, optional, required};

/// `RACUN__FURS__…`: the Slovenian authority.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Furs {
    test: FursService,
    production: FursService,
}

/// One of its two services.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
struct FursService {
    #[serde(deserialize_with = "optional")]
    url: Option<BaseUrl>,
    #[serde(deserialize_with = "optional")]
    ca_file: Option<PathBuf>,
    #[serde(deserialize_with = "required")]
    transport: Transport,
    #[serde(deserialize_with = "required")]
    timeout_seconds: Seconds,
}

impl Default for FursService {
    fn default() -> Self {
        Self { url: None, ca_file: None, transport: Transport::Soap, timeout_seconds: EXCHANGE }
    }
}

/// The whole of one interactive exchange with an authority.
const EXCHANGE: Seconds = Seconds::new(5);

/// How FURS is spoken to.
#[derive(Debug)]
enum Transport {
    Soap,
    Json,
}

impl Setting for Transport {
    const EXPECTED: &'static str = "soap or json";

    fn read(text: &str) -> Option<Self> {
        match text {
            "soap" => Some(Self::Soap),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// `RACUN__FINA__…`: the Croatian authority.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Fina {
    test: FinaService,
    production: FinaService,
}

/// One of its two services.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
struct FinaService {
    #[serde(deserialize_with = "optional")]
    url: Option<BaseUrl>,
    #[serde(deserialize_with = "optional")]
    ca_file: Option<PathBuf>,
    #[serde(deserialize_with = "required")]
    timeout_seconds: Seconds,
}

impl Default for FinaService {
    fn default() -> Self {
        Self { url: None, ca_file: None, timeout_seconds: EXCHANGE }
    }
}

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
