//! Shops whose owners consent, and whose earlier orders are read.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use actix_web::test::TestRequest;
use async_trait::async_trait;
use racun_application::Services;
use racun_background::jobs::{Handler, JobKind, Outcome, claim, perform};
use racun_kernel::Environment;
use racun_orders::{Grant, OrdersPage, PageRequest, PlatformError, ShopAccess, ShopPlatforms};
use racun_shop::OrderSyncHandler;
use serde_json::{Value, json};

use crate::harness::{Answer, Api, Who, text};

const ORDER: &str = include_str!("../../../orders/tests/data/shopify_order.json");

/// A platform in memory, with shops of so many orders.
#[derive(Default)]
pub struct Scripted {
    /// The orders of every shop.
    pub orders: Mutex<u64>,
    /// What it says to the next questions, in the place of an answer.
    pub failures: Mutex<VecDeque<PlatformError>>,
    /// Which pages were asked for, and with which token.
    pub asked: Mutex<Vec<(PageRequest, String)>>,
    /// How many consents were given.
    pub granted: Mutex<u32>,
    /// With which tokens shops were told to post their orders, and where to.
    pub subscribed: Mutex<Vec<(String, String)>>,
}

fn order(n: u64) -> Value {
    let mut order: Value = serde_json::from_str(ORDER).unwrap();
    order["id"] = (1_000 + n).into();
    order["name"] = format!("#{n}").into();
    order
}

#[async_trait]
impl ShopPlatforms for Scripted {
    fn consent_page(
        &self,
        _: Environment,
        domain: &str,
        state: &str,
        back: &str,
    ) -> Result<String, PlatformError> {
        Ok(format!("{back}?shop={domain}&state={state}&code=c-1&hmac=good"))
    }

    fn is_genuine(&self, _: Environment, query: &[(String, String)]) -> bool {
        query.iter().any(|(name, value)| name == "hmac" && value == "good")
    }

    async fn grant(&self, _: Environment, _: &str, code: &str) -> Result<Grant, PlatformError> {
        if code != "c-1" {
            return Err(PlatformError::Refused("no such code".to_owned()));
        }
        let mut granted = self.granted.lock().unwrap();
        *granted += 1;
        Ok(Grant {
            token: format!("shpat_{granted}"),
            scopes: Some("read_orders".to_owned()),
            webhook_secret: "app secret".to_owned(),
        })
    }

    async fn subscribe(
        &self,
        _: Environment,
        shop: &ShopAccess,
        address: &str,
    ) -> Result<(), PlatformError> {
        if let Some(failure) = self.failures.lock().unwrap().pop_front() {
            return Err(failure);
        }
        self.subscribed.lock().unwrap().push((shop.token.clone(), address.to_owned()));
        Ok(())
    }

    async fn orders(
        &self,
        _: Environment,
        shop: &ShopAccess,
        page: &PageRequest,
    ) -> Result<OrdersPage, PlatformError> {
        self.asked.lock().unwrap().push((page.clone(), shop.token.clone()));
        if let Some(failure) = self.failures.lock().unwrap().pop_front() {
            return Err(failure);
        }
        let begin: u64 = page.cursor.as_deref().map_or(0, |text| text.parse().unwrap());
        let (count, limit) = (*self.orders.lock().unwrap(), u64::from(page.limit));
        let end = count.min(begin + limit);
        let mut orders: Vec<Value> = (begin..end).map(order).collect();
        if begin == 0 && count > 2 {
            orders[1] = json!({"id": "not an order"});
        }
        Ok(OrdersPage { orders, next: (end < count).then(|| end.to_string()) })
    }
}

/// An application with shops in memory.
pub(crate) struct World {
    pub(crate) api: Api,
    pub(crate) owner: Who,
    pub(crate) shops: Arc<Scripted>,
}

