//! Operations that take no body refuse one that says something: it would be dropped.

use actix_web::http::Method;
use actix_web::test::TestRequest;
use racun_http_api::{Route, Verb, openapi, routes};
use serde_json::{Value, json};

use crate::harness::{Answer, Api, text};
use crate::shop::Shop;
use crate::unknown::{Target, happened, refuses};

/// The described operations that take no body and are not reads.
fn without_body() -> Vec<&'static Route> {
    let description = openapi();
    let takes_none = |route: &&Route| {
        let item = &description["paths"][route.path][route.verb.name().to_lowercase()];
        item.is_object() && item.get("requestBody").is_none()
    };
    routes().filter(|route| route.verb != Verb::Get).filter(takes_none).collect()
}

#[actix_web::test]
async fn every_operation_without_a_body_refuses_what_one_says() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let before = happened(&api, &owner).await;
    let routes = without_body();
    let deletes = routes.iter().filter(|route| route.verb == Verb::Delete).count();
    assert!(routes.len() > 50 && deletes > 20, "{} routes, {deletes} deletes", routes.len());
    for route in routes {
        let target = Target::of(&api, &owner, route).await;
        let answer = target.send(&json!({"until": "2027-01-01", "more": {"deep": 1}})).await;
        for name in ["until", "more"] {
            let is_refused = refuses(&answer, &json!([name]), Some("unknown_field"));
            assert!(is_refused, "{} {answer:?}", route.operation);
        }
        let answer = target.send(&json!([1])).await;
        assert!(refuses(&answer, &json!([]), None), "{} {answer:?}", route.operation);
        // With an id that there is not, an empty object changes nothing either.
        if target.uri != route.path && !target.uri.contains(owner.entity()) {
            let answer = target.send(&json!({})).await;
            assert!(!answer.text.contains("unknown_field"), "{} {answer:?}", route.operation);
        }
    }
    assert_eq!(happened(&api, &owner).await, before);
}

/// A request that cancels the tab at `path` with `body` of type `kind`.
async fn cancel(shop: &Shop, path: &str, kind: &str, body: &'static str) -> Answer {
    let request = TestRequest::default().method(Method::DELETE).uri(path);
    let request = request.insert_header(("content-type", kind)).set_payload(body);
    shop.api.call(shop.owner.sign(request)).await
}

#[actix_web::test]
async fn a_tab_is_not_cancelled_by_a_request_whose_condition_is_in_the_body() {
    let shop = Shop::open().await;
    let json = "application/json";
    for (kind, body, status) in [
        (json, "{\"expected_version\": 9}", 422),
        (json, "null", 422),
        (json, "{\"expected_version\"", 400),
        ("text/plain", "{\"expected_version\": 9}", 415),
        (json, "{}", 200),
        (json, "", 200),
        ("text/plain", " { } ", 200),
    ] {
        let path = format!("/pos/tabs/{}", shop.tab().await);
        cancel(&shop, &path, kind, body).await.with(status);
        let now = shop.get(&path).await.with(200).json();
        let expected = if status == 200 { "cancelled" } else { "open" };
        assert_eq!(now["status"], expected, "{kind} {body}");
    }
}

#[actix_web::test]
async fn a_key_names_a_request_without_a_body_as_before() {
    let shop = Shop::open().await;
    let id = shop.tab().await;
    let path = format!("/pos/tabs/{id}");
    let ask = |body: Option<Value>| {
        let request = TestRequest::delete().uri(&path);
        let request = shop.owner.sign(request.insert_header(("idempotency-key", "cancel-1")));
        shop.api.call(match body {
            Some(body) => request.set_json(body),
            None => request,
        })
    };
    ask(Some(json!({"expected_version": 9}))).await.with(422);
    let cancelled = ask(Some(json!({}))).await.with(200);
    assert_eq!(text(&cancelled.json()["status"]), "cancelled");
    let again = ask(Some(json!({}))).await.with(200);
    assert_eq!((again.header("idempotent-replayed"), &again.text), ("true", &cancelled.text));
    // Another body is another request.
    let other = ask(None).await.with(409);
    assert_eq!(other.json()["cause"]["code"], "idempotency_conflict");
}
