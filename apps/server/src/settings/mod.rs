//! The settings: `racun.toml` in the current folder, and `RACUN__SECTION__KEY` in the environment,
//! which wins. Every name is known and every value checked before anything starts.

mod access;
mod authority;
mod billing;
mod fiscalization;
mod gateways;
mod master_key;
mod names;
mod network;
mod openid;
mod outbound;
mod portugal;
mod rate_limits;
mod shops;
mod spelling;
mod storage;
mod stripe;
mod value;

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::PathBuf;

use config::{Config, ConfigError, Environment, File, FileFormat};
use racun_http_api::{Guards, Origins};
use serde::Deserialize;

pub use access::Access;
pub use authority::{Fina, FinaService, Furs, FursService, Transport};
pub use billing::Billing;
pub use fiscalization::Fiscalization;
pub use gateways::{Email, Files, Rates, ServiceUrl, Vies, Webhooks};
pub use master_key::{MasterKey, MasterKeys};
pub use network::{EInvoicing, Live};
pub use openid::OpenId;
pub use outbound::Outbound;
pub use portugal::{Portugal, PortugalService};
pub use rate_limits::RateLimits;
pub use shops::Shopify;
pub use storage::Storage;
pub use stripe::Stripe;
pub use value::{BaseUrl, LogFormat, LogLevel, Networks, PostgresUrl, Setting, WholeUrl};
use value::{MaxAge, Requests, optional, required};

/// The file that is read when it is there.
const FILE: &str = "racun.toml";

/// What every variable's name begins with.
const PREFIX: &str = "RACUN";

/// Between the parts of a variable's name.
const SEPARATOR: &str = "__";

/// All settings.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Settings {
    /// Where requests come in.
    pub server: Server,
    /// Who may sign up.
    pub access: Access,
    /// By which identity provider people may sign in.
    #[serde(deserialize_with = "OpenId::whole")]
    pub openid: OpenId,
    /// Where data are kept.
    pub database: Database,
    /// What seals secrets.
    pub secrets: Secrets,
    /// What is logged, and how.
    pub log: Log,
    /// Where metrics are read.
    pub metrics: Metrics,
    /// How reports to tax authorities are retried.
    pub fiscalization: Fiscalization,
    /// Where the Slovenian tax authority is.
    pub furs: Furs,
    /// Where the Croatian one is.
    pub fina: Fina,
    /// The certified program in Portugal, and where its authority is.
    pub portugal: Portugal,
    /// How far the server calls.
    pub outbound: Outbound,
    /// How events are posted to their receivers.
    pub webhooks: Webhooks,
    /// Who takes mail.
    pub email: Email,
    /// Where the bytes of files are kept.
    pub files: Files,
    /// Where the register of VAT numbers is.
    pub vies: Vies,
    /// Where reference rates of exchange are.
    pub rates: Rates,
    /// Where the network of electronic invoices is.
    pub e_invoicing: EInvoicing,
    /// The app at Shopify that shops consent to.
    #[serde(deserialize_with = "Shopify::whole")]
    pub shopify: Shopify,
    /// The card processor.
    #[serde(deserialize_with = "Stripe::whole")]
    pub stripe: Stripe,
    /// How many requests are answered in a minute.
    pub rate_limits: RateLimits,
    /// How much accounts may store.
    pub storage: Storage,
    /// Which white labels there are.
    #[serde(deserialize_with = "Billing::whole")]
    pub billing: Billing,
}

/// `RACUN__SERVER__…`
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Server {
    /// The address to listen on; port 0 takes a free one.
    #[serde(deserialize_with = "required")]
    pub listen: SocketAddr,
    /// The base of links in answers and e-mails; absent: from the address.
    #[serde(deserialize_with = "optional")]
    pub public_url: Option<BaseUrl>,
    /// Proxies whose `X-Forwarded-For` is believed.
    #[serde(deserialize_with = "required")]
    pub trusted_proxies: Networks,
    /// Whose pages may ask, beside the server's own.
    #[serde(deserialize_with = "required")]
    pub cors_origins: Origins,
    /// Connections that one address may have.
    #[serde(deserialize_with = "required")]
    pub connections_per_address: Requests,
    /// Seconds for which browsers shall come by TLS alone; absent: a year where `public_url` is
    /// reached by TLS.
    #[serde(deserialize_with = "optional")]
    hsts_seconds: Option<MaxAge>,
}

impl Server {
    /// A year.
    const HSTS_SECONDS: MaxAge = MaxAge(31_536_000);

    /// What `Strict-Transport-Security` says; `None` where it is not sent. An operator whose links
    /// begin with `https://` has TLS before the server, so browsers may hold to it.
    pub fn hsts_seconds(&self) -> Option<u32> {
        let is_encrypted = self.public_url.as_ref().is_some_and(BaseUrl::is_encrypted);
        let seconds = self.hsts_seconds.or(is_encrypted.then_some(Self::HSTS_SECONDS));
        seconds.map(|seconds| seconds.0)
    }
}

impl Default for Server {
    fn default() -> Self {
        let listen = SocketAddr::from(([127, 0, 0, 1], 8080));
        Self {
            listen,
            public_url: None,
            trusted_proxies: Networks::default(),
            cors_origins: Origins::default(),
            connections_per_address: Requests(512),
            hsts_seconds: None,
        }
    }
}

