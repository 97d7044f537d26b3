//! The description of the interface, made from the routes that are served.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::path::{
    HttpMethod, Operation, OperationBuilder, Parameter as PathParameter, ParameterBuilder,
    ParameterIn, PathsBuilder,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{
    AllOfBuilder, ArrayBuilder, ObjectBuilder, Schema, SchemaType, Type,
};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, Header, HeaderBuilder, InfoBuilder, OpenApi, OpenApiBuilder,
    Ref, RefOr, Required, ResponseBuilder, Tag,
};

use crate::pos::TabBody;
use crate::route::{Gate, Parameter, ParameterKind, Rate, Route, Verb};
use crate::routes;

/// Version of the interface.
pub const VERSION: &str = "1.0.0";

/// Name of the security scheme.
const BEARER: &str = "bearer";

/// The media type of forms with files.
const FORM: &str = "multipart/form-data";

type Schemas = BTreeMap<String, RefOr<Schema>>;

/// Writes a type and all that it refers to into the schemas, and answers the reference to it.
pub(crate) type Described = fn(&mut Schemas) -> RefOr<Schema>;

pub(crate) fn described<T: ToSchema>(schemas: &mut Schemas) -> RefOr<Schema> {
    let mut referred = Vec::new();
    T::schemas(&mut referred);
    schemas.extend(referred);
    schemas.insert(T::name().into_owned(), T::schema());
    Ref::from_schema_name(T::name()).into()
}

/// Whether two routes answer the same body. Types are told by their names in the description.
pub(crate) fn same_body(one: Option<Described>, other: Option<Described>) -> bool {
    let name = |described: Described| match described(&mut Schemas::new()) {
        RefOr::Ref(reference) => Some(reference.ref_location),
        RefOr::T(_) => None,
    };
    let (one, other) = (one.and_then(name), other.and_then(name));
    one.is_some() && one == other
}

/// The names of the properties of a body that is described as an object.
pub(crate) fn properties(described: Described) -> Vec<String> {
    let mut schemas = Schemas::new();
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
    ObjectBuilder::new().content_media_type("application/octet-stream").build().into()
}

/// Body of every answer that is not a success.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ErrorBody {
    /// Stable, for programs: `unprocessable_entity`.
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
    /// The rule that refuses, for programs.
    #[schema(required = false, nullable = false)]
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
}

/// What is wrong with one field.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ErrorIssue)]
struct IssueBody {
    /// Keys and zero-based indices from the body's root to the field.
    path: Vec<serde_json::Value>,
    /// For people: what is wrong and how to mend it.
    message: String,
    /// Stable, for programs: `required`.
    code: String,
}

/// The description of the interface: OpenAPI 3.1.
#[must_use]
pub fn openapi() -> OpenApi {
    let mut schemas = Schemas::new();
    let error = described::<ErrorBody>(&mut schemas);
    let mut paths = PathsBuilder::new().build();
    let mut tags = Vec::new();
    for route in routes() {
        let operation = operation(route, &error, &mut schemas);
        paths.add_path_operation(route.path, vec![method(route.verb)], operation);
        if !tags.contains(&route.tag) {
            tags.push(route.tag);
        }
    }
    let mut http = Http::new(HttpAuthScheme::Bearer);
    http.description = Some("An API key (sk_sandbox_, sk_live_, ek_) or a login token.".to_owned());
    let components = ComponentsBuilder::new()
        .schemas_from_iter(schemas)
        .security_scheme(BEARER, SecurityScheme::Http(http));
    let info = InfoBuilder::new()
        .title("Racun")
        .version(VERSION)
        .description(Some("Invoicing, payments and fiscalization."))
        .build();
    OpenApiBuilder::new()
        .info(info)
        .paths(paths)
        .components(Some(components.build()))
        .tags(Some(tags.into_iter().map(Tag::new)))
        .build()
}

const fn method(verb: Verb) -> HttpMethod {
    match verb {
        Verb::Get => HttpMethod::Get,
        Verb::Post => HttpMethod::Post,
        Verb::Put => HttpMethod::Put,
        Verb::Patch => HttpMethod::Patch,
        Verb::Delete => HttpMethod::Delete,
    }
}

