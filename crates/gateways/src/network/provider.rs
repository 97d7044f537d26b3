//! Calls to the provider's REST interface.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use racun_einvoicing::network::{
    Capability, Dispatch, NetworkDocument, NetworkError, NoAnswer, Participant, Progress, Receipt,
    Sender, Standing, lookup,
};
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderValue};
use reqwest::{Client, Method, RequestBuilder};
use ring::digest;
use serde_json::{Value, json};
use url::Url;

use super::{answer, schemes};
use crate::caller;
use crate::egress::{Guard, Reach};

/// An answer has some kilobytes; evidence holds what was transmitted.
const MAX_BODY_BYTES: usize = 16 * 1_024 * 1_024;

/// How a provider is called.
#[derive(Clone)]
pub struct ProviderOptions {
    /// The base of its REST interface, version included.
    pub url: String,
    /// What it knows this server by.
    pub key: String,
    /// What it shows with its notices; `None` takes none.
    pub notice_secret: Option<String>,
    /// How far calls go.
    pub reach: Reach,
    /// Until the whole answer.
    pub patience: Duration,
}

impl ProviderOptions {
    /// The base of the provider's interface.
    pub const PROVIDER: &'static str = "https://api.storecove.com/api/v2";

    /// The provider at `url`, 20 seconds.
    #[must_use]
    pub fn new(url: &str, key: &str) -> Self {
        Self {
            url: url.to_owned(),
            key: key.to_owned(),
            notice_secret: None,
            reach: Reach::Everywhere,
            patience: Duration::from_secs(20),
        }
    }
}

impl fmt::Debug for ProviderOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderOptions").field("url", &self.url).finish_non_exhaustive()
    }
}

/// A provider.
pub struct Provider {
    http: Client,
    guard: Guard,
    base: String,
    authorization: HeaderValue,
    notice_secret: Option<digest::Digest>,
}

impl Provider {
    /// A client of the provider. No call is made yet.
    ///
    /// # Errors
    /// When there is no TLS, the URL is none, or the key has signs that no header has.
    pub fn new(options: &ProviderOptions) -> Result<Self, String> {
        let guard = caller::guard(options.reach);
        let base = options.url.trim_end_matches('/').to_owned();
        guard.read(&base).map_err(|refused| refused.to_string())?;
        let mut authorization = HeaderValue::from_str(&format!("Bearer {}", options.key))
            .map_err(|_| "the key has signs that no header has".to_owned())?;
        authorization.set_sensitive(true);
        let http = caller::client(&guard, options.patience)?;
        let notice_secret = options.notice_secret.as_deref().map(hashed);
        Ok(Self { http, guard, base, authorization, notice_secret })
    }

    /// Whether a notice with this `Authorization` is the provider's.
    pub fn is_authorized(&self, authorization: Option<&str>) -> bool {
        let shown = authorization.and_then(|text| text.strip_prefix("Bearer ")).map(hashed);
        // Digests are compared, so the time it takes says nothing of the secret.
        match (&self.notice_secret, shown) {
            (Some(own), Some(shown)) => own.as_ref() == shown.as_ref(),
            _ => false,
        }
    }

    /// Opens an account for the company, without an identifier: the provider's name for it.
    pub async fn open_account(&self, sender: &Sender) -> Result<String, NetworkError> {
        let body = json!({
            "party_name": sender.name,
            "line1": sender.address,
            "line2": sender.address_2,
            "zip": sender.post_code,
            "city": sender.city,
            "country": sender.country_code,
            "tenant_id": sender.entity_id.to_string(),
            "public": false,
        });
        let (status, answer) = self.call(Method::POST, "/legal_entities", Some(&body)).await?;
        if !matches!(status, 200 | 201) {
            return Err(unexpected(status, &answer));
        }
        answer::account(&answer).ok_or_else(nonsense)
    }

    /// Gives an account the identifier that its company sends as.
    pub async fn announce(
        &self,
        account: &str,
        own: &Participant,
    ) -> Result<Standing, NetworkError> {
        let path = format!("/legal_entities/{}/peppol_identifiers", segment(account));
        let body = json!({
            "superscheme": Participant::META_SCHEME,
            "scheme": schemes::name(own),
            "identifier": own.id(),
        });
        let (status, answer) = self.call(Method::POST, &path, Some(&body)).await?;
        match status {
            200 | 201 => self.standing(account).await,
            422 => {
                // An identifier is refused, too, when the account has it since a call whose answer
                // was lost.
                let of_account = format!("/legal_entities/{}", segment(account));
                let (found, known) = self.call(Method::GET, &of_account, None).await?;
                match found {
                    200 if answer::has_identifier(&known, own.id()) => {
                        answer::standing(&known).ok_or_else(nonsense)
                    }
                    200 | 404 => Ok(Standing::Rejected(answer::refusal(status, &answer))),
                    _ => Err(unexpected(found, &known)),
                }
            }
            _ => Err(unexpected(status, &answer)),
        }
    }

