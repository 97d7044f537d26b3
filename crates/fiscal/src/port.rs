//! The port to the tax authorities.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use racun_kernel::{Environment, Stamp};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{Authority, AuthorityError, fina, furs};

/// Names one message: 128 random bits as a UUID of version 4 in lower case. Each sending has its
/// own, repetitions too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageId(String);

impl MessageId {
    /// A fresh one.
    #[must_use]
    pub fn new(stamp: &Stamp) -> Self {
        let secret = stamp.secret();
        let hex = |range: std::ops::Range<usize>| -> String {
            secret[range].iter().map(|byte| format!("{byte:02x}")).collect()
        };
        let version = format!("4{}", &hex(6..8)[1..]);
        let variant = format!("{:02x}{}", (secret[8] & 0x3f) | 0x80, hex(9..10));
        Self(format!("{}-{}-{version}-{variant}-{}", hex(0..4), hex(4..6), hex(10..16)))
    }
}

impl From<String> for MessageId {
    /// An id as received from another system.
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What stands at the head of each message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The message's own id.
    pub message_id: MessageId,
    /// When it is sent, with the offset of the authority's zone, to the second.
    pub sent_at: OffsetDateTime,
}

/// A taxpayer's certificate with its private key, opened to be used.
#[derive(Clone, PartialEq, Eq)]
pub struct Identity {
    /// The certificate, DER.
    pub certificate: Vec<u8>,
    /// The certificates of its issuers that came with it, DER.
    pub chain: Vec<Vec<u8>>,
    /// The private key, PKCS#8 DER.
    pub private_key: Vec<u8>,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity")
    }
}

/// What a P12 file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedCertificate {
    /// Certificate and key.
    pub identity: Identity,
    /// The number of the taxpayer that the certificate is of: eight digits of a subject's OU in
    /// Slovenia, the OIB in Croatia; `None` when it names none.
    pub tax_number: Option<String>,
    /// Common name of the subject.
    pub common_name: String,
    /// The subject, as RFC 4514 writes it.
    pub subject: String,
    /// The issuer, likewise.
    pub issuer: String,
    /// Serial number, decimal.
    pub serial: String,
    /// Valid from.
    pub not_before: OffsetDateTime,
    /// Valid until.
    pub not_after: OffsetDateTime,
}

/// Why a P12 file is of no use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum P12Error {
    /// It is no P12 file.
    #[error("the file is no PKCS#12 file (.p12, .pfx)")]
    NotP12,
    /// The passphrase does not open it.
    #[error("the passphrase does not open the file")]
    WrongPassphrase,
    /// It holds no private key, or several.
    #[error("the file holds no private key that is its own certificate's")]
    NoIdentity,
    /// Its key is no RSA key of 2,048 to 4,096 bits.
    #[error("the private key is not RSA of 2048 to 4096 bits")]
    UnsupportedKey,
    /// Opening it would take more than a file of an authority takes.
    #[error(
        "the file has more than 64 KiB or 64 parts, or hashes its passphrase more than 4,000,000 \
         times or by scrypt; export the certificate alone, with 100,000 iterations or fewer"
    )]
    TooMuch,
}

/// The key could not sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the private key cannot sign")]
pub struct SigningFailed;

/// Signs with a taxpayer's key, without a network and without waiting.
pub trait Signer: Send + Sync {
    /// The RSASSA-PKCS1-v1_5 signature with SHA-256 of `message`.
    ///
    /// # Errors
    /// When the key is of no use.
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, SigningFailed>;
}

/// What is said to an authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// A document, to FURS. `subsequent` says that it was handed out without an EOR.
    FursInvoice {
        /// Which.
        invoice: Box<furs::Invoice>,
        /// Whether it was issued without the authority's answer.
        subsequent: bool,
    },
    /// A form of a bound book, to FURS. It has no field that says that it comes late.
    FursBook(Box<furs::BookInvoice>),
    /// A business premise, registered, changed or closed, to FURS.
    FursPremise(Box<furs::Premise>),
    /// A document, to CIS. `late` says that it was handed out without a JIR.
    FinaReceipt {
        /// Which.
        receipt: Box<fina::Receipt>,
        /// Whether it was issued without the authority's answer.
        late: bool,
    },
    /// Another means of payment of a receipt that CIS knows.
    FinaChange(Box<fina::Change>),
    /// The tips that came with a receipt that CIS knows.
    FinaTip(Box<fina::Tip>),
}

