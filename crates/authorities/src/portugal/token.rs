//! Who calls a service of the authority.
//!
//! Each request has a key of its own, AES-128, which goes under the authority's public key; the
//! password and the time of the request go under that key.
//!
//! Source: AT, "Comunicação de Séries Documentais", general aspects, 1.0 of July 2021.

use aes::Aes128;
use aes::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use racun_portugal::soap::security_header;
use ring::rand::{SecureRandom, SystemRandom};
use time::OffsetDateTime;
use time::UtcOffset;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;

use super::rsa::{EncryptionFailed, RsaPublicKey};

const CREATED: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");

/// Bytes of a block, and of the key.
const BLOCK: usize = 16;

/// The three texts by which the authority knows who calls, each of Base64. They are used once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The key of the request, under the authority's key.
    pub nonce: String,
    /// The password, under the key of the request.
    pub password: String,
    /// The time, likewise.
    pub created: String,
}

impl Token {
    /// A token of `now` for the password, with a key of its own.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn new(
        authority: &RsaPublicKey,
        password: &str,
        now: OffsetDateTime,
    ) -> Result<Self, EncryptionFailed> {
        let random = SystemRandom::new();
        let mut key = [0; BLOCK];
        random.fill(&mut key).map_err(|_| EncryptionFailed)?;
        let created = now.to_offset(UtcOffset::UTC).format(CREATED);
        let created = created.map_err(|_| EncryptionFailed)?;
        Ok(Self {
            nonce: STANDARD.encode(authority.encrypt(&key, &random)?),
            password: STANDARD.encode(padded_ecb(&key, password.as_bytes())),
            created: STANDARD.encode(padded_ecb(&key, created.as_bytes())),
        })
    }

    /// The header of a message of the sub-user `user`.
    #[must_use]
    pub fn header(&self, user: &str) -> String {
        security_header(user, &self.nonce, &self.password, &self.created)
    }
}

/// `text` under `key`: AES-128 in ECB mode, padded as PKCS#5 says. It is what the authority asks
/// for: the key is used for one request, and no block of it twice.
#[must_use]
pub fn padded_ecb(key: &[u8; BLOCK], text: &[u8]) -> Vec<u8> {
    let cipher = Aes128::new(&Array::from(*key));
    let missing = BLOCK - text.len() % BLOCK;
    let filling = u8::try_from(missing).unwrap_or_default();
    let mut padded = text.to_vec();
    padded.resize(text.len() + missing, filling);
    let (blocks, _) = padded.as_chunks_mut::<BLOCK>();
    for block in blocks {
        let mut own = Array::from(*block);
        cipher.encrypt_block(&mut own);
        *block = own.into();
    }
    padded
}

/// Opens what [`padded_ecb`] made; `None` of all else.
#[must_use]
pub fn opened_ecb(key: &[u8; BLOCK], sealed: &[u8]) -> Option<Vec<u8>> {
    let cipher = Aes128::new(&Array::from(*key));
    let mut text = sealed.to_vec();
    let (blocks, rest) = text.as_chunks_mut::<BLOCK>();
    if !rest.is_empty() {
        return None;
    }
    for block in blocks {
        let mut own = Array::from(*block);
        cipher.decrypt_block(&mut own);
        *block = own.into();
    }
    let filling = *text.last()?;
    let missing = usize::from(filling);
    let start = text.len().checked_sub(missing).filter(|_| (1..=BLOCK).contains(&missing))?;
    let is_filled = text[start..].iter().all(|byte| *byte == filling);
    text.truncate(start);
    is_filled.then_some(text)
}
