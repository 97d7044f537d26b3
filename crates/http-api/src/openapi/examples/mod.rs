//! An example of every body: sent ones written down, answered ones made from their schemas, so that
//! they are as complete as the schemas are.

use std::sync::LazyLock;

use racun_kernel::Issue;
use serde_json::{Map, Value as Json, json};

use super::schemas::{Components, named};
use crate::error::{ApiError, Kind};
use crate::route::Route;
use crate::{body_limit, examples};

/// What each operation may be sent, by its id.
static REQUESTS: LazyLock<Json> = LazyLock::new(|| read(examples::REQUESTS));

/// What properties hold in examples: by name, and by schema and name where the name alone says too
/// little. Amounts are those of one line, 2 × 50 at 22 %.
static VALUES: LazyLock<Json> = LazyLock::new(|| read(include_str!("values.json")));

/// Beyond this depth an example says nothing.
const DEEPEST: usize = 12;

/// Both files are part of the program; a test reads them.
fn read(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_default()
}

/// What `route` may be sent.
pub(super) fn request(route: &Route, components: &Components) -> Json {
    match (REQUESTS.get(route.operation), components.taken(route)) {
        (Some(written), _) => written.clone(),
        (None, Some(schema)) => sample(components, schema, &ExamplePath::default()),
        (None, None) => json!({}),
    }
}

/// What `route` may answer.
pub(super) fn answer(route: &Route, components: &Components) -> Json {
    let schema = components.answered(route);
    schema.map_or(Json::Null, |schema| sample(components, schema, &ExamplePath::default()))
}

/// What a refusal of this kind may say.
pub(super) fn refusal(kind: Kind) -> Json {
    match kind {
        Kind::BadRequest => {
            ApiError::bad_request("you reach several entities: name one in the header x-entity-id")
                .caused_by("entity_required")
        }
        Kind::Unauthorized => {
            ApiError::new(kind, "the token is not known, or it ended: log in again")
        }
        Kind::Forbidden => ApiError::new(kind, "your role in the entity does not allow this")
            .caused_by("insufficient_role"),
        Kind::NotFound => ApiError::not_found("inv_01jd6m0000000000000000000c"),
        Kind::Conflict => ApiError::new(kind, "the record changed meanwhile; send it again")
            .caused_by("changed_meanwhile"),
        Kind::PayloadTooLarge => body_limit::too_large(body_limit::PLAIN),
        Kind::Unprocessable => {
            Issue::new("invalid_date", "expected a date as in 2026-11-22").at("date").into()
        }
        Kind::TooManyRequests => {
            ApiError::new(kind, "more than 850 requests in this minute").retry_after(17)
        }
        Kind::Unavailable => ApiError::unavailable(""),
        _ => ApiError::internal(""),
    }
    .body()
}

/// Where in an example a value stands.
#[derive(Default, Clone)]
struct ExamplePath {
    /// The schema whose property it is.
    owner: String,
    property: String,
    depth: usize,
}

impl ExamplePath {
    fn property(&self, name: &str) -> Self {
        Self { property: name.to_owned(), depth: self.depth + 1, owner: self.owner.clone() }
    }

    fn inside(&self) -> Self {
        Self { depth: self.depth + 1, ..self.clone() }
    }
}

/// A value of `schema`.
fn sample(components: &Components, schema: &Json, place: &ExamplePath) -> Json {
    let mut place = place.clone();
    let written = written(&place).filter(|value| match value {
        Json::Null => allows_null(components, schema),
        value => fits(components.resolve(schema), value),
    });
    if let Some(value) = written {
        return value;
    }
    if let Some(name) = named(schema) {
        place.owner = name.to_owned();
    }
    let schema = components.resolve(schema);
    if place.depth > DEEPEST {
        return Json::Null;
    }
    if let Some(value) = first(schema, "enum").or_else(|| first(schema, "x-extensible-enum")) {
        return value;
    }
    if let Some(choice) = first(schema, "oneOf").or_else(|| first(schema, "allOf")) {
        return sample(components, &choice, &place.inside());
    }
    let can_be = |kind: &str| is_of(schema, kind);
    if can_be("object") {
        return object(components, schema, &place);
    }
    if can_be("null") {
        return Json::Null;
    }
    if can_be("array") {
        return json!([sample(components, &schema["items"], &place.inside())]);
    }
    if can_be("string") {
        return text(schema, &place).into();
    }
    if can_be("integer") || can_be("number") {
        return schema.get("minimum").cloned().unwrap_or_else(|| json!(1));
    }
    if can_be("boolean") {
        return false.into();
    }
    json!({})
}

