//! Revenue and cost over time, as their readers see them.

use serde_json::{Value, json};

use crate::harness::{Api, text};
use crate::reports::{issue, owner};

/// A year's rent from 1 November 2026: 365 days of 10.
fn rent() -> Value {
    json!({"date": "2026-11-10", "items": [
        {"name": "Najem", "price": 3650, "taxes": [{"rate": 22}],
         "revenue_recognition": {"method": "service_period_daily", "date_from": "2026-11-01",
             "date_to": "2027-10-31"}},
        {"name": "Kruh", "price": 5, "taxes": [{"rate": 22}]},
    ]})
}

#[actix_web::test]
async fn revenue_is_spread_over_its_days_credited_and_voided() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    let settings = "/revenue-recognition/settings";
    let read = api.get(settings, &owner).await.with(200).json();
    assert_eq!(read, json!({"default_method": "off"}));
    let invoice = issue(&api, &owner, "/invoices", rent()).await;
    let report = |days: &str| format!("/revenue-recognition/report?{days}");
    let months = report("date_from=2026-10-01&date_to=2026-12-31");
    let row = |period: &str, r: i64, d: i64, a: i64| {
        json!({"period": period, "group": null, "recognized": r, "deferred": d, "accrued": a,
               "currency_code": "EUR"})
    };
    let answer = api.get(&months, &owner).await.with(200).json();
    let rows = json!([row("2026-11", 300, 3350, 0), row("2026-12", 310, 3040, 0)]);
    assert_eq!(answer["periods"], rows);
    let first = report("date_from=2026-11-01&date_to=2026-11-05");
    let answer = api.get(&first, &owner).await.with(200).json();
    assert_eq!(answer["periods"], json!([row("2026-11", 50, 0, 50)]), "before it is invoiced");

    let credit = json!({"date": "2026-11-20", "linked_documents": [invoice["id"]],
        "items": [{"name": "Najem", "price": 365, "taxes": [{"rate": 22}]}]});
    let credit = issue(&api, &owner, "/credit-notes", credit).await;
    let answer = api.get(&months, &owner).await.with(200).json();
    let rows = json!([row("2026-11", 270, 3015, 0), row("2026-12", 279, 2736, 0)]);
    assert_eq!(answer["periods"], rows, "a tenth is given back");
    let grouped = format!("{months}&group_by=document_type&basis=deferred");
    let answer = api.get(&grouped, &owner).await.with(200).json();
    assert_eq!(answer["periods"][0]["group"], "credit_note");
    assert_eq!(answer["periods"][0]["deferred"], -335);

    let path = format!("/credit-notes/{}/void", text(&credit["id"]));
    api.post(&path, &owner, json!({})).await.with(200);
    let path = format!("/invoices/{}/void", text(&invoice["id"]));
    api.post(&path, &owner, json!({})).await.with(200);
    let answer = api.get(&months, &owner).await.with(200).json();
    assert_eq!(answer["periods"], json!([]), "voided in the month in which it was issued");
    let other = api.owner("other@example.com").await;
    let seen = api.get(&months, &other).await.with(200).json();
    assert_eq!(seen["periods"], json!([]));
}

#[actix_web::test]
async fn the_default_spreads_silent_lines_from_then_on_and_a_backfill_earlier_ones() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    let silent = json!({"date": "2026-11-10", "date_service": "2026-11-01",
        "date_service_to": "2026-11-30",
        "items": [{"name": "Najem", "price": 300, "taxes": [{"rate": 22}]}]});
    issue(&api, &owner, "/invoices", silent.clone()).await;
    let settings = "/revenue-recognition/settings";
    let daily = json!({"default_method": "service_period_daily"});
    let changed = api.patch(settings, &owner, daily.clone()).await.with(200).json();
    assert_eq!(changed, daily);
    let kept = api.patch(settings, &owner, json!({})).await.with(200).json();
    assert_eq!(kept, daily);
    issue(&api, &owner, "/invoices", silent).await;
    let report = "/revenue-recognition/report?date_from=2026-11-01&date_to=2026-11-30";
    let recognized = |answer: Value| answer["periods"][0]["recognized"].clone();
    let answer = api.get(report, &owner).await.with(200).json();
    assert_eq!(recognized(answer), 300, "the earlier one has none");

    let path = "/revenue-recognition/backfill";
    let dry = api.post(path, &owner, json!({"dry_run": true})).await.with(200).json();
    let expected = json!({"processed_documents": 2, "generated_entries": 1, "dry_run": true,
        "job_id": null});
    assert_eq!(dry, expected);
    let begun = api.post(path, &owner, json!({})).await.with(200).json();
    assert_eq!((&begun["generated_entries"], &begun["dry_run"]), (&json!(1), &json!(false)));
    let jobs = api.get("/jobs", &owner).await.with(200).json();
    assert_eq!(jobs["data"][0]["id"], begun["job_id"], "{jobs}");
    let days = json!({"date_from": "2026-12-01", "date_to": "2026-11-01"});
    let refused = api.post(path, &owner, days).await.with(422).json();
    assert_eq!(refused["cause"]["issues"][0]["path"], json!(["date_to"]));
    for (query, wrong) in [
        ("date_from=2026-11-01", "date_to"),
        ("date_from=2026-11-01&date_to=2026-11-30&basis=earned", "basis"),
        ("date_from=2026-11-01&date_to=2026-11-30&group_by=customer", "group_by"),
        ("date_from=2026-11-01&date_to=2036-11-30", "date_to"),
    ] {
        let path = format!("/revenue-recognition/report?{query}");
        let refused = api.get(&path, &owner).await.with(422).json();
        assert_eq!(refused["cause"]["issues"][0]["path"], json!([wrong]), "{refused}");
    }
}

