//! The key that a caller gave a request, and what tells the request from another.

use actix_web::http::header::{HeaderMap, HeaderName};
use actix_web::http::{Method, Uri};
use racun_kernel::Principal;
use ring::digest::{Context, SHA256};

use crate::error::ApiError;
use crate::header::{X_REQUEST_ID, caller_id};
use crate::route::{Gate, Route, Verb};

/// The header that names a request.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The digest of a request's key, by which it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key(String);

impl Key {
    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key that `headers` give a request to `route`: `Idempotency-Key`, or else a usable
    /// `X-Request-Id`. `None` for a request that changes nothing or belongs to no account.
    ///
    /// # Errors
    /// When an `Idempotency-Key` was sent that cannot be used. A request that was meant to be
    /// carried out once must not be carried out without its key.
    pub fn of(route: &Route, headers: &HeaderMap) -> Result<Option<Self>, ApiError> {
        if route.verb == Verb::Get || route.gate == Gate::Open {
            return Ok(None);
        }
        let name = match headers.contains_key(IDEMPOTENCY_KEY) {
            true => IDEMPOTENCY_KEY,
            false => X_REQUEST_ID,
        };
        match (caller_id(headers, &name), name == IDEMPOTENCY_KEY) {
            (Some(sent), _) => Ok(Some(Self(hex(&[sent.as_bytes()])))),
            (None, false) => Ok(None),
            (None, true) => Err(ApiError::bad_request(
                "send the header Idempotency-Key once, with 1 to 255 visible ASCII characters",
            )),
        }
    }
}

/// What a request is, beside its key.
pub(super) struct RequestIdentity<'a> {
    pub method: &'a Method,
    pub uri: &'a Uri,
    /// The entity or account that it acts in.
    pub place: &'a str,
    /// Who makes it, where the answer is for this caller only.
    pub principal: Option<Principal>,
    /// Its body; of a form the digest of what is between its borders.
    pub body: &'a [u8],
}

impl RequestIdentity<'_> {
    /// Equal for a request that is sent again, and for no other one.
    pub(super) fn fingerprint(&self) -> String {
        let principal = self.principal.map(|principal| principal.id()).unwrap_or_default();
        let query = self.uri.query().unwrap_or_default();
        let parts = [
            self.method.as_str().as_bytes(),
            self.uri.path().as_bytes(),
            query.as_bytes(),
            self.place.as_bytes(),
            principal.as_bytes(),
            self.body,
        ];
        hex(&parts)
    }
}

/// The digest of `parts`, each with its length before it, so that none runs into the next.
fn hex(parts: &[&[u8]]) -> String {
    let mut context = Context::new(&SHA256);
    for part in parts {
        context.update(part.len().to_string().as_bytes());
        context.update(b":");
        context.update(part);
    }
    context.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;
    use crate::routes;

    fn headers(sent: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in sent {
            let name: HeaderName = name.parse().unwrap();
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        headers
    }

    fn route(operation: &str) -> &'static Route {
        routes().find(|route| route.operation == operation).unwrap()
    }

    #[test]
    fn two_headers_name_one_store_and_neither_is_made_up() {
        let create = route("createCustomer");
        let key = |sent: &[(&str, &str)]| Key::of(create, &headers(sent)).unwrap();
        let named = key(&[("idempotency-key", "a")]);
        assert!(named.is_some());
        assert_eq!(key(&[("x-request-id", "a")]), named);
        assert_eq!(key(&[("x-request-id", "b"), ("idempotency-key", "a")]), named);
        assert_ne!(key(&[("idempotency-key", "b")]), named);
        for sent in [&[][..], &[("x-request-id", "two words")], &[("x-request-id", "")]] {
            assert_eq!(key(sent), None, "{sent:?}");
        }
        let long = "x".repeat(256);
        for sent in ["", "two words", "ž", &*long] {
            let sent = [("idempotency-key", sent), ("x-request-id", "a")];
            assert!(Key::of(create, &headers(&sent)).is_err(), "{sent:?}");
        }
        let twice = [("idempotency-key", "a"), ("idempotency-key", "b")];
        assert!(Key::of(create, &headers(&twice)).is_err());
        for operation in ["listCustomers", "logIn", "getMe"] {
            let sent = headers(&[("idempotency-key", "a")]);
            assert_eq!(Key::of(route(operation), &sent), Ok(None), "{operation}");
        }
    }

    #[test]
    fn a_fingerprint_tells_all_that_makes_another_request() {
        let print = |method: &Method, uri: &str, place, body: &[u8]| {
            let uri = &uri.parse().unwrap();
            RequestIdentity { method, uri, place, principal: None, body }.fingerprint()
        };
        let first = print(&Method::POST, "/a?b=1", "ent_1", b"{}");
        assert_eq!(print(&Method::POST, "/a?b=1", "ent_1", b"{}"), first);
        for other in [
            print(&Method::PUT, "/a?b=1", "ent_1", b"{}"),
            print(&Method::POST, "/b?b=1", "ent_1", b"{}"),
            print(&Method::POST, "/a?b=2", "ent_1", b"{}"),
            print(&Method::POST, "/a", "b=1ent_1", b"{}"),
            print(&Method::POST, "/a?b=1", "ent_2", b"{}"),
            print(&Method::POST, "/a?b=1", "ent_1", b"{ }"),
        ] {
            assert_ne!(other, first);
        }
    }
}
