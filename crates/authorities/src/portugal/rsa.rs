//! RSA keys as PEM files have them, and encryption under a public one.
//!
//! Source: RFC 8017, appendix A.1 and section 7.2; RFC 5958; RFC 5280.

use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, Odd};
use der::asn1::{AnyRef, BitStringRef, ObjectIdentifier, OctetStringRef, UintRef};
use der::{Reader, SliceReader};
use ring::rand::{SecureRandom, SystemRandom};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, SubjectPublicKeyInfoDer};

use crate::Certificate;

const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");

/// Bytes that stand around a text in a block of encryption, eight random ones included.
const LEAST_PADDING: usize = 11;
/// Bytes of a modulus: 1,024 to 4,096 bits.
const MODULUS: std::ops::RangeInclusive<usize> = 128..=512;

/// The file holds no key that is of use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadKey {
    /// It is no PEM file with a key.
    #[error(
        "expected a PEM file with an RSA key: a private one as PKCS#8 or PKCS#1 without a \
         passphrase, a public one as PUBLIC KEY or within a CERTIFICATE"
    )]
    NoKey,
    /// It is a key of another size.
    #[error("the key has another size: that of the program has 1024 bits, others 1024 to 4096")]
    Size,
    /// Its numbers do not belong together.
    #[error("the numbers of the private key do not belong together")]
    Broken,
}

/// A text could not be encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the sub-user's password cannot be encrypted for the authority")]
pub struct EncryptionFailed;

/// Numbers of a private key, each without zeros before it.
pub(super) struct PrivateNumbers {
    pub(super) modulus: Vec<u8>,
    pub(super) public: Vec<u8>,
    pub(super) private: Vec<u8>,
    /// Both primes.
    pub(super) primes: [Vec<u8>; 2],
    /// The private exponent, modulo each prime less one.
    pub(super) exponents: [Vec<u8>; 2],
    /// The inverse of the second prime modulo the first one.
    pub(super) coefficient: Vec<u8>,
}

impl PrivateNumbers {
    /// Reads the first private key of a PEM file: PKCS#8 or PKCS#1.
    pub(super) fn from_pem(pem: &str) -> Result<Self, BadKey> {
        let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| BadKey::NoKey)?;
        let read = match &key {
            PrivateKeyDer::Pkcs1(key) => Self::from_pkcs1(key.secret_pkcs1_der()),
            PrivateKeyDer::Pkcs8(key) => {
                pkcs8(key.secret_pkcs8_der()).and_then(|key| Self::from_pkcs1(&key))
            }
            _ => return Err(BadKey::NoKey),
        };
        read.map_err(|_| BadKey::NoKey)
    }

    fn from_pkcs1(der: &[u8]) -> der::Result<Self> {
        SliceReader::new(der)?.sequence(|reader| {
            let _two_primes: u8 = reader.decode()?;
            let modulus = number(reader)?;
            let public = number(reader)?;
            let private = number(reader)?;
            let primes = [number(reader)?, number(reader)?];
            let exponents = [number(reader)?, number(reader)?];
            let coefficient = number(reader)?;
            Ok(Self { modulus, public, private, primes, exponents, coefficient })
        })
    }
}

fn number(reader: &mut SliceReader<'_>) -> der::Result<Vec<u8>> {
    let number: UintRef<'_> = reader.decode()?;
    Ok(number.as_bytes().to_vec())
}

/// The PKCS#1 key within a PKCS#8 one.
fn pkcs8(der: &[u8]) -> der::Result<Vec<u8>> {
    SliceReader::new(der)?.sequence(|reader| {
        let _version: u8 = reader.decode()?;
        algorithm(reader)?;
        let key: &OctetStringRef = reader.decode()?;
        let key = key.as_bytes().to_vec();
        while !reader.is_finished() {
            let _attributes: AnyRef<'_> = reader.decode()?;
        }
        Ok(key)
    })
}

/// Passes over an algorithm, which must be RSA.
fn algorithm(reader: &mut SliceReader<'_>) -> der::Result<()> {
    reader.sequence(|reader| {
        let algorithm: ObjectIdentifier = reader.decode()?;
        while !reader.is_finished() {
            let _parameters: AnyRef<'_> = reader.decode()?;
        }
        if algorithm == RSA {
            Ok(())
        } else {
            Err(der::ErrorKind::OidUnknown { oid: algorithm }.into())
        }
    })
}

/// A public RSA key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RsaPublicKey {
    modulus: Vec<u8>,
    exponent: Vec<u8>,
}

