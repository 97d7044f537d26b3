//! What is refused of a body, and how.

use std::time::Duration;

use actix_web::test::TestRequest;
use racun_http_api::RequestLimits;
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
async fn malformed_json_is_400_and_invalid_values_are_422_with_their_path() {
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
        ("[\"x\"", bad),
        ("5 5", bad),
        ("{\"name\":5,", bad),
        ("[]", wrong("[]", "invalid_type")),
        ("[\"x\"]", wrong("[]", "invalid_type")),
        ("null", wrong("[]", "invalid_type")),
        ("{\"name\":5,\"price\":1}", wrong("[\"name\"]", "invalid_type")),
        ("{\"name\":\"a\",\"price\":\"1\"}", wrong("[\"price\"]", "invalid_type")),
        ("{\"name\":\"a\",\"price\":1e400}", wrong("[\"price\"]", "invalid_value")),
        ("{\"name\":\"a\",\"price\":1e99999999999}", wrong("[\"price\"]", "invalid_value")),
        ("{\"name\":\"a\",\"price\":0.12345678901}", wrong("[\"price\"]", "invalid_value")),
        ("{\"name\":\"a\",\"price\":1,\"tax_ids\":[1]}", wrong("[\"tax_ids\",0]", "invalid_type")),
        ("{\"name\":\"a\",\"name\":\"b\"}", wrong("[\"name\"]", "duplicate_field")),
        ("{\"name\":\"a\\u0000\",\"price\":1}", wrong("[\"name\"]", "invalid_value")),
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
        api.post("/users/login", &Who::anonymous(), json!({"email": "a@b.si"})).await.with(422);
    assert_eq!(missing.issue(), ("[\"password\"]".to_owned(), "required".to_owned()));
    let ujp = json!({"name": "a", "ujp": {"receiver": "x"}});
    let unknown = api.post("/customers", &owner, ujp).await.with(422);
    assert_eq!(unknown.issue(), ("[\"ujp\",\"receiver\"]".to_owned(), "unknown_field".to_owned()));
    let more = json!({"name": "a", "anything": {"else": [1]}});
    let unknown = api.post("/customers", &owner, more).await.with(422);
    assert_eq!(unknown.issue(), ("[\"anything\"]".to_owned(), "unknown_field".to_owned()));
    let free = json!({"name": "a", "metadata": {"anything": "else"}});
    api.post("/customers", &owner, free).await.with(201);
}

#[actix_web::test]
async fn a_declared_check_answers_without_the_refused_value() {
    let api = Api::new().await;
    let email = "x".repeat(256);
    let body = json!({"email": email, "password": "secret"});
    let answer = api.post("/users/login", &Who::anonymous(), body).await.with(422);
    assert_eq!(answer.issue(), ("[\"email\"]".to_owned(), "too_long".to_owned()));
    assert!(!answer.text.contains("xxx"), "{answer:?}");
}

