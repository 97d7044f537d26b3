//! The interface.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use racun_einvoicing::{Specification, read};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::fault::{Fault, Faults, Operation, When};
use crate::ledger::{Delivery, Fate, Found, Ledger};
use crate::notice::{self, Notices};
use crate::{Options, party};

/// Bytes of a request.
const LONGEST_REQUEST: usize = 20 * 1_024 * 1_024;
/// How long a delayed answer takes.
const DELAY: Duration = Duration::from_millis(300);

/// What all connections share.
pub struct State {
    pub ledger: Ledger,
    pub faults: Faults,
    keeps_files: bool,
    notices: Option<Notices>,
}

impl State {
    pub fn new(options: &Options) -> Self {
        let ledger = Ledger::new(options.most_kept);
        let Options { keeps_files, notices, .. } = options.clone();
        Self { ledger, faults: Faults::default(), keeps_files, notices }
    }
}

/// Serves until it is aborted.
pub async fn run(state: Arc<State>, listener: TcpListener) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => {
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

/// The connection is closed without an answer.
#[derive(Debug)]
struct NoAnswer;

impl std::fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no answer, as planned")
    }
}

impl std::error::Error for NoAnswer {}

struct Answer {
    status: u16,
    body: String,
}

impl Answer {
    fn of(status: u16, body: &Value) -> Self {
        Self { status, body: body.to_string() }
    }

    fn refused(source: &str, details: &str) -> Self {
        Self::of(422, &json!([{ "source": source, "details": details }]))
    }
}

