//! An OpenID provider: where it is (OpenID Connect Discovery 1.0), its keys, and its tokens.

mod keys;
mod ring_provider;
mod token;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use racun_access::{Claims, Grant, IdentityError, IdentityProvider, ProviderDescription};
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client as HttpClient, RequestBuilder};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use url::Url;
use url::form_urlencoded::{Serializer, byte_serialize};

use crate::caller;
use crate::egress::{Guard, Reach};
use keys::Keys;

/// Longer answers are none of a provider.
const MAX_BODY_BYTES: usize = 256 * 1_024;
/// How long what the provider says of itself is kept.
const DESCRIBED: Duration = Duration::from_secs(3_600);
/// Calls to the provider under way at once; further ones wait for their turn.
const CALLS_AT_ONCE: usize = 16;

/// How an OpenID provider is called.
#[derive(Clone)]
pub struct OpenIdOptions {
    /// What the operator says of it; the issuer is the base of its addresses, too.
    pub description: ProviderDescription,
    /// What the provider knows this server by; `None` for a client without a secret.
    pub client_secret: Option<String>,
    /// How far calls go.
    pub reach: Reach,
    /// Until a call has its answer.
    pub patience: Duration,
}

/// An OpenID provider.
pub struct OpenId {
    description: ProviderDescription,
    client_secret: Option<String>,
    http: HttpClient,
    guard: Guard,
    turns: Semaphore,
    described: Mutex<Option<(Instant, Arc<Described>)>>,
    keys: Keys,
}

/// What the provider says of itself.
struct Described {
    authorization_endpoint: Url,
    token_endpoint: Url,
    jwks_uri: Url,
    /// Whether it takes the client's secret in the head of a request.
    takes_basic: bool,
}

/// The document of a provider (Discovery, section 3).
#[derive(Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

impl OpenId {
    /// A provider that is called as `options` say. No call is made yet.
    ///
    /// # Errors
    /// When there is no TLS, or the issuer is no address that may be called: it has to be reached
    /// by TLS, unless it is on this machine.
    pub fn new(options: OpenIdOptions) -> Result<Self, String> {
        let OpenIdOptions { description, client_secret, reach, patience } = options;
        ring_provider::install();
        let guard = caller::guard(reach);
        let provider = Self {
            client_secret,
            http: caller::client(&guard, patience)?,
            guard,
            turns: Semaphore::new(CALLS_AT_ONCE),
            described: Mutex::default(),
            keys: Keys::default(),
            description,
        };
        provider.address(&provider.description.issuer)?;
        Ok(provider)
    }

    /// The address `text` of the provider.
    fn address(&self, text: &str) -> Result<Url, String> {
        let url = self.guard.read(text).map_err(|refused| refused.to_string())?;
        let is_here = url.host_str().is_some_and(|host| {
            let host = host.trim_start_matches('[').trim_end_matches(']');
            let address = host.parse::<std::net::IpAddr>();
            host == "localhost" || address.is_ok_and(|address| address.is_loopback())
        });
        match url.scheme() == "https" || is_here {
            true => Ok(url),
            false => Err("an identity provider is reached by https".to_owned()),
        }
    }