impl RsaPublicKey {
    /// Reads the first key of a PEM file: a public key, or that of a certificate.
    ///
    /// # Errors
    /// [`BadKey`].
    pub fn from_pem(pem: &str) -> Result<Self, BadKey> {
        let pkcs1 = match SubjectPublicKeyInfoDer::from_pem_slice(pem.as_bytes()) {
            Ok(key) => Self::pkcs1_of(&key).map_err(|_| BadKey::NoKey)?,
            Err(_) => {
                let der = CertificateDer::from_pem_slice(pem.as_bytes());
                let der = der.map_err(|_| BadKey::NoKey)?;
                Certificate::from_der(&der).and_then(|read| read.rsa_key).ok_or(BadKey::NoKey)?
            }
        };
        let read = |reader: &mut SliceReader<'_>| Ok((number(reader)?, number(reader)?));
        let reader = SliceReader::new(&pkcs1);
        let numbers = reader.and_then(|mut reader| reader.sequence(read));
        let (modulus, exponent) = numbers.map_err(|_: der::Error| BadKey::NoKey)?;
        Self::new(modulus, exponent)
    }

    /// The key of these numbers, big end first, without zeros before them.
    pub(super) fn new(modulus: Vec<u8>, exponent: Vec<u8>) -> Result<Self, BadKey> {
        let is_odd = |number: &[u8]| number.last().is_some_and(|last| last % 2 == 1);
        // An exponent of more is none that a key has, and would cost time.
        let is_exponent = (1..=4).contains(&exponent.len()) && exponent != [1];
        if !MODULUS.contains(&modulus.len()) {
            return Err(BadKey::Size);
        }
        let is_one = is_odd(&modulus) && is_odd(&exponent) && is_exponent;
        if is_one { Ok(Self { modulus, exponent }) } else { Err(BadKey::Broken) }
    }

    fn pkcs1_of(der: &[u8]) -> der::Result<Vec<u8>> {
        SliceReader::new(der)?.sequence(|reader| {
            algorithm(reader)?;
            let key: BitStringRef<'_> = reader.decode()?;
            Ok(key.raw_bytes().to_vec())
        })
    }

    /// The modulus, big end first.
    pub(super) fn modulus(&self) -> &[u8] {
        &self.modulus
    }

    /// The public exponent, big end first.
    pub(super) fn exponent(&self) -> &[u8] {
        &self.exponent
    }

    /// Encrypts `text`, a key, for who has the private key: RSAES-PKCS1-v1_5.
    ///
    /// # Errors
    /// When `text` is too long for the key, or there is no randomness.
    pub fn encrypt(&self, text: &[u8], random: &SystemRandom) -> Result<Vec<u8>, EncryptionFailed> {
        let size = self.modulus.len();
        let padding = size.checked_sub(text.len() + 3).ok_or(EncryptionFailed)?;
        if padding < LEAST_PADDING - 3 {
            return Err(EncryptionFailed);
        }
        let mut filling = vec![0; padding];
        for byte in &mut filling {
            // None of these bytes is zero, for a zero ends them.
            while *byte == 0 {
                random.fill(std::slice::from_mut(byte)).map_err(|_| EncryptionFailed)?;
            }
        }
        let block = [&[0, 2], filling.as_slice(), &[0], text].concat();
        Ok(self.power(&block, &self.exponent))
    }

    /// `block` to the power of `exponent`. The time depends on the sizes alone.
    fn power(&self, block: &[u8], exponent: &[u8]) -> Vec<u8> {
        let bits = |bytes: &[u8]| u32::try_from(bytes.len() * 8).unwrap_or(u32::MAX);
        let of = |bytes: &[u8], bits: u32| BoxedUint::from_be_slice_truncated(bytes, bits);
        let size = bits(&self.modulus);
        // The modulus was found odd.
        let modulus = Odd::new(of(&self.modulus, size)).into_option();
        let Some(modulus) = modulus else { return Vec::new() };
        let params = BoxedMontyParams::new(modulus);
        let power = BoxedMontyForm::new(of(block, size), &params)
            .pow(&of(exponent, bits(exponent)))
            .retrieve()
            .to_be_bytes();
        power[power.len().saturating_sub(self.modulus.len())..].to_vec()
    }
}

/// A private key that opens what was encrypted under its public half, as the authority has one: for
/// a stand-in of the authority.
pub struct RsaPrivateKey {
    public: RsaPublicKey,
    exponent: Vec<u8>,
}

impl RsaPrivateKey {
    /// Reads the first private key of a PEM file.
    ///
    /// # Errors
    /// [`BadKey`].
    pub fn from_pem(pem: &str) -> Result<Self, BadKey> {
        let numbers = PrivateNumbers::from_pem(pem)?;
        let public = RsaPublicKey::new(numbers.modulus, numbers.public)?;
        Ok(Self { public, exponent: numbers.private })
    }

    /// Its public half.
    #[must_use]
    pub const fn public(&self) -> &RsaPublicKey {
        &self.public
    }

    /// Opens what [`RsaPublicKey::encrypt`] made; `None` of all else.
    #[must_use]
    pub fn decrypt(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        if sealed.len() != self.public.modulus.len() {
            return None;
        }
        let block = self.public.power(sealed, &self.exponent);
        let filled = block.strip_prefix(&[0, 2])?;
        let end = filled.iter().position(|byte| *byte == 0)?;
        (end >= LEAST_PADDING - 3).then(|| filled[end + 1..].to_vec())
    }
}
