//! Received invoices: UBL 2.1, CII D16B, also in a PDF, and e-SLOG 2.0, judged by the specification
//! that they name.
//!
//! | Module      | Owns                                                        |
//! | ----------- | ----------------------------------------------------------- |
//! | `form`      | what a file is, the XML in a PDF, and the PDF around it     |
//! | `structure` | the order of elements, and elements without content         |
//! | `xml_rules` | rules that only the XML shows                               |
//! | `syntax_rules` | elements that must be there, and rules on the XML itself |
//! | `sums`      | whether what is stated adds up                              |
//! | `import`    | what an invoice says, as plain values                       |
//!
//! Bytes are a stranger's: at most [`MAX_BYTES`], UTF-8 or UTF-16, no DTD, so no entity is ever
//! resolved, and no deeper than an invoice is.

mod form;
mod import;
mod structure;
mod sums;
mod syntax_rules;
mod xml_rules;

use en16931::profiles::{self, Declaration};
use en16931::validation::Check;
use en16931::{Invoice, Profile, Severity};
use en16931_formats::Error;
use en16931_formats::report::{Entry, Kind};
use roxmltree::{Document, ParsingOptions};

use form::Xml;
use syntax_rules::Beside;

use crate::eslog;
use crate::finding::{Finding, Level, Verdict};
use crate::rules::national;
use crate::specification::Syntax;

pub use form::Form;
pub use import::{Import, ImportAllowance, ImportLine, ImportTax};

/// Bytes that an invoice may have: KoSIT and Peppol receivers take attachments, some megabytes.
pub const MAX_BYTES: usize = 10 * 1024 * 1024;

/// A received invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// How it is written.
    pub form: Form,
    /// The specification that it names: BT-24.
    pub specification: Option<String>,
    /// What it says.
    pub import: Import,
    /// What the rules of its specification say of it; those of EN 16931 when we do not know it. Of
    /// a hybrid, what ZUGFeRD says of the PDF, too: that keeps no invoice from being entered.
    /// Paths are empty, for there is no request: messages name the business term.
    pub verdict: Verdict,
    /// What does not add up in it by these rules: such an invoice cannot be entered as it is.
    pub sums: Vec<Finding>,
}

impl Received {
    fn of(form: Form, invoice: &Invoice, verdict: Verdict) -> Self {
        let sums = verdict.errors().filter(|one| sums::is_of_sums(&one.rule)).cloned().collect();
        let specification = invoice.specification_id.clone();
        Self { form, specification, import: Import::of(invoice), verdict, sums }
    }
}

/// Why bytes are no invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// More than [`MAX_BYTES`].
    TooLarge,
    /// Another encoding than UTF-8, or UTF-16 with a mark.
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
    let Xml { bytes, container } = form::xml_of(bytes)?;
    let text = form::decoded(&bytes)?;
    if container.is_none() && form::is_eslog(&text)? {
        return read_eslog(&text);
    }
    read_standard(&bytes, &text, container)
}

/// Reads and judges an e-SLOG, by the rules of EN 16931 and those of its segments.
fn read_eslog(text: &str) -> Result<Received, Unreadable> {
    let tree = parsed(text)?;
    let no_invoice = || Unreadable::NotAnInvoice("there is no M_INVOIC in it".to_owned());
    let eslog::Read { invoice, found } = eslog::read(&tree).ok_or_else(no_invoice)?;
    // Reasons of exemption are not of the list of EN 16931 there.
    let report = Check::new(&profiles::EN16931)
        .relevel("BR-CO-25", Severity::Warning)
        .relevel("BR-CL-22", Severity::Warning)
        .run(&invoice);
    let of_rules = report.findings().iter().filter(|one| !eslog::decides(&one.rule)).map(finding);
    let verdict = Verdict::of(found.into_iter().chain(of_rules).collect());
    Ok(Received::of(Form::Eslog, &invoice, verdict))
}

fn parsed(text: &str) -> Result<Document<'_>, Unreadable> {
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let refused = |error: roxmltree::Error| Unreadable::NotAnInvoice(error.to_string());
    Document::parse_with_options(text, options).map_err(refused)
}

