//! The daily takings report as its readers see it.

use serde_json::{Value, json};

use crate::harness::{Api, Who, text};

const PATH: &str = "/pos/reports/daily";

async fn issue(api: &Api, who: &Who, body: Value) -> Value {
    api.post("/invoices", who, body).await.with(201).json()
}

#[actix_web::test]
async fn a_day_is_answered_with_the_digits_of_its_invoices() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    let category = json!({"name": "Pijača"});
    let category = api.post("/financial-categories", &owner, category).await.with(201).json();
    let sold = json!({
        "items": [
            {"type": "separator", "name": "Za mizo 4"},
            {"name": "Kava", "quantity": 1.5, "gross_price": 2.44, "taxes": [{"rate": 22}],
             "financial_category_id": category["id"]},
            {"name": "Kruh", "price": 10, "taxes": [{"rate": 9.5}]},
        ],
        "payments": [{"type": "cash", "amount": 10}, {"type": "credit_card", "amount": 1.10}],
    });
    issue(&api, &owner, sold).await;
    let dollars = json!({
        "currency_code": "USD", "exchange_rate": {"rate": 0.5},
        "items": [{"name": "Kava", "price": 4.01, "taxes": []}],
        "payments": [{"type": "cash", "amount": 1.01}],
    });
    let program = json!({"name": "till"});
    let program = api.post("/entities/api-keys", &owner, program).await.with(201).json();
    issue(&api, &Who::key(&text(&program["id"])), dollars).await;
    let line = json!({"name": "Kruh", "price": 1000, "taxes": [{"rate": 22}]});
    let voided = issue(&api, &owner, json!({"items": [line]})).await;
    let void = format!("/invoices/{}/void", text(&voided["id"]));
    api.post(&void, &owner, json!({})).await.with(200);
    issue(&api, &owner, json!({"is_draft": true, "items": [line]})).await;
    issue(&api, &owner, json!({"date": "2026-11-19", "items": [line]})).await;

    let report = api.get(PATH, &owner).await.with(200).json();
    // The second coffee is 4.01 dollars: 2.005 euros, and 1.01 of them paid are 0.505.
    let expected = r#"{
        "date": "2026-11-20",
        "currency_code": "EUR",
        "totals": {"invoices": 2, "voided": 1, "net": 15.01, "tax": 1.61, "gross": 16.62},
        "by_payment_type": [
            {"type": "cash", "invoices": 2, "total": 10.51},
            {"type": "credit_card", "invoices": 1, "total": 1.1}
        ],
        "by_tax_rate": [
            {"rate": 0, "base": 2.01, "amount": 0},
            {"rate": 9.5, "base": 10, "amount": 0.95},
            {"rate": 22, "base": 3, "amount": 0.66}
        ],
        "by_category": [
            {"category": "Pijača", "quantity": 1.5, "total": 3.66},
            {"category": null, "quantity": 2, "total": 12.96}
        ],
        "by_operator": [
            {
                "operator_id": "OWNER", "operator": "owner@example.com",
                "invoices": 1, "total": 14.61
            },
            {"operator_id": null, "operator": null, "invoices": 1, "total": 2.01}
        ],
        "unpaid": 5.01,
        "refunds": {
            "count": 0, "net": 0, "tax": 0, "gross": 0, "by_payment_type": [], "by_tax_rate": [],
            "voided_later": {"count": 0, "net": 0, "tax": 0, "gross": 0}
        },
        "voided_later": {"count": 0, "net": 0, "tax": 0, "gross": 0},
        "paid_on_other_days": [],
        "received_for_others": [],
        "returned_by_voiding": [],
        "net_by_payment_type": [
            {"type": "cash", "total": 10.51},
            {"type": "credit_card", "total": 1.1}
        ],
        "tips": []
    }"#;
    let expected = expected.replace("OWNER", &api.id(&owner).await);
    let expected: Value = serde_json::from_str(&expected).unwrap();
    assert_eq!(report.to_string(), expected.to_string());
    let viewer = api.member(&owner, "viewer@example.com", "viewer").await;
    let again = api.get(&format!("{PATH}?date=2026-11-20"), &viewer).await.with(200).json();
    assert_eq!(again, report);

    let before = api.get(&format!("{PATH}?date=2026-11-19"), &owner).await.with(200).json();
    assert_eq!(
        before["totals"],
        json!({"invoices": 1, "voided": 0, "net": 1000, "tax": 220, "gross": 1220})
    );
    let other = api.owner("other@example.com").await;
    let empty = api.get(PATH, &other).await.with(200).json();
    assert_eq!(
        empty["totals"],
        json!({"invoices": 0, "voided": 0, "net": 0, "tax": 0, "gross": 0})
    );
    assert_eq!(empty["by_category"], json!([]));
}

#[actix_web::test]
async fn a_date_is_a_day_that_exists() {
    let api = Api::new().await;
    let owner = api.owner("owner@example.com").await;
    for (query, code) in [
        ("date=2026-02-30", "invalid_date"),
        ("date=20.11.2026", "invalid_date"),
        ("date=2026-11-20T00:00:00Z", "invalid_date"),
        ("date=", "invalid_date"),
        ("date=2026-11-19&date=2026-11-20", "repeated_parameter"),
    ] {
        let refused = api.get(&format!("{PATH}?{query}"), &owner).await.with(422);
        assert_eq!(refused.issue(), (r#"["date"]"#.to_owned(), code.to_owned()), "{query}");
    }
}
