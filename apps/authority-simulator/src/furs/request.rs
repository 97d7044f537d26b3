//! Reads requests: their form, before anything is believed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use racun_authorities::jws::Token;
use racun_authorities::xml::{Accepted, DSIG, Signature, envelope, parse};
use racun_authorities::{Certificate, VerificationError};
use serde_json::Value;

use super::{Kind, Transport};
use crate::schema::{self, FURS, Invalid};
use crate::state::MessageError;

/// A message that was read: of the right form, not yet allowed.
pub struct Received {
    pub transport: Transport,
    pub message_id: String,
    /// All of it, in the form of `schema`, or why it is not in that form.
    pub content: Result<Value, MessageError>,
    /// Serial number of the certificate that it says signed it.
    pub serial: Option<String>,
    /// Whether this certificate's key signed it.
    pub is_signed_by: Box<dyn Fn(&Certificate) -> bool>,
    /// What is wrong with the signature, independent of its signer.
    pub signature_fault: Option<MessageError>,
}

/// A refusal with the message's id, if that could be read.
pub type Unread = (Option<String>, MessageError);

/// Reads `{"token":"…"}`.
///
/// # Errors
/// When it is no token, or holds no message.
pub fn json(body: &[u8], kind: Kind) -> Result<Received, Unread> {
    let unreadable = |text: &str| (None, MessageError::new("S002", text));
    let body: Value = serde_json::from_slice(body).map_err(|_| unreadable("Sporočilo ni JSON."))?;
    let token = match body.as_object() {
        Some(object) if object.len() == 1 => object.get("token").and_then(Value::as_str),
        _ => None,
    };
    let token = token.ok_or_else(|| unreadable("Sporočilo ni {\"token\": …}."))?.to_owned();
    let payload = payload(&token).ok_or_else(|| unreadable("Žeton ne vsebuje sporočila JSON."))?;
    let message_id = message_id(&payload, kind);
    let (serial, signature_fault) = match Token::parse(&token) {
        Ok(token) => (token.serial().map(str::to_owned), None),
        Err(error) => (None, Some(signature_fault(&error))),
    };
    let content = match payload.as_object() {
        Some(object) if object.len() == 1 => match object.get(kind.request()) {
            Some(request) => schema::json(kind.request(), request, parts(kind)),
            None => Err(Invalid::at(kind.request(), "is missing")),
        },
        _ => Err(Invalid::at(kind.request(), "is not the only property")),
    };
    Ok(Received {
        transport: Transport::Json,
        message_id: message_id.unwrap_or_else(|| "0".repeat(36)),
        content: content.map_err(|invalid| {
            MessageError::new("S002", format!("Sporočilo ni v skladu s shemo JSON: {invalid}"))
        }),
        serial,
        is_signed_by: Box::new(move |certificate| {
            let token = Token::parse(&token);
            let key = certificate.rsa_key.as_deref();
            token.is_ok_and(|token| key.is_some_and(|key| token.verify(key).is_ok()))
        }),
        signature_fault,
    })
}

fn payload(token: &str) -> Option<Value> {
    let payload = token.split('.').nth(1)?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()
}

fn message_id(payload: &Value, kind: Kind) -> Option<String> {
    let id = payload.get(kind.request())?.get("Header")?.get("MessageID")?.as_str()?;
    schema::Simple::Uuid { any_case: true }.fault(id).is_none().then(|| id.to_owned())
}

/// Reads a SOAP envelope.
///
/// # Errors
/// When it holds no message.
pub fn soap(body: &[u8], kind: Kind) -> Result<Received, Unread> {
    let unreadable = |text: &str| (None, MessageError::new("S001", text));
    let text = String::from_utf8(body.to_vec()).map_err(|_| unreadable("Sporočilo ni UTF-8."))?;
    let document = parse(&text).map_err(|error| unreadable(&error.to_string()))?;
    let element = envelope(&document).map_err(|error| unreadable(&error.to_string()))?;
    if !element.has_tag_name((FURS, kind.request())) {
        return Err(unreadable("Sporočilo je drugo, kot pravi SOAPAction."));
    }
    let id = element.descendants().find(|node| node.has_tag_name((FURS, "MessageID")));
    let message_id = id.and_then(|id| id.text()).map(str::to_owned);
    let is_plain = element.attributes().all(|attribute| attribute.name() == "Id");
    let content = if is_plain {
        schema::xml(element, FURS, parts(kind))
    } else {
        Err(Invalid::at(kind.request(), "has an attribute that is not expected"))
    };
    let mut content = content.map_err(|invalid| {
        MessageError::new("S001", format!("Sporočilo ni v skladu s shemo XML: {invalid}"))
    });
    let (serial, signature_fault) = match Signature::of(&document, element, Accepted::Sha256) {
        Ok(signature) => (signature.serial().map(str::to_owned), profile_fault(element)),
        Err(VerificationError::Unsigned) => {
            if content.is_ok() {
                content = Err(MessageError::new("S001", "Manjka ds:Signature."));
            }
            (None, None)
        }
        Err(error) => (None, Some(signature_fault(&error))),
    };
    Ok(Received {
        transport: Transport::Soap,
        message_id: message_id.unwrap_or_else(|| "0".repeat(36)),
        content,
        serial,
        is_signed_by: Box::new({
            let text = text.clone();
            move |certificate| is_signed_by(&text, certificate)
        }),
        signature_fault,
    })
}

fn is_signed_by(text: &str, certificate: &Certificate) -> bool {
    let verify = || {
        let document = parse(text)?;
        let element = envelope(&document)?;
        let signature = Signature::of(&document, element, Accepted::Sha256)?;
        signature.verify(certificate.rsa_key.as_deref().unwrap_or_default()).map(|_| ())
    };
    let verified: Result<(), VerificationError> = verify();
    verified.is_ok()
}

/// What is wrong with a signature by the profile of chapter 10: one transform, and in `KeyInfo`
/// issuer, serial number and subject.
fn profile_fault(element: roxmltree::Node<'_, '_>) -> Option<MessageError> {
    let count = |name| element.descendants().filter(|node| node.has_tag_name((DSIG, name))).count();
    let text = match () {
        () if count("Transform") != 1 => "Dovoljena je samo pretvorba enveloped-signature.",
        () if count("X509IssuerSerial") != 1 => "Manjka X509IssuerSerial.",
        () if count("X509SubjectName") != 1 => "Manjka X509SubjectName.",
        () => return None,
    };
    Some(MessageError::new("S003", text))
}

fn signature_fault(error: &VerificationError) -> MessageError {
    MessageError::new("S003", format!("Napaka v digitalnem podpisu: {error}"))
}

const fn parts(kind: Kind) -> schema::Parts {
    match kind {
        Kind::Invoice | Kind::Echo => schema::furs::INVOICE_REQUEST,
        Kind::Premise => schema::furs::PREMISE_REQUEST,
    }
}
