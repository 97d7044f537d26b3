//! Writes answers as the official samples are written.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jiff::civil::DateTime;
use racun_authorities::Certificate;
use serde_json::json;

use super::{Kind, Transport};
use crate::fault::Twist;
use crate::pki::certificate::uuid;
use crate::pki::{Identity, Signers};
use crate::schema::FURS;
use crate::soap::{self, Form, Unsigned, escaped};
use crate::state::{HttpReply, MessageError};

/// What is answered.
pub struct Reply {
    pub kind: Kind,
    pub transport: Transport,
    pub message_id: String,
    pub id: Option<String>,
    pub error: Option<MessageError>,
}

/// The answer, signed, or as `twist` wants it.
pub fn answer(reply: &Reply, now: DateTime, signers: &Signers, twist: Option<Twist>) -> HttpReply {
    let said = Said::new(reply, now, twist);
    match reply.transport {
        Transport::Json => {
            let token = token(&said, signers, twist);
            HttpReply::json(json!({ "token": token }).to_string())
        }
        Transport::Soap => HttpReply::xml(200, document(&said, signers, twist)),
    }
}

/// What an answer says, after what went wrong with it.
struct Said<'a> {
    root: &'a str,
    message_id: String,
    time: String,
    id: Option<String>,
    error: Option<MessageError>,
    has_extra: bool,
}

impl<'a> Said<'a> {
    fn new(reply: &'a Reply, now: DateTime, twist: Option<Twist>) -> Self {
        let mut said = Self {
            root: reply.kind.response(),
            message_id: reply.message_id.clone(),
            time: now.strftime("%Y-%m-%dT%H:%M:%S").to_string(),
            id: reply.id.clone(),
            error: reply.error.clone(),
            has_extra: twist == Some(Twist::ExtraFields),
        };
        match twist {
            Some(Twist::WrongMessageId) => said.message_id = uuid(),
            // An answer about a premise has no result: what it can lack is the message's id.
            Some(Twist::MissingFields) if reply.kind == Kind::Premise => said.message_id.clear(),
            Some(Twist::MissingFields) => (said.id, said.error) = (None, None),
            Some(Twist::Both) => {
                said.id = Some(uuid());
                said.error = Some(MessageError::new("S100", "Sistemska napaka."));
            }
            _ => {}
        }
        said
    }
}

/// The compact JWS, with the leaf alone in `x5c`.
fn token(said: &Said<'_>, signers: &Signers, twist: Option<Twist>) -> String {
    let root = if twist == Some(Twist::WrongNamespace) { "OtherResponse" } else { said.root };
    let payload = payload(said, root);
    let signer = match twist {
        Some(Twist::Wrapped) => &signers.untrusted,
        _ => signers.of(twist),
    };
    let mut chain = vec![signer];
    if twist == Some(Twist::Wrapped) {
        chain.push(&signers.right);
    }
    let header = match twist {
        Some(Twist::AlgNone) => r#"{"alg":"none"}"#.to_owned(),
        _ => header(signer, &chain),
    };
    let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(payload));
    let signature = match twist {
        Some(Twist::AlgNone | Twist::Unsigned) => Vec::new(),
        Some(Twist::BadSignature) => signer.key.sign(b"another message"),
        _ => signer.key.sign(signed.as_bytes()),
    };
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
}

/// The header's fields in their order; the slashes of base64 are escaped, as by FURS.
fn header(signer: &Identity, chain: &[&Identity]) -> String {
    let read = Certificate::from_der(&signer.der);
    let (subject, issuer) =
        read.map_or_else(Default::default, |read| (read.subject.dotnet(), read.issuer.java()));
    let subject = subject.replace("SERIALNUMBER=", "OID.2.5.4.5=");
    let chain: Vec<String> = chain
        .iter()
        .map(|identity| format!("\"{}\"", STANDARD.encode(&identity.der).replace('/', "\\/")))
        .collect();
    format!(
        r#"{{"alg":"RS256","subject_name":{},"issuer_name":{},"x5c":[{}],"serial":{}}}"#,
        json!(subject),
        json!(issuer),
        chain.join(","),
        signer.serial_decimal()
    )
}

