//! Subscriptions that are paid by card.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix_web::test::TestRequest;
use racun_application::Services;
use racun_background::jobs::{Handler, JobKind, claim, perform};
use racun_billing::Catalogue;
use racun_card_payments::{Happened, ProcessorError, ProcessorEvent};
use racun_kernel::{Currency, Environment};
use racun_sales::bill_invoices::InvoiceHandler;
use racun_sales::billing::{CollectionHandler, LIMITS, run_due};
use serde_json::{Value, json};

use crate::billing::owner;
use crate::cards::Scripted;
use crate::harness::{Answer, Api, Who, text};
use crate::managing::{KEY, managed_with};

pub const HOST: &str = "app.acme.example";
const DAY: i64 = 86_400;
pub const MONTH: i64 = 31 * DAY;
const KINDS: [JobKind; 2] = [JobKind::SubscriptionCollection, JobKind::SubscriptionInvoice];

/// Advances what is due, and does the jobs that collect and invoice until none is due; answers how
/// many were.
pub async fn collect(services: &Services) -> usize {
    let (own, store) = (services.clone(), Arc::clone(&services.store));
    let stamp = Arc::new(move || own.stamp());
    run_due(&*store, &stamp(), LIMITS).await.unwrap();
    let labels = services.white_labels.clone();
    let collecting = CollectionHandler {
        store: Arc::clone(&store),
        cards: Arc::clone(&services.cards),
        labels: labels.clone(),
        stamp: stamp.clone(),
    };
    let invoicing = InvoiceHandler {
        store: Arc::clone(&store),
        labels,
        fiscal: services.fiscal(),
        vat: Arc::clone(&services.vat_registry),
        portugal: services.portugal.clone(),
        stamp: stamp.clone(),
    };
    let handlers: [&dyn Handler; 2] = [&collecting, &invoicing];
    let mut done = 0;
    loop {
        let jobs = claim(&*store, &KINDS, &stamp(), 100).await.unwrap();
        if jobs.is_empty() {
            return done;
        }
        for job in &jobs {
            let handler = handlers.iter().find(|handler| handler.kind() == job.kind).unwrap();
            perform(&*store, *handler, job, &*stamp).await.unwrap();
        }
        done += jobs.len();
    }
}

pub fn label(providers: Value) -> Value {
    json!({
        "name": "Acme", "hosts": [HOST], "billing_enabled": true, "trial_days": 14,
        "default_plan": "start", "allowed_payment_providers": providers,
        "plans": [
            {"slug": "free", "name": "Free", "base_price_cents": 0, "display_order": 1},
            {"slug": "start", "name": "Start", "base_price_cents": 900, "annual_price_cents": 9000,
             "display_order": 2},
            {"slug": "business", "name": "Business", "base_price_cents": 2900, "display_order": 3},
        ],
    })
}

/// An application with a processor in memory, and an entity that subscribes.
pub struct World {
    pub api: Api,
    pub cards: Arc<Scripted>,
    pub ana: Who,
}

impl World {
    async fn new() -> Self {
        Self::with(json!(["card_processor"])).await
    }

    async fn with(providers: Value) -> Self {
        let mut label = label(providers);
        label["slug"] = json!("acme");
        Self::of(label).await
    }

    /// The same, under the white label `label`.
    pub async fn of(label: Value) -> Self {
        let file = json!({"white_labels": [label]});
        let labels = serde_json::from_value::<Catalogue>(file).unwrap().complete().unwrap();
        let cards = Arc::<Scripted>::default();
        let own = Arc::clone(&cards);
        let api =
            Api::with(|services| Services { white_labels: labels.into(), cards: own, ..services })
                .await;
        let ana = owner(&api, "ana@example.com", Some(("host", HOST))).await;
        Self { api, cards, ana }
    }

    async fn post(&self, path: &str, body: Value) -> Answer {
        self.api.post(&format!("/white-label-subscriptions/{path}"), &self.ana, body).await
    }

    /// Gives a card.
    pub async fn give(&self, card: &str) -> Answer {
        self.post("payment-method", json!({"payment_method_id": card})).await
    }

    /// Chooses a plan.
    pub async fn activate(&self, plan: &str, interval: &str) -> Answer {
        self.post("activate", json!({"plan_slug": plan, "billing_interval": interval})).await
    }

    /// A subscriber of `start`, paid with `card`.
    pub async fn paying(card: &str) -> Self {
        let world = Self::new().await;
        world.give(card).await.with(200);
        world.activate("start", "monthly").await.with(200);
        world
    }

