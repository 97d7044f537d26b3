//! Verifying an enveloped signature. What is outside the profile is refused.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{self, SHA1_FOR_LEGACY_USE_ONLY};
use ring::signature::{
    RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY, RSA_PKCS1_2048_8192_SHA256, RsaParameters,
    UnparsedPublicKey,
};
use roxmltree::{Document, Node};

use super::c14n::{Method, canonicalize};
use super::reading::{child, children, element_text, optional_child};
use super::{DSIG, ENVELOPED, RSA_SHA1, RSA_SHA256, SHA1, SHA256};
use crate::VerificationError;

/// Which hashes a signature may be made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepted {
    /// SHA-256 alone, as since 2026.
    Sha256,
    /// SHA-1 as well: to look at messages of the past.
    Historic,
}

/// A signature inside the element that it signs, whose form was checked but not its value.
#[derive(Debug)]
pub struct Signature<'a, 'i> {
    signed: Node<'a, 'i>,
    signature: Node<'a, 'i>,
    signed_info: Node<'a, 'i>,
    canonicalization: Method,
    transform: Method,
    signing: &'static RsaParameters,
    hash: &'static digest::Algorithm,
    digest: Vec<u8>,
    value: Vec<u8>,
    certificates: Vec<Vec<u8>>,
    serial: Option<String>,
}

impl<'a, 'i> Signature<'a, 'i> {
    /// The signature of `signed`.
    ///
    /// It must be the only one of the document, the last element inside `signed`, with one
    /// reference to the `Id` of `signed`, which no other element has.
    ///
    /// # Errors
    /// When there is none, when it is anything else, or signs by other algorithms.
    pub fn of(
        document: &'a Document<'i>,
        signed: Node<'a, 'i>,
        accepted: Accepted,
    ) -> Result<Self, VerificationError> {
        Self::read(document, signed, accepted, check_target)
    }

