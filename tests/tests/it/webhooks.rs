//! Webhooks on the running server: a thousand events to receivers of all manners, through kills.
#![expect(clippy::unwrap_used, reason = "a test ends where it meets what it does not expect")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use racun_tests::{
    Account, Behaviour, Data, Profile, Racun, Receiver, StoreKind, on_both_stores, with_query,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::sleep;

on_both_stores! {
    a_thousand_events_end_delivered_failed_or_parked_at_receivers_of_all_manners_through_kills,
}

/// Customers that are made, each an event for every endpoint.
const CUSTOMERS: usize = 1_000;
/// How often the server is killed during the test.
const KILLS: usize = 3;
/// Who makes customers at the same time.
const CLIENTS: usize = 4;
/// How often an event is posted that fails.
const ATTEMPTS: u64 = 5;
/// Until all is over after the last kill.
const PATIENCE: Duration = Duration::from_secs(240);

const MANNERS: [Behaviour; 7] = [
    Behaviour::Answers(200),
    Behaviour::Answers(500),
    Behaviour::Answers(410),
    Behaviour::Answers(301),
    Behaviour::Hangs,
    Behaviour::Resets,
    Behaviour::AnswersHalf,
];

/// What became of an event at an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Delivered,
    Failed,
    Parked,
}

/// The ids of customers whose making was acknowledged.
type Made = Arc<Mutex<BTreeSet<String>>>;

/// Makes customers, several at once, until all are made or the server is gone.
fn make(account: &Account, made: &Made) -> JoinSet<()> {
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let (api, made) = (account.api.clone(), Arc::clone(made));
        clients.spawn(async move {
            while made.lock().unwrap().len() < CUSTOMERS {
                let body = json!({"name": "Ana"}).to_string();
                let Ok(answer) = api.try_json("POST", "/customers", body).await else { return };
                let id = answer.expect(201)["id"].as_str().unwrap().to_owned();
                made.lock().unwrap().insert(id);
            }
        });
    }
    clients
}

/// Makes all customers; kills the server, which is busy with them and with deliveries, in between.
async fn make_through_kills(racun: &mut Racun, account: &mut Account) -> BTreeSet<String> {
    let made = Made::default();
    for kill in 1..=KILLS {
        let clients = make(account, &made);
        while made.lock().unwrap().len() < CUSTOMERS * kill / (KILLS + 1) {
            sleep(Duration::from_millis(2)).await;
        }
        racun.kill9();
        clients.join_all().await;
        racun.restart().await;
        *account = account.at(racun);
    }
    make(account, &made).join_all().await;
    Arc::try_unwrap(made).unwrap().into_inner().unwrap()
}

/// All rows of the log, the newest first.
async fn log(account: &Account) -> Vec<Value> {
    let mut rows = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut asked = vec![("limit", "100"), ("include_total_count", "false")];
        asked.extend(cursor.as_deref().map(|cursor| ("next_cursor", cursor)));
        let mut page = account.api.read(&with_query("/webhook-logs", &asked)).await;
        rows.append(page["data"].as_array_mut().unwrap());
        cursor = page["pagination"]["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            return rows;
        }
    }
}

/// How many rows of the log have this status.
async fn count(account: &Account, status: &str) -> u64 {
    let path = with_query("/webhook-logs", &[("limit", "1"), ("status", status)]);
    account.api.read(&path).await["pagination"]["total"].as_u64().unwrap()
}

/// Whether the log says so of an attempt that a kill cut short.
fn is_interruption(error: &str) -> bool {
    error.starts_with("the server stopped")
}

/// What the row ended; `None` when another attempt follows it, or it waits for one.
fn end(row: &Value) -> Option<End> {
    let error = row["error_message"].as_str().unwrap_or_default();
    match row["status"].as_str().unwrap() {
        "success" => Some(End::Delivered),
        "pending" => row["parked"].as_bool().unwrap().then_some(End::Parked),
        "failed" if is_interruption(error) => None,
        "failed" => row["next_retry_at"].is_null().then_some(End::Failed),
        other => panic!("{other}: {row}"),
    }
}

fn text(row: &Value, field: &str) -> String {
    row[field].as_str().unwrap_or_else(|| panic!("{field} is no text in {row}")).to_owned()
}

/// The rows of each event at each endpoint.
type Histories = BTreeMap<(String, String), Vec<Value>>;

fn histories(log: &[Value]) -> Histories {
    let mut histories = Histories::new();
    for row in log {
        let key = (text(row, "webhook_id"), text(row, "event_id"));
        histories.entry(key).or_default().push(row.clone());
    }
    histories
}

/// Waits until every customer's event has ended at each endpoint, and answers all that was done.
async fn settled(account: &Account) -> Histories {
    let deadline = Instant::now() + PATIENCE;
    // Some were made whose making a kill left unanswered.
    let customers = account.api.read("/customers?limit=1").await["pagination"]["total"].as_u64();
    let customers = usize::try_from(customers.unwrap()).unwrap();
    loop {
        // One may be parked between the two counts.
        let pending = count(account, "pending").await;
        let waiting = pending.saturating_sub(count(account, "parked").await);
        if waiting == 0 {
            let histories = histories(&log(account).await);
            let ended = |rows: &Vec<Value>| rows.iter().any(|row| end(row).is_some());
            let open = histories.values().filter(|rows| !ended(rows)).count();
            if open == 0 && histories.len() == customers * MANNERS.len() {
                return histories;
            }
        }
        assert!(Instant::now() < deadline, "{waiting} deliveries still wait");
        sleep(Duration::from_millis(100)).await;
    }
}

