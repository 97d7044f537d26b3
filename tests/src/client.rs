//! Requests and answers.

use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{Method, Url};
use serde_json::Value;

/// Until an answer must be there: longer than any answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sends requests to one server, as one caller.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    headers: Vec<(&'static str, String)>,
}

/// An answer: its body as text, so that the digits of numbers can be seen.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The header `content-type`.
    pub content_type: String,
    /// The header `x-request-id`.
    pub request_id: String,
    /// The header `etag`.
    pub etag: String,
    /// The body.
    pub text: String,
    headers: HeaderMap,
    asked: String,
}

/// `path` with query parameters, which are escaped.
///
/// # Panics
/// When `path` is none.
#[must_use]
pub fn with_query(path: &str, parameters: &[(&str, &str)]) -> String {
    let url = Url::parse_with_params(&format!("http://localhost{path}"), parameters);
    let url = url.unwrap_or_else(|error| panic!("{path}: {error}"));
    format!("{}?{}", url.path(), url.query().unwrap_or_default())
}

impl Client {
    /// A client of the server at `address`, not logged in yet.
    ///
    /// # Panics
    /// When no client can be made.
    #[must_use]
    pub fn new(address: &str) -> Self {
        // Built beside the server, reqwest wants to be told whose cryptography TLS is made of. An
        // error says that it was told already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().timeout(PATIENCE).build();
        let http = http.unwrap_or_else(|error| panic!("no HTTP client: {error}"));
        Self { http, base: format!("http://{address}"), headers: Vec::new() }
    }

    /// The same client with a header: `x-entity-id`.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.retain(|(present, _)| *present != name);
        self.headers.push((name, value.to_owned()));
        self
    }

    /// The same client at the server of `other`.
    #[must_use]
    pub fn at(self, other: &Self) -> Self {
        Self { base: other.base.clone(), ..self }
    }

    /// The same client with a token or key.
    #[must_use]
    pub fn bearer(self, token: &str) -> Self {
        self.with("authorization", &format!("Bearer {token}"))
    }

    /// Sends a request without a body, or with one as it is. Says nothing about its type: see
    /// [`Client::with`].
    ///
    /// # Errors
    /// When no whole answer comes.
    pub async fn try_send(
        &self,
        method: &str,
        path: &str,
        body: Option<String>,
    ) -> Result<Answer, reqwest::Error> {
        self.exchange(method, path, body.map(String::into_bytes)).await
    }

    async fn exchange(
        &self,
        method: &str,
        path: &str,
        body: Option<Vec<u8>>,
    ) -> Result<Answer, reqwest::Error> {
        let verb = Method::from_bytes(method.as_bytes()).unwrap_or_default();
        let mut request = self.http.request(verb, format!("{}{path}", self.base));
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        if let Some(body) = body {
            request = request.body(body);
        }
        let response = request.send().await?;
        let header = |name: &str| {
            let value = response.headers().get(name).and_then(|value| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        Ok(Answer {
            status: response.status().as_u16(),
            content_type: header("content-type"),
            request_id: header("x-request-id"),
            etag: header("etag"),
            asked: format!("{method} {path}"),
            headers: response.headers().clone(),
            text: response.text().await?,
        })
    }

    /// The bytes of the file that `GET` answers.
    ///
    /// # Panics
    /// When it answers none.
    pub async fn file(&self, path: &str) -> Vec<u8> {
        let request = self.http.get(format!("{}{path}", self.base));
        let headers = self.headers.iter();
        let request = headers.fold(request, |request, (name, value)| request.header(*name, value));
        let file = async { request.send().await?.error_for_status()?.bytes().await }.await;
        file.unwrap_or_else(|error| panic!("GET {path}: {error:?}")).to_vec()
    }

    /// Sends a request with a JSON body as it is written.
    ///
    /// # Errors
    /// When no whole answer comes.
    pub async fn try_json(
        &self,
        method: &str,
        path: &str,
        body: impl Into<String>,
    ) -> Result<Answer, reqwest::Error> {
        let client = self.clone().with("content-type", "application/json");
        client.try_send(method, path, Some(body.into())).await
    }

    /// The answer to a request with a JSON body as it is written.
    ///
    /// # Panics
    /// When no whole answer comes.
    pub async fn json(&self, method: &str, path: &str, body: impl Into<String>) -> Answer {
        let answer = self.try_json(method, path, body).await;
        answer.unwrap_or_else(|error| panic!("{method} {path}: {error:?}"))
    }

    /// The answer to a request, with a body as it is or none.
    ///
    /// # Panics
    /// When no whole answer comes.
    pub async fn send(&self, method: &str, path: &str, body: Option<String>) -> Answer {
        let answer = self.try_send(method, path, body).await;
        answer.unwrap_or_else(|error| panic!("{method} {path}: {error:?}"))
    }

    /// The answer to `GET`.
    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None).await
    }

    /// The answer to `DELETE`.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, None).await
    }

    /// The answer to `POST` with `body`.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.json("POST", path, body.to_string()).await
    }

    /// The answer to `PUT` with `body`.
    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        self.json("PUT", path, body.to_string()).await
    }

    /// The answer to a form of these parts, as browsers send it.
    ///
    /// # Panics
    /// When no whole answer comes.
    pub async fn upload(&self, path: &str, parts: &[(&str, &[u8])]) -> Answer {
        let mut body = Vec::new();
        for (name, content) in parts {
            let head = format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n");
            body.extend_from_slice(head.as_bytes());
            body.extend_from_slice(content);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(b"--b--\r\n");
        let client = self.clone().with("content-type", "multipart/form-data; boundary=b");
        let answer = client.exchange("POST", path, Some(body)).await;
        answer.unwrap_or_else(|error| panic!("POST {path}: {error:?}"))
    }

    /// The answer to `PATCH` with `body`.
    pub async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.json("PATCH", path, body.to_string()).await
    }

    /// What `POST` makes.
    ///
    /// # Panics
    /// When the answer is not 201.
    pub async fn create(&self, path: &str, body: &Value) -> Value {
        self.post(path, body).await.expect(201)
    }

    /// What `GET` answers.
    ///
    /// # Panics
    /// When the answer is not 200.
    pub async fn read(&self, path: &str) -> Value {
        self.get(path).await.expect(200)
    }

    /// The rows of the list at `path`, of all its pages; `path` has no query.
    ///
    /// # Panics
    /// When the list ends before its own total, or does not end.
    pub async fn all(&self, path: &str) -> Vec<Value> {
        let mut rows = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut parameters = vec![("limit", "100")];
            parameters.extend(cursor.as_deref().map(|cursor| ("next_cursor", cursor)));
            let page = self.read(&with_query(path, &parameters)).await;
            rows.extend(page["data"].as_array().into_iter().flatten().cloned());
            let total = page["pagination"]["total"].to_string();
            cursor = page["pagination"]["next_cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                assert_eq!(rows.len().to_string(), total, "{path}: rows and their total");
                return rows;
            }
        }
    }
}

