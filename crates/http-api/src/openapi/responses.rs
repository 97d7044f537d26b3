//! What routes answer: successes, refusals, and the headers of both.

use serde_json::{Map, Value as Json, json};

use super::examples;
use super::schemas::Components;
use crate::deprecation;
use crate::error::Kind;
use crate::route::{Gate, Rate, Route, Verb};
use crate::schema::file;

/// The headers of answers, with what they say and of which type they are.
const HEADERS: [(&str, &str, &str); 9] = [
    (
        "X-Request-Id",
        "string",
        "The request's id: the caller's own, when it sent a usable one. Quote it when you ask.",
    ),
    (
        "X-RateLimit-Limit",
        "integer",
        "Requests of a minute that the bucket holds which is nearest to its end.",
    ),
    ("X-RateLimit-Remaining", "integer", "How many of them are left."),
    ("X-RateLimit-Reset", "integer", "The second in which it is emptied, since 1970."),
    ("Retry-After", "integer", "After how many seconds the same request may be sent again."),
    ("ETag", "string", "Changes whenever the answer does."),
    (
        "Deprecation",
        "string",
        "Since when the operation is deprecated: `@` and seconds since 1970.",
    ),
    ("Sunset", "string", "When it will be gone."),
    ("Link", "string", "What takes its place: `rel=\"successor-version\"`."),
];

/// The refusals that operations are described with, and what each means to a client.
const REFUSALS: [(Kind, &str, &str); 9] = [
    (
        Kind::BadRequest,
        "BadRequest",
        "The request cannot be read: its body is not JSON, or a header that is needed is missing \
         or malformed.",
    ),
    (Kind::Unauthorized, "Unauthorized", "No token, or one that is unknown or has ended."),
    (
        Kind::Forbidden,
        "Forbidden",
        "Who makes the request may not: the role, the key or the entity's plan does not reach so \
         far.",
    ),
    (Kind::NotFound, "NotFound", "There is nothing of that id in reach."),
    (
        Kind::Conflict,
        "Conflict",
        "Something else holds what is asked for; or the `Idempotency-Key` names another request, \
         or one that has no answer yet.",
    ),
    (
        Kind::PayloadTooLarge,
        "PayloadTooLarge",
        "The body is longer than this operation takes: `cause.limit_bytes` says how long it may \
         be. It is not read.",
    ),
    (
        Kind::Unprocessable,
        "UnprocessableEntity",
        "The request was read, and something in it is wrong: `cause.issues` names fields by their \
         paths, `cause.code` the rule that refuses.",
    ),
    (
        Kind::TooManyRequests,
        "TooManyRequests",
        "Too many requests came in this minute; `Retry-After` says when to go on.",
    ),
    (
        Kind::Unavailable,
        "ServiceUnavailable",
        "The service, or the tax authority, cannot answer now; send the same request again after \
         `Retry-After`, with the same `Idempotency-Key`.",
    ),
];

fn header(name: &str) -> (String, Json) {
    (name.to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }))
}

/// The headers, for components.
pub(super) fn headers() -> Json {
    let headers = HEADERS.map(|(name, kind, meaning)| {
        (name.to_owned(), json!({ "description": meaning, "schema": { "type": kind } }))
    });
    headers.into_iter().collect::<Map<_, _>>().into()
}

/// The headers of every answer of `route`, and those that `kind` of refusal adds.
fn headers_of(is_limited: bool, kind: Option<Kind>) -> Map<String, Json> {
    let limits = HEADERS.iter().map(|(name, ..)| *name).filter(|name| name.starts_with("X-Rate"));
    let mut names = vec!["X-Request-Id"];
    names.extend(limits.filter(|_| is_limited));
    if matches!(kind, Some(Kind::TooManyRequests | Kind::Unavailable)) {
        names.push("Retry-After");
    }
    names.into_iter().map(header).collect()
}

/// The refusals, for components.
pub(super) fn refusals(components: &Components) -> Json {
    let refusals = REFUSALS.map(|(kind, name, meaning)| {
        let mut refusal = refusal(components, meaning, headers_of(true, Some(kind)));
        refusal["content"]["application/json"]["example"] = examples::refusal(kind);
        (name.to_owned(), refusal)
    });
    let mut refusals: Map<String, Json> = refusals.into_iter().collect();
    let meaning = "Refused or failed; the code says why.";
    let mut other = refusal(components, meaning, headers_of(false, None));
    other["content"]["application/json"]["example"] = examples::refusal(Kind::Internal);
    refusals.insert("Refused".to_owned(), other);
    refusals.into()
}

