//! Makes certificates.

use ring::digest;
use ring::rand::{SecureRandom, SystemRandom};
use ring::rsa::PublicKeyComponents;
use ring::signature::{KeyPair, RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject;
use time::OffsetDateTime;

use super::der;
use super::name::Name;

/// Random bytes.
///
/// # Panics
/// When the machine has none: nothing works then.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).expect("the machine gives random bytes");
    bytes
}

/// A random UUID (version 4), in lower case.
pub fn uuid() -> String {
    let mut bytes = random::<16>();
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let part = |range: std::ops::Range<usize>| hex.get(range).unwrap_or_default();
    format!("{}-{}-{}-{}-{}", part(0..8), part(8..12), part(12..16), part(16..20), part(20..32))
}

/// An RSA key.
pub struct Key {
    /// PKCS#8 DER.
    pub pkcs8: Vec<u8>,
    pair: RsaKeyPair,
}

impl Key {
    /// One of the keys that this program carries.
    ///
    /// # Panics
    /// When the file is no RSA key: a fault of this program.
    pub fn embedded(pem: &[u8]) -> Self {
        let der = PrivatePkcs8KeyDer::from_pem_slice(pem).expect("the key is PEM");
        let pair = RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).expect("the key is RSA");
        Self { pkcs8: der.secret_pkcs8_der().to_vec(), pair }
    }

    /// Signs with RSASSA-PKCS1-v1_5 and SHA-256.
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        let mut signature = vec![0; self.pair.public().modulus_len()];
        self.pair
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature)
            .expect("an RSA key signs");
        signature
    }

    /// The public key's modulus, without leading zeros.
    pub fn modulus(&self) -> Vec<u8> {
        PublicKeyComponents::<Vec<u8>>::from(self.pair.public()).n
    }

    fn public_key(&self) -> &[u8] {
        self.pair.public_key().as_ref()
    }

    /// What names the key in certificates.
    fn identifier(&self) -> Vec<u8> {
        digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, self.public_key()).as_ref().to_vec()
    }
}

/// What a certificate's key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Issue certificates.
    Issue,
    /// Sign, and nothing else.
    Sign,
    /// Sign, encrypt keys, and log in: as FINA's certificates for fiscalization.
    Fiscal,
    /// Serve TLS at `localhost` and `127.0.0.1`.
    Serve,
}

/// What a certificate is to say.
pub struct Wanted<'a> {
    pub subject: &'a Name,
    pub serial: &'a [u8],
    pub not_before: OffsetDateTime,
    pub not_after: OffsetDateTime,
    pub purpose: Use,
}

/// A certificate with its key.
pub struct Identity {
    pub subject: Name,
    pub serial: Vec<u8>,
    /// The certificate, DER.
    pub der: Vec<u8>,
    pub key: Key,
}

impl Identity {
    /// A certificate that is its own issuer.
    pub fn self_signed(key: Key, wanted: &Wanted<'_>) -> Self {
        let der = certificate(&key, wanted, wanted.subject, &key);
        Self::of(key, wanted, der)
    }

    /// A certificate that this one issues.
    pub fn issue(&self, key: Key, wanted: &Wanted<'_>) -> Self {
        let der = certificate(&key, wanted, &self.subject, &self.key);
        Self::of(key, wanted, der)
    }

    fn of(key: Key, wanted: &Wanted<'_>, der: Vec<u8>) -> Self {
        Self { subject: wanted.subject.clone(), serial: wanted.serial.to_vec(), der, key }
    }

    /// The serial number, decimal.
    pub fn serial_decimal(&self) -> String {
        decimal(&self.serial)
    }

    /// The certificate, PEM.
    pub fn pem(&self) -> String {
        pem(&self.der)
    }
}

/// A certificate as PEM.
pub fn pem(der: &[u8]) -> String {
    use base64::Engine as _;
    let base64 = base64::engine::general_purpose::STANDARD.encode(der);
    let lines: Vec<String> = base64
        .as_bytes()
        .chunks(64)
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect();
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"))
}

