//! Each route takes a body as long as its declaration says, and no longer one.

use std::sync::LazyLock;

use actix_web::http::Method;
use actix_web::test::TestRequest;
use racun_http_api::{Gate, Route, Verb, openapi, routes};
use serde_json::Value;

use crate::harness::{Answer, Api, Who};
use crate::routes::{SOME_ID, path};

/// What a route takes that is open to all.
const ANONYMOUS: usize = 16 * 1024;
/// What any other route takes that says nothing.
const PLAIN: usize = 64 * 1024;
/// The most that a route takes, but for files.
const MOST: usize = 1024 * 1024;

/// Routes whose forms hold files: a picture has 5 MiB at most, others 10.
const FILES: [&str; 4] = ["uploadFile", "uploadImage", "attachToExpense", "importExpense"];

/// Routes that take more than [`PLAIN`]: records with notes and metadata, and mails.
const RECORDS: [&str; 20] = [
    "createBusinessUnit",
    "createCustomer",
    "createExpensePayment",
    "createItem",
    "createPayment",
    "createRecurringInvoice",
    "createSupplier",
    "createTax",
    "finalizeDocument",
    "replaceTax",
    "sendDocument",
    "sendEmail",
    "updateBusinessUnit",
    "updateCustomer",
    "updateItem",
    "updateMe",
    "updatePayment",
    "updateRecurringInvoice",
    "updateSupplier",
    "updateTax",
];

/// Routes that take as much as a document, beside those of documents: what has many lines, and an
/// entity with its settings.
const DOCUMENTS: [&str; 14] = [
    "appendPosTabItems",
    "calculateDocument",
    "categorizeDocumentItems",
    "createCustomExpense",
    "createEntity",
    "createExpense",
    "createOrder",
    "invoicePosTab",
    "movePosTabLines",
    "openPosTab",
    "updateEntity",
    "updateExpense",
    "updateOrder",
    "updatePosTab",
];

const KINDS: [&str; 5] = ["Invoice", "Estimate", "CreditNote", "AdvanceInvoice", "DeliveryNote"];

fn is_of_documents(route: &Route) -> bool {
    let of = |verb: &str, kind: &&str| route.operation == format!("{verb}{kind}");
    let verbs = ["create", "createCustom", "preview", "update"];
    DOCUMENTS.contains(&route.operation)
        || verbs.iter().any(|verb| KINDS.iter().any(|kind| of(verb, kind)))
}

/// What the route is to take, written apart from its declaration.
fn expected(route: &Route) -> usize {
    if FILES.contains(&route.operation) {
        let mebibytes = if route.operation == "uploadImage" { 5 } else { 10 };
        return mebibytes * 1024 * 1024 + PLAIN;
    }
    match route.gate {
        // What a shop posts of an order.
        Gate::Open if route.path.contains("/webhooks/") => 2 * 1024 * 1024,
        // What the operator says of a white label.
        Gate::Open if route.operation == "putManagedWhiteLabel" => 256 * 1024,
        // What the card processor tells.
        Gate::Open if route.operation == "takeCardProcessorWebhook" => 512 * 1024,
        Gate::Open => ANONYMOUS,
        _ if route.operation.ends_with("Certificate") && takes_form(route) => MOST,
        _ if RECORDS.contains(&route.operation) => 256 * 1024,
        _ if is_of_documents(route) => MOST,
        _ => PLAIN,
    }
}

/// The route's operation; null of a page, which is not described.
fn described(route: &Route) -> &'static Value {
    static DESCRIPTION: LazyLock<Value> = LazyLock::new(openapi);
    &DESCRIPTION["paths"][route.path][route.verb.name().to_lowercase()]
}

fn takes_form(route: &Route) -> bool {
    is_form_of_page(route)
        || described(route)["requestBody"]["content"].get("multipart/form-data").is_some()
}

fn is_form_of_page(route: &Route) -> bool {
    !route.is_described && route.verb == Verb::Post
}

