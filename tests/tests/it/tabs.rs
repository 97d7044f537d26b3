//! Tabs under load: devices of one shop add, repeat, hang up and claim at once, and nothing is
//! lost, doubled or given to two.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use racun_tests::{Account, Answer, Client, Racun, Random, StoreKind, on_both_stores};
use serde_json::{Value, json};
use tokio::task::JoinSet;

on_both_stores! {
    what_eight_devices_add_at_once_is_neither_lost_nor_doubled,
    of_eight_devices_that_claim_a_tab_at_once_one_wins,
    tables_made_at_once_stay_within_their_limit,
}

/// Devices that are at work at once.
const DEVICES: usize = 8;
/// Tabs that they share.
const TABS: usize = 50;
/// Appends that they send together, repeats included.
const APPENDS: usize = 5_000;
/// Items that are ordered.
const ITEMS: usize = 5;

/// What one append orders: tab, item, and how many.
#[derive(Clone, Debug)]
struct Order {
    tab: usize,
    item: usize,
    quantity: u64,
    append_id: String,
}

/// A shop with open tabs, and what was accepted on them.
struct Shop {
    tabs: Vec<String>,
    items: Vec<String>,
    accepted: Mutex<Vec<Order>>,
}

impl Shop {
    async fn open(api: &Client, tabs: usize) -> Arc<Self> {
        let mut shop = Self { tabs: Vec::new(), items: Vec::new(), accepted: Mutex::default() };
        for n in 0..ITEMS {
            let item = json!({ "name": format!("Item {n}"), "gross_price": 2.5 });
            shop.items.push(id(&api.create("/items", &item).await));
        }
        for _ in 0..tabs {
            shop.tabs.push(id(&api.create("/pos/tabs", &json!({})).await));
        }
        Arc::new(shop)
    }

    async fn try_append(&self, device: &Client, order: &Order) -> Option<Answer> {
        let body = json!({
            "items": [{ "item_id": self.items[order.item], "quantity": order.quantity }],
            "append_id": order.append_id,
        });
        let path = format!("/pos/tabs/{}/items", self.tabs[order.tab]);
        device.try_json("POST", &path, body.to_string()).await.ok()
    }

    async fn append(&self, device: &Client, order: &Order) {
        let answer = self.try_append(device, order).await;
        answer.expect("an answer").expect(200);
    }

    /// An order that some device sent before and knows to be accepted.
    fn earlier(&self, random: &mut Random) -> Option<Order> {
        let accepted = self.accepted.lock().expect("no panic");
        let count = u64::try_from(accepted.len()).expect("a number");
        (count > 0).then(|| accepted[index(random.below(count))].clone())
    }
}

fn id(made: &Value) -> String {
    made["id"].as_str().expect("an id").to_owned()
}

fn index(number: u64) -> usize {
    usize::try_from(number).expect("an index")
}

fn below(random: &mut Random, end: usize) -> usize {
    index(random.below(u64::try_from(end).expect("a number")))
}

/// Sends a device's share of the appends: of ten, one is hung up on and sent again, and three
/// repeat one: at the same time or later, of this device or of another.
async fn work(shop: Arc<Shop>, device: Client, number: usize) {
    let mut random = Random::new(u64::try_from(number).expect("a number"));
    let mut sent = 0;
    while sent < APPENDS / DEVICES {
        let order = Order {
            tab: below(&mut random, TABS),
            item: below(&mut random, ITEMS),
            quantity: 1 + random.below(3),
            append_id: format!("{number}/{sent}"),
        };
        match random.below(6) {
            // Twice at once.
            0 => {
                tokio::join!(shop.append(&device, &order), shop.append(&device, &order));
                sent += 2;
            }
            // Hung up on while it is under way, and again.
            1 => {
                let patience = Duration::from_micros(random.below(4_000));
                let hung_up = shop.try_append(&device, &order);
                let _: Result<_, _> = tokio::time::timeout(patience, hung_up).await;
                shop.append(&device, &order).await;
                sent += 2;
            }
            // One that was accepted, and a new one.
            2 | 3 => {
                if let Some(earlier) = shop.earlier(&mut random) {
                    shop.append(&device, &earlier).await;
                }
                shop.append(&device, &order).await;
                sent += 2;
            }
            _ => {
                shop.append(&device, &order).await;
                sent += 1;
            }
        }
        shop.accepted.lock().expect("no panic").push(order);
    }
}

