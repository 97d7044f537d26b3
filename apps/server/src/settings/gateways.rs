//! `RACUN__WEBHOOKS__…`, `RACUN__EMAIL__…`, `RACUN__FILES__…` and `RACUN__VIES__…`: the services
//! that gateways call.

use std::time::Duration;

use racun_gateways::Bucket;
use racun_mail::MailLimits;
use racun_mail::Mailbox;
use racun_webhooks::Schedule;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::value::{
    BaseUrl, Delays, Mails, Seconds, Secret, Sender, Setting, SmtpUrl, Word, optional, required,
};

/// `RACUN__WEBHOOKS__…`
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Webhooks {
    /// Whether events are also posted to addresses of this machine and its network.
    #[serde(deserialize_with = "required")]
    pub allow_private_addresses: bool,
    /// When a delivery is tried.
    #[serde(deserialize_with = "required")]
    retry_delays: Delays,
    /// How long a receiver has to answer.
    #[serde(deserialize_with = "Webhooks::read_timeout")]
    timeout_seconds: Seconds,
}

impl Webhooks {
    /// A receiver that takes longer holds what else is for it.
    const LONGEST: Seconds = Seconds::new(15);

    fn read_timeout<'de, D: Deserializer<'de>>(source: D) -> Result<Seconds, D::Error> {
        let seconds: Seconds = required(source)?;
        match seconds <= Self::LONGEST {
            true => Ok(seconds),
            false => Err(D::Error::custom("expected a whole number of seconds from 1 to 15")),
        }
    }

    /// How long a receiver has to answer.
    pub const fn timeout(&self) -> Duration {
        self.timeout_seconds.duration()
    }

    /// When deliveries are tried, and for how long.
    pub fn schedule(&self) -> Schedule {
        let seconds = |delay: &Duration| {
            time::Duration::seconds(i64::try_from(delay.as_secs()).unwrap_or(i64::MAX))
        };
        let timeout = seconds(&self.timeout_seconds.duration());
        let delays = self.retry_delays.durations().iter().map(seconds).collect();
        Schedule::new(delays).with_timeout(timeout)
    }
}

impl Default for Webhooks {
    fn default() -> Self {
        Self {
            allow_private_addresses: false,
            retry_delays: Delays::seconds([0, 60, 300, 1_800, 7_200]),
            timeout_seconds: Self::LONGEST,
        }
    }
}

/// `RACUN__EMAIL__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Email {
    /// The server that takes mail; absent: mail is written to files.
    #[serde(deserialize_with = "optional")]
    pub smtp_url: Option<SmtpUrl>,
    /// Whom mail is from when it does not say otherwise.
    #[serde(deserialize_with = "optional")]
    from: Option<Sender>,
    /// How much is sent within a day.
    pub limits: EmailLimits,
}

/// `RACUN__EMAIL__LIMITS__…`
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct EmailLimits {
    #[serde(deserialize_with = "required")]
    per_account: Mails,
    #[serde(deserialize_with = "required")]
    per_new_account: Mails,
    #[serde(deserialize_with = "required")]
    per_entity: Mails,
    #[serde(deserialize_with = "required")]
    per_receiver: Mails,
    #[serde(deserialize_with = "required")]
    per_receiver_from_all: Mails,
    #[serde(deserialize_with = "required")]
    invitations_per_address: Mails,
}

impl EmailLimits {
    /// The limits.
    pub const fn limits(&self) -> MailLimits {
        MailLimits {
            per_account: self.per_account.0,
            per_new_account: self.per_new_account.0,
            per_entity: self.per_entity.0,
            per_receiver: self.per_receiver.0,
            per_receiver_from_all: self.per_receiver_from_all.0,
            invitations_per_address: self.invitations_per_address.0,
        }
    }
}

