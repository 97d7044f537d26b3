//! Checks whether a trusted issuer signed a taxpayer's certificate.

use std::sync::Arc;

use racun_authorities::Certificate;
use rustls::RootCertStore;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error as TlsError, SignatureScheme,
};

use crate::clock::Clock;

/// The certificates of a PEM text.
///
/// # Errors
/// When it is no PEM, as text.
pub fn from_pem(pem: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    CertificateDer::pem_slice_iter(pem.as_bytes())
        .map(|certificate| certificate.map_err(|error| error.to_string()))
        .collect()
}

/// Knows whose certificates count, at the simulator's time. As TLS verifier it lets expired ones
/// in, for the authority itself answers those, with a code.
#[derive(Debug)]
pub struct Trust {
    verifier: Arc<dyn ClientCertVerifier>,
    clock: Arc<Clock>,
}

impl Trust {
    /// Trusts what `issuers` issued.
    ///
    /// # Errors
    /// When one of them is no certificate that can issue, as text.
    pub fn new(
        issuers: &[CertificateDer<'static>],
        provider: &Arc<CryptoProvider>,
        clock: Arc<Clock>,
    ) -> Result<Self, String> {
        let mut roots = RootCertStore::empty();
        for issuer in issuers {
            roots.add(issuer.clone()).map_err(|error| error.to_string())?;
        }
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
                .build()
                .map_err(|error| error.to_string())?;
        Ok(Self { verifier, clock })
    }

    /// Whether a trusted issuer signed it, even if it is no longer valid.
    pub fn is_issued(&self, certificate: &[u8]) -> bool {
        let der = CertificateDer::from(certificate.to_vec());
        self.verify_client_cert(&der, &[], UnixTime::now()).is_ok()
    }
}

impl ClientCertVerifier for Trust {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.verifier.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, TlsError> {
        let seconds = u64::try_from(self.clock.now().unix_timestamp()).unwrap_or_default();
        let now = UnixTime::since_unix_epoch(std::time::Duration::from_secs(seconds));
        match self.verifier.verify_client_cert(end_entity, intermediates, now) {
            Err(TlsError::InvalidCertificate(
                CertificateError::Expired | CertificateError::ExpiredContext { .. },
            )) => {
                let then = Certificate::from_der(end_entity).map(|read| read.not_after);
                let seconds = then.and_then(|then| u64::try_from(then.unix_timestamp()).ok());
                let then = std::time::Duration::from_secs(seconds.unwrap_or_default());
                let then = UnixTime::since_unix_epoch(then);
                self.verifier.verify_client_cert(end_entity, intermediates, then)
            }
            result => result,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        self.verifier.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        self.verifier.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}
