//! AT: series and invoices of Portugal, as SOAP.
//!
//! | Module     | Owns                                                      |
//! | ---------- | --------------------------------------------------------- |
//! | `caller`   | who calls, from the encrypted header                      |
//! | `series`   | the service of series, its rules and codes                |
//! | `invoices` | the service of invoices                                   |
//! | `saft`     | whether the chains of a file of SAF-T hold                |
//!
//! Source: AT, "Comunicação de Séries Documentais" 1.0, "Comunicação de documentos à AT por
//! webservice" 1.0, and the WSDLs of both services. The codes of data errors of the service of
//! invoices are not told there one by one: here each is -50.

mod caller;
mod invoices;
mod saft;
mod series;

use roxmltree::{Document, Node};

use crate::fault::{Fault, Twist};
use crate::soap;
use crate::state::{Asked, HttpReply, State};

pub use saft::{Checked, check as check_saft};

/// The path of the service of series.
pub const SERIES_PATH: &str = "/SeriesWSService";
/// The path of the service of invoices.
pub const INVOICES_PATH: &str = "/fatcorews/ws/";

const ENVELOPE: &str = "http://schemas.xmlsoap.org/soap/envelope/";

/// The operation that a request is, for the filter of faults.
pub fn operation(asked: &Asked) -> &'static str {
    let is_in = |name: &str| asked.body.windows(name.len()).any(|part| part == name.as_bytes());
    match asked.path.as_str() {
        SERIES_PATH => "series",
        INVOICES_PATH if is_in("ChangeInvoiceStatusRequest") => "status",
        INVOICES_PATH => "invoice",
        _ => "",
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
    let document = match racun_authorities::xml::parse(text) {
        Ok(document) => document,
        Err(doubt) => return unreadable(&doubt.to_string()),
    };
    let Some(element) = body(&document) else {
        return unreadable("The body holds no request.");
    };
    let caller = caller::read(state, &document);
    let answered = match asked.path.as_str() {
        SERIES_PATH => match caller {
            Ok(caller) => series::answer(state, element, &caller, fault),
            Err(refusal) => return unreadable(&refusal.text),
        },
        INVOICES_PATH => invoices::answer(state, element, caller, fault),
        _ => return HttpReply::text(404, "There is no such service."),
    };
    match answered {
        Some(body) => HttpReply::xml(200, whole(&body, fault)),
        None => unreadable("The body holds no request that is known."),
    }
}

/// The element in the body of the envelope.
fn body<'a, 'i>(document: &'a Document<'i>) -> Option<Node<'a, 'i>> {
    let root = document.root_element();
    let envelope = root.has_tag_name((ENVELOPE, "Envelope")).then_some(root)?;
    let body = envelope.children().find(|node| node.has_tag_name((ENVELOPE, "Body")))?;
    body.first_element_child()
}

fn whole(body: &str, fault: Option<&Fault>) -> String {
    let body = match fault {
        Some(Fault::Twist(Twist::WrongNamespace)) => body
            .replace("http://at.gov.pt/", "http://at.gov.pt/other/")
            .replace("/documents", "/other"),
        Some(Fault::Twist(Twist::MissingFields)) => {
            body.replace("codResultOper", "codigo").replace("CodigoResposta", "Codigo")
        }
        _ => body.to_owned(),
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><soap:Envelope xmlns:soap=\"{ENVELOPE}\">\
         <soap:Body>{body}</soap:Body></soap:Envelope>"
    )
}
