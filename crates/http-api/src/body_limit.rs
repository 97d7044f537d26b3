//! How many bytes the body of a route may hold.
//!
//! Each route has one limit, which its declaration says or its gate implies. A longer body is
//! refused before it is read when it says its length, and otherwise as soon as it is longer.

use actix_web::dev::ServiceRequest;
use actix_web::http::header::{CONTENT_LENGTH, HeaderMap};
use actix_web::{HttpMessage as _, HttpRequest};
use racun_documents::Document;
use serde_json::json;

use crate::error::{ApiError, Kind};
use crate::route::{Gate, Route};

/// What an anonymous caller may send: an address, a password, a name.
pub const ANONYMOUS: usize = 16 * 1024;
/// What a route takes that says nothing else.
pub const PLAIN: usize = 64 * 1024;
/// A record of the catalogue with its notes, translations and metadata; a mail.
pub const RECORD: usize = 256 * 1024;
/// What the card processor tells: of a page with all that it knows of the customer.
pub const PROCESSOR_EVENT: usize = 512 * 1024;
/// A document, or what has as many lines. What is stored of a document has half of it: JSON may
/// escape each letter.
pub const DOCUMENT: usize = 2 * Document::MAX_BYTES;
/// A form that says nothing else.
pub const FORM: usize = 1024 * 1024;

impl Route {
    /// Bytes that a body of the route may hold.
    #[must_use]
    pub const fn body_bytes(&self) -> usize {
        match (self.most_bytes, self.gate) {
            (Some(bytes), _) => bytes,
            (None, Gate::Open) => ANONYMOUS,
            (None, _) if self.takes_form => FORM,
            (None, _) => PLAIN,
        }
    }
}

/// The limit of the request's route.
#[derive(Clone, Copy)]
struct BodyLimit(usize);

/// Refuses a body that says it is longer than `route` takes; leaves the limit for who reads it.
///
/// # Errors
/// 413.
pub(crate) fn check_length(route: &Route, request: &ServiceRequest) -> Result<(), ApiError> {
    let most = route.body_bytes();
    request.extensions_mut().insert(BodyLimit(most));
    match length(request.headers()) {
        Some(length) if usize::try_from(length).map_or(true, |length| length > most) => {
            Err(too_large(most))
        }
        _ => Ok(()),
    }
}

/// The length that a body says it has.
pub(crate) fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Bytes that the body of `request` may hold.
pub(crate) fn of(request: &HttpRequest) -> usize {
    request.extensions().get::<BodyLimit>().map_or(ANONYMOUS, |limit| limit.0)
}

/// What is answered to a body that holds more than `most` bytes.
pub(crate) fn too_large(most: usize) -> ApiError {
    let message = format!("a body of this request holds at most {most} bytes: send less of it");
    let cause = json!({ "code": "body_too_large", "limit_bytes": most });
    ApiError::new(Kind::PayloadTooLarge, message).because(cause)
}
