//! Reading an id token: whose signature it bears, and what it says. What the claims mean is for
//! `racun_access::Claims` to judge, by the clock that it is given.

use jsonwebtoken::jwk::{Jwk, PublicKeyUse};
use jsonwebtoken::{AlgorithmFamily, DecodingKey, Header, Validation, decode, decode_header};
use racun_access::{Claims, IdentityError};
use serde::Deserialize;
use serde_json::Value;

/// Characters that an id token has at most.
const MAX_TOKEN: usize = 32 * 1_024;

/// The payload. Times and `email_verified` come in several forms from providers.
#[derive(Deserialize)]
struct Payload {
    iss: String,
    sub: String,
    aud: Audience,
    azp: Option<String>,
    exp: Option<Value>,
    iat: Option<Value>,
    nbf: Option<Value>,
    nonce: Option<String>,
    email: Option<String>,
    email_verified: Option<Value>,
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

/// The head of `token`, which says what it is signed with.
pub(super) fn header(token: &str) -> Result<Header, IdentityError> {
    let header = (token.len() <= MAX_TOKEN).then(|| decode_header(token).ok()).flatten();
    let header = header.ok_or_else(|| mistrusted("its id token is none"))?;
    match header.alg.family() {
        AlgorithmFamily::Hmac => Err(mistrusted("its id token is not signed by a public key")),
        _ => Ok(header),
    }
}

/// Those of `keys` that `header` may mean: the one that it names, or each of the right sort.
fn meant<'a>(header: &'a Header, keys: &'a [Jwk]) -> impl Iterator<Item = DecodingKey> + 'a {
    let is_meant = move |key: &&Jwk| {
        let is_named = header.kid.is_none() || header.kid == key.common.key_id;
        let signs = !matches!(key.common.public_key_use, Some(PublicKeyUse::Encryption));
        let algorithm = key.common.key_algorithm.map(|one| serde_json::to_value(one).ok());
        let is_for_it = algorithm.is_none_or(|one| one == serde_json::to_value(header.alg).ok());
        is_named && signs && is_for_it
    };
    let keys = keys.iter().filter(is_meant).filter_map(|key| DecodingKey::from_jwk(key).ok());
    keys.filter(|key| key.family() == header.alg.family())
}

/// Whether the key that `header` means is among `keys`.
pub(super) fn has_key(header: &Header, keys: &[Jwk]) -> bool {
    meant(header, keys).next().is_some()
}

/// What `token` says, when one of `keys` signed it.
pub(super) fn claims(token: &str, header: &Header, keys: &[Jwk]) -> Result<Claims, IdentityError> {
    let mut validation = Validation::new(header.alg);
    // The claims are judged elsewhere, by a clock that is an argument.
    (validation.validate_exp, validation.validate_aud) = (false, false);
    validation.required_spec_claims.clear();
    let decoded = meant(header, keys).find_map(|key| decode(token, &key, &validation).ok());
    let decoded = decoded.ok_or_else(|| mistrusted("its id token is signed by no key of it"))?;
    let payload: Payload = decoded.claims;
    Ok(Claims {
        issuer: payload.iss,
        subject: payload.sub,
        audience: match payload.aud {
            Audience::One(one) => vec![one],
            Audience::Many(many) => many,
        },
        authorized_party: payload.azp,
        expires_at: payload.exp.as_ref().and_then(seconds),
        issued_at: payload.iat.as_ref().and_then(seconds),
        // A time that cannot be read is one that has not come.
        not_before: payload.nbf.as_ref().map(|at| seconds(at).unwrap_or(i64::MAX)),
        nonce: payload.nonce,
        email: payload.email,
        email_verified: payload.email_verified.is_some_and(|said| is_true(&said)),
        name: payload.name,
    })
}

/// Whole seconds of a number, which may have a fraction (RFC 7519, section 2).
fn seconds(value: &Value) -> Option<i64> {
    let text = value.is_number().then(|| value.to_string())?;
    text.split('.').next()?.parse().ok()
}

fn is_true(said: &Value) -> bool {
    said == &Value::Bool(true) || said == "true"
}

fn mistrusted(reason: &str) -> IdentityError {
    IdentityError::Mistrusted(reason.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ring_provider;
    use super::*;

    /// RFC 7515, appendix A.2: RS256 over claims of "joe", and its key.
    const RS256: &str = include_str!("../../tests/data/rfc7515_a2.jws");
    const RSA_KEY: &str = include_str!("../../tests/data/rfc7515_a2.jwk.json");
    /// Appendix A.3: ES256.
    const ES256: &str = include_str!("../../tests/data/rfc7515_a3.jws");
    const EC_KEY: &str = include_str!("../../tests/data/rfc7515_a3.jwk.json");

    fn key(text: &str) -> Jwk {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn the_signatures_of_the_rfc_are_right_and_altered_ones_are_not() {
        ring_provider::install();
        for (token, own, other) in [(RS256, RSA_KEY, EC_KEY), (ES256, EC_KEY, RSA_KEY)] {
            let (token, own) = (token.trim(), [key(own)]);
            let header = header(token).unwrap();
            let verify = |token: &str, keys: &[Jwk]| {
                let key = meant(&header, keys).next()?;
                let (message, signature) = token.rsplit_once('.')?;
                let message = message.as_bytes();
                jsonwebtoken::crypto::verify(signature, message, &key, header.alg).ok()
            };
            assert_eq!(verify(token, &own), Some(true));
            let at = token.find('.').unwrap() + 5;
            let mut altered = token.to_owned();
            let letter = if altered.as_bytes()[at] == b'A' { "B" } else { "A" };
            altered.replace_range(at..=at, letter);
            assert_eq!(verify(&altered, &own), Some(false));
            assert!(!has_key(&header, &[key(other)]), "of another family");
            // Signed rightly, and no id token: it names no subject.
            assert!(claims(token, &header, &own).is_err());
        }
    }

    #[test]
    fn tokens_without_a_public_signature_are_refused() {
        for (token, header_json) in [
            ("none", json!({"alg": "none"})),
            ("a shared secret", json!({"alg": "HS256"})),
            ("unknown", json!({"alg": "XS256"})),
        ] {
            use base64::Engine as _;
            let engine = base64::engine::general_purpose::URL_SAFE_NO_PAD;
            let head = engine.encode(header_json.to_string());
            assert!(header(&format!("{head}.e30.")).is_err(), "{token}");
        }
        for text in ["", "a.b", "a.b.c.d", &"x".repeat(MAX_TOKEN + 1)] {
            assert!(header(text).is_err());
        }
    }

    #[test]
    fn times_and_flags_are_read_in_all_their_forms() {
        let number = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(seconds(&number("1780000000")), Some(1_780_000_000));
        assert_eq!(seconds(&number("1780000000.75")), Some(1_780_000_000));
        for odd in ["\"1780000000\"", "1e99", "99999999999999999999", "true", "null"] {
            assert_eq!(seconds(&number(odd)), None, "{odd}");
        }
        assert!(is_true(&json!(true)) && is_true(&json!("true")));
        assert!(!is_true(&json!("false")) && !is_true(&json!(1)));
    }
}
