//! Requests of programs and of people, over HTTP.

use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, LOCATION};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::fault::{Fault, Operation, When};
use crate::state::{Answer, Asked, State};
use crate::{PaidInvoice, api, page};

/// Bytes of a request.
const LONGEST_REQUEST: usize = 256 * 1_024;
/// Connections at once.
const MOST_CONNECTIONS: usize = 256;
/// How long a delayed answer takes.
const DELAY: Duration = Duration::from_millis(300);

/// The system's time.
pub fn system_time() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// Serves until it is aborted.
pub async fn run(state: Arc<State>, listener: TcpListener) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Some(_) = connections.join_next() => {}
            accepted = listener.accept(), if connections.len() < MOST_CONNECTIONS => {
                let Ok((stream, _)) = accepted else { continue };
                let state = Arc::clone(&state);
                connections.spawn(async move {
                    let service = service_fn(|request| respond(&state, request));
                    let connection = http1::Builder::new();
                    let _ = connection.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        }
    }
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

async fn read(request: Request<Incoming>) -> io::Result<Asked> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, LONGEST_REQUEST).collect().await;
    let key = header(&head.headers, AUTHORIZATION.as_str());
    Ok(Asked {
        method: head.method.to_string(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        body: body.map_err(|_| io::Error::other("no body"))?.to_bytes(),
        key: key.and_then(|key| key.strip_prefix("Bearer ").map(str::to_owned)),
        account: header(&head.headers, "stripe-account"),
        idempotency_key: header(&head.headers, "idempotency-key"),
    })
}

async fn respond(
    state: &State,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, io::Error> {
    let asked = read(request).await?;
    let segments: Vec<&str> = asked.path.trim_matches('/').split('/').collect();
    let operation = match (asked.method.as_str(), segments.as_slice()) {
        ("GET", ["v1", ..]) => Operation::Read,
        (_, ["v1", "customers", ..]) => Operation::Customer,
        (_, ["v1", "setup_intents" | "payment_methods", ..]) => Operation::Card,
        (_, ["v1", "checkout" | "billing_portal", ..]) => Operation::Session,
        (_, ["v1", "payment_intents", ..]) => Operation::Payment,
        ("POST", ["oauth", "token" | "deauthorize"]) => Operation::Connect,
        (_, ["control", ..]) => return Ok(response(command(state, &asked))),
        _ => return Ok(response(page::answer(state, &asked).unwrap_or_else(Answer::nothing))),
    };
    let fault = state.faults.of(operation);
    let answer = || api::answer(state, &asked);
    let no_answer = || io::Error::other("no answer, as planned");
    let html = |status| Answer::page(status, "<html>simulated</html>".to_owned());
    Ok(response(match fault {
        Some(Fault::Reset) => return Err(no_answer()),
        Some(Fault::Hang) => std::future::pending().await,
        Some(Fault::ServerError) => html(500),
        Some(Fault::TooMany) => html(429),
        Some(Fault::LoseAnswer) => {
            answer();
            return Err(no_answer());
        }
        Some(Fault::Html) => {
            answer();
            html(200)
        }
        Some(Fault::Delay) => {
            let answer = answer();
            tokio::time::sleep(DELAY).await;
            answer
        }
        None => answer(),
    }))
}

fn response(answer: Answer) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(answer.body)));
    *response.status_mut() = hyper::StatusCode::from_u16(answer.status).unwrap_or_default();
    let media_type = hyper::header::HeaderValue::from_static(answer.media_type);
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    if let Some(location) = answer.location.and_then(|location| location.parse().ok()) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

/// What is there to look at the simulator and to command it.
fn command(state: &State, asked: &Asked) -> Answer {
    #[derive(Deserialize)]
    struct Plan {
        fault: Fault,
        #[serde(default)]
        when: When,
    }
    let wrong =
        |error: serde_json::Error| Answer::json(400, &json!({ "error": error.to_string() }));
    let done = || Answer::json(200, &json!({}));
    match (asked.method.as_str(), asked.path.as_str()) {
        ("GET", "/control/ledger") => {
            let ledger = state.ledger();
            let all = json!({ "payments": ledger.payments(), "events": ledger.events() });
            Answer::json(200, &all)
        }
        ("DELETE", "/control/fault") => {
            state.faults.clear();
            done()
        }
        ("PUT", "/control/fault") => match serde_json::from_slice(&asked.body) {
            Ok(Plan { fault, when }) => {
                state.faults.add(fault, when);
                done()
            }
            Err(error) => wrong(error),
        },
        ("POST", "/control/invoice") => match serde_json::from_slice::<PaidInvoice>(&asked.body) {
            Ok(invoice) => {
                let id = api::add_invoice(state, &invoice);
                Answer::json(200, &json!({ "id": id }))
            }
            Err(error) => wrong(error),
        },
        ("POST", path) => match path.strip_prefix("/control/replay/") {
            Some(id) if state.replay(id) => done(),
            _ => Answer::nothing(),
        },
        _ => Answer::nothing(),
    }
}
