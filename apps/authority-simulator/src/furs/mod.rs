//! FURS: invoices and business premises of Slovenia, as JSON and as SOAP.
//!
//! Source: technical specification of davčno potrjevanje računov, version 3.2.

mod reply;
mod request;
mod rules;

use racun_authorities::xml::{envelope, parse};
use racun_fiscal::Authority;
use reply::Reply;
use request::Received;

use crate::fault::{Fault, Twist};
use crate::ledger::Refused;
use crate::schema::FURS;
use crate::soap;
use crate::state::{Asked, HttpReply, MessageError, State};

const SOAP_PATH: &str = "/v1/cash_registers";

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Invoice,
    Premise,
    Echo,
}

/// As what it is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transport {
    Json,
    Soap,
}

impl Kind {
    /// The message's root, in both forms.
    const fn request(self) -> &'static str {
        match self {
            Self::Invoice => "InvoiceRequest",
            Self::Premise => "BusinessPremiseRequest",
            Self::Echo => "EchoRequest",
        }
    }

    const fn response(self) -> &'static str {
        match self {
            Self::Invoice => "InvoiceResponse",
            Self::Premise => "BusinessPremiseResponse",
            Self::Echo => "EchoResponse",
        }
    }
}

/// The kind and transport of a request; `None` when nothing is there.
fn route(asked: &Asked) -> Option<(Kind, Transport)> {
    let tail = asked.path.strip_prefix(SOAP_PATH)?;
    match tail {
        "/invoices" => Some((Kind::Invoice, Transport::Json)),
        "/invoices/register" => Some((Kind::Premise, Transport::Json)),
        "/echo" => Some((Kind::Echo, Transport::Json)),
        "" => match asked.soap_action.trim_matches('"') {
            "/invoices" => Some((Kind::Invoice, Transport::Soap)),
            "/invoices/register" => Some((Kind::Premise, Transport::Soap)),
            "/echo" => Some((Kind::Echo, Transport::Soap)),
            _ => None,
        },
        _ => None,
    }
}

/// The operation that a request is, for the filter of faults.
pub fn operation(asked: &Asked) -> &'static str {
    match route(asked) {
        Some((Kind::Invoice, _)) => "invoice",
        Some((Kind::Premise, _)) => "premise",
        Some((Kind::Echo, _)) => "echo",
        None => "",
    }
}

/// Answers a request.
pub fn answer(state: &State, asked: &Asked, fault: Option<&Fault>) -> HttpReply {
    let Some((kind, transport)) = route(asked) else {
        return HttpReply::text(404, "There is nothing at this path, or with this SOAPAction.");
    };
    let media_type = asked.content_type.split(';').next().unwrap_or_default().trim();
    let wanted = match transport {
        Transport::Json => "application/json",
        Transport::Soap => "text/xml",
    };
    if !media_type.eq_ignore_ascii_case(wanted) {
        return HttpReply::text(415, &format!("Content-Type must be {wanted}."));
    }
    match (kind, transport) {
        (Kind::Echo, Transport::Json) => echo_json(&asked.body),
        (Kind::Echo, Transport::Soap) => echo_soap(&asked.body),
        _ => message(state, asked, fault, kind, transport),
    }
}

fn message(
    state: &State,
    asked: &Asked,
    fault: Option<&Fault>,
    kind: Kind,
    transport: Transport,
) -> HttpReply {
    if let Some(certificate) = &asked.certificate {
        state.learn(certificate);
    }
    let received = match transport {
        Transport::Json => request::json(&asked.body, kind),
        Transport::Soap => request::soap(&asked.body, kind),
    };
    let outcome = received.and_then(|received| {
        let message_id = received.message_id.clone();
        settle(state, received, fault).map_err(|refusal| (Some(message_id), refusal))
    });
    let reply = match outcome {
        Ok((message_id, id)) => Reply { kind, transport, message_id, id, error: None },
        Err((message_id, refusal)) => {
            state.ledger.refuse(Refused {
                authority: Authority::Furs,
                message_id: message_id.clone(),
                received_at: state.clock.now(),
                code: refusal.code.clone(),
                text: refusal.text.clone(),
            });
            // An unreadable request is answered with zeros, which their own schema does not allow.
            let message_id = message_id.unwrap_or_else(|| "0".repeat(36));
            Reply { kind, transport, message_id, id: None, error: Some(refusal) }
        }
    };
    let now = state.clock.local(Authority::Furs);
    reply::answer(&reply, now, &state.pki.furs, twist(fault))
}

/// Checks and takes what was received: its message id, and the EOR of an invoice.
fn settle(
    state: &State,
    received: Received,
    fault: Option<&Fault>,
) -> Result<(String, Option<String>), MessageError> {
    if let Some(Fault::Code(code, text)) = fault {
        return Err(MessageError::new(code, text.clone()));
    }
    let message_id = received.message_id.clone();
    let id = rules::settle(state, received, fault)?;
    Ok((message_id, id))
}

fn twist(fault: Option<&Fault>) -> Option<Twist> {
    match fault {
        Some(Fault::Twist(twist)) => Some(*twist),
        _ => None,
    }
}

fn echo_json(body: &[u8]) -> HttpReply {
    let asked = serde_json::from_slice::<serde_json::Value>(body).ok();
    let asked = asked.as_ref().and_then(serde_json::Value::as_object);
    match asked.and_then(|asked| asked.get("EchoRequest").filter(|_| asked.len() == 1)) {
        Some(serde_json::Value::String(text)) => {
            HttpReply::json(serde_json::json!({ "EchoResponse": text }).to_string())
        }
        _ => HttpReply::text(400, "An EchoRequest with a text is wanted."),
    }
}

fn echo_soap(body: &[u8]) -> HttpReply {
    let text = String::from_utf8_lossy(body);
    let echoed = parse(&text).ok().and_then(|document| {
        let element = envelope(&document).ok()?;
        let is_echo = element.has_tag_name((FURS, Kind::Echo.request()));
        is_echo.then(|| element.text().unwrap_or_default().to_owned())
    });
    match echoed {
        Some(echoed) => HttpReply::xml(200, reply::echo(&echoed)),
        None => HttpReply::xml(500, soap::fault("An EchoRequest is wanted.")),
    }
}
