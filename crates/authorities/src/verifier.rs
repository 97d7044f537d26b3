//! Whose answers an endpoint's are, and whether one is theirs.

use roxmltree::{Document, Node};
use time::OffsetDateTime;

use crate::jws::Token;
use crate::xml::{Accepted, Signature};
use crate::{SignerName, Trust, VerificationError};

/// Tells an authority's answers from those of anybody else.
#[derive(Debug, Clone)]
pub struct Verifier {
    /// Whose certificates are believed.
    pub trust: Trust,
    /// Who signs.
    pub signer: SignerName,
}

impl Verifier {
    /// The key of who signed, from the certificates that came with the signature.
    fn key(&self, chain: &[Vec<u8>], now: OffsetDateTime) -> Result<Vec<u8>, VerificationError> {
        let (certificate, key) = self.trust.key_of(chain, now)?;
        self.signer.check(&certificate)?;
        Ok(key)
    }

    /// Verifies the signature inside `element` and answers the element that it signs, which is
    /// `element`.
    ///
    /// # Errors
    /// Why it is not the authority's.
    pub fn element<'a, 'i>(
        &self,
        document: &'a Document<'i>,
        element: Node<'a, 'i>,
        now: OffsetDateTime,
    ) -> Result<Node<'a, 'i>, VerificationError> {
        let signature = Signature::of(document, element, Accepted::Sha256)?;
        signature.verify(&self.key(signature.certificates(), now)?)
    }

    /// Verifies `token` and answers its payload.
    ///
    /// # Errors
    /// Why it is not the authority's.
    pub fn payload<'t>(
        &self,
        token: &'t Token<'_>,
        now: OffsetDateTime,
    ) -> Result<&'t [u8], VerificationError> {
        token.verify(&self.key(token.certificates(), now)?)
    }
}
