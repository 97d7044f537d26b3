//! Telling what happened, as Stripe does by webhooks.

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use ring::hmac;
use tokio::net::TcpStream;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::JoinSet;
use url::{Host, Url};

use crate::Options;
use crate::ledger::Event;

/// Events that wait to be posted; a further one is posted on request only.
const MOST_WAITING: usize = 10_000;
/// Events that are posted at once.
const MOST_AT_ONCE: usize = 16;
/// How long a receiver has.
const PATIENCE: Duration = Duration::from_secs(20);

/// Where events wait.
pub fn queue() -> (Sender<Event>, Receiver<Event>) {
    mpsc::channel(MOST_WAITING)
}

/// The value of `Stripe-Signature` by which `secret` signs `body` at `time`, in seconds since 1970.
#[must_use]
pub fn signature(secret: &str, time: i64, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, format!("{time}.{body}").as_bytes());
    let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("t={time},v1={hex}")
}

/// Posts what is in `queue` until it is aborted.
pub async fn run(options: Options, mut queue: Receiver<Event>) {
    let options = Arc::new(options);
    let mut under_way = JoinSet::new();
    while let Some(event) = queue.recv().await {
        if options.webhook_url.is_none() {
            continue;
        }
        if under_way.len() >= MOST_AT_ONCE {
            under_way.join_next().await;
        }
        under_way.spawn(deliver(Arc::clone(&options), event));
    }
}

/// Posts an event until it is taken, as often as there are delays.
async fn deliver(options: Arc<Options>, event: Event) {
    let mut delays = options.retry_delays.iter();
    loop {
        let posted = tokio::time::timeout(PATIENCE, post(&options, &event.body)).await;
        if matches!(posted, Ok(Some(200..=299))) {
            return;
        }
        match delays.next() {
            Some(delay) => tokio::time::sleep(*delay).await,
            None => break,
        }
    }
    eprintln!("the webhook {} of {} was not taken", event.kind, event.id);
}

/// Whether `address` is of this machine: nothing is sent to another one.
fn is_own(address: IpAddr) -> bool {
    address.is_loopback() || TcpListener::bind((address, 0)).is_ok()
}

async fn post(options: &Options, body: &str) -> Option<u16> {
    let url = Url::parse(options.webhook_url.as_deref()?).ok()?;
    let host: IpAddr = match url.host()? {
        Host::Ipv4(host) => host.into(),
        Host::Ipv6(host) => host.into(),
        Host::Domain(_) => return None,
    };
    if !is_own(host) {
        return None;
    }
    let address = SocketAddr::from((host, url.port_or_known_default()?));
    let stream = TcpStream::connect(address).await.ok()?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
    let signature = signature(&options.webhook_secret, (options.clock)(), body);
    let request = Request::builder()
        .method(Method::POST)
        .uri(url.path())
        .header(HOST, address.to_string())
        .header(CONTENT_TYPE, "application/json; charset=utf-8")
        .header("stripe-signature", signature)
        .body(Full::new(Bytes::from(body.to_owned())))
        .ok()?;
    let mut sent = pin!(sender.send_request(request));
    let answer = tokio::select! {
        answer = &mut sent => answer,
        // It may have answered before it closed.
        _ = connection => sent.await,
    };
    answer.ok().map(|answer| answer.status().as_u16())
}