impl Answer {
    /// The header `name`; empty when there is none.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default()
    }

    /// The body as JSON; null when there is none.
    ///
    /// # Panics
    /// When the body is no JSON.
    #[must_use]
    pub fn body(&self) -> Value {
        if self.text.is_empty() {
            return Value::Null;
        }
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// The body of an answer that has this status.
    ///
    /// # Panics
    /// When it has another.
    #[track_caller]
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}: {}", self.asked, self.text);
        self.body()
    }

    /// The body of an error: with this status, and with the code and message that every error has.
    ///
    /// # Panics
    /// When it is another answer.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) -> Value {
        let body = self.expect(status);
        assert_eq!(body["code"], code, "{}: {}", self.asked, self.text);
        let has_message = body["message"].as_str().is_some_and(|message| !message.is_empty());
        assert!(has_message, "{}: {}", self.asked, self.text);
        body
    }

    /// Checks that it is a 422 with an issue at `path`, whose steps are parted by dots.
    ///
    /// # Panics
    /// When it is another answer.
    #[track_caller]
    pub fn refused_at(&self, path: &str) {
        let body = self.refused(422, "unprocessable_entity");
        let issues = body["cause"]["issues"].as_array();
        let paths: Vec<String> = issues.into_iter().flatten().map(dotted).collect();
        assert!(paths.iter().any(|found| found == path), "{path} is not in {}", self.text);
    }

    /// The body's `cause.code`.
    #[must_use]
    pub fn cause(&self) -> String {
        self.body()["cause"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// The path of an issue, its steps parted by dots; checks that it has a message and a code.
#[track_caller]
fn dotted(issue: &Value) -> String {
    for field in ["message", "code"] {
        assert!(issue[field].as_str().is_some_and(|text| !text.is_empty()), "{issue}");
    }
    let steps = issue["path"].as_array().into_iter().flatten();
    let steps = steps.map(|step| step.as_str().map_or_else(|| step.to_string(), str::to_owned));
    steps.collect::<Vec<_>>().join(".")
}
