//! Bad input: each refusal says what is wrong and where, and leaves nothing behind.

use racun_tests::{Account, Client, Racun, StoreKind, on_both_stores, with_query};
use serde_json::{Value, json};

on_both_stores! {
    bodies_that_are_no_json_are_400,
    bodies_that_are_no_invoice_name_the_field,
    ids_of_others_are_refused_like_unknown_ids,
    bodies_too_long_or_of_another_type_are_refused,
    paths_and_methods_that_do_not_exist_answer_the_error_body,
    lists_refuse_what_they_do_not_know,
    an_update_that_is_refused_changes_nothing,
    the_catalogue_and_the_access_refuse_alike,
}

/// What must not change when requests are refused.
async fn everything(account: &Account) -> Value {
    let mut all = Vec::new();
    for path in ["/invoices", "/customers", "/items", "/taxes", "/suppliers", "/business-units"] {
        all.push(json!(account.api.all(path).await));
    }
    let entity = account.user.read(&format!("/entities/{}", account.entity)).await;
    let next = account.api.read("/documents/next-number?type=invoice").await;
    json!([all, entity, next])
}

/// A server and an account that has an invoice, a customer and an item.
async fn started(store: StoreKind) -> (Racun, Account, Value) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let invoice = json!({
        "customer": { "name": "Kupec", "save_customer": true },
        "items": [{ "name": "Work", "price": 10, "taxes": [{ "rate": 22 }], "save_item": true }],
    });
    account.api.create("/invoices", &invoice).await;
    let before = everything(&account).await;
    (racun, account, before)
}