    /// How an account stands.
    pub async fn standing(&self, account: &str) -> Result<Standing, NetworkError> {
        let path = format!("/legal_entities/{}", segment(account));
        match self.call(Method::GET, &path, None).await? {
            (200, answer) => answer::standing(&answer).ok_or_else(nonsense),
            (404, _) => Ok(Standing::Rejected("the provider knows no such account".to_owned())),
            (status, answer) => Err(unexpected(status, &answer)),
        }
    }

    /// Whether `recipient` receives a `document`, as the provider finds out.
    pub async fn capability(
        &self,
        recipient: &Participant,
        document: NetworkDocument,
    ) -> Result<Capability, NetworkError> {
        let kind = match document {
            NetworkDocument::Invoice => "invoice",
            NetworkDocument::CreditNote => "creditnote",
        };
        let mut body = json!({
            "documentTypes": [kind],
            "network": "peppol",
            "metaScheme": Participant::META_SCHEME,
            "scheme": schemes::name(recipient),
            "identifier": recipient.id(),
        });
        let can_receive = self.discover("/discovery/receives", &body).await?;
        if can_receive {
            return Ok(Capability { is_registered: true, can_receive });
        }
        if let Some(object) = body.as_object_mut() {
            object.remove("documentTypes");
        }
        let is_registered = self.discover("/discovery/exists", &body).await?;
        Ok(Capability { is_registered, can_receive })
    }

    async fn discover(&self, path: &str, body: &Value) -> Result<bool, NetworkError> {
        match self.call(Method::POST, path, Some(body)).await? {
            (200, answer) => answer::discovered(&answer).ok_or_else(nonsense),
            (status, answer) => Err(unexpected(status, &answer)),
        }
    }

    /// Hands over a document, under its key.
    pub async fn send(&self, dispatch: &Dispatch) -> Result<Receipt, NetworkError> {
        let account = dispatch
            .account
            .parse::<u64>()
            .map_or_else(|_| Value::from(dispatch.account.as_str()), Value::from);
        let recipient = &dispatch.recipient;
        let body = json!({
            "legalEntityId": account,
            "idempotencyGuid": dispatch.key,
            "routing": {
                "eIdentifiers": [{ "scheme": schemes::name(recipient), "id": recipient.id() }],
            },
            "document": {
                "documentType": "invoice",
                "rawDocumentData": {
                    "document": STANDARD.encode(dispatch.xml.as_bytes()),
                    // As it was judged: the provider says what it is by these names alone.
                    "parse": false,
                    "documentTypeId": lookup::document_type(dispatch.document),
                    "processId": lookup::PROCESS,
                },
            },
        });
        let (status, answer) =
            self.call(Method::POST, "/document_submissions", Some(&body)).await?;
        answer::receipt(status, &answer).ok_or_else(|| silent(status))
    }

    /// What became of a document.
    pub async fn progress(&self, reference: &str) -> Result<Progress, NetworkError> {
        let path = format!("/document_submissions/{}/evidence", segment(reference));
        match self.call(Method::GET, &path, None).await? {
            (200, answer) => answer::evidence(&answer).ok_or_else(nonsense),
            // There is no evidence before the transmission is over.
            (404, _) => Ok(Progress::UnderWay),
            (status, _) => Err(silent(status)),
        }
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(u16, Vec<u8>), NetworkError> {
        let no_address = |_| NoAnswer::new("its address is none");
        let url = Url::parse(&format!("{}{path}", self.base)).map_err(no_address)?;
        self.guard.check_reach(&url).map_err(|error| NoAnswer::new(error.to_string()))?;
        let mut request: RequestBuilder = self
            .http
            .request(method, url)
            .header(ACCEPT, "application/json")
            .header(AUTHORIZATION, self.authorization.clone());
        if let Some(body) = body {
            request = request.json(body);
        }
        let exchange = async {
            let answer = request.send().await?;
            let status = answer.status().as_u16();
            Ok::<_, reqwest::Error>((status, caller::whole(answer, MAX_BODY_BYTES).await?))
        };
        match exchange.await {
            Ok((status, Some(body))) => Ok((status, body)),
            Ok((_, None)) => Err(NoAnswer::new("its answer is longer than any of its kind").into()),
            Err(error) => {
                let error = error.without_url();
                tracing::warn!(%error, "the provider of the network cannot be asked");
                let reason = match error.is_timeout() {
                    true => "it did not answer in time",
                    false => "it cannot be reached",
                };
                Err(NoAnswer::new(reason).into())
            }
        }
    }
}

fn hashed(secret: &str) -> digest::Digest {
    digest::digest(&digest::SHA256, secret.as_bytes())
}

/// A name as one segment of a path; what is no name of the provider's finds nothing.
fn segment(name: &str) -> String {
    name.chars().filter(|sign| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_')).collect()
}

fn nonsense() -> NetworkError {
    NoAnswer::new("what it answered is no answer").into()
}

fn silent(status: u16) -> NetworkError {
    NoAnswer::new(format!("it answered {status}")).into()
}

/// What an unexpected status says: that the request is wrong, or nothing.
fn unexpected(status: u16, body: &[u8]) -> NetworkError {
    match status {
        400 | 404 | 409 | 422 => NetworkError::Refused(answer::refusal(status, body)),
        _ => silent(status),
    }
}
