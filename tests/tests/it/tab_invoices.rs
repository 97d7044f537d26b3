//! Tabs that are invoiced by many devices at once, hung up on, and under kills: what is on a tab is
//! sold once, and there is never an invoice without its tab or a tab without its invoice.

use std::collections::BTreeMap;
use std::time::Duration;

use racun_tests::{
    Account, Client, Progress, Racun, Random, StoreKind, check_sequence, number, on_both_stores,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

on_both_stores! {
    of_eight_devices_that_invoice_a_tab_at_once_one_wins,
    a_tab_that_is_invoiced_piece_by_piece_is_sold_once,
    a_killed_server_leaves_no_invoice_without_its_tab,
}

/// Devices that are at work at once.
const DEVICES: usize = 8;
/// Tabs that they compete for.
const TABS: usize = 20;
/// Pieces of the one thing on a tab that they sell one by one.
const PIECES: usize = 24;
/// How often the server is killed.
const KILLS: usize = 3;

/// A tab with `quantity` of a coffee at 2.50.
async fn tab_of(api: &Client, quantity: usize) -> String {
    let tab = api.create("/pos/tabs", &json!({})).await;
    let id = tab["id"].as_str().expect("an id").to_owned();
    let coffee = json!({
        "name": "Kava", "quantity": quantity, "unit_gross_price": 2.5,
        "tax_rates": [{ "rate": 22 }],
    });
    let path = format!("/pos/tabs/{id}/items");
    api.post(&path, &json!({ "items": [coffee] })).await.expect(200);
    id
}

async fn of_eight_devices_that_invoice_a_tab_at_once_one_wins(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    for _ in 0..TABS {
        let tab = tab_of(&api, 2).await;
        let mut at_once = JoinSet::new();
        for number in 0..DEVICES {
            let (api, path) = (api.clone(), format!("/pos/tabs/{tab}/invoice"));
            let body = json!({
                "device_id": format!("till-{number}"), "expected_version": 2,
                "payments": [{ "type": "cash" }],
            });
            at_once.spawn(async move { api.post(&path, &body).await });
        }
        let answers = at_once.join_all().await;
        let (won, lost): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|answer| answer.status == 201);
        assert_eq!(won.len(), 1, "one device invoices the tab");
        for answer in lost {
            let refused = answer.refused(409, "tab_issued");
            assert_eq!(refused["tab"]["invoice_id"], won[0].body()["id"]);
        }
    }
    check(&api, TABS, "5").await;
}

/// Sells a piece of the tab after the other, as a till does whose lines are bad: half of the
/// requests are hung up on and sent again with the key that they had.
async fn sell(api: Client, tab: String, seed: u64) {
    let mut random = Random::new(seed);
    for round in 0.. {
        let now = api.read(&format!("/pos/tabs/{tab}")).await;
        if now["status"] == "issued" {
            return;
        }
        let line = json!({ "line_id": now["items"][0]["line_id"], "quantity": 1 });
        let body = json!({ "lines": [line], "expected_version": now["version"] }).to_string();
        let path = format!("/pos/tabs/{tab}/invoice");
        let keyed = api.clone().with("idempotency-key", &format!("{seed}/{round}"));
        if random.below(2) == 0 {
            let patience = Duration::from_micros(random.below(8_000));
            let hung_up = keyed.try_json("POST", &path, body.clone());
            let _: Result<_, _> = tokio::time::timeout(patience, hung_up).await;
        }
        let answer = keyed.json("POST", &path, body).await;
        assert!(matches!(answer.status, 201 | 409), "{}", answer.text);
    }
}

async fn a_tab_that_is_invoiced_piece_by_piece_is_sold_once(store: StoreKind) {
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    let tab = tab_of(&api, PIECES).await;
    let mut at_work = JoinSet::new();
    for seed in 0..DEVICES {
        at_work.spawn(sell(api.clone(), tab.clone(), u64::try_from(seed).expect("few")));
    }
    at_work.join_all().await;
    check(&api, PIECES, "2.5").await;
    let ended = api.read(&format!("/pos/tabs/{tab}")).await;
    assert_eq!(ended["invoices"].as_array().expect("invoices").len(), PIECES);
}

async fn a_killed_server_leaves_no_invoice_without_its_tab(store: StoreKind) {
    let seed = Random::any_seed();
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let mut racun = Racun::start(store).await;
    let mut account = Account::sign_up(&racun).await;
    for _ in 0..KILLS {
        let sold = Progress::default();
        let mut at_work = JoinSet::new();
        for _ in 0..DEVICES {
            let (api, sold) = (account.api.clone(), sold.clone());
            at_work.spawn(async move {
                while try_to_sell(&api).await.is_some() {
                    sold.one();
                }
            });
        }
        sold.reaches(2 + random.below(30)).await;
        racun.kill9();
        at_work.join_all().await;
        racun.restart().await;
        account = account.at(&racun);
        let invoices = account.api.all("/invoices").await.len();
        check(&account.api, invoices, "5").await;
    }
    assert!(account.api.all("/invoices").await.len() > KILLS, "hardly anything was sold");
}

/// Opens a tab, orders and invoices; `None` once an answer is missing or a failure.
async fn try_to_sell(api: &Client) -> Option<()> {
    let post = async |path: String, body: Value| {
        let answer = api.try_json("POST", &path, body.to_string()).await.ok()?;
        (answer.status < 300).then(|| answer.body())
    };
    let tab = post("/pos/tabs".to_owned(), json!({})).await?;
    let path = format!("/pos/tabs/{}", tab["id"].as_str()?);
    let coffee = json!({ "name": "Kava", "quantity": 2, "unit_gross_price": 2.5 });
    post(format!("{path}/items"), json!({ "items": [coffee] })).await?;
    post(format!("{path}/invoice"), json!({ "expected_version": 2 })).await?;
    Some(())
}

/// Checks that there are `count` invoices of `gross`, numbered without gaps, and that tabs and
/// invoices name each other.
async fn check(api: &Client, count: usize, gross: &str) {
    let invoices = api.all("/invoices").await;
    assert_eq!(invoices.len(), count);
    check_sequence(1, invoices.iter().map(number));
    let tabs = api.read("/pos/tabs?status=open,issuing,issued").await;
    let tabs: BTreeMap<&str, &Value> = tabs["data"]
        .as_array()
        .expect("tabs")
        .iter()
        .map(|tab| (tab["id"].as_str().expect("an id"), tab))
        .collect();
    for invoice in &invoices {
        assert_eq!(invoice["total_with_tax"].to_string(), gross);
        let named = invoice["pos_tabs"][0].as_str().expect("an invoice names its tab");
        let of_tab = tabs[named]["invoices"].as_array().expect("invoices").iter();
        let same = of_tab.filter(|of| of["invoice_id"] == invoice["id"]);
        assert_eq!(same.count(), 1, "a tab names its invoice once");
    }
    let named = tabs.values().flat_map(|tab| tab["invoices"].as_array().expect("invoices"));
    assert_eq!(named.count(), count, "tabs name no other invoices");
    for tab in tabs.values() {
        let is_issued = tab["status"] == "issued";
        assert_eq!(is_issued, tab["invoice_id"].is_string());
        let last = tab["invoices"].as_array().and_then(|all| all.last());
        assert!(!is_issued || last.is_some_and(|last| last["invoice_id"] == tab["invoice_id"]));
    }
}
