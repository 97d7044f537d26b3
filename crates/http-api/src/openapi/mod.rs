//! The description of the interface, made from the routes that are served.
//!
//! | Module         | Owns                                                                |
//! | -------------- | ------------------------------------------------------------------- |
//! | `operation`    | what is said of a route: parameters, body, who may                  |
//! | `responses`    | what routes answer: successes, refusals, headers                    |
//! | `schemas`      | schemas of bodies, sent and answered apart, as generators need them |
//! | `codes`        | which codes refusals can hold                                       |
//! | `formats`      | which form texts have, by their properties' names                   |
//! | `meanings`     | what properties mean of which their declarations say nothing         |
//! | `examples`     | an example of every body                                            |
//! | `settings`     | the keys of an entity's settings                                    |
//! | `about`        | the introduction, and the areas with what they are for              |
//! | `three_zero`   | the same description for tools that read OpenAPI 3.0                |

mod about;
mod codes;
mod examples;
mod formats;
mod meanings;
mod operation;
mod responses;
mod schemas;
mod settings;
mod three_zero;

use std::collections::BTreeMap;

use racun_kernel::Decimal;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr};

use crate::pos::TabBody;
use crate::route::Route;
use crate::routes;

pub(crate) use examples::REQUESTS_TEXT;
pub(crate) use settings::settings;
pub use three_zero::openapi_3_0;

/// Version of the interface.
pub const VERSION: &str = "1.0.0";

/// Name of the security scheme.
const BEARER: &str = "bearer";

/// Schemas by name.
type Collected = BTreeMap<String, RefOr<Schema>>;

/// Writes a type and all that it refers to into the schemas, and answers the reference to it.
pub(crate) type Described = fn(&mut Collected) -> RefOr<Schema>;

pub(crate) fn described<T: ToSchema>(schemas: &mut Collected) -> RefOr<Schema> {
    let mut referred = Vec::new();
    T::schemas(&mut referred);
    schemas.extend(referred);
    schemas.insert(T::name().into_owned(), T::schema());
    Ref::from_schema_name(T::name()).into()
}

/// Whether two routes answer the same body. Types are compared by their names in the description.
#[cfg(test)]
pub(crate) fn same_body(one: Option<Described>, other: Option<Described>) -> bool {
    let name = |described: Described| match described(&mut Collected::new()) {
        RefOr::Ref(reference) => Some(reference.ref_location),
        RefOr::T(_) => None,
    };
    let (one, other) = (one.and_then(name), other.and_then(name));
    one.is_some() && one == other
}

/// The names of the properties of a body that is described as an object.
pub(crate) fn properties(described: Described) -> Vec<String> {
    let mut schemas = Collected::new();
    let RefOr::Ref(reference) = described(&mut schemas) else { return Vec::new() };
    let name = reference.ref_location.rsplit('/').next().unwrap_or_default();
    match schemas.remove(name) {
        Some(RefOr::T(Schema::Object(object))) => object.properties.into_keys().collect(),
        _ => Vec::new(),
    }
}

/// A JSON number with its own digits, never a binary approximation.
pub(crate) fn number() -> Schema {
    ObjectBuilder::new().schema_type(Type::Number).build().into()
}

/// The same, or null.
pub(crate) fn nullable_number() -> Schema {
    let either = SchemaType::from_iter([Type::Number, Type::Null]);
    ObjectBuilder::new().schema_type(either).build().into()
}

/// The bytes of a file, in a form or an answer.
pub(crate) fn file() -> Schema {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(utoipa::openapi::SchemaFormat::KnownFormat(
            utoipa::openapi::KnownFormat::Binary,
        )))
        .build()
        .into()
}

/// Body of every answer that is not a success.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ErrorBody {
    #[schema(schema_with = codes::of_answer)]
    code: String,
    /// For people.
    message: String,
    /// What exactly is wrong, when there is more to say.
    #[schema(required = false, nullable = false)]
    cause: Option<CauseBody>,
    /// The POS tab as it is, when its state refuses the request.
    #[schema(required = false, nullable = false)]
    tab: Option<TabBody>,
}

/// What exactly is wrong.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ErrorCause)]
struct CauseBody {
    #[schema(required = false, schema_with = codes::of_cause)]
    code: Option<String>,
    /// What is wrong with which field.
    #[schema(required = false, nullable = false)]
    issues: Option<Vec<IssueBody>>,
    /// The tax authority's own code.
    #[schema(required = false, nullable = false)]
    provider_code: Option<String>,
    /// The tax authority's own text.
    #[schema(required = false, nullable = false)]
    provider_message: Option<String>,
    /// Bytes that the body may hold, or the account may store.
    #[schema(required = false, nullable = false)]
    limit_bytes: Option<i64>,
    /// Bytes that the account stores.
    #[schema(required = false, nullable = false)]
    used_bytes: Option<i64>,
    /// Tries that are left before the PIN is locked.
    #[schema(required = false, nullable = false)]
    attempts_remaining: Option<i64>,
    /// What the refused payment belongs to comes to.
    #[schema(required = false, schema_with = number)]
    total_with_tax: Option<Decimal>,
    /// What was paid of it.
    #[schema(required = false, schema_with = number)]
    total_paid: Option<Decimal>,
    /// What was to be paid.
    #[schema(required = false, schema_with = number)]
    amount: Option<Decimal>,
    /// What could be paid at most.
    #[schema(required = false, schema_with = number)]
    maximum: Option<Decimal>,
    /// The total that the request expects.
    #[schema(required = false, schema_with = number)]
    expected: Option<Decimal>,
    /// The total that was calculated.
    #[schema(required = false, schema_with = number)]
    calculated: Option<Decimal>,
    /// `expected` less `calculated`.
    #[schema(required = false, schema_with = number)]
    difference: Option<Decimal>,
    /// By how much they may differ.
    #[schema(required = false, schema_with = number)]
    tolerance: Option<Decimal>,
}

/// What is wrong with one field.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ErrorIssue)]
struct IssueBody {
    /// Keys and zero-based indices from the body's root to the field.
    path: Vec<serde_json::Value>,
    /// For people: what is wrong and how to mend it.
    message: String,
    #[schema(schema_with = codes::of_issue)]
    code: String,
}

/// The description of the interface: OpenAPI 3.1.
#[must_use]
pub fn openapi() -> Json {
    let described: Vec<&'static Route> = routes().filter(|route| route.is_described).collect();
    let components = schemas::Components::of(&described, self::described::<ErrorBody>);
    let mut paths = Map::new();
    for route in &described {
        let operation = operation::operation(route, &components);
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.verb.name().to_lowercase()] = operation;
    }
    let bearer = "An API key (`sk_sandbox_…`, `sk_live_…`, `ek_…`) or a login token.";
    json!({
        "openapi": "3.1.0",
        "info": about::info(),
        "servers": [{ "url": "/", "description": "The server that answers this description." }],
        "tags": about::tags(&described),
        "paths": paths,
        "components": {
            "securitySchemes": {
                BEARER: { "type": "http", "scheme": "bearer", "description": bearer },
            },
            "headers": responses::headers(),
            "parameters": operation::shared_parameters(),
            "responses": responses::refusals(&components),
            "schemas": components.schemas,
        },
    })
}
