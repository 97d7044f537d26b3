//! Connected stores: what a subscription says of them is what its bill charges.

use serde_json::{Value, json};

use crate::card_subscriptions::{MONTH, World, label, paid};
use crate::harness::text;

/// A subscriber by card of a plan with one store and one invoice.
async fn subscriber() -> World {
    let mut label = label(json!(["card_processor"]));
    label["slug"] = json!("acme");
    label["plans"][1]["limits"] = json!({
        "invoices_per_month": 1, "included_store_count": 1, "extra_store_price_cents": 500,
        "extra_store_invoices_per_month": 2,
    });
    World::of(label).await
}

/// Stores that are connected, those that are billed, and the invoices that those bring; and how
/// many invoices there are in all.
async fn stores(world: &World) -> [i64; 4] {
    let own = world.own().await;
    let number = |value: &Value| value.as_i64().unwrap();
    let said = &own["store_billing"];
    [
        number(&said["connected_stores"]),
        number(&said["billable_extra_stores"]),
        number(&said["invoices_included_from_extra_stores"]),
        number(&own["usage"]["invoices_limit"]),
    ]
}

#[actix_web::test]
async fn the_most_stores_of_a_month_are_billed_and_their_invoices_are_let_through() {
    let mut world = subscriber().await;
    let mut ids = Vec::new();
    for source in ["manual", "shopify", "woocommerce", "woocommerce"] {
        let body = json!({"name": "Shop", "source": source});
        let made = world.api.post("/order-integrations", &world.ana, body).await.with(201).json();
        ids.push(text(&made["id"]));
    }
    assert_eq!(stores(&world).await, [3, 0, 0, 1], "a trial is not charged");
    world.give("pm_1").await.with(200);
    world.activate("start", "monthly").await.with(200);
    assert_eq!(stores(&world).await, [3, 2, 4, 5]);
    let path = |n: usize| format!("/order-integrations/{}", ids[n]);
    world.api.patch(&path(1), &world.ana, json!({"is_active": false})).await.with(200);
    world.api.patch(&path(1), &world.ana, json!({"is_active": true})).await.with(200);
    world.api.patch(&path(1), &world.ana, json!({"is_active": false})).await.with(200);
    world.api.delete(&path(2), &world.ana).await.with(204);
    assert_eq!(stores(&world).await, [1, 2, 4, 5], "the most of the month");
    let invoice = json!({"items": [{"name": "Kava", "quantity": 1, "price": 2}]});
    for expected in [201, 201, 201, 201, 201, 403] {
        world.api.post("/invoices", &world.ana, invoice.clone()).await.with(expected);
    }
    world.pass(MONTH).await;
    world.collect().await;
    let bill = world.bills().await.remove(0);
    let line = json!({"kind": "stores", "name": "Start", "quantity": 2, "unit_price_cents": 500,
        "amount_cents": 1_000});
    assert_eq!(bill["lines"][1], line, "{bill}");
    assert_eq!(world.payments(), [paid("pm_1", 1_900)]);
    assert_eq!(stores(&world).await, [1, 0, 0, 1], "the next month");
    world.pass(MONTH).await;
    world.collect().await;
    assert_eq!(world.payments().last(), Some(&paid("pm_1", 900)));
}
