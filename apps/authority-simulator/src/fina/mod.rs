//! CIS: receipts of Croatia, as SOAP.
//!
//! Source: technical specification of fiskalizacija, version 2.7, and its schema, version 1.9.

mod analysis;
mod reply;
mod request;
mod restrictive;
mod rules;

use racun_authorities::xml::{envelope, parse};
use racun_fiscal::Authority;

use crate::fault::Fault;
use crate::ledger::Refused;
use crate::schema::{self, FINA};
use crate::soap;
use crate::state::{Asked, HttpReply, MessageError, State};

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A receipt is reported.
    Receipt,
    /// A receipt is checked and not kept; on the test system only.
    Check,
    /// Means of payment and buyer of a receipt change.
    Change,
    /// Means of payment of a receipt change, in the old way.
    Means,
    /// A tip is reported.
    Tip,
    /// The text comes back.
    Echo,
}

impl Kind {
    const ALL: [Self; 6] =
        [Self::Receipt, Self::Check, Self::Change, Self::Means, Self::Tip, Self::Echo];

    const fn request(self) -> &'static str {
        match self {
            Self::Receipt => "RacunZahtjev",
            Self::Check => "ProvjeraZahtjev",
            Self::Change => "PromijeniPodatkeRacunaZahtjev",
            Self::Means => "PromijeniNacPlacZahtjev",
            Self::Tip => "NapojnicaZahtjev",
            Self::Echo => "EchoRequest",
        }
    }

    const fn response(self) -> &'static str {
        match self {
            Self::Receipt => "RacunOdgovor",
            Self::Check => "ProvjeraOdgovor",
            Self::Change => "PromijeniPodatkeRacunaOdgovor",
            Self::Means => "PromijeniNacPlacOdgovor",
            Self::Tip => "NapojnicaOdgovor",
            Self::Echo => "EchoResponse",
        }
    }

    /// The last part of its `SOAPAction`.
    const fn action(self) -> &'static str {
        match self {
            Self::Receipt => "racuni",
            Self::Check => "provjera",
            Self::Change => "promijeniPodatkeRacuna",
            Self::Means => "promijeniNacPlac",
            Self::Tip => "napojnica",
            Self::Echo => "echo",
        }
    }

    const fn parts(self) -> schema::Parts {
        match self {
            Self::Receipt | Self::Check | Self::Echo => schema::fina::RECEIPT_REQUEST,
            Self::Change => schema::fina::CHANGE_REQUEST,
            Self::Means => schema::fina::MEANS_REQUEST,
            Self::Tip => schema::fina::TIP_REQUEST,
        }
    }

    fn of_action(action: &str) -> Option<Self> {
        let last = action.trim_matches('"').rsplit('/').next().unwrap_or_default();
        Self::ALL.into_iter().find(|kind| kind.action() == last)
    }
}

/// The operation that a request is, for the filter of faults.
pub fn operation(asked: &Asked) -> &'static str {
    match Kind::of_action(&asked.soap_action) {
        Some(Kind::Receipt) => "invoice",
        Some(Kind::Check) => "check",
        Some(Kind::Change | Kind::Means) => "change",
        Some(Kind::Tip) => "tip",
        Some(Kind::Echo) => "echo",
        None => "",
    }
}

/// Answers a request.
pub fn answer(state: &State, asked: &Asked, fault: Option<&Fault>) -> HttpReply {
    let media_type = asked.content_type.split(';').next().unwrap_or_default().trim();
    if !media_type.eq_ignore_ascii_case("text/xml") {
        return HttpReply::text(415, "Content-Type must be text/xml.");
    }
    let unreadable = |text: &str| HttpReply::xml(500, soap::fault(text));
    let Ok(text) = str::from_utf8(&asked.body) else {
        return unreadable("The envelope is not UTF-8.");
    };
    let document = match parse(text) {
        Ok(document) => document,
        Err(error) => return unreadable(&error.to_string()),
    };
    let element = match envelope(&document) {
        Ok(element) => element,
        Err(error) => return unreadable(&error.to_string()),
    };
    let is_root = |kind: &Kind| element.has_tag_name((FINA, kind.request()));
    let Some(kind) = Kind::ALL.into_iter().find(is_root) else {
        return unreadable("The body holds no request that is known.");
    };
    if Kind::of_action(&asked.soap_action) != Some(kind) {
        return unreadable("SOAPAction is another than the body's.");
    }
    if kind == Kind::Echo {
        return HttpReply::xml(200, reply::echo(element.text().unwrap_or_default()));
    }
    let read = request::read(&document, element, kind);
    let message_id = read.message_id.clone();
    let outcome = match fault {
        Some(Fault::Code(code, text)) => Err(MessageError::new(code, text.clone())),
        _ => rules::settle(state, kind, &read, fault),
    };
    if let Err(refusal) = &outcome {
        state.ledger.refuse(Refused {
            authority: Authority::Fina,
            message_id: Some(message_id.clone()),
            received_at: state.clock.now(),
            code: refusal.code.clone(),
            text: refusal.text.clone(),
        });
    }
    let now = state.clock.local(Authority::Fina);
    let twist = match fault {
        Some(Fault::Twist(twist)) => Some(*twist),
        _ => None,
    };
    let checked = if kind == Kind::Check { receipt_text(element) } else { None };
    let reply = reply::Reply { kind, message_id, outcome, checked };
    reply::answer(&reply, now, &state.pki.cis, twist)
}

/// The receipt as it was sent, for the answer to a check.
fn receipt_text(element: roxmltree::Node<'_, '_>) -> Option<String> {
    let receipt = element.children().find(|child| child.has_tag_name((FINA, "Racun")))?;
    let method = racun_authorities::xml::Method::Exclusive;
    Some(racun_authorities::xml::canonicalize(receipt, method, None))
}
