//! Shops whose owners consent again, and webhooks that platforms repeat after they ended something.

use serde_json::{Value, json};

use crate::harness::{Answer, text};
use crate::orders::{Desk, SECRET, SHOPIFY, WOO, posted};
use crate::platforms::World;

/// The secret of the application, with which shops that consented sign.
const APP: &str = "app secret";

impl World {
    /// The owner of the shop consents again.
    async fn again(&self) -> Value {
        self.back(&self.consent().await).await.with(200).json()
    }

    /// What the shop posts to the integration `id`: the event `event`, which happened at `at`.
    async fn post(&self, id: &Value, told: (&str, &str), event: (&str, &str)) -> Answer {
        let (event, at) = event;
        let headers = [("x-shopify-webhook-id", event), ("x-shopify-triggered-at", at)];
        posted(&self.api, (id, "shopify"), told, APP, &headers).await
    }

    /// The shop takes the application out.
    async fn uninstall(&self, id: &Value, event: (&str, &str)) {
        self.post(id, ("app/uninstalled", "{}"), event).await.with(204);
    }

    /// How many integrations there are.
    async fn count(&self) -> Value {
        let page = self.api.get("/order-integrations", &self.owner).await.with(200).json();
        page["pagination"]["total"].clone()
    }

    /// That the shop has the integration `made` alone, which reads its two orders, with its own
    /// rules; and that these are all orders that there are.
    async fn has_one(&self, made: &Value, now: &Value) {
        assert_eq!((&now["id"], &now["is_active"]), (&made["id"], &json!(true)), "{now}");
        assert_eq!((&now["name"], &now["auto_process"]), (&json!("Ana's shop"), &json!(true)));
        assert_eq!((&now["deleted_at"], self.count().await), (&Value::Null, json!(1)));
        assert!(now["webhooks_at"].is_string(), "{now}");
        let read = self.sync(&made["id"], json!({})).await.with(200).json();
        assert_eq!((&read["orders_taken"], self.orders().await), (&json!(2), json!(2)));
        let token = self.shops.asked.lock().unwrap().last().unwrap().1.clone();
        assert_eq!(token, format!("shpat_{}", self.shops.granted.lock().unwrap()));
    }

    /// An integration by consent, with rules of its own, whose shop's two orders are here.
    async fn installed() -> (Self, Value) {
        let world = Self::of(2).await;
        let made = world.again().await;
        let path = format!("/order-integrations/{}", text(&made["id"]));
        let rules = json!({"auto_process": true});
        let made = world.api.patch(&path, &world.owner, rules).await.with(200).json();
        world.has_one(&made, &made).await;
        (world, made)
    }
}

#[actix_web::test]
async fn a_second_consent_opens_the_same_integration_and_doubles_no_order() {
    let (world, made) = World::installed().await;
    let query = world.consent().await;
    let second = world.back(&query).await.with(200).json();
    world.has_one(&made, &second).await;
    let address =
        format!("https://racun.example/order-integrations/{}/webhooks/shopify", text(&made["id"]));
    let told = world.shops.subscribed.lock().unwrap().last().cloned();
    assert_eq!(told, Some(("shpat_2".to_owned(), address)));
    let repeated = world.back(&query).await.with(200).json();
    assert_eq!((&repeated["id"], *world.shops.granted.lock().unwrap()), (&made["id"], 2));
    // One of another entity is another one.
    let stranger = world.api.owner("bor@example.com").await;
    let other = World { owner: stranger, api: world.api, shops: world.shops };
    let own = other.again().await;
    assert_ne!(own["id"], made["id"]);
    assert_eq!(other.count().await, 1);
}

#[actix_web::test]
async fn a_shop_that_was_connected_by_hand_is_opened_by_its_owners_consent() {
    let world = World::of(2).await;
    let rules = json!({"name": "Ana's shop", "source": "shopify", "auto_process": true,
        "shop_domain": "https://Ana.myshopify.com/", "access_token": "shpat_own"});
    let made = world.api.post("/order-integrations", &world.owner, rules).await.with(201).json();
    world.sync(&made["id"], json!({})).await.with(200);
    let opened = world.again().await;
    assert_eq!(opened["shop_domain"], "ana.myshopify.com");
    world.has_one(&made, &opened).await;
}

