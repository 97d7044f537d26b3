//! Lists of one tenant with 600,000 invoices, and the takings of a day among them: how long each
//! takes one client, the median of some tries, beside what is aimed at.

use std::time::{Duration, Instant};

use racun_test_postgres::Cluster;
use racun_tests::{Account, Data, Profile, Racun, with_query};
use serde_json::{Value, json};

use crate::bare::psql;
use crate::report::aim;
use crate::seed;

/// Invoices of the tenant.
const INVOICES: u64 = 600_000;
/// Sales of the day whose takings are asked for.
const SALES: u64 = 2_000;
/// Pages that are gone through before the deep one.
const DEEP: usize = 1_000;
/// Times that each question is asked.
const TRIES: usize = 5;

/// What an order, a search or `contains` may take.
const LIST: Duration = Duration::from_millis(100);
/// What a preset or the takings of a day may take.
const QUICK: Duration = Duration::from_millis(50);

const SALE: &str = r#"{"items": [
  {"name": "Kava", "price": 2.1, "quantity": 2, "taxes": [{"rate": 9.5}]},
  {"name": "Rogljič", "price": 1.8, "taxes": [{"rate": 9.5}]},
  {"name": "Sok", "price": 2.4, "taxes": [{"rate": 22}]}], "payments": [{"type": "cash"}]}"#;

/// Measures on a store of its own: in a folder, or in the database at a URL.
pub async fn measure(name: &str, data: Data, postgres: Option<(&Cluster, &str)>) {
    let mut racun = Racun::start_on(Profile::Release, data).await;
    let account = Account::sign_up(&racun).await;
    let original = account.api.create("/invoices", &parsed(crate::INVOICE)).await;
    racun.kill9();
    {
        let store = match postgres {
            None => seed::embedded(racun.folder()),
            Some((_, url)) => seed::postgres(url).await,
        };
        let id = original["id"].as_str().expect("an id");
        seed::fill_with(&*store, &account.entity, id, INVOICES - SALES, seed::varied).await;
    }
    if let Some((cluster, url)) = postgres {
        psql(cluster, url, "VACUUM ANALYZE invoices");
    }
    racun.restart().await;
    let account = account.at(&racun);
    for _ in 0..SALES {
        account.api.create("/invoices", &parsed(SALE)).await;
    }
    println!("\n{name}: lists of {INVOICES} invoices of one tenant");
    orders(&account).await;
    presets(&account).await;
    searches(&account).await;
    let day = original["date"].as_str().and_then(|date| date.get(..10)).expect("a date");
    let takings = with_query("/pos/reports/daily", &[("date", day)]);
    told(&account, "takings of a day of 2,000 sales", &takings, QUICK).await;
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("it is JSON")
}

/// The first page and the thousandth by every field, both ways.
async fn orders(account: &Account) {
    for field in fields(account).await {
        for order in [field.clone(), format!("-{field}")] {
            let first = with_query("/invoices", &[("order_by", &order)]);
            told(account, &format!("order_by={order}"), &first, LIST).await;
            let cursor = deep(account, &order).await;
            let page = with_query("/invoices", &[("order_by", &order), ("next_cursor", &cursor)]);
            told(account, &format!("order_by={order}, page {DEEP}"), &page, LIST).await;
        }
    }
}

/// All fields that a list is ordered by, as the answer to an unknown one names them.
async fn fields(account: &Account) -> Vec<String> {
    let refused = account.api.get("/invoices?order_by=nothing").await.expect(422);
    let text = refused["cause"]["issues"][0]["message"].as_str().expect("a message").to_owned();
    let (_, names) = text.split_once("there are ").expect("the names");
    let names = names.split(", ").filter(|name| *name != "metadata");
    names.map(str::to_owned).collect()
}

/// The cursor of the thousandth page of ten, reached by pages of a hundred.
async fn deep(account: &Account, order: &str) -> String {
    let mut cursor: Option<String> = None;
    for _ in 0..(DEEP - 1) / 10 {
        let mut asked =
            vec![("order_by", order), ("limit", "100"), ("include_total_count", "false")];
        asked.extend(cursor.as_deref().map(|cursor| ("next_cursor", cursor)));
        let page = account.api.read(&with_query("/invoices", &asked)).await;
        cursor = page["pagination"]["next_cursor"].as_str().map(str::to_owned);
    }
    cursor.expect("another page")
}

async fn presets(account: &Account) {
    let today = "2026-06-01";
    let presets = [
        ("paid", json!({ "paid_in_full": true })),
        (
            "partially paid",
            json!({ "paid_in_full": false, "total_paid": { "gt": 0 }, "voided_at": null }),
        ),
        ("unpaid", json!({ "paid_in_full": false, "total_paid": 0, "voided_at": null })),
        (
            "overdue",
            json!({ "paid_in_full": false, "date_due": { "lt": today }, "voided_at": null }),
        ),
        ("voided", json!({ "voided_at": { "not": null } })),
        ("drafts", json!({ "is_draft": true, "voided_at": null })),
        (
            "issued and unpaid",
            json!({ "is_draft": false, "paid_in_full": false, "total_paid": 0, "voided_at": null }),
        ),
        ("a month", json!({ "date": { "between": ["2026-03-01", "2026-03-31"] } })),
    ];
    for (name, query) in presets {
        let path = with_query("/invoices", &[("query", &query.to_string())]);
        told(account, &format!("preset: {name}"), &path, QUICK).await;
    }
}

async fn searches(account: &Account) {
    for text in ["zagar 4711", "ŽAGAR 12", "kupec", "2026-4242", "ž", "nowhere at all"] {
        let path = with_query("/invoices", &[("search", text)]);
        told(account, &format!("search={text}"), &path, LIST).await;
    }
    for (field, text) in [("customer.name", "agar 47"), ("number", "4242"), ("issuer.name", "test")]
    {
        let query = json!({ field: { "contains": text } }).to_string();
        let path = with_query("/invoices", &[("query", &query)]);
        told(account, &format!("{field} contains {text}"), &path, LIST).await;
    }
}

/// Asks for `path` some times and prints the median, with what it found. Each time an invoice was
/// changed before, so that no answer is one that was cached.
async fn told(account: &Account, what: &str, path: &str, aimed: Duration) {
    let mut times = Vec::new();
    let mut found = String::new();
    let changed = account.api.read("/invoices?limit=1").await;
    let changed = format!("/invoices/{}", changed["data"][0]["id"].as_str().expect("an id"));
    for n in 0..TRIES {
        let note = json!({ "note": format!("{what}, {n}") });
        account.api.patch(&changed, &note).await.expect(200);
        let started = Instant::now();
        let answer = account.api.get(path).await;
        times.push(started.elapsed());
        if answer.status != 200 {
            found = format!(" -> {}", answer.status);
        } else if let Some(total) = answer.body()["pagination"]["total"].as_i64() {
            found = format!(" ({total})");
        }
    }
    times.sort();
    let median = times[times.len() / 2];
    let time = format!("{}.{} ms", median.as_millis(), median.as_micros() % 1_000 / 100);
    let aimed_at = format!("< {} ms", aimed.as_millis());
    aim(&format!("{what}{found}"), &time, &aimed_at, median < aimed && !found.contains("->"));
}
