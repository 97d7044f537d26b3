//! Reads requests: their form, before anything is believed.

use racun_authorities::xml::{Accepted, DSIG, Method, Signature};
use racun_authorities::{Certificate, VerificationError};
use roxmltree::{Document, Node};
use serde_json::Value;

use super::Kind;
use crate::schema::{self, FINA, Invalid};
use crate::state::MessageError;

/// A request that was read.
pub struct Read {
    /// Its id; empty when it cannot be read.
    pub message_id: String,
    /// All of it, in the form of `schema`.
    pub content: Result<Value, MessageError>,
    /// The certificate in it, DER.
    pub certificate: Option<Vec<u8>>,
    /// Why the signature does not verify by that certificate.
    pub signature: Result<(), MessageError>,
}

/// Reads the element in the body.
pub fn read(document: &Document<'_>, element: Node<'_, '_>, kind: Kind) -> Read {
    let id = element.descendants().find(|node| node.has_tag_name((FINA, "IdPoruke")));
    let id = id.and_then(|id| id.text()).unwrap_or_default();
    let is_plain = element.attributes().all(|attribute| attribute.name() == "Id");
    let content = if is_plain {
        schema::xml(element, FINA, kind.parts())
    } else {
        Err(Invalid::at(kind.request(), "has an attribute that is not expected"))
    };
    let content = content.map_err(|invalid| {
        MessageError::new(
            "s001",
            format!("Poruka nije u skladu s XML shemom: cvc-complex-type: {invalid}"),
        )
    });
    let (certificate, signature) = signature(document, element);
    Read {
        message_id: id.chars().take(36).collect(),
        content,
        certificate,
        signature: signature.map_err(|why| {
            MessageError::new("s004", format!("Neispravan digitalni potpis: {why}"))
        }),
    }
}

/// The certificate in the signature, and whether it verifies by that one.
fn signature(
    document: &Document<'_>,
    element: Node<'_, '_>,
) -> (Option<Vec<u8>>, Result<(), String>) {
    let signature = match Signature::of(document, element, Accepted::Sha256) {
        Ok(signature) => signature,
        Err(error) => return (certificate_of(element), Err(error.to_string())),
    };
    let [certificate] = signature.certificates() else {
        return (None, Err("X509Data holds not one X509Certificate".to_owned()));
    };
    let read = Certificate::from_der(certificate);
    let key = read.and_then(|read| read.rsa_key).unwrap_or_default();
    let verified = signature
        .verify(&key)
        .map_err(|error: VerificationError| error.to_string())
        .and_then(|signed| check_profile(signed, signature.serial()));
    (Some(certificate.clone()), verified)
}

/// The certificate of a signature that is not of the profile.
fn certificate_of(element: Node<'_, '_>) -> Option<Vec<u8>> {
    use base64::Engine as _;
    let node = element.descendants().find(|node| node.has_tag_name((DSIG, "X509Certificate")))?;
    let text: String = node.text()?.split_ascii_whitespace().collect();
    base64::engine::general_purpose::STANDARD.decode(text).ok()
}

/// Checks what chapter 7 asks for beyond a signature that verifies: exclusive canonicalization,
/// twice, and issuer with serial number.
fn check_profile(element: Node<'_, '_>, serial: Option<&str>) -> Result<(), String> {
    let algorithms = |name| {
        element
            .descendants()
            .filter(move |node| node.has_tag_name((DSIG, name)))
            .filter_map(|node| node.attribute("Algorithm"))
    };
    let exclusive = Method::Exclusive.uri();
    if algorithms("CanonicalizationMethod").next() != Some(exclusive) {
        return Err("CanonicalizationMethod is not exclusive".to_owned());
    }
    if algorithms("Transform").nth(1) != Some(exclusive) {
        return Err("the second Transform is not exclusive canonicalization".to_owned());
    }
    match serial {
        Some(_) => Ok(()),
        None => Err("X509IssuerSerial is missing".to_owned()),
    }
}
