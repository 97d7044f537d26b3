//! The interface.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use url::Url;
use url::form_urlencoded::parse;

use crate::codes::{Codes, Given};
use crate::fault::{Fault, Faults};
use crate::signer::Signer;
use crate::{Options, person};

/// Bytes of a request.
const LONGEST_REQUEST: usize = 64 * 1_024;
/// Seconds that a token holds.
const HOLDS: i64 = 300;

/// What all connections share.
pub struct State {
    pub faults: Faults,
    options: Options,
    url: String,
    codes: Codes,
    signer: Mutex<Arc<Signer>>,
    foreign: Signer,
    keys_made: AtomicUsize,
    key_requests: AtomicUsize,
}

/// The system's time.
pub fn system_time() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

impl State {
    pub fn new(options: &Options, url: String) -> io::Result<Self> {
        Ok(Self {
            faults: Faults::default(),
            options: options.clone(),
            url,
            codes: Codes::default(),
            signer: Mutex::new(Arc::new(Signer::new("key-0".to_owned())?)),
            foreign: Signer::new("key-0".to_owned())?,
            keys_made: AtomicUsize::new(1),
            key_requests: AtomicUsize::new(0),
        })
    }

    fn signer(&self) -> Arc<Signer> {
        Arc::clone(&self.signer.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn rotate(&self) -> io::Result<()> {
        let made = self.keys_made.fetch_add(1, Ordering::Relaxed);
        let signer = Arc::new(Signer::new(format!("key-{made}"))?);
        *self.signer.lock().unwrap_or_else(PoisonError::into_inner) = signer;
        Ok(())
    }

    pub fn key_requests(&self) -> usize {
        self.key_requests.load(Ordering::Relaxed)
    }

    /// Where `person` is sent back to from the authorization endpoint at `url`.
    pub fn authorize(&self, url: &str, person: &str) -> Result<String, String> {
        let url = Url::parse(url).map_err(|error| error.to_string())?;
        let query: HashMap<String, String> = url.query_pairs().into_owned().collect();
        let said = |name: &str| query.get(name).cloned().unwrap_or_default();
        for (name, expected) in [
            ("response_type", "code"),
            ("client_id", &*self.options.client_id),
            ("code_challenge_method", "S256"),
        ] {
            if said(name) != expected {
                return Err(format!("{name} is {:?}, not {expected:?}", said(name)));
            }
        }
        if !said("scope").split(' ').any(|scope| scope == "openid") {
            return Err("the scope has no openid".to_owned());
        }
        let [state, nonce, challenge] = ["state", "nonce", "code_challenge"].map(said);
        if state.is_empty() || nonce.is_empty() || challenge.len() != 43 {
            return Err("state, nonce and code_challenge have to be there".to_owned());
        }
        let redirect_uri = said("redirect_uri");
        let mut back = Url::parse(&redirect_uri).map_err(|error| error.to_string())?;
        let person = person.to_owned();
        let code = self.codes.give(Given { person, nonce, challenge, redirect_uri });
        back.query_pairs_mut().append_pair("code", &code).append_pair("state", &state);
        Ok(back.to_string())
    }

    fn description(&self) -> Value {
        let url = &self.url;
        let issuer = match self.faults.take(&[Fault::OtherDescription]) {
            Some(_) => format!("{url}/other"),
            None => url.clone(),
        };
        json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{url}/authorize"),
            "token_endpoint": format!("{url}/token"),
            "jwks_uri": format!("{url}/keys"),
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "none"],
        })
    }

    /// Whether the client is ours: by its secret in the head, or by its name where it has none.
    fn is_client(&self, head: Option<&str>, form: &HashMap<String, String>) -> bool {
        let id = &self.options.client_id;
        match &self.options.client_secret {
            None => form.get("client_id") == Some(id),
            Some(secret) => {
                let sent = head.and_then(|head| head.strip_prefix("Basic "));
                let sent = sent.and_then(|sent| STANDARD.decode(sent).ok());
                sent == Some(format!("{id}:{secret}").into_bytes())
            }
        }
    }

    fn token(&self, head: Option<&str>, body: &[u8]) -> Answer {
        let form: HashMap<String, String> = parse(body).into_owned().collect();
        let refused = |status, error: &str| Answer::json(status, &json!({ "error": error }));
        if !self.is_client(head, &form) {
            return refused(401, "invalid_client");
        }
        let said = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
        if said("grant_type") != "authorization_code" {
            return refused(400, "unsupported_grant_type");
        }
        let given = self.codes.redeem(said("code"), said("redirect_uri"), said("code_verifier"));
        let Some(given) = given else { return refused(400, "invalid_grant") };
        match self.id_token(&given) {
            Ok(token) => Answer::json(
                200,
                &json!({"access_token": "none", "token_type": "Bearer", "id_token": token}),
            ),
            Err(error) => refused(500, &error.to_string()),
        }
    }

    fn id_token(&self, given: &Given) -> io::Result<String> {
        let fault = self.faults.take(&[
            Fault::WrongNonce,
            Fault::OtherAudience,
            Fault::OtherIssuer,
            Fault::Expired,
            Fault::ForeignKey,
            Fault::Altered,
            Fault::Unsigned,
            Fault::PublicKeyAsSecret,
        ]);
        let now = (self.options.clock)();
        let mut claims = person::claims(&given.person);
        claims["iss"] = self.url.clone().into();
        claims["aud"] = self.options.client_id.clone().into();
        claims["nonce"] = given.nonce.clone().into();
        (claims["iat"], claims["exp"]) = (now.into(), (now + HOLDS).into());
        match fault {
            Some(Fault::WrongNonce) => claims["nonce"] = "another".into(),
            Some(Fault::OtherAudience) => claims["aud"] = json!(["another"]),
            Some(Fault::OtherIssuer) => claims["iss"] = "https://other.example".into(),
            Some(Fault::Expired) => {
                (claims["iat"], claims["exp"]) = ((now - 2 * HOLDS).into(), (now - HOLDS).into());
            }
            _ => {}
        }
        let signer = self.signer();
        match fault {
            Some(Fault::ForeignKey) => self.foreign.sign(&claims),
            Some(Fault::Unsigned) => Ok(signer.unsigned(&claims)),
            Some(Fault::PublicKeyAsSecret) => Ok(signer.with_public_key_as_secret(&claims)),
            Some(Fault::Altered) => {
                let signed = signer.sign(&claims)?;
                claims["sub"] = "sub-somebody-else".into();
                let other = signer.sign(&claims)?;
                let signature = signed.rsplit('.').next().unwrap_or_default();
                let message = other.rsplit_once('.').map(|(message, _)| message);
                Ok(format!("{}.{signature}", message.unwrap_or_default()))
            }
            _ => signer.sign(&claims),
        }
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

struct Answer {
    status: u16,
    media_type: &'static str,
    location: Option<String>,
    body: String,
}

impl Answer {
    fn json(status: u16, body: &Value) -> Self {
        let body = body.to_string();
        Self { status, media_type: "application/json", location: None, body }
    }

    fn page(status: u16, body: &str) -> Self {
        Self { status, media_type: "text/html", location: None, body: body.to_owned() }
    }
}

async fn respond(
    state: &State,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, io::Error> {
    let (path, query) = {
        let uri = request.uri();
        (uri.path().to_owned(), uri.query().unwrap_or_default().to_owned())
    };
    let head = request.headers().get(AUTHORIZATION).and_then(|head| head.to_str().ok());
    let (method, head) = (request.method().to_string(), head.map(str::to_owned));
    let body = Limited::new(request.into_body(), LONGEST_REQUEST).collect().await;
    let body = body.map_err(|_| io::Error::other("no body"))?.to_bytes();
    let answer = match (&*method, &*path) {
        ("GET", "/.well-known/openid-configuration") => Answer::json(200, &state.description()),
        ("GET", "/keys") => {
            state.key_requests.fetch_add(1, Ordering::Relaxed);
            Answer::json(200, &json!({ "keys": [state.signer().public()] }))
        }
        ("GET", "/authorize") => authorize(state, &query),
        ("POST", "/token") => {
            match state.faults.take(&[Fault::ServerError, Fault::Reset, Fault::Html]) {
                Some(Fault::Reset) => return Err(io::Error::other("no answer, as planned")),
                Some(Fault::Html) => Answer::page(200, "<html>simulated</html>"),
                Some(_) => Answer::page(500, "<html>simulated</html>"),
                None => state.token(head.as_deref(), &body),
            }
        }
        ("PUT", "/control/fault") => plan(state, &body),
        _ => Answer::json(404, &json!({"error": "there is nothing here"})),
    };
    let mut response = Response::new(Full::new(Bytes::from(answer.body)));
    *response.status_mut() = hyper::StatusCode::from_u16(answer.status).unwrap_or_default();
    let media_type = hyper::header::HeaderValue::from_static(answer.media_type);
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    if let Some(location) = answer.location.and_then(|location| location.parse().ok()) {
        response.headers_mut().insert(LOCATION, location);
    }
    Ok(response)
}

/// Sends the person that `person` or `login_hint` names back, or asks who it is.
fn authorize(state: &State, query: &str) -> Answer {
    let said: HashMap<String, String> = parse(query.as_bytes()).into_owned().collect();
    let Some(person) = said.get("person").or_else(|| said.get("login_hint")) else {
        let hidden = |(name, value): (&String, &String)| {
            format!("<input type=hidden name=\"{name}\" value=\"{}\">", plain(value))
        };
        let fields: String = said.iter().filter(|(name, _)| is_plain(name)).map(hidden).collect();
        let ask = "<label>Sign in as <input name=person value=\"ana@example.com\"></label>";
        return Answer::page(200, &format!("<form>{fields}{ask}<button>Sign in</button></form>"));
    };
    match state.authorize(&format!("{}/authorize?{query}", state.url), person) {
        Ok(back) => Answer { location: Some(back), ..Answer::page(302, "") },
        Err(reason) => Answer::json(400, &json!({ "error": reason })),
    }
}

fn is_plain(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

/// `text` as the value of an attribute.
fn plain(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

fn plan(state: &State, body: &[u8]) -> Answer {
    match serde_json::from_slice(body) {
        Ok(fault) => {
            state.faults.add(fault);
            Answer::json(200, &json!({}))
        }
        Err(error) => Answer::json(400, &json!({ "error": error.to_string() })),
    }
}
