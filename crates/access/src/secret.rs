//! Tokens and keys: how they are made, recognised, kept and hinted at.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use racun_kernel::Stamp;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

/// Characters of a token behind its prefix: 256 bits in base64url without padding.
const TOKEN_CHARS: usize = 43;
/// Hexadecimal digits of a key behind its prefix.
const KEY_DIGITS: usize = 32;
/// The random ones of them: 96 bits. The others are the CRC-32 of what stands before them.
const RANDOM_DIGITS: usize = 24;
/// Digits at either end of a key that its hint shows.
const HINT_DIGITS: usize = 3;

/// The SHA-256 digest of a token or key: all that is kept of it.
///
/// A slow hash is not needed: what is digested holds 96 random bits or more.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(String);

impl Digest {
    /// The digest of `secret`.
    #[must_use]
    pub fn of(secret: &str) -> Self {
        Self(hex(digest(&SHA256, secret.as_bytes()).as_ref()))
    }

    /// Its 64 hexadecimal digits, by which a store finds it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digest(..)")
    }
}

/// A new record with the full key or token that belongs to it, which is shown once and not kept.
#[derive(Clone, PartialEq, Eq)]
pub struct WithSecret<T> {
    /// What is kept.
    pub record: T,
    /// The full key or token.
    pub secret: String,
}

impl<T: fmt::Debug> fmt::Debug for WithSecret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WithSecret").field("record", &self.record).finish_non_exhaustive()
    }
}

/// A new token: `prefix` and 256 random bits.
#[must_use]
pub fn new_token(prefix: &str, stamp: &Stamp) -> String {
    format!("{prefix}{}", URL_SAFE_NO_PAD.encode(stamp.secret()))
}

/// Whether `text` is formed as [`new_token`] forms it.
#[must_use]
pub fn is_token(prefix: &str, text: &str) -> bool {
    text.strip_prefix(prefix).is_some_and(|rest| {
        let sane = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        rest.len() == TOKEN_CHARS && rest.bytes().all(sane)
    })
}

/// A new key: `prefix`, 96 random bits, and a checksum, by which programs that look for leaked
/// secrets tell a key from other text.
pub(crate) fn new_key(prefix: &str, stamp: &Stamp) -> String {
    let mut digits = hex(&stamp.secret());
    digits.truncate(RANDOM_DIGITS);
    let text = format!("{prefix}{digits}");
    let check = checksum(&text);
    text + &check
}

/// Whether `text` is formed as [`new_key`] forms it. The checksum is not asked: keys of before had
/// none.
pub(crate) fn is_key(prefix: &str, text: &str) -> bool {
    text.strip_prefix(prefix).is_some_and(|rest| {
        let sane = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        rest.len() == KEY_DIGITS && rest.bytes().all(sane)
    })
}

/// The CRC-32 of `text` (ISO 3309, as in Ethernet and zip), as eight hexadecimal digits.
fn checksum(text: &str) -> String {
    /// The polynomial, its bits from low to high.
    const POLYNOMIAL: u32 = 0xedb8_8320;
    let step = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ POLYNOMIAL } else { crc >> 1 };
    let crc = text
        .bytes()
        .fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| step(crc)));
    format!("{:08x}", !crc)
}

/// What may be shown of the key `prefix…`: `ek_sandbox_abc...234`.
pub(crate) fn hint(prefix: &str, key: &str) -> String {
    let digits = key.strip_prefix(prefix).unwrap_or_default();
    let first = digits.get(..HINT_DIGITS).unwrap_or_default();
    let last = digits.get(digits.len().saturating_sub(HINT_DIGITS)..).unwrap_or_default();
    format!("{prefix}{first}...{last}")
}

/// The bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use racun_store::testing::stamp;
    use time::OffsetDateTime;

    use super::*;

    #[test]
    fn a_digest_is_the_sha_256_of_the_text() {
        // FIPS 180-2, appendix B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of("abc").as_str(), abc);
        assert_eq!(format!("{:?}", Digest::of("abc")), "Digest(..)");
    }

    #[test]
    fn a_secret_is_recognised_and_similar_texts_are_not() {
        let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
        let token = new_token("tok_", &stamp);
        let key = new_key("ek_live_", &stamp);
        assert_eq!((token.len(), key.len()), (4 + 43, 8 + 32));
        assert!(is_token("tok_", &token) && is_key("ek_live_", &key));
        assert!(!is_token("tok_", &token[..46]) && !is_token("tok_", &format!("{token}A")));
        assert!(!is_token("tok_", &token.replace("tok_", "tik_")));
        assert!(!is_key("ek_live_", &key[..39]) && !is_key("ek_sandbox_", &key));
        let (text, check) = key.split_at(8 + RANDOM_DIGITS);
        assert_eq!(checksum(text), check);
        let before = "ek_live_0123456789abcdef0123456789abcdef";
        assert!(is_key("ek_live_", before), "keys of before had no checksum");
        assert!(!is_key("ek_live_", "ek_live_0123456789ABCDEF0123456789abcdef"));
        assert!(!is_key("ek_live_", "ek_live_0123456789abcdeg0123456789abcdef"));
    }

    #[test]
    fn a_checksum_is_the_crc_32_of_the_text() {
        // The check value of CRC-32/ISO-HDLC in the catalogue of parametrised CRC algorithms.
        assert_eq!(checksum("123456789"), "cbf43926");
    }

    #[test]
    fn a_hint_shows_six_digits_and_no_more() {
        let key = "ek_sandbox_abc45678901234567890123456789234";
        assert_eq!(hint("ek_sandbox_", key), "ek_sandbox_abc...234");
    }

    #[test]
    fn a_shown_secret_is_not_printed() {
        let shown = WithSecret { record: 7, secret: "tok_secret".to_owned() };
        assert_eq!(format!("{shown:?}"), "WithSecret { record: 7, .. }");
    }
}
