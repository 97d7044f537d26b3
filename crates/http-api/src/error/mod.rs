//! What a refused or failed request is answered with, and the one catalogue of statuses and codes.
//!
//! Every error of another crate becomes an [`ApiError`] in a file beside this one, by a match
//! without `_`: a new variant does not compile until someone chose its status and its code.

mod access;
mod billing;
mod cards;
mod catalog;
pub mod codes;
mod consequences;
mod documents;
mod e_invoice;
mod exports;
mod files;
mod fiscal;
mod following;
mod lookups;
mod mail;
mod naming;
mod network;
mod own_code;
mod portugal;
mod printing;
mod recurring;
mod reports;
mod settlement;
mod shop;
mod store;
mod webhooks;

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use racun_kernel::{Issue, Issues};
use serde_json::{Map, Value as Json, json};

use crate::security::SecurityEvent;
use crate::warning::step;

pub use own_code::OwnCode;

/// The kinds of answers that are not a success: each has one status and one code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The request cannot be read.
    BadRequest,
    /// The caller is not authenticated.
    Unauthorized,
    /// Who makes it may not.
    Forbidden,
    /// There is no such path, or no such row in reach.
    NotFound,
    /// The path exists, but not with this method.
    MethodNotAllowed,
    /// The body did not arrive in time.
    RequestTimeout,
    /// Something else holds what is asked for.
    Conflict,
    /// The body is longer than is read.
    PayloadTooLarge,
    /// The head of the request is longer than is read.
    HeadTooLarge,
    /// The body is not JSON.
    UnsupportedMediaType,
    /// The request was read, and something in it is wrong.
    Unprocessable,
    /// What is asked for is locked for a time.
    Locked,
    /// Too many requests came in this minute.
    TooManyRequests,
    /// The service failed.
    Internal,
    /// The service cannot answer now.
    Unavailable,
}

impl Kind {
    /// All of them, in the order of their statuses.
    pub const ALL: [Self; 15] = [
        Self::BadRequest,
        Self::Unauthorized,
        Self::Forbidden,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::RequestTimeout,
        Self::Conflict,
        Self::PayloadTooLarge,
        Self::UnsupportedMediaType,
        Self::Unprocessable,
        Self::Locked,
        Self::TooManyRequests,
        Self::HeadTooLarge,
        Self::Internal,
        Self::Unavailable,
    ];

    /// The status of the answer.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::BadRequest => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::Conflict => StatusCode::CONFLICT,
            Self::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Unprocessable => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Locked => StatusCode::LOCKED,
            Self::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
            Self::HeadTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The `code` of the body.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::BadRequest => "bad_request",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::RequestTimeout => "request_timeout",
            Self::Conflict => "conflict",
            Self::PayloadTooLarge => "payload_too_large",
            Self::UnsupportedMediaType => "unsupported_media_type",
            Self::Unprocessable => "unprocessable_entity",
            Self::Locked => "pin_locked",
            Self::TooManyRequests => "rate_limit_exceeded",
            Self::HeadTooLarge => "head_too_large",
            Self::Internal => "internal_server_error",
            Self::Unavailable => "service_unavailable",
        }
    }

    /// Whether errors of this kind say nothing of the request, and everything of the moment.
    #[must_use]
    pub const fn asks_again(self) -> bool {
        match self {
            Self::RequestTimeout | Self::TooManyRequests | Self::Internal | Self::Unavailable => {
                true
            }
            Self::BadRequest
            | Self::Unauthorized
            | Self::Forbidden
            | Self::NotFound
            | Self::MethodNotAllowed
            | Self::Conflict
            | Self::PayloadTooLarge
            | Self::HeadTooLarge
            | Self::UnsupportedMediaType
            | Self::Unprocessable
            | Self::Locked => false,
        }
    }
}

/// An answer that is not a success: `{code, message, cause?}` and what some codes carry beside.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiError {
    kind: Kind,
    /// In the place of the kind's own code.
    code: Option<OwnCode>,
    message: String,
    /// Apart, as most functions here answer an error and few errors say so much.
    more: Box<More>,
    retry_after: Option<u32>,
    /// For the log only.
    detail: Option<String>,
    /// The security event that it is.
    event: Option<SecurityEvent>,
}

/// What some errors say beside code and message.
#[derive(Debug, Clone, Default, PartialEq)]
struct More {
    /// What `cause` holds beside the issues.
    cause: Map<String, Json>,
    issues: Issues,
    /// What stands beside `cause`.
    extra: Map<String, Json>,
}

