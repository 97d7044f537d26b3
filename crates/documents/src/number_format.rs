//! How a document's number is written, and which sequence it counts in.

use std::fmt::Write;

use racun_kernel::Issue;
use racun_kernel::id::BusinessUnitId;
use time::Date;

/// Digits to which a sequence number or a unit's index may be padded.
pub const MAX_PADDING: usize = 9;
/// Characters outside tokens. With a year, a sequence number and a unit's index of 19 digits each,
/// the most that 64 bits hold, a number stays within the 100 characters that documents keep.
pub const MAX_LITERAL_CHARS: usize = 58;
/// Characters of the longest well-formed format.
const MAX_CHARS: usize = MAX_LITERAL_CHARS + "{yyyy}".len() + 2 * (MAX_PADDING + "{}".len());

/// A number format such as `{yyyy}-{nnnnn}`, known to be well formed.
///
/// | Token                   | Meaning                                                        |
/// | ----------------------- | -------------------------------------------------------------- |
/// | `{yyyy}`, `{yy}`        | the year of the document's date; at most one                   |
/// | `{n}` … `{nnnnnnnnn}`   | the sequence number, zeros before it; exactly one              |
/// | `{u}` … `{uuuuuuuuu}`   | the business unit's numbering index, zeros before it; only and |
/// |                         | always in the formats of business units, once                  |
///
/// Everything outside braces is copied. A number that outgrows its padding takes more digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberFormat(Vec<Part>);

/// Whose documents a format numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatKind {
    /// Documents outside business units.
    Main,
    /// Documents of business units. All units share one format, each counts for itself, and `{u}`
    /// keeps their numbers apart.
    Unit,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    Year,
    ShortYear,
    Sequence { padding: usize },
    Unit { padding: usize },
}

impl NumberFormat {
    /// Reads a format of `kind`.
    ///
    /// # Errors
    /// `number_format_invalid`, with what is wrong and an example, for other tokens than those of
    /// [`NumberFormat`], for a token too many or too few, for braces that enclose no token, for
    /// control characters and for more than [`MAX_LITERAL_CHARS`] characters outside tokens.
    pub fn parse(text: &str, kind: FormatKind) -> Result<Self, Issue> {
        let parts = read_parts(text).and_then(|parts| check(&parts, kind).map(|()| parts));
        parts.map(Self).map_err(|reason| {
            let example = match kind {
                FormatKind::Main => "{yyyy}-{nnnnn}",
                FormatKind::Unit => "{yyyy}-{u}-{nnnnn}",
            };
            let message = format!("{reason}; a format looks like {example}");
            Issue::new("number_format_invalid", message)
        })
    }

    /// The number of the document of `date` that is `number` in its sequence.
    ///
    /// `unit_index` is the business unit's numbering index, for formats of [`FormatKind::Unit`];
    /// none is written as 0.
    #[must_use]
    pub fn format(&self, date: Date, number: i64, unit_index: Option<i64>) -> String {
        let mut text = String::new();
        for part in &self.0 {
            let written = match part {
                Part::Literal(literal) => {
                    text.push_str(literal);
                    Ok(())
                }
                Part::Year => write!(text, "{:04}", date.year()),
                Part::ShortYear => write!(text, "{:02}", date.year().rem_euclid(100)),
                Part::Sequence { padding } => write!(text, "{number:0padding$}"),
                Part::Unit { padding } => {
                    write!(text, "{:0padding$}", unit_index.unwrap_or_default())
                }
            };
            written.expect("writing to a String does not fail");
        }
        text
    }

    /// Whether numbers name the year of the document's date, so that they restart each year.
    #[must_use]
    pub fn has_year(&self) -> bool {
        self.0.iter().any(is_year)
    }
}

/// The key of the sequence that a document of `kind` and `date` counts in: `invoice/2026` where
/// numbers name the year, `invoice/all` where they do not, `invoice/2026/unit_…` in a business
/// unit.
#[must_use]
pub fn series_key(kind: &str, date: Date, has_year: bool, unit: Option<BusinessUnitId>) -> String {
    let period = if has_year { format!("{:04}", date.year()) } else { "all".to_owned() };
    match unit {
        Some(unit) => format!("{kind}/{period}/{unit}"),
        None => format!("{kind}/{period}"),
    }
}

fn read_parts(text: &str) -> Result<Vec<Part>, String> {
    if text.chars().count() > MAX_CHARS {
        return Err(format!("a number format has at most {MAX_CHARS} characters"));
    }
    if text.chars().any(char::is_control) {
        return Err("a number format holds no control characters".to_owned());
    }
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(brace) = rest.find(['{', '}']) {
        let (literal, token) = rest.split_at(brace);
        push_literal(&mut parts, literal);
        let Some((name, after)) = token.strip_prefix('{').and_then(|t| t.split_once('}')) else {
            return Err(format!("the {} does not belong to a token", &token[..1]));
        };
        parts.push(read_token(name)?);
        rest = after;
    }
    push_literal(&mut parts, rest);
    Ok(parts)
}

fn push_literal(parts: &mut Vec<Part>, literal: &str) {
    if !literal.is_empty() {
        parts.push(Part::Literal(literal.to_owned()));
    }
}

fn read_token(name: &str) -> Result<Part, String> {
    let padding = name.len();
    let consists_of = |letter: char| !name.is_empty() && name.chars().all(|c| c == letter);
    match name {
        "yyyy" => Ok(Part::Year),
        "yy" => Ok(Part::ShortYear),
        _ if padding > MAX_PADDING && (consists_of('n') || consists_of('u')) => {
            Err(format!("{{{name}}} has {padding} digits, and {MAX_PADDING} are the most"))
        }
        _ if consists_of('n') => Ok(Part::Sequence { padding }),
        _ if consists_of('u') => Ok(Part::Unit { padding }),
        _ => Err(format!("{{{name}}} is no token: there are {{yyyy}}, {{yy}}, {{n}} and {{u}}")),
    }
}

const fn is_year(part: &Part) -> bool {
    matches!(part, Part::Year | Part::ShortYear)
}

fn check(parts: &[Part], kind: FormatKind) -> Result<(), String> {
    let count = |wanted: fn(&Part) -> bool| parts.iter().filter(|part| wanted(part)).count();
    let literals = parts.iter().map(|part| match part {
        Part::Literal(literal) => literal.chars().count(),
        _ => 0,
    });
    let reason = if count(|part| matches!(part, Part::Sequence { .. })) != 1 {
        "{n} stands exactly once, with up to nine n for the digits".to_owned()
    } else if count(is_year) > 1 {
        "{yyyy} or {yy} stands at most once".to_owned()
    } else {
        match (kind, count(|part| matches!(part, Part::Unit { .. }))) {
            (FormatKind::Main, 1..) => "{u} belongs into the formats of business units".to_owned(),
            (FormatKind::Unit, 0 | 2..) => {
                "{u} stands exactly once, or two units would give the same number".to_owned()
            }
            _ if literals.sum::<usize>() > MAX_LITERAL_CHARS => {
                format!("at most {MAX_LITERAL_CHARS} characters stand outside tokens")
            }
            _ => return Ok(()),
        }
    };
    Err(reason)
}
