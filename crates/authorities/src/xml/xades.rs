//! Signing an element of a document in the form XAdES-BES: which certificate signed, and when, is
//! signed with it.
//!
//! Sources: ETSI TS 101 903 V1.4.2, 4.4.1, with the properties of V1.3.2; the schema of e-SLOG 2.0,
//! which takes a signature detached on the element with the `Id` `data`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use racun_fiscal::{Signer, SigningFailed};
use ring::digest;
use roxmltree::{Document, ParsingOptions};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::c14n::{Method, canonicalize, escape_attribute, escape_text};
use super::{DSIG, RSA_SHA256, SHA256};
use crate::Certificate;

/// Namespace of the signed properties.
pub const XADES: &str = "http://uri.etsi.org/01903/v1.3.2#";
/// What the reference to the signed properties is to.
const PROPERTIES: &str = "http://uri.etsi.org/01903#SignedProperties";

/// Signs the element of `document` whose `Id` is `id`. The signature becomes the last element
/// inside the root; all else stays as it is, byte by byte. `certificate` is that of the key, DER;
/// `at` is when it signs.
///
/// `document` must be ours: its depth is not limited.
///
/// # Errors
/// When the key cannot sign, `certificate` is none, or no element inside the root has the `Id`.
pub fn seal(
    document: &str,
    id: &str,
    signer: &dyn Signer,
    certificate: &[u8],
    at: OffsetDateTime,
) -> Result<String, SigningFailed> {
    let (place, data) = prepare(document, id).ok_or(SigningFailed)?;
    let object = object(certificate, at).ok_or(SigningFailed)?;
    let whole = |inside: &str, beside: &str| {
        let object = &object;
        format!(
            "<ds:Signature xmlns:ds=\"{DSIG}\" Id=\"signature\">{inside}{beside}{object}\
                 </ds:Signature>"
        )
    };
    let properties = canonical(&whole("", ""), XADES, "SignedProperties").ok_or(SigningFailed)?;
    let signed_info = signed_info(id, &data, &properties);
    let text = canonical(&whole(&signed_info, ""), DSIG, "SignedInfo").ok_or(SigningFailed)?;
    let value = STANDARD.encode(signer.sign(text.as_bytes())?);
    let certificate = STANDARD.encode(certificate);
    let beside = format!(
        "<ds:SignatureValue>{value}</ds:SignatureValue><ds:KeyInfo><ds:X509Data>\
         <ds:X509Certificate>{certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>"
    );
    let (before, after) = document.split_at_checked(place).ok_or(SigningFailed)?;
    Ok([before, &whole(&signed_info, &beside), after].concat())
}

/// Where the signature goes, and the element in canonical form.
fn prepare(document: &str, id: &str) -> Option<(usize, String)> {
    let parsed = parse(document)?;
    let root = parsed.root_element();
    let mut inside = root.descendants().skip(1).filter(|node| node.is_element());
    let element = inside.find(|node| node.attribute("Id") == Some(id))?;
    let place = document.get(root.range())?.rfind("</")? + root.range().start;
    Some((place, canonicalize(element, Method::Exclusive, None)))
}

/// The element `name` of a signature in canonical form. What surrounds the signature does not enter
/// into the exclusive form.
fn canonical(signature: &str, namespace: &str, name: &str) -> Option<String> {
    let parsed = parse(signature)?;
    let element = parsed.descendants().find(|node| node.has_tag_name((namespace, name)))?;
    Some(canonicalize(element, Method::Exclusive, None))
}

/// A document of ours: as long as it comes, and without a document type.
fn parse(text: &str) -> Option<Document<'_>> {
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).ok()
}

fn signed_info(id: &str, data: &str, properties: &str) -> String {
    let mut uri = String::from("#");
    escape_attribute(id, &mut uri);
    let method = Method::Exclusive.uri();
    let reference = |attributes: &str, text: &str| {
        let digest = digest_of(text.as_bytes());
        format!(
            "<ds:Reference {attributes}><ds:Transforms><ds:Transform Algorithm=\"{method}\">\
             </ds:Transform></ds:Transforms><ds:DigestMethod Algorithm=\"{SHA256}\">\
             </ds:DigestMethod><ds:DigestValue>{digest}</ds:DigestValue></ds:Reference>"
        )
    };
    let to_data = reference(&format!("Id=\"reference\" URI=\"{uri}\""), data);
    let to_properties =
        reference(&format!("URI=\"#signed-properties\" Type=\"{PROPERTIES}\""), properties);
    format!(
        "<ds:SignedInfo><ds:CanonicalizationMethod Algorithm=\"{method}\">\
         </ds:CanonicalizationMethod><ds:SignatureMethod Algorithm=\"{RSA_SHA256}\">\
         </ds:SignatureMethod>{to_data}{to_properties}</ds:SignedInfo>"
    )
}

/// The properties that are signed: when, with which certificate, and what the data is.
fn object(der: &[u8], at: OffsetDateTime) -> Option<String> {
    let certificate = Certificate::from_der(der)?;
    let time = at.to_utc().replace_nanosecond(0).ok()?.format(&Rfc3339).ok()?;
    let digest = digest_of(der);
    let mut issuer = String::new();
    escape_text(&certificate.issuer.rfc4514(), &mut issuer);
    let serial = &certificate.serial;
    Some(format!(
        "<ds:Object><xades:QualifyingProperties xmlns:xades=\"{XADES}\" Target=\"#signature\">\
         <xades:SignedProperties Id=\"signed-properties\"><xades:SignedSignatureProperties>\
         <xades:SigningTime>{time}</xades:SigningTime><xades:SigningCertificate><xades:Cert>\
         <xades:CertDigest><ds:DigestMethod Algorithm=\"{SHA256}\"></ds:DigestMethod>\
         <ds:DigestValue>{digest}</ds:DigestValue></xades:CertDigest><xades:IssuerSerial>\
         <ds:X509IssuerName>{issuer}</ds:X509IssuerName>\
         <ds:X509SerialNumber>{serial}</ds:X509SerialNumber></xades:IssuerSerial></xades:Cert>\
         </xades:SigningCertificate></xades:SignedSignatureProperties>\
         <xades:SignedDataObjectProperties><xades:DataObjectFormat ObjectReference=\"#reference\">\
         <xades:MimeType>text/xml</xades:MimeType></xades:DataObjectFormat>\
         </xades:SignedDataObjectProperties></xades:SignedProperties></xades:QualifyingProperties>\
         </ds:Object>"
    ))
}

fn digest_of(bytes: &[u8]) -> String {
    STANDARD.encode(digest::digest(&digest::SHA256, bytes))
}