    /// Lets days pass; who does nothing for long is logged out.
    pub async fn pass(&mut self, seconds: i64) {
        self.api.pass(seconds);
        self.ana = self.api.log_in("ana@example.com").await.in_entity(self.ana.entity());
    }

    /// Collects what is due.
    pub async fn collect(&self) -> usize {
        collect(&self.api.services).await
    }

    /// The subscription.
    pub async fn own(&self) -> Value {
        self.api.get("/white-label-subscriptions", &self.ana).await.with(200).json()
    }

    /// Bills that come to something.
    pub async fn bills(&self) -> Vec<Value> {
        let path = "/white-label-subscriptions/bills";
        let answer = self.api.get(path, &self.ana).await.with(200).json();
        let mut bills = answer["data"].as_array().unwrap().clone();
        bills.retain(|bill| bill["total_cents"] != 0);
        bills
    }

    /// Cards and cents of all payments that were asked for.
    pub fn payments(&self) -> Vec<(String, i64)> {
        let kept = self.cards.kept();
        let pair = |(order, _): &(racun_card_payments::PaymentOrder, _)| {
            (order.payment_method.clone(), order.amount)
        };
        kept.payments.iter().map(pair).collect()
    }

    /// Tells what happened by a webhook.
    pub async fn tell(
        &self,
        environment: Environment,
        happened: Happened,
        signature: &str,
    ) -> Answer {
        let event = ProcessorEvent { id: "evt_1".to_owned(), account: None, happened };
        let body = self.cards.tell(environment, event);
        let request = TestRequest::post().uri("/card-processor/webhook");
        self.api
            .call(request.insert_header(("stripe-signature", signature)).set_payload(body))
            .await
    }
}

fn code(answer: &Answer) -> String {
    text(&answer.json()["cause"]["code"])
}

pub fn paid(card: &str, cents: i64) -> (String, i64) {
    (card.to_owned(), cents)
}

fn away() -> ProcessorError {
    ProcessorError::NoAnswer("timed out".to_owned())
}

#[actix_web::test]
async fn a_month_is_collected_by_card_when_it_ends_and_only_once() {
    let mut world = World::new().await;
    let refused = world.activate("start", "monthly").await.with(422);
    assert_eq!(code(&refused), "no_payment_method");
    assert!(refused.text.contains("setup-intent"), "{refused:?}");
    let intent = world.post("setup-intent", json!({})).await.with(200).json();
    assert!(intent["client_secret"].as_str().unwrap().starts_with("seti_secret_"), "{intent}");
    let card = json!({"last4": "4242", "brand": "visa", "has_card": true});
    assert_eq!(world.give("pm_1").await.with(200).json(), card);
    assert_eq!(world.own().await["payment_method"], card);
    let done = world.activate("start", "monthly").await.with(200).json();
    assert_eq!(done, json!({"invoice_id": null, "scheduled": false}));
    let own = world.own().await;
    assert_eq!(
        (&own["status"], &own["payment_provider"]),
        (&json!("active"), &json!("card_processor"))
    );
    assert_eq!(world.collect().await, 0, "a month is charged when it ends");
    world.pass(MONTH).await;
    world.collect().await;
    assert_eq!(world.payments(), [paid("pm_1", 900)]);
    let bill = world.bills().await.remove(0);
    let state = (&bill["status"], &bill["amount_due_cents"], &bill["attempts"]);
    assert_eq!(state, (&json!("paid"), &json!(900), &json!(1)));
    assert_eq!((&bill["payment_id"], &bill["invoice_id"]), (&json!("pi_0"), &Value::Null));
    assert!(bill["paid_at"].is_string() && bill["next_attempt_at"].is_null(), "{bill}");
    assert_eq!(world.collect().await, 0);
    let order = world.cards.kept().payments[0].0.clone();
    assert_eq!(order.metadata["racun_entity"], world.ana.entity());
    assert_eq!((order.customer.as_str(), order.currency), ("cus_Pri Ani", Currency::EUR));
}

