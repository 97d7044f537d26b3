//! JSON Web Signatures in the compact form, as FURS uses them.
//!
//! Sources: RFC 7515; technical specification of davčno potrjevanje računov, version 3.2.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use racun_fiscal::{Signer, SigningFailed};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::{Certificate, VerificationError};

/// The header of a request: its fields in the order of the specification's sample.
///
/// `serial` may have more digits than any machine integer.
#[must_use]
pub fn header(certificate: &Certificate) -> String {
    let subject = json(&certificate.subject.java());
    let issuer = json(&certificate.issuer.java());
    let serial = &certificate.serial;
    format!(
        r#"{{"alg":"RS256","subject_name":{subject},"issuer_name":{issuer},"serial":{serial}}}"#
    )
}

/// Signs `payload` under `header`, each a JSON text.
///
/// # Errors
/// When the key cannot sign.
pub fn sign(header: &str, payload: &str, signer: &dyn Signer) -> Result<String, SigningFailed> {
    let mut token = URL_SAFE_NO_PAD.encode(header);
    token.push('.');
    URL_SAFE_NO_PAD.encode_string(payload, &mut token);
    let signature = signer.sign(token.as_bytes())?;
    token.push('.');
    URL_SAFE_NO_PAD.encode_string(signature, &mut token);
    Ok(token)
}

/// What is read of a header.
#[derive(Deserialize)]
struct Header {
    alg: String,
    #[serde(default)]
    x5c: Vec<String>,
    serial: Option<serde_json::Number>,
    crit: Option<IgnoredAny>,
}

/// A token whose form was checked but whose signature was not.
#[derive(Debug)]
pub struct Token<'a> {
    signed: &'a str,
    payload: Vec<u8>,
    signature: Vec<u8>,
    certificates: Vec<Vec<u8>>,
    serial: Option<String>,
}

impl<'a> Token<'a> {
    /// Reads the compact form.
    ///
    /// # Errors
    /// When it is none, or signed by anything but RS256.
    pub fn parse(token: &'a str) -> Result<Self, VerificationError> {
        let unreadable =
            |what: &str| VerificationError::Unreadable(format!("the token's {what} is malformed"));
        let mut parts = token.split('.');
        let (Some(header), Some(payload), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(VerificationError::Unreadable("the token has not three parts".to_owned()));
        };
        let bytes = |text: &str, what| URL_SAFE_NO_PAD.decode(text).map_err(|_| unreadable(what));
        let signed = token.get(..header.len() + 1 + payload.len()).unwrap_or_default();
        let header: Header =
            serde_json::from_slice(&bytes(header, "header")?).map_err(|_| unreadable("header"))?;
        if header.alg != "RS256" {
            return Err(VerificationError::Algorithm(header.alg));
        }
        if header.crit.is_some() {
            return Err(VerificationError::Algorithm("critical extensions".to_owned()));
        }
        let certificate = |text: &String| STANDARD.decode(text).map_err(|_| unreadable("x5c"));
        Ok(Self {
            signed,
            payload: bytes(payload, "payload")?,
            signature: bytes(signature, "signature")?,
            certificates: header.x5c.iter().map(certificate).collect::<Result<_, _>>()?,
            serial: header.serial.map(|serial| serial.to_string()),
        })
    }

    /// The certificates that it names, DER, the signer's first. They are not trusted.
    #[must_use]
    pub fn certificates(&self) -> &[Vec<u8>] {
        &self.certificates
    }

    /// Serial number of the certificate that it names, decimal.
    #[must_use]
    pub fn serial(&self) -> Option<&str> {
        self.serial.as_deref()
    }

    /// Verifies it by `key`, the signer's RSA key as PKCS#1 DER, and answers its payload.
    ///
    /// # Errors
    /// When it was altered, or another key signed it.
    pub fn verify(&self, key: &[u8]) -> Result<&[u8], VerificationError> {
        UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key)
            .verify(self.signed.as_bytes(), &self.signature)
            .map_err(|_| VerificationError::Signature)?;
        Ok(&self.payload)
    }
}

/// `text` as a JSON string.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