#[actix_web::test]
async fn nesting_is_bounded_in_unread_parts_too() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for (depth, status) in [(126, 422), (127, 400), (100_000, 400)] {
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
async fn a_request_that_takes_too_long_is_answered() {
    let limits = RequestLimits { request_time: Duration::ZERO, ..RequestLimits::default() };
    let api = Api::limited(limits).await;
    let body = json!({"email": "a@b.si", "password": "x"});
    let answer = api.post("/users/login", &Who::anonymous(), body).await.with(503);
    assert_eq!(answer.header("retry-after"), "1");
    assert_eq!(answer.json()["code"], "service_unavailable");
}

/// All issues of an answer, each as its path and code.
fn issues(answer: &crate::harness::Answer) -> Vec<(String, String)> {
    let body = answer.json();
    let issues = body["cause"]["issues"].as_array().cloned().unwrap_or_default();
    issues.iter().map(|it| (it["path"].to_string(), it["code"].to_string())).collect()
}

#[actix_web::test]
async fn everything_that_is_wrong_with_a_body_is_reported_at_once() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for (path, body, expected) in [
        (
            "/customers",
            json!({"name": "", "contact_type": "friend"}),
            vec![(r#"["contact_type"]"#, "invalid_value"), (r#"["name"]"#, "required")],
        ),
        (
            "/invoices",
            json!({
                "date": "yesterday", "currency_code": "XX", "totl": 1,
                "items": [{"name": "a", "price": "1"}, {"name": "b", "price": 1, "quantity": true},
                          {"name": "c"}],
            }),
            vec![
                (r#"["totl"]"#, "unknown_field"),
                (r#"["date"]"#, "invalid_value"),
                (r#"["items",0,"price"]"#, "invalid_type"),
                (r#"["items",1,"quantity"]"#, "invalid_type"),
                (r#"["currency_code"]"#, "invalid_currency"),
                (r#"["items",2,"price"]"#, "required"),
            ],
        ),
        (
            "/items",
            json!({"price": "1", "classification": "x", "unitt": 1, "tax_ids": [1, 2]}),
            vec![
                (r#"["unitt"]"#, "unknown_field"),
                (r#"["price"]"#, "invalid_type"),
                (r#"["classification"]"#, "invalid_value"),
                (r#"["tax_ids",0]"#, "invalid_type"),
                (r#"["tax_ids",1]"#, "invalid_type"),
                (r#"["name"]"#, "required"),
            ],
        ),
        (
            "/payments",
            json!({"amount": [], "date": "x", "type": null}),
            vec![
                (r#"["amount"]"#, "invalid_type"),
                (r#"["date"]"#, "invalid_value"),
                (r#"["type"]"#, "invalid_type"),
                (r#"["document_id"]"#, "required"),
            ],
        ),
    ] {
        let answer = api.post(path, &owner, body).await.with(422);
        let mut found = issues(&answer);
        let mut expected: Vec<(String, String)> = expected
            .iter()
            .map(|(path, code)| ((*path).to_owned(), format!("\"{code}\"")))
            .collect();
        assert_eq!(answer.json()["cause"]["code"], answer.json()["cause"]["issues"][0]["code"]);
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{path}: {}", answer.text);
    }
    let anonymous = Who::anonymous();
    let answer = api.post("/users/login", &anonymous, json!({"pasword": 1})).await.with(422);
    let codes: Vec<String> = issues(&answer).into_iter().map(|(path, _)| path).collect();
    assert_eq!(codes, [r#"["pasword"]"#, r#"["email"]"#, r#"["password"]"#]);
    let total = |answer: crate::harness::Answer| answer.json()["pagination"]["total"].clone();
    assert_eq!(total(api.get("/customers", &owner).await), 0);
    assert_eq!(total(api.get("/invoices", &owner).await), 0);
}

#[actix_web::test]
async fn a_body_of_many_faults_gets_fifty_issues() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let lines: Vec<_> = (0..2000).map(|n| json!({"name": n, "price": "x"})).collect();
    let answer = api.post("/invoices", &owner, json!({"items": lines})).await.with(422);
    assert_eq!(issues(&answer).len(), 50);
}

#[actix_web::test]
async fn the_specific_code_is_always_in_cause() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let code = |answer: &crate::harness::Answer| {
        let body = answer.json();
        (body["code"].clone(), body["cause"]["code"].clone())
    };
    let taken = json!({"email": "owner@example.com", "password": crate::harness::PASSWORD});
    let answer = api.post("/users/signup", &Who::anonymous(), taken).await.with(409);
    assert_eq!(code(&answer), (json!("conflict"), json!("email_taken")));
    for (name, status) in [("a", 201), ("b", 409)] {
        let request = TestRequest::post().uri("/customers").insert_header(("idempotency-key", "k"));
        let answer =
            api.call(owner.sign(request).set_json(json!({"name": name}))).await.with(status);
        if status == 409 {
            let own = json!("idempotency_conflict");
            assert_eq!(code(&answer), (own.clone(), own));
        }
    }
    let answer = api.get("/customers/inv_01jd0000000000000000000000", &owner).await.with(404);
    assert_eq!(code(&answer), (json!("not_found"), json!(null)));
    assert!(answer.text.contains("no customer with this id; it reads like the id of an invoice"));
    let answer = api.get("/invoices/42", &owner).await.with(404);
    assert!(answer.text.contains("there is no invoice with this id here"), "{answer:?}");
    let answer = api.get("/entities/stats", &owner).await.with(404);
    assert!(answer.text.contains("there is no entity with this id here"), "{answer:?}");
}

#[actix_web::test]
async fn no_check_hides_another() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let unit = "/business-units".to_owned();
    let entity = format!("/entities/{}", owner.entity());
    let draft = json!({"is_draft": true, "items": [{"name": "a", "price": 1}]});
    let draft = api.post("/invoices", &owner, draft).await.with(201).json();
    let send = format!("/documents/{}/send", draft["id"].as_str().unwrap());
    let nonsense = json!({"email_defaults": {"invoice_body": "{nonsense}"}});
    let body_text = r#"["settings","email_defaults","invoice_body"]"#;
    let line = json!({"name": "a", "price": 10});
    for (path, body, expected) in [
        (
            "/entities",
            json!({"name": "", "country": "Atlantis", "environment": "prod"}),
            vec![r#"["country"]"#, r#"["environment"]"#, r#"["name"]"#],
        ),
        (
            "/entities",
            json!({"country": "SI", "environment": "live", "settings": {"bank_accounts": 5}}),
            vec![r#"["name"]"#, r#"["settings","bank_accounts"]"#],
        ),
        (
            "/invoices",
            json!({
                "linked_documents": ["adv_01jd0000000000000000000000"],
                "customer_id": "cus_01jd0000000000000000000000",
                "items": [{"name": "", "price": 1}],
            }),
            vec![r#"["customer_id"]"#, r#"["items",0,"name"]"#, r#"["linked_documents",0]"#],
        ),
        (
            "/invoices",
            json!({
                "items": [{"name": "", "price": 1}], "payments": [{"amount": -1, "type": "cash"}],
            }),
            vec![r#"["items",0,"name"]"#, r#"["payments",0,"amount"]"#],
        ),
        (
            "/invoices",
            json!({
                "items": [
                    {"name": "a", "price": 1, "discounts": [{"type": "percent", "value": 200}]},
                ],
                "footer": "x".repeat(501),
            }),
            vec![r#"["footer"]"#, r#"["items",0,"discounts"]"#],
        ),
        (
            "/invoices",
            json!({"items": [line], "footer": "x".repeat(501), "expected_total_with_tax": 1}),
            vec![r#"["footer"]"#],
        ),
        (&entity, json!({"name": "", "settings": nonsense}), vec![r#"["name"]"#, body_text]),
        (&unit, json!({"name": "", "settings": nonsense}), vec![r#"["name"]"#, body_text]),
        (
            &entity,
            json!({"name": "", "settings": {"number_formats": {"invoice": "no number"}}}),
            vec![r#"["name"]"#, r#"["settings","number_formats","invoice"]"#],
        ),
        (
            &send,
            json!({"to": "nobody", "subject": "{x}", "attach_pdf": 5, "language": "klingon"}),
            vec![r#"["attach_pdf"]"#, r#"["language"]"#, r#"["subject"]"#, r#"["to"]"#],
        ),
        (
            "/account/api-keys",
            json!({"name": "", "environment": "prod", "allowed_addresses": ["here"]}),
            vec![r#"["allowed_addresses",0]"#, r#"["environment"]"#, r#"["name"]"#],
        ),
        (
            "/payments",
            json!({"invoice_id": "inv_x", "amount": -1, "type": "cash"}),
            vec![r#"["amount"]"#, r#"["invoice_id"]"#],
        ),
    ] {
        let answer = api.post(path, &owner, body.clone()).await;
        let answer = match answer.status {
            404 | 405 => api.patch(path, &owner, body).await.with(422),
            _ => answer.with(422),
        };
        let mut found: Vec<_> = issues(&answer).into_iter().map(|(path, _)| path).collect();
        found.sort();
        assert_eq!(found, expected, "{path}: {}", answer.text);
    }
    let weak = json!({"email": "x", "password": "a", "name": ""});
    let answer = api.post("/users/signup", &Who::anonymous(), weak).await.with(422);
    let found: Vec<_> = issues(&answer).into_iter().map(|(path, _)| path).collect();
    assert_eq!(found, [r#"["email"]"#, r#"["name"]"#, r#"["password"]"#]);
}

#[actix_web::test]
async fn a_body_that_is_refused_changes_nothing_though_the_rest_of_it_is_good() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for key in [None, Some("k")] {
        let mut request = TestRequest::post().uri("/invoices");
        if let Some(key) = key {
            request = request.insert_header(("idempotency-key", key));
        }
        let body = json!({"items": [{"name": "a", "price": 1}], "footer": "x".repeat(501)});
        api.call(owner.sign(request).set_json(body)).await.with(422);
        assert_eq!(api.get("/invoices", &owner).await.json()["pagination"]["total"], 0);
    }
    let good = json!({"items": [{"name": "a", "price": 1}]});
    let first = api.post("/invoices", &owner, good).await.with(201).json();
    assert!(first["number"].as_str().unwrap().ends_with("00001"), "{first}");
}

#[actix_web::test]
async fn a_currency_is_taken_in_either_case() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let body = json!({
        "currency_code": "usd", "exchange_rate": {"rate": 0.9, "quote_currency": "eur"},
        "items": [{"name": "a", "price": 1}],
    });
    let made = api.post("/invoices", &owner, body).await.with(201).json();
    assert_eq!(made["currency_code"], "USD");
}
