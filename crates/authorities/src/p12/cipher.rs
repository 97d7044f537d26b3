//! How a PKCS#12 file is locked: the cost of opening it, its ciphers and its checksum.

use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockCipherDecrypt, BlockModeDecrypt, KeyInit, KeyIvInit};
use der::asn1::ObjectIdentifier;
use der::{Decode, Reader, SliceReader, Tag};
use pkcs5::pbes2::{Kdf, PBES2_OID, Parameters};
use racun_fiscal::P12Error;
use ring::digest::{self, Algorithm};
use ring::hmac;

use super::values::{inside, not_p12, value};

/// Hashes to derive all keys of a file. Three keys of 600,000 iterations, what OWASP advises, need
/// about three millions; the files of the authorities need some ten thousand.
const MOST_ROUNDS: u32 = 4_000_000;
/// Parts of a file: containers, keys and certificates. A key and its certificates need five or six.
const MOST_PARTS: u32 = 64;

const SHA_3DES: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.1.3");
const SHA_RC2_40: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.1.6");
const SHA1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.14.3.2.26");
const SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.1");
const SHA384: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.2");
const SHA512: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.3");

/// The bytes that a key, an initialisation vector and a checksum are derived with (RFC 7292 B.3).
#[derive(Debug, Clone, Copy)]
enum Purpose {
    Key,
    Vector,
    Checksum,
}

impl Purpose {
    const fn byte(self) -> u8 {
        match self {
            Self::Key => 1,
            Self::Vector => 2,
            Self::Checksum => 3,
        }
    }
}

/// What opening one file may still cost. The file itself says how often its passphrase is hashed,
/// in the clear and within what is encrypted; the sum counts, for each part is cheap alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Budget {
    rounds: u32,
    parts: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self { rounds: MOST_ROUNDS, parts: MOST_PARTS }
    }
}

impl Budget {
    /// A budget of so many hashes, for tests that open many files.
    #[cfg(test)]
    pub(super) const fn of(rounds: u32) -> Self {
        Self { rounds, parts: MOST_PARTS }
    }

    /// Pays for one part.
    pub(super) fn part(&mut self) -> Result<(), P12Error> {
        self.parts = self.parts.checked_sub(1).ok_or(P12Error::TooMuch)?;
        Ok(())
    }

    /// Pays for a key of `iterations`, each of which hashes `hashes` times.
    fn hash(&mut self, iterations: u32, hashes: u32) -> Result<(), P12Error> {
        let rounds = iterations.checked_mul(hashes).ok_or(P12Error::TooMuch)?;
        self.rounds = self.rounds.checked_sub(rounds).ok_or(P12Error::TooMuch)?;
        Ok(())
    }
}

/// A passphrase, as both kinds of key derivation take it.
#[derive(Debug)]
pub(super) struct Passphrase<'a> {
    text: &'a str,
    /// UTF-16, big end first, with a zero behind it.
    wide: Vec<u8>,
}

impl<'a> Passphrase<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let units = text.encode_utf16().chain([0]);
        Self { text, wide: units.flat_map(u16::to_be_bytes).collect() }
    }
}

/// Decrypts `data` as `algorithm`, an `AlgorithmIdentifier`, says.
pub(super) fn decrypt(
    mut algorithm: SliceReader<'_>,
    data: &[u8],
    passphrase: &Passphrase<'_>,
    budget: &mut Budget,
) -> Result<Vec<u8>, P12Error> {
    let scheme: ObjectIdentifier = algorithm.decode().map_err(not_p12)?;
    if scheme == PBES2_OID {
        let parameters = Parameters::from_der(algorithm.tlv_bytes().map_err(not_p12)?);
        let parameters = parameters.map_err(not_p12)?;
        match &parameters.kdf {
            // HMAC hashes twice.
            Kdf::Pbkdf2(kdf) => budget.hash(kdf.iteration_count.max(1), 2)?,
            // It takes as much memory as the file says.
            _ => return Err(P12Error::TooMuch),
        }
        let opened = parameters.decrypt(passphrase.text, data);
        return opened.map_err(|_| P12Error::WrongPassphrase);
    }
    let mut parameters = inside(&mut algorithm, Tag::Sequence)?;
    let salt = value(&mut parameters, Tag::OctetString)?;
    let iterations: u32 = parameters.decode().map_err(not_p12)?;
    match scheme {
        // 24 bytes of key are two hashes of SHA-1, the vector is a third one.
        SHA_3DES => {
            budget.hash(iterations, 3)?;
            decrypt_cbc::<des::TdesEde3>(data, passphrase, salt, iterations, 24)
        }
        SHA_RC2_40 => {
            budget.hash(iterations, 2)?;
            decrypt_cbc::<rc2::Rc2>(data, passphrase, salt, iterations, 5)
        }
        _ => Err(P12Error::NotP12),
    }
}

