//! Passwords: what is accepted, and how little is kept.

use std::collections::HashSet;
use std::fmt;
use std::sync::LazyLock;

use argon2::password_hash::phc;
use racun_kernel::text::lower;
use racun_kernel::{Issue, Issues, Stamp};
use serde::{Deserialize, Serialize};

use crate::hashing::HASHING;

/// Characters that a password has at least.
const MIN_CHARS: usize = 8;
/// Characters that a password has at most, so that hashing it stays cheap.
const MAX_CHARS: usize = 200;
/// Different characters that a password has at least.
const MIN_DISTINCT: usize = 4;
const SALT_BYTES: usize = 16;

/// Passwords that are guessed first, in lower case, one a line: the 6,000 most common of at least
/// eight characters with a letter in the lists of zxcvbn (MIT licence), and some in languages of
/// our users.
static COMMON: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("common.txt").lines().collect());

/// Letters that the middle of a password has at least to be looked for.
const MIN_CORE: usize = 4;

/// The middles of [`COMMON`]: what is left without digits and signs at both ends.
static CORES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let cores = COMMON.iter().map(|word| core(word));
    cores.filter(|core| core.chars().count() >= MIN_CORE).collect()
});

/// `word` without the digits and signs at both ends, which people add where a form asks for them.
fn core(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphabetic())
}

/// A hash that no password has, verified when there is no user, so that an unknown e-mail address
/// costs as much as a wrong password. Its parameters are those of [`HASHING`]; a test holds that.
const DUMMY: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGlzIGhlcmU$\
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
    pub(crate) fn dummy() -> Self {
        Self(DUMMY.to_owned())
    }
}

/// Hashes a new password: 8 to 200 characters, at least one of them a lower-case letter, none of
/// those that are guessed first, also with other digits and signs around their letters, at least
/// four different characters, and not what is `about` its user: their e-mail address, or the part
/// before the @.
///
/// Takes tens of milliseconds: not for a reactor.
///
/// # Errors
/// What is wrong with the password, under the path `password`.
pub fn hash_password(
    password: &str,
    about: &[&str],
    stamp: &Stamp,
) -> Result<PasswordHash, Issues> {
    check_password(password, about)?;
    Ok(PasswordHash::of(password, stamp))
}

/// Checks a new password as [`hash_password`] does, and costs little.
///
/// # Errors
/// What is wrong with the password, under the path `password`.
pub fn check_password(password: &str, about: &[&str]) -> Result<(), Issues> {
    check(password, about).map_err(|issue| issue.at("password").into())
}

fn check(password: &str, about: &[&str]) -> Result<(), Issue> {
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
    let folded = lower(password);
    let names = |text: &&str| {
        let text = lower(text);
        text == folded || text.split('@').next() == Some(&folded)
    };
    let is_common = COMMON.contains(&*folded) || CORES.contains(core(&folded));
    if is_common || about.iter().any(names) {
        let message = "this password is among those that are guessed first; choose another";
        return Err(Issue::new("too_common", message));
    }
    if folded.chars().collect::<HashSet<_>>().len() < MIN_DISTINCT {
        let message = format!("at least {MIN_DISTINCT} different characters");
        return Err(Issue::new("too_weak", message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use racun_store::testing::stamp;
    use time::OffsetDateTime;

    use super::*;

    #[test]
    fn passwords_are_accepted_up_to_their_limits() {
        let long = "abcde".repeat(41);
        for (password, refused) in [
            ("abcdefgj", None),
            ("ŽČŠĐÜÖŽž", None),
            (&long[..200], None),
            ("abcdefg", Some("too_short")),
            ("", Some("too_short")),
            (&long[..201], Some("too_long")),
            ("PASSWORD1", Some("too_weak")),
            ("12345678", Some("too_weak")),
            ("abababab", Some("too_weak")),
            ("aAbBcC aaa", None),
            ("xyzxyzxyzXYZ", Some("too_weak")),
        ] {
            assert_eq!(check(password, &[]).err().map(|issue| issue.code), refused, "{password}");
        }
    }

    #[test]
    fn common_passwords_are_refused() {
        let about = ["Bernarda.K@Example.com"];
        for password in [
            "password",
            "Password1",
            "Password123!",
            "password!",
            "aaaaaaaa",
            "qwertzuiop",
            "qwerty123!",
            "letmein123",
            "welcome1!",
            "!!password",
            "12password",
            "bernarda.k@example.COM",
        ]
        .into_iter()
        .chain(["bernarda.k"])
        {
            let issue = check(password, &about).unwrap_err();
            assert_eq!(issue.code, "too_common", "{password}");
        }
        for password in ["password1a", "change me 1", "bernarda.k2", "correct horse 1"] {
            assert_eq!(check(password, &about), Ok(()), "{password}");
        }
        assert!(COMMON.len() > 3_000 && COMMON.iter().all(|word| *word == lower(word)));
    }

    #[test]
    fn a_hash_knows_its_password_and_hides_itself() {
        let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
        let hash = hash_password("correct horse", &[], &stamp).unwrap();
        assert!(hash.verify("correct horse"));
        assert!(
            !hash.verify("correct horsE") && !hash.verify("") && !hash.verify(&"a".repeat(999))
        );
        assert_ne!(hash, hash_password("correct horse", &[], &stamp).unwrap(), "salts differ");
        assert!(hash.0.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_eq!(format!("{hash:?}"), "PasswordHash(..)");
    }

    #[test]
    fn an_unknown_user_costs_as_much_as_a_known_one() {
        let dummy = phc::PasswordHash::new(DUMMY).unwrap();
        let somebody =
            hash_password("correct horse", &[], &stamp(OffsetDateTime::UNIX_EPOCH)).unwrap();
        let somebody = phc::PasswordHash::new(&somebody.0).unwrap();
        assert_eq!(dummy.params, somebody.params);
        assert_eq!(dummy.hash.map(|hash| hash.len()), somebody.hash.map(|hash| hash.len()));
        assert!(!PasswordHash::dummy().verify("correct horse"));
    }
}