impl World {
    pub(crate) async fn of(orders: u64) -> Self {
        let shops = Arc::<Scripted>::default();
        *shops.orders.lock().unwrap() = orders;
        let own = Arc::clone(&shops);
        let api = Api::with(|services| Services { shops: own, ..services }).await;
        let owner = api.owner("ana@example.com").await;
        Self { api, owner, shops }
    }

    /// The query that Shopify leads back with.
    pub(crate) async fn consent(&self) -> String {
        let body = json!({"shop_domain": "https://Ana.myshopify.com/", "name": "Ana's shop"});
        let path = "/order-integrations/shopify/authorize";
        let page = self.api.post(path, &self.owner, body).await.with(200).json();
        let page = text(&page["redirect_url"]);
        let back = "https://racun.example/order-integrations/shopify/callback?";
        page.strip_prefix(back).unwrap_or_else(|| panic!("{page}")).to_owned()
    }

    pub(crate) async fn back(&self, query: &str) -> Answer {
        let path = format!("/order-integrations/shopify/callback?{query}");
        self.api.call(TestRequest::get().uri(&path)).await
    }

    pub(crate) async fn sync(&self, id: &Value, body: Value) -> Answer {
        let path = format!("/order-integrations/{}/sync", text(id));
        self.api.post(&path, &self.owner, body).await
    }

    pub(crate) async fn integration(&self, id: &Value) -> Value {
        let path = format!("/order-integrations/{}", text(id));
        self.api.get(&path, &self.owner).await.with(200).json()
    }

    pub(crate) async fn orders(&self) -> Value {
        let page = self.api.get("/orders?limit=1", &self.owner).await.with(200).json();
        page["pagination"]["total"].clone()
    }

    fn handler(&self) -> OrderSyncHandler {
        let services = self.api.services.clone();
        OrderSyncHandler {
            store: Arc::clone(&self.api.services.store),
            vault: self.api.services.vault.clone(),
            platforms: self.shops.clone(),
            stamp: Arc::new(move || services.stamp()),
        }
    }

    /// Does what is due; how many jobs were.
    async fn work(&self) -> usize {
        let (handler, services) = (self.handler(), self.api.services.clone());
        let stamp = move || services.stamp();
        let store = &*self.api.services.store;
        let jobs = claim(store, &[JobKind::OrderSync], &stamp(), 100).await.unwrap();
        for job in &jobs {
            perform(store, &handler, job, &stamp).await.unwrap();
        }
        jobs.len()
    }
}

#[actix_web::test]
async fn a_consent_makes_one_integration_and_shows_no_secret() {
    let world = World::of(3).await;
    let query = world.consent().await;
    let made = world.back(&format!("{query}&host=abc&timestamp=1")).await.with(200).json();
    assert_eq!((&made["name"], &made["source"]), (&json!("Ana's shop"), &json!("shopify")));
    assert_eq!(made["shop_domain"], "ana.myshopify.com");
    assert_eq!(made["scopes"], "read_orders");
    assert!(!made.to_string().contains("shpat_1") && !made.to_string().contains("app secret"));
    let again = world.back(&query).await.with(200).json();
    assert_eq!(again["id"], made["id"], "the same consent makes no second one");
    let page = world.api.get("/order-integrations", &world.owner).await.with(200).json();
    assert_eq!(page["pagination"]["total"], 1);
    let read = world.sync(&made["id"], json!({})).await.with(200).json();
    assert_eq!((&read["status"], &read["orders_taken"]), (&json!("completed"), &json!(2)));
    assert_eq!(world.shops.asked.lock().unwrap()[0].1, "shpat_1");
}

