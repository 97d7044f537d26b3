//! One exchange over HTTP.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT};
use hyper::{StatusCode, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use racun_fiscal::{Identity, Unknown};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, UnixTime};
use rustls::time_provider::TimeProvider;
use rustls::{ClientConfig, RootCertStore};
use time::OffsetDateTime;

use crate::Trust;

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> OffsetDateTime + Send + Sync>;

/// A client of one system: HTTP/1.1 over TLS. It knows neither redirects nor proxies.
pub(crate) type Client = HttpClient<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// A connection that is not there by then will not come.
const CONNECT: Duration = Duration::from_secs(2);
/// An unused connection is kept so long.
const IDLE: Duration = Duration::from_secs(30);
/// A larger answer is refused.
const MOST_BYTES: usize = 10_000_000;

/// Names the operation of a SOAP request.
const SOAP_ACTION: HeaderName = HeaderName::from_static("soapaction");

/// Whose software it is.
const NAME: &str = concat!("racun/", env!("CARGO_PKG_VERSION"));

/// What a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Xml,
}

impl Format {
    const fn sent_as(self) -> &'static str {
        match self {
            Self::Json => "application/json; charset=UTF-8",
            Self::Xml => "text/xml; charset=UTF-8",
        }
    }

    /// Media types that an answer may have.
    const fn answered_as(self) -> &'static [&'static str] {
        match self {
            Self::Json => &["application/json"],
            Self::Xml => &["text/xml", "application/xml", "application/soap+xml"],
        }
    }
}

/// What is sent.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) url: Uri,
    pub(crate) format: Format,
    /// `SOAPAction`, as written.
    pub(crate) action: Option<String>,
    pub(crate) body: String,
    /// Whether answers of the status 500 are read as others are.
    pub(crate) reads_errors: bool,
}

/// The time, for who checks certificates of servers.
struct TlsClock(Clock);

impl std::fmt::Debug for TlsClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TlsClock")
    }
}

impl TimeProvider for TlsClock {
    fn current_time(&self) -> Option<UnixTime> {
        let seconds = u64::try_from((self.0)().unix_timestamp()).ok()?;
        Some(UnixTime::since_unix_epoch(Duration::from_secs(seconds)))
    }
}

fn useless(error: &dyn std::fmt::Display) -> Unknown {
    unknown(&format!("the certificate cannot be used for a connection: {error}"))
}

/// The certificates of `trust`, and no others.
pub(crate) fn roots(trust: &Trust) -> Result<RootCertStore, Unknown> {
    let mut roots = RootCertStore::empty();
    for certificate in trust.certificates() {
        roots.add(certificate.clone()).map_err(|error| useless(&error))?;
    }
    Ok(roots)
}

/// A client that trusts `roots` alone, and shows `identity` where the server asks who it is.
pub(crate) fn client(
    roots: RootCertStore,
    identity: Option<&Identity>,
    clock: &Clock,
) -> Result<Client, Unknown> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_details(provider, Arc::new(TlsClock(clock.clone())))
        .with_safe_default_protocol_versions()
        .map_err(|error| useless(&error))?
        .with_root_certificates(roots);
    let config = match identity {
        None => config.with_no_client_auth(),
        Some(identity) => {
            let chain = std::iter::once(&identity.certificate).chain(&identity.chain);
            let chain = chain.map(|der| CertificateDer::from(der.clone())).collect();
            let key = PrivatePkcs8KeyDer::from(identity.private_key.clone());
            config
                .with_client_auth_cert(chain, PrivateKeyDer::Pkcs8(key))
                .map_err(|error| useless(&error))?
        }
    };
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_connect_timeout(Some(CONNECT));
    connector.set_nodelay(true);
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(config)
        .https_only()
        .enable_http1()
        .wrap_connector(connector);
    Ok(HttpClient::builder(TokioExecutor::new())
        .pool_idle_timeout(IDLE)
        .pool_timer(TokioTimer::new())
        .build(connector))
}

/// Sends `request` and answers the body of what came back, when it can be an answer at all.
pub(crate) async fn exchange(client: &Client, request: Request) -> Result<Vec<u8>, Unknown> {
    let Request { url, format, action, body, reads_errors } = request;
    let useless = |_| unknown("the message cannot be addressed");
    let mut message =
        hyper::Request::post(url).header(CONTENT_TYPE, format.sent_as()).header(USER_AGENT, NAME);
    if let Some(action) = action {
        let action = HeaderValue::try_from(action).map_err(|error| useless(error.into()))?;
        message = message.header(SOAP_ACTION, action);
    }
    let message = message.body(Full::new(Bytes::from(body))).map_err(useless)?;
    let response = client.request(message).await.map_err(|error| broken(&error))?;
    let status = response.status();
    let is_answer =
        status.is_success() || (reads_errors && status == StatusCode::INTERNAL_SERVER_ERROR);
    if !is_answer {
        return Err(unknown(&format!("the server answered with HTTP status {status}")));
    }
    if let Some(kind) = response.headers().get(CONTENT_TYPE) {
        let kind = String::from_utf8_lossy(kind.as_bytes()).to_ascii_lowercase();
        let media = kind.split(';').next().unwrap_or_default().trim();
        if !format.answered_as().contains(&media) {
            return Err(unknown(&format!("the server answered {status} with {media:.80}")));
        }
    }
    body_of(response.into_body()).await
}

/// Reads the body as far as it may go.
async fn body_of(mut incoming: Incoming) -> Result<Vec<u8>, Unknown> {
    let too_large = || unknown("the answer is larger than 10 MB");
    let is_too_large =
        |length: u64| usize::try_from(length).map_or(true, |length| length > MOST_BYTES);
    if is_too_large(incoming.size_hint().lower()) {
        return Err(too_large());
    }
    let mut body = Vec::new();
    while let Some(frame) = incoming.frame().await {
        let frame = frame.map_err(|error| broken(&error))?;
        let Ok(chunk) = frame.into_data() else { continue };
        if body.len() + chunk.len() > MOST_BYTES {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

pub(crate) fn unknown(reason: &str) -> Unknown {
    Unknown { reason: reason.to_owned(), is_suspicious: false }
}

/// What broke, with its causes.
fn broken(error: &dyn std::error::Error) -> Unknown {
    let mut reason = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        reason.push_str(": ");
        reason.push_str(&inner.to_string());
        cause = inner.source();
    }
    unknown(&reason)
}
