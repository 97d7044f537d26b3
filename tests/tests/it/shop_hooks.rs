//! 500 orders of two shops, one on each platform, whose webhooks repeat and come late while the
//! server is killed: each is made into one invoice. What is forged is refused.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use racun_tests::{Account, Answer, Client, Racun, Random, StoreKind, on_both_stores};
use ring::hmac;
use serde_json::{Value, json};
use tokio::task::JoinSet;

on_both_stores! {
    each_order_becomes_one_invoice_however_often_it_is_posted,
}

const SHOPIFY: &str = include_str!("../../../crates/orders/tests/data/shopify_order.json");
const WOOCOMMERCE: &str = include_str!("../../../crates/orders/tests/data/woocommerce_order.json");
const SECRET: &str = "shpss_hush";
const ORDERS: usize = 500;
/// Rounds, of which each but the last ends in a kill.
const ROUNDS: usize = 4;
/// Webhooks that a shop posts at once.
const AT_ONCE: usize = 16;
/// Until what is due is done.
const PATIENCE: Duration = Duration::from_secs(300);

/// A shop, and how its platform posts.
#[derive(Clone)]
struct Shop {
    /// The header that names the topic, and the topic of an order that changed.
    topic: (&'static str, &'static str),
    /// The header that signs.
    signature: &'static str,
    /// Where its webhooks go.
    path: String,
}

impl Shop {
    async fn open(user: &Client, source: &str) -> Self {
        let rules = json!({"name": "Shop", "source": source, "webhook_secret": SECRET,
            "auto_process": true, "auto_process_on": "created", "default_payment_type": "card"});
        let made = user.create("/order-integrations", &rules).await;
        let id = made["id"].as_str().expect("an id");
        let (topic, signature) = match source {
            "shopify" => (("x-shopify-topic", "orders/updated"), "x-shopify-hmac-sha256"),
            _ => (("x-wc-webhook-topic", "order.updated"), "x-wc-webhook-signature"),
        };
        let path = format!("/order-integrations/{id}/webhooks/{source}");
        Self { topic, signature, path }
    }

    /// The answer to `body`, signed with `secret`.
    async fn post(
        &self,
        client: Client,
        body: &str,
        secret: &str,
    ) -> Result<Answer, reqwest::Error> {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        let signature = STANDARD.encode(hmac::sign(&key, body.as_bytes()).as_ref());
        let (header, topic) = self.topic;
        let client = client.with(header, topic).with(self.signature, &signature);
        client.try_json("POST", &self.path, body).await
    }
}

/// A webhook.
#[derive(Clone)]
struct Hook {
    /// The place of its shop.
    shop: usize,
    body: String,
}

impl Hook {
    /// That of the order number `n`, which is written as that of `hour`: from the hour 1 on it is
    /// on its way. Each fourth is of the second shop, which has the ids of some of the first.
    fn new(n: usize, hour: usize) -> Self {
        let at = format!("2026-11-20T{:02}:00:00", 10 + hour);
        let is_sent = hour > 0;
        let parsed = |order: &str| serde_json::from_str::<Value>(order).expect("an order");
        let (shop, order) = if n % 4 == 3 {
            let mut order = parsed(WOOCOMMERCE);
            order["id"] = (1_000 + n / 4).into();
            order["number"] = n.to_string().into();
            order["status"] = if is_sent { "completed" } else { "processing" }.into();
            order["date_paid_gmt"] = "2026-11-20T09:30:00".into();
            order["date_completed_gmt"] = json!(is_sent.then_some(&at));
            order["date_modified_gmt"] = at.into();
            (1, order)
        } else {
            let mut order = parsed(SHOPIFY);
            order["id"] = (1_000 + n).into();
            order["name"] = format!("#{n}").into();
            order["fulfillment_status"] = json!(is_sent.then_some("fulfilled"));
            order["updated_at"] = format!("{at}Z").into();
            (0, order)
        };
        Self { shop, body: order.to_string() }
    }
}

