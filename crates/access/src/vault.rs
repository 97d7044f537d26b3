//! The vault: secrets of entities, sealed under a key that is derived from the server's master key,
//! and the ring of such keys that opens what earlier ones sealed.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use racun_kernel::{CannotOpen, Stamp, Vault};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};

use crate::secret::hex;

/// Distinguishes keys of this vault from other keys derived from the same master key.
const SALT: &[u8] = b"racun vault";
/// Tells the key that seals from its id.
const KEY_INFO: &[u8] = b"racun vault key v1";
/// Tells the key's id from the key.
const ID_INFO: &[u8] = b"racun vault key id v1";
/// Bytes of a key's id: enough to tell keys apart, of no use to find one.
const ID_BYTES: usize = 8;
/// The form of sealed texts: `v1.<key id>.<nonce>.<secret and tag>`.
const VERSION: &str = "v1";

/// Seals secrets with AES-256-GCM under a key that is derived from the server's master key.
///
/// What is sealed opens again with the same key, as the same owner's, unaltered, and otherwise not.
pub struct MasterVault {
    key: LessSafeKey,
    id: String,
}

/// Length of the key's id, for its derivation.
struct IdLength;

impl KeyType for IdLength {
    fn len(&self) -> usize {
        ID_BYTES
    }
}

impl MasterVault {
    /// The vault of the server that has this master key.
    #[must_use]
    pub fn derive(master: &[u8; 32]) -> Self {
        let root = Salt::new(HKDF_SHA256, SALT).extract(master);
        let key = root.expand(&[KEY_INFO], &AES_256_GCM).expect("HKDF gives up to 8,160 bytes");
        let mut id = [0; ID_BYTES];
        root.expand(&[ID_INFO], IdLength)
            .and_then(|derived| derived.fill(&mut id))
            .expect("HKDF gives up to 8,160 bytes");
        Self { key: LessSafeKey::new(UnboundKey::from(key)), id: hex(&id) }
    }

    /// The key's id: the same for the same master key, and of no use to find it.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What is authenticated beside the secret: the form, the key and the owner.
    fn bound(&self, owner: &str) -> Aad<String> {
        Aad::from(format!("{VERSION}.{}.{owner}", self.id))
    }
}

impl Vault for MasterVault {
    fn seal(&self, owner: &str, secret: &[u8], stamp: &Stamp) -> String {
        let mut nonce = [0; NONCE_LEN];
        nonce.copy_from_slice(&stamp.secret()[..NONCE_LEN]);
        let mut sealed = secret.to_vec();
        self.key
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                self.bound(owner),
                &mut sealed,
            )
            .expect("AES-GCM takes up to 64 GiB");
        let (nonce, sealed) = (URL_SAFE_NO_PAD.encode(nonce), URL_SAFE_NO_PAD.encode(sealed));
        format!("{VERSION}.{}.{nonce}.{sealed}", self.id)
    }

    fn open(&self, owner: &str, sealed: &str) -> Result<Vec<u8>, CannotOpen> {
        let parts: Vec<&str> = sealed.split('.').collect();
        let [VERSION, id, nonce, sealed] = parts[..] else { return Err(CannotOpen) };
        if id != self.id {
            return Err(CannotOpen);
        }
        let bytes = |text| URL_SAFE_NO_PAD.decode(text).map_err(|_| CannotOpen);
        let nonce = Nonce::try_assume_unique_for_key(&bytes(nonce)?).map_err(|_| CannotOpen)?;
        let mut sealed = bytes(sealed)?;
        let opened = self.key.open_in_place(nonce, self.bound(owner), &mut sealed);
        opened.map(|secret| secret.to_vec()).map_err(|_| CannotOpen)
    }
}

impl fmt::Debug for MasterVault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MasterVault({})", self.id)
    }
}

/// The keys of a server: one seals, and all of them open what they sealed.
#[derive(Debug)]
pub struct KeyRing {
    current: MasterVault,
    others: Vec<MasterVault>,
}

impl KeyRing {
    /// The ring in which `current` seals.
    #[must_use]
    pub const fn new(current: MasterVault, others: Vec<MasterVault>) -> Self {
        Self { current, others }
    }

    /// The id of the key that seals.
    #[must_use]
    pub fn current(&self) -> &str {
        self.current.id()
    }

