//! The body of a request whose operation takes none.

use actix_web::HttpMessage as _;
use actix_web::dev::{Payload, ServiceRequest};
use futures_util::StreamExt as _;
use futures_util::stream::once;
use serde::Deserialize;
use validator::{Validate, ValidationErrors};

use super::body::{check_type, read_whole};
use super::json::{self, Unread};
use crate::error::ApiError;
use crate::limits::Share;

/// A body without properties.
#[derive(Debug, Deserialize)]
struct Nothing {}

impl Validate for Nothing {
    fn validate(&self) -> Result<(), ValidationErrors> {
        Ok(())
    }
}

/// Refuses a body with properties, which no operation would read. It may be empty, or an empty
/// object. The body of a request with a key is left for the key, which reads it again.
///
/// # Errors
/// An issue for each property; otherwise as [`Body`](super::Body) refuses what it cannot read.
pub(crate) async fn take_nothing(
    request: &mut ServiceRequest,
    is_keyed: bool,
) -> Result<(), ApiError> {
    let payload = request.take_payload();
    if matches!(payload, Payload::None) {
        return Ok(());
    }
    request.set_payload(payload);
    let body = read_whole(request).await?;
    if !is_empty(&body) {
        check_type(request.headers())?;
        json::parse::<Nothing>(&body).map_err(|unread| match unread {
            Unread::Text(error) => error,
            Unread::Unfit(issues, _) => issues.into(),
        })?;
    }
    if is_keyed {
        let again = once(std::future::ready(Ok(body))).boxed_local();
        request.set_payload(Payload::Stream { payload: again });
    } else {
        request.extensions_mut().remove::<Share>();
    }
    Ok(())
}

/// Whether `body` is empty or an empty object. Its media type does not matter then.
fn is_empty(body: &[u8]) -> bool {
    let body = body.trim_ascii();
    let inside = body.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}"));
    inside.unwrap_or(body).trim_ascii().is_empty()
}

#[cfg(test)]
mod tests {
    use super::is_empty;

    #[test]
    fn an_empty_object_says_nothing() {
        for (body, expected) in [
            ("", true),
            (" \r\n", true),
            ("{}", true),
            (" { \n} ", true),
            ("{", false),
            ("}", false),
            ("{}{}", false),
            ("[]", false),
            ("null", false),
            ("{\"a\": {}}", false),
        ] {
            assert_eq!(is_empty(body.as_bytes()), expected, "{body}");
        }
    }
}
