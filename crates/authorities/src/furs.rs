//! What is sent to FURS, and what it answers.
//!
//! Source: technical specification of davčno potrjevanje računov, version 3.2.

use racun_fiscal::{AuthorityError, MessageId, Reply, Signer, SigningFailed};
use roxmltree::Node;
use serde::Deserialize;
use time::OffsetDateTime;

use crate::jws::{self, Token};
use crate::reply::{check_children, check_id, check_uuid, one_of, utf8};
use crate::xml::{self, KeyInfo, Profile};
use crate::{Certificate, VerificationError, Verifier};

/// Namespace of the messages.
pub const NAMESPACE: &str = "http://www.fu.gov.si/";
/// Where SOAP messages go, below the address of the system.
pub const PATH: &str = "/v1/cash_registers";
/// How FURS names a message whose id it could not read.
const UNREAD: &str = "000000000000000000000000000000000000";

/// What a message asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// An invoice's EOR.
    Invoice,
    /// A premise's registration.
    Premise,
}

impl Asked {
    /// `SOAPAction`, which the official sample writes without quotes.
    #[must_use]
    pub const fn action(self) -> &'static str {
        match self {
            Self::Invoice => "/invoices",
            Self::Premise => "/invoices/register",
        }
    }

    /// Where it goes in the JSON form, below the address of the system.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Invoice => "/v1/cash_registers/invoices",
            Self::Premise => "/v1/cash_registers/invoices/register",
        }
    }

    /// The root of its answer.
    const fn response(self) -> &'static str {
        match self {
            Self::Invoice => "InvoiceResponse",
            Self::Premise => "BusinessPremiseResponse",
        }
    }
}

/// Signs `payload`, a message in the JSON form: the body of a request.
///
/// # Errors
/// When the key cannot sign.
pub fn sign_json(
    payload: &str,
    signer: &dyn Signer,
    certificate: &Certificate,
) -> Result<String, SigningFailed> {
    let token = jws::sign(&jws::header(certificate), payload, signer)?;
    Ok(format!(r#"{{"token":"{token}"}}"#))
}

/// Signs `root`, the element of a message: the body of a SOAP request.
///
/// # Errors
/// When the key cannot sign, or `root` is no element with an `Id`.
pub fn sign_soap(
    root: &str,
    signer: &dyn Signer,
    certificate: &Certificate,
) -> Result<String, SigningFailed> {
    let envelope = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\
         <soapenv:Envelope xmlns:soapenv=\"{}\" xmlns:fu=\"{NAMESPACE}\">\
         <soapenv:Body>{root}</soapenv:Body></soapenv:Envelope>",
        xml::SOAP
    );
    let key = KeyInfo {
        certificate: None,
        issuer_serial: Some((&certificate.issuer.dotnet(), &certificate.serial)),
        subject: Some(&certificate.subject.dotnet()),
    };
    xml::sign(&envelope, Profile::FURS, signer, &key)
}

/// Reads the body of an answer in the JSON form to the message `id`.
///
/// # Errors
/// Why it is not believed.
pub fn read_json(
    body: &[u8],
    asked: Asked,
    id: &MessageId,
    verifier: &Verifier,
    now: OffsetDateTime,
) -> Result<Reply, VerificationError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Body {
        token: String,
    }
    let body: Body = serde_json::from_slice(body).map_err(|_| {
        VerificationError::Unreadable("it is no JSON object with a token".to_owned())
    })?;
    let token = Token::parse(&body.token)?;
    let payload: Payload = serde_json::from_slice(verifier.payload(&token, now)?)
        .map_err(|error| VerificationError::Malformed(error.to_string()))?;
    let answer = match (asked, payload) {
        (Asked::Invoice, Payload { invoice: Some(answer), premise: None })
        | (Asked::Premise, Payload { invoice: None, premise: Some(answer) }) => answer,
        _ => return Err(VerificationError::Malformed(format!("it is no {}", asked.response()))),
    };
    answer.reply(asked, id)
}

/// Reads the body of a SOAP answer to the message `id`.
///
/// # Errors
/// Why it is not believed.
pub fn read_soap(
    body: &[u8],
    asked: Asked,
    id: &MessageId,
    verifier: &Verifier,
    now: OffsetDateTime,
) -> Result<Reply, VerificationError> {
    let document = xml::parse(utf8(body)?)?;
    let element = xml::envelope(&document)?;
    if !element.has_tag_name((NAMESPACE, asked.response())) {
        return Err(VerificationError::Malformed(format!("it is no {}", asked.response())));
    }
    MessageResponse::of(verifier.element(&document, element, now)?)?.reply(asked, id)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Payload {
    #[serde(rename = "InvoiceResponse")]
    invoice: Option<MessageResponse>,
    #[serde(rename = "BusinessPremiseResponse")]
    premise: Option<MessageResponse>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct MessageResponse {
    header: Head,
    #[serde(rename = "UniqueInvoiceID")]
    unique_invoice_id: Option<String>,
    error: Option<MessageError>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    #[serde(rename = "MessageID")]
    message_id: String,
    #[serde(rename = "DateTime")]
    _date_time: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct MessageError {
    error_code: String,
    #[serde(default)]
    error_message: String,
}

impl MessageResponse {
    /// Reads `element`, which was verified.
    fn of(element: Node<'_, '_>) -> Result<Self, VerificationError> {
        check_children(element, NAMESPACE, &["Header", "UniqueInvoiceID", "Error"])?;
        let text = |parent, name| xml::element_text(xml::child(parent, NAMESPACE, name)?);
        let header = xml::child(element, NAMESPACE, "Header")?;
        check_children(header, NAMESPACE, &["MessageID", "DateTime"])?;
        let id = xml::optional_child(element, NAMESPACE, "UniqueInvoiceID")?;
        let error = xml::optional_child(element, NAMESPACE, "Error")?;
        let refusal = |error| {
            check_children(error, NAMESPACE, &["ErrorCode", "ErrorMessage"])?;
            let message = xml::optional_child(error, NAMESPACE, "ErrorMessage")?;
            Ok(MessageError {
                error_code: text(error, "ErrorCode")?,
                error_message: message.map(xml::element_text).transpose()?.unwrap_or_default(),
            })
        };
        Ok(Self {
            header: Head {
                message_id: text(header, "MessageID")?,
                _date_time: text(header, "DateTime")?,
            },
            unique_invoice_id: id.map(xml::element_text).transpose()?,
            error: error.map(refusal).transpose()?,
        })
    }

    fn reply(self, asked: Asked, id: &MessageId) -> Result<Reply, VerificationError> {
        // Its own schema knows no such id. Only a refusal can be about what was not read.
        let is_unread = self.header.message_id == UNREAD && self.unique_invoice_id.is_none();
        if !(is_unread && self.error.is_some()) {
            check_id(&self.header.message_id, id)?;
        }
        let confirmed = match asked {
            Asked::Invoice => self.unique_invoice_id.map(|eor| check_uuid(eor).map(Some)),
            Asked::Premise if self.unique_invoice_id.is_some() => {
                return Err(VerificationError::Malformed(
                    "it answers a premise with an EOR".to_owned(),
                ));
            }
            Asked::Premise => self.error.is_none().then_some(Ok(None)),
        };
        let refused = self.error.map(|error| AuthorityError {
            code: error.error_code.to_ascii_uppercase(),
            message: error.error_message,
        });
        let refused = Reply::refused(refused.into_iter().collect());
        one_of(confirmed.transpose()?.map(Reply::Confirmed), refused)
    }
}