fn operation(route: &Route, error: &RefOr<Schema>, schemas: &mut Schemas) -> Operation {
    let mut operation = OperationBuilder::new()
        .operation_id(Some(route.operation))
        .tag(route.tag)
        .summary(Some(route.summary));
    for name in route.path_parameters() {
        operation = operation.parameter(in_path(name));
    }
    for parameter in route.parameters.into_iter().flatten() {
        operation = operation.parameter(in_query(*parameter));
    }
    operation = match route.gate {
        Gate::Open => operation.security(SecurityRequirement::default()),
        Gate::SignedIn | Gate::EntityInPath(_) => operation.security(bearer()),
        Gate::Account => operation.security(bearer()).parameter(in_header(
            "x-account-id",
            "The account; optional for whoever belongs to one only.",
        )),
        Gate::Entity(_) => operation.security(bearer()).parameter(in_header(
            "x-entity-id",
            "The entity; optional for whoever reaches one only.",
        )),
    };
    if route.verb != Verb::Get && route.gate != Gate::Open {
        operation = operation.parameter(in_header("Idempotency-Key", KEY_MEANING));
    }
    if let Some(takes) = route.takes {
        let schema = requiring(takes(schemas), route.requires);
        let content = ContentBuilder::new().schema(Some(schema)).build();
        let media_type = if route.takes_form { FORM } else { "application/json" };
        let body = RequestBodyBuilder::new().content(media_type, content);
        operation = operation.request_body(Some(body.required(Some(Required::True)).build()));
    }
    let mut success = headed(route, ResponseBuilder::new().description(route.summary));
    if let Some(answers) = route.answers {
        let content = ContentBuilder::new().schema(Some(answers(schemas))).build();
        success = success.content("application/json", content);
    }
    if let Some(media_type) = route.answers_file {
        success = success.content(media_type, ContentBuilder::new().schema(Some(file())).build());
    }
    if route.is_conditional {
        let known = "The ETag of an answer that the caller has; `*` for any.";
        operation = operation.parameter(in_header("If-None-Match", known));
        success = success.header("ETag", entity_tag());
        let unchanged = ResponseBuilder::new().description("Nothing changed since that answer.");
        let unchanged = unchanged.header("ETag", entity_tag());
        operation = operation.response("304", unchanged.build());
    }
    let failure = ContentBuilder::new().schema(Some(error.clone())).build();
    let failure = ResponseBuilder::new()
        .description("Refused or failed; the code says why.")
        .content("application/json", failure);
    let failure = headed(route, failure);
    operation
        .response(route.status.to_string(), success.build())
        .response("default", failure.build())
        .build()
}

/// The headers of every answer, with what they say.
const HEADERS: [(&str, &str); 4] = [
    ("X-Request-Id", "The request's id: the caller's own, when it sent a usable one."),
    (
        "X-RateLimit-Limit",
        "Requests of a minute that the bucket holds which is nearest to its end.",
    ),
    ("X-RateLimit-Remaining", "How many of them are left."),
    ("X-RateLimit-Reset", "The second in which it is emptied, since 1970."),
];

/// What a caller's key does.
const KEY_MEANING: &str = "Names this request: sent again with the same key within 30 days, it is \
    carried out once and answered the same, with `Idempotent-Replayed: true`. `X-Request-Id` does the \
    same. 409 `idempotency_conflict` when the key names another request, 409 `request_in_progress` while \
    the first has no answer.";

/// The same answer with the headers of every answer of `route`.
fn headed(route: &Route, mut answer: ResponseBuilder) -> ResponseBuilder {
    for (name, meaning) in HEADERS {
        let counts = name.starts_with("X-RateLimit");
        if counts && route.rate == Rate::Unlimited {
            continue;
        }
        let kind = if counts { Type::Integer } else { Type::String };
        let header = HeaderBuilder::new()
            .description(Some(meaning))
            .schema(Some(ObjectBuilder::new().schema_type(kind).build()));
        answer = answer.header(name, header.build());
    }
    answer
}

/// `schema`, of which the properties `required` cannot be absent.
fn requiring(schema: RefOr<Schema>, required: &[&str]) -> RefOr<Schema> {
    if required.is_empty() {
        return schema;
    }
    let object = ObjectBuilder::new().schema_type(Type::Object);
    let object = required.iter().fold(object, |object, name| object.required(*name));
    Schema::from(AllOfBuilder::new().item(schema).item(object).build()).into()
}

fn bearer() -> SecurityRequirement {
    SecurityRequirement::new(BEARER, Vec::<String>::new())
}

fn entity_tag() -> Header {
    HeaderBuilder::new()
        .description(Some("Changes whenever the answer does."))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String).build()))
        .build()
}

fn in_path(name: &str) -> PathParameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .schema(Some(ObjectBuilder::new().schema_type(Type::String).build()))
        .build()
}

fn in_header(name: &str, meaning: &str) -> PathParameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(meaning))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String).build()))
        .build()
}

fn in_query(parameter: Parameter) -> PathParameter {
    let plain = |kind: Type| ObjectBuilder::new().schema_type(kind);
    let schema = match parameter.kind {
        ParameterKind::Text => Schema::from(plain(Type::String).build()),
        ParameterKind::Integer => plain(Type::Integer).build().into(),
        ParameterKind::Flag => plain(Type::Boolean).build().into(),
        ParameterKind::Texts => ArrayBuilder::new().items(plain(Type::String)).build().into(),
    };
    ParameterBuilder::new()
        .name(parameter.name)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some(parameter.meaning))
        .schema(Some(schema))
        .build()
}