/// Big-endian bytes as a decimal number.
pub fn decimal(bytes: &[u8]) -> String {
    let mut digits = vec![0_u8];
    for byte in bytes {
        let mut carry = u32::from(*byte);
        for digit in digits.iter_mut().rev() {
            let sum = u32::from(*digit) * 256 + carry;
            *digit = u8::try_from(sum % 10).unwrap_or_default();
            carry = sum / 10;
        }
        while carry > 0 {
            digits.insert(0, u8::try_from(carry % 10).unwrap_or_default());
            carry /= 10;
        }
    }
    digits.iter().map(|digit| char::from(b'0' + digit)).collect()
}

fn certificate(key: &Key, wanted: &Wanted<'_>, issuer: &Name, issuer_key: &Key) -> Vec<u8> {
    let algorithm = der::sequence(&[der::oid(&[1, 2, 840, 113_549, 1, 1, 11]), der::null()]);
    let key_algorithm = der::sequence(&[der::oid(&[1, 2, 840, 113_549, 1, 1, 1]), der::null()]);
    let content = der::sequence(&[
        der::context(0, &der::integer(&[2])),
        der::integer(wanted.serial),
        algorithm.clone(),
        issuer.der(),
        der::sequence(&[der::time(wanted.not_before), der::time(wanted.not_after)]),
        wanted.subject.der(),
        der::sequence(&[key_algorithm, der::bits(key.public_key(), 0)]),
        der::context(3, &der::sequence(&extensions(key, wanted.purpose, issuer_key))),
    ]);
    let signature = der::bits(&issuer_key.sign(&content), 0);
    der::sequence(&[content, algorithm, signature])
}

fn extensions(key: &Key, purpose: Use, issuer_key: &Key) -> Vec<Vec<u8>> {
    let issues = purpose == Use::Issue;
    let basic = if issues { vec![der::boolean(true)] } else { Vec::new() };
    let (allowed, unused): (u8, u8) = match purpose {
        Use::Issue => (0b0000_0110, 1),
        Use::Sign => (0b1000_0000, 7),
        Use::Fiscal | Use::Serve => (0b1010_0000, 5),
    };
    let mut extensions = vec![
        extension(19, true, &der::sequence(&basic)),
        extension(15, true, &der::bits(&[allowed], unused)),
        extension(14, false, &der::octets(&key.identifier())),
        extension(35, false, &der::sequence(&[der::value(0x80, &issuer_key.identifier())])),
    ];
    let purposes = |last: &[u32]| {
        let purpose = |arc: &u32| der::oid(&[1, 3, 6, 1, 5, 5, 7, 3, *arc]);
        der::sequence(&last.iter().map(purpose).collect::<Vec<_>>())
    };
    match purpose {
        Use::Issue | Use::Sign => {}
        Use::Fiscal => extensions.push(extension(37, false, &purposes(&[4, 2]))),
        Use::Serve => {
            let names = [der::value(0x82, b"localhost"), der::value(0x87, &[127, 0, 0, 1])];
            extensions.push(extension(37, false, &purposes(&[1])));
            extensions.push(extension(17, false, &der::sequence(&names)));
        }
    }
    extensions
}

fn extension(arc: u32, is_critical: bool, content: &[u8]) -> Vec<u8> {
    let mut parts = vec![der::oid(&[2, 5, 29, arc])];
    if is_critical {
        parts.push(der::boolean(true));
    }
    parts.push(der::octets(content));
    der::sequence(&parts)
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn a_serial_of_any_length_is_written_as_a_decimal_number() {
        let table: &[(&[u8], &str)] = &[
            (&[], "0"),
            (&[0], "0"),
            (&[255], "255"),
            (&[1, 0], "256"),
            (&[0xff; 8], "18446744073709551615"),
            (&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "79228162514264337593543950336"),
        ];
        for (bytes, text) in table {
            assert_eq!(decimal(bytes), *text);
        }
    }
}
