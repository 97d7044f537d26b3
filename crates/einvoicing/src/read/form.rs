//! What a file is: XML of an invoice, or a PDF that holds it, and what of that PDF is judged.

use std::borrow::Cow;

use en16931_formats::zugferd::{self, Extracted, Limits};
use quick_xml::Reader;
use quick_xml::events::Event;

use super::{MAX_BYTES, Unreadable};
use crate::eslog;
use crate::finding::{Finding, Level};

/// Bytes of other parts of a PDF that are unpacked to find the invoice in it.
const MAX_UNPACKED: usize = 4 * MAX_BYTES;
/// Objects of a PDF that are walked through.
const MAX_OBJECTS: usize = 10_000;
/// An invoice is not nested deeper.
const MAX_DEPTH: usize = 64;
/// Where a PDF says that it is one, at the latest: ISO 32000-1, annex H.
const PDF_MARK_WITHIN: usize = 1_024;

/// How a received invoice is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// UBL 2.1.
    Ubl,
    /// CII D16B.
    Cii,
    /// e-SLOG 2.0.
    Eslog,
    /// CII in a PDF: ZUGFeRD, Factur-X.
    Hybrid,
}

impl Form {
    /// Its name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ubl => "UBL",
            Self::Cii => "CII",
            Self::Eslog => "e-SLOG",
            Self::Hybrid => "ZUGFeRD",
        }
    }
}

/// The XML of an invoice.
pub struct Xml<'a> {
    /// Its bytes.
    pub bytes: Cow<'a, [u8]>,
    /// What is wrong with the PDF that holds it; `None` when no PDF does.
    pub container: Option<Vec<Finding>>,
}

/// The XML in `bytes`, which are XML or a PDF.
pub fn xml_of(bytes: &[u8]) -> Result<Xml<'_>, Unreadable> {
    if bytes.len() > MAX_BYTES {
        return Err(Unreadable::TooLarge);
    }
    let head = bytes.get(..PDF_MARK_WITHIN.min(bytes.len())).unwrap_or_default();
    if !head.windows(5).any(|five| five == b"%PDF-") {
        return Ok(Xml { bytes: Cow::Borrowed(bytes), container: None });
    }
    let limits = Limits::new()
        .with_max_stream_bytes(MAX_BYTES)
        .with_max_total_bytes(MAX_UNPACKED)
        .with_max_objects(MAX_OBJECTS);
    match zugferd::extract(bytes, &limits) {
        Ok(found) if found.xml.len() > MAX_BYTES => Err(Unreadable::TooLarge),
        Ok(found) => {
            let container = Some(of_container(&found));
            Ok(Xml { bytes: Cow::Owned(found.xml), container })
        }
        Err(zugferd::Error::LimitExceeded { .. }) => Err(Unreadable::TooLarge),
        Err(error) => Err(Unreadable::NotAnInvoice(error.to_string())),
    }
}

/// How the invoice may relate to the pages, and the profiles that the metadata may name: ZUGFeRD
/// 2.5.2.
const RELATIONS: [&str; 3] = ["Alternative", "Data", "Source"];
const LEVELS: [&str; 6] = ["MINIMUM", "BASIC WL", "BASIC", "EN 16931", "EXTENDED", "XRECHNUNG"];

/// What is wrong with the PDF around an invoice: how it relates to the pages, and what the metadata
/// say of it. Nothing else of the PDF is judged, and the invoice is the same whatever is found.
fn of_container(found: &Extracted) -> Vec<Finding> {
    let fatal = |rule: &str, message: String| {
        let rule = rule.to_owned();
        Finding { rule, level: Level::Fatal, path: Vec::new(), message }
    };
    let mut wrong = Vec::new();
    let relation = found.relationship.as_deref().unwrap_or_default();
    if !RELATIONS.contains(&relation) {
        let message = format!("{relation:?} is not how an invoice relates to the pages");
        wrong.push(fatal("FXP-AFREL", message));
    }
    let xmp = &found.xmp;
    let unsaid: Vec<&str> = [
        ("DocumentType", xmp.document_type.as_deref(), &["INVOICE"][..]),
        ("DocumentFileName", xmp.document_filename.as_deref(), &[found.filename.as_str()][..]),
        ("Version", xmp.version.as_deref(), &[][..]),
        ("ConformanceLevel", xmp.conformance_level.as_deref(), &LEVELS[..]),
    ]
    .into_iter()
    .filter(|(_, said, allowed)| !is_said(*said, allowed))
    .map(|(property, ..)| property)
    .collect();
    if !unsaid.is_empty() {
        let message = format!("the metadata do not say, or say wrong: {}", unsaid.join(", "));
        wrong.push(fatal("FXP-FX", message));
    }
    wrong
}

/// Whether something is said that is allowed; anything is where nothing is named.
fn is_said(said: Option<&str>, allowed: &[&str]) -> bool {
    said.is_some_and(|said| allowed.is_empty() || allowed.contains(&said))
}

/// The text of `bytes`, without the mark ahead: UTF-8, or UTF-16 where a mark says in which order,
/// which all processors of XML take (XML 1.0, 4.3.3). It is at most half as long again as `bytes`.
pub fn decoded(bytes: &[u8]) -> Result<Cow<'_, str>, Unreadable> {
    let of_units = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let (units, rest) = bytes.as_chunks::<2>();
        let text: Result<String, _> =
            char::decode_utf16(units.iter().map(|two| unit(*two))).collect();
        text.ok().filter(|_| rest.is_empty()).map(Cow::Owned)
    };
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => of_units(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => of_units(rest, u16::from_be_bytes),
        _ => {
            let rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            str::from_utf8(rest).ok().map(Cow::Borrowed)
        }
    };
    text.ok_or(Unreadable::Encoding)
}

/// Whether `xml` is an e-SLOG, as far as its first element says; a document type declaration ahead
/// of that, or elements nested without end, are refused before anything is built of them.
pub fn is_eslog(xml: &str) -> Result<bool, Unreadable> {
    let mut reader = Reader::from_str(xml);
    let (mut is_ours, mut depth, mut is_first) = (false, 0_usize, true);
    loop {
        let event = match reader.read_event() {
            Ok(event) => event,
            // What is wrong with it the reader of its form says.
            Err(_) => return Ok(false),
        };
        match event {
            Event::DocType(_) => return Err(Unreadable::Dtd),
            Event::Start(element) => {
                if is_first {
                    let mut own = element.attributes().flatten();
                    is_ours = own.any(|one| *one.value == *eslog::NAMESPACE);
                    if !is_ours {
                        return Ok(false);
                    }
                }
                is_first = false;
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Eof => return Ok(is_ours),
            _ => {}
        }
        if depth > MAX_DEPTH {
            let message = "its elements are nested deeper than an invoice's";
            return Err(Unreadable::NotAnInvoice(message.to_owned()));
        }
    }
}