#[actix_web::test]
async fn a_declined_bill_is_tried_again_and_another_card_pays_at_once() {
    let mut world = World::paying("pm_declined").await;
    world.pass(MONTH).await;
    world.collect().await;
    assert_eq!(world.own().await["status"], "past_due");
    let bill = world.bills().await.remove(0);
    let state = (&bill["status"], &bill["attempts"], &bill["failure_message"]);
    assert_eq!(state, (&json!("open"), &json!(1), &json!("Your card was declined.")));
    let refused = world.activate("business", "monthly").await.with(422);
    assert_eq!(code(&refused), "payment_overdue");
    for (days, attempts) in [(1, 2), (2, 2), (1, 3), (5, 4)] {
        world.pass(days * DAY).await;
        world.collect().await;
        assert_eq!(world.bills().await[0]["attempts"], attempts, "after {days} days more");
    }
    world.give("pm_2").await.with(200);
    world.collect().await;
    let bill = world.bills().await.remove(0);
    assert_eq!((&bill["status"], &bill["attempts"]), (&json!("paid"), &json!(5)));
    assert_eq!(world.own().await["status"], "active");
    let taken = world.payments().into_iter().filter(|(card, _)| card == "pm_2");
    assert_eq!(taken.collect::<Vec<_>>(), [paid("pm_2", 900)]);
    world.pass(MONTH).await;
    world.collect().await;
    assert_eq!(world.payments().last(), Some(&paid("pm_2", 900)), "the next month");
    assert_eq!(world.own().await["status"], "active");
}

#[actix_web::test]
async fn who_never_pays_expires_and_pays_before_coming_back() {
    let mut world = World::paying("pm_declined").await;
    world.pass(MONTH).await;
    for _ in 0..20 {
        world.collect().await;
        world.pass(DAY).await;
    }
    let bill = world.bills().await.remove(0);
    assert_eq!((&bill["status"], &bill["attempts"]), (&json!("failed"), &json!(5)));
    world.pass(12 * DAY).await;
    assert_eq!(world.own().await["status"], "expired");
    assert_eq!(code(&world.activate("start", "monthly").await.with(422)), "payment_overdue");
    world.collect().await;
    world.give("pm_2").await.with(200);
    world.collect().await;
    let bills = world.bills().await;
    assert!(bills.len() == 2 && bills.iter().all(|bill| bill["status"] == "paid"), "{bills:?}");
    assert_eq!(world.own().await["status"], "expired");
    world.activate("start", "monthly").await.with(200);
    assert_eq!(world.own().await["status"], "active");
}

#[actix_web::test]
async fn a_lost_answer_is_asked_for_again_under_its_key() {
    let mut world = World::paying("pm_1").await;
    world.pass(MONTH).await;
    world.cards.kept().failures.push(away());
    world.collect().await;
    assert_eq!(world.own().await["status"], "active", "nobody knows");
    assert_eq!(world.bills().await[0]["attempts"], 1);
    // Another card waits for the end of what is under way.
    world.give("pm_2").await.with(200);
    world.pass(120).await;
    world.collect().await;
    assert_eq!(world.payments(), [paid("pm_1", 900)]);
    let key = world.cards.kept().payments[0].0.idempotency_key.clone();
    let bill = world.bills().await.remove(0);
    assert_eq!(key, format!("{}-1", text(&bill["id"])));
    assert_eq!((&bill["status"], &bill["attempts"]), (&json!("paid"), &json!(1)));
}

#[actix_web::test]
async fn an_event_tells_the_end_of_a_payment_once_and_to_whom_it_belongs() {
    let mut world = World::paying("pm_1").await;
    world.pass(MONTH).await;
    world.cards.kept().failures.push(away());
    world.collect().await;
    let bill = text(&world.bills().await[0]["id"]);
    let named =
        [("racun_entity", world.ana.entity()), ("racun_bill", &bill), ("racun_attempt", "1")];
    let named = named.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let metadata = BTreeMap::from(named);
    let succeeded = |amount, metadata: &BTreeMap<String, String>| Happened::PaymentSucceeded {
        payment: "pi_told".to_owned(),
        amount,
        currency: Currency::EUR,
        metadata: metadata.clone(),
    };
    let good = succeeded(900, &metadata);
    let mut later = metadata.clone();
    later.insert("racun_attempt".to_owned(), "2".to_owned());
    for (environment, happened, signature, status) in [
        (Environment::Sandbox, good.clone(), "forged", 401),
        (Environment::Live, good.clone(), "good", 200),
        (Environment::Sandbox, succeeded(1, &metadata), "good", 200),
        (Environment::Sandbox, succeeded(900, &later), "good", 200),
        (Environment::Sandbox, succeeded(900, &BTreeMap::new()), "good", 200),
        (Environment::Sandbox, Happened::Other, "good", 200),
    ] {
        let told = format!("{environment:?} {happened:?}");
        world.tell(environment, happened, signature).await.with(status);
        assert_eq!(world.bills().await[0]["status"], "open", "{told}");
    }
    for _ in 0..2 {
        world.tell(Environment::Sandbox, good.clone(), "good").await.with(200);
        let bill = world.bills().await.remove(0);
        assert_eq!((&bill["status"], &bill["payment_id"]), (&json!("paid"), &json!("pi_told")));
    }
    let declined = Happened::PaymentFailed {
        payment: "pi_told".to_owned(),
        code: "card_declined".to_owned(),
        message: "no".to_owned(),
        metadata,
    };
    world.tell(Environment::Sandbox, declined, "good").await.with(200);
    world.pass(DAY).await;
    world.collect().await;
    assert_eq!(world.payments(), [], "what is paid is not asked for again");
    assert_eq!(world.own().await["status"], "active");
}

