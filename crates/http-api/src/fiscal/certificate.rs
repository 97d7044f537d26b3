//! Bodies of certificates.

use racun_fiscal::{Authority, Certificate, CertificateStatus, FiscalSettings};
use racun_kernel::Environment;
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;
use validator::Validate;

use crate::body::{Convert, names};
use crate::schema::file;

names! {
    /// What a certificate is good for.
    CertificateStatusBody as CertificateStatus of CertificateStatus {
        Valid, ExpiringSoon, Expired, Missing
    }
}

/// Which of the authority's systems receives reports.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = FiscalEnvironment)]
pub(crate) enum FiscalEnvironmentBody {
    /// The test system, from the sandbox.
    Test,
    /// The production system.
    Production,
}

impl Convert<FiscalEnvironmentBody> for Environment {
    fn convert(self) -> FiscalEnvironmentBody {
        match self {
            Self::Sandbox => FiscalEnvironmentBody::Test,
            Self::Live => FiscalEnvironmentBody::Production,
        }
    }
}

/// A certificate to upload.
#[derive(ToSchema, Validate)]
#[schema(as = CertificateForm)]
#[expect(dead_code, reason = "describes the form, which is read part by part")]
pub(super) struct CertificateForm {
    /// The P12 or PFX file.
    #[schema(schema_with = file)]
    file: Vec<u8>,
    /// What opens it; empty when absent. It is used once and not kept.
    #[schema(nullable = false)]
    passphrase: Option<String>,
}

/// The public data of a certificate. No answer contains its private key.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FiscalCertificate)]
pub(super) struct CertificateBody {
    /// The id of this upload.
    certificate_file_id: String,
    /// Until when it signs.
    certificate_expiry: String,
    /// What it is good for now.
    certificate_status: CertificateStatusBody,
    /// The tax number that it is of; in Croatia the common name of its subject.
    certificate_cn: String,
    /// Its subject.
    certificate_subject: String,
    /// Its issuer.
    certificate_issuer: String,
    /// When it was uploaded.
    uploaded_at: String,
    /// For people.
    message: String,
}

impl CertificateBody {
    /// The public data of the `certificate` for `authority` at `now`.
    pub(super) fn of(authority: Authority, certificate: Certificate, now: OffsetDateTime) -> Self {
        let status = certificate.status(now);
        let certificate_expiry: String = certificate.not_after.convert();
        let message = match status {
            CertificateStatus::Valid => format!("the certificate signs until {certificate_expiry}"),
            CertificateStatus::ExpiringSoon => {
                format!("the certificate expires soon, on {certificate_expiry}; upload a new one")
            }
            CertificateStatus::Expired | CertificateStatus::Missing => {
                format!("the certificate has expired, on {certificate_expiry}; upload a new one")
            }
        };
        Self {
            certificate_file_id: certificate.file_id.convert(),
            certificate_status: status.convert(),
            certificate_expiry,
            certificate_cn: certificate.name(authority).to_owned(),
            certificate_subject: certificate.subject,
            certificate_issuer: certificate.issuer,
            uploaded_at: certificate.uploaded_at.convert(),
            message,
        }
    }
}

/// What settings tell of the certificate.
pub(super) struct Told {
    pub status: CertificateStatusBody,
    pub has: bool,
    pub file_id: Option<String>,
    pub expiry: Option<String>,
    pub cn: Option<String>,
    pub subject: Option<String>,
    pub issuer: Option<String>,
}

impl Told {
    /// What `settings` tell at `now`.
    pub(super) fn of(settings: &FiscalSettings, now: OffsetDateTime) -> Self {
        let own = settings.certificate.as_ref();
        Self {
            status: settings.certificate_status(now).convert(),
            has: own.is_some(),
            file_id: own.map(|own| own.file_id.convert()),
            expiry: own.map(|own| own.not_after.convert()),
            cn: own.map(|own| own.name(settings.authority).to_owned()),
            subject: own.map(|own| own.subject.clone()),
            issuer: own.map(|own| own.issuer.clone()),
        }
    }
}

/// What became of something that is no more.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FiscalMessage)]
pub(super) struct MessageBody {
    /// For people.
    pub message: String,
}
