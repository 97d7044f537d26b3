//! Whether metadata of the network of electronic invoices are signed by a publisher (SMP) whom the
//! network certified.
//!
//! Source: Peppol Policy for Transport Security 1.1 and Service Metadata Publishing 1.4.0: an
//! enveloped signature of the whole document, RSA with SHA-256; publishers' certificates are of an
//! authority of their own, and name the role in `OU`.

use racun_einvoicing::network::lookup::Seals;
use time::OffsetDateTime;

use crate::name::ORGANIZATIONAL_UNIT;
use crate::xml::{self, Accepted, Signature};
use crate::{Trust, VerificationError};

/// Verifies what publishers sign.
#[derive(Debug, Clone)]
pub struct PublisherSeals {
    trust: Trust,
}

impl PublisherSeals {
    /// Believes publishers whom an authority in `pem` certified.
    ///
    /// # Errors
    /// Why `pem` is of no use.
    pub fn from_pem(pem: &str) -> Result<Self, String> {
        Ok(Self { trust: Trust::from_pem(pem)? })
    }

    fn check(&self, text: &str, now: OffsetDateTime) -> Result<(), VerificationError> {
        let document = xml::parse(text)?;
        let signature = Signature::of_whole(&document, Accepted::Sha256)?;
        let (certificate, key) = self.trust.key_of(signature.certificates(), now)?;
        let mut units = certificate.subject.values(ORGANIZATIONAL_UNIT);
        if !units.any(|unit| unit.split_whitespace().any(|word| word == "SMP")) {
            let name = certificate.subject.rfc4514();
            return Err(VerificationError::Signer(format!("{name} is no publisher")));
        }
        signature.verify(&key).map(|_| ())
    }
}

impl Seals for PublisherSeals {
    fn verify(&self, xml: &str, now: OffsetDateTime) -> Result<(), String> {
        self.check(xml, now).map_err(|doubt| doubt.to_string())
    }
}
