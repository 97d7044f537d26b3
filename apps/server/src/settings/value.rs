//! The values that settings take.
//!
//! A refusal says what is expected and never repeats what was given: it may be a secret.

use std::fmt;
use std::marker::PhantomData;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr as _;
use std::time::Duration;

use racun_gateways::SmtpMailer;
use racun_http_api::{Network, Origins};
use racun_mail::Mailbox;
use serde::Deserializer;
use serde::de::{Error, Visitor};
use tracing::Level;
use tracing_subscriber::EnvFilter;

/// A value that is read from one text.
pub trait Setting: Sized {
    /// What a text must be, as the end of "expected …".
    const EXPECTED: &'static str;

    /// The value, or `None` when the text is something else.
    fn read(text: &str) -> Option<Self>;
}

/// Reads a setting that has a default.
pub fn required<'de, D: Deserializer<'de>, T: Setting>(source: D) -> Result<T, D::Error> {
    source.deserialize_any(TextVisitor(PhantomData))
}

/// Reads a setting that may be absent.
pub fn optional<'de, D: Deserializer<'de>, T: Setting>(source: D) -> Result<Option<T>, D::Error> {
    required(source).map(Some)
}

/// Takes texts, and the whole numbers and booleans that TOML has beside them.
struct TextVisitor<T>(PhantomData<T>);

impl<T: Setting> TextVisitor<T> {
    fn read<E: Error>(text: &str) -> Result<T, E> {
        T::read(text).ok_or_else(|| E::custom(format_args!("expected {}", T::EXPECTED)))
    }
}

impl<T: Setting> Visitor<'_> for TextVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        Self::read(text)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        Self::read(&number.to_string())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<T, E> {
        Self::read(&value.to_string())
    }
}

impl Setting for SocketAddr {
    const EXPECTED: &'static str = "an IP address and a port, as in 127.0.0.1:8080";

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl Setting for bool {
    const EXPECTED: &'static str = "true or false";

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl Setting for PathBuf {
    const EXPECTED: &'static str = "a path";

    fn read(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| Self::from(text))
    }
}

/// Ranges of addresses, separated by commas.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Networks(Vec<Network>);

impl Networks {
    /// All of them.
    pub fn all(&self) -> &[Network] {
        &self.0
    }
}

impl Setting for Networks {
    const EXPECTED: &'static str = "ranges of addresses, as in 10.0.0.0/8,192.0.2.7";

    fn read(text: &str) -> Option<Self> {
        text.split(',').map(|part| part.trim().parse().ok()).collect::<Option<_>>().map(Self)
    }
}

impl Setting for Origins {
    const EXPECTED: &'static str =
        "* or origins as in https://shop.example.com, separated by commas";

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// How many requests are answered in a minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requests(pub u32);

impl Setting for Requests {
    const EXPECTED: &'static str = "a whole number of requests, 1 to 1000000000";

    fn read(text: &str) -> Option<Self> {
        let number = text.parse().ok()?;
        (1..=1_000_000_000).contains(&number).then_some(Self(number))
    }
}

/// A number of seconds, as header fields say how long something holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxAge(pub u32);

impl Setting for MaxAge {
    const EXPECTED: &'static str = "a whole number of seconds, 0 to 100000000";

    fn read(text: &str) -> Option<Self> {
        let number = text.parse().ok()?;
        (0..=100_000_000).contains(&number).then_some(Self(number))
    }
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

impl Setting for Size {
    const EXPECTED: &'static str = "a number of bytes, as in 50MB or 20GB";

    fn read(text: &str) -> Option<Self> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let factor: u64 = match &text[digits.len()..] {
            "" | "B" => 1,
            "KB" => 1_000,
            "MB" => 1_000_000,
            "GB" => 1_000_000_000,
            "TB" => 1_000_000_000_000,
            _ => return None,
        };
        digits.parse::<u64>().ok()?.checked_mul(factor).map(Self)
    }
}

/// How many mails are sent within a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mails(pub u32);

impl Setting for Mails {
    const EXPECTED: &'static str = "a whole number of mails, 0 to 1000000";

    fn read(text: &str) -> Option<Self> {
        let number = text.parse().ok()?;
        (0..=1_000_000).contains(&number).then_some(Self(number))
    }
}

/// The base of other addresses: http or https, without a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl(String);

impl BaseUrl {
    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Setting for BaseUrl {
    const EXPECTED: &'static str = WholeUrl::EXPECTED;

    fn read(text: &str) -> Option<Self> {
        let whole = WholeUrl::read(text)?;
        Some(Self(whole.0.trim_end_matches('/').to_owned()))
    }
}

/// The whole address of a service: http or https, with the slash at its end where it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeUrl(String);

impl WholeUrl {
    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it leads to this machine alone.
    pub fn is_loopback(&self) -> bool {
        leads_here(&self.0)
    }
}

impl Setting for WholeUrl {
    const EXPECTED: &'static str =
        "an address as in https://invoices.example.com, without query and fragment";

    fn read(text: &str) -> Option<Self> {
        let url = reqwest::Url::parse(text).ok()?;
        let is_plain = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.query().is_none()
            && url.fragment().is_none();
        is_plain.then(|| Self(url.into()))
    }
}

impl BaseUrl {
    /// Whether it leads to this machine alone.
    pub fn is_loopback(&self) -> bool {
        leads_here(&self.0)
    }