fn decrypt_cbc<C: KeyInit + BlockCipherDecrypt>(
    data: &[u8],
    passphrase: &Passphrase<'_>,
    salt: &[u8],
    iterations: u32,
    key_bytes: usize,
) -> Result<Vec<u8>, P12Error> {
    let derive = |purpose, bytes| {
        let sha1 = &digest::SHA1_FOR_LEGACY_USE_ONLY;
        derive(sha1, purpose, &passphrase.wide, salt, iterations, bytes)
    };
    let (key, vector) = (derive(Purpose::Key, key_bytes), derive(Purpose::Vector, 8));
    let cipher = cbc::Decryptor::<C>::new_from_slices(&key, &vector).map_err(not_p12)?;
    cipher.decrypt_padded_vec::<Pkcs7>(data).map_err(|_| P12Error::WrongPassphrase)
}

/// Compares the checksum of `content` with `mac`, a `MacData`. Not PBMAC1 (RFC 9579).
pub(super) fn verify(
    mut mac: SliceReader<'_>,
    content: &[u8],
    passphrase: &Passphrase<'_>,
    budget: &mut Budget,
) -> Result<(), P12Error> {
    let mut info = inside(&mut mac, Tag::Sequence)?;
    let name = inside(&mut info, Tag::Sequence)?.decode().map_err(not_p12)?;
    let expected = value(&mut info, Tag::OctetString)?;
    let salt = value(&mut mac, Tag::OctetString)?;
    let iterations: u32 = if mac.is_finished() { 1 } else { mac.decode().map_err(not_p12)? };
    let algorithm = match name {
        SHA1 => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
        SHA256 => hmac::HMAC_SHA256,
        SHA384 => hmac::HMAC_SHA384,
        SHA512 => hmac::HMAC_SHA512,
        _ => return Err(P12Error::NotP12),
    };
    budget.hash(iterations, 1)?;
    let hash = algorithm.digest_algorithm();
    let bytes = hash.output_len();
    let key = derive(hash, Purpose::Checksum, &passphrase.wide, salt, iterations, bytes);
    hmac::verify(&hmac::Key::new(algorithm, &key), content, expected)
        .map_err(|_| P12Error::WrongPassphrase)
}

/// Derives a key of `bytes` bytes (RFC 7292 B.2).
fn derive(
    hash: &'static Algorithm,
    purpose: Purpose,
    passphrase: &[u8],
    salt: &[u8],
    iterations: u32,
    bytes: usize,
) -> Vec<u8> {
    let block = hash.block_len();
    let mut input = repeated(salt, block);
    input.extend(repeated(passphrase, block));
    let mut key = Vec::new();
    loop {
        let mut context = digest::Context::new(hash);
        context.update(&vec![purpose.byte(); block]);
        context.update(&input);
        let mut hashed = context.finish();
        for _ in 1..iterations {
            hashed = digest::digest(hash, hashed.as_ref());
        }
        key.extend_from_slice(hashed.as_ref());
        if key.len() >= bytes {
            key.truncate(bytes);
            return key;
        }
        for part in input.chunks_mut(block) {
            add(part, hashed.as_ref());
        }
    }
}

/// `bytes`, again and again until they fill blocks of `block` bytes.
fn repeated(bytes: &[u8], block: usize) -> Vec<u8> {
    let length = bytes.len().div_ceil(block) * block;
    bytes.iter().copied().cycle().take(length).collect()
}

/// Adds `hashed`, repeated, and one to `part`, as numbers.
fn add(part: &mut [u8], hashed: &[u8]) {
    let mut carry = 1;
    for (at, byte) in part.iter_mut().enumerate().rev() {
        let sum: u16 = carry + u16::from(*byte) + u16::from(hashed[at % hashed.len()]);
        let [high, low] = sum.to_be_bytes();
        *byte = low;
        carry = u16::from(high);
    }
}
