//! What is refused of a body, and how.

use std::time::Duration;

use actix_web::test::TestRequest;
use racun_http_api::Limits;
use serde_json::json;

use crate::harness::{Api, Who};

/// What is answered to `body` as a new item: status, code, and the first issue's path and code.
async fn check(api: &Api, who: &Who, body: &str, expected: (u16, &str, &str, &str)) {
    let answer = api.post_text("/items", who, body).await;
    let (path, code) =
        if answer.status == 422 { answer.issue() } else { (String::new(), String::new()) };
    let found = answer.json();
    let shown: String = body.chars().take(80).collect();
    let seen = (answer.status, found["code"].as_str().unwrap_or_default(), path.as_str(), &*code);
    assert_eq!(seen, expected, "{shown} -> {}", answer.text);
}

#[actix_web::test]
async fn what_is_not_json_is_400_and_what_does_not_fit_is_422_with_its_path() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let bad = (400, "bad_request", "", "");
    let wrong = |path, code| (422, "unprocessable_entity", path, code);
    for (body, expected) in [
        ("", bad),
        ("{", bad),
        ("{\"name\":\"a\",}", bad),
        ("{\"name\":\"a\"} x", bad),
        ("{\"name\":\"a\",\"price\":NaN}", bad),
        ("{\"name\":\"a\",\"price\":Infinity}", bad),
        ("{\"name\":\"a\",\"price\":01}", bad),
        ("\u{feff}{}", bad),
        ("[]", wrong("[]", "invalid_type")),
        ("null", wrong("[]", "invalid_type")),
        ("{\"name\":5,\"price\":1}", wrong("[\"name\"]", "invalid_type")),
        ("{\"name\":\"a\",\"price\":\"1\"}", wrong("[\"price\"]", "invalid_type")),
        ("{\"name\":\"a\",\"price\":1e400}", wrong("[\"price\"]", "invalid_value")),
        ("{\"name\":\"a\",\"price\":1e99999999999}", wrong("[\"price\"]", "invalid_value")),
        ("{\"name\":\"a\",\"price\":0.12345678901}", wrong("[\"price\"]", "invalid_value")),
        ("{\"name\":\"a\",\"price\":1,\"tax_ids\":[1]}", wrong("[\"tax_ids\",0]", "invalid_type")),
        ("{\"name\":\"a\",\"name\":\"b\"}", wrong("[\"name\"]", "duplicate_field")),
        ("{\"name\":\"a\\u0000\",\"price\":1}", wrong("[]", "invalid_value")),
        (
            "{\"name\":\"a\",\"price\":1,\"classification\":\"x\"}",
            wrong("[\"classification\"]", "invalid_value"),
        ),
        ("{\"price\":1}", wrong("[\"name\"]", "required")),
    ] {
        check(&api, &owner, body, expected).await;
    }
}

#[actix_web::test]
async fn a_missing_or_unknown_property_is_named() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let missing =
        api.post("/users/login", &Who::nobody(), json!({"email": "a@b.si"})).await.with(422);
    assert_eq!(missing.issue(), ("[\"password\"]".to_owned(), "required".to_owned()));
    let ujp = json!({"name": "a", "ujp": {"receiver": "x"}});
    let unknown = api.post("/customers", &owner, ujp).await.with(422);
    assert_eq!(unknown.issue(), ("[\"ujp\",\"receiver\"]".to_owned(), "unknown_field".to_owned()));
    let more = json!({"name": "a", "anything": {"else": [1]}});
    api.post("/customers", &owner, more).await.with(201);
}

#[actix_web::test]
async fn a_declared_check_answers_without_the_refused_value() {
    let api = Api::new().await;
    let email = "x".repeat(256);
    let body = json!({"email": email, "password": "secret"});
    let answer = api.post("/users/login", &Who::nobody(), body).await.with(422);
    assert_eq!(answer.issue(), ("[\"email\"]".to_owned(), "too_long".to_owned()));
    assert!(!answer.text.contains("xxx"), "{answer:?}");
}

#[actix_web::test]
async fn nesting_is_bounded_even_where_nobody_looks() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for (depth, status) in [(127, 201), (128, 400), (100_000, 400)] {
        let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let body = format!("{{\"name\":\"a\",\"price\":1,\"ignored\":{nested}}}");
        api.post_text("/items", &owner, &body).await.with(status);
    }
    let brackets = json!({"name": "[".repeat(200), "price": 1, "unit": "\\\""});
    api.post("/items", &owner, brackets).await.with(201);
}

#[actix_web::test]
async fn a_body_that_is_too_large_or_of_another_type_is_not_read() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let large = json!({"name": "a", "ignored": "x".repeat(2 * 1024 * 1024)});
    let answer = api.post("/customers", &owner, large).await.with(413);
    assert_eq!(answer.json()["code"], "payload_too_large");
    for media_type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"] {
        let request =
            TestRequest::post().uri("/customers").insert_header(("content-type", media_type));
        let answer = api.call(owner.sign(request).set_payload("{\"name\":\"a\"}")).await.with(415);
        assert_eq!(answer.json()["code"], "unsupported_media_type", "{media_type}");
    }
    let request = TestRequest::post()
        .uri("/customers")
        .insert_header(("content-type", "application/json; charset=utf-8"));
    api.call(owner.sign(request).set_payload("{\"name\":\"a\"}")).await.with(201);
}

#[actix_web::test]
async fn a_limit_holds_at_its_edge() {
    let body = "{\"email\":\"a@b.si\",\"password\":\"\"}";
    for (bytes, status) in [(body.len(), 401), (body.len() - 1, 413)] {
        let limits = Limits { body_bytes: bytes, ..Limits::default() };
        let api = Api::limited(limits).await;
        api.post_text("/users/login", &Who::nobody(), body).await.with(status);
    }
}

#[actix_web::test]
async fn a_request_that_takes_too_long_is_answered() {
    let limits = Limits { request_time: Duration::ZERO, ..Limits::default() };
    let api = Api::limited(limits).await;
    let body = json!({"email": "a@b.si", "password": "x"});
    let answer = api.post("/users/login", &Who::nobody(), body).await.with(503);
    assert_eq!(answer.header("retry-after"), "1");
    assert_eq!(answer.json()["code"], "service_unavailable");
}
