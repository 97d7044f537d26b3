//! Received invoices: UBL 2.1 and CII D16B, judged by the specification that they name.
//!
//! | Module      | Owns                                                        |
//! | ----------- | ----------------------------------------------------------- |
//! | `structure` | the order of elements, and elements without content         |
//! | `xml_rules` | rules that only the XML shows                               |
//! | `import`    | what an invoice says, as plain values                       |
//!
//! Bytes are a stranger's: at most [`MAX_BYTES`], UTF-8, no DTD, so no entity is ever resolved, and
//! no deeper than an invoice is.

mod import;
mod structure;
mod xml_rules;

use en16931::profiles::{self, Declaration};
use en16931::validation::Check;
use en16931::{Profile, Severity};
use en16931_formats::Error;
use en16931_formats::report::{Entry, Kind};
use roxmltree::{Document, ParsingOptions};

use crate::finding::{Finding, Level, Verdict};
use crate::specification::Syntax;

pub use import::{Import, ImportLine, ImportTax};

/// Bytes that an invoice may have: KoSIT and Peppol receivers take attachments, some megabytes.
pub const MAX_BYTES: usize = 10 * 1024 * 1024;

/// A received invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Its XML.
    pub syntax: Syntax,
    /// The specification that it names: BT-24.
    pub specification: Option<String>,
    /// What it says.
    pub import: Import,
    /// What the rules of its specification say of it; those of EN 16931 when we do not know it.
    /// Paths are empty, for there is no request: messages name the business term.
    pub verdict: Verdict,
}

/// Why bytes are no invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// More than [`MAX_BYTES`].
    TooLarge,
    /// Another encoding than UTF-8.
    Encoding,
    /// A document type declaration, which may hide anything.
    Dtd,
    /// No XML, or none of an invoice: what the reader says.
    NotAnInvoice(String),
}

/// Reads and judges an invoice.
///
/// # Errors
/// When the bytes are no invoice.
pub fn read(bytes: &[u8]) -> Result<Received, Unreadable> {
    if bytes.len() > MAX_BYTES {
        return Err(Unreadable::TooLarge);
    }
    let text = str::from_utf8(bytes).map_err(|_| Unreadable::Encoding)?;
    let refused = |error: &dyn std::fmt::Display| Unreadable::NotAnInvoice(error.to_string());
    // The crate looks at the depth before anything walks down.
    let read = en16931_formats::read(bytes).map_err(|error| match error {
        Error::Xml { .. } if has_dtd(text) => Unreadable::Dtd,
        error => refused(&error),
    })?;
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let tree = Document::parse_with_options(text, options).map_err(|error| refused(&error))?;
    let syntax = match read.syntax {
        en16931_formats::Syntax::Cii => Syntax::Cii,
        _ => Syntax::Ubl,
    };
    let invoice = &read.invoice;
    let specification = invoice.specification_id.clone();
    let profile = profile(specification.as_deref());
    let report = Check::new(profile)
        .relevel("BR-CO-25", Severity::Warning)
        .relevel("BR-TMP-2", Severity::Warning)
        .relevel("BR-CL-21", Severity::Fatal)
        .relevel("BR-CL-23", Severity::Fatal)
        .run(invoice);
    let of_rules = report.findings().iter().filter(|one| !one.rule.starts_with("EN-"));
    let of_rules = of_rules.map(|one| Finding {
        rule: one.rule.clone(),
        level: crate::rules::level(one.severity),
        path: Vec::new(),
        message: format!("{}: {}", one.path, crate::rules::text(one)),
    });
    let of_reading = read.entries.iter().filter_map(of_entry);
    let wants_content = profile.id != profiles::EN16931.id;
    let of_structure = structure::findings(&tree, syntax, wants_content);
    let of_xml = match profile.id {
        id if id == profiles::XRECHNUNG.id => xml_rules::findings(&tree, syntax, true),
        id if id == profiles::PEPPOL_BIS_3.id => xml_rules::findings(&tree, syntax, false),
        _ => Vec::new(),
    };
    let import = Import::of(invoice);
    let found = of_rules.chain(of_reading).chain(of_structure).chain(of_xml).collect();
    Ok(Received { syntax, specification, import, verdict: Verdict::of(found) })
}

/// Whether XML that is not too deep, and could not be read, has a document type declaration.
fn has_dtd(text: &str) -> bool {
    matches!(Document::parse(text), Err(roxmltree::Error::DtdDetected))
}

/// The rules of the specification that a document names.
fn profile(specification: Option<&str>) -> &'static Profile {
    match profiles::classify(specification) {
        Declaration::Known(profile) => profile,
        Declaration::Unknown(_) | Declaration::WrongProcess(_) => &profiles::EN16931,
    }
}

/// What could not be read is what a schema refuses.
fn of_entry(entry: &Entry) -> Option<Finding> {
    let level = match entry.kind {
        Kind::Malformed | Kind::Duplicate | Kind::Schema => Level::Fatal,
        _ => return None,
    };
    let message = format!("{}: {}", entry.path, entry.message);
    let rule = decimals_rule(entry).unwrap_or("XSD").to_owned();
    Some(Finding { rule, level, path: Vec::new(), message })
}

/// Elements of amounts, and the rule that allows them two decimals.
const DECIMALS: [(&str, &str); 7] = [
    ("LineExtensionAmount", "BR-DEC-23"),
    ("TaxExclusiveAmount", "BR-DEC-12"),
    ("TaxInclusiveAmount", "BR-DEC-14"),
    ("PrepaidAmount", "BR-DEC-16"),
    ("PayableAmount", "BR-DEC-18"),
    ("DuePayableAmount", "BR-DEC-18"),
    ("GrandTotalAmount", "BR-DEC-14"),
];

/// The rule that an amount with more than two decimals breaks.
fn decimals_rule(entry: &Entry) -> Option<&'static str> {
    let (_, decimals) = entry.value.as_deref()?.split_once('.')?;
    let is_long = decimals.len() > 2 && decimals.bytes().all(|sign| sign.is_ascii_digit());
    let of_path = |(element, _): &&(&str, &str)| entry.path.ends_with(element);
    DECIMALS.iter().filter(|_| is_long).find(of_path).map(|(_, rule)| *rule)
}