/// What the files say of a property: first of the property of its schema, then of its name.
fn written(place: &ExamplePath) -> Option<Json> {
    let of_schema = VALUES.get(format!("{}.{}", place.owner, place.property));
    of_schema.or_else(|| VALUES.get(&place.property)).cloned()
}

fn first(schema: &Json, keyword: &str) -> Option<Json> {
    schema.get(keyword)?.as_array()?.first().cloned()
}

/// Whether values of `schema` may be of this type.
fn is_of(schema: &Json, kind: &str) -> bool {
    match schema.get("type") {
        Some(Json::String(only)) => only == kind,
        Some(Json::Array(kinds)) => kinds.iter().any(|one| one == kind),
        _ => false,
    }
}

/// Whether `value` is of the schema's type.
fn fits(schema: &Json, value: &Json) -> bool {
    match value {
        Json::Null => is_of(schema, "null"),
        Json::Bool(_) => is_of(schema, "boolean"),
        Json::Number(number) => {
            is_of(schema, "number") || is_of(schema, "integer") && number.as_i64().is_some()
        }
        Json::String(text) => {
            let listed = schema.get("enum").and_then(Json::as_array);
            is_of(schema, "string") && listed.is_none_or(|names| names.contains(&json!(text)))
        }
        Json::Array(_) => is_of(schema, "array"),
        Json::Object(_) => is_of(schema, "object"),
    }
}

fn object(components: &Components, schema: &Json, place: &ExamplePath) -> Json {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Json::as_object).unwrap_or(&empty);
    let sampled = properties
        .iter()
        .map(|(name, property)| (name.clone(), sample(components, property, &place.property(name))))
        // An absent property need not allow null.
        .filter(|(name, value)| !value.is_null() || allows_null(components, &properties[name]));
    let mut sampled: Map<String, Json> = sampled.collect();
    if let (true, Some(each @ Json::Object(_))) =
        (properties.is_empty(), schema.get("additionalProperties"))
    {
        sampled.insert("sl".to_owned(), sample(components, each, &place.inside()));
    }
    sampled.into()
}

fn allows_null(components: &Components, schema: &Json) -> bool {
    let schema = components.resolve(schema);
    let choices = schema.get("oneOf").and_then(Json::as_array);
    is_of(schema, "null") || choices.is_some_and(|all| all.iter().any(|one| is_of(one, "null")))
}

fn text(schema: &Json, place: &ExamplePath) -> String {
    match schema.get("format").and_then(Json::as_str) {
        Some("date-time") => return "2026-11-22T08:00:00.000Z".to_owned(),
        Some("date") => return "2026-11-22".to_owned(),
        Some("email") => return "ana@example.com".to_owned(),
        Some("uri") => return "https://example.com/racun".to_owned(),
        _ => {}
    }
    let name = place.property.as_str();
    let of = name.strip_suffix("_id").unwrap_or(if name == "id" { &place.owner } else { "" });
    let of = of.to_lowercase().replace('_', "");
    let prefix = PREFIXES.iter().find(|(kind, _)| *kind == of).map(|(_, prefix)| *prefix);
    match prefix {
        Some(prefix) => format!("{prefix}01jd6m0000000000000000000c"),
        None if of.is_empty() => name.replace('_', " "),
        None => format!("{of}_01jd6m0000000000000000000c"),
    }
}

/// What ids begin with, by the schema or property that they are of.
const PREFIXES: [(&str, &str); 34] = [
    ("account", "acc_"),
    ("accountkey", "key_"),
    ("advanceinvoice", "adv_"),
    ("apikey", "key_"),
    ("businessunit", "unit_"),
    ("creditnote", "cre_"),
    ("customer", "cus_"),
    ("deliverynote", "del_"),
    ("document", "inv_"),
    ("entity", "ent_"),
    ("entitybankaccount", "ba_"),
    ("estimate", "est_"),
    ("expense", "exp_"),
    ("file", "file_"),
    ("finadevice", "fina_device_"),
    ("finapremise", "fina_premise_"),
    ("financialcategory", "fcat_"),
    ("fursdevice", "device_"),
    ("furspremise", "premise_"),
    ("invitation", "einv_"),
    ("invoice", "inv_"),
    ("item", "item_"),
    ("job", "job_"),
    ("key", "key_"),
    ("line", "line_"),
    ("payment", "pmt_"),
    ("postab", "ptab_"),
    ("postable", "ptbl_"),
    ("recurringinvoice", "rinv_"),
    ("supplier", "sup_"),
    ("table", "ptbl_"),
    ("tax", "tax_"),
    ("user", "usr_"),
    ("webhook", "wh_"),
];
