//! Fetching the reference rates of the European Central Bank.

use std::time::Duration;

use async_trait::async_trait;
use racun_lookups::{DayRates, RateSource, SourceSilent, Span, ecb};
use reqwest::Client as HttpClient;
use url::Url;

use crate::caller;
use crate::egress::{Guard, Reach};

/// How the bank is called.
#[derive(Debug, Clone)]
pub struct EcbOptions {
    /// The folder with its files; `None` makes no calls.
    pub url: Option<String>,
    /// How far calls go.
    pub reach: Reach,
    /// Until a file is there whole.
    pub patience: Duration,
}

impl EcbOptions {
    /// Where the bank has its files.
    pub const BANK: &'static str = "https://www.ecb.europa.eu/stats/eurofxref";
}

impl Default for EcbOptions {
    /// The bank's own, a minute: the whole history is two megabytes.
    fn default() -> Self {
        Self {
            url: Some(Self::BANK.to_owned()),
            reach: Reach::Everywhere,
            patience: Duration::from_secs(60),
        }
    }
}

/// The files of the bank.
pub struct Ecb {
    files: Option<Files>,
}

struct Files {
    http: HttpClient,
    guard: Guard,
    /// Daily rates, those of 90 days, and all.
    urls: [Url; 3],
}

impl Ecb {
    /// Files that are fetched as `options` say. No call is made yet.
    ///
    /// # Errors
    /// When there is no TLS, or the URL is none.
    pub fn new(options: EcbOptions) -> Result<Self, String> {
        let EcbOptions { url, reach, patience } = options;
        let files = url.map(|base| Files::new(&base, reach, patience)).transpose()?;
        Ok(Self { files })
    }
}

impl Files {
    fn new(base: &str, reach: Reach, patience: Duration) -> Result<Self, String> {
        let guard = caller::guard(reach);
        let base = base.trim_end_matches('/');
        let url = |file: &str| {
            guard.read(&format!("{base}/{file}")).map_err(|refused| refused.to_string())
        };
        let urls = [
            url("eurofxref-daily.xml")?,
            url("eurofxref-hist-90d.xml")?,
            url("eurofxref-hist.csv")?,
        ];
        let http = caller::client(&guard, patience)?;
        Ok(Self { http, guard, urls })
    }

    async fn fetch(&self, span: Span) -> Result<Vec<DayRates>, SourceSilent> {
        let [latest, recent, all] = &self.urls;
        match span {
            Span::Latest => read(&self.file(latest).await?, ecb::read_xml),
            Span::Recent => read(&self.file(recent).await?, ecb::read_xml),
            Span::All => read(&self.file(all).await?, ecb::read_csv),
        }
    }

    async fn file(&self, url: &Url) -> Result<Vec<u8>, SourceSilent> {
        if self.guard.check_reach(url).is_err() {
            return Err(silent("this server calls no other machine"));
        }
        let exchange = async {
            let answer = self.http.get(url.clone()).send().await?;
            let status = answer.status();
            Ok::<_, reqwest::Error>((status, caller::whole(answer, ecb::MAX_BYTES).await?))
        };
        match exchange.await {
            Ok((status, _)) if !status.is_success() => {
                Err(silent(format!("it answered with status {}", status.as_u16())))
            }
            Ok((_, Some(body))) => Ok(body),
            Ok((_, None)) => Err(silent("its file is longer than any file of rates")),
            Err(error) => Err(silent(format!("it does not answer: {}", error.without_url()))),
        }
    }
}

fn read(
    body: &[u8],
    reader: fn(&[u8]) -> Result<Vec<DayRates>, ecb::NotRates>,
) -> Result<Vec<DayRates>, SourceSilent> {
    reader(body).map_err(|what| silent(format!("what it sent are no rates: {what}")))
}

fn silent(reason: impl Into<String>) -> SourceSilent {
    SourceSilent { reason: reason.into() }
}

#[async_trait]
impl RateSource for Ecb {
    async fn fetch(&self, span: Span) -> Result<Vec<DayRates>, SourceSilent> {
        match &self.files {
            Some(files) => files.fetch(span).await,
            None => Err(silent("this server does not ask it")),
        }
    }
}