    /// The signature of the whole document, whose reference names nothing.
    ///
    /// It must be the only one, and the last element inside the outermost one.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn of_whole(
        document: &'a Document<'i>,
        accepted: Accepted,
    ) -> Result<Self, VerificationError> {
        Self::read(document, document.root_element(), accepted, check_whole)
    }

    fn read(
        document: &'a Document<'i>,
        signed: Node<'a, 'i>,
        accepted: Accepted,
        check: fn(&Document<'_>, Node<'_, '_>, Node<'_, '_>) -> Result<(), VerificationError>,
    ) -> Result<Self, VerificationError> {
        let is_signature = |node: &Node<'_, '_>| node.has_tag_name((DSIG, "Signature"));
        let mut all = document.descendants().filter(is_signature);
        let signature = all.next().ok_or(VerificationError::Unsigned)?;
        if all.next().is_some() {
            return Err(VerificationError::Wrapped("there are several signatures".to_owned()));
        }
        if signed.last_element_child() != Some(signature) {
            return Err(VerificationError::Wrapped(
                "the signature is not at the end of what it signs".to_owned(),
            ));
        }
        let [signed_info, value, rest @ ..] = &*children(signature).collect::<Vec<_>>() else {
            return Err(VerificationError::Wrapped("the signature is not whole".to_owned()));
        };
        let signed_info = expect(*signed_info, "SignedInfo")?;
        let value = bytes(expect(*value, "SignatureValue")?)?;
        let key_info = match rest {
            [] => None,
            [key_info] => Some(expect(*key_info, "KeyInfo")?),
            _ => {
                return Err(VerificationError::Wrapped(
                    "the signature holds other objects".to_owned(),
                ));
            }
        };
        let (certificates, serial) = key_info.map_or(Ok((Vec::new(), None)), key)?;

        let [canonicalization, method, reference] = &*children(signed_info).collect::<Vec<_>>()
        else {
            return Err(VerificationError::Wrapped("it does not sign one reference".to_owned()));
        };
        let canonicalization = method_of(expect(*canonicalization, "CanonicalizationMethod")?)?;
        let signing = signing_of(expect(*method, "SignatureMethod")?, accepted)?;
        let reference = expect(*reference, "Reference")?;
        check(document, signed, reference)?;
        let [transforms, hash, digest] = &*children(reference).collect::<Vec<_>>() else {
            return Err(VerificationError::Wrapped("the reference is not whole".to_owned()));
        };
        let transform = transform_of(expect(*transforms, "Transforms")?)?;
        let hash = hash_of(expect(*hash, "DigestMethod")?, accepted)?;
        let digest = bytes(expect(*digest, "DigestValue")?)?;
        Ok(Self {
            signed,
            signature,
            signed_info,
            canonicalization,
            transform,
            signing,
            hash,
            digest,
            value,
            certificates,
            serial,
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

    /// Verifies it by `key`, the signer's RSA key as PKCS#1 DER, and answers the element that it
    /// signs: the only one to read.
    ///
    /// # Errors
    /// When the element was altered, or another key signed it.
    pub fn verify(&self, key: &[u8]) -> Result<Node<'a, 'i>, VerificationError> {
        let text = canonicalize(self.signed_info, self.canonicalization, None);
        UnparsedPublicKey::new(self.signing, key)
            .verify(text.as_bytes(), &self.value)
            .map_err(|_| VerificationError::Signature)?;
        let text = canonicalize(self.signed, self.transform, Some(self.signature.id()));
        let digest = digest::digest(self.hash, text.as_bytes());
        if digest.as_ref() == self.digest {
            Ok(self.signed)
        } else {
            Err(VerificationError::Signature)
        }
    }
}

fn expect<'a, 'i>(element: Node<'a, 'i>, name: &str) -> Result<Node<'a, 'i>, VerificationError> {
    if element.has_tag_name((DSIG, name)) {
        return Ok(element);
    }
    Err(VerificationError::Wrapped(format!(
        "{} stands where {name} must",
        element.tag_name().name()
    )))
}

/// The algorithm that `element` names; one with parameters is none that is allowed.
fn algorithm<'a>(element: Node<'a, '_>) -> Result<&'a str, VerificationError> {
    let name = element.attribute("Algorithm").unwrap_or_default();
    if children(element).next().is_some() {
        return Err(VerificationError::Algorithm(format!("{name} with parameters")));
    }
    Ok(name)
}

fn method_of(element: Node<'_, '_>) -> Result<Method, VerificationError> {
    let uri = algorithm(element)?;
    Method::of(uri).ok_or_else(|| VerificationError::Algorithm(uri.to_owned()))
}

fn signing_of(
    element: Node<'_, '_>,
    accepted: Accepted,
) -> Result<&'static RsaParameters, VerificationError> {
    match (algorithm(element)?, accepted) {
        (RSA_SHA256, _) => Ok(&RSA_PKCS1_2048_8192_SHA256),
        (RSA_SHA1, Accepted::Historic) => Ok(&RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY),
        (other, _) => Err(VerificationError::Algorithm(other.to_owned())),
    }
}

fn hash_of(
    element: Node<'_, '_>,
    accepted: Accepted,
) -> Result<&'static digest::Algorithm, VerificationError> {
    match (algorithm(element)?, accepted) {
        (SHA256, _) => Ok(&digest::SHA256),
        (SHA1, Accepted::Historic) => Ok(&SHA1_FOR_LEGACY_USE_ONLY),
        (other, _) => Err(VerificationError::Algorithm(other.to_owned())),
    }
}

/// How the signed element is written: `enveloped-signature`, then what a second transform says.
/// Without one, canonical XML 1.0 is what the standard says.
fn transform_of(transforms: Node<'_, '_>) -> Result<Method, VerificationError> {
    let transforms: Vec<_> = children(transforms).collect();
    let [enveloped, more @ ..] = &*transforms else {
        return Err(VerificationError::Algorithm("no transform".to_owned()));
    };
    let enveloped = algorithm(expect(*enveloped, "Transform")?)?;
    if enveloped != ENVELOPED {
        return Err(VerificationError::Algorithm(enveloped.to_owned()));
    }
    match more {
        [] => Ok(Method::Inclusive),
        [method] => method_of(expect(*method, "Transform")?),
        _ => Err(VerificationError::Algorithm("more than two transforms".to_owned())),
    }
}

/// Checks that `reference` is to `signed` and can be to nothing else.
fn check_target(
    document: &Document<'_>,
    signed: Node<'_, '_>,
    reference: Node<'_, '_>,
) -> Result<(), VerificationError> {
    let wrapped = |text: &str| Err(VerificationError::Wrapped(text.to_owned()));
    let Some(id) = signed.attribute("Id").filter(|id| !id.is_empty()) else {
        return wrapped("the signed element has no Id");
    };
    if reference.attribute("URI").and_then(|uri| uri.strip_prefix('#')) != Some(id) {
        return wrapped("the reference is to another element");
    }
    let is_id = |attribute: &roxmltree::Attribute<'_, '_>| {
        attribute.name().eq_ignore_ascii_case("id") && attribute.value() == id
    };
    let owners = document.descendants().flat_map(|node| node.attributes()).filter(is_id).count();
    if owners == 1 { Ok(()) } else { wrapped("several elements have the signed Id") }
}

/// Checks that `reference` is to the whole document, beside whose outermost element nothing stands.
fn check_whole(
    document: &Document<'_>,
    signed: Node<'_, '_>,
    reference: Node<'_, '_>,
) -> Result<(), VerificationError> {
    if reference.attribute("URI") != Some("") {
        return Err(VerificationError::Wrapped("the reference is not to the whole".to_owned()));
    }
    // Instructions beside it would be signed, too.
    let is_alone = document.root().children().all(|node| node == signed || node.is_comment());
    if is_alone {
        Ok(())
    } else {
        Err(VerificationError::Wrapped("something stands beside it".to_owned()))
    }
}

/// Certificates and serial number of a `KeyInfo`.
fn key(key_info: Node<'_, '_>) -> Result<(Vec<Vec<u8>>, Option<String>), VerificationError> {
    let Some(data) = optional_child(key_info, DSIG, "X509Data")? else {
        return Ok((Vec::new(), None));
    };
    let is_certificate = |node: &Node<'_, '_>| node.has_tag_name((DSIG, "X509Certificate"));
    let certificates =
        children(data).filter(is_certificate).map(bytes).collect::<Result<_, _>>()?;
    let serial = match optional_child(data, DSIG, "X509IssuerSerial")? {
        Some(issuer) => Some(element_text(child(issuer, DSIG, "X509SerialNumber")?)?),
        None => None,
    };
    Ok((certificates, serial))
}

fn bytes(element: Node<'_, '_>) -> Result<Vec<u8>, VerificationError> {
    let text = element_text(element)?;
    let text: String = text.split_ascii_whitespace().collect();
    let name = element.tag_name().name();
    STANDARD.decode(text).map_err(|_| VerificationError::Wrapped(format!("{name} is no base64")))
}
