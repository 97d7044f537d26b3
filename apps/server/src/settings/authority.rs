//! `RACUN__FURS__…` and `RACUN__FINA__…`: where the tax authorities are.

use std::path::PathBuf;

use serde::Deserialize;

use super::value::{BaseUrl, Seconds, Setting, optional, required};

/// The whole of one interactive exchange with an authority.
const EXCHANGE: Seconds = Seconds::new(5);

/// The Slovenian authority.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Furs {
    /// The system that the sandbox tells.
    pub test: FursService,
    /// The system that counts.
    pub production: FursService,
}

/// One of its two services.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct FursService {
    /// `https://host:port`; absent: the authority's own, or for the sandbox the built-in simulator.
    #[serde(deserialize_with = "optional")]
    pub url: Option<BaseUrl>,
    /// PEM of the only trusted roots; absent: the authority's own.
    #[serde(deserialize_with = "optional")]
    pub ca_file: Option<PathBuf>,
    /// How messages are written.
    #[serde(deserialize_with = "required")]
    pub transport: Transport,
    /// The whole of one interactive exchange.
    #[serde(deserialize_with = "required")]
    pub timeout_seconds: Seconds,
}

impl Default for FursService {
    fn default() -> Self {
        Self { url: None, ca_file: None, transport: Transport::Soap, timeout_seconds: EXCHANGE }
    }
}

/// How FURS is spoken to.
#[derive(Debug, Clone, Copy)]
pub enum Transport {
    /// SOAP.
    Soap,
    /// JSON in signed tokens.
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

/// The Croatian authority.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Fina {
    /// The system that the sandbox tells.
    pub test: FinaService,
    /// The system that counts.
    pub production: FinaService,
}

/// One of its two services.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct FinaService {
    /// The complete address; absent: the authority's own, or for the sandbox the built-in simulator.
    #[serde(deserialize_with = "optional")]
    pub url: Option<BaseUrl>,
    /// PEM of the only trusted roots; absent: the authority's own.
    #[serde(deserialize_with = "optional")]
    pub ca_file: Option<PathBuf>,
    /// The whole of one interactive exchange.
    #[serde(deserialize_with = "required")]
    pub timeout_seconds: Seconds,
}

impl Default for FinaService {
    fn default() -> Self {
        Self { url: None, ca_file: None, timeout_seconds: EXCHANGE }
    }
}