#[actix_web::test]
async fn consent_after_the_shop_took_the_application_out_opens_the_same_integration() {
    let (world, made) = World::installed().await;
    world.api.pass(60);
    world.uninstall(&made["id"], ("u-1", "2026-11-20T08:01:00Z")).await;
    let ended = world.integration(&made["id"]).await;
    assert_eq!((&ended["is_active"], &ended["webhooks_at"]), (&json!(false), &Value::Null));
    world.sync(&made["id"], json!({})).await.with(422);
    let again = world.again().await;
    world.has_one(&made, &again).await;
    world
        .post(&made["id"], ("orders/create", SHOPIFY), ("o-1", "2026-11-20T08:01:00Z"))
        .await
        .with(204);
    assert_eq!(world.orders().await, 3);
}

#[actix_web::test]
async fn consent_after_the_integration_was_deleted_brings_it_back() {
    let (world, made) = World::installed().await;
    let path = format!("/order-integrations/{}", text(&made["id"]));
    world.api.delete(&path, &world.owner).await.with(204);
    assert_eq!(world.count().await, 0);
    let again = world.again().await;
    world.has_one(&made, &again).await;
    world
        .post(&made["id"], ("orders/create", SHOPIFY), ("o-1", "2026-11-20T08:00:00Z"))
        .await
        .with(204);
    assert_eq!(world.orders().await, 3);
}

#[actix_web::test]
async fn a_repeated_or_late_end_of_an_installation_does_not_end_the_next_one() {
    let (world, made) = World::installed().await;
    let id = &made["id"];
    let is_active = async || world.integration(id).await["is_active"].clone();
    world.api.pass(600);
    world.uninstall(id, ("u-1", "2026-11-20T08:05:00.123456789Z")).await;
    assert_eq!(is_active().await, false);
    // Somebody makes it active again: the platform's repeat changes nothing.
    let path = format!("/order-integrations/{}", text(id));
    let on = json!({"is_active": true, "access_token": "shpat_own"});
    world.api.patch(&path, &world.owner, on).await.with(200);
    world.uninstall(id, ("u-1", "2026-11-20T08:05:00.123456789Z")).await;
    assert_eq!(is_active().await, true);
    world.sync(id, json!({})).await.with(200);
    // The owner consents again: what happened before is over, though it was not told yet.
    world.again().await;
    world.uninstall(id, ("u-2", "2026-11-20T08:09:00Z")).await;
    assert_eq!(is_active().await, true);
    world.uninstall(id, ("u-3", "2026-11-20T08:11:00Z")).await;
    assert_eq!(is_active().await, false);
}

#[actix_web::test]
async fn a_repeated_end_of_an_order_does_not_move_it_to_the_trash_again() {
    let desk = Desk::open().await;
    for (platform, event, [made, gone], body) in [
        ("shopify", "x-shopify-webhook-id", ["orders/create", "orders/delete"], SHOPIFY),
        ("woocommerce", "x-wc-webhook-delivery-id", ["order.created", "order.deleted"], WOO),
    ] {
        let shop = desk.integration(json!({"source": platform, "webhook_secret": SECRET})).await;
        let post = async |topic: &str, id: &str| {
            let told = (topic, body);
            let headers = [(event, id)];
            posted(&desk.api, (&shop["id"], platform), told, SECRET, &headers).await.with(204);
            desk.orders().await
        };
        let order = post(made, "e-1").await.remove(0);
        assert!(post(gone, "e-2").await.is_empty());
        desk.act(&order, "restore").await.with(200);
        assert_eq!(post(gone, "e-2").await.len(), 1, "{platform}");
        assert!(post(gone, "e-3").await.is_empty(), "{platform}");
    }
}

#[actix_web::test]
async fn a_repeated_return_of_an_order_does_not_take_it_out_of_the_trash_again() {
    let desk = Desk::open().await;
    let rules = json!({"source": "woocommerce", "webhook_secret": SECRET});
    let shop = desk.integration(rules).await;
    let post = async |topic: &str, id: &str| {
        let (place, headers) = ((&shop["id"], "woocommerce"), [("x-wc-webhook-delivery-id", id)]);
        posted(&desk.api, place, (topic, WOO), SECRET, &headers).await.with(204);
        desk.orders().await.len()
    };
    assert_eq!(post("order.created", "e-1").await, 1);
    assert_eq!(post("order.deleted", "e-2").await, 0);
    assert_eq!(post("order.restored", "e-3").await, 1);
    assert_eq!(post("order.deleted", "e-4").await, 0);
    assert_eq!(post("order.restored", "e-3").await, 0);
    assert_eq!(post("order.restored", "e-5").await, 1);
}
