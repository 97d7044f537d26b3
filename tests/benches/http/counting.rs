//! Statistics of one tenant with 100,000 invoices: a year by month, the median of some tries beside
//! what is aimed at; and what other tenants issue while one asks without a pause.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use racun_documents::Document;
use racun_test_postgres::Cluster;
use racun_tests::{Account, Data, Profile, Racun};
use serde_json::{Value, json};
use time::Duration as Days;

use crate::bare::psql;
use crate::issuing::Issuers;
use crate::load::{Rates, one_by_one, request};
use crate::report::{aim, ratio, thousandths};
use crate::{INVOICE, MANY_INVOICES, seed};

/// Times that each question is asked.
const TRIES: usize = 9;
/// What a year by month may take on either store.
const ON_POSTGRES: Duration = Duration::from_millis(50);
const EMBEDDED: Duration = Duration::from_millis(100);

/// A year's revenue by month.
fn by_month() -> Value {
    json!([{
        "table": "invoices", "date_from": "2025-01-01", "date_to": "2027-12-31",
        "metrics": [
            { "type": "sum", "field": "total_with_tax_converted", "alias": "revenue" },
            { "type": "count" },
        ],
        "filters": { "is_draft": false, "voided_at": null }, "group_by": ["month"],
    }])
}

/// The question whose time is aimed at.
const BY_MONTH: &str = "a year by month";

/// Questions, by name.
fn questions() -> [(&'static str, Value); 3] {
    let of = |groups: Value| {
        let mut query = by_month();
        query[0]["group_by"] = groups;
        query
    };
    [
        (BY_MONTH, by_month()),
        ("a year by currency", of(json!(["currency_code"]))),
        ("what is late, by age", of(json!(["overdue_bucket"]))),
    ]
}

/// The invoices of a year: the `number`-th is of the day of that number.
fn over_a_year(original: &Document, number: u64, total: u64) -> Document {
    let mut copy = seed::varied(original, number, total);
    let days = i64::try_from(number % 365).expect("few");
    copy.content.date = original.content.date - Days::days(days);
    copy.content.date_due = Some(copy.content.date + Days::days(15));
    copy
}

/// Measures on a store of its own: in a folder, or in the database at a URL.
pub async fn measure(name: &str, data: Data, postgres: Option<(&Cluster, &str)>) {
    let mut racun = Racun::start_on(Profile::Release, data).await;
    let account = Account::sign_up(&racun).await;
    let original: Value = serde_json::from_str(INVOICE).expect("it is JSON");
    let original = account.api.create("/invoices", &original).await;
    racun.kill9();
    {
        let store = match postgres {
            None => seed::embedded(racun.folder()),
            Some((_, url)) => seed::postgres(url).await,
        };
        let id = original["id"].as_str().expect("an id");
        seed::fill_with(&*store, &account.entity, id, MANY_INVOICES, over_a_year).await;
    }
    if let Some((cluster, url)) = postgres {
        psql(cluster, url, "VACUUM ANALYZE invoices");
    }
    racun.restart().await;
    let account = account.at(&racun);
    println!("\n{name}: statistics over {MANY_INVOICES} invoices of one tenant");
    let aimed = if postgres.is_some() { ON_POSTGRES } else { EMBEDDED };
    for (what, question) in questions() {
        // The figure that is aimed at is that of months; the others say what groups cost.
        let aimed = (what == BY_MONTH).then_some(aimed);
        told(&account, what, &question, aimed).await;
    }
    beside_issuing(&racun, &account).await;
}

/// Asks `question` some times and prints the median. Each time an invoice was changed before, so
/// that no answer is one that was cached.
async fn told(account: &Account, what: &str, question: &Value, aimed: Option<Duration>) {
    let first = account.api.read("/invoices?limit=1").await;
    let changed = format!("/invoices/{}", first["data"][0]["id"].as_str().expect("an id"));
    let (mut times, mut rows) = (Vec::new(), String::new());
    for n in 0..TRIES {
        let note = json!({ "note": format!("{what}, {n}") });
        account.api.patch(&changed, &note).await.expect(200);
        let started = Instant::now();
        let answer = account.api.post("/stats/query", question).await;
        times.push(started.elapsed());
        rows = answer.expect(200)[0]["row_count"].to_string();
    }
    times.sort();
    let median = times[times.len() / 2];
    let time = format!("{}.{} ms", median.as_millis(), median.as_micros() % 1_000 / 100);
    let what = format!("{what} ({rows} rows)");
    match aimed {
        Some(aimed) => aim(&what, &time, &format!("< {} ms", aimed.as_millis()), median < aimed),
        None => println!("{what:<64} {time:>12}"),
    }
}

/// What others issue while this tenant asks, beside what they issue alone; the better of two.
async fn beside_issuing(racun: &Racun, account: &Account) {
    let issuers = Issuers::sign_up(racun).await;
    let alone = issuers.measure();
    let beside = asking(racun, account, || issuers.measure());
    let alone = alone.best_of(issuers.measure());
    let beside = beside.best_of(asking(racun, account, || issuers.measure()));
    for (how, beside, alone) in [
        ("one by one", beside.alone, alone.alone),
        ("16 clients, on one", beside.together, alone.together),
        ("16 clients, on one each", beside.apart, alone.apart),
    ] {
        let (beside, alone) = (beside.per_second, alone.per_second);
        let is_met = thousandths(beside, alone) >= 900;
        let what = format!("issue beside statistics, {how} ({alone}/s)");
        aim(&what, &ratio(beside, alone), ">= 0.9", is_met);
    }
}

/// What `measure` finds while the tenant of `account` asks one question after the other.
fn asking(racun: &Racun, account: &Account, measure: impl FnOnce() -> Rates) -> Rates {
    let question = request("POST", "/stats/query", &account.key, &by_month().to_string());
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                one_by_one(racun.address(), std::slice::from_ref(&question));
            }
        });
        let rates = measure();
        is_over.store(true, Ordering::Relaxed);
        rates
    })
}
