//! `RACUN__FURS__…` and `RACUN__FINA__…`: where the tax authorities are.

use std::path::PathBuf;

use racun_fiscal::{Authority, furs};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

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
    /// The software maker that FURS receives.
    #[serde(deserialize_with = "SoftwareMaker::whole")]
    pub software_maker: SoftwareMaker,
}

/// Who made the software: a tax number, or name and address. Absent: who made Racun.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct SoftwareMaker {
    #[serde(deserialize_with = "optional")]
    name: Option<OneLine>,
    #[serde(deserialize_with = "optional")]
    address: Option<OneLine>,
    #[serde(deserialize_with = "optional")]
    tax_number: Option<SlovenianTaxNumber>,
}

impl SoftwareMaker {
    /// FURS wants name and address of who is not established in Slovenia, and the tax number alone
    /// of who is.
    fn whole<'de, D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let said = Self::deserialize(source)?;
        match (&said.name, &said.address, &said.tax_number) {
            (Some(_), Some(_), None) | (None, None, _) => Ok(said),
            (_, _, Some(_)) => Err(D::Error::custom("tax_number stands alone")),
            (_, _, None) => Err(D::Error::custom("name and address go together")),
        }
    }

    /// The value that FURS receives.
    pub fn told(&self) -> furs::SoftwareMaker {
        match (&self.name, &self.address, &self.tax_number) {
            (Some(name), Some(address), _) => {
                furs::SoftwareMaker::Foreign(format!("{}, {}", name.0, address.0))
            }
            (_, _, Some(number)) => furs::SoftwareMaker::TaxNumber(number.0.clone()),
            _ => furs::SoftwareMaker::default(),
        }
    }
}

/// A text of 1 to 490 characters in one line: with another one and a comma FURS takes it.
#[derive(Debug)]
struct OneLine(String);

impl Setting for OneLine {
    const EXPECTED: &'static str = "1 to 490 characters in one line";

    fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_short = (1..=490).contains(&text.chars().count());
        (is_short && !text.contains(char::is_control)).then(|| Self(text.to_owned()))
    }
}

/// A Slovenian tax number.
#[derive(Debug)]
struct SlovenianTaxNumber(String);

impl Setting for SlovenianTaxNumber {
    const EXPECTED: &'static str =
        "a Slovenian tax number: eight digits, the first of them no zero";

    fn read(text: &str) -> Option<Self> {
        let number = text.strip_prefix("SI").unwrap_or(text);
        Authority::Furs.check_number(number).ok().map(|_| Self(number.to_owned()))
    }
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
    /// The complete address; absent: the authority's own, or for the sandbox the built-in
    /// simulator.
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
