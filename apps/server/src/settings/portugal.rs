//! `RACUN__PORTUGAL__…`: the certified program, and where its authority is.

use std::path::PathBuf;

use serde::Deserialize;

use super::value::{Seconds, Setting, WholeUrl, optional, required};

/// The whole of one interactive exchange with the authority.
const EXCHANGE: Seconds = Seconds::new(5);

/// The certified program and its authority.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Portugal {
    /// The program's private key, PEM, RSA of 1024 bits. Absent: no live document is issued.
    #[serde(deserialize_with = "optional")]
    pub key_file: Option<PathBuf>,
    /// Its version, which rises with each key.
    #[serde(deserialize_with = "required")]
    pub key_version: Small,
    /// The number of the program's certificate.
    #[serde(deserialize_with = "optional")]
    pub certificate_number: Option<Small>,
    /// Who made the program, as SAF-T names them.
    #[serde(deserialize_with = "optional")]
    pub maker_name: Option<Line>,
    /// Their tax number, as SAF-T names it.
    #[serde(deserialize_with = "optional")]
    pub maker_tax_number: Option<Line>,
    /// The system that the sandbox tells.
    pub test: PortugalService,
    /// The system that counts.
    pub production: PortugalService,
}

impl Default for Portugal {
    fn default() -> Self {
        Self {
            key_file: None,
            key_version: Small(1),
            certificate_number: None,
            maker_name: None,
            maker_tax_number: None,
            test: PortugalService::default(),
            production: PortugalService::default(),
        }
    }
}

/// One of the authority's two systems.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct PortugalService {
    /// The authority's public key, PEM, under which passwords go. Absent: the authority is not
    /// called, and the sandbox calls the built-in simulator.
    #[serde(deserialize_with = "optional")]
    pub authority_key_file: Option<PathBuf>,
    /// The whole address of the service of series; absent: the authority's own.
    #[serde(deserialize_with = "optional")]
    pub series_url: Option<WholeUrl>,
    /// The whole address of the service of invoices; absent: the authority's own.
    #[serde(deserialize_with = "optional")]
    pub invoices_url: Option<WholeUrl>,
    /// PEM of the only trusted roots; absent: those that browsers trust.
    #[serde(deserialize_with = "optional")]
    pub ca_file: Option<PathBuf>,
    /// The certificate that the authority gave the maker of the program, with its key, PEM, in a
    /// file that is open to the server's user alone.
    #[serde(deserialize_with = "optional")]
    pub certificate_file: Option<PathBuf>,
    /// The whole of one interactive exchange.
    #[serde(deserialize_with = "required")]
    pub timeout_seconds: Seconds,
}

impl Default for PortugalService {
    fn default() -> Self {
        Self {
            authority_key_file: None,
            series_url: None,
            invoices_url: None,
            ca_file: None,
            certificate_file: None,
            timeout_seconds: EXCHANGE,
        }
    }
}

/// A number of at most four digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Small(pub u16);

impl Setting for Small {
    const EXPECTED: &'static str = "a whole number from 1 to 9999";

    fn read(text: &str) -> Option<Self> {
        text.parse().ok().filter(|number| (1..=9_999).contains(number)).map(Self)
    }
}

/// A text of 1 to 200 characters in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line(pub String);

impl Setting for Line {
    const EXPECTED: &'static str = "1 to 200 characters in one line";

    fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_short = (1..=200).contains(&text.chars().count());
        (is_short && !text.contains(char::is_control)).then(|| Self(text.to_owned()))
    }
}