#[actix_web::test]
async fn cost_is_spread_as_revenue_is_and_filled_page_by_page() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    let expense = |own: Value| {
        json!({"supplier": {"name": "Najemodajalec d.o.o."}, "date": "2026-11-10",
            "date_service": "2026-11-01", "date_service_to": "2027-01-31",
            "items": [{"name": "Pisarna", "price": 920, "taxes": [{"rate": 22}],
                "expense_recognition": own}]})
    };
    let spread = expense(json!({"method": "service_period_daily"}));
    let first = issue(&api, &owner, "/expenses", spread).await;
    for _ in 0..2 {
        issue(&api, &owner, "/expenses", expense(Value::Null)).await;
    }
    let report = "/expense-recognition/report?date_from=2026-11-01&date_to=2026-12-31";
    let answer = api.get(report, &owner).await.with(200).json();
    assert_eq!(answer["periods"][1]["recognized"], 310, "{answer}");
    assert_eq!(answer["periods"][1]["deferred"], 310);
    let settings = "/expense-recognition/settings";
    let daily = json!({"default_method": "service_period_daily"});
    api.patch(settings, &owner, daily).await.with(200);
    let path = "/expense-recognition/backfill";
    let mut page = json!({"limit": 2});
    let mut made = Vec::new();
    loop {
        let answer = api.post(path, &owner, page.clone()).await.with(200).json();
        made.push(answer["generated_entries"].clone());
        if answer["cursor"].is_null() {
            break;
        }
        page["cursor"] = answer["cursor"].clone();
    }
    assert_eq!(made.iter().filter_map(Value::as_i64).sum::<i64>(), 2, "{made:?}");
    let answer = api.get(report, &owner).await.with(200).json();
    assert_eq!(answer["periods"][1]["recognized"], 930);
    let void = format!("/expenses/{}/void", text(&first["id"]));
    api.post(&void, &owner, json!({})).await.with(200);
    let answer = api.get(report, &owner).await.with(200).json();
    assert_eq!(answer["periods"][1]["recognized"], 620);
    let refused = api.post(path, &owner, json!({"cursor": "x", "limit": 2})).await.with(422).json();
    assert_eq!(refused["cause"]["issues"][0]["path"], json!(["cursor"]));
}

#[actix_web::test]
async fn a_service_without_days_is_a_warning_and_one_that_never_ends_is_refused() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    let line =
        |own: Value| json!({"items": [{"name": "Najem", "price": 1, "revenue_recognition": own}]});
    let made =
        issue(&api, &owner, "/invoices", line(json!({"method": "service_period_daily"}))).await;
    let warnings = made["warnings"].as_array().unwrap();
    let own = warnings.iter().find(|one| one["code"] == "service_period_missing").unwrap();
    let path = json!(["items", 0, "revenue_recognition", "date_from"]);
    assert_eq!(own["path"], path, "{made}");
    let days = json!({"date_from": "2026-01-01", "date_to": "2036-01-02"});
    let refused = api.post("/invoices", &owner, line(days)).await.with(422).json();
    let path = json!(["items", 0, "revenue_recognition", "date_to"]);
    assert_eq!(refused["cause"]["issues"][0]["path"], path, "{refused}");
}

/// October's rent is invoiced after its month, December's before it.
#[actix_web::test]
async fn a_report_on_one_figure_has_the_months_that_have_some_of_it() {
    let api = Api::new().await;
    let owner = owner(&api).await;
    for (from, to) in [("2026-10-01", "2026-10-31"), ("2026-12-01", "2026-12-31")] {
        let days = json!({"method": "service_period_daily", "date_from": from, "date_to": to});
        let rent = json!({"date": "2026-11-10", "items": [
            {"name": "Najem", "price": 310, "taxes": [{"rate": 22}],
             "revenue_recognition": days}]});
        issue(&api, &owner, "/invoices", rent).await;
    }
    let row = |period: &str, recognized: i64, deferred: i64, accrued: i64| {
        json!({"period": period, "group": null, "recognized": recognized, "deferred": deferred,
               "accrued": accrued, "currency_code": "EUR"})
    };
    let october = row("2026-10", 310, 0, 310);
    let november = row("2026-11", 0, 310, 0);
    let december = row("2026-12", 310, 0, 0);
    for (basis, rows) in [
        ("", json!([october, november, december])),
        ("&basis=recognized", json!([october, december])),
        ("&basis=deferred", json!([november])),
        ("&basis=accrued", json!([october])),
    ] {
        let days = "date_from=2026-10-01&date_to=2026-12-31";
        let path = format!("/revenue-recognition/report?{days}{basis}");
        let answer = api.get(&path, &owner).await.with(200).json();
        assert_eq!(answer["periods"], rows, "{basis}");
    }
}