    /// Whether clients reach it by TLS.
    pub fn is_encrypted(&self) -> bool {
        self.0.starts_with("https://")
    }

    /// Its host, where that is a name and no address.
    pub fn domain(&self) -> Option<String> {
        reqwest::Url::parse(&self.0).ok()?.domain().map(str::to_owned)
    }
}

/// Whether the host of `url` is this machine.
fn leads_here(url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(url) else { return false };
    url.host_str().is_some_and(|host| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    })
}

/// Where PostgreSQL is, and how to log in there.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl(String);

impl PostgresUrl {
    /// Its text, which holds a password.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PostgresUrl(…)")
    }
}

impl Setting for PostgresUrl {
    const EXPECTED: &'static str =
        "an address as in postgres://user:password@host/database; without it data are embedded";

    fn read(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"));
        rest.filter(|rest| !rest.is_empty()).map(|_| Self(text.to_owned()))
    }
}

/// How log records look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs: one object per line.
    Json,
}

impl Setting for LogFormat {
    const EXPECTED: &'static str = "text or json";

    fn read(text: &str) -> Option<Self> {
        match text {
            "text" => Some(Self::Text),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// Which log records are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLevel(String);

impl LogLevel {
    /// Its text, in the language of `EnvFilter`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Setting for LogLevel {
    const EXPECTED: &'static str =
        "error, warn, info, debug or trace, for all or by module, as in info,racun_http_api=debug";

    fn read(text: &str) -> Option<Self> {
        // A lone word that is no level would be taken for a module's name.
        let is_part = |part: &str| part.contains('=') || Level::from_str(part).is_ok();
        let filter = EnvFilter::builder().parse(text);
        (filter.is_ok() && text.split(',').all(is_part)).then(|| Self(text.to_owned()))
    }
}

/// A time span in whole seconds, from one second to a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seconds(u64);

impl Seconds {
    /// So many seconds.
    pub const fn new(seconds: u64) -> Self {
        Self(seconds)
    }

    /// How long they last.
    pub const fn duration(&self) -> Duration {
        Duration::from_secs(self.0)
    }
}

impl Setting for Seconds {
    const EXPECTED: &'static str = "a whole number of seconds from 1 to 86400";

    fn read(text: &str) -> Option<Self> {
        let seconds = text.parse().ok().filter(|seconds| (1..=86_400).contains(seconds));
        seconds.map(Self)
    }
}

/// When a delivery is tried: one delay per attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delays(Vec<Duration>);

impl Delays {
    /// More attempts are not made.
    const MOST: usize = 20;

    /// A delay of so many seconds before each attempt.
    pub fn seconds(delays: impl IntoIterator<Item = u64>) -> Self {
        Self(delays.into_iter().map(Duration::from_secs).collect())
    }
}

impl Delays {
    /// The delays, in their order.
    pub fn durations(&self) -> &[Duration] {
        &self.0
    }
}

impl Setting for Delays {
    const EXPECTED: &'static str =
        "at most 20 delays in s, m, h or d, separated by commas, as in 0s,1m,5m,30m,2h";

    fn read(text: &str) -> Option<Self> {
        let delays: Option<Vec<Duration>> = text.split(',').map(str::trim).map(delay).collect();
        delays.filter(|delays| delays.len() <= Self::MOST).map(Self)
    }
}

fn delay(text: &str) -> Option<Duration> {
    let split = text.len().checked_sub(1).filter(|split| text.is_char_boundary(*split))?;
    let (number, unit) = text.split_at(split);
    let seconds: u64 = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    let number = number.parse::<u32>().ok()?;
    u64::from(number).checked_mul(seconds).map(Duration::from_secs)
}

/// An SMTP server.
#[derive(Clone, PartialEq, Eq)]
pub struct SmtpUrl(String);

impl SmtpUrl {
    /// Its text, which may hold a password.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it leads to this machine alone.
    pub fn is_loopback(&self) -> bool {
        leads_here(&self.0)
    }
}

impl fmt::Debug for SmtpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SmtpUrl(…)")
    }
}

impl Setting for SmtpUrl {
    const EXPECTED: &'static str = "an address as in smtp://user:password@host:587 or smtps://…";

    fn read(text: &str) -> Option<Self> {
        let anybody = Mailbox { name: None, address: "racun@localhost".to_owned() };
        SmtpMailer::new(text, anybody).is_ok().then(|| Self(text.to_owned()))
    }
}

/// Whom mail is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender(Mailbox);

impl Sender {
    /// As mail takes it.
    pub const fn mailbox(&self) -> &Mailbox {
        &self.0
    }
}

impl Setting for Sender {
    const EXPECTED: &'static str =
        "an address as in invoices@example.com or Racun <invoices@example.com>";

    fn read(text: &str) -> Option<Self> {
        racun_gateways::mailbox(text).map(Self)
    }
}

/// A name that another service gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word(String);

impl Word {
    /// This word.
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Setting for Word {
    const EXPECTED: &'static str = "a name without spaces";

    fn read(text: &str) -> Option<Self> {
        let is_word = !text.is_empty() && text.chars().all(|sign| sign.is_ascii_graphic());
        is_word.then(|| Self(text.to_owned()))
    }
}

/// A part of a key to another service.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Word);

impl Secret {
    /// Its text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Setting for Secret {
    const EXPECTED: &'static str = "a key without spaces";

    fn read(text: &str) -> Option<Self> {
        Word::read(text).map(Self)
    }
}
