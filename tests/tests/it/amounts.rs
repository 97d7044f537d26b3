//! Amounts over HTTP: the worked examples of the calculation rules, and digits that stay.

use racun_tests::{Account, Answer, Client, Racun, StoreKind, on_both_stores};
use serde_json::Value;

on_both_stores! {
    worked_examples_come_out_to_the_cent,
    the_expected_total_is_reconciled_or_refused,
    digits_come_back_as_they_went_in,
    totals_in_another_currency_are_converted_at_the_given_rate,
}

/// The name of the example, mode, lines, and what comes out: total, tax, total with tax, discount.
const EXAMPLES: &[(&str, &str, &str, [&str; 4])] = &[
    (
        "A, a line of the documentation",
        "b2b_standard",
        r#"{"name": "l", "quantity": 40, "price": 150, "taxes": [{"rate": 22}]}"#,
        ["6000", "1320", "7320", "0"],
    ),
    (
        "B, a document of the documentation",
        "b2b_standard",
        r#"{"name": "l", "quantity": 40, "price": 150, "taxes": [{"rate": 22}]},
           {"name": "m", "quantity": 1, "price": 2500, "taxes": [{"rate": 22}]}"#,
        ["8500", "1870", "10370", "0"],
    ),
    (
        "the documented discount",
        "b2b_standard",
        r#"{"name": "l", "quantity": 2, "price": 100, "taxes": [{"rate": 22}],
            "discounts": [{"value": 10}]}"#,
        ["180", "39.6", "219.6", "20"],
    ),
    (
        "C, two discounts",
        "b2b_standard",
        r#"{"name": "l", "quantity": 2, "price": 100, "taxes": [{"rate": 22}],
            "discounts": [{"value": 10}, {"value": 5, "type": "percent"}]}"#,
        ["170", "37.4", "207.4", "30"],
    ),
    (
        "D, a gross price",
        "b2b_standard",
        r#"{"name": "l", "quantity": 3, "gross_price": 12.20, "taxes": [{"rate": 22}],
            "discounts": [{"value": 10}]}"#,
        ["27", "5.94", "32.94", "3"],
    ),
    (
        "E, discounts one after the other",
        "b2c_gross_discount",
        r#"{"name": "l", "quantity": 1, "gross_price": 100, "taxes": [{"rate": 22}],
            "discounts": [{"value": 10}, {"value": 10}]}"#,
        ["66.39", "14.61", "81", "15.57"],
    ),
    (
        "F, discounts beside each other",
        "b2b_standard",
        r#"{"name": "l", "quantity": 1, "gross_price": 100, "taxes": [{"rate": 22}],
            "discounts": [{"value": 10}, {"value": 10}]}"#,
        ["65.57", "14.43", "80", "16.39"],
    ),
    (
        "G, halves of cents",
        "b2b_standard",
        r#"{"name": "l", "price": 0.335, "taxes": [{"rate": 22}]},
           {"name": "m", "price": 0.335, "taxes": [{"rate": 22}]},
           {"name": "n", "price": 0.335, "taxes": [{"rate": 22}]}"#,
        ["1.02", "0.21", "1.23", "0"],
    ),
    (
        "H, a rate with a fraction",
        "b2b_standard",
        r#"{"name": "l", "gross_price": 9.99, "taxes": [{"rate": 9.5}]}"#,
        ["9.12", "0.87", "9.99", "0"],
    ),
    (
        "a tax that the customer owes",
        "b2b_standard",
        r#"{"name": "l", "price": 100, "taxes": [{"rate": 22, "reverse_charge": true}]}"#,
        ["100", "0", "100", "0"],
    ),
];

