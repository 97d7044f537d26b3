//! The code of an authenticator app: TOTP (RFC 6238) with SHA-1, six digits and half minutes,
//! which is what all such apps know.

use data_encoding::BASE32_NOPAD;
use ring::hmac::{HMAC_SHA1_FOR_LEGACY_USE_ONLY, Key, sign};
use time::OffsetDateTime;

/// Bytes of a secret: as many as SHA-1 has (RFC 4226, requirement R6).
pub(super) const SECRET_BYTES: usize = 20;
/// Digits of a code.
pub(super) const DIGITS: usize = 6;
/// Codes that there are.
const CODES: u32 = 1_000_000;
/// How long a code is the present one.
const STEP_SECONDS: i64 = 30;
/// Steps on either side of the present one whose codes are taken, for clocks that differ (RFC 6238,
/// section 5.2).
const SKEW: i64 = 1;

/// The step of time in which `now` lies.
fn step_at(now: OffsetDateTime) -> i64 {
    now.unix_timestamp().div_euclid(STEP_SECONDS)
}

/// The code of `step` (RFC 4226, section 5.3).
fn code_of(secret: &[u8], step: i64) -> u32 {
    let mac = sign(&Key::new(HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret), &step.to_be_bytes());
    let bytes = mac.as_ref();
    let start = usize::from(bytes[bytes.len() - 1] & 0x0f);
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[start..start + 4]);
    (u32::from_be_bytes(word) & 0x7fff_ffff) % CODES
}

/// The step of which `code` is the code: the present one at `now`, or one beside it, and later than
/// `last`, whose code was used. `None` when it is of none of these.
pub(super) fn step_of(secret: &[u8], code: u32, last: i64, now: OffsetDateTime) -> Option<i64> {
    let present = step_at(now);
    let mut steps = (present - SKEW..=present + SKEW).filter(|step| *step > last);
    steps.find(|step| code_of(secret, *step) == code)
}

/// The secret as apps take it: base32 (RFC 4648) without padding.
pub(super) fn shown(secret: &[u8]) -> String {
    BASE32_NOPAD.encode(secret)
}

/// The address that apps read as a QR code: `issuer` and `account` are what they show.
pub(super) fn uri(issuer: &str, account: &str, secret: &[u8]) -> String {
    let (issuer, account, secret) = (escaped(issuer), escaped(account), shown(secret));
    format!(
        "otpauth://totp/{issuer}:{account}?secret={secret}&issuer={issuer}&algorithm=SHA1\
         &digits={DIGITS}&period={STEP_SECONDS}"
    )
}

/// `text` with all but the unreserved characters of RFC 3986 as `%XX`.
pub(crate) fn escaped(text: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    let one = |byte: u8| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of appendix B of RFC 6238: the last six of its eight digits.
    const VECTORS: [(i64, u32); 6] = [
        (59, 287_082),
        (1_111_111_109, 81_804),
        (1_111_111_111, 50_471),
        (1_234_567_890, 5_924),
        (2_000_000_000, 279_037),
        (20_000_000_000, 353_130),
    ];
    const SECRET: &[u8] = b"12345678901234567890";

    fn at(seconds: i64) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(seconds).unwrap()
    }

    #[test]
    fn codes_are_those_of_the_rfc() {
        for (seconds, code) in VECTORS {
            assert_eq!(code_of(SECRET, step_at(at(seconds))), code, "{seconds}");
        }
    }

    #[test]
    fn a_code_is_taken_in_its_step_and_the_two_beside_it_and_not_again() {
        let (seconds, code) = VECTORS[4];
        let step = step_at(at(seconds));
        for (later, expected) in [(-31, None), (-30, Some(step)), (59, Some(step)), (60, None)] {
            let begin = step * STEP_SECONDS;
            assert_eq!(step_of(SECRET, code, 0, at(begin + later)), expected, "{later}");
        }
        assert_eq!(step_of(SECRET, code, step - 1, at(seconds)), Some(step));
        assert_eq!(step_of(SECRET, code, step, at(seconds)), None, "it was used");
        assert_eq!(step_of(SECRET, code + 1, 0, at(seconds)), None);
    }

    #[test]
    fn apps_read_secret_issuer_and_account() {
        let uri = uri("Žar & Co", "ana+till@example.com", b"Hello!\xde\xad\xbe\xef");
        let expected = "otpauth://totp/%C5%BDar%20%26%20Co:ana%2Btill%40example.com\
            ?secret=JBSWY3DPEHPK3PXP&issuer=%C5%BDar%20%26%20Co&algorithm=SHA1&digits=6&period=30";
        assert_eq!(uri, expected);
    }
}
