//! What of bodies is kept: JSON without secrets, cut to a length.

use actix_web::web::Bytes;
use serde::de::IgnoredAny;
use serde_json::Value as Json;

/// Bytes of the text of what was sent, or of a refusal, that are kept, masked.
pub(super) const MOST: usize = 4 * 1024;
/// Bytes that are kept of an answer to what succeeded: what it shows is there to be read. A row has
/// room for them beside the rest in one page of SQLite, and in PostgreSQL in the row itself.
pub(super) const MOST_OF_SUCCESS: usize = 2 * 1024;

/// Properties whose values are secrets: those that are called so, or whose names have one of these
/// in them.
const SECRETS: [&str; 8] = [
    "password",
    "passphrase",
    "secret",
    "token",
    "certificate",
    "private_key",
    "api_key",
    "authorization",
];
/// What a secret is shown as.
const MASK: &str = "***";

/// Whether `body` is JSON. Nothing is kept of what is none, for it cannot be known what is in it.
pub(super) fn is_json(body: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(body).is_ok()
}

/// What of a JSON body is kept, without secrets: at most `most` bytes, and a mark that it is cut.
pub(super) fn masked(body: Bytes, most: usize) -> Option<String> {
    // Names of secrets that are cut off have no value in what is left.
    let mut text = if may_name_secret(&body[..body.len().min(most)]) {
        let mut body: Json = serde_json::from_slice(&body).ok()?;
        mask(&mut body);
        body.to_string()
    } else {
        String::from_utf8(body.into()).ok()?
    };
    if text.len() > most {
        let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    Some(text)
}

/// Whether `body` may have a secret: it has a word of them, or a letter written as an escape.
fn may_name_secret(body: &[u8]) -> bool {
    let small = body.to_ascii_lowercase();
    let holds = |word: &str| memchr::memmem::find(&small, word.as_bytes()).is_some();
    holds("\\u") || holds("\"pin\"") || SECRETS.into_iter().any(holds)
}

fn mask(body: &mut Json) {
    match body {
        Json::Object(properties) => {
            for (name, value) in properties {
                if is_secret(name) && !value.is_null() {
                    *value = Json::from(MASK);
                } else {
                    mask(value);
                }
            }
        }
        Json::Array(values) => values.iter_mut().for_each(mask),
        _ => {}
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "pin" || SECRETS.iter().any(|secret| name.contains(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_at_every_depth() {
        let sent = r#"{"name":"Ana","pin":"1234","shipping":"x",
            "list":[{"api_key":"k","New_Password":"p","token":null}],"amount":1.50}"#;
        let kept = masked(Bytes::from(sent), MOST).unwrap();
        let expected = concat!(
            r#"{"amount":1.50,"list":[{"New_Password":"***","api_key":"***","token":null}],"#,
            r#""name":"Ana","pin":"***","shipping":"x"}"#
        );
        assert_eq!(kept, expected);
    }

    #[test]
    fn what_names_no_secret_is_kept_as_it_was_sent() {
        let sent = r#"{"name": "Ana",  "shipping": 1.50}"#;
        assert_eq!(masked(Bytes::from(sent), MOST).unwrap(), sent);
        let hidden = masked(Bytes::from(r#"{"p\u0061ssword": "x"}"#), MOST);
        assert_eq!(hidden.unwrap(), r#"{"password":"***"}"#);
    }

    #[test]
    fn what_is_no_json_is_not_kept_and_what_is_long_is_cut() {
        assert!(!is_json(b"pin=1234") && is_json(br#"{"pin": 1234}"#));
        let long = format!(r#"{{"a":"{}"}}"#, "č".repeat(MOST));
        for most in [MOST, MOST_OF_SUCCESS] {
            let kept = masked(Bytes::from(long.clone()), most).unwrap();
            assert!(kept.ends_with('…') && kept.len() <= most + '…'.len_utf8());
            assert!(long.starts_with(kept.trim_end_matches('…')));
        }
    }
}
