//! Bills that the operator ends by hand: what was paid by bank, and what the processor never told;
//! and those that are too small for a card.

use std::sync::Arc;

use racun_card_payments::ProcessorError;
use serde_json::{Value, json};

use crate::billing::owner;
use crate::card_subscriptions::{self as by_card, HOST, MONTH, World, collect, label};
use crate::cards::Scripted;
use crate::harness::{Answer, Api, Who, text};
use crate::managing::{KEY, managed_with};

const DAY: i64 = 86_400;

struct Office {
    api: Api,
    cards: Arc<Scripted>,
    /// Who subscribes.
    ana: Who,
    /// The entity that invoices.
    issuer: Who,
}

impl Office {
    async fn open(provider: &str) -> Self {
        let cards = Arc::<Scripted>::default();
        let api = managed_with(Arc::clone(&cards)).await;
        let issuer = api.owner("operator@example.com").await;
        let mut label = label(json!([provider]));
        label["billing_entity_id"] = json!(issuer.entity());
        api.put("/operator/white-labels/acme", &Who::key(KEY), label).await.with(200);
        let ana = owner(&api, "ana@example.com", Some(("host", HOST))).await;
        Self { api, cards, ana, issuer }
    }

    async fn post(&self, path: &str, body: Value) -> Answer {
        self.api.post(&format!("/white-label-subscriptions/{path}"), &self.ana, body).await
    }

    async fn pass(&mut self, seconds: i64) {
        self.api.pass(seconds);
        self.ana = self.api.log_in("ana@example.com").await.in_entity(self.ana.entity());
        let issuer = self.api.log_in("operator@example.com").await;
        self.issuer = issuer.in_entity(self.issuer.entity());
    }

    fn path(&self) -> String {
        format!("/operator/entities/{}/bills", self.ana.entity())
    }

    /// The one bill that comes to something.
    async fn bill(&self) -> Value {
        let answer = self.api.get(&self.path(), &Who::key(KEY)).await.with(200).json();
        let mut bills = answer["data"].as_array().unwrap().clone();
        bills.retain(|bill| bill["total_cents"] != 0);
        assert_eq!(bills.len(), 1, "{bills:?}");
        bills.remove(0)
    }

    async fn end(&self, bill: &Value, body: Value) -> Answer {
        let path = format!("{}/{}/end", self.path(), text(&bill["id"]));
        self.api.post(&path, &Who::key(KEY), body).await
    }

    async fn invoices(&self) -> Vec<Value> {
        collect(&self.api.services).await;
        let answer = self.api.get("/invoices", &self.issuer).await.with(200).json();
        answer["data"].as_array().unwrap().clone()
    }
}

fn plan() -> Value {
    json!({"plan_slug": "start", "billing_interval": "monthly"})
}

fn paid(reference: &str) -> Value {
    json!({"outcome": "paid", "reference": reference})
}

#[actix_web::test]
async fn a_bill_that_was_paid_by_bank_is_invoiced_once() {
    let mut office = Office::open("bank").await;
    office.post("activate", plan()).await.with(200);
    office.pass(MONTH).await;
    assert!(office.invoices().await.is_empty());
    let bill = office.bill().await;
    assert_eq!((&bill["status"], &bill["amount_due_cents"]), (&json!("open"), &json!(900)));
    let path = format!("{}/{}/end", office.path(), text(&bill["id"]));
    office.api.post(&path, &office.ana, paid("B-1")).await.with(401);
    let missing = office.end(&bill, json!({"outcome": "paid"})).await.with(422);
    assert_eq!(missing.issue(), ("[\"reference\"]".into(), "required".into()));
    let not_paid = office.end(&bill, json!({"outcome": "not_paid"})).await.with(422).json();
    assert_eq!(not_paid["cause"]["code"], "no_payment_under_way");
    for _ in 0..2 {
        let ended = office.end(&bill, paid("B-1")).await.with(200).json();
        assert_eq!((&ended["status"], &ended["payment_id"]), (&json!("paid"), &json!("B-1")));
        let invoices = office.invoices().await;
        assert_eq!((invoices.len(), &invoices[0]["total_with_tax"]), (1, &json!(9)));
    }
    let payments = office.api.get("/payments", &office.issuer).await.with(200).json();
    let payment = &payments["data"][0];
    assert_eq!((&payment["type"], &payment["reference"]), (&json!("bank_transfer"), &json!("B-1")));
    let nobody = "/operator/entities/ent_01jb2x3y4z5a6b7c8d9e0f1g2h/bills";
    office.api.get(nobody, &Who::key(KEY)).await.with(404);
    let other = json!({"id": "wuse_01jb2x3y4z5a6b7c8d9e0f1g2h"});
    office.end(&other, paid("B-1")).await.with(404);
}

