//! Signing the element in the body of a SOAP envelope.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use racun_fiscal::{Signer, SigningFailed};
use ring::digest;

use super::c14n::{Method, canonicalize, escape_attribute, escape_text};
use super::reading::{envelope, parse};
use super::{DSIG, ENVELOPED, RSA_SHA256, SHA256};

/// How an authority wants a message signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// `CanonicalizationMethod`.
    pub canonicalization: Method,
    /// The transform after `enveloped-signature`. Without one, the element is digested in the
    /// inclusive form, which takes in the namespaces of the envelope.
    pub transform: Option<Method>,
}

impl Profile {
    /// Requests to FURS, and its answers.
    pub const FURS: Self = Self { canonicalization: Method::Inclusive, transform: None };
    /// Requests to CIS.
    pub const FINA: Self =
        Self { canonicalization: Method::Exclusive, transform: Some(Method::Exclusive) };
    /// Answers of CIS.
    pub const CIS: Self =
        Self { canonicalization: Method::Inclusive, transform: Some(Method::Inclusive) };
}

/// What the signature says of its key, in the order that it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyInfo<'a> {
    /// The certificate, DER.
    pub certificate: Option<&'a [u8]>,
    /// Name of the issuer and serial number, decimal.
    pub issuer_serial: Option<(&'a str, &'a str)>,
    /// Name of the subject.
    pub subject: Option<&'a str>,
}

/// Signs the element in the body of `document`, a SOAP envelope, by its attribute `Id`. The
/// signature becomes its last element; all else stays as it is, byte by byte.
///
/// # Errors
/// When the key cannot sign, or `document` is no envelope with such an element.
pub fn sign(
    document: &str,
    profile: Profile,
    signer: &dyn Signer,
    key: &KeyInfo<'_>,
) -> Result<String, SigningFailed> {
    let (place, signed_info) = prepare(document, profile).ok_or(SigningFailed)?;
    let mut signed = String::with_capacity(document.len() + 4_096);
    signed.push_str(document.get(..place).ok_or(SigningFailed)?);
    signed.push_str(&format!("<Signature xmlns=\"{DSIG}\">{signed_info}"));
    let text = canonical_signed_info(document, place, &signed_info, profile.canonicalization)
        .ok_or(SigningFailed)?;
    let value = STANDARD.encode(signer.sign(text.as_bytes())?);
    signed.push_str(&format!("<SignatureValue>{value}</SignatureValue>"));
    signed.push_str(&key_info(key));
    signed.push_str("</Signature>");
    signed.push_str(document.get(place..).ok_or(SigningFailed)?);
    Ok(signed)
}

/// Where the signature goes, and its `SignedInfo`.
fn prepare(document: &str, profile: Profile) -> Option<(usize, String)> {
    let parsed = parse(document).ok()?;
    let element = envelope(&parsed).ok()?;
    let id = element.attribute("Id").filter(|id| !id.is_empty())?;
    let place = document.get(element.range())?.rfind("</")? + element.range().start;
    let transform = profile.transform.unwrap_or(Method::Inclusive);
    let text = canonicalize(element, transform, None);
    let digest = STANDARD.encode(digest::digest(&digest::SHA256, text.as_bytes()));
    let mut uri = String::from("#");
    escape_attribute(id, &mut uri);
    let transforms: String = std::iter::once(ENVELOPED)
        .chain(profile.transform.map(Method::uri))
        .map(|uri| format!("<Transform Algorithm=\"{uri}\"></Transform>"))
        .collect();
    let canonicalization = profile.canonicalization.uri();
    let signed_info = format!(
        "<SignedInfo>\
         <CanonicalizationMethod Algorithm=\"{canonicalization}\"></CanonicalizationMethod>\
         <SignatureMethod Algorithm=\"{RSA_SHA256}\"></SignatureMethod>\
         <Reference URI=\"{uri}\"><Transforms>{transforms}</Transforms>\
         <DigestMethod Algorithm=\"{SHA256}\"></DigestMethod>\
         <DigestValue>{digest}</DigestValue></Reference></SignedInfo>"
    );
    Some((place, signed_info))
}

/// `SignedInfo` in canonical form, as it will appear in `document` at `place`.
fn canonical_signed_info(
    document: &str,
    place: usize,
    signed_info: &str,
    method: Method,
) -> Option<String> {
    let (before, after) = document.split_at_checked(place)?;
    let whole = format!("{before}<Signature xmlns=\"{DSIG}\">{signed_info}</Signature>{after}");
    let parsed = parse(&whole).ok()?;
    let signature = envelope(&parsed).ok()?.last_element_child()?;
    Some(canonicalize(signature.first_element_child()?, method, None))
}

fn key_info(key: &KeyInfo<'_>) -> String {
    let mut data = String::new();
    if let Some(certificate) = key.certificate {
        data.push_str(&format!(
            "<X509Certificate>{}</X509Certificate>",
            STANDARD.encode(certificate)
        ));
    }
    if let Some((issuer, serial)) = key.issuer_serial {
        data.push_str("<X509IssuerSerial><X509IssuerName>");
        escape_text(issuer, &mut data);
        data.push_str(&format!("</X509IssuerName><X509SerialNumber>{serial}</X509SerialNumber>"));
        data.push_str("</X509IssuerSerial>");
    }
    if let Some(subject) = key.subject {
        data.push_str("<X509SubjectName>");
        escape_text(subject, &mut data);
        data.push_str("</X509SubjectName>");
    }
    format!("<KeyInfo><X509Data>{data}</X509Data></KeyInfo>")
}