#[actix_web::test]
async fn what_comes_back_must_be_a_consent_of_this_server_and_in_time() {
    let world = World::of(3).await;
    let query = world.consent().await;
    let state = query.split("state=").nth(1).unwrap().split('&').next().unwrap();
    let middle = state.len() / 2;
    let other = if &state[middle..=middle] == "A" { "B" } else { "A" };
    let altered = format!("{}{other}{}", &state[..middle], &state[middle + 1..]);
    for bad in [
        query.replace("hmac=good", "hmac=bad"),
        query.replace(state, &altered),
        query.replace("shop=ana.", "shop=eva."),
        query.replace(&format!("&state={state}"), ""),
        format!("{query}&state={state}"),
        String::new(),
    ] {
        let refused = world.back(&bad).await.with(401).json();
        assert_eq!(refused["cause"]["code"], "invalid_consent", "{bad}");
    }
    let code = world.back(&query.replace("c-1", "c-2")).await.with(422).json();
    assert_eq!(code["cause"]["code"], "platform_refused");
    world.api.pass(1_801);
    world.back(&query).await.with(401);
    let page = world.api.get("/order-integrations", &world.owner).await.with(200).json();
    assert_eq!(page["pagination"]["total"], 0);
    let path = "/order-integrations/shopify/authorize";
    let wrong = json!({"shop_domain": "ana.example.com", "name": " "});
    let refused = world.api.post(path, &world.owner, wrong).await.with(422);
    for field in ["shop_domain", "name"] {
        assert!(refused.text.contains(&format!("[\"{field}\"]")), "{refused:?}");
    }
}

#[actix_web::test]
async fn earlier_orders_are_read_page_by_page_and_again_without_effect() {
    let world = World::of(5).await;
    let rules = json!({"name": "Shop", "source": "shopify", "shop_domain": "a.myshopify.com"});
    let made = world.api.post("/order-integrations", &world.owner, rules).await.with(201).json();
    let id = &made["id"];
    let refused = world.sync(id, json!({})).await.with(422).json();
    assert_eq!(refused["cause"]["code"], "shop_not_authorized");
    let path = format!("/order-integrations/{}", text(id));
    let token = json!({"access_token": "shpat_2"});
    let after = world.api.patch(&path, &world.owner, token).await.with(200);
    assert!(!after.text.contains("shpat_2"));
    for (body, field) in [
        (json!({"limit": 251}), "limit"),
        (json!({"cursor": "x".repeat(2_049)}), "cursor"),
        (
            json!({"updated_since": "2026-02-01T00:00:00Z",
                   "updated_until": "2026-01-01T00:00:00Z"}),
            "updated_until",
        ),
    ] {
        let (found, _) = world.sync(id, body).await.with(422).issue();
        assert_eq!(found, format!("[\"{field}\"]"));
    }
    let mut cursor = Value::Null;
    for (status, taken, next) in
        [("running", 1, json!("2")), ("running", 2, json!("4")), ("completed", 1, Value::Null)]
    {
        let asked = json!({"limit": 2, "cursor": cursor});
        let read = world.sync(id, asked).await.with(200).json();
        assert_eq!((&read["status"], &read["orders_taken"]), (&json!(status), &json!(taken)));
        assert_eq!(read["next_cursor"], next);
        cursor = next;
    }
    assert_eq!(world.orders().await, 4);
    let again = world.sync(id, json!({})).await.with(200).json();
    assert_eq!((&again["orders_taken"], &again["orders_skipped"]), (&json!(4), &json!(1)));
    assert!(text(&again["error"]).len() > 5, "{again}");
    assert_eq!(world.orders().await, 4);
    world.shops.failures.lock().unwrap().push_back(PlatformError::NoAnswer("away".to_owned()));
    let away = world.sync(id, json!({})).await.with(503).json();
    assert_eq!(away["cause"]["code"], "platform_unreachable");
}

