//! The same description for tools that read OpenAPI 3.0 only: null is a keyword there, a reference
//! has nothing beside it, and a licence has no identifier. Operations that take forms are left out,
//! for some of these tools refuse the whole description for one of them.

use serde_json::{Map, Value as Json, json};

use super::openapi;

/// The description of the interface: OpenAPI 3.0.
#[must_use]
pub fn openapi_3_0() -> Json {
    let mut description = openapi();
    description["openapi"] = "3.0.3".into();
    if let Some(Json::Object(info)) = description.get_mut("info") {
        info.remove("summary");
    }
    if let Some(Json::Object(licence)) = description.pointer_mut("/info/license") {
        licence.remove("identifier");
        licence.insert("url".to_owned(), "https://www.apache.org/licenses/LICENSE-2.0".into());
    }
    if let Some(schemas) =
        description.pointer_mut("/components/schemas").and_then(Json::as_object_mut)
    {
        schemas.values_mut().for_each(older);
    }
    if let Some(Json::Object(paths)) = description.get_mut("paths") {
        for item in paths.values_mut().filter_map(Json::as_object_mut) {
            item.retain(|_, operation| !takes_form(operation));
            item.values_mut().for_each(one_type_of_refusal);
        }
        paths.retain(|_, item| item.as_object().is_some_and(|item| !item.is_empty()));
        paths.values_mut().for_each(schemas_within);
    }
    if let Some(Json::String(text)) = description.pointer_mut("/info/description") {
        text.push_str(
            "\nThis is the description for tools that read OpenAPI 3.0 only: operations that \
            take forms with files are in `/openapi.json` alone.\n",
        );
    }
    description
}

fn takes_form(operation: &Json) -> bool {
    operation["requestBody"]["content"].get("multipart/form-data").is_some()
}

/// Refusals of one operation have one type there: where a 503 says itself how things are, it is the
/// only one.
fn one_type_of_refusal(operation: &mut Json) {
    if let Some(Json::Object(responses)) = operation.get_mut("responses")
        && responses.get("503").is_some_and(|told| told.get("content").is_some())
    {
        responses.retain(|status, _| status == "503" || !status.starts_with(['4', '5']));
    }
}

/// Rewrites the schemas of parameters and bodies.
fn schemas_within(json: &mut Json) {
    match json {
        Json::Object(object) => {
            for (key, value) in object.iter_mut() {
                match key.as_str() {
                    "schema" => older(value),
                    "example" => {}
                    _ => schemas_within(value),
                }
            }
        }
        Json::Array(values) => values.iter_mut().for_each(schemas_within),
        _ => {}
    }
}

/// Rewrites a schema.
fn older(schema: &mut Json) {
    super::schemas::each(schema, &mut |object| {
        nullable_type(object);
        nullable_choice(object);
        let has_more = object.len() > 1;
        if let (true, Some(name)) = (has_more, object.get("$ref").cloned()) {
            object.remove("$ref");
            object.insert("allOf".to_owned(), json!([{ "$ref": name }]));
        }
    });
}

/// `type: [x, null]` is `type: x, nullable: true`.
fn nullable_type(object: &mut Map<String, Json>) {
    let Some(Json::Array(kinds)) = object.get("type") else { return };
    let kind = kinds.iter().find(|kind| *kind != "null").cloned();
    let is_nullable = kinds.iter().any(|kind| kind == "null");
    if let Some(kind) = kind {
        object.insert("type".to_owned(), kind);
    }
    if is_nullable {
        object.insert("nullable".to_owned(), true.into());
    }
}

/// A choice between something and null is something that is nullable.
fn nullable_choice(object: &mut Map<String, Json>) {
    let Some(Json::Array(choices)) = object.get("oneOf") else { return };
    let rest: Vec<Json> =
        choices.iter().filter(|choice| choice["type"] != "null").cloned().collect();
    if rest.len() < choices.len() {
        object.remove("oneOf");
        object.insert("nullable".to_owned(), true.into());
        object.insert(if rest.len() == 1 { "allOf" } else { "oneOf" }.to_owned(), rest.into());
    }
}
