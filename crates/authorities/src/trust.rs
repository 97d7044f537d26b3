//! Whose signatures are believed.

use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, TrustAnchor, UnixTime};
use time::OffsetDateTime;
use webpki::{ALL_VERIFICATION_ALGS, EndEntityCert, KeyUsage, anchor_from_trusted_cert};

use crate::name::{ORGANIZATION, ORGANIZATION_ID};
use crate::{Certificate, VerificationError};

/// Certificates that come with a signature: a longer chain is not looked at.
const LONGEST: usize = 8;

/// The certificates of authorities that are trusted, and no others.
///
/// Each is an end of a chain, issuing authorities too: the tax authorities send their own
/// certificate alone.
#[derive(Debug, Clone)]
pub struct Trust {
    roots: Vec<Root>,
}

#[derive(Debug, Clone)]
struct Root {
    der: CertificateDer<'static>,
    anchor: TrustAnchor<'static>,
    certificate: Certificate,
}

impl Trust {
    /// Trusts the certificates in `pem`.
    ///
    /// # Errors
    /// Why `pem` is of no use.
    pub fn from_pem(pem: &str) -> Result<Self, String> {
        let mut roots = Vec::new();
        for der in CertificateDer::pem_slice_iter(pem.as_bytes()) {
            let der = der.map_err(|error| format!("the PEM is malformed: {error:?}"))?;
            let anchor = anchor_from_trusted_cert(&der)
                .map_err(|error| format!("a certificate is of no use: {error}"))?
                .to_owned();
            let certificate = Certificate::from_der(&der).ok_or("a certificate is malformed")?;
            roots.push(Root { der, anchor, certificate });
        }
        if roots.is_empty() {
            return Err("there is no certificate in it".to_owned());
        }
        Ok(Self { roots })
    }

    /// The trusted certificates, DER.
    pub fn certificates(&self) -> impl Iterator<Item = &CertificateDer<'static>> {
        self.roots.iter().map(|root| &root.der)
    }

    /// The RSA key, PKCS#1 DER, of who is certified by the first of `chain`, DER, when a trusted
    /// authority certified them, directly or by the others of `chain`, and all were valid at `now`.
    ///
    /// Revocation is not asked for: neither authority says where, and the tills wait.
    ///
    /// # Errors
    /// When no trusted authority certified them.
    pub fn key_of(
        &self,
        chain: &[Vec<u8>],
        now: OffsetDateTime,
    ) -> Result<(Certificate, Vec<u8>), VerificationError> {
        let untrusted = |reason: &str| VerificationError::Signer(reason.to_owned());
        let [leaf, others @ ..] = chain else {
            return Err(untrusted("no certificate came with the signature"));
        };
        if chain.len() > LONGEST {
            return Err(untrusted("too many certificates came with the signature"));
        }
        let leaf = CertificateDer::from(leaf.as_slice());
        let certificate = Certificate::from_der(&leaf)
            .ok_or_else(|| untrusted("the certificate is malformed"))?;
        let others: Vec<_> =
            others.iter().map(|other| CertificateDer::from(other.as_slice())).collect();
        let is_valid = |root: &&Root| {
            (root.certificate.not_before..=root.certificate.not_after).contains(&now)
        };
        let anchors: Vec<_> =
            self.roots.iter().filter(is_valid).map(|root| root.anchor.clone()).collect();
        let since_1970 = u64::try_from(now.unix_timestamp()).unwrap_or(0);
        EndEntityCert::try_from(&leaf)
            .and_then(|entity| {
                entity.verify_for_usage(
                    ALL_VERIFICATION_ALGS,
                    &anchors,
                    &others,
                    UnixTime::since_unix_epoch(Duration::from_secs(since_1970)),
                    KeyUsage::client_auth(),
                    None,
                    None,
                )?;
                Ok(())
            })
            .map_err(|error| {
                VerificationError::Signer(format!("{}: {error}", certificate.subject.rfc4514()))
            })?;
        let key = certificate.rsa_key.clone().ok_or_else(|| untrusted("its key is not RSA"))?;
        Ok((certificate, key))
    }
}

/// Who signs for an authority. The same issuers certify many others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignerName {
    /// `CN` of the subject.
    pub common_name: &'static str,
    /// `O`, where it tells.
    pub organization: Option<&'static str>,
    /// `organizationIdentifier`, where it tells.
    pub organization_id: Option<&'static str>,
}

impl SignerName {
    /// Signs answers of FURS, test system.
    pub const FURS_TEST: Self = Self::furs("DavPotRacTEST");
    /// Signs answers of FURS.
    pub const FURS: Self = Self::furs("DavPotRac");
    /// Signs answers of CIS, test system.
    pub const CIS_TEST: Self = Self {
        common_name: "fiskalcistest",
        organization: Some("APIS IT D.O.O."),
        organization_id: Some("HR02994650199"),
    };
    /// Signs answers of CIS.
    pub const CIS: Self = Self {
        common_name: "fiskalcis",
        organization: Some("REPUBLIKA HRVATSKA MINISTARSTVO FINANCIJA"),
        organization_id: Some("HR18683136487"),
    };

    const fn furs(common_name: &'static str) -> Self {
        Self { common_name, organization: None, organization_id: None }
    }

    /// Checks that `certificate` is theirs.
    ///
    /// # Errors
    /// When it is another signer's.
    pub fn check(&self, certificate: &Certificate) -> Result<(), VerificationError> {
        let subject = &certificate.subject;
        let is = |kind, wanted: Option<&str>| {
            wanted.is_none_or(|wanted| subject.values(kind).eq(std::iter::once(wanted)))
        };
        if is(crate::name::COMMON_NAME, Some(self.common_name))
            && is(ORGANIZATION, self.organization)
            && is(ORGANIZATION_ID, self.organization_id)
        {
            return Ok(());
        }
        Err(VerificationError::Signer(format!("{} signs for somebody else", subject.rfc4514())))
    }
}
