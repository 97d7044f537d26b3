//! Headers that count once: each chooses or names something.

use actix_web::http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use crate::error::{ApiError, Kind};

/// Names a request, in both directions.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Characters that a caller's request id may hold.
const MAX_REQUEST_ID: usize = 255;

/// The value of header `name`, or `None` when it was not sent.
///
/// # Errors
/// When it was sent twice, as a list, empty or with characters beyond visible ASCII: which value
/// counts would then be a guess.
pub(crate) fn single<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, ApiError> {
    let mut values = headers.get_all(name);
    let Some(value) = values.next() else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if values.next().is_some() || text.is_empty() || text.contains([',', ' ']) {
        let message = format!("send the header {name} once, with one value");
        return Err(ApiError::bad_request(message));
    }
    Ok(Some(text))
}

/// The token of `Authorization: Bearer <token>`; the word `Bearer` may be left out, as the earlier
/// generation of the interface did.
///
/// # Errors
/// When there is none, or more than one.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Result<&str, ApiError> {
    let mut values = headers.get_all(AUTHORIZATION);
    let sent = values.next().and_then(|value| value.to_str().ok()).unwrap_or_default().trim();
    let token = match sent.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        Some(_) => "",
        None => sent,
    };
    let is_missing = token.is_empty() || token.eq_ignore_ascii_case("bearer");
    if is_missing || values.next().is_some() {
        let message = "send the header Authorization once, as: Bearer <API key or login token>";
        return Err(ApiError::new(Kind::Unauthorized, message));
    }
    Ok(token)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, values: &[&'static str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn a_token_comes_with_or_without_its_scheme() {
        for sent in ["Bearer abc", "bearer  abc ", "BEARER abc", "abc"] {
            assert_eq!(bearer_token(&headers("authorization", &[sent])), Ok("abc"), "{sent}");
        }
        for sent in [&[][..], &[""], &["Bearer "], &["Basic abc"], &["Bearer a", "Bearer b"]] {
            let refused = bearer_token(&headers("authorization", sent)).unwrap_err();
            assert_eq!(refused.kind(), Kind::Unauthorized, "{sent:?}");
        }
    }

    #[test]
    fn a_header_that_chooses_a_tenant_counts_once() {
        let read = |values| {
            single(&headers("x-entity-id", values), "x-entity-id").map(|v| v.map(str::to_owned))
        };
        assert_eq!(read(&[]), Ok(None));
        assert_eq!(read(&["ent_1"]), Ok(Some("ent_1".to_owned())));
        for sent in [&["ent_1", "ent_2"][..], &["ent_1, ent_2"], &["ent_1,ent_2"], &[""]] {
            assert_eq!(read(sent).unwrap_err().kind(), Kind::BadRequest, "{sent:?}");
        }
    }
}
