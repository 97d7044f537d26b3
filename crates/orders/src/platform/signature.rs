//! The signature of both platforms: base64 of the HMAC-SHA256 of the raw body under the secret.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

/// Whether `signature` is that of `body` under `secret`, compared in the same time whatever
/// differs.
#[must_use]
pub fn is_signed(secret: &str, signature: &str, body: &[u8]) -> bool {
    let Ok(signature) = STANDARD.decode(signature.trim()) else { return false };
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    !secret.is_empty() && hmac::verify(&key, body, &signature).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 4231, test case 2, in base64.
    const SIGNATURE: &str = "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=";
    const BODY: &[u8] = b"what do ya want for nothing?";

    #[test]
    fn only_the_secret_and_the_whole_body_fit() {
        assert!(is_signed("Jefe", SIGNATURE, BODY));
        for (secret, signed, body) in [
            ("Jefo", SIGNATURE, BODY),
            ("", SIGNATURE, BODY),
            ("Jefe", "", BODY),
            ("Jefe", "not base64!", BODY),
            ("Jefe", &SIGNATURE[..40], BODY),
            ("Jefe", SIGNATURE, &BODY[1..]),
        ] {
            assert!(!is_signed(secret, signed, body), "{secret} {signed}");
        }
    }
}