/// `RACUN__DATABASE__…`
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Database {
    /// PostgreSQL's address; absent: the embedded store.
    #[serde(deserialize_with = "optional")]
    pub url: Option<PostgresUrl>,
    /// The embedded store's data folder.
    #[serde(deserialize_with = "required")]
    pub dir: PathBuf,
    /// Whether others than Racun change rows in PostgreSQL's database.
    #[serde(deserialize_with = "required")]
    pub shared: bool,
}

impl Default for Database {
    fn default() -> Self {
        Self { url: None, dir: PathBuf::from("racun-data"), shared: false }
    }
}

/// `RACUN__SECRETS__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Secrets {
    /// The key that seals secrets at rest; while it is changed, the new one and the old one.
    #[serde(deserialize_with = "optional")]
    pub master_key: Option<MasterKeys>,
}

/// `RACUN__METRICS__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Metrics {
    /// The address of `/metrics`; absent: it is not served.
    #[serde(deserialize_with = "optional")]
    pub listen: Option<SocketAddr>,
}

/// `RACUN__LOG__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Log {
    /// Absent: text on a terminal, JSON elsewhere.
    #[serde(deserialize_with = "optional")]
    pub format: Option<LogFormat>,
    /// Absent: `RUST_LOG`, or `info`.
    #[serde(deserialize_with = "optional")]
    pub level: Option<LogLevel>,
}

/// Why the settings cannot be used: one line that names the setting.
#[derive(Debug, PartialEq, Eq)]
pub struct InvalidSetting {
    name: String,
    reason: String,
}

impl fmt::Display for InvalidSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.reason)
    }
}

impl Settings {
    /// Reads and checks all settings.
    ///
    /// # Errors
    /// The first setting that is unknown or malformed.
    pub fn load() -> Result<Self, InvalidSetting> {
        spelling::check(std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()))?;
        let variables = variables()?;
        let environment = Environment::with_prefix(PREFIX)
            .prefix_separator(SEPARATOR)
            .separator(SEPARATOR)
            .source(Some(variables.clone()));
        let merged = Config::builder()
            .add_source(File::from_str(&file()?, FileFormat::Toml))
            .add_source(environment)
            .build()
            .map_err(|error| InvalidSetting {
                name: FILE.to_owned(),
                reason: unreadable(&error),
            })?;
        serde_path_to_error::deserialize(merged).map_err(|error| {
            let path = error.path().to_string();
            InvalidSetting { name: name(&path, &variables), reason: reason(error.inner()) }
        })
    }
}

impl Settings {
    /// What callers are allowed.
    pub fn guards(&self) -> Guards {
        let Server { listen, public_url, .. } = &self.server;
        Guards {
            mail: self.email.limits.limits(),
            sign_up: self.access.sign_up(*listen, public_url.as_ref()),
        }
    }
}

/// The file's text; none when it is not there.
fn file() -> Result<String, InvalidSetting> {
    match fs::read_to_string(FILE) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|error| InvalidSetting {
            name: FILE.to_owned(),
            reason: format!("cannot be read: {error}"),
        }),
    }
}

/// The variables of ours.
fn variables() -> Result<HashMap<String, String>, InvalidSetting> {
    let ours = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.into_string().ok()?;
        name.to_uppercase().starts_with(&format!("{PREFIX}{SEPARATOR}")).then_some((name, value))
    });
    ours.map(|(name, value)| match value.into_string() {
        Ok(value) => Ok((name, value)),
        Err(_) => Err(InvalidSetting {
            name: format!("setting {name}"),
            reason: "expected text in UTF-8".to_owned(),
        }),
    })
    .collect()
}

/// The name by which the operator set `path` or a part of it.
fn name(path: &str, variables: &HashMap<String, String>) -> String {
    let wanted = format!("{PREFIX}{SEPARATOR}{}", path.replace('.', SEPARATOR)).to_uppercase();
    let is_part = |name: &&String| {
        let name = name.to_uppercase();
        name.strip_prefix(&wanted).is_some_and(|part| part.is_empty() || part.starts_with("__"))
    };
    match variables.keys().filter(is_part).min() {
        Some(variable) => format!("setting {variable}"),
        None => format!("setting {path} in {FILE}"),
    }
}

/// What is wrong with a value, without the value, which may be a secret.
fn reason(error: &ConfigError) -> String {
    if let ConfigError::At { error, .. } = error {
        return reason(error);
    }
    let text = error.to_string();
    match text.split_once(", expected ") {
        Some((mismatch, expected)) if mismatch.starts_with("invalid type: ") => {
            format!("expected {expected}")
        }
        _ => text,
    }
}

/// Why the file cannot be read: the place and the cause, without the lines between, which repeat
/// the file.
fn unreadable(error: &ConfigError) -> String {
    let text = match error {
        ConfigError::FileParse { cause, .. } => cause.to_string(),
        other => other.to_string(),
    };
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let place = lines.next().unwrap_or_default();
    lines.next_back().map_or_else(|| place.to_owned(), |cause| format!("{place}: {cause}"))
}
