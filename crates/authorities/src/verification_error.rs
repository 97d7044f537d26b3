//! Why an answer is not accepted as the authority's.

use racun_fiscal::Unknown;

/// Why an answer is not accepted as the authority's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VerificationError {
    /// It is no message at all: an HTML page, half an answer, a document beyond the limits.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// It says too much or too little, as both a result and an error.
    #[error("its form is wrong: {0}")]
    Malformed(String),
    /// It carries no signature.
    #[error("it is not signed")]
    Unsigned,
    /// Its signature is not where, or not over what, it must be.
    #[error("its signature is not that of what it says: {0}")]
    Wrapped(String),
    /// It is signed by an algorithm that is not allowed.
    #[error("it is signed in a way that is not allowed: {0}")]
    Algorithm(String),
    /// It was altered after it was signed, or signed by another key.
    #[error("its signature does not verify")]
    Signature,
    /// Who signed it is not who should have.
    #[error("its signer is not trusted: {0}")]
    Signer(String),
    /// It answers another message.
    #[error("it answers message {0:?}, not the one that was sent")]
    MessageId(String),
}

impl VerificationError {
    /// Whether another party answered for the authority, or altered its answer.
    #[must_use]
    pub const fn is_suspicious(&self) -> bool {
        match self {
            Self::Unreadable(_) | Self::Malformed(_) => false,
            Self::Unsigned
            | Self::Wrapped(_)
            | Self::Algorithm(_)
            | Self::Signature
            | Self::Signer(_)
            | Self::MessageId(_) => true,
        }
    }
}

impl From<VerificationError> for Unknown {
    fn from(error: VerificationError) -> Self {
        let is_suspicious = error.is_suspicious();
        Self { reason: format!("the answer is not believed: {error}"), is_suspicious }
    }
}
