//! The control interface: plain HTTP with JSON, for tests and demonstrations.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use racun_authorities::portugal::ProgramPublicKey;
use racun_fiscal::Authority;
use serde::Deserialize;
use serde_json::{Value, json};
use time::OffsetDateTime;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::at;
use crate::authority::SimulatedAuthority;
use crate::fault::Wire;
use crate::ledger::Filter;
use crate::pki::WantedTaxpayer;
use crate::server::{self, Body};
use crate::state::{HttpReply, State};

/// Bytes of a request.
const LONGEST_REQUEST: usize = 10_000_000;

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

async fn respond(state: &State, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    let method = request.method().to_string();
    let path = request.uri().path().to_owned();
    let query = request.uri().query().map(parameters).unwrap_or_default();
    let body = Limited::new(request.into_body(), LONGEST_REQUEST).collect().await;
    let answer = match body {
        Ok(body) => answer(state, &method, &path, &query, &body.to_bytes()),
        Err(_) => Err((400, "the body is too long, or not whole".to_owned())),
    };
    let answer = answer.unwrap_or_else(|(status, text)| {
        let body = json!({ "error": text }).to_string();
        HttpReply::new(status, "application/json; charset=UTF-8", body)
    });
    Ok(server::whole(answer))
}

type Refused = (u16, String);

fn answer(
    state: &State,
    method: &str,
    path: &str,
    query: &BTreeMap<String, String>,
    body: &[u8],
) -> Result<HttpReply, Refused> {
    let done = || Ok(HttpReply::json("{}"));
    match (method, path) {
        ("GET", "/") => Ok(HttpReply::text(200, HELP)),
        ("GET", "/ca.pem") => Ok(HttpReply::new(200, "application/x-pem-file", state.pki.ca_pem())),
        ("GET", "/ledger") => {
            let taken = state.ledger.taken(&filter(query)?);
            Ok(HttpReply::json(json!(taken).to_string()))
        }
        ("DELETE", "/ledger") => {
            state.ledger.clear();
            done()
        }
        ("GET", "/ledger/gaps") => {
            let gaps = state.ledger.gaps(&filter(query)?);
            Ok(HttpReply::json(json!(gaps).to_string()))
        }
        ("GET", "/ledger/refused") => {
            Ok(HttpReply::json(json!(state.ledger.refused()).to_string()))
        }
        ("GET", "/premises") => Ok(HttpReply::json(json!(state.ledger.premises()).to_string())),
        ("GET", "/series") => Ok(HttpReply::json(json!(state.at.kept().known()).to_string())),
        ("GET", "/reported") => Ok(HttpReply::json(json!(state.at.kept().reports()).to_string())),
        ("GET", "/reported/refused") => {
            Ok(HttpReply::json(json!(state.at.kept().refusals()).to_string()))
        }
        ("POST", "/saf-t") => {
            let checked = at::check_saft(body, &state.at.program()).map_err(bad)?;
            Ok(HttpReply::json(json!(checked).to_string()))
        }
        ("PUT", "/program-key") => {
            let pem = str::from_utf8(body).map_err(bad)?;
            state.at.set_program(ProgramPublicKey::from_pem(pem).map_err(bad)?);
            done()
        }
        ("PUT", "/password") => {
            let new: Password = read(body)?;
            state.at.kept().set_password(&new.user, &new.password);
            done()
        }
        ("GET", "/fault") => {
            let list = state.faults.list().into_iter().map(|(fault, happened)| {
                let mut fault = json!(fault);
                fault["happened"] = json!(happened);
                fault
            });
            Ok(HttpReply::json(Value::Array(list.collect()).to_string()))
        }
        ("PUT", "/fault") => {
            let faults: Value = read(body)?;
            let list = if faults.is_array() { faults } else { json!([faults]) };
            let wires: Vec<Wire> = serde_json::from_value(list).map_err(bad)?;
            state.faults.replace(wires).map_err(bad)?;
            done()
        }
        ("DELETE", "/fault") => {
            state.faults.clear(query.get("authority").map(|name| simulated(name)).transpose()?);
            done()
        }
        ("PUT", "/delay") => {
            state.set_delay(read::<Delay>(body)?.ms);
            done()
        }
        ("GET", "/clock") => clock(state),
        ("PUT", "/clock") => {
            match read::<SetClock>(body)? {
                SetClock { offset_seconds: Some(seconds), now: None } => {
                    state.clock.set_offset(seconds);
                }
                SetClock { offset_seconds: None, now: Some(now) } => state.clock.set(now),
                _ => return Err(bad("either offset_seconds or now is wanted")),
            }
            clock(state)
        }
        ("POST", "/taxpayers") => taxpayer(state, read(body)?),
        ("POST", "/revoked") => {
            state.revoke(&read::<Revoke>(body)?.serial);
            done()
        }
        _ => Err((404, "there is nothing here; GET / tells what there is".to_owned())),
    }
}

