//! What is said of a route.

use racun_access::{Permission, permits};
use racun_kernel::{Kind as _, Principal, Role, id};
use serde_json::{Map, Value as Json, json};

use super::schemas::Components;
use super::{BEARER, examples, responses};
use crate::route::{Gate, Parameter, ParameterKind, Route, Verb};

/// The media type of forms with files.
const FORM: &str = "multipart/form-data";

/// What a caller's key does.
const KEY_MEANING: &str = "Names this request: sent again with the same key within 30 days, it \
                           is carried out once and answered the same, with `Idempotent-Replayed: \
                           true`. `X-Request-Id` does the same. 409 `idempotency_conflict` when \
                           the key names another request, 409 `request_in_progress` while the \
                           first has no answer.";

/// Headers that requests may carry, by the names of their components.
const HEADERS: [(&str, &str, &str); 4] = [
    ("EntityId", "x-entity-id", "The entity; optional for whoever reaches one only."),
    ("AccountId", "x-account-id", "The account; optional for whoever belongs to one only."),
    ("IdempotencyKey", "Idempotency-Key", KEY_MEANING),
    ("IfNoneMatch", "If-None-Match", "The ETag of an answer that the caller has; `*` for any."),
];

/// The parameters that many operations take.
pub(super) fn shared_parameters() -> Json {
    let parameters = HEADERS.map(|(component, name, meaning)| {
        let parameter = json!({ "name": name, "in": "header", "required": false,
            "description": meaning, "schema": { "type": "string" } });
        (component.to_owned(), parameter)
    });
    parameters.into_iter().collect::<Map<_, _>>().into()
}

/// The operation of `route`.
pub(super) fn operation(route: &Route, components: &Components) -> Json {
    let mut operation = json!({
        "operationId": route.operation,
        "tags": [route.tag],
        "summary": route.summary,
        "description": description(route),
        "security": security(route.gate),
        "responses": responses::responses(route, components),
    });
    let parameters = parameters(route);
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    if let Some(body) = body(route, components) {
        operation["requestBody"] = body;
    }
    if route.successor.is_some() {
        operation["deprecated"] = true.into();
    }
    operation
}

fn parameters(route: &Route) -> Vec<Json> {
    let shared =
        |component: &str| json!({ "$ref": format!("#/components/parameters/{component}") });
    let mut parameters: Vec<Json> =
        route.path_parameters().map(|name| in_path(route, name)).collect();
    parameters.extend(route.parameters.into_iter().flatten().map(|parameter| in_query(*parameter)));
    match route.gate {
        Gate::Open | Gate::SignedIn | Gate::EntityInPath(_) => {}
        Gate::Account => parameters.push(shared("AccountId")),
        Gate::Entity(_) => parameters.push(shared("EntityId")),
    }
    if takes_key(route) {
        parameters.push(shared("IdempotencyKey"));
    }
    if route.is_conditional {
        parameters.push(shared("IfNoneMatch"));
    }
    parameters
}

/// Whether requests may be named by a key.
fn takes_key(route: &Route) -> bool {
    route.verb != Verb::Get && route.gate != Gate::Open
}

fn in_path(route: &Route, name: &str) -> Json {
    let meaning = match (route.gate, name) {
        (Gate::EntityInPath(_), "id") => "The entity's id.".to_owned(),
        (_, "id") => "Its id.".to_owned(),
        (_, name) => {
            let words = name.replace('_', " ");
            format!("The {}.", words.trim_end_matches(" id"))
        }
    };
    json!({ "name": name, "in": "path", "required": true, "description": meaning,
        "schema": { "type": "string" } })
}

fn in_query(parameter: Parameter) -> Json {
    let Parameter { name, meaning, kind } = parameter;
    let schema = match kind {
        ParameterKind::Text => json!({ "type": "string" }),
        ParameterKind::Day => json!({ "type": "string", "format": "date" }),
        ParameterKind::Integer => json!({ "type": "integer", "format": "int64" }),
        ParameterKind::Count { least, most, absent } => json!({ "type": "integer",
            "format": "int32", "minimum": least, "maximum": most, "default": absent }),
        ParameterKind::Flag => json!({ "type": "boolean" }),
        ParameterKind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
    };
    json!({ "name": name, "in": "query", "required": false, "description": meaning,
        "schema": schema })
}

fn body(route: &Route, components: &Components) -> Option<Json> {
    let schema = components.taken(route)?;
    let media_type = if route.takes_form { FORM } else { "application/json" };
    let content = json!({ "schema": schema, "example": examples::request(route, components) });
    let length = format!("At most {} KiB.", route.body_bytes() / 1024);
    Some(json!({ "required": true, "description": length, "content": { media_type: content } }))
}

fn security(gate: Gate) -> Json {
    match gate {
        Gate::Open => json!([{}]),
        Gate::SignedIn | Gate::Account | Gate::Entity(_) | Gate::EntityInPath(_) => {
            json!([{ BEARER: [] }])
        }
    }
}

/// The summary, what it leaves out, and who may.
fn description(route: &Route) -> String {
    let mut text = route.summary.to_owned();
    if !route.detail.is_empty() {
        text = format!("{text} {}", route.detail);
    }
    if let Some(successor) = route.successor {
        text = format!("{text} Deprecated: use `{successor}`.");
    }
    format!("{text}\n\n{}", who_may(route.gate))
}

/// Who passes a gate, in words.
fn who_may(gate: Gate) -> String {
    match gate {
        Gate::Open => "Open to everyone: it takes no token.".to_owned(),
        Gate::SignedIn => "For whoever has a token.".to_owned(),
        Gate::Account => "For users and keys of the account.".to_owned(),
        Gate::Entity(permission) | Gate::EntityInPath(permission) => roles(permission),
    }
}

/// Who has `permission`, as the table of permissions says.
fn roles(permission: Permission) -> String {
    let least = [Role::Viewer, Role::Editor, Role::Admin]
        .into_iter()
        .find(|role| permits(Principal::System, *role, permission));
    let mut text = match least {
        Some(Role::Viewer) => "For every role in the entity".to_owned(),
        Some(Role::Editor) => "For editors and admins of the entity".to_owned(),
        Some(Role::Admin) | None => "For admins of the entity".to_owned(),
    };
    let sample = |prefix: &str| format!("{prefix}{}", "0".repeat(26));
    let key = sample(id::ApiKey::PREFIX).parse().map(Principal::EntityKey);
    let operator = sample(id::User::PREFIX).parse().map(Principal::Operator);
    let also = |principal| permits(principal, Role::Admin, permission);
    let mut others = vec!["account keys"];
    others.extend(key.is_ok_and(also).then_some("entity keys"));
    others.extend(operator.is_ok_and(also).then_some("operators at a till"));
    text.push_str("; also with ");
    text.push_str(&others.join(", "));
    text.push('.');
    text
}
