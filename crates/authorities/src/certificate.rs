//! What is read of an X.509 certificate.

use racun_kernel::tax_number;
use time::OffsetDateTime;
use x509_parser::oid_registry::OID_PKCS1_RSAENCRYPTION;

use crate::name::{COMMON_NAME, Name, ORGANIZATION, ORGANIZATION_ID, ORGANIZATIONAL_UNIT};

/// What is read of an X.509 certificate. Nothing of it is verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// Whose it is.
    pub subject: Name,
    /// Who made it.
    pub issuer: Name,
    /// Serial number, decimal: up to 20 bytes, beyond any machine integer.
    pub serial: String,
    /// Valid from.
    pub not_before: OffsetDateTime,
    /// Valid until.
    pub not_after: OffsetDateTime,
    /// Its RSA key as PKCS#1 DER; `None` when its key is of another sort.
    pub rsa_key: Option<Vec<u8>>,
}

impl Certificate {
    /// Reads `der`; `None` when it is no certificate.
    #[must_use]
    pub fn from_der(der: &[u8]) -> Option<Self> {
        let (rest, parsed) = x509_parser::parse_x509_certificate(der).ok()?;
        if !rest.is_empty() {
            return None;
        }
        let key = parsed.public_key();
        let is_rsa = key.algorithm.algorithm == OID_PKCS1_RSAENCRYPTION;
        let time = |time: x509_parser::time::ASN1Time| {
            OffsetDateTime::from_unix_timestamp(time.timestamp()).ok()
        };
        Some(Self {
            subject: Name::read(parsed.subject()),
            issuer: Name::read(parsed.issuer()),
            serial: parsed.tbs_certificate.serial.to_string(),
            not_before: time(parsed.validity().not_before)?,
            not_after: time(parsed.validity().not_after)?,
            rsa_key: is_rsa.then(|| key.subject_public_key.data.to_vec()),
        })
    }

    /// Common name of the subject; the empty text when it has none.
    #[must_use]
    pub fn common_name(&self) -> &str {
        self.subject.values(COMMON_NAME).next().unwrap_or_default()
    }

    /// The Slovenian tax number in the subject: an `OU` of eight digits.
    #[must_use]
    pub fn tax_number(&self) -> Option<&str> {
        self.subject.values(ORGANIZATIONAL_UNIT).find(|unit| is_digits(unit, 8))
    }

    /// The Croatian OIB in the subject: `HR` and eleven digits at the end of `O`, as FINA writes
    /// it; else `organizationIdentifier`, as AKD does; else eleven digits anywhere whose check
    /// digit is right.
    #[must_use]
    pub fn oib(&self) -> Option<&str> {
        let in_organization = || {
            self.subject
                .values(ORGANIZATION)
                .flat_map(|name| name.split_whitespace())
                .find_map(|word| word.strip_prefix("HR").filter(|digits| is_digits(digits, 11)))
        };
        let in_identifier = || {
            self.subject.values(ORGANIZATION_ID).find_map(|id| {
                let digits = id.strip_prefix("VATHR-").or_else(|| id.strip_prefix("HR"))?;
                is_digits(digits, 11).then_some(digits)
            })
        };
        let anywhere = || {
            self.subject
                .all_values()
                .flat_map(|value| value.split(|c: char| !c.is_ascii_digit()))
                .find(|digits| tax_number::is_oib(digits))
        };
        in_organization().or_else(in_identifier).or_else(anywhere)
    }
}

fn is_digits(text: &str, count: usize) -> bool {
    text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
}
