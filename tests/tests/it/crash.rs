//! Crashes: no acknowledged invoice is lost, no number is lost or given twice, whenever the server
//! or the database dies.

use std::collections::BTreeMap;
use std::time::Duration;

use racun_test_postgres::{Cluster, Durability};
use racun_tests::{
    Account, Client, Data, Profile, Progress, Racun, Random, StoreKind, check_sequence, number,
    on_both_stores,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

on_both_stores! {
    a_killed_server_loses_nothing_that_it_acknowledged,
}

/// Clients that issue at once.
const CLIENTS: usize = 8;

/// How often the server is killed.
const KILLS: usize = 12;

/// How often the database is killed under a running server.
const DATABASE_KILLS: usize = 4;

/// What a client knows about one invoice that it asked for.
#[derive(Clone, Debug)]
enum Fate {
    /// Answered: the invoice as it was answered.
    Acknowledged(Value),
    /// Not answered, or with a failure of the server: it may be there or not.
    Unknown,
}

/// All that was asked for so far, by the reference that each request carries.
type Ledger = BTreeMap<String, Fate>;

async fn a_killed_server_loses_nothing_that_it_acknowledged(store: StoreKind) {
    let seed = Random::any_seed();
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let mut racun = Racun::start(store).await;
    let mut account = Account::sign_up(&racun).await;
    let mut ledger = Ledger::new();
    for round in 1..=KILLS {
        let progress = Progress::default();
        let clients = issue(&account.api, round, &progress);
        progress.reaches(moment(&mut random)).await;
        racun.kill9();
        ledger.extend(clients.join_all().await.into_iter().flatten());
        racun.restart().await;
        account = account.at(&racun);
        check(&account.api, &ledger).await;
    }
    report(&ledger, KILLS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_database_loses_nothing_that_the_server_acknowledged() {
    let seed = Random::any_seed();
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let mut cluster = Cluster::start(Durability::Durable).expect("a PostgreSQL server");
    let data = Data::Url(cluster.url("postgres"));
    let racun = Racun::start_on(Profile::Debug, data).await;
    let account = Account::sign_up(&racun).await;
    let mut ledger = Ledger::new();
    for round in 1..=DATABASE_KILLS {
        let progress = Progress::default();
        let clients = issue(&account.api, round, &progress);
        progress.reaches(moment(&mut random)).await;
        cluster.kill().expect("the database can be killed");
        ledger.extend(clients.join_all().await.into_iter().flatten());
        cluster.restart().expect("the database starts again");
        ready_again(&racun.client()).await;
        check(&account.api, &ledger).await;
    }
    report(&ledger, DATABASE_KILLS);
}

/// After how many acknowledged invoices the kill comes, other ones being under way.
fn moment(random: &mut Random) -> u64 {
    2 + random.below(60)
}

/// Clients that issue one invoice after the other until an answer is missing or a failure.
fn issue(api: &Client, round: usize, progress: &Progress) -> JoinSet<Vec<(String, Fate)>> {
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let (api, progress) = (api.clone(), progress.clone());
        clients.spawn(async move {
            let mut asked = Vec::new();
            loop {
                let reference = format!("{round}/{client}/{}", asked.len());
                let body = invoice(&reference).to_string();
                match api.try_json("POST", "/invoices", body).await {
                    Ok(answer) if answer.status == 201 => {
                        progress.one();
                        asked.push((reference, Fate::Acknowledged(answer.body())));
                    }
                    Ok(answer) => {
                        assert!(answer.status >= 500, "{}", answer.text);
                        asked.push((reference, Fate::Unknown));
                        return asked;
                    }
                    Err(_) => {
                        asked.push((reference, Fate::Unknown));
                        return asked;
                    }
                }
            }
        });
    }
    clients
}

fn invoice(reference: &str) -> Value {
    json!({
        "reference": reference,
        "customer": { "name": format!("Kupec {reference}"), "save_customer": true },
        "items": [{ "name": "Work", "price": 10, "taxes": [{ "rate": 22 }] }],
    })
}

/// The server answers again once it has noticed that its connections are gone.
async fn ready_again(anonymous: &Client) {
    for _ in 0..200 {
        if anonymous.get("/health/ready").await.status == 200 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the server does not find its database again");
}

/// Checks what is there against what was answered.
async fn check(api: &Client, ledger: &Ledger) {
    let rows = api.all("/invoices").await;
    check_sequence(1, rows.iter().map(number));
    let mut found: BTreeMap<&str, &Value> = BTreeMap::new();
    for row in &rows {
        let reference = row["reference"].as_str().unwrap_or_default();
        assert!(found.insert(reference, row).is_none(), "{reference} is there twice");
        assert!(ledger.contains_key(reference), "{reference} was never asked for");
    }
    for (reference, fate) in ledger {
        match (fate, found.get(reference.as_str())) {
            (Fate::Acknowledged(answered), Some(row)) => assert_eq!(answered, *row),
            (Fate::Acknowledged(_), None) => panic!("{reference} was acknowledged and is lost"),
            (Fate::Unknown, Some(row)) => {
                assert_eq!(row["total_with_tax"].to_string(), "12.2", "{row}");
                assert_eq!(row["customer"]["name"], format!("Kupec {reference}"));
            }
            (Fate::Unknown, None) => {}
        }
    }
    // Each invoice saved its customer in its own commit: both are there, or neither.
    let customers = api.all("/customers").await;
    let saved: BTreeMap<&str, &Value> = customers
        .iter()
        .map(|customer| (customer["id"].as_str().unwrap_or_default(), customer))
        .collect();
    assert_eq!(saved.len(), rows.len(), "customers and invoices");
    for row in &rows {
        let customer = saved.get(row["customer_id"].as_str().unwrap_or_default());
        assert_eq!(customer.map(|customer| &customer["name"]), Some(&row["customer"]["name"]));
    }
    let next = api.read("/documents/next-number?type=invoice").await;
    assert_eq!(number(&next), u64::try_from(rows.len()).expect("few") + 1);
}

fn report(ledger: &Ledger, kills: usize) {
    let unknown = ledger.values().filter(|fate| matches!(fate, Fate::Unknown)).count();
    let acknowledged = ledger.len() - unknown;
    println!("{kills} kills, {acknowledged} acknowledged, {unknown} without an answer, none lost");
    assert!(acknowledged > kills, "hardly anything was issued between the kills");
    assert!(unknown > 0, "no request was under way when the server was killed");
}