async fn bodies_that_are_no_json_are_400(store: StoreKind) {
    let (_racun, account, before) = started(store).await;
    let bodies = [
        "",
        "{",
        "{]",
        "{'items': []}",
        r#"{"items": [{"name": "A", "price": NaN}]}"#,
        r#"{"items": [{"name": "A", "price": Infinity}]}"#,
        r#"{"items": [{"name": "A", "price": 01}]}"#,
        r#"{"items": [{"name": "A", "price": 1.}]}"#,
        r#"{"items": [{"name": "A", "price": +1}]}"#,
        r#"{"items": [{"name": "A", "price": 1}]} {}"#,
    ];
    for path in ["/invoices", "/invoices/custom", "/documents/calculate", "/customers"] {
        for body in bodies {
            account.api.json("POST", path, body).await.refused(400, "bad_request");
        }
        let deep = format!(r#"{{"metadata": {}1{}}}"#, "[".repeat(200), "]".repeat(200));
        account.api.json("POST", path, deep).await.refused(400, "bad_request");
    }
    assert_eq!(everything(&account).await, before);
}

/// What is put into the line of an otherwise good invoice, and where the issue is.
const LINES: &[(&str, &str)] = &[
    (r#""price": 1, "price_with_tax": 1.22"#, "items.0.price_with_tax"),
    (r#""price": 1, "nmae": "A""#, "items.0.nmae"),
    (r#""price": "1""#, "items.0.price"),
    (r#""price": true"#, "items.0.price"),
    (r#""price": [1]"#, "items.0.price"),
    (r#""price": 1e400"#, "items.0.price"),
    (r#""price": 1e-400"#, "items.0.price"),
    (r#""price": 1234567890123456"#, "items.0.price"),
    (r#""price": -1234567890123456"#, "items.0.price"),
    (r#""price": 0.12345678901"#, "items.0.price"),
    (r#""quantity": 1e999999999, "price": 1"#, "items.0.quantity"),
    (r#""price": 1, "quantity": {}"#, "items.0.quantity"),
    (r#""price": 1, "name": 5"#, "items.0.name"),
    (r#""price": 1, "type": "heading""#, "items.0.type"),
    (r#""price": 1, "classification": "gift""#, "items.0.classification"),
    (r#""price": 1, "taxes": 22"#, "items.0.taxes"),
    (r#""price": 1, "taxes": [{"rate": 22, "kind": "VAT"}]"#, "items.0.taxes.0.kind"),
    (r#""price": 1, "taxes": [{"rate": 100.1}]"#, "items.0.taxes.0.rate"),
    (r#""price": 1, "taxes": [{"rate": -1}]"#, "items.0.taxes.0.rate"),
    (r#""price": 1, "taxes": [{"rate": 1}, {"rate": 2}]"#, "items.0.taxes"),
    (r#""price": 1, "discounts": [{"value": -1}]"#, "items.0.discounts.0.value"),
    (r#""price": 1, "discounts": [{"value": 1, "type": "each"}]"#, "items.0.discounts.0.type"),
    (
        concat!(
            r#""price": 1, "discounts": [{"value":1},{"value":1},{"value":1},"#,
            r#"{"value":1},{"value":1},{"value":1}]"#,
        ),
        "items.0.discounts",
    ),
    (r#""price": 1, "metadata": {"a": 1}"#, "items.0.metadata.a"),
    (r#""price": 1, "e_invoicing": "H87""#, "items.0.e_invoicing"),
];

/// What is put beside the lines of an otherwise good invoice, and where the issue is.
const BESIDE: &[(&str, &str)] = &[
    (r#""number": "2026-00001""#, "number"),
    (r#""total": 5"#, "total"),
    (r#""is_draft": "yes""#, "is_draft"),
    (r#""date": "2026-02-30""#, "date"),
    (r#""date": "2025-02-29""#, "date"),
    (r#""date": "26-01-01""#, "date"),
    (r#""date": "today""#, "date"),
    (r#""date": 20260101"#, "date"),
    (r#""date": "2026-01-01T25:00:00Z""#, "date"),
    (r#""date": "2999-01-01""#, "date"),
    (r#""date": "2026-01-02", "date_due": "2026-01-01""#, "date_due"),
    (r#""date_service": "2026-01-02", "date_service_to": "2026-01-01""#, "date_service_to"),
    (r#""currency_code": "EURO""#, "currency_code"),
    (r#""currency_code": "XXQ""#, "currency_code"),
    (r#""calculation_mode": "b2b""#, "calculation_mode"),
    (r#""customer": "Kupec""#, "customer"),
    (r#""customer": {"name": "A", "ujp": {"receiver": "B"}}"#, "customer.ujp.receiver"),
    (r#""customer": {"name": "A", "email": 5}"#, "customer.email"),
    (r#""customer_id": 7"#, "customer_id"),
    (r#""customer_id": "kupec""#, "customer_id"),
    (r#""metadata": [1]"#, "metadata"),
    (r#""metadata": {"a": null}"#, "metadata.a"),
    (r#""note": 5"#, "note"),
    (r#""translations": {"note": {"xx-XX": "a"}}"#, "translations.note.xx-XX"),
    (r#""expected_total_with_tax": "1""#, "expected_total_with_tax"),
    (r#""exchange_rate": {"rate": 0}, "currency_code": "USD""#, "exchange_rate.rate"),
    (r#""note": "a", "note": "b""#, "note"),
];

async fn bodies_that_are_no_invoice_name_the_field(store: StoreKind) {
    let (_racun, account, before) = started(store).await;
    let api = &account.api;
    for (line, path) in LINES {
        let name = if line.contains("\"name\"") { "" } else { r#""name": "A", "# };
        let body = format!(r#"{{"items": [{{{name}{line}}}]}}"#);
        refused_everywhere(api, &body, path).await;
    }
    for (field, path) in BESIDE {
        let body = format!(r#"{{{field}, "items": [{{"name": "A", "price": 1}}]}}"#);
        refused_everywhere(api, &body, path).await;
    }
    let long = |chars: usize| "č".repeat(chars);
    let with = |field: &str, value: Value| {
        let mut body = json!({ "items": [{ "name": "A", "price": 1 }] });
        body[field] = value;
        body.to_string()
    };
    let many: serde_json::Map<String, Value> =
        (0..51).map(|n| (n.to_string(), json!("x"))).collect();
    for (body, path) in [
        (with("footer", json!(long(501))), "footer"),
        (with("metadata", json!({ "a": long(251) })), "metadata.a"),
        (with("metadata", json!(many)), "metadata"),
        (with("items", json!([])), "items"),
        (with("items", Value::Null), "items"),
        (with("items", json!("work")), "items"),
        ("{}".to_owned(), "items"),
        ("null".to_owned(), ""),
        ("[]".to_owned(), ""),
        ("7".to_owned(), ""),
        (with("items", json!([{ "price": 1 }])), "items.0.name"),
        (with("items", json!([{ "name": "A", "price": 1 }, { "name": "B" }])), "items.1.price"),
    ] {
        refused_everywhere(api, &body, path).await;
    }
    assert_eq!(everything(&account).await, before);
}

/// Creating and calculating read the same body.
async fn refused_everywhere(api: &Client, body: &str, path: &str) {
    for route in ["/invoices", "/documents/calculate?type=invoice"] {
        let answer = api.json("POST", route, body).await;
        assert_eq!(answer.status, 422, "{route} {body}: {}", answer.text);
        answer.refused_at(path);
        assert!(!answer.text.contains("struct "), "a name of the source: {}", answer.text);
    }
}

async fn ids_of_others_are_refused_like_unknown_ids(store: StoreKind) {
    let (racun, account, before) = started(store).await;
    let other = Account::sign_up(&racun).await;
    let theirs = async |path: &str, body: Value| {
        let made = other.api.create(path, &body).await;
        made["id"].as_str().unwrap_or_default().to_owned()
    };
    let customer = theirs("/customers", json!({ "name": "Skrivni kupec" })).await;
    let item = theirs("/items", json!({ "name": "Skrivna stvar", "price": 7 })).await;
    let tax = theirs("/taxes", json!({ "tax_rates": [{ "rate": 5 }] })).await;
    let unit = theirs("/business-units", json!({ "name": "Skrivna enota" })).await;
    let category = theirs("/financial-categories", json!({ "name": "Skrivno" })).await;
    let line = |field: &str, value: Value| {
        let mut line = json!({ "name": "A", "price": 1 });
        line[field] = value;
        json!({ "items": [line] })
    };
    let beside = |field: &str, value: Value| {
        let mut body = json!({ "items": [{ "name": "A", "price": 1 }] });
        body[field] = value;
        body
    };
    let missing = |id: &str| format!("{}0000000000000000000000000{}", &id[..id.len() - 26], 1);
    for make in [
        |id: String| id,
        |id: String| format!("{}{}", &id[..id.len() - 26], "00000000000000000000000001"),
    ] {
        for (body, path) in [
            (beside("customer_id", json!(make(customer.clone()))), "customer_id"),
            (beside("business_unit_id", json!(make(unit.clone()))), "business_unit_id"),
            (line("item_id", json!(make(item.clone()))), "items.0.item_id"),
            (line("taxes", json!([{ "tax_id": make(tax.clone()) }])), "items.0.taxes.0.tax_id"),
            (
                line("financial_category_id", json!(make(category.clone()))),
                "items.0.financial_category_id",
            ),
        ] {
            let body = body.to_string();
            refused_everywhere(&account.api, &body, path).await;
            assert!(!account.api.json("POST", "/invoices", body).await.text.contains("Skriv"));
        }
    }
    // An id of another kind is no id of this one.
    let wrong_kind = json!({ "customer_id": item, "items": [{ "name": "A", "price": 1 }] });
    account.api.post("/invoices", &wrong_kind).await.refused_at("customer_id");
    account
        .api
        .get(&format!("/invoices/{}", missing("inv_00000000000000000000000000")))
        .await
        .refused(404, "not_found");
    account.api.get("/invoices/inv_!").await.refused(404, "not_found");
    assert_eq!(everything(&account).await, before);
}

async fn bodies_too_long_or_of_another_type_are_refused(store: StoreKind) {
    let (_racun, account, before) = started(store).await;
    let api = &account.api;
    let good = json!({ "items": [{ "name": "A", "price": 1 }] }).to_string();
    for kind in ["text/plain", "application/xml", "multipart/form-data", "application/jsonp"] {
        let answer = api.clone().with("content-type", kind);
        let answer = answer.send("POST", "/invoices", Some(good.clone())).await;
        answer.refused(415, "unsupported_media_type");
    }
    let bare = api.send("POST", "/invoices", Some(good.clone())).await;
    bare.refused(415, "unsupported_media_type");
    let long = format!(r#"{{"note": "{}"}}"#, "x".repeat(3 * 1024 * 1024));
    // The server may hang up before it has read all that it is sent.
    if let Ok(answer) = api.try_json("POST", "/invoices", long).await {
        answer.refused(413, "payload_too_large");
    }
    let lines = vec![json!({ "name": "A", "price": 1 }); 1001];
    api.post("/invoices", &json!({ "items": lines })).await.refused_at("items");
    assert_eq!(everything(&account).await, before);
}

async fn paths_and_methods_that_do_not_exist_answer_the_error_body(store: StoreKind) {
    let (racun, account, before) = started(store).await;
    for client in [&racun.client(), &account.api] {
        for path in ["/invoice", "/invoices/a/b/c", "/Invoices", "/invoices%00", "/../etc"] {
            let answer = client.get(path).await;
            assert_eq!(answer.content_type, "application/json", "{path}");
            answer.refused(404, "not_found");
            assert!(!answer.request_id.is_empty(), "{path}");
        }
        for (method, path) in [
            ("PUT", "/invoices"),
            ("DELETE", "/invoices"),
            ("TRACE", "/invoices"),
            ("PROPFIND", "/invoices"),
            ("PATCH", "/documents/calculate"),
            ("POST", "/health/live"),
        ] {
            let answer = client.send(method, path, None).await;
            answer.refused(405, "method_not_allowed");
        }
    }
    assert_eq!(everything(&account).await, before);
}

async fn lists_refuse_what_they_do_not_know(store: StoreKind) {
    let (_racun, account, _) = started(store).await;
    let deep = format!("{}1{}", r#"{"a":"#.repeat(200), "}".repeat(200));
    let cases: &[(&str, &str, &str)] = &[
        ("limit", "0", "limit"),
        ("limit", "101", "limit"),
        ("limit", "ten", "limit"),
        ("limit", "-1", "limit"),
        ("next_cursor", "garbage", "next_cursor"),
        ("next_cursor", "eyJhIjoxfQ", "next_cursor"),
        ("prev_cursor", "", "prev_cursor"),
        ("order_by", "nonsense", "order_by"),
        ("order_by", "--date", "order_by"),
        ("include_total_count", "maybe", "include_total_count"),
        ("deleted", "1", "deleted"),
        ("query", "{", "query"),
        ("query", "[]", "query"),
        ("query", r#"{"nonsense": 1}"#, "query.nonsense"),
        ("query", r#"{"total": {"above": 1}}"#, "query.total.above"),
        ("query", r#"{"total": {"gt": "much"}}"#, "query.total.gt"),
        ("query", r#"{"total": {"gt": 1e400}}"#, "query.total.gt"),
        ("query", r#"{"date": {"gte": "2026-02-30"}}"#, "query.date.gte"),
        ("query", &deep, "query"),
    ];
    for (name, value, path) in cases {
        let answer = account.api.get(&with_query("/invoices", &[(name, value)])).await;
        assert_eq!(answer.status, 422, "{name}={value}: {}", answer.text);
        answer.refused_at(path);
    }
    let twice = account.api.get("/invoices?limit=5&limit=6").await;
    twice.refused_at("limit");
    // A cursor is good for the order that it was made in only.
    account.api.create("/invoices", &json!({ "items": [{ "name": "A", "price": 1 }] })).await;
    let page = account.api.read("/invoices?limit=1&order_by=total").await;
    let cursor = page["pagination"]["next_cursor"].as_str().unwrap_or_default();
    let other = with_query("/invoices", &[("order_by", "-date"), ("next_cursor", cursor)]);
    account.api.get(&other).await.refused_at("next_cursor");
}

async fn an_update_that_is_refused_changes_nothing(store: StoreKind) {
    let (_racun, account, before) = started(store).await;
    let rows = account.api.all("/invoices").await;
    let path = format!("/invoices/{}", rows[0]["id"].as_str().unwrap_or_default());
    for (body, at) in [
        (json!({ "number": "2026-00009" }), "number"),
        (json!({ "is_draft": true }), "is_draft"),
        (json!({ "calculation_mode": "b2b_standard" }), "calculation_mode"),
        (json!({ "items": [] }), "items"),
        (json!({ "note": "n", "items": [{ "name": "A", "price": "x" }] }), "items.0.price"),
        (json!({ "note": "n", "date": "2999-01-01" }), "date"),
        (json!({ "note": "n", "change_reason": "r".repeat(501) }), "change_reason"),
        (json!({ "note": "n", "customer_id": "cus_00000000000000000000000001" }), "customer_id"),
    ] {
        let answer = account.api.patch(&path, &body).await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.text);
        answer.refused_at(at);
    }
    account.api.json("PATCH", &path, "{").await.refused(400, "bad_request");
    let versions = account.api.read(&format!("{path}/versions")).await;
    assert_eq!(versions, json!({ "versions": [], "has_more": false }));
    assert_eq!(everything(&account).await, before);
}

async fn the_catalogue_and_the_access_refuse_alike(store: StoreKind) {
    let (racun, account, before) = started(store).await;
    for (path, body, at) in [
        ("/customers", json!({}), "name"),
        ("/customers", json!({ "name": "" }), "name"),
        ("/customers", json!({ "name": 5 }), "name"),
        ("/customers", json!({ "name": "A", "country_code": "SVN" }), "country_code"),
        (
            "/items",
            json!({ "name": "A", "price": 1, "description": "d".repeat(10_001) }),
            "description",
        ),
        ("/items", json!({ "name": "A", "price": 1, "tax_ids": ["tax_x"] }), "tax_ids.0"),
        ("/taxes", json!({}), "tax_rates"),
        ("/taxes", json!({ "tax_rates": [] }), "tax_rates"),
        ("/taxes", json!({ "tax_rates": [{ "rate": 101 }] }), "tax_rates.0.rate"),
        (
            "/taxes",
            json!({ "tax_rates": [{ "rate": 1, "valid_from": "x" }] }),
            "tax_rates.0.valid_from",
        ),
        ("/suppliers", json!({}), "name"),
        ("/business-units", json!({}), "name"),
        ("/financial-categories", json!({ "name": "c".repeat(201) }), "name"),
    ] {
        let answer = account.api.post(path, &body).await;
        assert_eq!(answer.status, 422, "{path} {body}: {}", answer.text);
        answer.refused_at(at);
    }
    let anonymous = racun.client();
    for (body, at) in [
        (json!({ "password": "correct horse 1" }), "email"),
        (json!({ "email": "nobody", "password": "correct horse 1" }), "email"),
        (json!({ "email": "a@example.com", "password": "short" }), "password"),
        (json!({ "email": "a@example.com", "password": "NO LOWER CASE" }), "password"),
    ] {
        anonymous.post("/users/signup", &body).await.refused_at(at);
    }
    let taken = json!({ "email": account.email, "password": "correct horse 1" });
    anonymous.post("/users/signup", &taken).await.refused(409, "conflict");
    let wrong = json!({ "email": account.email, "password": "wrong horse 1" });
    anonymous.post("/users/login", &wrong).await.refused(401, "unauthorized");
    let entity = json!({ "name": "A", "country": "Atlantis" });
    account.user.post("/entities", &entity).await.refused_at("country");
    assert_eq!(everything(&account).await, before);
}
