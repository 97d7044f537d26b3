//! What a file is: XML of an invoice, or a PDF that holds it.

use std::borrow::Cow;

use en16931_formats::zugferd::{self, Limits};
use quick_xml::Reader;
use quick_xml::events::Event;

use super::{MAX_BYTES, Unreadable};
use crate::eslog;

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

/// The XML in `bytes`, and whether they are a PDF.
pub fn xml_of(bytes: &[u8]) -> Result<(Cow<'_, [u8]>, bool), Unreadable> {
    if bytes.len() > MAX_BYTES {
        return Err(Unreadable::TooLarge);
    }
    let head = bytes.get(..PDF_MARK_WITHIN.min(bytes.len())).unwrap_or_default();
    if !head.windows(5).any(|five| five == b"%PDF-") {
        return Ok((Cow::Borrowed(bytes), false));
    }
    let limits = Limits::new()
        .with_max_stream_bytes(MAX_BYTES)
        .with_max_total_bytes(MAX_UNPACKED)
        .with_max_objects(MAX_OBJECTS);
    match zugferd::extract(bytes, &limits) {
        Ok(found) if found.xml.len() > MAX_BYTES => Err(Unreadable::TooLarge),
        Ok(found) => Ok((Cow::Owned(found.xml), true)),
        Err(zugferd::Error::LimitExceeded { .. }) => Err(Unreadable::TooLarge),
        Err(error) => Err(Unreadable::NotAnInvoice(error.to_string())),
    }
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
