//! Signing with a taxpayer's key.

use std::num::NonZeroUsize;
use std::sync::Arc;

use racun_fiscal::{Identity, Signer, SigningFailed};
use ring::digest;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};

use crate::shared_lru::SharedLru;

/// An RSA key that signs.
pub struct RsaSigner {
    key: RsaKeyPair,
    random: SystemRandom,
}

impl RsaSigner {
    /// A signer with `private_key`, PKCS#8 DER.
    ///
    /// # Errors
    /// When it is no RSA key of 2,048 to 4,096 bits.
    pub fn new(private_key: &[u8]) -> Result<Self, SigningFailed> {
        let key = RsaKeyPair::from_pkcs8(private_key).map_err(|_| SigningFailed)?;
        Ok(Self { key, random: SystemRandom::new() })
    }

    /// The public key, PKCS#1 DER.
    #[must_use]
    pub fn public_key(&self) -> &[u8] {
        self.key.public().as_ref()
    }
}

impl Signer for RsaSigner {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, SigningFailed> {
        let mut signature = vec![0; self.key.public().modulus_len()];
        self.key
            .sign(&RSA_PKCS1_SHA256, &self.random, message, &mut signature)
            .map_err(|_| SigningFailed)?;
        Ok(signature)
    }
}

/// How many keys are kept ready: reading one takes longer than signing with it.
const MOST_KEYS: NonZeroUsize = NonZeroUsize::new(1_024).expect("a number above zero");

/// The recently used keys.
pub(crate) struct Signers(SharedLru<[u8; 32], RsaSigner>);

impl Signers {
    pub(crate) fn new() -> Self {
        Self(SharedLru::new(MOST_KEYS))
    }

    pub(crate) fn of(&self, identity: &Identity) -> Result<Arc<RsaSigner>, SigningFailed> {
        self.0.get(fingerprint(&identity.private_key), || RsaSigner::new(&identity.private_key))
    }
}

/// SHA-256 of `bytes`.
pub(crate) fn fingerprint(bytes: &[u8]) -> [u8; 32] {
    let mut fingerprint = [0; 32];
    fingerprint.copy_from_slice(digest::digest(&digest::SHA256, bytes).as_ref());
    fingerprint
}