/// Posts each of `hooks`, some at once; answers those that were not taken: they got no answer, or
/// one that asks to send them again.
async fn post(client: &Client, shops: &[Shop], hooks: Vec<Hook>) -> Vec<Hook> {
    let mut lost = Vec::new();
    let mut posting = JoinSet::new();
    for hook in hooks {
        if posting.len() >= AT_ONCE
            && let Some(done) = posting.join_next().await
        {
            lost.extend(done.expect("a request"));
        }
        let (client, shop) = (client.clone(), shops[hook.shop].clone());
        posting.spawn(async move {
            let answer = shop.post(client, &hook.body, SECRET).await;
            let status = answer.as_ref().map_or(0, |answer| answer.status);
            assert!(matches!(status, 0 | 204 | 503), "{answer:?}");
            (status != 204).then_some(hook)
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
    let user = account.user.clone().with("x-entity-id", &account.entity);
    let shops = [Shop::open(&user, "shopify").await, Shop::open(&user, "woocommerce").await];
    let mut lost = 0;
    for round in 0..ROUNDS {
        let own = (0..ORDERS).skip(round * ORDERS / ROUNDS).take(ORDERS / ROUNDS);
        // Each comes twice, as it was and as it became, in any order, and some of them again.
        let mut hooks: Vec<Hook> = own.flat_map(|n| [Hook::new(n, 0), Hook::new(n, 1)]).collect();
        for n in (1..hooks.len()).rev() {
            let end = u64::try_from(n + 1).expect("a number");
            hooks.swap(n, usize::try_from(random.below(end)).expect("a number"));
        }
        hooks.extend_from_within(..hooks.len() / 5);
        let posting = tokio::spawn({
            let (client, shops) = (racun.client(), shops.clone());
            async move { post(&client, &shops, hooks).await }
        });
        if round + 1 < ROUNDS {
            // Somewhere among the first webhooks, or in the middle of processing.
            tokio::time::sleep(Duration::from_millis(200 + random.below(2_000))).await;
            racun.kill9();
            racun.restart().await;
        }
        let mut again = posting.await.expect("it ends");
        lost += again.len();
        // As the platform does with what was not taken.
        let until = Instant::now() + PATIENCE;
        while !again.is_empty() {
            assert!(Instant::now() < until, "{} webhooks are not taken", again.len());
            again = post(&racun.client(), &shops, again).await;
        }
        for n in [2, 3] {
            let Hook { shop, body } = Hook::new(n, 5);
            let forged = shops[shop].post(racun.client(), &body, "another").await;
            let forged = forged.expect("an answer");
            forged.refused(401, "unauthorized");
            assert_eq!(forged.cause(), "invalid_signature");
        }
    }
    println!("{lost} webhooks were lost, and posted again");
    account = account.at(&racun);
    let api = account.api.clone().with("x-entity-id", &account.entity);
    wait_until_processed(&racun, &api).await;
    let (orders, invoices) = check(&api).await;
    // What comes late once more, as it was at first, changes nothing.
    let late = (0..ORDERS).map(|n| Hook::new(n, 0)).collect();
    let refused = post(&racun.client(), &shops, late).await;
    assert_eq!(refused.len(), 0, "{}", racun.log());
    for (path, before) in [("/orders", orders), ("/invoices", invoices)] {
        let after = api.all(path).await;
        let changed = before.iter().zip(&after).find(|(before, after)| before != after);
        assert!(changed.is_none() && before.len() == after.len(), "{changed:?}");
    }
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

/// Each order is as its shop told last, and has an invoice of its own; there is no other. Answers
/// the orders and the invoices.
async fn check(api: &Client) -> (Vec<Value>, Vec<Value>) {
    let orders = api.all("/orders").await;
    let invoices = api.all("/invoices").await;
    assert_eq!((orders.len(), invoices.len()), (ORDERS, ORDERS));
    let of = |rows: &[Value], field: &str| -> BTreeSet<String> {
        let named = rows.iter().filter_map(|row| row[field].as_str());
        named.map(str::to_owned).collect()
    };
    let told = |order: &Value| format!("{} {}", order["source"], order["source_id"]);
    let told: BTreeSet<String> = orders.iter().map(told).collect();
    assert_eq!(told.len(), ORDERS, "each order is kept once");
    assert_eq!(of(&orders, "invoice_id"), of(&invoices, "id"));
    for order in &orders {
        assert_eq!(order["fulfilled"], json!(true), "{order}");
        let invoice = invoices.iter().find(|one| one["id"] == order["invoice_id"]);
        let invoice = invoice.expect("its invoice");
        assert_eq!(invoice["metadata"]["order_id"], order["id"]);
        let total = if order["source"] == "shopify" { json!(113.9) } else { json!(42.7) };
        assert_eq!(invoice["total_with_tax"], total, "{order}");
    }
    let of_second = orders.iter().filter(|order| order["source"] == "woocommerce").count();
    assert_eq!(of_second, ORDERS / 4);
    (orders, invoices)
}