/// Checks that each event has ended once at each endpoint, and that every acknowledged customer is
/// in one; answers how the events of each endpoint ended.
fn ends(histories: &Histories, made: &BTreeSet<String>) -> BTreeMap<String, Vec<End>> {
    let mut ends: BTreeMap<String, Vec<End>> = BTreeMap::new();
    let mut customers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for ((endpoint, event), rows) in histories {
        let ended: Vec<End> = rows.iter().filter_map(end).collect();
        assert_eq!(ended.len(), 1, "event {event} at {endpoint} ended {ended:?}: {rows:#?}");
        ends.entry(endpoint.clone()).or_default().extend(ended);
        let body: Value = serde_json::from_str(&text(&rows[0], "request_body")).unwrap();
        let is_new =
            customers.entry(endpoint.clone()).or_default().insert(text(&body["data"], "id"));
        assert!(is_new, "two events of one customer: {body}");
    }
    for (endpoint, customers) in &customers {
        let missing = made.difference(customers).count();
        assert_eq!(missing, 0, "customers of whom {endpoint} was never to be told");
    }
    ends
}

/// Checks what became of the events of an endpoint whose receiver is of this manner.
fn check_manner(manner: Behaviour, ends: &[End], rows: &[&Value], endpoint: &Value) {
    let count = |end: End| ends.iter().filter(|found| **found == end).count();
    let [delivered, failed, parked] = [End::Delivered, End::Failed, End::Parked].map(count);
    println!("{manner:?}: {delivered} delivered, {failed} failed, {parked} parked");
    let attempts = rows.iter().map(|row| row["attempt"].as_u64().unwrap()).max().unwrap();
    let is_active = endpoint["active"].as_bool().unwrap();
    match manner {
        Behaviour::Answers(200) => {
            assert_eq!((failed, parked, attempts, is_active), (0, 0, 1, true), "{manner:?}");
        }
        Behaviour::Answers(410) => {
            assert_eq!((delivered, parked, attempts, is_active), (0, 0, 1, true), "{manner:?}");
        }
        _ => {
            assert_eq!((delivered, attempts, is_active), (0, ATTEMPTS, false), "{manner:?}");
            assert!(failed > 0 && parked > 0, "{manner:?}: {failed} failed, {parked} parked");
            let reason = text(endpoint, "disabled_reason");
            assert!(reason.contains(&format!("{ATTEMPTS} attempts")), "{manner:?}: {reason}");
            let given_up = rows.iter().filter(|row| end(row) == Some(End::Failed));
            for row in given_up {
                assert_eq!(row["attempt"].as_u64(), Some(ATTEMPTS), "{manner:?}: {row}");
            }
        }
    }
}

/// Checks what receivers were sent: the log knows each post, and what came twice is the same event
/// under the same id, in other attempts.
fn check_posts(receivers: &[(Receiver, String)], histories: &Histories) {
    let (mut bodies, mut deliveries) = (BTreeMap::new(), BTreeSet::new());
    let mut posts = 0;
    for (receiver, endpoint) in receivers {
        for post in receiver.received() {
            posts += 1;
            assert_eq!(&post.endpoint, endpoint);
            assert!(deliveries.insert(post.delivery.clone()), "two posts of one id: {post:?}");
            let body = bodies.entry(post.event.clone()).or_insert_with(|| post.body.clone());
            assert_eq!(*body, post.body, "one event, one body");
            let rows = &histories[&(post.endpoint, post.event)];
            let row = rows.iter().find(|row| text(row, "id") == post.delivery).unwrap();
            assert_eq!(text(row, "request_body"), post.body);
        }
    }
    let customers: BTreeSet<&String> = bodies.values().collect();
    assert_eq!(customers.len(), bodies.len(), "two events of one customer");
    let rows = histories.values().flatten();
    let cut = rows.filter(|row| row["error_message"].as_str().is_some_and(is_interruption)).count();
    println!("{posts} posts of {} events; kills cut {cut} attempts short", bodies.len());
}

async fn a_thousand_events_end_delivered_failed_or_parked_at_receivers_of_all_manners_through_kills(
    store: StoreKind,
) {
    let settings = [
        ("RACUN__WEBHOOKS__ALLOW_PRIVATE_ADDRESSES", "true"),
        ("RACUN__WEBHOOKS__RETRY_DELAYS", "0s,1s,1s,1s,1s"),
        ("RACUN__WEBHOOKS__TIMEOUT_SECONDS", "1"),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let mut racun = Racun::start_with(Profile::Debug, Data::fresh(store), settings).await;
    let mut account = Account::sign_up(&racun).await;
    let mut receivers = Vec::new();
    for manner in MANNERS {
        let receiver = Receiver::start(manner).await;
        let wanted = json!({"url": receiver.url, "events": ["customer.created"]});
        let endpoint = text(&account.api.create("/webhooks", &wanted).await, "id");
        receivers.push((receiver, endpoint));
    }
    let made = make_through_kills(&mut racun, &mut account).await;
    let histories = settled(&account).await;

    let ends = ends(&histories, &made);
    assert_eq!(ends.len(), MANNERS.len());
    for (manner, (_, id)) in MANNERS.into_iter().zip(&receivers) {
        let own = histories.iter().filter(|((endpoint, _), _)| endpoint == id);
        let rows: Vec<&Value> = own.flat_map(|(_, rows)| rows).collect();
        let endpoint = account.api.read(&format!("/webhooks/{id}")).await;
        check_manner(manner, &ends[id], &rows, &endpoint);
    }
    let (all, _) = &receivers[0];
    let told: BTreeSet<String> = all.received().into_iter().map(|post| post.event).collect();
    let events: BTreeSet<String> = histories.keys().map(|(_, event)| event.clone()).collect();
    assert_eq!(told, events, "who answers 200 has every event");
    check_posts(&receivers, &histories);
}
