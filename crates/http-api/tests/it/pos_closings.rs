//! Refunds, voidings and closings of days as a till sees them.

use serde_json::{Value, json};

use crate::harness::{Api, Who, text};
use crate::taxpayer::Taxpayer;

const DAILY: &str = "/pos/reports/daily";
const CLOSINGS: &str = "/pos/reports/closings";
const DAY: i64 = 24 * 60 * 60;

struct Till {
    api: Api,
    owner: Who,
}

impl Till {
    async fn new() -> Self {
        let api = Api::new().await;
        let owner = api.owner("owner@example.com").await;
        Self { api, owner }
    }

    async fn made(&self, path: &str, body: Value) -> Value {
        self.api.post(path, &self.owner, body).await.with(201).json()
    }

    /// An invoice over `gross` at 5 %, paid in cash.
    async fn sell(&self, gross: &str) -> Value {
        self.made("/invoices", sale(gross)).await
    }

    async fn void(&self, document: &Value) {
        let path = format!("/invoices/{}/void", text(&document["id"]));
        self.api.post(&path, &self.owner, json!({})).await.with(200);
    }

    async fn daily(&self, query: &str) -> Value {
        self.api.get(&format!("{DAILY}{query}"), &self.owner).await.with(200).json()
    }

    async fn close(&self, body: Value) -> Value {
        self.made(CLOSINGS, body).await
    }
}

/// A number with these digits.
fn number(digits: &str) -> Value {
    serde_json::from_str(digits).unwrap()
}

fn line(gross: &str) -> Value {
    json!({"name": "Kava", "gross_price": number(gross), "taxes": [{"rate": 5}]})
}

fn sale(gross: &str) -> Value {
    json!({"items": [line(gross)], "payments": [{"type": "cash"}]})
}

#[actix_web::test]
async fn a_refund_in_cash_leaves_the_drawer() {
    let till = Till::new().await;
    let sold = till.sell("8.40").await;
    let back = json!({"items": [line("4.20")], "linked_documents": [sold["id"]]});
    let back = till.made("/credit-notes", back).await;
    let refund = json!({"document_id": back["id"], "type": "cash", "amount": number("4.20")});
    till.made("/payments", refund).await;
    till.made("/invoices", json!({"items": [line("21")]})).await;

    let report = till.daily("").await;
    let expected = json!({
        "by_payment_type": [{"type": "cash", "invoices": 1, "total": number("8.4")}],
        "unpaid": 21,
        "refunds": {
            "count": 1, "net": 4, "tax": number("0.2"), "gross": number("4.2"),
            "by_payment_type": [{"type": "cash", "count": 1, "total": number("4.2")}],
            "by_tax_rate": [{"rate": 5, "base": 4, "amount": number("0.2")}],
            "voided_later": {"count": 0, "net": 0, "tax": 0, "gross": 0},
        },
        "net_by_payment_type": [{"type": "cash", "total": number("4.2")}],
    });
    for (part, expected) in expected.as_object().unwrap() {
        assert_eq!(report[part].to_string(), expected.to_string(), "{part}");
    }
    assert_eq!(report["totals"]["gross"], number("29.4"));
}

#[actix_web::test]
async fn voiding_today_leaves_yesterday_as_it_was() {
    let till = Till::new().await;
    let sold = till.sell("4.80").await;
    till.sell("1").await;
    let yesterday = till.daily("?date=2026-11-20").await;
    till.api.pass(DAY);
    till.void(&sold).await;
    assert_eq!(till.daily("?date=2026-11-20").await, yesterday);
    let today = till.daily("").await;
    assert_eq!(today["totals"]["voided"], 0);
    assert_eq!(today["voided_later"]["gross"], number("4.8"));
    let back = json!([{"type": "cash", "total": number("4.8")}]);
    assert_eq!(today["returned_by_voiding"], back);
    assert_eq!(today["net_by_payment_type"][0]["total"], number("-4.8"));
}

#[actix_web::test]
async fn a_closing_freezes_the_day_and_never_changes() {
    let till = Till::new().await;
    let sold = till.sell("8.40").await;
    till.api.pass(60);
    let body = json!({
        "opening_cash": 50, "counted_cash": number("58.00"), "note": "Zvečer",
    });
    let closing = till.close(body.clone()).await;
    for (field, expected) in [
        ("number", json!(1)),
        ("date", json!("2026-11-20")),
        ("business_premise_name", Value::Null),
        ("opening_cash", json!(50)),
        ("carried_over", Value::Null),
        ("expected_cash", number("58.4")),
        ("counted_cash", json!(58)),
        ("difference", number("-0.4")),
        ("note", json!("Zvečer")),
        ("closed_by", json!("owner@example.com")),
        ("created_at", json!("2026-11-20T08:01:00.000Z")),
    ] {
        assert_eq!(closing[field], expected, "{field}");
    }
    let frozen = till.daily("").await;
    assert_eq!(closing["report"], frozen);
    let refused = till.api.post(CLOSINGS, &till.owner, body.clone()).await.with(409).json();
    assert_eq!((&refused["cause"]["code"], &refused["closing"]), (&json!("day_closed"), &closing));

    // The same day goes on; what it sold and what was counted stays.
    till.api.pass(60);
    till.void(&sold).await;
    till.sell("3").await;
    let path = format!("{CLOSINGS}/{}", text(&closing["id"]));
    assert_eq!(till.api.get(&path, &till.owner).await.with(200).json(), closing);
    let live = till.daily("").await;
    assert_eq!(live["totals"]["voided"], 0);
    assert_eq!(live["totals"]["gross"], number("11.4"));
    assert_eq!(live["voided_later"]["gross"], number("8.4"));

    // It is in the next closing, which has the next number.
    till.api.pass(DAY);
    till.sell("2").await;
    let next = till.close(json!({"opening_cash": 58, "counted_cash": number("54.6")})).await;
    assert_eq!((&next["number"], &next["difference"]), (&json!(2), &json!(0)));
    let carried = &next["carried_over"];
    assert_eq!(carried["closing_id"], closing["id"]);
    assert_eq!((&carried["invoices"], &carried["gross"]), (&json!(1), &json!(3)));
    assert_eq!(carried["turnover"], number("-5.4"));
    assert_eq!(carried["net_by_payment_type"][0]["total"], number("-5.4"));

    let list = till.api.get(&format!("{CLOSINGS}?order_by=-number&limit=1"), &till.owner).await;
    let list = list.with(200).json();
    assert_eq!((&list["data"][0], &list["pagination"]["total"]), (&next, &json!(2)));
    let query = "?query=%7B%22difference%22%3A%7B%22lt%22%3A0%7D%7D";
    let short = till.api.get(&format!("{CLOSINGS}{query}"), &till.owner).await.with(200).json();
    assert_eq!(short["data"], json!([closing]));
    let log = till.api.get("/activities?resource_type=PosClosing", &till.owner).await;
    let log = log.with(200).json();
    let told: Vec<&Value> = log["data"].as_array().unwrap().iter().collect();
    assert_eq!(told.len(), 2);
    assert!(told.iter().all(|entry| entry["action"] == "created"));
}

