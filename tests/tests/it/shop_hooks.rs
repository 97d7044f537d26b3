//! 500 orders of a shop, whose webhooks repeat and come late while the server is killed: each is
//! made into one invoice. What is forged is refused.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use racun_tests::{Account, Client, Racun, Random, StoreKind, on_both_stores};
use ring::hmac;
use serde_json::{Value, json};
use tokio::task::JoinSet;

on_both_stores! {
    each_order_becomes_one_invoice_however_often_it_is_posted,
}

const ORDER: &str = include_str!("../../../crates/orders/tests/data/shopify_order.json");
const SECRET: &str = "shpss_hush";
const ORDERS: usize = 500;
/// Rounds, of which each but the last ends in a kill.
const ROUNDS: usize = 4;
/// Webhooks that a shop posts at once.
const AT_ONCE: usize = 16;
/// Until what is due is done.
const PATIENCE: Duration = Duration::from_secs(300);

/// The webhook of the order number `n`, which is written as that of `hour`.
fn hook(n: usize, hour: usize) -> String {
    let mut order: Value = serde_json::from_str(ORDER).expect("an order");
    order["id"] = (1_000 + n).into();
    order["name"] = format!("#{n}").into();
    order["updated_at"] = format!("2026-11-20T{:02}:00:00Z", 10 + hour).into();
    order.to_string()
}

/// A client that posts `body`, signed with `secret`.
fn signed(shop: &Client, body: &str, secret: &str) -> Client {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let signature = STANDARD.encode(hmac::sign(&key, body.as_bytes()).as_ref());
    shop.clone().with("x-shopify-hmac-sha256", &signature)
}

/// Posts each of `hooks`, some at once; answers those that were not taken: they got no answer, or
/// one that asks to send them again.
async fn post(shop: &Client, path: &str, hooks: Vec<String>) -> Vec<String> {
    let mut lost = Vec::new();
    let mut posting = JoinSet::new();
    for body in hooks {
        if posting.len() >= AT_ONCE
            && let Some(done) = posting.join_next().await
        {
            lost.extend(done.expect("a request"));
        }
        let (client, path) = (signed(shop, &body, SECRET), path.to_owned());
        posting.spawn(async move {
            let answer = client.try_json("POST", &path, body.clone()).await;
            let status = answer.as_ref().map_or(0, |answer| answer.status);
            assert!(matches!(status, 0 | 204 | 503), "{answer:?}");
            (status != 204).then_some(body)
        });
    }
    for one in posting.join_all().await {
        lost.extend(one);
    }
    lost
}

async fn each_order_becomes_one_invoice_however_often_it_is_posted(store: StoreKind) {
    let seed = Random::any_seed();
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let mut racun = Racun::start(store).await;
    let mut account = Account::sign_up(&racun).await;
    let rules = json!({"name": "Shop", "source": "shopify", "webhook_secret": SECRET,
        "auto_process": true, "auto_process_on": "created", "default_payment_type": "card"});
    let user = account.user.clone().with("x-entity-id", &account.entity);
    let made = user.create("/order-integrations", &rules).await;
    let integration = made["id"].as_str().expect("an id");
    let path = format!("/order-integrations/{integration}/webhooks/shopify");
    let mut lost = 0;
    for round in 0..ROUNDS {
        let own = (0..ORDERS).skip(round * ORDERS / ROUNDS).take(ORDERS / ROUNDS);
        // Each comes twice, as it was and as it became, in any order, and some of them again.
        let mut hooks: Vec<String> = own.flat_map(|n| [hook(n, 0), hook(n, 1)]).collect();
        for n in (1..hooks.len()).rev() {
            let end = u64::try_from(n + 1).expect("a number");
            hooks.swap(n, usize::try_from(random.below(end)).expect("a number"));
        }
        hooks.extend_from_within(..hooks.len() / 5);
        let shop = racun.client().with("x-shopify-topic", "orders/updated");
        let posting = tokio::spawn({
            let (shop, path) = (shop.clone(), path.clone());
            async move { post(&shop, &path, hooks).await }
        });
        if round + 1 < ROUNDS {
            // Somewhere among the first webhooks, or in the middle of processing.
            tokio::time::sleep(Duration::from_millis(200 + random.below(2_000))).await;
            racun.kill9();
            racun.restart().await;
        }
        let mut again = posting.await.expect("it ends");
        lost += again.len();
        let shop = racun.client().with("x-shopify-topic", "orders/updated");
        // As the platform does with what was not taken.
        let until = Instant::now() + PATIENCE;
        while !again.is_empty() {
            assert!(Instant::now() < until, "{} webhooks are not taken", again.len());
            again = post(&shop, &path, again).await;
        }
        let body = hook(round, 5);
        let forged = signed(&shop, &body, "another").json("POST", &path, body).await;
        forged.refused(401, "unauthorized");
        assert_eq!(forged.cause(), "invalid_signature");
    }
    println!("{lost} webhooks were lost, and posted again");
    account = account.at(&racun);
    let api = account.api.clone().with("x-entity-id", &account.entity);
    wait_until_processed(&racun, &api).await;
    check(&api).await;
}

/// Waits until nothing is left to the jobs that run; what a killed process had leased is processed
/// as a person does it, who does not wait until that lease is over.
async fn wait_until_processed(racun: &Racun, api: &Client) {
    let until = Instant::now() + PATIENCE;
    let mut last = usize::MAX;
    loop {
        let pending: Vec<Value> = api.all("/orders").await;
        let pending: Vec<&Value> =
            pending.iter().filter(|order| order["status"] != "processed").collect();
        if pending.is_empty() {
            return;
        }
        assert!(Instant::now() < until, "{:?}\n{}", pending.first(), racun.log());
        if pending.len() == last {
            for order in pending {
                let id = order["id"].as_str().expect("an id");
                api.post(&format!("/orders/{id}/process"), &json!({})).await.expect(200);
            }
        } else {
            last = pending.len();
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// Each order has an invoice of its own, and there is no other.
async fn check(api: &Client) {
    let orders = api.all("/orders").await;
    let invoices = api.all("/invoices").await;
    assert_eq!((orders.len(), invoices.len()), (ORDERS, ORDERS));
    let of = |rows: &[Value], field: &str| -> BTreeSet<String> {
        let named = rows.iter().filter_map(|row| row[field].as_str());
        named.map(str::to_owned).collect()
    };
    assert_eq!(of(&orders, "source_id").len(), ORDERS, "each order is kept once");
    assert_eq!(of(&orders, "invoice_id"), of(&invoices, "id"));
    let ordered = invoices.iter().filter_map(|one| one["metadata"]["order_id"].as_str());
    let ordered: BTreeSet<String> = ordered.map(str::to_owned).collect();
    assert_eq!(ordered, of(&orders, "id"));
    assert!(invoices.iter().all(|invoice| invoice["total_with_tax"] == json!(113.9)));
}
