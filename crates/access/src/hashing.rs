//! The memory that hashing takes, kept for the next hash.
//!
//! Argon2id fills 19 MiB. Allocated for each hash, these stay with the allocator of every thread
//! that ever hashed: the allocator keeps blocks as large as those it was given back before. So they
//! are allocated as often as hashes run at once, and never given back.

use std::sync::{Mutex, PoisonError};

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, PasswordVerifier as _, Version};

/// Argon2id: memory in KiB, passes and lanes, as the OWASP password storage cheat sheet has them.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// The memory of one hash.
type Memory = Vec<Block>;

/// What hashes one after another share.
pub(crate) struct Hashing {
    free: Mutex<Vec<Memory>>,
}

/// What all hashes of the process share.
pub(crate) static HASHING: Hashing = Hashing::new();

impl Hashing {
    const fn new() -> Self {
        Self { free: Mutex::new(Vec::new()) }
    }

    /// The Argon2id hash of `secret`, which is of no more than a few hundred characters, with the
    /// parameters of this server. It takes tens of milliseconds.
    ///
    /// # Panics
    /// When `salt` is not 8 to 48 bytes long.
    pub(crate) fn hash(&self, secret: &str, salt: &[u8]) -> PasswordHash {
        let argon2 = argon2id();
        let (salt, hash) = self
            .output(&argon2, secret, salt)
            .expect("a short text and a salt of fixed length can be hashed");
        let params = ParamsString::try_from(argon2.params()).expect("the parameters are numbers");
        PasswordHash {
            algorithm: Algorithm::Argon2id.ident(),
            version: Some(Version::V0x13.into()),
            params,
            salt: Some(salt),
            hash: Some(hash),
        }
    }

    /// Whether `known` is the hash of `secret`, in constant time. It takes tens of milliseconds.
    pub(crate) fn verify(&self, secret: &str, known: &PasswordHash) -> bool {
        let argon2 = argon2id();
        let ours = ParamsString::try_from(argon2.params());
        let is_ours = known.algorithm == Algorithm::Argon2id.ident()
            && known.version == Some(Version::V0x13.into())
            && ours.is_ok_and(|params| params == known.params);
        match (known.salt, known.hash) {
            (Some(salt), Some(hash)) if is_ours && hash.len() == Params::DEFAULT_OUTPUT_LEN => {
                self.output(&argon2, secret, &salt).is_some_and(|(_, output)| output == hash)
            }
            _ => argon2.verify_password(secret.as_bytes(), known).is_ok(),
        }
    }

    fn output(&self, argon2: &Argon2<'_>, secret: &str, salt: &[u8]) -> Option<(Salt, Output)> {
        let mut memory = self.take(argon2.params().block_count());
        let mut output = [0; Params::DEFAULT_OUTPUT_LEN];
        let hashed = argon2.hash_password_into_with_memory(
            secret.as_bytes(),
            salt,
            &mut output,
            &mut memory,
        );
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
        hashed.ok()?;
        Some((Salt::new(salt).ok()?, Output::new(&output).ok()?))
    }

    /// Memory that is free, or new memory when all is in use. Argon2 does not mind what is in it.
    fn take(&self, blocks: usize) -> Memory {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(|| vec![Block::new(); blocks])
    }
}

/// Argon2id with the parameters of this server.
fn argon2id() -> Argon2<'static> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None)
        .expect("the constants above are within Argon2's bounds");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

#[cfg(test)]
mod tests {
    use argon2::PasswordHasher as _;

    use super::*;

    #[test]
    fn hashes_one_after_another_share_memory_whatever_thread_they_run_on() {
        let hashing = Hashing::new();
        let salt = *b"sixteen bytes it";
        for secret in ["correct horse", "", "correct horse"] {
            let expected = argon2id().hash_password_with_salt(secret.as_bytes(), &salt).unwrap();
            let work = || {
                let hash = hashing.hash(secret, &salt);
                assert!(hashing.verify(secret, &hash) && !hashing.verify("wrong", &hash));
                hash
            };
            let hash = std::thread::scope(|scope| scope.spawn(work).join()).unwrap();
            assert_eq!(hash.to_string(), expected.to_string());
            assert_eq!(hashing.free.lock().unwrap().len(), 1, "the memory is free again");
        }
    }

    #[test]
    fn hashes_with_other_parameters_are_verified_too() {
        let params = Params::new(8, 1, 1, Some(16)).unwrap();
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let hash = argon2.hash_password_with_salt(b"correct horse", b"example-salt").unwrap();
        let hashing = Hashing::new();
        assert!(hashing.verify("correct horse", &hash) && !hashing.verify("wrong", &hash));
    }
}
