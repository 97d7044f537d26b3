//! What every answer carries, and the one place where answers are logged.

use std::time::Instant;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    AUTHORIZATION, CACHE_CONTROL, HeaderMap, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, HttpRequest, web};
use racun_access::Caller;
use racun_kernel::Scope;
use racun_kernel::id::{EntityId, RequestId};
use tracing::Instrument as _;

use crate::deprecation::Successor;
use crate::error::ApiError;
use crate::limits::{self, Standing};
use crate::request::bearer_token;
use crate::services::Services;

/// Names a request, in both directions.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Characters that a caller's request id may hold.
const MAX_REQUEST_ID: usize = 255;

/// Runs the rest inside a span of the request's own, and dresses the answer.
pub(crate) async fn frame<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let id = request_id(&request);
    let no_store = request.headers().contains_key(AUTHORIZATION);
    let shared = request
        .app_data::<web::Data<Services>>()
        .map(|services| services.origins.answer(request.method(), request.headers()));
    // The gate says which route it is. The path stays out: it may hold a key.
    let span = tracing::info_span!(
        "request",
        method = %request.method(),
        route = tracing::field::Empty,
        request_id = id.to_str().unwrap_or_default(),
        status = tracing::field::Empty,
    );
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
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if no_store {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(answer)
}

/// The value of the header `name`, when it was sent once, and is short and visible.
pub(crate) fn caller_id<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a HeaderValue> {
    let mut sent = headers.get_all(name);
    let visible = |value: &&HeaderValue| {
        let bytes = value.as_bytes();
        (1..=MAX_REQUEST_ID).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic)
    };
    match (sent.next().filter(visible), sent.next()) {
        (Some(id), None) => Some(id),
        _ => None,
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

/// What changes something is told at `info`, what only reads at `debug`, so that a log says what
/// happened and not who looked. Refused requests are logged at `info` too, with the caller:
/// guessing passwords is seen, and support finds a request by its id.
fn log<B>(answer: &ServiceResponse<B>, milliseconds: u64) {
    let status = answer.status();
    let error = answer.response().error().and_then(|error| error.as_error::<ApiError>());
    let Some(error) = error else {
        if answer.request().method().is_safe() {
            tracing::debug!(milliseconds, "answered");
        } else {
            tracing::info!(milliseconds, "answered");
        }
        return;
    };
    let (code, detail) = (error.code(), error.detail().unwrap_or_default());
    if status.is_server_error() {
        tracing::error!(code, detail, milliseconds, "{error}");
        return;
    }
    let request = answer.request();
    let (entity, caller, key) = (entity(request), caller(request), key_hint(request));
    let address = limits::address_of(request);
    let status = status.as_u16();
    tracing::info!(status, code, entity, caller, key, address, detail, milliseconds, "{error}");
}

/// The entity that the request entered, or named; empty where it named none.
fn entity(request: &HttpRequest) -> String {
    let entered = request.extensions().get::<Scope>().map(Scope::entity);
    let named = || {
        let header = request.headers().get("x-entity-id").and_then(|value| value.to_str().ok());
        header.or_else(|| request.match_info().get("id"))?.parse::<EntityId>().ok()
    };
    entered.or_else(named).map(|id| id.to_string()).unwrap_or_default()
}

/// The caller's id; empty for an anonymous request.
fn caller(request: &HttpRequest) -> String {
    let caller = request.extensions().get::<Caller>().map(|caller| caller.principal().id());
    caller.unwrap_or_default()
}

/// The hint of the key that was sent; empty where none was. The key itself is in no log.
fn key_hint(request: &HttpRequest) -> String {
    let token = bearer_token(request.headers()).ok();
    token.and_then(racun_access::key_hint).unwrap_or_default()
}