    /// What the provider says of itself.
    async fn described(&self) -> Result<Arc<Described>, IdentityError> {
        if let Some((at, known)) = &*self.kept()
            && at.elapsed() < DESCRIBED
        {
            return Ok(Arc::clone(known));
        }
        let base = self.description.issuer.trim_end_matches('/');
        let url = self.address(&format!("{base}/.well-known/openid-configuration"));
        let (status, body) = self.get(url.map_err(silent)?).await?;
        let document: Option<Document> = serde_json::from_slice(&body).ok();
        let document = document.filter(|_| status == 200);
        let document = document.ok_or_else(|| silent("it does not describe itself"))?;
        if document.issuer != self.description.issuer {
            let message = "it says that it is another issuer; compare RACUN__OPENID__ISSUER";
            return Err(IdentityError::Mistrusted(message.to_owned()));
        }
        let methods = document.token_endpoint_auth_methods_supported;
        let is_basic = |method: &String| method == "client_secret_basic";
        let address = |text: &str| self.address(text).map_err(silent);
        let described = Arc::new(Described {
            authorization_endpoint: address(&document.authorization_endpoint)?,
            token_endpoint: address(&document.token_endpoint)?,
            jwks_uri: address(&document.jwks_uri)?,
            takes_basic: methods.is_none_or(|methods| methods.iter().any(is_basic)),
        });
        *self.kept() = Some((Instant::now(), Arc::clone(&described)));
        Ok(described)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Option<(Instant, Arc<Described>)>> {
        // No code that can panic runs under the lock.
        self.described.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn get(&self, url: Url) -> Result<(u16, Vec<u8>), IdentityError> {
        let request = self.http.get(url.clone());
        self.call(url, request).await
    }

    async fn call(
        &self,
        url: Url,
        request: RequestBuilder,
    ) -> Result<(u16, Vec<u8>), IdentityError> {
        if self.guard.check_reach(&url).is_err() {
            return Err(silent("this server calls no other machine"));
        }
        // It is never closed.
        let _turn = self.turns.acquire().await.map_err(silent)?;
        let exchange = async {
            let answer = request.header(ACCEPT, "application/json").send().await?;
            let status = answer.status().as_u16();
            Ok::<_, reqwest::Error>((status, caller::whole(answer, MAX_BODY_BYTES).await?))
        };
        match exchange.await {
            Ok((status, Some(body))) => Ok((status, body)),
            Ok((_, None)) => Err(silent("its answer is too long")),
            Err(error) => Err(silent(format!("it does not answer: {}", error.without_url()))),
        }
    }

    /// The id token that the provider gives for `grant` (OpenID Connect Core, section 3.1.3).
    async fn id_token(
        &self,
        described: &Described,
        grant: &Grant,
    ) -> Result<String, IdentityError> {
        let client_id = self.description.client_id.as_str();
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", &grant.code),
            ("redirect_uri", &grant.redirect_uri),
            ("code_verifier", &grant.verifier),
        ];
        let url = described.token_endpoint.clone();
        let mut request = self.http.post(url.clone());
        match &self.client_secret {
            // Both are encoded as in a form first (RFC 6749, section 2.3.1).
            Some(secret) if described.takes_basic => {
                let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
                request = request.basic_auth(encoded(client_id), Some(encoded(secret)));
            }
            Some(secret) => {
                form.extend([("client_id", client_id), ("client_secret", secret.as_str())]);
            }
            None => form.push(("client_id", client_id)),
        }
        let body = Serializer::new(String::new()).extend_pairs(form).finish();
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        let (status, body) = self.call(url, request.body(body)).await?;
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        match (status, body["id_token"].as_str(), body["error"].as_str()) {
            (200, Some(token), _) => Ok(token.to_owned()),
            (400 | 401, _, Some("invalid_grant")) => {
                let message = "it is not known, was used, is over, or is of another sign-in";
                Err(IdentityError::Refused(message.to_owned()))
            }
            (_, _, Some(error)) => {
                let known = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
                let error: String = error.chars().filter(known).take(60).collect();
                tracing::error!(error, "the identity provider refuses this server's requests");
                Err(silent(format!("it refuses this server's requests: {error}")))
            }
            (status, ..) => Err(silent(format!("it answered a code with status {status}"))),
        }
    }
}

fn silent(reason: impl ToString) -> IdentityError {
    IdentityError::Silent(reason.to_string())
}

#[async_trait]
impl IdentityProvider for OpenId {
    fn description(&self) -> &ProviderDescription {
        &self.description
    }

    async fn authorization_endpoint(&self) -> Result<String, IdentityError> {
        Ok(self.described().await?.authorization_endpoint.to_string())
    }

    async fn redeem(&self, grant: &Grant) -> Result<Claims, IdentityError> {
        let described = self.described().await?;
        let token = self.id_token(&described, grant).await?;
        let header = token::header(&token)?;
        let mut keys = self.keys.known();
        if !token::has_key(&header, &keys) && self.keys.may_fetch() {
            let (status, body) = self.get(described.jwks_uri.clone()).await?;
            if status != 200 {
                return Err(silent(format!("it answered its keys with status {status}")));
            }
            keys = self.keys.keep(&body);
        }
        token::claims(&token, &header, &keys)
    }
}
