//! The certificate that an entity signs with: which ones are accepted, and how it is kept.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use racun_kernel::calendar::format_instant;
use racun_kernel::id::{EntityId, FileId};
use racun_kernel::{CannotOpen, Issue, Reseal, Vault};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::error::CertificateFault;
use crate::{Actor, Authority, Identity, OpenedCertificate, P12Error};

/// How long before its end a certificate is said to expire soon.
const SOON: Duration = Duration::days(30);

/// The certificate that an entity signs with. The private key is sealed; nothing answers it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// The id of this upload.
    pub file_id: FileId,
    /// The private key, PKCS#8 DER, sealed by the vault.
    pub sealed_key: String,
    /// The certificate, DER in base64.
    pub certificate: String,
    /// Certificates of its issuers that came with it, DER in base64.
    pub chain: Vec<String>,
    /// The taxpayer that it is of: tax number or OIB.
    pub tax_number: String,
    /// Common name of the subject.
    pub common_name: String,
    /// The subject, as RFC 4514 writes it.
    pub subject: String,
    /// The issuer, likewise.
    pub issuer: String,
    /// Serial number, decimal.
    pub serial: String,
    /// Valid from.
    #[serde(with = "time::serde::rfc3339")]
    pub not_before: OffsetDateTime,
    /// Valid until.
    #[serde(with = "time::serde::rfc3339")]
    pub not_after: OffsetDateTime,
    /// When it was uploaded.
    #[serde(with = "time::serde::rfc3339")]
    pub uploaded_at: OffsetDateTime,
}

impl std::fmt::Debug for Certificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Certificate {} of {}", self.serial, self.tax_number)
    }
}

/// What a certificate is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CertificateStatus {
    /// It signs.
    Valid,
    /// It signs for 30 more days at most.
    ExpiringSoon,
    /// It signs no more.
    Expired,
    /// There is none.
    Missing,
}

impl Certificate {
    /// What is kept of `opened`, when `authority` can know the entity by it: the entity's number is
    /// `tax_number`, with or without the country before it. The private key is sealed by `vault`.
    ///
    /// # Errors
    /// What is wrong with the certificate.
    pub fn accept(
        opened: OpenedCertificate,
        authority: Authority,
        tax_number: Option<&str>,
        vault: &dyn Vault,
        actor: &Actor,
    ) -> Result<Self, CertificateFault> {
        let own = check(&opened, authority, tax_number, actor.now())?;
        let OpenedCertificate { identity, common_name, subject, issuer, serial, .. } = opened;
        let owner = owner(actor.entity_id(), authority);
        Ok(Self {
            file_id: actor.stamp().id(),
            sealed_key: vault.seal(&owner, &identity.private_key, actor.stamp()),
            certificate: STANDARD.encode(identity.certificate),
            chain: identity.chain.iter().map(|der| STANDARD.encode(der)).collect(),
            tax_number: own,
            common_name,
            subject,
            issuer,
            serial,
            not_before: opened.not_before,
            not_after: opened.not_after,
            uploaded_at: actor.now(),
        })
    }

    /// What answers call its name: for FURS the taxpayer's number, by which that authority knows
    /// it; in Croatia the common name of its subject.
    #[must_use]
    pub fn name(&self, authority: Authority) -> &str {
        match authority {
            Authority::Furs => &self.tax_number,
            Authority::Fina => &self.common_name,
        }
    }

    /// What it is good for at `now`.
    #[must_use]
    pub fn status(&self, now: OffsetDateTime) -> CertificateStatus {
        if now > self.not_after {
            CertificateStatus::Expired
        } else if self.not_after - now <= SOON {
            CertificateStatus::ExpiringSoon
        } else {
            CertificateStatus::Valid
        }
    }

