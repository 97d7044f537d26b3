//! Cards that are chosen on the page of the processor.

use racun_card_payments::{Happened, ProcessorError};
use racun_kernel::Environment;
use serde_json::json;

use crate::card_subscriptions::{MONTH, World, label, paid};

const CUSTOMER: &str = "cus_Pri Ani";
const HERE: Environment = Environment::Sandbox;

/// That `customer` chose a card.
fn chosen(customer: &str) -> Happened {
    Happened::CardChosen { customer: customer.to_owned(), metadata: [].into() }
}

#[actix_web::test]
async fn a_card_that_is_chosen_on_the_portal_pays_what_was_declined() {
    let mut world = World::paying("pm_declined").await;
    world.pass(MONTH).await;
    world.collect().await;
    assert_eq!(world.own().await["status"], "past_due");
    world.tell(HERE, chosen(CUSTOMER), "good").await.with(200);
    assert_eq!(world.collect().await, 0, "the same card as before is not hurried");
    world.cards.choose(CUSTOMER, "pm_2");
    for (environment, customer, signature, status) in [
        (HERE, CUSTOMER, "forged", 401),
        (Environment::Live, CUSTOMER, "good", 200),
        (HERE, "cus_other", "good", 200),
    ] {
        world.tell(environment, chosen(customer), signature).await.with(status);
        assert_eq!(world.collect().await, 0, "{environment:?} {customer} {signature}");
    }
    world.cards.kept().failures.push(ProcessorError::NoAnswer("timed out".to_owned()));
    world.tell(HERE, chosen(CUSTOMER), "good").await.with(503);
    for _ in 0..2 {
        world.tell(HERE, chosen(CUSTOMER), "good").await.with(200);
        world.collect().await;
        let bill = world.bills().await.remove(0);
        assert_eq!((&bill["status"], &bill["attempts"]), (&json!("paid"), &json!(2)));
    }
    assert_eq!(world.payments(), [paid("pm_declined", 900), paid("pm_2", 900)]);
    assert_eq!(world.own().await["status"], "active");
    world.pass(MONTH).await;
    world.collect().await;
    assert_eq!(world.payments().last(), Some(&paid("pm_2", 900)), "the next month");
}

#[actix_web::test]
async fn an_event_that_arrives_late_brings_no_earlier_card_back() {
    let mut world = World::paying("pm_1").await;
    world.cards.choose(CUSTOMER, "pm_2");
    world.give("pm_3").await.with(200);
    world.tell(HERE, chosen(CUSTOMER), "good").await.with(200);
    world.pass(MONTH).await;
    world.collect().await;
    assert_eq!(world.payments(), [paid("pm_3", 900)]);
}

#[actix_web::test]
async fn who_pays_by_bank_is_not_moved_to_a_card() {
    let mut label = label(json!(["bank", "card_processor"]));
    label["slug"] = json!("acme");
    let mut world = World::of(label).await;
    world.activate("start", "monthly").await.with(200);
    let intent = "/white-label-subscriptions/setup-intent";
    world.api.post(intent, &world.ana, json!({})).await.with(200);
    world.cards.choose(CUSTOMER, "pm_1");
    world.tell(HERE, chosen(CUSTOMER), "good").await.with(200);
    let own = world.own().await;
    assert_eq!(own["payment_method"]["has_card"], false, "{own}");
    world.pass(MONTH).await;
    world.collect().await;
    assert_eq!(world.payments(), []);
}