impl Default for EmailLimits {
    fn default() -> Self {
        let limits = MailLimits::default();
        Self {
            per_account: Mails(limits.per_account),
            per_new_account: Mails(limits.per_new_account),
            per_entity: Mails(limits.per_entity),
            per_receiver: Mails(limits.per_receiver),
            per_receiver_from_all: Mails(limits.per_receiver_from_all),
            invitations_per_address: Mails(limits.invitations_per_address),
        }
    }
}

impl Email {
    /// Whom mail is from: as set, or `racun` at the host of the server's public address, where that
    /// has a name.
    pub fn sender(&self, public_url: Option<&BaseUrl>) -> Mailbox {
        if let Some(sender) = &self.from {
            return sender.mailbox().clone();
        }
        let host = public_url.and_then(BaseUrl::domain).unwrap_or_else(|| "localhost".to_owned());
        Mailbox { name: Some("Racun".to_owned()), address: format!("racun@{host}") }
    }
}

/// `RACUN__FILES__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Files {
    #[serde(deserialize_with = "S3::whole")]
    s3: S3,
}

impl Files {
    /// Whether the bucket is on this machine. Without an endpoint it is Amazon's.
    pub fn is_here(&self) -> bool {
        self.s3.endpoint.as_ref().is_some_and(BaseUrl::is_loopback)
    }

    /// The bucket that files are kept in; `None`: a folder.
    pub fn bucket(&self) -> Option<Bucket> {
        let S3 { endpoint, bucket, region, access_key_id, secret_access_key } = &self.s3;
        Some(Bucket {
            endpoint: endpoint.as_ref().map(|url| url.as_str().to_owned()),
            name: bucket.as_ref()?.as_str().to_owned(),
            region: region.as_str().to_owned(),
            access_key_id: access_key_id.as_ref()?.as_str().to_owned(),
            secret_access_key: secret_access_key.as_ref()?.as_str().to_owned(),
        })
    }
}

/// `RACUN__FILES__S3__…`
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
struct S3 {
    #[serde(deserialize_with = "optional")]
    endpoint: Option<BaseUrl>,
    #[serde(deserialize_with = "optional")]
    bucket: Option<Word>,
    #[serde(deserialize_with = "required")]
    region: Word,
    #[serde(deserialize_with = "optional")]
    access_key_id: Option<Secret>,
    #[serde(deserialize_with = "optional")]
    secret_access_key: Option<Secret>,
}

impl S3 {
    /// A bucket without a key, or a key without a bucket, is refused: files would go to the data
    /// folder instead.
    fn whole<'de, D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let s3 = Self::deserialize(source)?;
        match (&s3.bucket, &s3.access_key_id, &s3.secret_access_key) {
            (Some(_), Some(_), Some(_)) => Ok(s3),
            _ => Err(D::Error::custom("bucket, access_key_id and secret_access_key go together")),
        }
    }
}

impl Default for S3 {
    fn default() -> Self {
        let region = Word::new("us-east-1");
        let (endpoint, bucket) = (None, None);
        Self { endpoint, bucket, region, access_key_id: None, secret_access_key: None }
    }
}

/// `RACUN__VIES__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Vies {
    /// The register that live entities ask; absent: the Commission's.
    #[serde(deserialize_with = "optional")]
    pub url: Option<ServiceUrl>,
}

/// `RACUN__RATES__…`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section")]
pub struct Rates {
    /// The folder with the files of reference rates; absent: the European Central Bank's.
    #[serde(deserialize_with = "optional")]
    pub url: Option<ServiceUrl>,
}

/// Where a public service is that answers for all entities.
#[derive(Debug)]
pub enum ServiceUrl {
    /// It is not asked.
    Off,
    /// The base of its addresses.
    At(BaseUrl),
}

impl Setting for ServiceUrl {
    const EXPECTED: &'static str = "the base of an address as in https://host.example.com, or off";

    fn read(text: &str) -> Option<Self> {
        match text {
            "off" => Some(Self::Off),
            text => BaseUrl::read(text).map(Self::At),
        }
    }
}
