//! Certificates of made-up taxpayers.

use p12_keystore::{
    Certificate, EncryptionAlgorithm, KeyStore, KeyStoreEntry, MacAlgorithm, PrivateKey,
    PrivateKeyChain,
};
use racun_fiscal::Authority;
use time::{Duration, OffsetDateTime};

use super::Authorities;
use super::certificate::{Identity, Key, Use, Wanted as WantedCertificate, random};
use super::name::{Kind, Name};

/// The keys that taxpayers share, by turns.
const KEYS: [&[u8]; 4] = [
    include_bytes!("../../keys/throw-away-taxpayer-1.pem"),
    include_bytes!("../../keys/throw-away-taxpayer-2.pem"),
    include_bytes!("../../keys/throw-away-taxpayer-3.pem"),
    include_bytes!("../../keys/throw-away-taxpayer-4.pem"),
];

/// Rounds of hashing in a P12 file. Few, for the key protects nothing.
const ROUNDS: u32 = 2_000;

/// What a taxpayer's certificate is to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Whose rules it follows.
    pub authority: Authority,
    /// Eight digits in Slovenia, the OIB in Croatia. Empty, to have a certificate without it.
    pub tax_number: String,
    /// The taxpayer's name.
    pub name: String,
    /// What opens the P12 file.
    pub passphrase: String,
    /// Days from now until it expires; negative when it is over. It began a year before.
    pub valid_days: i64,
    /// Whether the file is encrypted as old ones are (3DES, SHA-1).
    pub is_legacy: bool,
}

impl Wanted {
    /// A certificate of five years in a modern file, the passphrase `passphrase`.
    #[must_use]
    pub fn new(authority: Authority, tax_number: &str, passphrase: &str) -> Self {
        Self {
            authority,
            tax_number: tax_number.to_owned(),
            name: "TESTNO PODJETJE".to_owned(),
            passphrase: passphrase.to_owned(),
            valid_days: 5 * 365,
            is_legacy: false,
        }
    }
}

/// A taxpayer's certificate and key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taxpayer {
    /// Certificate, issuer and key as a P12 file.
    pub p12: Vec<u8>,
    /// The certificate, DER.
    pub certificate: Vec<u8>,
    /// The certificate, PEM.
    pub certificate_pem: String,
    /// The private key, PKCS#8 DER.
    pub private_key: Vec<u8>,
    /// Serial number, decimal.
    pub serial: String,
}

/// Why no P12 file could be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the P12 file cannot be made: {0}")]
pub struct TaxpayerError(String);

impl Authorities {
    /// Issues a taxpayer's certificate.
    ///
    /// # Errors
    /// When the file cannot be encrypted, as with a passphrase that cannot be written in UTF-16.
    pub fn issue(&self, wanted: &Wanted, now: OffsetDateTime) -> Result<Taxpayer, TaxpayerError> {
        let turn = wanted.tax_number.bytes().map(usize::from).sum::<usize>() % KEYS.len();
        let key = Key::embedded(KEYS[turn]);
        let (issuer, subject, serial, purpose) = match wanted.authority {
            Authority::Furs => (&self.tax_ca, of_slovenia(wanted), half(random()), Use::Sign),
            Authority::Fina => {
                let mut serial = random::<16>().to_vec();
                serial[0] = serial[0] & 0x7f | 0x40;
                (&self.fina_ca, of_croatia(wanted), serial, Use::Fiscal)
            }
        };
        let until = now + Duration::days(wanted.valid_days);
        let identity = issuer.issue(
            key,
            &WantedCertificate {
                subject: &subject,
                serial: &serial,
                not_before: (now - Duration::days(365)).min(until - Duration::days(365)),
                not_after: until,
                purpose,
            },
        );
        let p12 =
            p12(&identity, issuer, wanted).map_err(|error| TaxpayerError(error.to_string()))?;
        Ok(Taxpayer {
            p12,
            certificate_pem: identity.pem(),
            serial: identity.serial_decimal(),
            private_key: identity.key.pkcs8.clone(),
            certificate: identity.der,
        })
    }
}

/// 64 bits, of which the first is set: more than a signed machine word holds.
fn half(mut serial: [u8; 8]) -> Vec<u8> {
    serial[0] |= 0x80;
    serial.to_vec()
}

fn of_slovenia(wanted: &Wanted) -> Name {
    let mut attributes = vec![
        (Kind::Country, "SI"),
        (Kind::Organization, "state-institutions"),
        (Kind::Unit, "DavPotRacTEST"),
    ];
    if !wanted.tax_number.is_empty() {
        attributes.push((Kind::Unit, &*wanted.tax_number));
    }
    attributes.push((Kind::SerialNumber, "1"));
    attributes.push((Kind::CommonName, &*wanted.name));
    Name::new(&attributes)
}

fn of_croatia(wanted: &Wanted) -> Name {
    let organization = match &*wanted.tax_number {
        "" => wanted.name.clone(),
        oib => format!("{} HR{oib}", wanted.name),
    };
    Name::new(&[
        (Kind::Country, "HR"),
        (Kind::Organization, &organization),
        (Kind::Locality, "ZAGREB"),
        (Kind::CommonName, "FISKAL 1"),
    ])
}

fn p12(
    identity: &Identity,
    issuer: &Identity,
    wanted: &Wanted,
) -> Result<Vec<u8>, p12_keystore::error::Error> {
    let certificates = [Certificate::from_der(&identity.der)?, Certificate::from_der(&issuer.der)?];
    let key = PrivateKey::from_der(&identity.key.pkcs8)?;
    let chain = PrivateKeyChain::new(random::<8>().to_vec(), key, certificates);
    let mut store = KeyStore::new();
    store.add_entry("taxpayer", KeyStoreEntry::PrivateKeyChain(chain));
    let writer =
        store.writer(&wanted.passphrase).encryption_iterations(ROUNDS).mac_iterations(2_000);
    if wanted.is_legacy {
        writer
            .encryption_algorithm(EncryptionAlgorithm::PbeWithShaAnd3KeyTripleDesCbc)
            .mac_algorithm(MacAlgorithm::HmacSha1)
            .write()
    } else {
        writer.write()
    }
}