#[actix_web::test]
async fn a_job_reads_all_pages_and_goes_on_where_another_stopped() {
    let world = World::of(500).await;
    let made = world.back(&world.consent().await).await.with(200).json();
    let id = &made["id"];
    let wanted = json!({"resumable": true, "limit": 100, "updated_since": "2026-01-01T00:00:00Z"});
    let begun = world.sync(id, wanted.clone()).await.with(200).json();
    assert_eq!((&begun["status"], &begun["orders_taken"]), (&json!("running"), &json!(0)));
    let same = world.sync(id, wanted).await.with(200).json();
    assert_eq!(same["started_at"], begun["started_at"], "one reading at a time");

    // The platform falls silent after two pages; the job waits, and reads the rest.
    world.api.pass(1);
    let silence = || PlatformError::NoAnswer("away".to_owned());
    let services = world.api.services.clone();
    let job = claim(&*services.store, &[JobKind::OrderSync], &services.stamp(), 1).await.unwrap();
    let handler = world.handler();
    assert!(handler.read_page(&job[0]).await.unwrap());
    assert!(handler.read_page(&job[0]).await.unwrap());
    world.shops.failures.lock().unwrap().push_back(silence());
    assert!(matches!(handler.run(&job[0]).await, Outcome::Ends(_)));
    let half = world.integration(id).await["sync"].clone();
    assert_eq!((&half["orders_taken"], &half["next_cursor"]), (&json!(199), &json!("200")));
    // Its worker dies, and another takes over where it stopped.
    world.api.pass(180);
    assert_eq!(world.work().await, 1);
    let done = world.integration(id).await["sync"].clone();
    assert_eq!((&done["status"], &done["orders_taken"]), (&json!("completed"), &json!(499)));
    assert_eq!(done["orders_skipped"], 1);
    assert_eq!(world.orders().await, 499);
    let asked = world.shops.asked.lock().unwrap().clone();
    let cursors: Vec<Option<&str>> = asked.iter().map(|(page, _)| page.cursor.as_deref()).collect();
    let expected = [None, Some("100"), Some("200"), Some("200"), Some("300"), Some("400")];
    assert_eq!(cursors, expected, "no page is read twice but the one that was lost");
    assert_eq!(world.work().await, 0);

    let refusal = PlatformError::Refused("402: the shop is closed".to_owned());
    world.shops.failures.lock().unwrap().push_back(refusal);
    world.sync(id, json!({"resumable": true})).await.with(200);
    world.work().await;
    let failed = world.integration(id).await["sync"].clone();
    assert_eq!(failed["status"], "failed");
    assert!(text(&failed["error"]).contains("closed"));
    assert_eq!(world.work().await, 0, "what is refused is not tried again");
}

#[actix_web::test]
async fn a_shop_whose_owner_consents_posts_its_orders_or_is_asked_to_later() {
    let world = World::of(0).await;
    let resume = async |shop: &str| {
        let path = "/order-integrations/shopify/resume-install";
        world.api.post(path, &world.owner, json!({"shop": shop})).await
    };
    let before = resume("ana.myshopify.com").await.with(200).json();
    assert!(text(&before["redirect_url"]).contains("shop=ana.myshopify.com"), "{before}");
    assert_eq!(before["integration"], Value::Null);
    assert_eq!(resume("ana.example.com").await.with(422).issue().0, "[\"shop\"]");
    let away = || PlatformError::NoAnswer("away".to_owned());
    world.shops.failures.lock().unwrap().push_back(away());
    let made = world.back(&world.consent().await).await.with(200).json();
    assert_eq!(made["webhooks_at"], Value::Null);
    world.shops.failures.lock().unwrap().push_back(away());
    resume("ana.myshopify.com").await.with(503);
    let done = resume("ana.myshopify.com").await.with(200).json();
    assert_eq!((&done["redirect_url"], &done["integration"]["id"]), (&Value::Null, &made["id"]));
    assert_eq!(done["integration"]["webhooks_at"], "2026-11-20T08:00:00.000Z");
    let address =
        format!("https://racun.example/order-integrations/{}/webhooks/shopify", text(&made["id"]));
    assert_eq!(*world.shops.subscribed.lock().unwrap(), [("shpat_1".to_owned(), address)]);
    let stranger = world.api.owner("bor@example.com").await;
    let path = "/order-integrations/shopify/resume-install";
    let body = json!({"shop": "ana.myshopify.com"});
    let other = world.api.post(path, &stranger, body).await.with(200).json();
    assert_eq!(other["integration"], Value::Null, "another tenant's shop is not theirs");
}
