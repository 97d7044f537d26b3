//! The key that a caller gave a request, and what tells the request from another.

use actix_web::http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{Method, Uri};
use racun_kernel::Principal;
use ring::digest::{Context, SHA256};

use crate::error::ApiError;
use crate::frame::{X_REQUEST_ID, caller_id};
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
    /// When an `Idempotency-Key` was sent that cannot be used. A request that was meant to be carried
    /// out once must not be carried out without its key.
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
pub(super) struct Content<'a> {
    pub method: &'a Method,
    pub uri: &'a Uri,
    /// The entity or account that it acts in.
    pub place: &'a str,
    /// Who makes it, where the answer is for nobody else.
    pub principal: Option<Principal>,
    pub headers: &'a HeaderMap,
    pub body: &'a [u8],
}

impl Content<'_> {
    /// Equal for a request that is sent again, and for no other one. The border between the parts of
    /// a form is not part of the request: clients make a new one each time.
    pub(super) fn fingerprint(&self) -> String {
        let principal = self.principal.map(|principal| principal.id()).unwrap_or_default();
        let query = self.uri.query().unwrap_or_default();
        let body = match border(self.headers) {
            Some(border) => without(self.body, border.as_bytes()),
            None => self.body.to_vec(),
        };
        let parts = [
            self.method.as_str().as_bytes(),
            self.uri.path().as_bytes(),
            query.as_bytes(),
            self.place.as_bytes(),
            principal.as_bytes(),
            &body,
        ];
        hex(&parts)
    }
}

/// The text between the parts of a form.
fn border(headers: &HeaderMap) -> Option<&str> {
    let sent = headers.get(CONTENT_TYPE).map(HeaderValue::to_str)?.ok()?;
    let (kind, parameters) = sent.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let mut values = parameters.split(';').filter_map(|parameter| parameter.trim().split_once('='));
    let border = values.find(|(name, _)| name.eq_ignore_ascii_case("boundary"))?.1;
    Some(border.trim_matches('"')).filter(|border| !border.is_empty())
}

/// `body` without all occurrences of `border`.
fn without(body: &[u8], border: &[u8]) -> Vec<u8> {
    let (mut rest, mut kept) = (body, Vec::with_capacity(body.len()));
    while let Some(first) = rest.first() {
        match rest.strip_prefix(border) {
            Some(behind) => rest = behind,
            None => {
                kept.push(*first);
                rest = &rest[1..];
            }
        }
    }
    kept
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
        let (json, form) = (
            headers(&[("content-type", "application/json")]),
            headers(&[("content-type", "multipart/form-data; boundary=abc")]),
        );
        let print = |method: &Method, uri: &str, place, headers: &HeaderMap, body: &[u8]| {
            let uri = &uri.parse().unwrap();
            Content { method, uri, place, principal: None, headers, body }.fingerprint()
        };
        let first = print(&Method::POST, "/a?b=1", "ent_1", &json, b"{}");
        assert_eq!(print(&Method::POST, "/a?b=1", "ent_1", &json, b"{}"), first);
        for other in [
            print(&Method::PUT, "/a?b=1", "ent_1", &json, b"{}"),
            print(&Method::POST, "/b?b=1", "ent_1", &json, b"{}"),
            print(&Method::POST, "/a?b=2", "ent_1", &json, b"{}"),
            print(&Method::POST, "/a", "b=1ent_1", &json, b"{}"),
            print(&Method::POST, "/a?b=1", "ent_2", &json, b"{}"),
            print(&Method::POST, "/a?b=1", "ent_1", &json, b"{ }"),
        ] {
            assert_ne!(other, first);
        }
        let again =
            headers(&[("content-type", "multipart/form-data; charset=utf-8; boundary=\"xyz\"")]);
        let sent = print(&Method::POST, "/a", "ent_1", &form, b"--abc\r\n\r\n1\r\n--abc--");
        assert_eq!(print(&Method::POST, "/a", "ent_1", &again, b"--xyz\r\n\r\n1\r\n--xyz--"), sent);
        assert_ne!(print(&Method::POST, "/a", "ent_1", &again, b"--xyz\r\n\r\n2\r\n--xyz--"), sent);
    }
}