/// The payload, its fields in their order, with the white space that FURS has around and inside it.
fn payload(said: &Said<'_>, root: &str) -> String {
    let field = |name: &str, text: &str| format!("\"{name}\": {}", json!(text));
    let group = |name: &str, fields: &[String], margin: &str| {
        let inside = fields.join(&format!(",\n{margin}    "));
        format!("\"{name}\": {{\n{margin}    {inside}\n{margin}}}")
    };
    let margin = " ".repeat(16);
    let mut header = vec![field("DateTime", &said.time)];
    if !said.message_id.is_empty() {
        header.insert(0, field("MessageID", &said.message_id));
    }
    let mut content = vec![group("Header", &header, &margin)];
    content.extend(said.id.as_ref().map(|id| field("UniqueInvoiceID", id)));
    if let Some(MessageError { code, text }) = &said.error {
        let error = [field("ErrorCode", code), field("ErrorMessage", text)];
        content.push(group("Error", &error, &margin));
    }
    if said.has_extra {
        content.push(field("Dodatno", "x"));
    }
    let margin = " ".repeat(12);
    let outer = " ".repeat(8);
    format!("\n{outer}{{\n{margin}{}\n{outer}}}\n{outer}", group(root, &content, &margin))
}

const FORM: Form = Form { has_second_transform: false, is_indented: false, key_info };

fn key_info(signer: &Identity) -> String {
    let subject = Certificate::from_der(&signer.der).map(|read| read.subject.dotnet());
    let subject = subject.unwrap_or_default().replace("SERIALNUMBER=", "OID.2.5.4.5=");
    format!(
        "<X509Data><X509SubjectName>{}</X509SubjectName>{}{}</X509Data><KeyValue><RSAKeyValue>\
         <Modulus>{}</Modulus><Exponent>AQAB</Exponent></RSAKeyValue></KeyValue>",
        escaped(&subject),
        soap::issuer_serial(signer),
        soap::certificate(signer),
        STANDARD.encode(signer.key.modulus())
    )
}

fn head(namespace: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><soapenv:Envelope \
         xmlns:soapenv=\"http://schemas.xmlsoap.org/soap/envelope/\" \
         xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" xmlns:fu=\"{namespace}\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">"
    )
}

const BODY: &str = "<soapenv:Body>";
const TAIL: &str = "</soapenv:Body></soapenv:Envelope>";

fn document(said: &Said<'_>, signers: &Signers, twist: Option<Twist>) -> String {
    let namespace = match twist {
        Some(Twist::WrongNamespace) => "http://www.fu.gov.si/other",
        _ => FURS,
    };
    let head = head(namespace);
    let unsigned = Unsigned {
        head: &format!("{head}{BODY}"),
        element: element(said, "data"),
        end: format!("</fu:{}>", said.root),
        id: "data",
        tail: TAIL,
    };
    let signed = soap::sign(&unsigned, &FORM, signers, twist);
    if twist != Some(Twist::Wrapped) {
        return signed;
    }
    // What was signed moves to the header; the body says something else.
    let genuine = signed.trim_start_matches(unsigned.head).trim_end_matches(TAIL);
    let forged = Said {
        id: said.id.as_ref().map(|_| uuid()),
        message_id: said.message_id.clone(),
        time: said.time.clone(),
        error: None,
        ..*said
    };
    let forged = format!("{}{}", element(&forged, "forged"), unsigned.end);
    format!("{head}<soapenv:Header>{genuine}</soapenv:Header>{BODY}{forged}{TAIL}")
}

/// The element in the body, without its end.
fn element(said: &Said<'_>, id: &str) -> String {
    let mut text = format!("<fu:{} Id=\"{id}\"><fu:Header>", said.root);
    if !said.message_id.is_empty() {
        text.push_str(&format!("<fu:MessageID>{}</fu:MessageID>", escaped(&said.message_id)));
    }
    text.push_str(&format!("<fu:DateTime>{}</fu:DateTime></fu:Header>", said.time));
    if let Some(id) = &said.id {
        text.push_str(&format!("<fu:UniqueInvoiceID>{id}</fu:UniqueInvoiceID>"));
    }
    if let Some(error) = &said.error {
        text.push_str(&format!(
            "<fu:Error><fu:ErrorCode>{}</fu:ErrorCode>\
             <fu:ErrorMessage>{}</fu:ErrorMessage></fu:Error>",
            escaped(&error.code),
            escaped(&error.text.chars().take(500).collect::<String>())
        ));
    }
    if said.has_extra {
        text.push_str("<fu:Dodatno>x</fu:Dodatno>");
    }
    text
}

/// The answer to an echo, which is not signed.
pub fn echo(text: &str) -> String {
    let head = head(FURS);
    let text = escaped(text);
    format!("{head}{BODY}<fu:EchoResponse>{text}</fu:EchoResponse>{TAIL}")
}