#[actix_web::test]
async fn a_payment_without_a_notice_is_ended_by_hand() {
    for outcome in ["paid", "not_paid"] {
        let mut office = Office::open("card_processor").await;
        office.post("payment-method", json!({"payment_method_id": "pm_1"})).await.with(200);
        office.post("activate", plan()).await.with(200);
        office.pass(MONTH).await;
        for _ in 0..3 {
            office.cards.kept().failures.push(ProcessorError::NoAnswer("away".to_owned()));
        }
        collect(&office.api.services).await;
        office.pass(DAY).await;
        collect(&office.api.services).await;
        let bill = office.bill().await;
        assert_eq!((&bill["status"], &bill["attempts"]), (&json!("open"), &json!(1)));
        office.cards.kept().failures.clear();
        match outcome {
            "paid" => office.end(&bill, paid("pi_found")).await.with(200),
            _ => office.end(&bill, json!({"outcome": "not_paid"})).await.with(200),
        };
        office.pass(2 * DAY).await;
        collect(&office.api.services).await;
        let bill = office.bill().await;
        let attempts = if outcome == "paid" { 1 } else { 2 };
        assert_eq!((&bill["status"], &bill["attempts"]), (&json!("paid"), &json!(attempts)));
        assert_eq!(office.invoices().await.len(), 1, "{outcome}");
    }
}

#[actix_web::test]
async fn what_was_not_sent_is_no_attempt() {
    let mut office = Office::open("card_processor").await;
    office.post("payment-method", json!({"payment_method_id": "pm_1"})).await.with(200);
    office.post("activate", plan()).await.with(200);
    office.pass(MONTH).await;
    office.cards.kept().failures.push(ProcessorError::NotConnected);
    collect(&office.api.services).await;
    let bill = office.bill().await;
    assert_eq!((&bill["status"], &bill["attempts"]), (&json!("open"), &json!(0)));
    office.pass(3 * DAY).await;
    collect(&office.api.services).await;
    let bill = office.bill().await;
    assert_eq!((&bill["status"], &bill["attempts"]), (&json!("paid"), &json!(1)));
}

/// A subscriber of a free plan with a price for what is beyond, with bills of `cents` a month.
async fn little(cents: i64) -> World {
    let mut label = label(json!(["card_processor"]));
    label["slug"] = json!("acme");
    label["default_plan"] = json!("free");
    label["plans"][0]["limits"] = json!({"documents_per_month": 0, "overage_price_cents": cents});
    let world = World::of(label).await;
    world.give("pm_1").await.with(200);
    world
}

impl World {
    /// Issues an invoice.
    async fn issue(&self) {
        let body = json!({"customer": {"name": "Kupec"}, "items": [{"name": "Delo", "price": 1}]});
        self.api.post("/invoices", &self.ana, body).await.with(201);
    }

    async fn statuses(&self) -> Vec<(String, i64)> {
        let bills = self.bills().await;
        let pair = |bill: &Value| (text(&bill["status"]), bill["amount_due_cents"].as_i64());
        bills.iter().map(pair).map(|(status, cents)| (status, cents.unwrap())).collect()
    }
}

#[actix_web::test]
async fn what_is_too_little_for_a_card_goes_with_the_next_bill() {
    let mut world = little(15).await;
    world.issue().await;
    world.pass(MONTH).await;
    world.collect().await;
    assert_eq!((world.payments(), world.own().await["status"].clone()), (vec![], json!("active")));
    let bill = world.bills().await.remove(0);
    let state = (&bill["status"], &bill["attempts"], &bill["failure_message"]);
    assert_eq!(state, (&json!("carried"), &json!(0), &Value::Null), "{bill}");
    // It is neither lost nor taken twice, however often it is too little.
    world.issue().await;
    world.pass(MONTH).await;
    world.collect().await;
    let carried = |cents| ("carried".to_owned(), cents);
    assert_eq!(world.statuses().await, [carried(30), carried(15)]);
    world.activate("start", "monthly").await.with(200);
    world.collect().await;
    world.pass(MONTH).await;
    world.collect().await;
    assert_eq!(world.payments(), [by_card::paid("pm_1", 930)]);
    let bill = world.bills().await.remove(0);
    let kinds: Vec<_> = bill["lines"].as_array().unwrap().iter().map(|l| &l["kind"]).collect();
    assert_eq!(kinds, ["plan", "carried"], "{bill}");
    assert_eq!(bill["status"], "paid");
    assert_eq!(world.own().await["status"], "active");
}

#[actix_web::test]
async fn a_plan_that_is_changed_at_once_is_not_collected() {
    let world = World::paying("pm_1").await;
    world.activate("business", "monthly").await.with(200);
    world.collect().await;
    assert_eq!((world.payments(), world.bills().await), (vec![], vec![]));
    assert_eq!(world.own().await["status"], "active");
}

#[actix_web::test]
async fn an_amount_that_the_processor_finds_too_small_is_no_decline() {
    let mut world = little(60).await;
    world.issue().await;
    world.pass(MONTH).await;
    let (code, message) = (Some("amount_too_small".to_owned()), "too little".to_owned());
    world.cards.kept().failures.push(ProcessorError::Refused { code, message });
    world.collect().await;
    assert_eq!(world.statuses().await, [("carried".to_owned(), 60)]);
    let bill = world.bills().await.remove(0);
    assert_eq!((&bill["attempts"], &bill["failure_message"]), (&json!(0), &Value::Null));
    world.pass(MONTH).await;
    world.collect().await;
    assert_eq!(world.payments(), [by_card::paid("pm_1", 60)]);
    assert_eq!(world.own().await["status"], "active");
}
