//! What the authorities share.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use racun_authorities::Certificate;
use racun_fiscal::Authority;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;

use crate::clock::Clock;
use crate::fault::Faults;
use crate::ledger::Ledger;
use crate::pki::{Authorities, Taxpayer, TaxpayerError, Trust, WantedTaxpayer};
use crate::register::Register;

/// A request, read whole.
pub struct Asked {
    pub method: String,
    pub path: String,
    pub content_type: String,
    pub soap_action: String,
    pub body: Vec<u8>,
    /// The certificate that TLS was opened with, DER; its issuer is trusted.
    pub certificate: Option<Vec<u8>>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpReply {
    pub status: u16,
    pub content_type: &'static str,
    pub body: Vec<u8>,
    /// Where to go instead.
    pub location: Option<String>,
}

impl HttpReply {
    pub fn new(status: u16, content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, content_type, body: body.into(), location: None }
    }

    pub fn json(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "application/json; charset=UTF-8", body)
    }

    pub fn xml(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::new(status, "text/xml; charset=UTF-8", body)
    }

    pub fn text(status: u16, body: &str) -> Self {
        Self::new(status, "text/plain; charset=UTF-8", body)
    }
}

/// A refusal of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageError {
    pub code: String,
    pub text: String,
}

impl MessageError {
    pub fn new(code: &str, text: impl Into<String>) -> Self {
        Self { code: code.to_owned(), text: text.into() }
    }
}

/// The certificates that FURS knows, by serial number, and those that it revoked.
#[derive(Default)]
struct KnownCertificates {
    certificates: BTreeMap<String, Vec<u8>>,
    revoked: BTreeSet<String>,
}

/// What is remembered.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// How many messages the ledger keeps.
    pub most: usize,
    /// Whether what was reported before the start is believed.
    pub is_forgetful: bool,
}

/// The simulator's state.
pub struct State {
    pub pki: Authorities,
    pub clock: Arc<Clock>,
    pub ledger: Ledger,
    /// What AT knows.
    pub at: Register,
    pub faults: Faults,
    /// Whether what was reported before the start is believed.
    pub is_forgetful: bool,
    furs_trust: Arc<Trust>,
    fina_trust: Arc<Trust>,
    known: Mutex<KnownCertificates>,
    delay_ms: AtomicU64,
}

impl State {
    /// A state that trusts its own issuers of taxpayers' certificates and `more`.
    ///
    /// # Errors
    /// When one of `more` is of no use, as text.
    pub fn new(
        clock: Arc<Clock>,
        more: &[CertificateDer<'static>],
        memory: Memory,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Self, String> {
        let pki = Authorities::new(clock.now());
        let trust = |own: &[u8]| {
            let own = CertificateDer::from(own.to_vec());
            let all: Vec<_> = std::iter::once(own).chain(more.iter().cloned()).collect();
            Trust::new(&all, provider, Arc::clone(&clock)).map(Arc::new)
        };
        Ok(Self {
            furs_trust: trust(&pki.tax_ca.der)?,
            fina_trust: trust(&pki.fina_ca.der)?,
            pki,
            ledger: Ledger::new(memory.most),
            at: Register::new(memory.most)?,
            is_forgetful: memory.is_forgetful,
            faults: Faults::default(),
            known: Mutex::default(),
            delay_ms: AtomicU64::new(0),
            clock,
        })
    }

    /// Whose certificates an authority believes.
    pub const fn trust(&self, authority: Authority) -> &Arc<Trust> {
        match authority {
            Authority::Furs => &self.furs_trust,
            Authority::Fina => &self.fina_trust,
        }
    }

    /// How long each answer is held back.
    pub fn delay(&self) -> Duration {
        Duration::from_millis(self.delay_ms.load(Ordering::Relaxed))
    }

    /// Holds each answer back for so many milliseconds.
    pub fn set_delay(&self, ms: u64) {
        self.delay_ms.store(ms, Ordering::Relaxed);
    }

    /// Issues a taxpayer's certificate, and knows it from then on.
    ///
    /// # Errors
    /// When no P12 file can be made of it.
    pub fn issue(&self, wanted: &WantedTaxpayer) -> Result<Taxpayer, TaxpayerError> {
        let taxpayer = self.pki.issue(wanted, self.clock.now())?;
        self.learn(&taxpayer.certificate);
        Ok(taxpayer)
    }

    /// Knows a certificate, whose issuer is trusted, by its serial number.
    pub fn learn(&self, certificate: &[u8]) {
        if let Some(read) = Certificate::from_der(certificate) {
            self.known().certificates.insert(read.serial, certificate.to_vec());
        }
    }

    /// Refuses, from now on, what this certificate signs.
    pub fn revoke(&self, serial: &str) {
        self.known().revoked.insert(serial.to_owned());
    }

    /// Whether the certificate is revoked.
    pub fn is_revoked(&self, serial: &str) -> bool {
        self.known().revoked.contains(serial)
    }

    /// The certificate of this serial number.
    pub fn certificate(&self, serial: &str) -> Option<Certificate> {
        self.known().certificates.get(serial).and_then(|der| Certificate::from_der(der))
    }

    fn known(&self) -> MutexGuard<'_, KnownCertificates> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
