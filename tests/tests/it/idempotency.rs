//! Requests with keys, sent eight times each, while the server is killed: one effect for each key,
//! and one answer.

use std::collections::BTreeMap;
use std::time::Duration;

use racun_tests::{
    Account, Answer, Client, Data, Profile, Racun, Random, StoreKind, check_sequence, number,
    on_both_stores,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

on_both_stores! {
    a_killed_server_carries_each_key_out_once,
}

/// Keys, in all.
const KEYS: usize = 500;

/// Copies of each that are sent at once.
const COPIES: usize = 8;

/// How often the server is killed.
const KILLS: usize = 10;

/// The bodies that were answered, by key.
type Answers = BTreeMap<String, Vec<String>>;

async fn a_killed_server_carries_each_key_out_once(store: StoreKind) {
    let seed = Random::any_seed();
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let mut racun = Racun::start(store).await;
    let mut account = Account::sign_up(&racun).await;
    let (mut answers, mut cut) = (Answers::new(), 0);
    for round in 0..KILLS {
        let keys: Vec<String> = (0..KEYS / KILLS).map(|key| format!("{round}/{key}")).collect();
        let copies = copies(&[&account.api], &keys, Patience::None);
        tokio::time::sleep(Duration::from_millis(50 + random.below(700))).await;
        racun.kill9();
        cut += collect(&mut answers, copies).await;
        racun.restart().await;
        account = account.at(&racun);
        let again = self::copies(&[&account.api], &keys, Patience::UntilAnswered);
        assert_eq!(collect(&mut answers, again).await, 0);
    }
    println!("{KILLS} kills, {KEYS} keys, {cut} clients were cut off");
    assert!(cut > 0, "no request was under way when the server was killed");
    check(&account.api, &answers).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_at_two_processes_are_one_request() {
    let data = Data::fresh(StoreKind::Postgres);
    let Data::Database(database) = &data else { panic!("no database: {data:?}") };
    let url = database.url.clone();
    let first = Racun::start_on(Profile::Debug, data).await;
    let second = Racun::start_on(Profile::Debug, Data::Url(url)).await;
    let account = Account::sign_up(&first).await;
    let there = account.at(&second);
    let keys: Vec<String> = (0..100).map(|key| format!("both/{key}")).collect();
    let copies = copies(&[&account.api, &there.api], &keys, Patience::UntilAnswered);
    let mut answers = Answers::new();
    assert_eq!(collect(&mut answers, copies).await, 0);
    check(&account.api, &answers).await;
}

/// What a client does when a request fails.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// It sends nothing more.
    None,
    /// It sends it again.
    UntilAnswered,
}

/// What a client was answered, and whether it was cut off.
type Told = (Vec<(String, String)>, bool);

/// Clients that all send the same requests at the same time, one after the other.
fn copies(apis: &[&Client], keys: &[String], patience: Patience) -> JoinSet<Told> {
    let mut clients = JoinSet::new();
    for api in apis.iter().copied().cycle().take(COPIES) {
        let (api, keys) = (api.clone(), keys.to_vec());
        clients.spawn(async move {
            let mut told = Vec::new();
            for key in keys {
                match send(&api, &key, patience).await {
                    Some(body) => told.push((key, body)),
                    None => return (told, true),
                }
            }
            (told, false)
        });
    }
    clients
}

/// The body of the answer to the request `key`; `None` when the server was killed.
async fn send(api: &Client, key: &str, patience: Patience) -> Option<String> {
    let api = api.clone().with("idempotency-key", key);
    for _ in 0..600 {
        let sent: Result<Answer, _> =
            api.try_json("POST", "/invoices", invoice(key).to_string()).await;
        match sent {
            Ok(answer) if answer.status == 201 => return Some(answer.text),
            Ok(answer) => {
                let is_under_way = answer.body()["code"] == "request_in_progress";
                assert!(is_under_way || answer.status >= 500, "{}", answer.text);
            }
            Err(_) if patience == Patience::None => return None,
            Err(error) => panic!("{key}: {error}"),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{key} is never answered")
}

fn invoice(reference: &str) -> Value {
    json!({
        "reference": reference,
        "customer": { "name": format!("Kupec {reference}"), "save_customer": true },
        "items": [{ "name": "Work", "price": 10, "taxes": [{ "rate": 22 }] }],
    })
}

/// Adds what the clients were told, and answers how many of them were cut off.
async fn collect(answers: &mut Answers, clients: JoinSet<Told>) -> usize {
    let mut cut = 0;
    for (told, was_cut) in clients.join_all().await {
        cut += usize::from(was_cut);
        for (key, body) in told {
            answers.entry(key).or_default().push(body);
        }
    }
    cut
}

/// Each key has one invoice and one customer, and all its copies were answered that.
async fn check(api: &Client, answers: &Answers) {
    let rows = api.all("/invoices").await;
    assert_eq!(rows.len(), answers.len(), "invoices and keys");
    assert_eq!(api.all("/customers").await.len(), answers.len(), "customers and keys");
    check_sequence(1, rows.iter().map(number));
    let found: BTreeMap<&str, &Value> =
        rows.iter().map(|row| (row["reference"].as_str().unwrap_or_default(), row)).collect();
    for (key, bodies) in answers {
        assert!(bodies.len() >= COPIES, "{key} has {} answers", bodies.len());
        for body in bodies {
            assert_eq!(body, &bodies[0], "{key}");
        }
        let answered: Value = serde_json::from_str(&bodies[0]).expect("an invoice");
        assert_eq!(found.get(&**key), Some(&&answered), "{key}");
    }
}