impl ApiError {
    /// An error of `kind`; `message` is for the API's reader.
    #[must_use]
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            code: None,
            message: message.into(),
            more: Box::default(),
            retry_after: None,
            detail: None,
            event: None,
        }
    }

    /// The same error with a `code` of its own in the place of its kind's.
    #[must_use]
    pub const fn coded(mut self, code: OwnCode) -> Self {
        self.code = Some(code);
        self
    }

    /// The same error with `cause.code`, the specific reason, beside what `cause` holds already.
    #[must_use]
    pub fn caused_by(mut self, code: &'static str) -> Self {
        self.more.cause.insert("code".to_owned(), code.into());
        self
    }

    /// The same error with `cause`, an object with a `code`, beside the issues.
    #[must_use]
    pub fn because(mut self, cause: Json) -> Self {
        if let Json::Object(cause) = cause {
            self.more.cause.extend(cause);
        }
        self
    }

    /// The same error with `value` under `key` beside `code` and `message`.
    #[must_use]
    pub fn carrying(mut self, key: &str, value: Json) -> Self {
        self.more.extra.insert(key.to_owned(), value);
        self
    }

    /// The same error with the advice to come back after `seconds`.
    #[must_use]
    pub const fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Adds what of `further` is about other places, up to `most` issues in all.
    pub(crate) fn add_issues(&mut self, further: &Issues, most: usize) {
        let before = self.more.issues.len();
        let mut all = self.more.issues.clone();
        all.extend_elsewhere(further);
        let all = consequences::left_out_of(all);
        all.iter().skip(before).take(most.saturating_sub(before)).for_each(|issue| {
            self.more.issues.push(issue.clone());
        });
        if self.more.issues.len() > before {
            self.message = self.more.issues.to_string();
        }
    }

    /// The same error with details for the log only.
    #[must_use]
    pub fn detailed(mut self, detail: impl fmt::Display) -> Self {
        self.detail = Some(detail.to_string());
        self
    }

    /// The same error as a security event.
    #[must_use]
    pub const fn seen_as(mut self, event: SecurityEvent) -> Self {
        self.event = Some(event);
        self
    }

    /// The security event that it is.
    #[must_use]
    pub const fn event(&self) -> Option<SecurityEvent> {
        self.event
    }

    /// The request cannot be read.
    #[must_use]
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(Kind::BadRequest, message)
    }

    /// There is no `id` in reach: of another tenant, of another kind, or nowhere.
    #[must_use]
    pub fn not_found(id: &str) -> Self {
        // A key may stand where an id belongs; what is answered does not repeat more than an id.
        let shown: String = id.chars().take(64).collect();
        let message = match naming::kind_of(id) {
            Some(kind) => format!("there is no {kind} {shown} here"),
            None => format!("there is no {shown} here"),
        };
        Self::new(Kind::NotFound, message)
    }

    /// There is no record of the kind `wanted` with `id`, which does not read like one. What was
    /// sent is not repeated: a key may stand where an id belongs.
    #[must_use]
    pub fn no_such(wanted: &str, id: &str) -> Self {
        let wanted = naming::words(wanted);
        let other = naming::kind_of(id).filter(|kind| *kind != wanted);
        let message = match other {
            Some(kind) => format!(
                "there is no {wanted} with this id; it reads like the id of {}",
                naming::a(&kind)
            ),
            None => format!("there is no {wanted} with this id here"),
        };
        Self::new(Kind::NotFound, message)
    }

    /// The service failed; `detail` is for the log.
    #[must_use]
    pub fn internal(detail: impl fmt::Display) -> Self {
        let message = "something failed on our side; quote the X-Request-Id header when you ask";
        Self::new(Kind::Internal, message).detailed(detail)
    }

    /// The service cannot answer now; `detail` is for the log.
    #[must_use]
    pub fn unavailable(detail: impl fmt::Display) -> Self {
        let message = "the service cannot answer now; send the same request again";
        Self::new(Kind::Unavailable, message).detailed(detail).retry_after(1)
    }

    /// What kind of error this is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether the request is to be sent again: then the answer is not one to give again.
    #[must_use]
    pub fn asks_again(&self) -> bool {
        let is_for_now = self.reason().is_some_and(codes::is_for_now);
        is_for_now || self.retry_after.is_some() || self.kind.asks_again()
    }

    /// What is wrong with which field.
    #[must_use]
    pub const fn issues(&self) -> &Issues {
        &self.more.issues
    }

    /// The most specific code of the refusal: its own, that of its reason, or that of its first
    /// issue. `None` where the kind says all there is to say.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        let own = self.code.map(OwnCode::name);
        let told = || self.more.cause.get("code").and_then(Json::as_str);
        let first = || self.more.issues.iter().next().map(|issue| issue.code);
        own.or_else(told).or_else(first)
    }

    /// The `code` of the answer's body.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code.map_or(self.kind.code(), OwnCode::name)
    }

    /// The details that the log receives beside the message.
    #[must_use]
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }

    /// The answer's body.
    #[must_use]
    pub fn body(&self) -> Json {
        self.check_codes();
        let mut body = self.more.extra.clone();
        body.insert("code".to_owned(), self.code().into());
        body.insert("message".to_owned(), self.message.as_str().into());
        if let Some(cause) = self.cause() {
            body.insert("cause".to_owned(), cause.into());
        }
        Json::Object(body)
    }

    /// Fails in tests and debug builds where a code is answered that the catalogue does not have
    /// for that place.
    fn check_codes(&self) {
        if let Some(code) = self.reason() {
            let is_known = codes::of_causes().any(|known| known.name == code);
            debug_assert!(is_known, "`{code}` of causes is missing in `error::codes`");
        }
        for issue in self.more.issues.iter() {
            let is_known = codes::of_issues().any(|known| known.name == issue.code);
            debug_assert!(is_known, "`{}` of issues is missing in `error::codes`", issue.code);
        }
    }

    /// The answer's `cause`: always with the code of the reason, where there is a reason.
    fn cause(&self) -> Option<Map<String, Json>> {
        let mut cause = self.more.cause.clone();
        cause.insert("code".to_owned(), self.reason()?.into());
        if !self.more.issues.is_empty() {
            cause.insert("issues".to_owned(), self.more.issues.iter().map(issue_body).collect());
        }
        Some(cause)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ApiError {}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.kind.status()
    }

    fn error_response(&self) -> HttpResponse {
        let mut answer = HttpResponse::build(self.kind.status());
        if let Some(seconds) = self.retry_after {
            answer.insert_header((RETRY_AFTER, seconds));
        }
        if self.kind == Kind::Unauthorized {
            answer.insert_header((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
        }
        if matches!(self.kind, Kind::RequestTimeout | Kind::PayloadTooLarge) {
            // The rest of the body was not read, so the connection cannot carry another request.
            answer.force_close();
        }
        answer.json(self.body())
    }
}

impl From<Issues> for ApiError {
    fn from(issues: Issues) -> Self {
        let issues = consequences::left_out_of(issues);
        let message = issues.to_string();
        let more = Box::new(More { issues, ..More::default() });
        Self { more, ..Self::new(Kind::Unprocessable, message) }
    }
}

impl From<Issue> for ApiError {
    fn from(issue: Issue) -> Self {
        Issues::from(issue).into()
    }
}

fn issue_body(issue: &Issue) -> Json {
    let path: Vec<Json> = issue.path.iter().map(step).collect();
    json!({ "path": path, "message": issue.message, "code": issue.code })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_kind_is_a_refusal_with_a_status_and_a_code_of_its_own() {
        let codes: BTreeSet<_> = Kind::ALL.iter().map(|kind| kind.code()).collect();
        let statuses: BTreeSet<_> = Kind::ALL.iter().map(|kind| kind.status().as_u16()).collect();
        assert_eq!((codes.len(), statuses.len()), (Kind::ALL.len(), Kind::ALL.len()));
        assert!(statuses.iter().all(|status| (400..600).contains(status)));
    }

    #[test]
    fn a_body_holds_what_is_known_and_nothing_for_the_log() {
        let error = ApiError::new(Kind::Conflict, "taken").detailed("secret");
        assert_eq!(error.body(), json!({"code": "conflict", "message": "taken"}));
        let error = error.caused_by("duplicate").carrying("tab", json!({"version": 2}));
        let expected = json!({
            "code": "conflict",
            "message": "taken",
            "cause": {"code": "duplicate"},
            "tab": {"version": 2},
        });
        assert_eq!(error.body(), expected);
        let named = ApiError::new(Kind::Conflict, "claimed").coded(OwnCode::AlreadyClaimed);
        let expected = json!({
            "code": "already_claimed",
            "message": "claimed",
            "cause": {"code": "already_claimed"},
        });
        assert_eq!((named.kind(), named.body()), (Kind::Conflict, expected));
    }
}
