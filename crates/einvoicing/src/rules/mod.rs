//! The verdict: which rules a document breaks, where it says so, and what to change.
//!
//! The rules are those of crate `en16931`, which runs them on the terms: EN 16931 (BR, BR-CO,
//! BR-CL, BR-DEC and the families of VAT categories), XRechnung (BR-DE, and those of Peppol that
//! KoSIT took over) and Peppol BIS, whose national rules are those of `national`. Here each finding
//! is led back to the field of the interface whose change mends it.
//!
//! | Module     | Owns                                          |
//! | ---------- | --------------------------------------------- |
//! | `national` | rules of Peppol BIS for sellers of a country  |
//! | `places`   | from a business term to a field               |
//! | `remedies` | what to change, for rules that documents break |

pub mod national;
mod places;
mod remedies;

use en16931::Severity;
use places::FindingContext;

use crate::facts::{Facts, Line, Price};
use crate::finding::{Finding, Level, Verdict};
use crate::leitweg;
use crate::model::Model;
use crate::specification::Specification;

/// The rule that lines not subject to VAT (O) stand alone: it names each line beside them.
const MIXED: &str = "BR-O-12";
/// What a document that breaks it breaks by that alone: no other groups, allowances and charges
/// beside such lines, and no VAT identifiers.
const OF_MIXED: [&str; 6] = ["BR-O-02", "BR-O-03", "BR-O-04", "BR-O-11", "BR-O-13", "BR-O-14"];

/// What the rules of `specification` say of `model`, which is of `facts`.
pub fn verdict(facts: &Facts, model: &Model, specification: Specification) -> Verdict {
    let report = specification.check().run(&model.invoice);
    let is_mixed = report.findings().iter().any(|finding| finding.rule == MIXED);
    let of_rules = report.findings().iter().filter_map(|finding| {
        let rule = finding.rule.as_str();
        // Rules of the crate's own have no authority behind them.
        if rule.starts_with("EN-") || is_mixed && OF_MIXED.contains(&rule) {
            return None;
        }
        Some(at_field(facts, model, finding, remedies::remedy(rule)))
    });
    let of_countries = match specification {
        Specification::Peppol => national_findings(facts, model),
        Specification::En16931 | Specification::XRechnung => Vec::new(),
    };
    let found = model.found.iter().cloned().chain(of_rules).chain(of_countries);
    Verdict::of(found.chain(leitweg_warning(facts)).collect())
}

/// The finding at the field that mends it, with what to change where we know.
fn at_field(
    facts: &Facts,
    model: &Model,
    finding: &en16931::Finding,
    remedy: Option<&str>,
) -> Finding {
    let remedy = remedy.map(|remedy| format!(" {remedy}"));
    Finding {
        rule: finding.rule.clone(),
        level: level(finding.severity),
        path: FindingContext { facts, model, finding }.path(),
        message: format!("{}{}", text(finding), remedy.unwrap_or_default()),
    }
}

/// What the rules of the seller's country say, by the numbers of Peppol.
fn national_findings(facts: &Facts, model: &Model) -> Vec<Finding> {
    let of_germany = national::german(&model.invoice).into_iter().filter_map(|finding| {
        let rule = national::of_germany(&finding.rule)?;
        Some(Finding { rule, ..at_field(facts, model, &finding, remedies::remedy(&finding.rule)) })
    });
    let of_others = national::findings(&model.invoice).into_iter();
    let of_others =
        of_others.map(|finding| at_field(facts, model, &finding, finding.hint.as_deref()));
    of_germany.chain(of_others).collect()
}

/// The weight that an authority gives.
pub const fn level(severity: Severity) -> Level {
    match severity {
        Severity::Fatal => Level::Fatal,
        Severity::Warning => Level::Warning,
        Severity::Info => Level::Information,
    }
}

/// An authority's text, with the figures where it is about some.
pub fn text(finding: &en16931::Finding) -> String {
    let figures = finding
        .detail
        .as_ref()
        .map(|detail| format!(" Expected {}, found {}.", detail.expected, detail.actual));
    format!("{}{}", sentence(&finding.message), figures.unwrap_or_default())
}

/// An authority's text, ended as a sentence.
fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

/// A doubtful Leitweg-ID only warns.
fn leitweg_warning(facts: &Facts) -> Option<Finding> {
    let reference = facts.customer.as_ref()?.buyer_reference.as_deref()?;
    let issue = leitweg::warning(reference.trim())?;
    Some(Finding {
        rule: "LEITWEG-ID".to_owned(),
        level: Level::Warning,
        path: places::keys(&["customer", "e_invoicing", "buyer_reference"]),
        message: issue.message,
    })
}

/// The field that holds the price of the element `place` of `items`.
fn price_field(facts: &Facts, place: usize) -> &'static str {
    match facts.lines.get(place) {
        Some(Line::Priced(line)) if matches!(line.price, Price::Gross(_)) => "gross_price",
        _ => "price",
    }
}
