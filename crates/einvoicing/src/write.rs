//! The verdict on a document, and its file.

use en16931_formats::report::{Entry, Kind};
use en16931_formats::write_unchecked;

use crate::facts::Facts;
use crate::finding::{Finding, Level, Verdict};
use crate::model::Model;
use crate::rules;
use crate::specification::{Specification, Syntax};

/// A document as XML, with the warnings of its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file, UTF-8.
    pub xml: String,
    /// The verdict, which is valid.
    pub verdict: Verdict,
}

/// What the rules of `specification` say of the document.
#[must_use]
pub fn judge(facts: &Facts, specification: Specification) -> Verdict {
    rules::verdict(facts, &Model::of(facts, specification), specification)
}

/// The document as `syntax`, when the rules of `specification` let it leave.
///
/// # Errors
/// The verdict, which is not valid.
///
/// # Panics
/// When `specification` is not written in `syntax` ([`Specification::takes`]).
pub fn write(
    facts: &Facts,
    specification: Specification,
    syntax: Syntax,
) -> Result<Written, Verdict> {
    assert!(specification.takes(syntax), "{specification:?} is not written in {syntax:?}");
    let model = Model::of(facts, specification);
    let verdict = rules::verdict(facts, &model, specification);
    if !verdict.is_valid() {
        return Err(verdict);
    }
    let syntax = match syntax {
        Syntax::Ubl => en16931_formats::Syntax::Ubl,
        Syntax::Cii => en16931_formats::Syntax::Cii,
    };
    match write_unchecked(&model.invoice, syntax) {
        Ok(written) if written.entries.iter().all(is_whole) => {
            Ok(Written { xml: written.xml, verdict })
        }
        Ok(written) => Err(unwritable(&written.entries)),
        Err(refused) => Err(unwritable(&refused.entries)),
    }
}

/// Whether the file has all that the terms say, in spite of `entry`.
const fn is_whole(entry: &Entry) -> bool {
    !matches!(entry.kind, Kind::Dropped | Kind::Prohibited | Kind::Schema)
}

/// What a syntax could not hold, though the rules let it pass: better no file than half of one.
fn unwritable(entries: &[Entry]) -> Verdict {
    let finding = |entry: &Entry| Finding {
        rule: "XSD".to_owned(),
        level: Level::Fatal,
        path: Vec::new(),
        message: format!("{} ({}).", entry.message, entry.path),
    };
    Verdict::of(entries.iter().filter(|entry| !is_whole(entry)).map(finding).collect())
}
