//! Why no tax is charged, in the words of the law.

use racun_kernel::calendar::parse_date;
use racun_kernel::{Decimal, Issue, Issues, calendar};
use time::Date;

/// One code a line, tab separated: the code, its first day, what documents say, the norm, and what
/// SAF-T says where that is shorter.
///
/// Source: AT, "Comunicação de documentos por webservice", 1.0, and the table of codes 4.0 of 18
/// June 2026.
const TABLE: &str = include_str!("../exemption_codes.tsv");

/// The longest reason that SAF-T holds, in characters, and the shortest.
const REASON_CHARS: std::ops::RangeInclusive<usize> = 6..=60;

/// A reason for which no tax is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exemption {
    /// Its code: `M07`.
    pub code: &'static str,
    /// Since when it is in force.
    pub since: Date,
    /// What documents say.
    pub mention: &'static str,
    /// The norm that it rests on.
    pub norm: &'static str,
    /// What SAF-T says: at most 60 characters.
    pub reason: &'static str,
}

impl Exemption {
    /// The reason with this code.
    #[must_use]
    pub fn find(code: &str) -> Option<Self> {
        exemptions().find(|own| own.code == code)
    }
}

/// All reasons, by their codes.
pub fn exemptions() -> impl Iterator<Item = Exemption> {
    TABLE.lines().filter_map(|line| {
        let mut parts = line.split('\t');
        let mut part = || parts.next();
        let (code, since, mention, norm) = (part()?, part()?, part()?, part()?);
        let reason = part().unwrap_or(mention);
        Some(Exemption { code, since: parse_date(since).ok()?, mention, norm, reason })
    })
}

/// Accepts a tax of `percent` on a document of `day`: without tax there is a code of the law and
/// its reason, with tax there is neither.
///
/// Source: Despacho 8632/2014, 3.2.6; Portaria 302/2016, fields 4.1.4.19.15 and 16.
///
/// # Errors
/// `required` or `invalid_value`, for `pt_exemption_code` and `pt_exemption_reason`.
pub fn check_zero_rate(
    percent: &Decimal,
    code: Option<&str>,
    reason: Option<&str>,
    day: Date,
) -> Result<Option<Exemption>, Issues> {
    let (at_code, at_reason) = ("pt_exemption_code", "pt_exemption_reason");
    let mut issues = Issues::default();
    let refuse = |what: String| Issue::new("invalid_value", what);
    if !percent.is_zero() {
        let message = "a tax above 0 % has no reason for exemption; leave it out";
        for (at, value) in [(at_code, code), (at_reason, reason)] {
            if value.is_some() {
                issues.push(refuse(message.to_owned()).at(at));
            }
        }
        return issues.into_result(None);
    }
    let found = code.and_then(Exemption::find);
    match (code, found) {
        (None, _) => {
            let message = "a tax of 0 % in Portugal needs a code of exemption, such as M07";
            issues.push(Issue::new("required", message).at(at_code));
        }
        (Some(_), None) => {
            let known: Vec<&str> = exemptions().map(|own| own.code).collect();
            issues.push(refuse(format!("expected one of {}", known.join(", "))).at(at_code));
        }
        (Some(_), Some(own)) if day < own.since => {
            let since = calendar::format_date(own.since);
            issues.push(refuse(format!("{} is in force since {since}", own.code)).at(at_code));
        }
        (Some(_), Some(_)) => {}
    }
    match reason.map(|text| text.trim().chars().count()) {
        None => {
            let example = found.map_or("Isento artigo 9.º do CIVA", |own| own.reason);
            let message = format!("a tax of 0 % in Portugal needs its reason, such as: {example}");
            issues.push(Issue::new("required", message).at(at_reason));
        }
        Some(length) if !REASON_CHARS.contains(&length) => {
            issues.push(refuse("expected 6 to 60 characters".to_owned()).at(at_reason));
        }
        Some(_) => {}
    }
    issues.into_result(found)
}
