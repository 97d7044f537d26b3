//! Cross-origin requests (CORS): which origins may call, and the headers that say so.
//!
//! This is our own rather than `actix-cors`, which answers refusals itself, as plain text and
//! outside [`crate::frame`], knows one list of methods for all paths, and answers paths that do not
//! exist.

use std::str::FromStr;

use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ALLOW,
    HeaderMap, HeaderValue, ORIGIN, VARY,
};

/// Request headers that pages may set.
const MAY_SEND: &str = "authorization, content-type, accept, accept-language, x-entity-id, \
    x-account-id, idempotency-key, x-request-id, if-none-match";

/// Answer headers that pages may read.
const MAY_READ: &str = "x-request-id, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, \
                        retry-after, idempotent-replayed, etag, location, content-disposition, \
                        www-authenticate, allow, deprecation, sunset, link";

/// Seconds for which a browser need not ask again.
const MAX_AGE: &str = "7200";

/// Whose pages may ask, beside the server's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Origins {
    /// No other origin.
    #[default]
    Own,
    /// Everybody's.
    All,
    /// Those of these origins.
    Listed(Vec<String>),
}

/// The text is not `*`, nor origins as in `https://shop.example.com`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected * or origins as in https://shop.example.com, separated by commas")]
pub struct InvalidOrigins;

impl FromStr for Origins {
    type Err = InvalidOrigins;

    fn from_str(text: &str) -> Result<Self, InvalidOrigins> {
        if text.trim() == "*" {
            return Ok(Self::All);
        }
        text.split(',')
            .map(|part| origin(part.trim()))
            .collect::<Option<_>>()
            .map(Self::Listed)
            .ok_or(InvalidOrigins)
    }
}

/// An origin as browsers write it: scheme, host in small letters and port, without a slash.
fn origin(text: &str) -> Option<String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let is_host = |sign: char| sign.is_ascii_alphanumeric() || "-._:[]".contains(sign);
    (!rest.is_empty() && rest.chars().all(is_host)).then(|| text.to_ascii_lowercase())
}

impl Origins {
    /// What answers to a request with these `headers` say of whose pages may read them.
    pub(crate) fn answer(&self, method: &Method, headers: &HeaderMap) -> Shared {
        let asked = headers.get(ORIGIN);
        let allowed = match self {
            Self::Own => None,
            Self::All => asked.map(|_| HeaderValue::from_static("*")),
            Self::Listed(listed) => asked
                .filter(|origin| listed.iter().any(|known| known.as_bytes() == origin.as_bytes()))
                .cloned(),
        };
        let is_preflight =
            *method == Method::OPTIONS && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        Shared { allowed, is_preflight, varies: matches!(self, Self::Listed(_)) }
    }
}

/// With whom an answer is shared.
pub(crate) struct Shared {
    allowed: Option<HeaderValue>,
    is_preflight: bool,
    varies: bool,
}

impl Shared {
    /// Says so in the answer's headers.
    pub fn write(self, headers: &mut HeaderMap) {
        if self.varies {
            headers.append(VARY, HeaderValue::from_static("Origin"));
        }
        let Some(allowed) = self.allowed else { return };
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
        if !self.is_preflight {
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(MAY_READ));
            return;
        }
        // A path that does not exist has no methods.
        if let Some(methods) = headers.get(ALLOW).cloned() {
            headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(MAY_SEND));
            headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(MAX_AGE));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_read_as_browsers_write_them() {
        let listed = |origins: &[&str]| {
            Ok(Origins::Listed(origins.iter().map(|origin| (*origin).to_owned()).collect()))
        };
        assert_eq!("*".parse(), Ok(Origins::All));
        assert_eq!(
            "https://Shop.example.com, http://127.0.0.1:3000".parse(),
            listed(&["https://shop.example.com", "http://127.0.0.1:3000"])
        );
        for wrong in ["", "shop.example.com", "https://", "https://a.b/", "https://a.b,*", "null"] {
            assert_eq!(wrong.parse::<Origins>(), Err(InvalidOrigins), "{wrong}");
        }
    }
}
