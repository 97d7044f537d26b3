//! Who plays a demo over HTTP, and what is printed of each answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use reqwest::{Client, Method, Response, StatusCode};
use serde_json::Value;

use crate::print;

/// An answer that takes longer is none.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long what the server does by itself is waited for, and how often it is looked for.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(500);

/// Who sends the requests, and as whom. A clone is another device of the same shop.
#[derive(Clone)]
pub(super) struct Player {
    client: Client,
    base: String,
    pub(super) token: Option<String>,
    pub(super) entity: Option<String>,
    steps: Arc<AtomicU32>,
}

impl Player {
    pub(super) fn new(base: &str) -> anyhow::Result<Self> {
        // The server is this machine's or the caller's own: no proxy is asked.
        let tls = racun_gateways::tls_client()?;
        let client = Client::builder().tls_backend_preconfigured(tls);
        let client = client.no_proxy().timeout(PATIENCE).build()?;
        let base = base.trim_end_matches('/').to_owned();
        Ok(Self { client, base, token: None, entity: None, steps: Arc::default() })
    }

    /// Another device, which shows `token`.
    pub(super) fn with(&self, token: String) -> Self {
        Self { token: Some(token), ..self.clone() }
    }

    /// Requests so far, of all devices.
    pub(super) fn steps(&self) -> u32 {
        self.steps.load(Ordering::Relaxed)
    }

    pub(super) async fn post(
        &self,
        what: &'static str,
        path: &str,
        body: Value,
    ) -> anyhow::Result<StepResult> {
        self.send(what, Method::POST, path, Some(body)).await
    }

    /// Sends a request that must succeed.
    pub(super) async fn send(
        &self,
        what: &'static str,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<StepResult> {
        let answer = self.ask(what, method.clone(), path, body).await?;
        if !answer.status.is_success() {
            bail!("{what}: {method} {path} answered {}: {}", answer.status, answer.body);
        }
        Ok(answer)
    }

    /// Reads `path` until what is there `is_done`, which fails what will never be.
    pub(super) async fn read_until(
        &self,
        what: &'static str,
        path: &str,
        is_done: impl Fn(&Value) -> anyhow::Result<bool>,
    ) -> anyhow::Result<StepResult> {
        let started = Instant::now();
        loop {
            let read = self.send(what, Method::GET, path, None).await?;
            if is_done(&read.body)? {
                return Ok(read);
            }
            ensure!(started.elapsed() < LONGEST_WAIT, "{what}: it is not done: {}", read.body);
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// The file at `path`.
    pub(super) async fn file(&self, what: &'static str, path: &str) -> anyhow::Result<Vec<u8>> {
        self.download(what, Method::GET, path, None).await
    }

    /// The file that a request is answered.
    pub(super) async fn download(
        &self,
        what: &'static str,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<Vec<u8>> {
        let (answer, took) = self.exchange(what, method, path, body).await?;
        let status = answer.status();
        let bytes = answer.bytes().await.with_context(|| format!("{what}: {path} broke off"))?;
        if !status.is_success() {
            bail!("{what}: {path} answered {status}: {}", String::from_utf8_lossy(&bytes));
        }
        took.answer(what, status, Value::Null).print(&format!("{} bytes", bytes.len()));
        Ok(bytes.to_vec())
    }

    /// Sends a request that may be refused.
    pub(super) async fn ask(
        &self,
        what: &'static str,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<StepResult> {
        let (answer, took) = self.exchange(what, method.clone(), path, body).await?;
        let status = answer.status();
        let text = answer.text().await;
        let text = text.with_context(|| format!("{what}: {method} {path} broke off"))?;
        let body = match text.as_str() {
            "" => Value::Null,
            text => serde_json::from_str(text)
                .with_context(|| format!("{what}: {method} {path} answered no JSON: {text}"))?,
        };
        Ok(took.answer(what, status, body))
    }

    /// Sends a request, and reads the head of its answer.
    async fn exchange(
        &self,
        what: &'static str,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<(Response, Taken)> {
        let step = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        let url = format!("{}{path}", self.base);
        let mut request = self.client.request(method.clone(), url);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(entity) = &self.entity {
            request = request.header("x-entity-id", entity);
        }
        if let Some(body) = &body {
            request = request.json(body);
        }
        let started = Instant::now();
        let answer = request.send().await;
        let answer = answer.with_context(|| format!("{what}: {method} {path} got no answer"))?;
        Ok((answer, Taken { step, started }))
    }
}

/// A step that was begun.
struct Taken {
    step: u32,
    started: Instant,
}

impl Taken {
    /// What it was answered, now that the answer is here.
    fn answer(self, what: &'static str, status: StatusCode, body: Value) -> StepResult {
        let millis = self.started.elapsed().as_millis();
        StepResult { step: self.step, what, status, millis, body }
    }
}

/// What a step was answered.
pub(super) struct StepResult {
    step: u32,
    what: &'static str,
    pub(super) status: StatusCode,
    millis: u128,
    pub(super) body: Value,
}

impl StepResult {
    /// A text field, which a later step needs.
    pub(super) fn text(&self, field: &str) -> anyhow::Result<String> {
        let text = self.body.get(field).and_then(Value::as_str).map(str::to_owned);
        text.with_context(|| format!("{}: the answer has no {field}: {}", self.what, self.body))
    }

    /// Prints the step's line with the named fields.
    pub(super) fn show(&self, fields: &[&str]) {
        let shown = fields.iter().filter_map(|field| Some((*field, self.body.get(field)?)));
        let shown: Vec<_> =
            shown.map(|(field, value)| format!("{field} {}", plain(value))).collect();
        self.print(&shown.join(", "));
    }

    /// Prints the step's line with the list's total and one field of each row.
    pub(super) fn show_list(&self, field: &str) -> anyhow::Result<()> {
        let rows = self.body.get("data").and_then(Value::as_array);
        let rows = rows.with_context(|| format!("{}: no data in {}", self.what, self.body))?;
        let named: Vec<_> = rows.iter().filter_map(|row| row.get(field)).map(plain).collect();
        self.print(&format!(
            "{} of {}",
            named.join(", "),
            plain(&self.body["pagination"]["total"])
        ));
        Ok(())
    }

    /// Prints the step's line with `details`.
    pub(super) fn print(&self, details: &str) {
        let Self { step, what, status, millis, .. } = self;
        print::line(format_args!(
            "{step:>2}. {what:<20} {:>3} {millis:>5} ms  {details}",
            status.as_u16()
        ));
    }
}

/// A value without JSON's quotes.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