async fn what_eight_devices_add_at_once_is_neither_lost_nor_doubled(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let shop = Shop::open(&account.api, TABS).await;
    let before = account.api.get("/pos/tabs").await;
    let devices: Vec<Client> = (0..DEVICES).map(|_| racun.client().bearer(&account.key)).collect();
    let mut at_work = JoinSet::new();
    for (number, device) in devices.iter().enumerate() {
        at_work.spawn(work(Arc::clone(&shop), device.clone(), number));
    }
    at_work.join_all().await;

    let accepted = shop.accepted.lock().expect("no panic").clone();
    let names: BTreeSet<&str> = accepted.iter().map(|order| order.append_id.as_str()).collect();
    assert_eq!(names.len(), accepted.len());
    assert!(accepted.len() > APPENDS / 2 && accepted.len() < APPENDS * 4 / 5, "{}", accepted.len());
    let mut expected: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let mut versions: BTreeMap<&str, u64> = BTreeMap::new();
    for order in &accepted {
        let tab = shop.tabs[order.tab].as_str();
        *expected.entry((tab, &shop.items[order.item])).or_default() += order.quantity;
        *versions.entry(tab).or_insert(1) += 1;
    }

    let list = devices[0].get("/pos/tabs").await;
    assert_ne!(list.etag, before.etag);
    let tabs = list.expect(200)["data"].as_array().expect("tabs").clone();
    assert_eq!(tabs.len(), TABS);
    let mut found: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for tab in &tabs {
        let tab_id = tab["id"].as_str().expect("an id");
        assert_eq!(tab["version"], json!(versions[tab_id]), "one version for each append");
        for line in tab["items"].as_array().expect("lines") {
            let key = (tab_id, line["item_id"].as_str().expect("an id"));
            let quantity = line["quantity"].as_u64().expect("a whole number");
            assert_eq!(found.insert(key, quantity), None, "lines of one order are one line");
        }
    }
    assert_eq!(found, expected);
    for device in &devices {
        let same = device.get("/pos/tabs").await;
        assert_eq!((&same.etag, &same.text), (&list.etag, &list.text));
        let seen = device.clone().with("if-none-match", &list.etag).get("/pos/tabs").await;
        assert_eq!((seen.status, seen.text.as_str(), &seen.etag), (304, "", &list.etag));
    }
}

async fn of_eight_devices_that_claim_a_tab_at_once_one_wins(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let shop = Shop::open(&account.api, TABS).await;
    for tab in &shop.tabs {
        let mut at_once = JoinSet::new();
        for number in 0..DEVICES {
            let (api, path) = (account.api.clone(), format!("/pos/tabs/{tab}/claim"));
            at_once.spawn(async move {
                let device = format!("till-{number}");
                (api.post(&path, &json!({ "device_id": device })).await, device)
            });
        }
        let answers = at_once.join_all().await;
        let (won, lost): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|(answer, _)| answer.status == 200);
        assert_eq!(won.len(), 1, "one device has the claim");
        let (answer, winner) = &won[0];
        let claimed = answer.expect(200);
        assert_eq!(
            (&claimed["claimed_by_device"], &claimed["version"]),
            (&json!(winner), &json!(2))
        );
        for (answer, _) in &lost {
            assert_eq!(answer.refused(409, "already_claimed")["tab"], claimed);
        }
    }
}

async fn tables_made_at_once_stay_within_their_limit(store: StoreKind) {
    const LIMIT: usize = 200;
    let racun = Racun::start(store).await;
    let api = Account::sign_up(&racun).await.api;
    let mut made = 0;
    for _ in 0..14 {
        let mut at_once = JoinSet::new();
        for number in 0..16 {
            let api = api.clone();
            let table = json!({ "label": format!("Table {number}") });
            at_once.spawn(async move { api.post("/pos/tables", &table).await });
        }
        for answer in at_once.join_all().await {
            match answer.status {
                201 => made += 1,
                _ => {
                    answer.expect(422);
                    assert_eq!(answer.cause(), "too_many_tables");
                }
            }
        }
    }
    assert_eq!(made, LIMIT);
    let tables = api.read("/pos/tables").await;
    assert_eq!(tables["data"].as_array().expect("tables").len(), LIMIT);
}
