//! `/metrics` in the text of Prometheus, on an address of its own: every program that reaches that
//! address may read it.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use prometheus::TextEncoder;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// Connections at once: a collector or two, and a person.
const CONNECTIONS: usize = 16;
/// How long a connection may last; a collector that asks again makes another one.
const LIFETIME: Duration = Duration::from_secs(10);

/// The text of Prometheus.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Metrics that are served, until this is dropped.
pub struct Served(JoinHandle<()>);

impl Drop for Served {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Serves what was measured at `address`, when there is one.
///
/// # Errors
/// When the address is not ours or in use.
pub async fn serve(address: Option<SocketAddr>) -> anyhow::Result<Option<Served>> {
    let Some(address) = address else { return Ok(None) };
    let unusable = || format!("{address} (RACUN__METRICS__LISTEN) cannot be listened on");
    let listener = TcpListener::bind(address).await.with_context(unusable)?;
    let address = listener.local_addr().with_context(unusable)?;
    tracing::info!(metrics = %address, "metrics are at http://{address}/metrics");
    Ok(Some(Served(tokio::spawn(accept(listener)))))
}

async fn accept(listener: TcpListener) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        // Never closed, so there is a place at last.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(async move {
                    // A reader that is slow or silent loses its connection.
                    let _ = tokio::time::timeout(LIFETIME, talk(stream)).await;
                    drop(place);
                });
            }
            // Such as a lack of descriptors, which passes.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

async fn talk(stream: TcpStream) {
    let answer = service_fn(|request| async move { Ok::<_, Infallible>(answer(&request)) });
    let mut connection = http1::Builder::new();
    connection.timer(TokioTimer::new()).keep_alive(false);
    // What a reader does wrong is its own affair.
    let _ = connection.serve_connection(TokioIo::new(stream), answer).await;
}

fn answer(request: &Request<Incoming>) -> Response<String> {
    let (status, kind, text) = match (request.method(), request.uri().path()) {
        (&Method::GET, "/metrics") => match TextEncoder::new().encode_to_string(&gathered()) {
            Ok(text) => (StatusCode::OK, TEXT, text),
            Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, "text/plain", error.to_string()),
        },
        _ => (StatusCode::NOT_FOUND, "text/plain", "GET /metrics\n".to_owned()),
    };
    let mut response = Response::new(text);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
    response
}

fn gathered() -> Vec<prometheus::proto::MetricFamily> {
    prometheus::default_registry().gather()
}
