//! The codes of refusals: open enums, made from the catalogue.

use serde_json::{Map, Value as Json};
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

use crate::error::codes::{self, Code};

/// `code` of a refusal.
pub(super) fn of_answer() -> Schema {
    open("What is wrong, for programs: the code of the status, or one in its place.", {
        codes::of_answers()
    })
}

/// `cause.code`.
pub(super) fn of_cause() -> Schema {
    open(
        "The most specific code there is, for programs: of the rule that refuses, or of the first \
          issue.",
        codes::of_causes(),
    )
}

/// `cause.issues[].code`.
pub(super) fn of_issue() -> Schema {
    open("What is wrong with the field, for programs.", codes::of_issues())
}

/// A text that is one of `codes`, or one that a later version adds.
fn open(words: &str, codes: impl Iterator<Item = &'static Code>) -> Schema {
    // The meaning of each code, as documentation tools read it.
    let meanings: Map<String, Json> =
        codes.map(|code| (code.name.to_owned(), code.meaning.into())).collect();
    let names: Vec<&String> = meanings.keys().collect();
    let known = Json::from_iter(names.into_iter().cloned());
    let extensions = [("x-extensible-enum", known), ("x-enumDescriptions", meanings.into())];
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(format!(
            "{words} `x-extensible-enum` lists those known; later versions may add some."
        )))
        .extensions(Some(Extensions::from_iter(extensions)))
        .build()
        .into()
}
