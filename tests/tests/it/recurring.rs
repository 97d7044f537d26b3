//! Recurring invoices: one invoice for each period, whichever process makes it and whenever it
//! dies.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration as Moment;

use racun_tests::{Account, Racun, Random, StoreKind, check_sequence, number, on_both_stores};
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;
use time::{Date, Duration, OffsetDateTime};

on_both_stores! {
    every_period_is_made_once_through_crashes_and_rivals,
    a_year_of_twenty_schedules_passes_in_one_request,
}

/// Daily schedules.
const SCHEDULES: usize = 4;

/// Days that the clock passes.
const DAYS: i64 = 30;

/// How often the server is killed during the test.
const KILLS: usize = 4;

async fn every_period_is_made_once_through_crashes_and_rivals(store: StoreKind) {
    let seed = Random::any_seed();
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let mut racun = Racun::start(store).await;
    let mut account = Account::sign_up(&racun).await;
    let first = today(&account).await + Duration::DAY;
    make_schedules(&account, "daily", first, SCHEDULES).await;
    let last = first + Duration::days(DAYS - 1);
    let advance = json!({ "advance_to": format!("{last}T12:00:00Z") });
    for _ in 0..KILLS {
        let (api, advance) = (account.api.clone(), advance.to_string());
        let request = tokio::spawn(async move {
            // The server is killed: whether an answer comes is a matter of chance.
            api.try_json("POST", "/sandbox/clock", advance).await.ok();
        });
        tokio::time::sleep(Moment::from_millis(random.below(200))).await;
        racun.kill9();
        request.await.unwrap_or_else(|error| panic!("{error}"));
        racun.restart().await;
        account = account.at(&racun);
    }
    let (one, other) = tokio::join!(
        account.api.post("/sandbox/clock", &advance),
        account.api.post("/sandbox/clock", &advance),
    );
    assert_eq!(one.expect(200)["now"], other.expect(200)["now"]);
    check(&account, first).await;
}

async fn today(account: &Account) -> Date {
    let clock = account.api.read("/sandbox/clock").await;
    let now = clock["now"].as_str().unwrap_or_default();
    let now = OffsetDateTime::parse(now, &Rfc3339);
    now.unwrap_or_else(|error| panic!("{clock}: {error}")).date()
}

/// The request is answered before its client gives up.
async fn a_year_of_twenty_schedules_passes_in_one_request(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let first = today(&account).await + Duration::DAY;
    make_schedules(&account, "monthly", first, 20).await;
    let advance = json!({ "advance_to": format!("{}T12:00:00Z", first + Duration::days(360)) });
    let advanced = account.api.post("/sandbox/clock", &advance).await.expect(200);
    assert_eq!(advanced["invoices_generated"], 12 * 20);
}

async fn make_schedules(account: &Account, frequency: &str, first: Date, count: usize) {
    let line = json!({ "name": "Hour", "price": 40, "taxes": [{ "rate": 22 }] });
    let template = account.api.create("/invoices", &json!({ "items": [line] })).await;
    for schedule in 0..count {
        let wanted = json!({
            "document_id": template["id"],
            "name": format!("{frequency} {schedule}"),
            "frequency": frequency,
            "start_date": first.to_string(),
            "payment_terms_days": schedule,
        });
        account.api.create("/recurring-invoices", &wanted).await;
    }
}

/// Each day has an invoice of each schedule, which its payment terms tell apart; numbers have no
/// gap.
async fn check(account: &Account, first: Date) {
    let mut made = BTreeSet::new();
    let mut numbers: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for invoice in account.api.all("/invoices").await {
        numbers.entry(invoice["date_year"].to_string()).or_default().push(number(&invoice));
        if invoice["creation_source"] == "recurring" {
            let (day, due) = (date(&invoice["date"]), date(&invoice["date_due"]));
            assert!(made.insert((day, (due - day).whole_days())), "made twice: {invoice}");
        }
    }
    let days = (0..DAYS).map(|day| first + Duration::days(day));
    let schedules = 0..i64::try_from(SCHEDULES).unwrap_or_default();
    let expected = days.flat_map(|day| schedules.clone().map(move |terms| (day, terms)));
    assert_eq!(made, expected.collect());
    for numbers in numbers.into_values() {
        check_sequence(1, numbers);
    }
    for schedule in account.api.all("/recurring-invoices").await {
        assert_eq!(schedule["invoices_generated"], DAYS, "{schedule}");
        assert_eq!(schedule["last_error"], Value::Null, "{schedule}");
    }
}

/// The day of a document's date.
fn date(value: &Value) -> Date {
    let text = value.as_str().unwrap_or_default();
    let instant = OffsetDateTime::parse(text, &Rfc3339);
    instant.unwrap_or_else(|error| panic!("{value}: {error}")).date()
}
