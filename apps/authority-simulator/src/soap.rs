//! Signed SOAP answers, in the form of the official samples.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use racun_authorities::Certificate;
use racun_authorities::xml::{
    DSIG, ENVELOPED, Method, RSA_SHA256, SHA256, canonicalize, envelope, parse,
};
use ring::digest;

use crate::fault::Twist;
use crate::pki::Identity;
use crate::pki::Signers;

/// A SOAP answer before it is signed.
pub struct Unsigned<'a> {
    /// All before the element in the body, in which the namespaces of the envelope stand.
    pub head: &'a str,
    /// The element without its end tag.
    pub element: String,
    /// Its end tag.
    pub end: String,
    /// Its `Id`.
    pub id: &'a str,
    /// What closes body and envelope.
    pub tail: &'a str,
}

/// How an authority writes signatures into its answers.
pub struct Form {
    /// Whether a second transform says what is meant without it anyway.
    pub has_second_transform: bool,
    /// Whether `SignedInfo` has line breaks and indentation.
    pub is_indented: bool,
    /// What `KeyInfo` says.
    pub key_info: fn(&Identity) -> String,
}

/// Signs the answer, or leaves it as `twist` wants it.
pub fn sign(
    unsigned: &Unsigned<'_>,
    form: &Form,
    signers: &Signers,
    twist: Option<Twist>,
) -> String {
    let Unsigned { head, element, end, tail, .. } = unsigned;
    let signature = match twist {
        Some(Twist::Unsigned | Twist::AlgNone) => String::new(),
        _ => signature(unsigned, form, signers.of(twist), twist).unwrap_or_default(),
    };
    format!("{head}{element}{signature}{end}{tail}")
}

fn signature(
    unsigned: &Unsigned<'_>,
    form: &Form,
    signer: &Identity,
    twist: Option<Twist>,
) -> Option<String> {
    let Unsigned { head, element, end, id, tail } = unsigned;
    let document = format!("{head}{element}{end}{tail}");
    let document = parse(&document).ok()?;
    let text = canonicalize(envelope(&document).ok()?, Method::Inclusive, None);
    let signed_info =
        signed_info(form, id, digest::digest(&digest::SHA256, text.as_bytes()).as_ref());
    let open = format!("<Signature xmlns=\"{DSIG}\">");
    let whole = format!("{head}{element}{open}{signed_info}</Signature>{end}{tail}");
    let whole = parse(&whole).ok()?;
    let place = envelope(&whole).ok()?.last_element_child()?.first_element_child()?;
    let text = canonicalize(place, Method::Inclusive, None);
    let value = match twist {
        Some(Twist::BadSignature) => signer.key.sign(b"another message"),
        _ => signer.key.sign(text.as_bytes()),
    };
    let value = STANDARD.encode(value);
    let key_info = (form.key_info)(signer);
    Some(format!(
        "{open}{signed_info}<SignatureValue>{value}</SignatureValue>\
         <KeyInfo>{key_info}</KeyInfo></Signature>"
    ))
}

fn signed_info(form: &Form, id: &str, digest: &[u8]) -> String {
    let inclusive = Method::Inclusive.uri();
    let digest = STANDARD.encode(digest);
    let second = if form.has_second_transform {
        format!("      <Transform Algorithm=\"{inclusive}\"/>\n")
    } else {
        String::new()
    };
    let indented = format!(
        "<SignedInfo>\n  <CanonicalizationMethod Algorithm=\"{inclusive}\"/>\n  \
         <SignatureMethod Algorithm=\"{RSA_SHA256}\"/>\n  <Reference URI=\"#{id}\">\n    \
         <Transforms>\n      <Transform Algorithm=\"{ENVELOPED}\"/>\n\
         {second}    </Transforms>\n    \
         <DigestMethod Algorithm=\"{SHA256}\"/>\n    <DigestValue>{digest}</DigestValue>\n  \
         </Reference>\n</SignedInfo>"
    );
    if form.is_indented { indented } else { indented.lines().map(str::trim_start).collect() }
}

/// `X509Certificate`.
pub fn certificate(signer: &Identity) -> String {
    format!("<X509Certificate>{}</X509Certificate>", STANDARD.encode(&signer.der))
}

/// `X509IssuerSerial`.
pub fn issuer_serial(signer: &Identity) -> String {
    let issuer = Certificate::from_der(&signer.der).map(|read| read.issuer.java());
    format!(
        "<X509IssuerSerial><X509IssuerName>{}</X509IssuerName>\
         <X509SerialNumber>{}</X509SerialNumber></X509IssuerSerial>",
        escaped(&issuer.unwrap_or_default()),
        signer.serial_decimal()
    )
}

/// A text between tags.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A SOAP fault, which is not signed.
pub fn fault(text: &str) -> String {
    format!(
        "<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\"><soap:Body>\
         <soap:Fault><faultcode>soap:Client</faultcode><faultstring>{}</faultstring></soap:Fault>\
         </soap:Body></soap:Envelope>",
        escaped(text)
    )
}
