//! The key, and tokens.

use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};

/// A key of ES256 that signs tokens.
pub struct Signer {
    id: String,
    key: EcdsaKeyPair,
    random: SystemRandom,
}

fn failed<E>(_: E) -> io::Error {
    io::Error::other("no key could be made")
}

impl Signer {
    /// A new key, called `id`.
    pub fn new(id: String) -> io::Result<Self> {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let made = EcdsaKeyPair::generate_pkcs8(algorithm, &random).map_err(failed)?;
        let key = EcdsaKeyPair::from_pkcs8(algorithm, made.as_ref(), &random).map_err(failed)?;
        Ok(Self { id, key, random })
    }

    /// Its public part, as a set of keys has it.
    pub fn public(&self) -> Value {
        let point = self.key.public_key().as_ref();
        let (x, y) = point[1..].split_at(32);
        let (x, y) = (URL_SAFE_NO_PAD.encode(x), URL_SAFE_NO_PAD.encode(y));
        json!({"kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": self.id,
            "x": x, "y": y})
    }

    fn head(&self, algorithm: &str) -> Value {
        json!({"alg": algorithm, "typ": "JWT", "kid": self.id})
    }

    /// The token of `claims`.
    pub fn sign(&self, claims: &Value) -> io::Result<String> {
        let message = message(&self.head("ES256"), claims);
        let signature = self.key.sign(&self.random, message.as_bytes()).map_err(failed)?;
        Ok(format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    /// The token of `claims` with the algorithm `none`.
    pub fn unsigned(&self, claims: &Value) -> String {
        message(&self.head("none"), claims) + "."
    }

    /// The token of `claims` with the public key as a shared secret.
    pub fn with_public_key_as_secret(&self, claims: &Value) -> String {
        let message = message(&self.head("HS256"), claims);
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.key.public_key().as_ref());
        let tag = hmac::sign(&key, message.as_bytes());
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(tag))
    }
}

fn message(head: &Value, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}", part(head), part(claims))
}