const HELP: &str = "\
GET    /ca.pem            what a client has to trust
GET    /ledger            what was taken; ?authority=&operation=&taxpayer=&premise=&device=&number=
                          &mark=&message_id=&late=true&after=POSITION
DELETE /ledger            forgets all, premises too
GET    /ledger/gaps       missing and doubled numbers per sequence; the same filters
GET    /ledger/refused    what was refused
GET    /premises          business premises in Slovenia
GET    /fault             planned faults, and how often each happened
PUT    /fault             plans these alone: one or a list of {\"fault\":\"delay\",\"ms\":20000,
                          \"authority\":\"furs\",\"operation\":\"invoice\",\"times\":3,\
                          \"every\":2,\"percent\":10}
DELETE /fault             forgets them; ?authority=furs
GET    /series            series that AT knows
GET    /reported          invoices that were reported to AT
GET    /reported/refused  what AT refused
POST   /saf-t             checks the chains of a file of SAF-T
PUT    /program-key       the public key, PEM, of another certified program in Portugal
PUT    /password          {\"user\":\"508025338/1\",\"password\":\"…\"} of a sub-user of AT
PUT    /delay             {\"ms\":50} before each answer
GET    /clock             the simulator's time
PUT    /clock             {\"offset_seconds\":-3600} or {\"now\":\"2026-11-20T12:00:00Z\"}
POST   /taxpayers         issues a certificate: {\"authority\":\"furs\",\"tax_number\":\"10039856\",
                          \"passphrase\":\"x\",\"name\":\"…\",\"valid_days\":365,\"legacy\":false}
POST   /revoked           {\"serial\":\"…\"} decimal
";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Delay {
    ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Revoke {
    serial: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Password {
    user: String,
    password: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetClock {
    offset_seconds: Option<i64>,
    #[serde(default, with = "time::serde::rfc3339::option")]
    now: Option<OffsetDateTime>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewTaxpayer {
    authority: Authority,
    tax_number: String,
    passphrase: String,
    name: Option<String>,
    valid_days: Option<i64>,
    #[serde(default)]
    legacy: bool,
}

fn taxpayer(state: &State, new: NewTaxpayer) -> Result<HttpReply, Refused> {
    let mut wanted = WantedTaxpayer::new(new.authority, &new.tax_number, &new.passphrase);
    wanted.name = new.name.unwrap_or(wanted.name);
    wanted.valid_days = new.valid_days.unwrap_or(wanted.valid_days);
    wanted.is_legacy = new.legacy;
    if wanted.valid_days.abs() > 36_500 {
        return Err(bad("valid_days is at most 36500, either way"));
    }
    let made = state.issue(&wanted).map_err(bad)?;
    let body = json!({
        "p12": STANDARD.encode(&made.p12),
        "certificate": made.certificate_pem,
        "serial": made.serial,
    });
    Ok(HttpReply::json(body.to_string()))
}

fn clock(state: &State) -> Result<HttpReply, Refused> {
    let now = state.clock.now().format(&time::format_description::well_known::Rfc3339);
    let body = json!({ "now": now.map_err(bad)?, "offset_seconds": state.clock.offset() });
    Ok(HttpReply::json(body.to_string()))
}

fn read<T: serde::de::DeserializeOwned>(body: &[u8]) -> Result<T, Refused> {
    serde_json::from_slice(body).map_err(bad)
}

fn bad(error: impl std::fmt::Display) -> Refused {
    (400, error.to_string())
}

fn simulated(name: &str) -> Result<SimulatedAuthority, Refused> {
    let authority = SimulatedAuthority::ALL.into_iter().find(|one| one.name() == name);
    authority.ok_or_else(|| bad("authority is furs, fina or at"))
}

fn authority(name: &str) -> Result<Authority, Refused> {
    [Authority::Furs, Authority::Fina]
        .into_iter()
        .find(|authority| authority.name() == name)
        .ok_or_else(|| bad("authority is furs or fina"))
}

fn filter(query: &BTreeMap<String, String>) -> Result<Filter, Refused> {
    let mut filter = Filter::default();
    for (name, value) in query {
        let text = || Some(value.clone());
        match &**name {
            "authority" => filter.authority = Some(authority(value)?),
            "operation" => filter.operation = text(),
            "taxpayer" => filter.taxpayer = text(),
            "premise" => filter.premise = text(),
            "device" => filter.device = text(),
            "number" => filter.number = text(),
            "mark" => filter.mark = text(),
            "message_id" => filter.message_id = text(),
            "late" => filter.late = Some(value.parse().map_err(|_| bad("late is true or false"))?),
            "after" => filter.after = Some(value.parse().map_err(|_| bad("after is a position"))?),
            _ => return Err(bad(format!("there is no filter {name:?}"))),
        }
    }
    Ok(filter)
}

/// The parameters of a query. What they hold needs no escapes.
fn parameters(query: &str) -> BTreeMap<String, String> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (name.to_owned(), value.to_owned())
    };
    query.split('&').filter(|pair| !pair.is_empty()).map(pair).collect()
}
