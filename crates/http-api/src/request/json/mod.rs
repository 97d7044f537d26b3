//! From a body's bytes to a value, or to all that is wrong with them.
//!
//! | Module    | Owns                                                                     |
//! | --------- | ------------------------------------------------------------------------ |
//! | `tree`    | a body as JSON says it                                                   |
//! | `names`   | names that were met, at a bounded cost                                    |
//! | `reader`  | from a tree to a type: what is unknown is noted and passed over          |
//! | `left`    | a body without what was refused, for further checks                      |
//! | `refused` | what a type's reader says when it refuses a value                        |
//! | `declared` | what a body declares to hold of it: lengths, addresses, rules of a domain |
//!
//! A type's reader stops at the first value that it refuses. So a body is read again with a gap in
//! that place, until it is read to its end: the one reading of a good body is the whole cost of it.

mod declared;
mod left;
mod names;
mod reader;
mod refused;
mod tree;

use racun_kernel::{Issue, Issues, Step};
use serde::de::DeserializeOwned;
use validator::Validate;

use self::declared::collect;
use self::reader::{BodyPath, Findings, Gap, Reader, StepKey};
use self::tree::Tree;
use crate::error::ApiError;
use crate::limits::RequestLimits;

pub(crate) use self::declared::as_declared;
pub(crate) use self::left::{Gaps, Left};
pub(crate) use self::reader::unknown;

/// The most issues in one answer.
pub(crate) const MOST_ISSUES: usize = 50;

/// Bytes that are read again, at most, to find further issues of one body: so a large one with many
/// faults costs no more than a good one of this size.
const MOST_READ_AGAIN: usize = 16 * 1024 * 1024;

/// Why a body is not what it should be.
#[derive(Debug)]
pub(super) enum Unread {
    /// It is no JSON, or too deep to be looked into.
    Text(ApiError),
    /// It is JSON that does not fit: all that is known to be wrong, and where values are to be left
    /// out for further checks; `None` where it cannot be read without them either.
    Unfit(Issues, Option<Gaps>),
}

/// Reads and checks a body.
///
/// # Errors
/// 400 for what is not JSON, 422 with the fields' paths for JSON that is not a `T`.
pub(super) fn parse<T: DeserializeOwned + Validate>(bytes: &[u8]) -> Result<T, Unread> {
    let tree = text(bytes).map_err(Unread::Text)?;
    let mut findings = Findings::default();
    let (value, refused) = read::<T>(&tree, &mut findings, rounds_of(bytes));
    let mut issues = Issues::default();
    let notes = findings.notes.take().into_iter().take(MOST_ISSUES);
    notes.chain(refused).for_each(|issue| issues.push(issue));
    if let Some(Err(errors)) = value.as_ref().map(Validate::validate) {
        let mut declared = Issues::default();
        collect(&errors, &mut declared);
        issues.extend_elsewhere(&declared);
    }
    match value {
        Some(value) if issues.is_empty() => Ok(value),
        rest => Err(Unread::Unfit(issues, rest.map(|_| findings.gaps))),
    }
}

/// How often a body of `bytes` is read again, at most.
fn rounds_of(bytes: &[u8]) -> usize {
    (MOST_READ_AGAIN / bytes.len().max(1)).clamp(1, 2 * MOST_ISSUES)
}

/// Reads `tree` until it is read to its end, leaving out what is refused; what that was comes
/// beside.
fn read<T: DeserializeOwned>(
    tree: &Tree,
    findings: &mut Findings,
    rounds: usize,
) -> (Option<T>, Vec<Issue>) {
    let mut issues = Vec::new();
    for _ in 0..=rounds {
        let reader = Reader { tree: Some(tree), place: BodyPath::ROOT, findings };
        let refused = match T::deserialize(reader) {
            Ok(read) => return (Some(read), issues),
            Err(refused) => refused,
        };
        match findings.leave(refused.issue.path.clone(), refused.missing) {
            Leaving::New(path) => issues.push(Issue { path, ..refused.issue }),
            Leaving::Known => {}
            Leaving::Nothing => break,
            Leaving::Whole => {
                issues.push(refused.issue);
                break;
            }
        }
        if issues.len() >= MOST_ISSUES {
            break;
        }
    }
    (None, issues)
}

/// What became of a refusal.
enum Leaving {
    /// It is of the value at this place, which is left out from now on.
    New(Vec<Step>),
    /// It is of what was put into a gap, which is wider now.
    Known,
    /// It is of what was put into a gap, and nothing is around it.
    Nothing,
    /// It is of the body as a whole.
    Whole,
}

impl Findings {
    /// Leaves out what was refused at `path`, or fills in what is `missing` there.
    fn leave(&mut self, path: Vec<Step>, missing: Option<&'static str>) -> Leaving {
        let mut keys: Vec<StepKey> = path.iter().map(StepKey::from).collect();
        if let Some(within) =
            (0..=keys.len()).rev().find(|n| self.gaps.get(&keys[..*n]) == Some(&Gap::Filled))
        {
            // A filler does not do here: what is around it is left out.
            keys.truncate(within);
            keys.pop();
            if keys.is_empty() {
                return Leaving::Nothing;
            }
            self.gaps.insert(keys.clone(), gap_at(&keys));
            return Leaving::Known;
        }
        let mut path = path;
        if let Some(name) = missing {
            path.push(Step::from(name));
            keys.push(StepKey::Key(name.to_owned()));
            let before = self.gaps.insert(keys, Gap::Filled);
            return if before.is_none() { Leaving::New(path) } else { Leaving::Known };
        }
        if keys.is_empty() {
            return Leaving::Whole;
        }
        let gap = gap_at(&keys);
        self.gaps.insert(keys, gap);
        Leaving::New(path)
    }
}

