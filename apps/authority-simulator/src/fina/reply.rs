//! Writes answers as the official samples are written.

use jiff::civil::DateTime;

use super::Kind;
use super::rules::Given;
use crate::fault::Twist;
use crate::pki::certificate::{random, uuid};
use crate::pki::{Identity, Signers};
use crate::schema::FINA;
use crate::soap::{self, Form, Unsigned, escaped};
use crate::state::{HttpReply, MessageError};

/// What is answered.
pub struct Reply {
    pub kind: Kind,
    pub message_id: String,
    pub outcome: Result<Given, MessageError>,
    /// The receipt of a check, as it was sent.
    pub checked: Option<String>,
}

const FORM: Form = Form { has_second_transform: true, is_indented: true, key_info };

fn key_info(signer: &Identity) -> String {
    format!("<X509Data>{}{}</X509Data>", soap::certificate(signer), soap::issuer_serial(signer))
}

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<soap:Envelope \
    xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\" \
    xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\">";
const BODY: &str = "<soap:Body>";
const TAIL: &str = "</soap:Body></soap:Envelope>";

/// The answer, signed, or as `twist` wants it. Refusals have status 500.
pub fn answer(reply: &Reply, now: DateTime, signers: &Signers, twist: Option<Twist>) -> HttpReply {
    let status = if reply.outcome.is_ok() { 200 } else { 500 };
    let id = format!("G0x{:x}-4D", u64::from_be_bytes(random()) >> 16);
    let time = now.strftime("%d.%m.%YT%H:%M:%S").to_string();
    let unsigned = Unsigned {
        head: &format!("{HEAD}{BODY}"),
        element: element(reply, &id, &time, twist),
        end: format!("</tns:{}>", reply.kind.response()),
        id: &id,
        tail: TAIL,
    };
    let signed = soap::sign(&unsigned, &FORM, signers, twist);
    if twist != Some(Twist::Wrapped) {
        return HttpReply::xml(status, signed);
    }
    // What was signed moves to the header; the body says something else.
    let genuine = signed.trim_start_matches(unsigned.head).trim_end_matches(TAIL);
    let outcome = match &reply.outcome {
        Ok(Given::Jir(_)) => Ok(Given::Jir(uuid())),
        other => other.clone(),
    };
    let message_id = reply.message_id.clone();
    let forged = Reply { kind: reply.kind, message_id, outcome, checked: reply.checked.clone() };
    let forged = format!("{}{}", element(&forged, "forged", &time, None), unsigned.end);
    let text = format!("{HEAD}<soap:Header>{genuine}</soap:Header>{BODY}{forged}{TAIL}");
    HttpReply::xml(status, text)
}

/// The element in the body, without its end.
fn element(reply: &Reply, id: &str, time: &str, twist: Option<Twist>) -> String {
    let root = reply.kind.response();
    let namespace = match twist {
        Some(Twist::WrongNamespace) => "http://www.apis-it.hr/fin/2012/types/other",
        _ => FINA,
    };
    let message_id = match twist {
        Some(Twist::WrongMessageId) => uuid(),
        _ => reply.message_id.clone(),
    };
    let mut text = format!(
        "<tns:{root} xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xmlns:tns=\"{namespace}\" Id=\"{id}\" xsi:schemaLocation=\"{FINA} \
         ../schema/FiskalizacijaSchema.xsd \"><tns:Zaglavlje><tns:IdPoruke>{}</tns:IdPoruke>\
         <tns:DatumVrijeme>{time}</tns:DatumVrijeme></tns:Zaglavlje>",
        escaped(&message_id)
    );
    if twist != Some(Twist::MissingFields) {
        match &reply.outcome {
            Ok(Given::Jir(jir)) => text.push_str(&format!("<tns:Jir>{jir}</tns:Jir>")),
            Ok(Given::Message(code, message)) => text.push_str(&format!(
                "<tns:PorukaOdgovora><tns:SifraPoruke>{code}</tns:SifraPoruke>\
                 <tns:Poruka>{message}</tns:Poruka></tns:PorukaOdgovora>"
            )),
            Ok(Given::Checked(lines)) => {
                text.push_str(reply.checked.as_deref().unwrap_or_default());
                text.push_str(&errors(lines));
            }
            Err(MessageError { code, text: message }) => {
                text.push_str(&errors(&[(code.clone(), message.clone())]));
            }
        }
    }
    match twist {
        Some(Twist::Both) if reply.outcome.is_ok() => {
            text.push_str(&errors(&[("s006".to_owned(), "Sistemska pogreška.".to_owned())]));
        }
        Some(Twist::ExtraFields) => text.push_str("<tns:Dodatno>x</tns:Dodatno>"),
        _ => {}
    }
    text
}

fn errors(lines: &[(String, String)]) -> String {
    let line = |(code, message): &(String, String)| {
        let message: String = message.chars().take(500).collect();
        format!(
            "<tns:Greska><tns:SifraGreske>{}</tns:SifraGreske>\
             <tns:PorukaGreske>{}</tns:PorukaGreske></tns:Greska>",
            escaped(code),
            escaped(&message)
        )
    };
    format!("<tns:Greske>{}</tns:Greske>", lines.iter().map(line).collect::<String>())
}

/// The answer to an echo, which is not signed.
pub fn echo(text: &str) -> String {
    let text = escaped(text);
    format!("{HEAD}{BODY}<tns:EchoResponse xmlns:tns=\"{FINA}\">{text}</tns:EchoResponse>{TAIL}")
}
