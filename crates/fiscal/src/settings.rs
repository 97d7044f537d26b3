//! What an entity told an authority's rules, and its certificate.

use racun_kernel::id::EntityId;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{Authority, Numbering};

/// The certificate that an entity signs with. The private key is sealed; nothing answers it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
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

/// An entity's settings for one authority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FiscalSettings {
    /// For whom.
    pub authority: Authority,
    /// Whose.
    pub entity_id: EntityId,
    /// Whether its documents are fiscalized.
    pub enabled: bool,
    /// FURS: whether a document that may be issued without fiscalization is, unless it says so.
    pub default_skip: bool,
    /// What numbers are of.
    pub numbering: Numbering,
    /// Tax number or OIB of who issues what names nobody else.
    pub operator_number: Option<String>,
    /// Their mark on documents.
    pub operator_label: Option<String>,
    /// FURS: whether they have no Slovenian tax number.
    pub foreign_operator: bool,
    /// FINA: whether the taxpayer is in the VAT system.
    pub in_vat_system: bool,
    /// FINA: kept and answered; documents of all kinds share a sequence either way.
    pub unified_numbering: bool,
    /// The certificate that signs.
    pub certificate: Option<Certificate>,
    /// When they were first stored.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When they last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}
