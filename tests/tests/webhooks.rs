//! Webhooks on the running server: to a receiver that listens, beside one that does not answer, and
//! through kills.
#![expect(clippy::unwrap_used, reason = "a test ends where it meets what it does not expect")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use racun_tests::{Account, Data, Profile, Racun, StoreKind, on_both_stores};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

on_both_stores! {
    every_event_arrives_through_kills_and_beside_a_receiver_that_is_silent,
}

/// Customers that are made in each round.
const CUSTOMERS: usize = 100;
/// How often the server is killed.
const KILLS: usize = 3;
/// Until all must have arrived.
const PATIENCE: Duration = Duration::from_secs(100);

/// What came, by the event's id: bodies and the ids of deliveries.
type Inbox = Arc<Mutex<BTreeMap<String, Vec<(String, String)>>>>;

/// A receiver that takes everything.
async fn receiver() -> (String, Inbox) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (url, inbox) = (format!("http://{}/", listener.local_addr().unwrap()), Inbox::default());
    let kept = Arc::clone(&inbox);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, Arc::clone(&kept)));
        }
    });
    (url, inbox)
}

async fn serve(mut stream: TcpStream, inbox: Inbox) -> Option<()> {
    let mut seen = Vec::new();
    loop {
        let head = loop {
            if let Some(end) = seen.windows(4).position(|part| part == b"\r\n\r\n") {
                break end;
            }
            if stream.read_buf(&mut seen).await.ok()? == 0 {
                return None;
            }
        };
        let text = String::from_utf8_lossy(&seen[..head]).into_owned();
        let header = |name: &str| {
            let line = text.lines().find(|line| line.to_lowercase().starts_with(name));
            line.and_then(|line| line.split_once(": ")).map(|(_, value)| value.to_owned())
        };
        let length: usize = header("content-length:")?.parse().ok()?;
        while seen.len() < head + 4 + length {
            if stream.read_buf(&mut seen).await.ok()? == 0 {
                return None;
            }
        }
        let body = String::from_utf8_lossy(&seen[head + 4..head + 4 + length]).into_owned();
        seen.drain(..head + 4 + length);
        let (event, delivery) = (header("x-webhook-event-id:")?, header("x-webhook-delivery:")?);
        inbox.lock().unwrap().entry(event).or_default().push((delivery, body));
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.ok()?;
    }
}

/// An address where calls are taken and never answered.
async fn silent() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            held.push(stream);
        }
    });
    url
}

async fn subscribe(account: &Account, url: &str) {
    let body = json!({"url": url, "events": ["customer.created"]});
    account.api.create("/webhooks", &body).await;
}

/// Makes customers, several at once; answers the ids of those that were acknowledged.
async fn make(account: &Account) -> JoinSet<Vec<String>> {
    let mut clients = JoinSet::new();
    for _ in 0..4 {
        let api = account.api.clone();
        clients.spawn(async move {
            let mut made = Vec::new();
            for _ in 0..CUSTOMERS / 4 {
                let body = json!({"name": "Ana"}).to_string();
                let Ok(answer) = api.try_json("POST", "/customers", body).await else { break };
                if answer.status == 201 {
                    made.push(answer.body()["id"].as_str().unwrap().to_owned());
                }
            }
            made
        });
    }
    clients
}

/// The ids of the customers that arrived.
fn arrived(inbox: &Inbox) -> BTreeSet<String> {
    let inbox = inbox.lock().unwrap();
    let bodies = inbox.values().flatten().map(|(_, body)| serde_json::from_str::<Value>(body));
    bodies.map(|body| body.unwrap()["data"]["id"].as_str().unwrap().to_owned()).collect()
}

async fn every_event_arrives_through_kills_and_beside_a_receiver_that_is_silent(store: StoreKind) {
    let key = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=";
    let settings =
        [("RACUN__WEBHOOKS__ALLOW_PRIVATE_ADDRESSES", "true"), ("RACUN__SECRETS__MASTER_KEY", key)];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let data = Data::fresh(store);
    let mut racun = Racun::start_with(Profile::Debug, data, settings).await;
    let mut account = Account::sign_up(&racun).await;
    let (url, inbox) = receiver().await;
    subscribe(&account, &url).await;
    subscribe(&account, &silent().await).await;
    let mut made = BTreeSet::new();
    for _ in 0..KILLS {
        let clients = make(&account).await;
        tokio::time::sleep(Duration::from_millis(700)).await;
        racun.kill9();
        made.extend(clients.join_all().await.into_iter().flatten());
        racun.restart().await;
        account = account.at(&racun);
    }
    made.extend(make(&account).await.join_all().await.into_iter().flatten());
    let begun = Instant::now();
    while !made.is_subset(&arrived(&inbox)) {
        let missing = made.difference(&arrived(&inbox)).count();
        assert!(begun.elapsed() < PATIENCE, "{missing} of {} did not arrive", made.len());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let inbox = inbox.lock().unwrap();
    let mut told = BTreeSet::new();
    for posts in inbox.values() {
        let (ids, bodies): (BTreeSet<_>, BTreeSet<_>) = posts.iter().cloned().unzip();
        assert_eq!(bodies.len(), 1, "one event, one body");
        assert_eq!(ids.len(), posts.len(), "each attempt has an id of its own");
        let body: Value = serde_json::from_str(bodies.first().unwrap()).unwrap();
        assert!(told.insert(body["data"]["id"].to_string()), "two events of one customer");
    }
    println!("{} customers, {} posts", made.len(), inbox.values().map(Vec::len).sum::<usize>());
}