    /// The certificate of `entity` for `authority` with its private key, to sign with.
    ///
    /// # Errors
    /// When `vault` cannot open the key, which then is another entity's, altered, or under a key
    /// that is not there.
    pub fn identity(
        &self,
        vault: &dyn Vault,
        entity: EntityId,
        authority: Authority,
    ) -> Result<Identity, CannotOpen> {
        let der = |text: &String| STANDARD.decode(text).map_err(|_| CannotOpen);
        Ok(Identity {
            certificate: der(&self.certificate)?,
            chain: self.chain.iter().map(der).collect::<Result<_, _>>()?,
            private_key: vault.open(&owner(entity, authority), &self.sealed_key)?,
        })
    }
}

impl Certificate {
    /// The same with its private key under another key of the vault.
    ///
    /// # Errors
    /// When the key cannot be opened.
    pub(crate) fn resealed(
        self,
        entity: EntityId,
        authority: Authority,
        reseal: &Reseal<'_>,
    ) -> Result<Self, CannotOpen> {
        let sealed_key = reseal(&owner(entity, authority), &self.sealed_key)?;
        Ok(Self { sealed_key, ..self })
    }
}

/// Whose secret a private key is, to the vault.
fn owner(entity: EntityId, authority: Authority) -> String {
    format!("fiscal_settings/{entity}/{}", authority.name())
}

/// The number of the taxpayer, when the certificate is theirs and signs at `now`.
fn check(
    opened: &OpenedCertificate,
    authority: Authority,
    tax_number: Option<&str>,
    now: OffsetDateTime,
) -> Result<String, CertificateFault> {
    let number = match authority {
        Authority::Furs => "tax number",
        Authority::Fina => "OIB",
    };
    let Some(own) = &opened.tax_number else {
        let message = format!(
            "the certificate names no {number}; {} needs one that is made for fiscalization",
            authority.title()
        );
        return Err(invalid("no_tax_number", message));
    };
    let entitys = tax_number.map(|text| without_country(text, authority)).unwrap_or_default();
    // An entity that says no number has none that the certificate contradicts.
    if !entitys.is_empty() && *own != entitys {
        let message = format!(
            "the certificate is of the taxpayer {own}, and the entity's tax_number is {entitys}"
        );
        return Err(invalid("other_taxpayer", message));
    }
    if now < opened.not_before {
        let message =
            format!("the certificate is valid only from {}", format_instant(opened.not_before));
        return Err(invalid("not_yet_valid", message));
    }
    if now > opened.not_after {
        let message =
            format!("the certificate has expired, on {}", format_instant(opened.not_after));
        let issue = Issue::new("expired", message).at("file");
        return Err(CertificateFault { code: "certificate_expired", issue });
    }
    Ok(own.clone())
}

/// The number that `authority` knows the taxpayer by who calls it `text`.
///
/// # Errors
/// `invalid_value` at `tax_number` when it is none.
pub fn taxpayer_number(authority: Authority, text: Option<&str>) -> Result<String, Issue> {
    let number = text.map(|text| without_country(text, authority)).unwrap_or_default();
    let checked = authority.check_number(&number);
    checked.map(|()| number).map_err(|issue| issue.at("tax_number"))
}

/// `text` without spaces and without the country before the number.
fn without_country(text: &str, authority: Authority) -> String {
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let plain = plain.to_ascii_uppercase();
    plain.strip_prefix(authority.country()).unwrap_or(&plain).to_owned()
}

fn invalid(code: &'static str, message: impl Into<String>) -> CertificateFault {
    CertificateFault { code: "certificate_invalid", issue: Issue::new(code, message).at("file") }
}

impl From<P12Error> for CertificateFault {
    fn from(error: P12Error) -> Self {
        let (code, part) = match error {
            P12Error::NotP12 => ("not_p12", "file"),
            P12Error::WrongPassphrase => ("wrong_passphrase", "passphrase"),
            P12Error::NoIdentity => ("no_private_key", "file"),
            P12Error::UnsupportedKey => ("unsupported_key", "file"),
            P12Error::TooMuch => ("p12_too_costly", "file"),
        };
        let issue = Issue::new(code, error.to_string()).at(part);
        Self { code: "certificate_invalid", issue }
    }
}
