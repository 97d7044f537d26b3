//! Keys that sign and verify as the law wants it, for tests: RSASSA-PKCS1-v1_5 with SHA-1.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bigdecimal::num_bigint::BigUint;
use racun_portugal::{ProgramKey, SigningFailed};
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use ring::signature::{RSA_PKCS1_1024_8192_SHA1_FOR_LEGACY_USE_ONLY, RsaPublicKeyComponents};

use crate::world::vectors;

/// What stands before a SHA-1 digest in an EMSA-PKCS1-v1_5 encoding (RFC 8017, 9.2, note 1).
const DIGEST_INFO: [u8; 15] =
    [0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14];

/// A throw-away key of the vectors.
pub struct Key {
    modulus: BigUint,
    public: BigUint,
    private: BigUint,
    version: u32,
}

impl Key {
    /// `test_a` or `at_demo`.
    pub fn read(name: &str) -> Self {
        let pem = fs::read_to_string(vectors().join(format!("keys/{name}_private.pem"))).unwrap();
        let base64: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
        let der = STANDARD.decode(base64).unwrap();
        // PKCS#8 wraps the key into an octet string; PKCS#1 is the key.
        let numbers = integers(&der).unwrap_or_else(|inner| integers(&inner).unwrap());
        let [_, modulus, public, private, ..] = numbers.as_slice() else { panic!("a short key") };
        let whole = |bytes: &Vec<u8>| BigUint::from_bytes_be(bytes);
        Self { modulus: whole(modulus), public: whole(public), private: whole(private), version: 1 }
    }

    /// A public key, which signs nothing, from a text in PEM.
    pub fn public(pem: &str) -> Self {
        let base64: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
        let der = STANDARD.decode(base64).unwrap();
        // SubjectPublicKeyInfo: the algorithm, and the key in a string of bits.
        let (_, content, _) = element(&der);
        let (_, _, bits) = element(content);
        let (_, key, _) = element(bits);
        let numbers = integers(&key[1..]).unwrap();
        let [modulus, public] = numbers.as_slice() else { panic!("no public key") };
        let whole = |bytes: &Vec<u8>| BigUint::from_bytes_be(bytes);
        let (modulus, public) = (whole(modulus), whole(public));
        Self { modulus, public, private: BigUint::default(), version: 1 }
    }

    /// Whether `signature` is one of `text` by this key: what ring says.
    pub fn verifies(&self, text: &[u8], signature: &[u8]) -> bool {
        let (n, e) = (self.modulus.to_bytes_be(), self.public.to_bytes_be());
        let key = RsaPublicKeyComponents { n, e };
        key.verify(&RSA_PKCS1_1024_8192_SHA1_FOR_LEGACY_USE_ONLY, text, signature).is_ok()
    }
}

impl ProgramKey for Key {
    fn version(&self) -> u32 {
        self.version
    }

    fn sign(&self, text: &[u8]) -> Result<Vec<u8>, SigningFailed> {
        let digest = digest(&SHA1_FOR_LEGACY_USE_ONLY, text);
        let tail = [&[0][..], &DIGEST_INFO, digest.as_ref()].concat();
        let mut encoded = vec![0xff; 128 - tail.len()];
        encoded[0] = 0;
        encoded[1] = 1;
        encoded.extend(tail);
        let signature =
            BigUint::from_bytes_be(&encoded).modpow(&self.private, &self.modulus).to_bytes_be();
        Ok([vec![0; 128 - signature.len()], signature].concat())
    }
}

/// The integers of a sequence in DER; of one that holds an octet string, that string.
fn integers(der: &[u8]) -> Result<Vec<Vec<u8>>, Vec<u8>> {
    let (_, mut rest, _) = element(der);
    let mut numbers = Vec::new();
    while !rest.is_empty() {
        let (tag, content, after) = element(rest);
        match tag {
            0x02 => numbers.push(content.to_vec()),
            0x04 => return Err(content.to_vec()),
            _ => {}
        }
        rest = after;
    }
    Ok(numbers)
}

/// Tag and content of the first element, and what follows it.
fn element(der: &[u8]) -> (u8, &[u8], &[u8]) {
    let first = usize::from(der[1]);
    let (length, start) = if first < 0x80 {
        (first, 2)
    } else {
        let count = first - 0x80;
        let bytes = &der[2..2 + count];
        (bytes.iter().fold(0, |sum, byte| sum * 256 + usize::from(*byte)), 2 + count)
    };
    (der[0], &der[start..start + length], &der[start + length..])
}
