//! Passwords: what is accepted, and how little is kept.

use std::fmt;

use argon2::password_hash::phc;
use racun_kernel::{Issue, Issues, Stamp};
use serde::{Deserialize, Serialize};

use crate::hashing::HASHING;

/// Characters that a password has at least.
const MIN_CHARS: usize = 8;
/// Characters that a password has at most, so that hashing it stays cheap.
const MAX_CHARS: usize = 200;
const SALT_BYTES: usize = 16;

/// A hash that no password has, verified when there is no user, so that an unknown e-mail address
/// costs as much as a wrong password. Its parameters are those of [`HASHING`]; a test holds that.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGlzIGhlcmU$\
                      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// An Argon2id hash with its salt and parameters, as a PHC string.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PasswordHash(String);

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(..)")
    }
}

impl PasswordHash {
    /// Whether `password` is the one that was hashed. Takes tens of milliseconds: not for a
    /// reactor.
    #[must_use]
    pub fn verify(&self, password: &str) -> bool {
        if password.chars().count() > MAX_CHARS {
            return false;
        }
        let Ok(hash) = phc::PasswordHash::new(&self.0) else { return false };
        HASHING.verify(password, &hash)
    }

    /// Hashes `secret`, which is of no more than a few hundred characters, whatever it is.
    pub(crate) fn of(secret: &str, stamp: &Stamp) -> Self {
        let salt = stamp.secret();
        Self(HASHING.hash(secret, &salt[..SALT_BYTES]).to_string())
    }

    /// The hash that is verified when there is no user.
    pub(crate) fn nobody() -> Self {
        Self(NOBODY.to_owned())
    }
}

/// Hashes a new password: 8 to 200 characters, at least one of them a lower-case letter.
///
/// Takes tens of milliseconds: not for a reactor.
///
/// # Errors
/// What is wrong with the password, under the path `password`.
pub fn hash_password(password: &str, stamp: &Stamp) -> Result<PasswordHash, Issues> {
    check(password).map_err(|issue| issue.at("password"))?;
    Ok(PasswordHash::of(password, stamp))
}

fn check(password: &str) -> Result<(), Issue> {
    let chars = password.chars().count();
    if chars < MIN_CHARS {
        return Err(Issue::new("too_short", format!("at least {MIN_CHARS} characters")));
    }
    if chars > MAX_CHARS {
        return Err(Issue::new("too_long", format!("at most {MAX_CHARS} characters")));
    }
    if !password.chars().any(char::is_lowercase) {
        return Err(Issue::new("too_weak", "at least one lower-case letter"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use racun_kernel::testing::stamp;
    use time::OffsetDateTime;

    use super::*;

    #[test]
    fn passwords_are_accepted_up_to_their_limits() {
        let long = "a".repeat(201);
        for (password, refused) in [
            ("abcdefgh", None),
            ("ŽŽŽŽŽŽŽž", None),
            (&long[..200], None),
            ("abcdefg", Some("too_short")),
            ("", Some("too_short")),
            (&long[..], Some("too_long")),
            ("PASSWORD1", Some("too_weak")),
            ("12345678", Some("too_weak")),
        ] {
            assert_eq!(check(password).err().map(|issue| issue.code), refused, "{password}");
        }
    }

    #[test]
    fn a_hash_knows_its_password_and_hides_itself() {
        let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
        let hash = hash_password("correct horse", &stamp).unwrap();
        assert!(hash.verify("correct horse"));
        assert!(
            !hash.verify("correct horsE") && !hash.verify("") && !hash.verify(&"a".repeat(999))
        );
        assert_ne!(hash, hash_password("correct horse", &stamp).unwrap(), "salts differ");
        assert!(hash.0.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_eq!(format!("{hash:?}"), "PasswordHash(..)");
    }

    #[test]
    fn nobody_costs_what_somebody_costs() {
        let nobody = phc::PasswordHash::new(NOBODY).unwrap();
        let somebody = hash_password("correct horse", &stamp(OffsetDateTime::UNIX_EPOCH)).unwrap();
        let somebody = phc::PasswordHash::new(&somebody.0).unwrap();
        assert_eq!(nobody.params, somebody.params);
        assert_eq!(nobody.hash.map(|hash| hash.len()), somebody.hash.map(|hash| hash.len()));
        assert!(!PasswordHash::nobody().verify("correct horse"));
    }
}