/// How a value at `path` is left out: an element is filled, so that others keep their places.
fn gap_at(path: &[StepKey]) -> Gap {
    match path.last() {
        Some(StepKey::Index(_)) => Gap::Filled,
        Some(StepKey::Key(_)) | None => Gap::Left,
    }
}

/// The JSON that `bytes` say.
fn text(bytes: &[u8]) -> Result<Tree, ApiError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| ApiError::bad_request("the body is not UTF-8 text"))?;
    check_depth(text)?;
    serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = format!("the body is not JSON: look at line {line}, column {column}");
        ApiError::bad_request(message)
    })
}

/// Refuses nesting deeper than is read, in words of its own.
fn check_depth(text: &str) -> Result<(), ApiError> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => depth += 1,
            b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > RequestLimits::MAX_JSON_DEPTH {
            let message =
                format!("JSON nests at most {} levels deep", RequestLimits::MAX_JSON_DEPTH);
            return Err(ApiError::bad_request(message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use racun_kernel::{Decimal, Patch};
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum Colour {
        Red,
        DarkBlue,
    }

    #[derive(Debug, Deserialize, PartialEq, Validate)]
    struct Inner {
        amount: Decimal,
        colour: Colour,
    }

    #[derive(Debug, Deserialize, PartialEq, Validate)]
    struct Outer {
        #[validate(length(min = 2))]
        name: String,
        count: u8,
        #[serde(default)]
        note: Patch<String>,
        #[serde(default)]
        inner: Option<Inner>,
        #[serde(default)]
        list: Vec<Inner>,
        #[serde(default)]
        free: BTreeMap<String, String>,
    }

    fn read(text: &str) -> Result<Outer, String> {
        parse::<Outer>(text.as_bytes()).map_err(|unread| match unread {
            Unread::Text(error) => error.to_string(),
            Unread::Unfit(issues, _) => {
                let told = issues.iter().map(|it| format!("{it} [{}]", it.code));
                told.collect::<Vec<_>>().join("; ")
            }
        })
    }

    #[test]
    fn a_good_body_is_read_with_its_digits() {
        let text = r#"{"name": "ab", "count": 3, "note": null, "free": {"x": "y"},
                       "list": [{"amount": 0.1000000001, "colour": "dark_blue"}]}"#;
        let body = read(text).unwrap();
        let amount: Decimal = "0.1000000001".parse().unwrap();
        assert_eq!(body.list, [Inner { amount, colour: Colour::DarkBlue }]);
        assert_eq!((body.count, body.note), (3, Patch::Null));
    }

    #[test]
    fn all_issues_are_reported_without_those_of_filled_gaps() {
        for (text, expected) in [
            ("{}", "name: is required [required]; count: is required [required]"),
            (
                r#"{"name": 1, "nam": 2, "count": 300}"#,
                "nam: there is no such property; did you mean `name`? [unknown_field]; \
                 name: expected text [invalid_type]; \
                 count: expected a whole number of at least 0 [invalid_value]",
            ),
            (
                r#"{"name": "a", "count": 1, "name": "b"}"#,
                "name: send this property once [duplicate_field]",
            ),
            (
                r#"{"name": "ab", "count": 1, "inner": {"colour": 5},
                    "list": [7, {"amount": "1"}]}"#,
                "inner.colour: expected one of red, dark_blue [invalid_type]; \
                 inner.amount: is required [required]; \
                 list[0]: expected an object [invalid_type]; \
                 list[1].amount: expected a JSON number [invalid_type]; \
                 list[1].colour: is required [required]",
            ),
            (
                r#"{"name": "a", "count": 1, "free": {"x": 1, "y": 2},
                    "inner": {"amount": 1e999, "colour": "blue"}}"#,
                "free.x: expected text [invalid_type]; free.y: expected text [invalid_type]; \
                 inner.amount: a number may hold at most 15 digits before the decimal point and 10 \
                 behind it [invalid_value]; inner.colour: expected one of red, dark_blue \
                 [invalid_value]; name: expected at least 2 characters [too_short]",
            ),
            (r#"["ab", 1]"#, "expected an object [invalid_type]"),
            ("null", "expected an object [invalid_type]"),
            (r#"["ab""#, "the body is not JSON: look at line 1, column 5"),
            (r#"{"name": 1, "count""#, "the body is not JSON: look at line 1, column 19"),
            (
                r#"{"name": "a\u0000b", "count": 1}"#,
                "name: text cannot hold a NUL character [invalid_value]",
            ),
        ] {
            assert_eq!(read(text).unwrap_err(), expected, "{text}");
        }
    }

    #[test]
    fn no_more_is_noted_of_a_body_than_is_answered() {
        let unknown: Vec<String> = (0..20_000).map(|n| format!("\"p{n}\":1")).collect();
        let tree = text(format!("{{{}}}", unknown.join(",")).as_bytes()).unwrap();
        let mut findings = Findings::default();
        super::read::<Outer>(&tree, &mut findings, 1);
        assert_eq!(findings.notes.borrow().len(), MOST_ISSUES);
    }
}