    /// `sealed` under the key that seals: the same text where it is under that one already.
    ///
    /// # Errors
    /// [`CannotOpen`].
    pub fn reseal(&self, owner: &str, sealed: &str, stamp: &Stamp) -> Result<String, CannotOpen> {
        let secret = self.open(owner, sealed)?;
        match key_of(sealed) {
            Some(id) if id == self.current() => Ok(sealed.to_owned()),
            _ => Ok(self.seal(owner, &secret, stamp)),
        }
    }
}

impl Vault for KeyRing {
    fn seal(&self, owner: &str, secret: &[u8], stamp: &Stamp) -> String {
        self.current.seal(owner, secret, stamp)
    }

    fn open(&self, owner: &str, sealed: &str) -> Result<Vec<u8>, CannotOpen> {
        let id = key_of(sealed).ok_or(CannotOpen)?;
        let mut keys = std::iter::once(&self.current).chain(&self.others);
        keys.find(|key| key.id == id).ok_or(CannotOpen)?.open(owner, sealed)
    }
}

/// The id of the key that a text is sealed under.
#[must_use]
pub fn key_of(sealed: &str) -> Option<&str> {
    sealed.split('.').nth(1)
}

#[cfg(test)]
mod tests {
    use racun_store::testing::stamp;
    use time::OffsetDateTime;

    use super::*;

    const OWNER: &str = "fiscal_settings/ent_1/furs";

    #[test]
    fn sealed_data_open_only_for_their_owner_and_key() {
        let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
        let (vault, other) = (MasterVault::derive(&[1; 32]), MasterVault::derive(&[2; 32]));
        for secret in [&b""[..], b"s", &[0xff; 5_000]] {
            let sealed = vault.seal(OWNER, secret, &stamp);
            assert_eq!(vault.open(OWNER, &sealed).as_deref(), Ok(secret));
            assert_eq!(vault.open("fiscal_settings/ent_2/furs", &sealed), Err(CannotOpen));
            assert_eq!(vault.open("", &sealed), Err(CannotOpen));
            assert_eq!(other.open(OWNER, &sealed), Err(CannotOpen));
        }
    }

    #[test]
    fn no_byte_of_a_sealed_text_can_be_altered() {
        let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
        let vault = MasterVault::derive(&[1; 32]);
        let sealed = vault.seal(OWNER, b"a private key", &stamp);
        assert!(sealed.starts_with(&format!("v1.{}.", vault.id)), "{sealed}");
        for place in 0..sealed.len() {
            let mut altered = sealed.clone().into_bytes();
            altered[place] = if altered[place] == b'A' { b'B' } else { b'A' };
            let altered = String::from_utf8(altered).unwrap();
            assert_eq!(vault.open(OWNER, &altered), Err(CannotOpen), "{altered}");
            assert_eq!(vault.open(OWNER, &sealed[..place]), Err(CannotOpen), "{place}");
        }
        assert_eq!(vault.open(OWNER, &format!("{sealed}.A")), Err(CannotOpen));
    }

    #[test]
    fn two_seals_differ_and_nothing_shows_what_is_sealed() {
        let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
        let vault = MasterVault::derive(&[1; 32]);
        let [one, other] = [(); 2].map(|()| vault.seal(OWNER, b"a private key", &stamp));
        assert_ne!(one, other);
        assert!(!format!("{vault:?} {one}").contains("private"));
        let id = &one.split('.').nth(1).unwrap();
        assert_eq!(id.len(), 2 * ID_BYTES);
    }

    #[test]
    fn a_ring_opens_what_each_of_its_keys_sealed_and_seals_under_one() {
        let stamp = stamp(OffsetDateTime::UNIX_EPOCH);
        let [old, new] = [1, 2].map(|byte| MasterVault::derive(&[byte; 32]));
        let sealed = old.seal(OWNER, b"s", &stamp);
        let ring = KeyRing::new(new, vec![old]);
        assert_eq!(ring.open(OWNER, &sealed).as_deref(), Ok(&b"s"[..]));
        let resealed = ring.reseal(OWNER, &sealed, &stamp).unwrap();
        assert_eq!(MasterVault::derive(&[2; 32]).open(OWNER, &resealed).as_deref(), Ok(&b"s"[..]));
        assert_eq!(ring.reseal(OWNER, &resealed, &stamp).as_ref(), Ok(&resealed));
        let foreign = MasterVault::derive(&[3; 32]).seal(OWNER, b"s", &stamp);
        for sealed in [foreign.as_str(), "", "v1", "plain"] {
            assert_eq!(ring.reseal(OWNER, sealed, &stamp), Err(CannotOpen), "{sealed}");
        }
    }
}
