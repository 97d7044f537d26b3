//! PINs of operators: what is accepted, how little is kept, and how long failures lock one.

use std::fmt;

use racun_kernel::id::{EntityId, PinId, UserId};
use racun_kernel::{Issue, Stamp};
use ring::hmac::{HMAC_SHA256, Key, sign};
use serde::{Deserialize, Serialize};
use time::Duration;

use crate::PasswordHash;
use crate::secret::hex;

/// Digits of a PIN.
const PIN_DIGITS: usize = 3;
/// Distinguishes the key of PINs from other keys derived from the same master key.
const LABEL: &[u8] = b"racun operator pins v1";
/// Failures in a row that cost no waiting but for the last.
const FREE_FAILURES: u32 = 5;
/// How long the last free failure, and each one after it, locks a PIN; the last holds for all that
/// follow. By these an attacker has 10 guesses of 1,000 on the first day, and then one a day.
const LOCKS: [Duration; 6] = [
    Duration::seconds(30),
    Duration::minutes(1),
    Duration::minutes(5),
    Duration::minutes(15),
    Duration::hours(1),
    Duration::hours(24),
];

/// The key that stands between PINs and the database.
///
/// A PIN is one of 1,000 values, so no hash alone protects it: the database
/// without this key reveals no PIN.
#[derive(Clone)]
pub struct PinKey(Key);

/// The bytes of the key of PINs that is derived from the master key `master`.
pub(crate) fn pin_secret(master: &[u8; 32]) -> Vec<u8> {
    sign(&Key::new(HMAC_SHA256, master), LABEL).as_ref().to_vec()
}

impl PinKey {
    /// The key of PINs, derived from the server's master key.
    #[must_use]
    pub fn derive(master: &[u8; 32]) -> Self {
        Self::of(&pin_secret(master))
    }

    /// The key of these bytes, as [`pin_secret`] makes them.
    pub(crate) fn of(secret: &[u8]) -> Self {
        Self(Key::new(HMAC_SHA256, secret))
    }

    /// What is hashed instead of the PIN: of no use for another user, or in another entity.
    fn bind(&self, entity: EntityId, user: UserId, pin: &Pin) -> String {
        let text = format!("{entity}/{user}/{}", pin.0);
        hex(sign(&self.0, text.as_bytes()).as_ref())
    }
}

impl fmt::Debug for PinKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PinKey(..)")
    }
}

/// A PIN as it was sent: exactly three digits.
pub struct Pin(String);

impl Pin {
    /// Reads a PIN.
    ///
    /// # Errors
    /// When `text` is not exactly three digits. It does not repeat `text`.
    pub fn parse(text: String) -> Result<Self, Issue> {
        if text.len() == PIN_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit()) {
            Ok(Self(text))
        } else {
            let message = format!("expected a text of exactly {PIN_DIGITS} digits");
            Err(Issue::new("invalid_value", message))
        }
    }
}

impl fmt::Debug for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pin(..)")
    }
}

/// What is kept of a PIN.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PinHash {
    /// Its id: another PIN has another one, even when its digits are the same.
    pub id: PinId,
    hash: PasswordHash,
}

impl PinHash {
    /// Hashes a PIN. Takes tens of milliseconds: not for a reactor.
    pub fn new(key: &PinKey, entity: EntityId, user: UserId, pin: &Pin, stamp: &Stamp) -> Self {
        let hash = PasswordHash::of(&key.bind(entity, user, pin), stamp);
        Self { id: stamp.id(), hash }
    }

    /// Whether `pin` is this one. Without a stored PIN the answer is no, at the same cost. Takes
    /// tens of milliseconds: not for a reactor.
    pub fn verify(
        kept: Option<&Self>,
        key: &PinKey,
        entity: EntityId,
        user: UserId,
        pin: &Pin,
    ) -> bool {
        let hash = kept.map_or_else(PasswordHash::dummy, |kept| kept.hash.clone());
        hash.verify(&key.bind(entity, user, pin)) && kept.is_some()
    }
}

/// How long the `failures`-th failure in a row locks a PIN.
pub(crate) fn lock_after(failures: u32) -> Option<Duration> {
    let place = usize::try_from(failures.checked_sub(FREE_FAILURES)?).unwrap_or(usize::MAX);
    LOCKS.get(place).or(LOCKS.last()).copied()
}

/// Failures that may still follow `failures` before one has to wait.
pub(crate) const fn attempts_remaining(failures: u32) -> u32 {
    FREE_FAILURES.saturating_sub(failures)
}

#[cfg(test)]
mod tests {
    use racun_store::testing::stamp;
    use time::OffsetDateTime;

    use super::*;

    #[test]
    fn a_pin_is_three_digits_and_nothing_else() {
        for text in ["000", "999", "042"] {
            assert!(Pin::parse(text.to_owned()).is_ok(), "{text}");
        }
        for text in ["", "12", "1234", "12a", " 12", "-12", "1.2", "١٢٣", "12\u{200b}", "１２３"]
        {
            let issue = Pin::parse(text.to_owned()).unwrap_err();
            assert!(text.is_empty() || !issue.message.contains(text), "{}", issue.message);
        }
    }

    #[test]
    fn failures_lock_as_the_table_says() {
        let seconds = |failures| lock_after(failures).map_or(0, Duration::whole_seconds);
        let expected = [0, 0, 0, 0, 0, 30, 60, 300, 900, 3_600, 86_400, 86_400];
        assert_eq!((0..12).map(seconds).collect::<Vec<_>>(), expected);
        assert_eq!(seconds(u32::MAX), 86_400);
        assert_eq!((0..7).map(attempts_remaining).collect::<Vec<_>>(), [5, 4, 3, 2, 1, 0, 0]);
    }

    #[test]
    fn a_kept_pin_is_of_one_user_in_one_entity_under_one_key() {
        let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
        let (key, other_key) = (PinKey::derive(&[1; 32]), PinKey::derive(&[2; 32]));
        let (entity, user): (EntityId, UserId) = (stamp.id(), stamp.id());
        let pin = Pin::parse("042".to_owned()).unwrap();
        let kept = PinHash::new(&key, entity, user, &pin, &stamp);
        let verify = |kept, key, entity, user, pin| PinHash::verify(kept, key, entity, user, pin);
        assert!(verify(Some(&kept), &key, entity, user, &pin));
        let wrong = Pin::parse("043".to_owned()).unwrap();
        for (kept, key, entity, user, pin) in [
            (Some(&kept), &key, entity, user, &wrong),
            (Some(&kept), &other_key, entity, user, &pin),
            (Some(&kept), &key, stamp.id(), user, &pin),
            (Some(&kept), &key, entity, stamp.id(), &pin),
            (None, &key, entity, user, &pin),
        ] {
            assert!(!verify(kept, key, entity, user, pin));
        }
        let again = PinHash::new(&key, entity, user, &pin, &stamp);
        assert!(again != kept && again.id != kept.id, "salts and ids differ");
    }

    #[test]
    fn nothing_of_a_pin_is_printed() {
        let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
        let (key, pin) = (PinKey::derive(&[7; 32]), Pin::parse("042".to_owned()).unwrap());
        let kept = PinHash::new(&key, stamp.id(), stamp.id(), &pin, &stamp);
        assert_eq!(format!("{key:?} {pin:?}"), "PinKey(..) Pin(..)");
        assert!(!format!("{kept:?}").contains("argon2"));
        assert!(!serde_json::to_string(&kept).unwrap().contains("\"042\""));
    }
}