fn finding(one: &en16931::Finding) -> Finding {
    Finding {
        rule: one.rule.clone(),
        level: crate::rules::level(one.severity),
        path: Vec::new(),
        message: format!("{}: {}", one.path, crate::rules::text(one)),
    }
}

/// Reads and judges UBL and CII, whose text is that of `bytes`; in a PDF with what is wrong with
/// that.
fn read_standard(
    bytes: &[u8],
    text: &str,
    container: Option<Vec<Finding>>,
) -> Result<Received, Unreadable> {
    let refused = |error: &dyn std::fmt::Display| Unreadable::NotAnInvoice(error.to_string());
    // The crate looks at the depth before anything walks down.
    let read = en16931_formats::read(bytes).map_err(|error| match error {
        Error::Xml { .. } if has_dtd(text) => Unreadable::Dtd,
        Error::Encoding { .. } => Unreadable::Encoding,
        error => refused(&error),
    })?;
    let tree = parsed(text)?;
    let syntax = match read.syntax {
        en16931_formats::Syntax::Cii => Syntax::Cii,
        _ => Syntax::Ubl,
    };
    let invoice = &read.invoice;
    let profile = profile(invoice.specification_id.as_deref());
    let report = Check::new(profile)
        .relevel("BR-CO-25", Severity::Warning)
        .relevel("BR-TMP-2", Severity::Warning)
        .relevel("BR-CL-21", Severity::Fatal)
        .relevel("BR-CL-23", Severity::Fatal)
        .run(invoice);
    let of_rules = report.findings().iter().filter(|one| !one.rule.starts_with("EN-"));
    let of_rules = of_rules.map(finding);
    let of_reading = read.entries.iter().filter_map(of_entry);
    let wants_content = profile.id != profiles::EN16931.id;
    let of_structure = structure::findings(&tree, syntax, wants_content);
    let is_peppol = profile.id == profiles::PEPPOL_BIS_3.id;
    let beside = match profile.id {
        id if id == profiles::XRECHNUNG.id => Beside::Kosit,
        _ if is_peppol && national::is_german(invoice) => Beside::PeppolInGermany,
        _ if is_peppol => Beside::Peppol,
        _ => Beside::Nothing,
    };
    let of_xml = match beside {
        Beside::Nothing => Vec::new(),
        _ => xml_rules::findings(&tree, syntax, beside.is_german()),
    };
    let of_countries = if is_peppol { of_countries(invoice) } else { Vec::new() };
    let of_syntax = syntax_rules::findings(&tree, syntax, beside);
    let is_pdf = container.is_some();
    let of_container = container.into_iter().flatten();
    let found = of_rules.chain(of_reading).chain(of_structure).chain(of_xml).chain(of_syntax);
    let found = found.chain(of_container).chain(of_countries);
    let mut found = syntax_rules::without_consequences(&tree, syntax, found.collect());
    if is_peppol {
        found = by_numbers_of_peppol(found, beside);
    }
    let form = match (syntax, is_pdf) {
        (_, true) => Form::Hybrid,
        (Syntax::Ubl, false) => Form::Ubl,
        (Syntax::Cii, false) => Form::Cii,
    };
    Ok(Received::of(form, invoice, Verdict::of(found)))
}

/// What national rules of Peppol say of the terms, those of Germany by KoSIT's numbers.
fn of_countries(invoice: &Invoice) -> Vec<Finding> {
    let found = national::german(invoice).into_iter().chain(national::findings(invoice));
    found.map(|one| finding(&one)).collect()
}

/// Findings of an invoice of Peppol, where KoSIT's rules hold between parties in Germany alone, by
/// numbers of their own.
fn by_numbers_of_peppol(found: Vec<Finding>, beside: Beside) -> Vec<Finding> {
    let renumbered = |one: Finding| match national::of_germany(&one.rule) {
        Some(rule) => beside.is_german().then_some(Finding { rule, ..one }),
        None => Some(one),
    };
    found.into_iter().filter_map(renumbered).collect()
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
    let is_tax_point = entry.kind == Kind::Duplicate && entry.path.ends_with("TaxPointDate");
    if is_tax_point {
        // It is CII-SR-461, which the XML shows.
        return None;
    }
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