#[actix_web::test]
async fn a_page_of_the_processor_gives_a_card_and_activates_the_plan_once() {
    let world = World::new().await;
    let body = json!({"plan_slug": "business", "billing_interval": "monthly",
        "success_url": "https://shop.example/thanks", "cancel_url": "http://localhost:3000/plans"});
    let page = world.post("checkout", body.clone()).await.with(200).json();
    assert_eq!(page, json!({"checkout_url": "https://pay.example/cs_0"}));
    let order = world.cards.kept().sessions[0].clone();
    assert_eq!(order.customer.as_deref(), Some("cus_Pri Ani"));
    let ready = |customer: &str, card: &str| Happened::CardReady {
        customer: Some(customer.to_owned()),
        payment_method: card.to_owned(),
        metadata: order.metadata.clone(),
    };
    for (environment, happened, signature, status) in [
        (Environment::Sandbox, ready("cus_Pri Ani", "pm_1"), "forged", 401),
        (Environment::Live, ready("cus_Pri Ani", "pm_1"), "good", 200),
        (Environment::Sandbox, ready("cus_other", "pm_1"), "good", 200),
    ] {
        world.tell(environment, happened, signature).await.with(status);
        assert_eq!(world.own().await["status"], "trialing");
    }
    world.cards.kept().failures.push(away());
    let ours = ready("cus_Pri Ani", "pm_1");
    world.tell(Environment::Sandbox, ours.clone(), "good").await.with(503);
    world.tell(Environment::Sandbox, ours.clone(), "good").await.with(200);
    let own = world.own().await;
    assert_eq!(
        (&own["plan"]["slug"], &own["status"], &own["payment_method"]["has_card"]),
        (&json!("business"), &json!("active"), &json!(true))
    );
    world.activate("free", "monthly").await.with(200);
    let scheduled = world.own().await["scheduled_change"].clone();
    world.tell(Environment::Sandbox, ours, "good").await.with(200);
    assert_eq!(world.own().await["scheduled_change"], scheduled, "told again it does nothing");
    let portal = json!({"return_url": "https://shop.example/account"});
    let portal = world.post("portal", portal).await.with(200).json();
    assert!(portal["portal_url"].as_str().unwrap().contains("cus_Pri Ani"), "{portal}");
}

#[actix_web::test]
async fn what_cannot_be_is_refused_by_its_name() {
    let world = World::new().await;
    for (path, body, field) in [
        ("checkout", json!({"success_url": "javascript:alert(1)"}), "success_url"),
        ("checkout", json!({"cancel_url": "shop"}), "cancel_url"),
        ("checkout", json!({"plan_slug": "gone"}), "plan_slug"),
        ("portal", json!({"return_url": "ftp://shop.example"}), "return_url"),
        ("payment-method", json!({"payment_method_id": ""}), "payment_method_id"),
    ] {
        let mut whole = match path {
            "checkout" => json!({"plan_slug": "start", "billing_interval": "monthly",
                "success_url": "https://a.example", "cancel_url": "https://a.example"}),
            _ => json!({}),
        };
        whole.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        let issue = world.post(path, whole).await.with(422).issue();
        assert_eq!(issue.0, format!("[\"{field}\"]"), "{path}");
    }
    let portal = json!({"return_url": "https://shop.example"});
    assert_eq!(code(&world.post("portal", portal.clone()).await.with(422)), "no_payment_method");
    assert_eq!(code(&world.give("pm_missing").await.with(422)), "card_processor_refused");
    world.cards.kept().failures.push(away());
    let away = world.give("pm_1").await.with(503);
    assert_eq!(code(&away), "card_processor_unreachable");
    assert_eq!(away.header("retry-after"), "5");
    assert_eq!(world.own().await["payment_method"]["has_card"], false);
    let by_bank = World::with(json!(["bank"])).await;
    for (path, body) in [
        ("setup-intent", json!({})),
        ("payment-method", json!({"payment_method_id": "pm_1"})),
        ("portal", portal),
    ] {
        let refused = by_bank.post(path, body).await.with(422);
        assert_eq!(code(&refused), "no_payment_processor", "{path}");
    }
    by_bank.activate("start", "monthly").await.with(200);
}