async fn worked_examples_come_out_to_the_cent(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    for (name, mode, lines, expected) in EXAMPLES {
        let body = format!(r#"{{"calculation_mode": "{mode}", "items": [{lines}]}}"#);
        let calculated = api.json("POST", "/documents/calculate?type=invoice", body.as_str()).await;
        assert_eq!(amounts(&calculated.expect(200)), *expected, "{name}, calculated");
        let issued = api.json("POST", "/invoices", body).await.expect(201);
        assert_eq!(amounts(&issued), *expected, "{name}, issued");
        let path = format!("/invoices/{}", issued["id"].as_str().unwrap_or_default());
        assert_eq!(amounts(&api.read(&path).await), *expected, "{name}, read again");
    }
    assert_eq!(api.all("/invoices").await.len(), EXAMPLES.len());
}

/// Total, tax, total with tax and discount, digit by digit; all examples have one tax.
fn amounts(document: &Value) -> [String; 4] {
    assert_eq!(document["taxes"].as_array().map(Vec::len), Some(1), "{document}");
    [
        document["total"].to_string(),
        document["taxes"][0]["amount"].to_string(),
        document["total_with_tax"].to_string(),
        document["total_discount"].to_string(),
    ]
}

async fn the_expected_total_is_reconciled_or_refused(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    let lines = r#"[{"name": "l", "price": 0.335, "taxes": [{"rate": 22}]},
        {"name": "m", "price": 0.335, "taxes": [{"rate": 22}]},
        {"name": "n", "price": 0.335, "taxes": [{"rate": 22}]}]"#;
    let expecting = async |total: &str| {
        let body = format!(r#"{{"items": {lines}, "expected_total_with_tax": {total}}}"#);
        api.json("POST", "/invoices", body).await
    };
    let reconciled = expecting("1.2").await.expect(201);
    assert_eq!(reconciled["total_with_tax"].to_string(), "1.2");
    assert_eq!(reconciled["rounding_correction"].to_string(), "-0.03");
    let exact = expecting("1.23").await.expect(201);
    assert_eq!(exact["rounding_correction"].to_string(), "0");
    let refused = expecting("1.5").await;
    let body = refused.refused(422, "unprocessable_entity");
    assert_eq!(refused.cause(), "expected_total_mismatch");
    let cause = &body["cause"];
    let told = ["expected", "calculated", "difference"].map(|field| cause[field].to_string());
    assert_eq!(told, ["1.5", "1.23", "0.27"]);
    assert_eq!(api.all("/invoices").await.len(), 2);
}

async fn digits_come_back_as_they_went_in(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    for (sent, answered) in [
        ("29.90", "29.9"),
        ("0.1", "0.1"),
        ("0.3", "0.3"),
        ("1e2", "100"),
        ("0.0000000001", "0.0000000001"),
        ("123456789012345", "123456789012345"),
        ("1234567.1234567891", "1234567.1234567891"),
        ("-0.29", "-0.29"),
    ] {
        let body = format!(
            r#"{{"is_draft": true, "items": [{{"name": "l", "price": {sent}, "taxes": []}}]}}"#
        );
        let made = api.json("POST", "/invoices", body).await;
        check_digits(&made, "price", answered);
        let id = made.body()["id"].as_str().unwrap_or_default().to_owned();
        check_digits(&api.get(&format!("/invoices/{id}")).await, "price", answered);
        let item = format!(r#"{{"name": "l", "price": {sent}}}"#);
        check_digits(&api.json("POST", "/items", item).await, "price", answered);
    }
    the_greatest_total_survives(&api).await;
}

async fn the_greatest_total_survives(api: &Client) {
    const GREATEST: &str = "140737488355327";
    let body = |price| format!(r#"{{"items": [{{"name": "l", "price": {price}, "taxes": []}}]}}"#);
    let made = api.json("POST", "/invoices", body(GREATEST)).await;
    check_digits(&made, "total_with_tax", GREATEST);
    let filter =
        racun_tests::with_query("/invoices", &[("query", r#"{"total": 140737488355327}"#)]);
    let found = api.get(&filter).await;
    assert_eq!(found.expect(200)["data"].as_array().map(Vec::len), Some(1));
    check_digits(&found, "total_due", GREATEST);
    api.json("POST", "/invoices", body("140737488355328"))
        .await
        .refused(422, "unprocessable_entity");
}

/// Checks that the answer's text holds `"field":number`, with exactly these digits.
#[track_caller]
fn check_digits(answer: &Answer, field: &str, number: &str) {
    assert!(matches!(answer.status, 200 | 201), "{}", answer.text);
    let start = format!(r#""{field}":{number}"#);
    let holds = [",", "}"].iter().any(|end| answer.text.contains(&format!("{start}{end}")));
    assert!(holds, "{start} is not in {}", answer.text);
    assert!(!answer.text.contains("99999999"), "{}", answer.text);
}

async fn totals_in_another_currency_are_converted_at_the_given_rate(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    let body = r#"{"currency_code": "USD", "exchange_rate": {"rate": 0.9137},
        "items": [{"name": "l", "price": 99.99, "taxes": [{"rate": 22}]}]}"#;
    let invoice = api.json("POST", "/invoices", body).await.expect(201);
    let digits = |field: &str| invoice[field].to_string();
    assert_eq!(digits("total"), "99.99");
    assert_eq!(digits("total_with_tax"), "121.99");
    assert_eq!(digits("total_converted"), "91.36");
    assert_eq!(digits("total_with_tax_converted"), "111.46");
    assert_eq!(invoice["exchange_rate"]["rate"].to_string(), "0.9137");
    assert_eq!(invoice["exchange_rate"]["quote_currency"], "EUR");
}
