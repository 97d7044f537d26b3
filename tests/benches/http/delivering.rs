//! Deliveries of events to a fast receiver, alone and beside receivers that are gone: one that
//! accepts connections and never answers, and one whose port is closed. The receivers are in this
//! process, on the same processors.
//!
//! Events are made while endpoints are not active, so that they are parked. Replaying them fills
//! the queue; deliveries are counted where they arrive, from when it is full.

use std::time::{Duration, Instant};

use racun_tests::{Account, Behaviour, Data, Profile, Racun, Receiver, with_query};
use serde_json::json;

use crate::CLIENTS;
use crate::load::{FRESH, one_by_one, request};
use crate::report::{aim, bare_line, ratio, thousandths};

/// Events that are parked at each endpoint.
const EVENTS: usize = 5_000;

/// Of them, those that are at least counted.
const COUNTED: usize = 2_000;

/// How often each rate is measured.
const ROUNDS: usize = 2;

/// Until all must have happened.
const PATIENCE: Duration = Duration::from_secs(300);

/// Deliveries in a second.
pub struct Rates {
    alone: u64,
    beside: u64,
}

/// Measures on a server of its own, on `data`; `count` lets the store see how much there is once
/// all is made. A young one plans for empty tables.
pub async fn measure(data: Data, count: impl FnOnce()) -> Rates {
    let allowed = ("RACUN__WEBHOOKS__ALLOW_PRIVATE_ADDRESSES".to_owned(), "true".to_owned());
    let racun = Racun::start_with(Profile::Release, data, vec![allowed]).await;
    let account = Account::sign_up(&racun).await;
    let mut fast = Vec::new();
    for _ in 0..2 * ROUNDS {
        fast.push(Endpoint::make(&account, Receiver::start(Behaviour::Answers(200)).await).await);
    }
    let silent = Receiver::start(Behaviour::Hangs).await;
    let away = [park(&account, &silent.url).await, park(&account, &Receiver::gone().await).await];
    make_events(&racun, &account, fast.len() + away.len()).await;
    count();

    let mut rates = Rates { alone: 0, beside: 0 };
    let (alone, beside) = fast.split_at(ROUNDS);
    for endpoint in alone {
        rates.alone = rates.alone.max(endpoint.rate(&account).await);
    }
    for endpoint in &away {
        replay(&account, endpoint).await;
    }
    for endpoint in beside {
        rates.beside = rates.beside.max(endpoint.rate(&account).await);
    }
    assert!(silent.count() > 0, "nothing was sent to the receiver that does not answer");
    rates
}

impl Rates {
    pub fn print(&self) {
        let Self { alone, beside } = *self;
        bare_line("deliveries to a fast receiver", alone);
        bare_line("deliveries, beside two receivers that are gone", beside);
        aim(
            "deliveries to a fast receiver in a second",
            &alone.to_string(),
            ">= 500",
            alone >= 500,
        );
        let is_met = thousandths(beside, alone) >= 900;
        aim("beside two receivers that are gone", &ratio(beside, alone), ">= 0.9", is_met);
    }
}

/// An endpoint whose receiver is fast.
struct Endpoint {
    id: String,
    receiver: Receiver,
}

impl Endpoint {
    async fn make(account: &Account, receiver: Receiver) -> Self {
        Self { id: park(account, &receiver.url).await, receiver }
    }

    /// Sends it what is parked; answers how much arrives in a second.
    async fn rate(&self, account: &Account) -> u64 {
        replay(account, &self.id).await;
        let (start, before) = (Instant::now(), self.receiver.count());
        while self.receiver.count() < EVENTS {
            assert!(start.elapsed() < PATIENCE, "{} of {EVENTS} arrived", self.receiver.count());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let (took, counted) = (start.elapsed(), EVENTS - before);
        assert!(counted >= COUNTED, "{before} of {EVENTS} arrived before the queue was full");
        let milliseconds = u64::try_from(took.as_millis()).expect("minutes").max(1);
        u64::try_from(counted).expect("few") * 1_000 / milliseconds
    }
}

/// An endpoint whose events are parked; answers its id.
async fn park(account: &Account, url: &str) -> String {
    let wanted = json!({ "url": url, "events": ["customer.created"], "active": false });
    let made = account.api.create("/webhooks", &wanted).await;
    made["id"].as_str().expect("an id").to_owned()
}

/// Makes events, and waits until each is parked at so many `endpoints`.
async fn make_events(racun: &Racun, account: &Account, endpoints: usize) {
    let body = json!({ "name": FRESH }).to_string();
    let requests = vec![request("POST", "/customers", &account.key, &body); EVENTS / CLIENTS];
    let rest = vec![requests[0].clone(); EVENTS % CLIENTS];
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| one_by_one(racun.address(), &requests));
        }
        one_by_one(racun.address(), &rest);
    });
    let (start, wanted) = (Instant::now(), u64::try_from(EVENTS * endpoints).expect("few"));
    let parked = with_query("/webhook-logs", &[("limit", "1"), ("status", "parked")]);
    loop {
        let parked = account.api.read(&parked).await["pagination"]["total"].as_u64();
        if parked == Some(wanted) {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "{parked:?} of {wanted} are parked");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Sends the endpoint `id` what was parked.
async fn replay(account: &Account, id: &str) {
    let path = format!("/webhooks/{id}");
    account.api.patch(&path, &json!({ "active": true })).await.expect(200);
    let range = json!({ "from": "2026-01-01", "to": "2100-01-01", "status": "parked" });
    let path = format!("{path}/replay");
    while account.api.post(&path, &range).await.expect(200)["has_more"] == true {}
}