impl Message {
    /// Whom it is for.
    #[must_use]
    pub const fn authority(&self) -> Authority {
        match self {
            Self::FursInvoice { .. } | Self::FursBook(_) | Self::FursPremise(_) => Authority::Furs,
            Self::FinaReceipt { .. } | Self::FinaChange(_) | Self::FinaTip(_) => Authority::Fina,
        }
    }
}

/// What an authority answered: a reply whose signature, signer, message id and form were verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// It took the message. For a document: the id that it gave it, EOR or JIR.
    Confirmed(Option<String>),
    /// It refused the message.
    Refused {
        /// The code of its first error, as written: `S006`, `s004`.
        code: String,
        /// The texts of all.
        message: String,
        /// All of them, in their order.
        errors: Vec<AuthorityError>,
    },
}

impl Reply {
    /// The refusal by `errors`; `None` without any.
    #[must_use]
    pub fn refused(errors: Vec<AuthorityError>) -> Option<Self> {
        let code = errors.first()?.code.clone();
        let more = errors.iter().skip(1).map(|own| format!("{}: {}", own.code, own.message));
        let texts: Vec<String> =
            errors.first().map(|own| own.message.clone()).into_iter().chain(more).collect();
        Some(Self::Refused { code, message: texts.join("; "), errors })
    }
}

/// It is not known whether the authority took the message: no answer, or none that can be trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Unknown {
    /// What was seen, for the log and the exchange's record.
    pub reason: String,
    /// Whether another party answered for the authority, or altered its answer: a security event.
    pub is_suspicious: bool,
}

/// How long an exchange may last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// A user waits at the till: the whole exchange within the configured time, 5 s unless said.
    Interactive,
    /// No user waits: 15 s.
    Background,
}

/// The tax authorities.
#[async_trait]
pub trait Authorities: Send + Sync {
    /// Reads a P12 file, of the modern and of the legacy sort. It computes for long.
    ///
    /// # Errors
    /// Why it is of no use.
    fn open_p12(
        &self,
        authority: Authority,
        file: &[u8],
        passphrase: &str,
    ) -> Result<OpenedCertificate, P12Error>;

    /// A signer with the key of `identity`. Recently used keys are kept ready.
    ///
    /// # Errors
    /// When the key is of no use.
    fn signer(&self, identity: &Identity) -> Result<Arc<dyn Signer>, SigningFailed>;

    /// `document`, XML, with a signature of its element with the `Id` `id` as the last element
    /// inside the root, in the form XAdES-BES: with the certificate of `identity`, and `at`, when
    /// it was signed. All else stays as it is. For electronic invoices, whose texts are ours.
    ///
    /// # Errors
    /// When the key or the certificate is of no use, or there is no such element.
    fn sign_xml(
        &self,
        identity: &Identity,
        document: &str,
        id: &str,
        at: OffsetDateTime,
    ) -> Result<String, SigningFailed>;

    /// The software maker that each registration of a premise names.
    fn software_maker(&self) -> furs::SoftwareMaker {
        furs::SoftwareMaker::default()
    }

    /// Sends `message` under `header`, signed as `identity`, to its authority: the test system for
    /// the sandbox, the production system otherwise. Waits for the reply and verifies it.
    ///
    /// It ends within the time that `patience` says, and MUST be safe to repeat.
    ///
    /// # Errors
    /// When no reply came that can be believed. Whether the message was taken is then unknown.
    async fn send(
        &self,
        environment: Environment,
        identity: &Identity,
        header: &Header,
        message: &Message,
        patience: Patience,
    ) -> Result<Reply, Unknown>;
}

/// A certificate of a test system, as a P12 file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestCertificate {
    /// The file.
    pub file: Vec<u8>,
    /// What opens it.
    pub passphrase: String,
}

/// The issuer of certificates for the test systems, for taxpayers of the sandbox.
pub trait TestCertificates: Send + Sync {
    /// A new certificate of the taxpayer with this number and name; `None` where the test system is
    /// not ours, and gives out its own.
    fn issue(&self, authority: Authority, tax_number: &str, name: &str) -> Option<TestCertificate>;
}
