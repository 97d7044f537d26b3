//! The days of documents in Portugal: by the clock of their region, and in the order of a series.

use racun_fiscalization::OutsideServices;
use racun_sales::recurring::{LIMITS, run_due};
use serde_json::{Value, json};

use crate::harness::text;
use crate::portugal::Shop;

const DAY: i64 = 86_400;

/// Makes the recurring invoices that are due; answers how many.
async fn run(shop: &Shop) -> u64 {
    let services = &shop.services;
    let outside = OutsideServices { portugal: Some(&*shop.office), ..OutsideServices::default() };
    let report = run_due(&*services.store, outside, &services.stamp(), LIMITS).await.unwrap();
    assert_eq!(report.problems, []);
    u64::try_from(report.done).unwrap()
}

/// Lets days pass, after which its owner logs in again.
async fn wait(shop: &mut Shop, days: i64) {
    shop.api.pass(days * DAY);
    shop.owner = shop.api.log_in("ana@example.com").await.in_entity(shop.owner.entity());
}

/// Makes invoices after `template` from `start` on, each month.
async fn schedule(shop: &Shop, template: &Value, start: &str) -> Value {
    let body = json!({
        "document_id": template["id"], "name": "Renda", "frequency": "monthly",
        "start_date": start, "payment_terms_days": 8,
    });
    shop.post("/recurring-invoices", body).await.with(201).json()
}

/// Number, date and due date of the invoices behind the first `known`, in their order.
async fn issued(shop: &Shop, known: usize) -> Vec<[String; 3]> {
    let list = shop.get("/invoices?limit=100").await.with(200).json();
    let mut all: Vec<[String; 3]> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| ["number", "date", "date_due"].map(|field| text(&one[field])))
        .map(|[number, date, due]| [number, date[..10].to_owned(), due[..10].to_owned()])
        .collect();
    all.sort();
    all.split_off(known)
}

#[actix_web::test]
async fn a_late_recurring_invoice_is_dated_no_earlier_than_the_last_of_its_series() {
    // Two periods are due on the 51st day: of 1 December and of 1 January.
    for (sold_after, expected) in [
        (25, [("2026-12-15", "2026-12-15"), ("2027-01-01", "2027-01-09")]),
        (51, [("2027-01-10", "2027-01-10"), ("2027-01-10", "2027-01-10")]),
        (5, [("2026-12-01", "2026-12-09"), ("2027-01-01", "2027-01-09")]),
    ] {
        let mut shop = Shop::open().await;
        let template = shop.sold(json!({})).await;
        schedule(&shop, &template, "2026-12-01").await;
        wait(&mut shop, sold_after).await;
        shop.sold(json!({})).await;
        wait(&mut shop, 51 - sold_after).await;
        assert_eq!(run(&shop).await, 2);
        let numbers = ["FT 2026A/3", "FT 2026A/4"];
        let expected: Vec<[String; 3]> = numbers
            .into_iter()
            .zip(expected)
            .map(|(number, (date, due))| [number, date, due].map(str::to_owned))
            .collect();
        assert_eq!(issued(&shop, 2).await, expected, "sold after {sold_after} days");
        assert_eq!(run(&shop).await, 0);
    }
}

#[actix_web::test]
async fn a_recurring_invoice_of_before_its_series_waits_for_the_first_day_of_it() {
    let mut shop = Shop::bare().await;
    let first = shop.series(json!({"document_type": "invoice", "series_code": "2026A"})).await;
    let first = first.with(201).json();
    let template = shop.sold(json!({})).await;
    schedule(&shop, &template, "2026-12-01").await;
    wait(&mut shop, 20).await;
    let close = format!("/fiscalization/pt/atcud-series/{}/close", text(&first["id"]));
    shop.post(&close, json!({})).await.with(200);
    let next = json!({
        "document_type": "invoice", "series_code": "2026B", "start_date": "2026-12-05",
    });
    shop.series(next).await.with(201);
    assert_eq!(run(&shop).await, 1);
    let made = ["FT 2026B/1", "2026-12-05", "2026-12-09"].map(str::to_owned);
    assert_eq!(issued(&shop, 1).await, [made]);
}

#[actix_web::test]
async fn a_day_in_portugal_is_that_of_the_region() {
    for (entity, seconds, rate, entered) in [
        // Half past midnight in Lisbon, half past eleven in the Azores.
        (json!({"post_code": "9500-001"}), DAY - 27_000, 16, "2026-11-20T23:30:00"),
        (json!({"fiscal_region_code": "PT-AC"}), DAY - 27_000, 16, "2026-11-20T23:30:00"),
        (json!({"post_code": "9000-001"}), DAY - 27_000, 22, "2026-11-21T00:30:00"),
        // Half past midnight in Berlin, half past eleven in Lisbon.
        (json!({"timezone": "Europe/Berlin"}), DAY - 30_600, 23, "2026-11-20T23:30:00"),
    ] {
        let shop = Shop::open().await;
        let receipts = json!({"document_type": "payment", "series_code": "2026R"});
        shop.series(receipts).await.with(201);
        let path = format!("/entities/{}", shop.owner.entity());
        shop.api.patch(&path, &shop.owner, entity.clone()).await.with(200);
        shop.api.pass(seconds);
        let items = json!([{"name": "Queijo", "price": 100, "taxes": [{"rate": rate}]}]);
        let sold = shop.sold(json!({"items": items})).await;
        assert_eq!(sold["pt"]["system_entry_date"], entered, "{entity}");
        assert_eq!(text(&sold["date"])[..10], entered[..10], "{entity}");
        let paid = json!({"invoice_id": sold["id"], "type": "cash", "amount": 100 + rate});
        let paid = shop.post("/payments", paid).await.with(201).json();
        let days = [&paid["date"], &paid["pt"]["issue_date"]].map(text);
        assert!(days.iter().all(|day| day[..10] == entered[..10]), "{entity} {days:?}");
    }
}

#[actix_web::test]
async fn a_recurring_invoice_is_made_as_soon_as_its_day_begins_in_the_region() {
    let shop = Shop::open().await;
    let path = format!("/entities/{}", shop.owner.entity());
    let azores = json!({"post_code": "9500-001"});
    shop.api.patch(&path, &shop.owner, azores).await.with(200);
    let template = shop.sold(json!({})).await;
    schedule(&shop, &template, "2026-11-21").await;
    shop.api.pass(DAY - 27_000);
    assert_eq!(run(&shop).await, 0, "it is half past eleven");
    shop.api.pass(1_800);
    assert_eq!(run(&shop).await, 1);
    assert_eq!(issued(&shop, 1).await[0][1], "2026-11-21");
}