fn refusal(components: &Components, meaning: &str, headers: Map<String, Json>) -> Json {
    json!({
        "description": meaning,
        "headers": headers,
        "content": { "application/json": { "schema": components.error } },
    })
}

/// All that `route` answers.
pub(super) fn responses(route: &Route, components: &Components) -> Json {
    let mut responses = Map::new();
    responses.insert(route.status.to_string(), success(route, components));
    if route.is_conditional {
        let mut headers = headers_of(route.rate != Rate::Unlimited, None);
        headers.extend([header("ETag")]);
        let meaning = "Nothing changed since that answer.";
        responses.insert("304".to_owned(), json!({ "description": meaning, "headers": headers }));
    }
    if route.shows_page && route.verb == Verb::Post {
        let headers = headers_of(route.rate != Rate::Unlimited, None);
        let meaning = "The way back to the page, for a browser that sent its form.";
        responses.insert("303".to_owned(), json!({ "description": meaning, "headers": headers }));
    }
    let described = REFUSALS.iter().filter(|(kind, ..)| may_refuse(route, *kind));
    for (kind, name, _) in described {
        let reference = json!({ "$ref": format!("#/components/responses/{name}") });
        responses.insert(kind.status().as_u16().to_string(), reference);
    }
    if route.tells_when_unavailable {
        let mut told = success(route, components);
        told["description"] = "It cannot.".into();
        responses.insert("503".to_owned(), told);
    }
    // No `default`: it stands for successes, too, and one of another type makes generators give up.
    for range in ["4XX", "5XX"] {
        responses.insert(range.to_owned(), json!({ "$ref": "#/components/responses/Refused" }));
    }
    responses.into()
}

/// The media type of exports that programs read.
const CSV: &str = "text/csv";
/// The beginning of an export of documents, less most of its columns.
const CSV_EXAMPLE: &str = "\"Number\",\"Type\",\"Date\",\"Currency\",\"Net\"\r\n\
                           \"2026-00017\",\"invoice\",2026-11-20,\"EUR\",100\r\n";

fn success(route: &Route, components: &Components) -> Json {
    let mut headers = headers_of(route.rate != Rate::Unlimited, None);
    if route.is_conditional {
        headers.extend([header("ETag")]);
    }
    if route.successor.is_some() {
        headers.extend(deprecation::HEADERS.map(header));
    }
    let mut success = json!({ "description": route.summary, "headers": headers });
    if let Some(schema) = components.answered(route) {
        let example = examples::answer(route, components);
        success["content"] =
            json!({ "application/json": { "schema": schema, "example": example } });
    }
    for media_type in [route.answers_file, route.or_file].into_iter().flatten() {
        success["content"][media_type] = json!({ "schema": file() });
        if media_type == CSV {
            success["content"][media_type]["example"] = json!(CSV_EXAMPLE);
        }
    }
    success
}

/// Whether a request to `route` may meet with such a refusal, as its declaration has it.
fn may_refuse(route: &Route, kind: Kind) -> bool {
    let is_open = route.gate == Gate::Open;
    let is_limited = route.rate != Rate::Unlimited;
    match kind {
        Kind::BadRequest => !is_open || route.takes.is_some() || route.takes_nothing(),
        Kind::Unauthorized => !is_open || route.rate == Rate::Sensitive || route.checks_sender,
        Kind::Forbidden => !is_open || route.rate == Rate::Sensitive || route.makes_users,
        Kind::NotFound => route.may_lack || route.path_parameters().next().is_some(),
        Kind::Conflict => route.verb != Verb::Get,
        Kind::PayloadTooLarge => route.takes.is_some(),
        // Parameters that it does not know, if nothing else, or a body that it does not take.
        // Others append parameters to linked pages.
        Kind::Unprocessable => {
            let takes_parameters = route.parameters.iter().any(|it| !it.is_empty());
            let reads_body = route.takes.is_some() || route.takes_nothing();
            !route.is_linked || takes_parameters || reads_body
        }
        Kind::TooManyRequests => is_limited,
        Kind::Unavailable => is_limited,
        _ => false,
    }
}
