//! What every answer carries, and the one place where answers are logged.

use std::time::Instant;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderValue, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, HttpRequest, web};
use racun_access::Caller;
use racun_application::Services;
use racun_kernel::Scope;
use racun_kernel::id::{EntityId, RequestId};
use tracing::Instrument as _;

use crate::cors::Origins;
use crate::deprecation::Successor;
use crate::error::ApiError;
use crate::header::{X_REQUEST_ID, bearer_token, caller_id};
use crate::idempotency::ReplayedRefusal;
use crate::limits::{self, Standing};
use crate::request_log::RequestName;
use crate::security::{self, Line};

/// What a page may do whose handler sets no policy: there is none, so nothing.
const POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// For how long browsers shall come by TLS alone, as `Strict-Transport-Security` says it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hsts {
    pub seconds: u32,
}

/// Runs the rest inside a span of the request's own, and dresses the answer.
pub(crate) async fn frame<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let id = request_id(&request);
    let no_store = request.headers().contains_key(AUTHORIZATION);
    let hsts = request.app_data::<Hsts>().map(|hsts| hsts.seconds);
    let shared = request
        .app_data::<web::Data<Origins>>()
        .map(|origins| origins.answer(request.method(), request.headers()));
    // The gate says which route it is. The path stays out: it may hold a key.
    let span = tracing::info_span!(
        "request",
        method = %request.method(),
        route = tracing::field::Empty,
        request_id = id.to_str().unwrap_or_default(),
        status = tracing::field::Empty,
    );
    request.extensions_mut().insert(RequestName(id.clone()));
    let started = Instant::now();
    let mut answer = next.call(request).instrument(span.clone()).await?;
    span.record("status", answer.status().as_u16());
    let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    span.in_scope(|| log(&answer, milliseconds));
    let standing = answer.request().extensions().get::<Standing>().copied();
    let successor = answer.request().extensions().get::<Successor>().copied();
    let headers = answer.headers_mut();
    if let Some(standing) = standing {
        standing.write(headers);
    }
    if let Some(successor) = successor {
        successor.write(headers);
    }
    if let Some(shared) = shared {
        shared.write(headers);
    }
    headers.insert(X_REQUEST_ID, id);
    guard(headers, no_store, hsts);
    Ok(answer)
}

/// The headers for browsers and caches on every answer. Nothing is stored unless the handler says
/// otherwise, as those of the description do: so no route that shows a secret can forget it.
fn guard(headers: &mut HeaderMap, is_personal: bool, hsts: Option<u32>) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if is_personal || !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    for (name, value) in [(CONTENT_SECURITY_POLICY, POLICY), (REFERRER_POLICY, "no-referrer")] {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    if let Some(value) =
        hsts.and_then(|seconds| HeaderValue::try_from(format!("max-age={seconds}")).ok())
    {
        headers.insert(STRICT_TRANSPORT_SECURITY, value);
    }
}

/// The id that the caller sent, when it can be used; a fresh one otherwise.
fn request_id(request: &ServiceRequest) -> HeaderValue {
    if let Some(id) = caller_id(request.headers(), &X_REQUEST_ID) {
        return id.clone();
    }
    let fresh = request.app_data::<web::Data<Services>>().map(|services| {
        let id: RequestId = services.stamp().id();
        id.to_string()
    });
    HeaderValue::try_from(fresh.unwrap_or_default())
        .unwrap_or_else(|_| HeaderValue::from_static(""))
}

/// Logs requests that change something at `info` and those that only read at `debug`, so that a log
/// says what happened and not who looked. Refused requests are logged at `info` too, with the
/// caller, and so are security events: guessing passwords is seen, and support finds a request by
/// its id.
fn log<B>(answer: &ServiceResponse<B>, milliseconds: u64) {
    let (request, status) = (answer.request(), answer.status());
    let error = answer.response().error().and_then(|error| error.as_error::<ApiError>());
    let detail = error.and_then(ApiError::detail);
    if let Some(error) = error.filter(|_| status.is_server_error()) {
        let (code, detail) = (error.code(), detail.unwrap_or_default());
        tracing::error!(code, detail, milliseconds, "{error}");
        return;
    }
    let event = error.and_then(ApiError::event).or_else(|| security::noted(request));
    // Of a refusal that was kept under a key only the text is left.
    let extensions = answer.response().extensions();
    let kept = extensions.get::<ReplayedRefusal>();
    let refused = error
        .map(|error| (error.reason().unwrap_or(error.code()), error.to_string()))
        .or_else(|| kept.map(|kept| (kept.code.as_str(), kept.message.clone())));
    if refused.is_none() && event.is_none() {
        if request.method().is_safe() {
            tracing::debug!(milliseconds, "answered");
        } else {
            tracing::info!(milliseconds, "answered");
        }
        return;
    }
    let about = event.and_then(|event| security::subject(request, event));
    security::write(&Line {
        event,
        status: status.as_u16(),
        code: refused.as_ref().map(|(code, _)| *code),
        entity: entity(request).as_deref(),
        caller: caller(request).as_deref(),
        user: security::noted_person(request).as_deref(),
        key: key_hint(request).as_deref(),
        about: about.as_deref(),
        address: &limits::address_of(request),
        detail,
        milliseconds: Some(milliseconds),
        message: refused.as_ref().map_or("answered", |(_, message)| message),
        ..Line::default()
    });
}

/// The entity that the request entered, or named.
fn entity(request: &HttpRequest) -> Option<String> {
    let entered = request.extensions().get::<Scope>().map(Scope::entity);
    let named = || {
        let header = request.headers().get("x-entity-id").and_then(|value| value.to_str().ok());
        header.or_else(|| request.match_info().get("id"))?.parse::<EntityId>().ok()
    };
    entered.or_else(named).map(|id| id.to_string())
}

/// The caller's id; `None` for an anonymous request.
fn caller(request: &HttpRequest) -> Option<String> {
    request.extensions().get::<Caller>().map(|caller| caller.principal().id())
}

/// The hint of the key that was sent. The key itself is in no log.
fn key_hint(request: &HttpRequest) -> Option<String> {
    bearer_token(request.headers()).ok().and_then(racun_access::key_hint)
}