#[actix_web::test]
async fn a_card_takes_over_from_the_bank_and_credit_is_used_up_first() {
    let mut world = World::with(json!(["bank", "card_processor"])).await;
    world.activate("start", "yearly").await.with(200);
    assert!(world.own().await["bank_reference"].is_string());
    world.give("pm_1").await.with(200);
    let own = world.own().await;
    assert_eq!(
        (&own["payment_provider"], &own["bank_reference"]),
        (&json!("card_processor"), &Value::Null)
    );
    world.pass(MONTH).await;
    world.collect().await;
    assert_eq!(world.payments(), [paid("pm_1", 9_000)]);
    world.activate("business", "yearly").await.with(422);
    world.activate("business", "monthly").await.with(200);
    world.collect().await;
    let bills = world.bills().await;
    let credit = -bills[0]["total_cents"].as_i64().unwrap();
    assert!(credit > 8_000, "{bills:?}");
    assert_eq!((&bills[0]["amount_due_cents"], &bills[0]["status"]), (&json!(0), &json!("paid")));
    let (mut months, mut due) = (0, 0);
    while due == 0 {
        world.pass(MONTH).await;
        world.collect().await;
        months += 1;
        due = world.bills().await[0]["amount_due_cents"].as_i64().unwrap();
    }
    assert_eq!(due, months * 2_900 - credit, "no cent of credit is lost");
    assert_eq!(world.payments(), [paid("pm_1", 9_000), paid("pm_1", due)]);
}

#[actix_web::test]
async fn the_operators_entity_invoices_what_is_collected_once() {
    let cards = Arc::<Scripted>::default();
    let api = managed_with(Arc::clone(&cards)).await;
    let operator = api.owner("operator@example.com").await;
    let mut label = label(json!(["bank"]));
    label["payment_provider"] = json!("card_processor");
    label["billing_entity_id"] = json!(operator.entity());
    label["billing_tax_rate"] = json!(22);
    let put =
        async |label: Value| api.put("/operator/white-labels/acme", &Who::key(KEY), label).await;
    for (field, wrong) in [("billing_entity_id", json!("x")), ("billing_tax_rate", json!(101))] {
        let mut label = label.clone();
        label[field] = wrong;
        assert_eq!(put(label).await.with(422).issue().0, format!("[\"{field}\"]"));
    }
    put(label).await.with(200);
    let ana = owner(&api, "ana@example.com", Some(("host", HOST))).await;
    let mut world = World { api, cards, ana };
    let providers = world.own().await["allowed_payment_providers"].clone();
    assert_eq!(providers, json!(["card_processor", "bank"]));
    world.give("pm_1").await.with(200);
    world.activate("start", "monthly").await.with(200);
    world.pass(MONTH).await;
    world.collect().await;
    let bill = world.bills().await.remove(0);
    let operator = world.api.log_in("operator@example.com").await.in_entity(operator.entity());
    let path = format!("/invoices/{}", text(&bill["invoice_id"]));
    let invoice = world.api.get(&path, &operator).await.with(200).json();
    let total = (invoice["total_with_tax"].to_string(), invoice["paid_in_full"].clone());
    assert_eq!(total, ("9".to_owned(), json!(true)), "{invoice}");
    assert_eq!(invoice["customer"]["name"], "Pri Ani");
    assert_eq!(invoice["items"][0]["name"], "Start");
    assert_eq!(invoice["items"][0]["taxes"][0]["rate"], 22);
    let payments = world.api.get("/payments", &operator).await.with(200).json();
    let payment = &payments["data"][0];
    let kind = (&payment["type"], &payment["reference"]);
    assert_eq!(kind, (&json!("card"), &json!("pi_0")), "{payment}");
    world.collect().await;
    let all = world.api.get("/invoices", &operator).await.with(200).json();
    assert_eq!(all["data"].as_array().unwrap().len(), 1);
    world.api.get(&path, &world.ana).await.with(404);
}
