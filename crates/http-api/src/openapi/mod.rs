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
mod three_zero;

use racun_kernel::Decimal;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use utoipa::ToSchema;

use crate::pos::TabBody;
use crate::route::Route;
use crate::routes;
use crate::schema::{described, number};

pub use three_zero::openapi_3_0;

/// Version of the interface.
pub const VERSION: &str = "1.0.0";

/// Name of the security scheme.
const BEARER: &str = "bearer";

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
    let routes: Vec<&'static Route> = routes().filter(|route| route.is_described).collect();
    let components = schemas::Components::of(&routes, described::<ErrorBody>);
    let mut paths = Map::new();
    for route in &routes {
        let operation = operation::operation(route, &components);
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.verb.name().to_lowercase()] = operation;
    }
    let bearer = "An API key (`sk_sandbox_…`, `sk_live_…`, `ek_…`) or a login token.";
    json!({
        "openapi": "3.1.0",
        "info": about::info(),
        "servers": [{ "url": "/", "description": "The server that answers this description." }],
        "tags": about::tags(&routes),
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