#[test]
fn a_body_is_as_long_as_its_route_says() {
    for route in routes() {
        let expected = expected(route);
        assert_eq!(route.body_bytes(), expected, "{}", route.operation);
        let operation = described(route);
        let Some(body) = operation.get("requestBody") else { continue };
        assert_eq!(body["description"], format!("At most {} KiB.", expected / 1024));
        let refusal = &operation["responses"]["413"]["$ref"];
        assert_eq!(refusal, "#/components/responses/PayloadTooLarge", "{}", route.operation);
    }
}

/// A body of so many bytes, of the route's type.
fn body(route: &Route, bytes: usize) -> (&'static str, Vec<u8>) {
    let (kind, before, after) = match takes_form(route) {
        true => (
            "multipart/form-data; boundary=b",
            "--b\r\ncontent-disposition: form-data; name=\"file\"\r\n\r\n",
            "\r\n--b--\r\n",
        ),
        false => ("application/json", "{\"nothing\": \"", "\"}"),
    };
    let filler = "x".repeat(bytes - before.len() - after.len());
    (kind, format!("{before}{filler}{after}").into_bytes())
}

/// How much of a body comes.
#[derive(Clone, Copy)]
enum Sent {
    /// All that comes is its length.
    Announced,
    /// It is longer than it says, as one that arrives in chunks and says nothing.
    Unannounced,
    /// It is as long as it says.
    Whole,
}

async fn send(api: &Api, route: &Route, who: &Who, bytes: usize, sent: Sent) -> Answer {
    let method = Method::from_bytes(route.verb.name().as_bytes()).unwrap();
    let id = if matches!(route.gate, Gate::EntityInPath(_)) { who.entity() } else { SOME_ID };
    let (kind, body) = body(route, bytes);
    let request = TestRequest::default().method(method).uri(&path(route, id));
    let request = who.sign(request.insert_header(("content-type", kind)));
    let length = |bytes: usize| ("content-length", bytes.to_string());
    api.call(match sent {
        Sent::Announced => request.insert_header(length(bytes)),
        Sent::Unannounced => request.set_payload(body).insert_header(length(1)),
        Sent::Whole => request.set_payload(body),
    })
    .await
}

#[actix_web::test]
async fn every_route_refuses_one_byte_more_than_it_takes() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for route in routes() {
        let most = route.body_bytes();
        let place = format!("{} {}", route.verb.name(), route.path);
        let refused = send(&api, route, &owner, most + 1, Sent::Announced).await.with(413);
        let told = refused.json();
        assert_eq!(told["code"], "payload_too_large", "{place}");
        assert_eq!(told["cause"]["code"], "body_too_large", "{place}");
        assert_eq!(told["cause"]["limit_bytes"], most, "{place}");
        assert!(told["message"].as_str().unwrap().contains(&most.to_string()), "{place}");
        if route.verb == Verb::Get {
            continue;
        }
        let refused = send(&api, route, &owner, most + 1, Sent::Unannounced).await;
        // An id that is none, and a sender who shows no key, are refused before a body is read.
        let is_refused = refused.status == 413
            || route.path.contains('{') && refused.status == 404
            || route.checks_sender && refused.status == 401;
        assert!(is_refused, "{place}: {refused:?}");
        let taken = send(&api, route, &owner, most, Sent::Whole).await;
        // What is in a form may have a limit of its own.
        let is_taken = !taken.text.contains("body_too_large") && taken.status < 500;
        assert!(is_taken, "{place}: {taken:?}");
    }
}

#[actix_web::test]
async fn a_key_lets_no_longer_body_in() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for (path, most) in [("/customers", 256 * 1024), ("/webhooks", PLAIN), ("/invoices", MOST)] {
        for (bytes, is_taken) in [(most, true), (most + 1, false)] {
            let text = format!("{{\"nothing\": \"{}\"}}", "x".repeat(bytes - 15));
            let request = TestRequest::post().uri(path).insert_header(("idempotency-key", "once"));
            let request = request.insert_header(("content-type", "application/json"));
            let answer = api.call(owner.sign(request).set_payload(text)).await;
            assert_eq!(answer.status != 413, is_taken, "{path}: {answer:?}");
        }
    }
}
