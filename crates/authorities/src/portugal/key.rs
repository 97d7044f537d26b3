//! The key of the certified program: RSASSA-PKCS1-v1_5 with SHA-1 and 1024 bits, as the law wants
//! it and no library signs any more.
//!
//! Source: Despacho 8632/2014, 4; Portaria 363/2010, article 6; RFC 8017, 5.1.2 and 8.2.

use crypto_bigint::modular::{FixedMontyForm, FixedMontyParams};
use crypto_bigint::{Odd, U512, U1024};
use racun_portugal::{ProgramKey, SigningFailed};
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use ring::signature::{RSA_PKCS1_1024_8192_SHA1_FOR_LEGACY_USE_ONLY, RsaPublicKeyComponents};

use super::rsa::{BadKey, PrivateNumbers, RsaPublicKey};

/// Bytes of the modulus, and of a signature.
const BYTES: usize = 128;
/// Bytes of a prime.
const HALF: usize = BYTES / 2;

/// What stands before a digest of SHA-1 in what is signed (RFC 8017, 9.2, note 1).
const DIGEST_INFO: [u8; 15] =
    [0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14];

type Form = FixedMontyForm<{ U512::LIMBS }>;
type Params = FixedMontyParams<{ U512::LIMBS }>;

/// The public half of the program's key, which the authority has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramPublicKey(RsaPublicKey);

impl ProgramPublicKey {
    /// Reads the key of a PEM file.
    ///
    /// # Errors
    /// [`BadKey`], also for a key that has not 1024 bits.
    pub fn from_pem(pem: &str) -> Result<Self, BadKey> {
        Self::of(RsaPublicKey::from_pem(pem)?)
    }

    fn of(key: RsaPublicKey) -> Result<Self, BadKey> {
        let is_full = key.modulus().first().is_some_and(|first| *first >= 0x80);
        if key.modulus().len() == BYTES && is_full { Ok(Self(key)) } else { Err(BadKey::Size) }
    }

    /// Whether `signature` is one of `text` by the program's key.
    #[must_use]
    pub fn verifies(&self, text: &[u8], signature: &[u8]) -> bool {
        let key = RsaPublicKeyComponents { n: self.0.modulus(), e: self.0.exponent() };
        key.verify(&RSA_PKCS1_1024_8192_SHA1_FOR_LEGACY_USE_ONLY, text, signature).is_ok()
    }
}

/// A prime of the key, and the private exponent for it.
struct Prime {
    params: Params,
    exponent: U512,
}

impl Prime {
    fn new(prime: &[u8], exponent: &[u8]) -> Result<Self, BadKey> {
        let prime = Odd::new(half(prime)?).into_option().ok_or(BadKey::Broken)?;
        Ok(Self { params: Params::new(prime), exponent: half(exponent)? })
    }

    /// `number`, as it is modulo the prime.
    fn form(&self, number: &U1024) -> Form {
        Form::new(&number.rem(self.params.modulus().as_nz_ref()), &self.params)
    }
}

/// The private key of the certified program.
///
/// All that is computed with it takes the same time for every text. A signature is verified by
/// another implementation before it leaves, so a fault of the machine gives none away that would
/// tell the key.
pub struct RsaProgramKey {
    version: u32,
    first: Prime,
    second: Prime,
    /// The inverse of the second prime, modulo the first one.
    coefficient: Form,
    public: ProgramPublicKey,
}

impl RsaProgramKey {
    /// The key of a PEM file, the program's key number `version`, from 1.
    ///
    /// # Errors
    /// [`BadKey`]: it is none, has not 1024 bits, or does not sign.
    pub fn from_pem(pem: &str, version: u32) -> Result<Self, BadKey> {
        let numbers = PrivateNumbers::from_pem(pem)?;
        let public = RsaPublicKey::new(numbers.modulus, numbers.public)?;
        let public = ProgramPublicKey::of(public)?;
        let ([p, q], [dp, dq]) = (&numbers.primes, &numbers.exponents);
        let (first, second) = (Prime::new(p, dp)?, Prime::new(q, dq)?);
        let coefficient = first.form(&half(&numbers.coefficient)?.resize());
        let key = Self { version, first, second, coefficient, public };
        key.sign(b"is this a key that signs?").map_err(|_| BadKey::Broken)?;
        Ok(key)
    }

    /// Its public half.
    #[must_use]
    pub const fn public(&self) -> &ProgramPublicKey {
        &self.public
    }

    /// `block` to the power of the private exponent, by the Chinese remainder theorem.
    fn power(&self, block: &[u8; BYTES]) -> Vec<u8> {
        let block = U1024::from_be_slice(block);
        let part = |prime: &Prime| prime.form(&block).pow(&prime.exponent);
        let (one, two) = (part(&self.first), part(&self.second).retrieve());
        let missing = (one - self.first.form(&two.resize())) * self.coefficient;
        let second = self.second.params.modulus().as_ref();
        let (low, high) = second.widening_mul(&missing.retrieve());
        let whole: U1024 = low.concat(&high);
        whole.wrapping_add(&two.resize()).to_be_bytes().as_ref().to_vec()
    }
}

impl ProgramKey for RsaProgramKey {
    fn version(&self) -> u32 {
        self.version
    }

    fn sign(&self, text: &[u8]) -> Result<Vec<u8>, SigningFailed> {
        let signature = self.power(&encoded(text));
        let holds = self.public.verifies(text, &signature);
        if holds { Ok(signature) } else { Err(SigningFailed) }
    }
}

/// What is signed of `text`: EMSA-PKCS1-v1_5.
fn encoded(text: &[u8]) -> [u8; BYTES] {
    let digest = digest(&SHA1_FOR_LEGACY_USE_ONLY, text);
    let tail = DIGEST_INFO.iter().chain(digest.as_ref());
    let start = BYTES - DIGEST_INFO.len() - digest.as_ref().len();
    let mut block = [0xff; BYTES];
    block[0] = 0;
    block[1] = 1;
    block[start - 1] = 0;
    for (place, byte) in block[start..].iter_mut().zip(tail) {
        *place = *byte;
    }
    block
}

/// A number of at most 512 bits.
fn half(bytes: &[u8]) -> Result<U512, BadKey> {
    let room = HALF.checked_sub(bytes.len()).ok_or(BadKey::Size)?;
    let mut padded = [0; HALF];
    padded[room..].copy_from_slice(bytes);
    Ok(U512::from_be_slice(&padded))
}
