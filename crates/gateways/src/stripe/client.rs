//! Calls to Stripe's REST interface.

use racun_card_payments::ProcessorError;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client as HttpClient, Method};
use url::Url;

use super::answer;
use super::form::Form;
use super::options::StripeOptions;
use crate::caller;
use crate::egress::Guard;

/// An answer has some kilobytes.
const MAX_BODY_BYTES: usize = 2 * 1_024 * 1_024;
/// The version of the interface that is spoken, whatever the account's own one is.
const VERSION: &str = "2024-06-20";

/// A request.
#[derive(Debug)]
pub struct Call<'a> {
    method: Method,
    path: String,
    form: Form,
    key: Option<String>,
    account: Option<&'a str>,
    is_connect: bool,
}

impl<'a> Call<'a> {
    /// Asks for what is at `path`.
    pub fn get(path: impl Into<String>) -> Self {
        let (path, form) = (path.into(), Form::default());
        Self { method: Method::GET, path, form, key: None, account: None, is_connect: false }
    }

    /// Sends `form` to `path`.
    pub fn post(path: impl Into<String>, form: Form) -> Self {
        Self { method: Method::POST, form, ..Self::get(path) }
    }

    /// The same with a key, under which it has one effect.
    pub fn keyed(self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self }
    }

    /// The same on behalf of a connected account.
    pub fn on_behalf(self, account: Option<&'a str>) -> Self {
        Self { account, ..self }
    }

    /// The same at the other base, where accounts are connected.
    pub fn at_connect(self) -> Self {
        Self { is_connect: true, ..self }
    }
}

/// Who calls.
pub struct Client {
    http: HttpClient,
    guard: Guard,
    base: String,
    connect: String,
    authorization: HeaderValue,
}

impl Client {
    /// A client. No call is made yet.
    ///
    /// # Errors
    /// When there is no TLS, the URL is none, or the key has signs that no header has.
    pub fn new(options: &StripeOptions) -> Result<Self, String> {
        let guard = caller::guard(options.reach);
        let base = options.url.trim_end_matches('/').to_owned();
        let url = guard.read(&base).map_err(|refused| refused.to_string())?;
        let connect = match url.host_str() == Some(StripeOptions::HOST) {
            true => StripeOptions::CONNECT.to_owned(),
            false => base.clone(),
        };
        let mut authorization = HeaderValue::from_str(&format!("Bearer {}", options.secret_key))
            .map_err(|_| "the key has signs that no header has".to_owned())?;
        authorization.set_sensitive(true);
        let http = caller::client(&guard, options.patience)?;
        Ok(Self { http, guard, base, connect, authorization })
    }

    /// The base at which accounts are connected.
    pub fn connect(&self) -> &str {
        &self.connect
    }

    /// The body of a success.
    pub async fn ask(&self, call: Call<'_>) -> Result<Vec<u8>, ProcessorError> {
        match self.exchange(call).await? {
            (200 | 201, body) => Ok(body),
            (status, body) => Err(answer::failure(status, &body)),
        }
    }

    /// Status and body, whatever they are.
    pub async fn exchange(&self, call: Call<'_>) -> Result<(u16, Vec<u8>), ProcessorError> {
        let base = if call.is_connect { &self.connect } else { &self.base };
        let no_answer = |reason: &str| ProcessorError::NoAnswer(reason.to_owned());
        let url = Url::parse(&format!("{base}{}", call.path));
        let url = url.map_err(|_| no_answer("its address is none"))?;
        self.guard.check_reach(&url).map_err(|error| no_answer(&error.to_string()))?;
        let mut request = self
            .http
            .request(call.method.clone(), url)
            .header(ACCEPT, "application/json")
            .header(AUTHORIZATION, self.authorization.clone())
            .header("stripe-version", VERSION);
        for (name, value) in
            [("idempotency-key", call.key.as_deref()), ("stripe-account", call.account)]
        {
            if let Some(value) = value {
                let value = HeaderValue::from_str(value);
                request = request.header(name, value.map_err(|_| answer::missing(name))?);
            }
        }
        if call.method == Method::POST {
            request = request
                .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(call.form.encode());
        }
        let exchange = async {
            let answer = request.send().await?;
            let status = answer.status().as_u16();
            Ok::<_, reqwest::Error>((status, caller::whole(answer, MAX_BODY_BYTES).await?))
        };
        match exchange.await {
            Ok((status, Some(body))) => Ok((status, body)),
            Ok((_, None)) => Err(no_answer("its answer is longer than any of its kind")),
            Err(error) => {
                let error = error.without_url();
                tracing::warn!(%error, "the card processor cannot be asked");
                let is_late = error.is_timeout();
                let reason =
                    if is_late { "it did not answer in time" } else { "it cannot be reached" };
                Err(no_answer(reason))
            }
        }
    }
}
