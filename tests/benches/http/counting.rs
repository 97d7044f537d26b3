//! Statistics of one tenant with 100,000 invoices: a year by month, the median of some tries beside
//! what is aimed at; and what other tenants issue while one asks without a pause, for little or for
//! all that one request may look at.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use racun_documents::Document;
use racun_test_postgres::Cluster;
use racun_tests::{Account, Data, Profile, Racun};
use serde_json::{Value, json};
use time::Duration as Days;

use crate::bare::psql;
use crate::issuing::Issuers;
use crate::load::Rates;
use crate::pairs::{ROUNDS, Turns};
use crate::report::aim;
use crate::{INVOICE, MANY_INVOICES, seed};

/// Times that each question is asked, as long as that takes no more than [`TIME`]: an entity that
/// computes longer has to wait, and the wait would be measured.
const TRIES: usize = 9;
const TIME: Duration = Duration::from_millis(800);
/// Questions of the dearer request, and payments that each looks at one by one: together all that
/// one request may look at.
const AT_ONCE: usize = 25;
const PAYMENTS: usize = 4_000;
/// Payments of one invoice.
const TOGETHER: usize = 100;
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

/// A year's tax by rate: the body of each invoice is read.
fn by_rate() -> Value {
    json!([{
        "table": "invoice_taxes", "date_from": "2025-01-01", "date_to": "2027-12-31",
        "metrics": [{ "type": "sum", "field": "tax_total_converted" }, { "type": "count" }],
        "filters": { "is_draft": false, "voided_at": null }, "group_by": ["rate"],
    }])
}

/// Payments by what their documents know, over and over.
fn walked() -> Value {
    let one = json!({
        "table": "payments", "metrics": [{ "type": "sum", "field": "amount_converted" }],
        "group_by": ["currency_code", "month"],
    });
    Value::Array(vec![one; AT_ONCE])
}

/// Questions, by name.
fn questions() -> [(&'static str, Value); 4] {
    let of = |groups: Value| {
        let mut query = by_month();
        query[0]["group_by"] = groups;
        query
    };
    [
        (BY_MONTH, by_month()),
        ("a year by currency", of(json!(["currency_code"]))),
        ("what is late, by age", of(json!(["overdue_bucket"]))),
        ("a year's tax by rate", by_rate()),
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
    let same = vec![account; ROUNDS];
    beside_issuing(&racun, &same, BY_MONTH, &by_month()).await;
    // One that was answered has to wait, so that no later round would be beside an answer.
    let mut fresh = Vec::new();
    for _ in 0..ROUNDS {
        let account = Account::sign_up(&racun).await;
        pay(&account).await;
        fresh.push(account);
    }
    beside_issuing(&racun, &fresh, "25 on payments", &walked()).await;
}

/// Issues invoices with [`PAYMENTS`] payments.
async fn pay(account: &Account) {
    let payment = json!({ "type": "card", "amount": 0.01 });
    let invoice = json!({
        "items": [{ "name": "Najem", "price": TOGETHER }],
        "payments": vec![payment; TOGETHER],
    });
    for _ in 0..PAYMENTS / TOGETHER {
        account.api.create("/invoices", &invoice).await;
    }
}

/// Asks `question` some times and prints the median. Each time an invoice was changed before, so
/// that no answer is one that was cached.
async fn told(account: &Account, what: &str, question: &Value, aimed: Option<Duration>) {
    let first = account.api.read("/invoices?limit=1").await;
    let changed = format!("/invoices/{}", first["data"][0]["id"].as_str().expect("an id"));
    let (mut times, mut rows): (Vec<Duration>, String) = (Vec::new(), String::new());
    while times.len() < TRIES && times.iter().sum::<Duration>() < TIME {
        let note = json!({ "note": format!("{what}, {}", times.len()) });
        account.api.patch(&changed, &note).await.expect(200);
        let started = Instant::now();
        let answer = account.api.post("/stats/query", question).await;
        times.push(started.elapsed());
        if answer.status == 422 {
            println!("{what:<64} {:>12}", answer.cause());
            return;
        }
        rows = answer.expect(200)[0]["row_count"].to_string();
    }
    times.sort();
    let median = times[(times.len() - 1) / 2];
    let time = format!("{}.{} ms", median.as_millis(), median.as_micros() % 1_000 / 100);
    let what = format!("{what} ({rows} rows, {} tries)", times.len());
    match aimed {
        Some(aimed) => aim(&what, &time, &format!("< {} ms", aimed.as_millis()), median < aimed),
        None => println!("{what:<64} {time:>12}"),
    }
}

/// What others issue while one of `askers` asks `question`, each in a round of its own, beside what
/// they issue alone.
async fn beside_issuing(racun: &Racun, askers: &[Account], what: &str, question: &Value) {
    let issuers = Issuers::sign_up(racun).await;
    let (mut turns, mut answered) = (Turns::default(), 0);
    for (round, asker) in askers.iter().enumerate() {
        let alone = issuers.measure_from(round);
        let (beside, more) = asking(asker, question, || issuers.measure_from(round)).await;
        turns.add(alone, beside);
        answered += more;
    }
    println!("issue beside statistics, {what}, of which {answered} are answered");
    let ways = ["one by one", "16 clients, on one", "16 clients, on one each"];
    turns.print(ways.map(|how| format!("  {how}")), (900, ">= 0.9"));
}

/// What `measure` finds while the tenant of `account` asks `question` over and over, and how often
/// that was answered. One that is refused for asking too much is asked again.
async fn asking(
    account: &Account,
    question: &Value,
    measure: impl FnOnce() -> Rates,
) -> (Rates, usize) {
    let is_over = Arc::new(AtomicBool::new(false));
    let (api, question, over) = (account.api.clone(), question.clone(), Arc::clone(&is_over));
    let asking = tokio::spawn(async move {
        let mut answered = 0;
        while !over.load(Ordering::Relaxed) {
            let answer = api.post("/stats/query", &question).await;
            match answer.status {
                429 => tokio::time::sleep(Duration::from_millis(100)).await,
                _ => {
                    answer.expect(200);
                    answered += 1;
                }
            }
        }
        answered
    });
    let rates = tokio::task::block_in_place(measure);
    is_over.store(true, Ordering::Relaxed);
    (rates, asking.await.expect("a client"))
}
