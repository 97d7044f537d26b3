//! A server in Portugal that is killed while many issue on one series: numbers have no gap and no
//! twin, dates and times do not run back, and openssl verifies the chain from first to last.

use std::time::{Duration, Instant};

use racun_tests::{
    Account, Client, Data, Profile, Racun, Random, StoreKind, check_sequence, is_signed,
    on_both_stores, open_shop_in_lisbon,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

on_both_stores! {
    a_chain_holds_through_kills_with_many_clients_on_one_series,
}

/// How often the server is killed.
const KILLS: usize = 10;
/// Clients that issue at once.
const CLIENTS: usize = 64;

async fn a_chain_holds_through_kills_with_many_clients_on_one_series(store: StoreKind) {
    let seed = Random::any_seed();
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let mut racun = Racun::start_with(Profile::Debug, Data::fresh(store), Vec::new()).await;
    let mut account = Account::sign_up(&racun).await;
    let entity = open_shop_in_lisbon(&account, &["invoice"]).await;
    let mut acknowledged: Vec<Value> = Vec::new();
    let mut without_answer = 0;
    for _ in 0..KILLS {
        let api = account.api.clone().with("x-entity-id", &entity);
        let before = issued(&api).await;
        let mut issuing = JoinSet::new();
        for client in 0..CLIENTS {
            let api = api.clone();
            issuing.spawn(async move {
                let answer = api.try_json("POST", "/invoices", invoice(client).to_string()).await;
                answer.ok().map(|answer| answer.expect(201))
            });
        }
        // At any moment between the first and the last of them.
        let some = usize::try_from(random.below(40)).expect("few");
        until(async || issued(&api).await > before + some).await;
        racun.kill9();
        for answer in issuing.join_all().await {
            match answer {
                Some(invoice) => acknowledged.push(invoice),
                None => without_answer += 1,
            }
        }
        racun.restart().await;
        account = account.at(&racun);
    }
    println!("{} answered, {without_answer} without an answer", acknowledged.len());
    let api = account.api.clone().with("x-entity-id", &entity);
    api.create("/invoices", &invoice(0)).await;
    check(&api.all("/invoices").await, &acknowledged);
}

fn invoice(client: usize) -> Value {
    json!({"items": [{"name": "Pão", "price": client + 1, "taxes": [{"rate": 23}]}]})
}

async fn issued(api: &Client) -> usize {
    let page = api.read("/invoices?limit=1").await;
    usize::try_from(page["pagination"]["total"].as_u64().expect("a count")).expect("few")
}

async fn until(is_so: impl AsyncFn() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !is_so().await {
        assert!(Instant::now() < until, "it does not become so");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} of {value}"))
}

/// Checks the whole series, and that nothing of what was answered is lost or another.
fn check(rows: &[Value], acknowledged: &[Value]) {
    let number = |row: &Value| row["pt"]["sequential_number"].as_u64().expect("a number");
    check_sequence(1, rows.iter().map(number));
    let mut rows: Vec<&Value> = rows.iter().collect();
    rows.sort_by_key(|row| number(row));
    for answered in acknowledged {
        let stored = rows.iter().find(|row| row["id"] == answered["id"]);
        let stored = stored.unwrap_or_else(|| panic!("{answered} was answered and is lost"));
        assert_eq!((&stored["number"], &stored["pt"]), (&answered["number"], &answered["pt"]));
    }
    let (mut previous, mut last) = (String::new(), (String::new(), String::new()));
    for row in rows {
        let pt = &row["pt"];
        let day = text(row, "date").get(..10).expect("a day").to_owned();
        let entered = text(pt, "system_entry_date").to_owned();
        assert!((&day, &entered) >= (&last.0, &last.1), "{row} runs back");
        let gross = cents(&row["total_with_tax"]);
        let content = format!("{day};{entered};{};{gross};{previous}", text(row, "number"));
        let hash = text(pt, "hash");
        assert!(is_signed(&content, hash), "{row} is not in the chain");
        hash.clone_into(&mut previous);
        last = (day, entered);
    }
}

/// An amount with two decimals, of a number of JSON.
fn cents(amount: &Value) -> String {
    let text = amount.to_string();
    match text.split_once('.') {
        None => format!("{text}.00"),
        Some((_, decimals)) if decimals.len() == 1 => format!("{text}0"),
        Some(_) => text,
    }
}