#[actix_web::test]
async fn a_closing_says_what_is_wrong_with_it() {
    let till = Till::new().await;
    for (body, path, code) in [
        (json!({}), r#"["counted_cash"]"#, "required"),
        (json!({"counted_cash": -1}), r#"["counted_cash"]"#, "out_of_range"),
        (json!({"counted_cash": 1, "date": "2026-11-21"}), r#"["date"]"#, "date_in_future"),
        (json!({"counted_cash": 1, "date": "20.11."}), r#"["date"]"#, "invalid_date"),
        (
            json!({"counted_cash": 1, "business_premise_name": "P9"}),
            r#"["business_premise_name"]"#,
            "not_found",
        ),
        (
            json!({"counted_cash": 1, "electronic_device_name": "1"}),
            r#"["business_premise_name"]"#,
            "required",
        ),
    ] {
        let refused = till.api.post(CLOSINGS, &till.owner, body.clone()).await.with(422);
        assert_eq!(refused.issue(), (path.to_owned(), code.to_owned()), "{body}");
    }
    for (query, path) in [
        ("?business_unit_id=unit_1", r#"["business_unit_id"]"#),
        ("?business_premise_name=P9", r#"["business_premise_name"]"#),
    ] {
        let refused = till.api.get(&format!("{DAILY}{query}"), &till.owner).await.with(422);
        assert_eq!(refused.issue(), (path.to_owned(), "not_found".to_owned()));
    }
    // Nothing was closed, so the first number is still there.
    assert_eq!(till.close(json!({"counted_cash": 0})).await["number"], 1);
    let yesterday = till.close(json!({"counted_cash": 0, "date": "2026-11-19"})).await;
    assert_eq!(yesterday["number"], 2);
}

#[actix_web::test]
async fn each_till_has_its_own_takings_and_closings() {
    let si = Taxpayer::slovenian().await.certified().await;
    let premise = si.premise("P1").await;
    for device in ["1", "2"] {
        si.device(&premise, device).await;
    }
    let settings = json!({
        "enabled": true, "operator_tax_number": "10039856", "operator_label": "Ana",
    });
    si.put(settings).await.with(200);
    for (device, gross) in [("1", "8.40"), ("2", "2"), ("2", "1")] {
        let mut body = sale(gross);
        body["furs"] = json!({"business_premise_name": "P1", "electronic_device_name": device});
        si.api.post("/invoices", &si.owner, body).await.with(201);
    }
    let daily = async |query: &str| {
        si.api.get(&format!("{DAILY}{query}"), &si.owner).await.with(200).json()
    };
    let own = "?business_premise_name=P1&electronic_device_name=2";
    let (all, premise, own) =
        (daily("").await, daily("?business_premise_name=P1").await, daily(own).await);
    assert_eq!(all, premise);
    assert_eq!((&all["totals"]["gross"], &own["totals"]["gross"]), (&number("11.4"), &json!(3)));
    assert_eq!(own["net_by_payment_type"], json!([{"type": "cash", "total": 3}]));
    let ana = &own["by_operator"][0];
    assert_eq!((&ana["operator"], &ana["invoices"]), (&json!("Ana"), &json!(2)));
    assert!(text(&ana["operator_id"]).starts_with("usr_"), "{ana}");
    let unknown = "?business_premise_name=P1&electronic_device_name=3";
    let refused = si.api.get(&format!("{DAILY}{unknown}"), &si.owner).await.with(422);
    assert_eq!(refused.issue().0, r#"["electronic_device_name"]"#);

    // Each place has numbers of its own, and closes the day once.
    for (place, expected) in [
        (json!({"electronic_device_name": "1"}), "8.4"),
        (json!({"electronic_device_name": "2"}), "3"),
        (json!({}), "11.4"),
    ] {
        let mut body = json!({"counted_cash": 10, "business_premise_name": "P1"});
        body.as_object_mut().unwrap().extend(place.as_object().unwrap().clone());
        let closing = si.api.post(CLOSINGS, &si.owner, body.clone()).await.with(201).json();
        assert_eq!((&closing["number"], &closing["expected_cash"]), (&json!(1), &number(expected)));
        si.api.post(CLOSINGS, &si.owner, body).await.with(409);
    }
}