async fn respond(
    state: &State,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, NoAnswer> {
    let method = request.method().to_string();
    let path = request.uri().path().to_owned();
    let body = Limited::new(request.into_body(), LONGEST_REQUEST).collect().await;
    let body = body.map_err(|_| NoAnswer)?.to_bytes();
    let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
    let operation = match segments.as_slice() {
        ["legal_entities", _, "peppol_identifiers"] => Operation::Identifier,
        ["legal_entities", ..] => Operation::Account,
        ["discovery", _] => Operation::Discovery,
        ["document_submissions"] => Operation::Submit,
        ["document_submissions", ..] => Operation::Evidence,
        _ => return Ok(response(command(state, &method, &path, &body))),
    };
    let fault = state.faults.of(operation);
    let answer = || answer(state, &method, &segments, &body);
    let page = |status| Answer { status, body: "<html>simulated</html>".to_owned() };
    Ok(response(match fault {
        Some(Fault::Reset) => return Err(NoAnswer),
        Some(Fault::Hang) => std::future::pending().await,
        Some(Fault::ServerError) => page(500),
        Some(Fault::TooMany) => page(429),
        Some(Fault::NotFound) => page(404),
        Some(Fault::Refuse) => Answer::refused("document", "refused as planned"),
        Some(Fault::LoseAnswer) => {
            answer();
            return Err(NoAnswer);
        }
        Some(Fault::Html) => {
            answer();
            page(200)
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
    response
}

/// What is there to look at the simulator and to command it.
fn command(state: &State, method: &str, path: &str, body: &[u8]) -> Answer {
    #[derive(Deserialize)]
    struct Plan {
        fault: Fault,
        #[serde(default)]
        when: When,
    }
    match (method, path) {
        ("GET", "/control/ledger") => Answer::of(200, &json!(state.ledger.deliveries())),
        ("DELETE", "/control/fault") => {
            state.faults.clear();
            Answer::of(200, &json!({}))
        }
        ("PUT", "/control/fault") => match serde_json::from_slice(body) {
            Ok(Plan { fault, when }) => {
                state.faults.add(fault, when);
                Answer::of(200, &json!({}))
            }
            Err(error) => Answer::of(400, &json!({ "error": error.to_string() })),
        },
        _ => Answer::of(404, &json!({ "error": "there is nothing here" })),
    }
}

fn answer(state: &State, method: &str, segments: &[&str], body: &[u8]) -> Answer {
    let sent: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match (method, segments) {
        ("POST", ["legal_entities"]) => {
            let lacking = ["party_name", "line1", "city", "zip", "country"];
            if let Some(field) = lacking.iter().find(|field| text(&sent[**field]).is_empty()) {
                return Answer::refused(field, "can't be blank");
            }
            let id = state.ledger.open(&text(&sent["tenant_id"]));
            Answer::of(200, &json!({ "id": id, "party_name": sent["party_name"] }))
        }
        ("POST", ["legal_entities", id, "peppol_identifiers"]) => {
            let identifier = text(&sent["identifier"]);
            let account = id.parse().unwrap_or_default();
            if !party::is_taken(&identifier) {
                state.ledger.reject(account);
                return Answer::refused("identifier", "the company is not taken");
            }
            if !state.ledger.announce(account, &identifier) {
                return Answer::refused("identifier", "has already been taken");
            }
            Answer::of(200, &sent)
        }
        ("GET", ["legal_entities", id]) => {
            let account = state.ledger.account(id.parse().unwrap_or_default());
            let scheme = "iso6523-actorid-upis";
            let own = |id: &String| json!({ "superscheme": scheme, "identifier": id });
            let identifiers: Vec<Value> = account.identifiers.iter().map(own).collect();
            let mut body = json!({ "id": id, "peppol_identifiers": identifiers });
            if account.is_rejected {
                body["verification_status"] = json!("rejected");
            }
            Answer::of(200, &body)
        }
        ("POST", ["discovery", what]) => {
            let identifier = text(&sent["identifier"]);
            let is_so = match *what {
                "receives" => party::receives(&identifier),
                _ => party::is_registered(&identifier),
            };
            Answer::of(200, &json!({ "code": if is_so { "OK" } else { "NOK" } }))
        }
        ("POST", ["document_submissions"]) => submit(state, &sent),
        ("GET", ["document_submissions", reference, "evidence"]) => {
            match state.ledger.look(reference) {
                Found::Delivered => Answer::of(200, &json!({ "status": "succeeded" })),
                Found::Failed => {
                    let details = "the receiver's access point does not take it";
                    Answer::of(200, &json!({ "status": "failed", "details": details }))
                }
                Found::UnderWay | Found::Nothing => {
                    Answer::of(404, &json!({ "error": "there is no evidence yet" }))
                }
            }
        }
        _ => Answer::of(404, &json!({ "error": "there is nothing here" })),
    }
}

fn submit(state: &State, sent: &Value) -> Answer {
    let key = sent["idempotencyGuid"].as_str().unwrap_or_default();
    if key.len() != 36 {
        return Answer::refused(
            "idempotencyGuid",
            "has the wrong length (should be 36 characters)",
        );
    }
    let routing = &sent["routing"]["eIdentifiers"][0];
    let part = |name: &str| routing[name].as_str().unwrap_or_default().to_owned();
    let recipient = (part("scheme"), part("id"));
    let Some(fate) = party::fate(&recipient.1) else {
        return Answer::refused("routing", "the receiver cannot be reached");
    };
    let xml = sent["document"]["rawDocumentData"]["document"].as_str().unwrap_or_default();
    let Ok(xml) = STANDARD.decode(xml) else {
        return Answer::refused("document", "is no base64");
    };
    let received = match read(&xml) {
        Ok(received) => received,
        Err(error) => return Answer::refused("document", &format!("{error:?}")),
    };
    if received.specification.as_deref() != Some(Specification::Peppol.identifier()) {
        return Answer::refused("document", "is not of Peppol BIS Billing 3.0");
    }
    if let Some(error) = received.verdict.errors().next() {
        return Answer::refused("document", &error.to_string());
    }
    let new = Delivery {
        key: key.to_owned(),
        reference: String::new(),
        number: received.import.number.unwrap_or_default(),
        account: sent["legalEntityId"].to_string(),
        recipient,
        fate,
        looks: 0,
        xml: state.keeps_files.then(|| String::from_utf8_lossy(&xml).into_owned()),
    };
    let Some(reference) = state.ledger.take(new) else {
        return Answer::refused("idempotencyGuid", "has already been taken");
    };
    if let Some(to) = state.notices.clone().filter(|_| fate != Fate::Late) {
        let event = if fate == Fate::Delivered { "succeeded" } else { "failed" };
        tokio::spawn(notice::tell(to, key.to_owned(), reference.clone(), event));
    }
    Answer::of(200, &json!({ "guid": reference }))
}
