//! Telling what became of a document, as providers do by themselves.

use std::fmt;
use std::net::SocketAddr;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpStream;
use url::{Host, Url};

/// Whom it tells.
#[derive(Clone)]
pub struct Notices {
    /// Where, by plain HTTP: an address of the loopback interface.
    pub url: String,
    /// What it shows.
    pub secret: String,
}

impl fmt::Debug for Notices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notices").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Tells what became of a document. One that does not arrive is not sent again: it is asked for.
pub async fn tell(to: Notices, key: String, reference: String, event: &'static str) {
    let body = json!({
        "guid": reference,
        "idempotencyGuid": key,
        "event_type": "document_submission",
        "event_group": "outbound",
        "event": event,
    });
    if post(&to, body.to_string()).await.is_none() {
        eprintln!("a notice did not arrive");
    }
}

async fn post(to: &Notices, body: String) -> Option<()> {
    let url = Url::parse(&to.url).ok()?;
    // Nothing is sent to another machine.
    let Host::Ipv4(host) = url.host()? else { return None };
    let address = SocketAddr::from((host, url.port_or_known_default()?));
    if !host.is_loopback() {
        return None;
    }
    let stream = TcpStream::connect(address).await.ok()?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
    let request = Request::builder()
        .method(Method::POST)
        .uri(url.path())
        .header(HOST, address.to_string())
        .header(CONTENT_TYPE, "application/json")
        .header(AUTHORIZATION, format!("Bearer {}", to.secret))
        .body(Full::new(Bytes::from(body)))
        .ok()?;
    let sent = async { sender.send_request(request).await.ok() };
    tokio::select! {
        answer = sent => answer.map(drop),
        _ = connection => None,
    }
}
