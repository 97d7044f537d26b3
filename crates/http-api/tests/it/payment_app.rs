//! Accounts at the card processor: connected, given up, and invoices of what they took.

use std::sync::Arc;

use actix_web::test::TestRequest;
use racun_application::Services;
use racun_card_payments::{Happened, ProcessorError, ProcessorEvent, ProcessorObject};
use racun_kernel::{Currency, Environment};
use serde_json::{Value, json};
use time::macros::datetime;

use crate::cards::Scripted;
use crate::harness::{Answer, Api, Who, text};

/// An entity that takes cards, and the processor.
pub struct Shop {
    pub api: Api,
    pub owner: Who,
    pub cards: Arc<Scripted>,
}

impl Shop {
    /// An entity without an account.
    pub async fn open() -> Self {
        let cards = Arc::<Scripted>::default();
        let own = Arc::clone(&cards);
        let api = Api::with(|services| Services { cards: own, ..services }).await;
        let owner = api.owner("ana@example.com").await;
        Self { api, owner, cards }
    }

    /// An entity with the account `acct_1`.
    pub async fn connected() -> Self {
        let shop = Self::open().await;
        shop.connect(&shop.owner, "acct_1", json!({})).await.with(200);
        shop
    }

    /// Consent to the account `account`, asked for by `who`: its state.
    pub async fn consent(&self, who: &Who, account: &str) -> String {
        let body = json!({"environment": "sandbox"});
        let asked = self.api.post("/payment-app/authorize", who, body).await.with(200).json();
        let page = text(&asked["redirect_url"]);
        let back = "https://racun.example/payment-app/authorize?code=acct_1&";
        let rest = page.strip_prefix(back).unwrap_or_else(|| panic!("{page}"));
        let path = format!("/payment-app/authorize?code={account}&{rest}");
        let returned = self.api.get(&path, &Who::anonymous()).await.with(200).json();
        assert_eq!(returned["account_id"], account);
        assert_eq!(returned["state"], asked["state"]);
        text(&asked["state"])
    }

    /// Gives the entity of `who` an account.
    pub async fn connect(&self, who: &Who, account: &str, more: Value) -> Answer {
        let state = self.consent(who, account).await;
        let mut body = json!({"state": state, "entity_id": who.entity()});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.api.post("/payment-app/connect", who, body).await
    }

    /// What the processor tells, signed.
    pub async fn tell(&self, id: &str, account: Option<&str>, happened: Happened) -> Answer {
        let (id, account) = (id.to_owned(), account.map(str::to_owned));
        let event = ProcessorEvent { id, account, happened };
        let body = self.cards.tell(Environment::Sandbox, event);
        self.post(&body, "good").await
    }

    /// A webhook with `signature`.
    pub async fn post(&self, body: &str, signature: &str) -> Answer {
        let request = TestRequest::post().uri("/card-processor/webhook");
        let request = request.insert_header(("stripe-signature", signature));
        self.api.call(request.set_payload(body.to_owned())).await
    }

    pub async fn settings(&self, who: &Who) -> Value {
        self.api.get("/payment-app/settings", who).await.with(200).json()
    }

    pub async fn set(&self, body: Value) {
        self.api.patch("/payment-app/settings", &self.owner, body).await.with(200);
    }

    async fn invoice(&self, body: Value) -> Answer {
        self.api.post("/payment-app/invoices", &self.owner, body).await
    }

    async fn invoices(&self) -> Vec<Value> {
        let all = self.api.get("/invoices?limit=100", &self.owner).await.with(200).json();
        all["data"].as_array().unwrap().clone()
    }

    /// Money that the account took, at the processor.
    fn took(&self, id: &str, amount: i64) {
        let object = ProcessorObject {
            id: id.to_owned(),
            is_paid: true,
            amount,
            currency: Currency::EUR,
            description: Some("Course in pottery".to_owned()),
            name: Some("Bor Novak".to_owned()),
            email: Some("bor@example.com".to_owned()),
            country: Some("SI".to_owned()),
            counterpart: None,
            created_at: datetime!(2026-11-20 07:00 UTC),
            metadata: [].into(),
        };
        self.cards.kept().objects.insert(id.to_owned(), object);
    }

    fn change(&self, id: &str, change: impl FnOnce(&mut ProcessorObject)) {
        change(self.cards.kept().objects.get_mut(id).unwrap());
    }

    pub async fn charge(&self, id: &str) -> Value {
        let path = format!("/payment-app/invoices/{id}");
        self.api.get(&path, &self.owner).await.with(200).json()
    }
}

/// A payment that was taken.
pub fn succeeded(payment: &str, amount: i64) -> Happened {
    let (payment, metadata) = (payment.to_owned(), [].into());
    Happened::PaymentSucceeded { payment, amount, currency: Currency::EUR, metadata }
}

fn cause(answer: &Answer) -> String {
    text(&answer.json()["cause"]["code"])
}

#[actix_web::test]
async fn an_account_is_connected_once_by_who_asked_for_it() {
    let shop = Shop::open().await;
    let (api, owner) = (&shop.api, &shop.owner);
    assert_eq!(shop.settings(owner).await["connected"], json!(false));
    let state = shop.consent(owner, "acct_1").await;
    let connect = async |who: &Who, state: &str, entity: &str| {
        let body = json!({"state": state, "entity_id": entity});
        api.post("/payment-app/connect", who, body).await
    };
    // Another one's state, an altered one, another one's entity, a role that may not.
    let stranger = api.owner("eve@example.com").await;
    connect(&stranger, &state, stranger.entity()).await.with(401);
    let altered = format!("{}A", &state[..state.len() - 1]);
    assert_eq!(cause(&connect(owner, &altered, owner.entity()).await.with(401)), "invalid_consent");
    connect(owner, &state, stranger.entity()).await.with(404);
    let editor = api.member(owner, "editor@example.com", "editor").await;
    connect(&editor, &state, owner.entity()).await.with(403);
    assert_eq!(shop.settings(owner).await["connected"], json!(false));

    let made = connect(owner, &state, owner.entity()).await.with(200).json();
    assert_eq!(
        (&made["account_id"], &made["account_name"]),
        (&json!("acct_1"), &json!("Ana's shop"))
    );
    assert_eq!(made, shop.settings(owner).await);
    // It is used: neither does it connect again, nor does coming back make it new.
    connect(owner, &state, owner.entity()).await.with(401);
    let back = format!("/payment-app/authorize?code=acct_2&state={state}");
    api.get(&back, &Who::anonymous()).await.with(401);
}

#[actix_web::test]
async fn consent_runs_out_and_holds_in_its_environment_only() {
    let shop = Shop::open().await;
    let (api, owner) = (&shop.api, &shop.owner);
    let state = shop.consent(owner, "acct_1").await;
    let body = json!({"state": state, "entity_id": owner.entity()});
    let live = json!({"name": "Live", "country": "Slovenia", "environment": "live"});
    let live = api.post("/entities", owner, live).await.with(201).json();
    let other = json!({"state": state, "entity_id": live["id"]});
    let refused = api.post("/payment-app/connect", owner, other).await.with(422);
    assert_eq!(cause(&refused), "payment_app_other_environment");
    let asked = api.post("/payment-app/authorize", owner, json!({})).await.with(200).json();
    api.pass(31 * 60);
    api.post("/payment-app/connect", owner, body).await.with(401);
    let back = format!("/payment-app/authorize?code=acct_1&state={}", text(&asked["state"]));
    api.get(&back, &Who::anonymous()).await.with(401);
    let denied = "/payment-app/authorize?error=access_denied&state=x";
    assert_eq!(
        cause(&api.get(denied, &Who::anonymous()).await.with(422)),
        "card_processor_refused"
    );
    // It was asked for and has not come back.
    let asked = api.post("/payment-app/authorize", owner, json!({"environment": "sandbox"})).await;
    let body = json!({"state": asked.with(200).json()["state"], "entity_id": owner.entity()});
    api.post("/payment-app/connect", owner, body).await.with(401);
}

#[actix_web::test]
async fn an_entity_has_one_account_and_an_account_serves_one_entity() {
    let shop = Shop::connected().await;
    let (owner, force) = (&shop.owner, json!({"force": true}));
    let refused = shop.connect(owner, "acct_2", json!({})).await.with(409);
    assert_eq!(cause(&refused), "payment_app_other_account");
    shop.connect(owner, "acct_1", json!({})).await.with(200);
    shop.connect(owner, "acct_2", force.clone()).await.with(200);
    assert_eq!(shop.cards.kept().disconnected, ["acct_1"]);

    let eve = shop.api.owner("eve@example.com").await;
    let refused = shop.connect(&eve, "acct_2", json!({})).await.with(409);
    assert_eq!(cause(&refused), "payment_app_account_taken");
    assert_eq!(shop.settings(owner).await["account_id"], "acct_2");
    shop.connect(&eve, "acct_2", force).await.with(200);
    assert_eq!(shop.settings(owner).await["connected"], json!(false));
    assert_eq!(shop.settings(&eve).await["account_id"], "acct_2");
}

#[actix_web::test]
async fn settings_outlive_the_account() {
    let shop = Shop::connected().await;
    let (api, owner) = (&shop.api, &shop.owner);
    let path = "/payment-app/settings";
    let wrong = json!({"default_note": "x".repeat(501), "default_tax_rate": 101});
    let refused = api.patch(path, owner, wrong).await.with(422).json();
    assert_eq!(refused["cause"]["issues"].as_array().unwrap().len(), 2, "{refused}");
    let wrong = json!({"auto_invoice_events": ["charge.refunded"]});
    api.patch(path, owner, wrong).await.with(422);
    let body = json!({
        "auto_invoice_enabled": true, "auto_invoice_events": ["invoice.paid"],
        "default_note": "Thank you", "default_tax_rate": 9.5,
    });
    let set = api.patch(path, owner, body.clone()).await.with(200).json();
    for (name, value) in body.as_object().unwrap() {
        assert_eq!(&set[name], value, "{name}");
    }
    let ended = api.post("/payment-app/disconnect", owner, json!({})).await.with(200).json();
    assert_eq!((&ended["connected"], &ended["account_id"]), (&json!(false), &json!(null)));
    assert_eq!(ended["default_note"], "Thank you");
    assert_eq!(shop.cards.kept().disconnected, ["acct_1"]);
    let again = api.post("/payment-app/disconnect", owner, json!({})).await.with(422);
    assert_eq!(cause(&again), "payment_app_not_connected");
    shop.connect(owner, "acct_1", json!({})).await.with(200);
    assert_eq!(shop.settings(owner).await["default_note"], "Thank you");
}

#[actix_web::test]
async fn a_payment_becomes_one_paid_invoice_of_its_amount() {
    let shop = Shop::connected().await;
    shop.set(json!({"default_note": "Paid by card", "default_tax_rate": 22})).await;
    shop.took("pi_1", 12_345);
    let made = shop.invoice(json!({"object_id": "pi_1"})).await.with(200).json();
    assert_eq!(made["total_with_tax"], json!(123.45));
    assert_eq!((&made["paid_in_full"], &made["is_draft"]), (&json!(true), &json!(false)));
    assert_eq!(
        (&made["note"], &made["items"][0]["name"]),
        (&json!("Paid by card"), &json!("Course in pottery"))
    );
    assert_eq!(made["taxes"][0]["rate"], json!(22));
    assert_eq!(made["customer"]["name"], "Bor Novak");
    assert_eq!(made["creation_source"], "payment_app");
    let again =
        shop.invoice(json!({"object_id": "pi_1", "note": "Another"})).await.with(200).json();
    assert_eq!(again["id"], made["id"]);
    // Neither does the event of it make another one.
    shop.set(json!({"auto_invoice_enabled": true})).await;
    shop.tell("evt_1", Some("acct_1"), succeeded("pi_1", 12_345)).await.with(200);
    assert_eq!(shop.invoices().await.len(), 1);
    let charge = shop.charge("pi_1").await;
    assert_eq!((&charge["status"], &charge["document_id"]), (&json!("recorded"), &made["id"]));
    let paid = shop.api.get("/payments", &shop.owner).await.with(200).json();
    let paid = &paid["data"][0];
    assert_eq!((&paid["type"], &paid["reference"]), (&json!("card"), &json!("pi_1")));
}

#[actix_web::test]
async fn each_amount_is_invoiced_to_the_cent_whatever_the_tax() {
    let shop = Shop::connected().await;
    let mut n = 0;
    for rate in [json!(null), json!(0), json!(5), json!(9.5), json!(22), json!(25.5)] {
        shop.set(json!({"default_tax_rate": rate})).await;
        for amount in [1, 2, 99, 101, 3_333, 10_007, 99_999_999] {
            n += 1;
            let id = format!("pi_{n}");
            shop.took(&id, amount);
            let made = shop.invoice(json!({"object_id": id})).await.with(200).json();
            let cents = format!("{}.{:02}", amount / 100, amount % 100);
            let total: racun_kernel::Decimal = made["total_with_tax"].to_string().parse().unwrap();
            assert_eq!(total, cents.parse().unwrap(), "{rate}: {made}");
            assert_eq!(made["paid_in_full"], json!(true), "{rate}: {made}");
        }
    }
}

#[actix_web::test]
async fn what_cannot_be_invoiced_says_why() {
    let shop = Shop::connected().await;
    let wrong = json!({"object_id": "ch_1", "note": "x".repeat(2_001)});
    let refused = shop.invoice(wrong).await.with(422).json();
    assert_eq!(refused["cause"]["issues"].as_array().unwrap().len(), 2, "{refused}");
    let missing = shop.invoice(json!({"object_id": "pi_missing"})).await.with(422);
    assert_eq!(cause(&missing), "card_processor_refused");
    shop.took("pi_1", 100);
    shop.change("pi_1", |object| object.is_paid = false);
    let unpaid = shop.invoice(json!({"object_id": "pi_1"})).await.with(422);
    assert_eq!(cause(&unpaid), "card_payment_not_taken");
    shop.change("pi_1", |object| object.is_paid = true);
    shop.cards.kept().failures.push(ProcessorError::NoAnswer("timeout".to_owned()));
    let away = shop.invoice(json!({"object_id": "pi_1"})).await.with(503);
    assert_eq!(cause(&away), "card_processor_unreachable");
    assert!(shop.invoices().await.is_empty());
    shop.api.post("/payment-app/disconnect", &shop.owner, json!({})).await.with(200);
    let gone = shop.invoice(json!({"object_id": "pi_1"})).await.with(422);
    assert_eq!(cause(&gone), "payment_app_not_connected");
}

#[actix_web::test]
async fn an_automatic_invoice_is_made_of_what_the_settings_name() {
    let shop = Shop::connected().await;
    shop.took("pi_1", 1_000);
    shop.took("in_1", 2_000);
    let invoiced = Happened::InvoicePaid { invoice: "in_1".to_owned() };
    let both = async |n: usize| {
        let id = format!("evt_{n}");
        shop.tell(&id, Some("acct_1"), succeeded("pi_1", 1_000)).await.with(200);
        let id = format!("evt_{n}b");
        shop.tell(&id, Some("acct_1"), invoiced.clone()).await.with(200);
        shop.invoices().await.len()
    };
    assert_eq!(both(1).await, 0, "they are off");
    shop.set(json!({"auto_invoice_enabled": true, "auto_invoice_events": []})).await;
    assert_eq!(both(2).await, 0);
    shop.set(json!({"auto_invoice_events": ["payment_intent.succeeded"]})).await;
    assert_eq!((both(3).await, both(4).await), (1, 1));
    shop.set(json!({"auto_invoice_events": ["payment_intent.succeeded", "invoice.paid"]})).await;
    assert_eq!((both(5).await, both(6).await), (2, 2));
    // Of an account that serves no entity, and of the operator's own, nothing is made.
    shop.took("pi_2", 500);
    shop.tell("evt_7", Some("acct_9"), succeeded("pi_2", 500)).await.with(200);
    shop.tell("evt_8", None, succeeded("pi_2", 500)).await.with(200);
    assert_eq!(shop.invoices().await.len(), 2);
}

#[actix_web::test]
async fn a_payment_and_the_invoice_that_it_paid_are_one_invoice() {
    for is_payment_first in [true, false] {
        let shop = Shop::connected().await;
        let events = json!(["payment_intent.succeeded", "invoice.paid"]);
        shop.set(json!({"auto_invoice_enabled": true, "auto_invoice_events": events})).await;
        shop.took("pi_1", 1_000);
        shop.took("in_1", 1_000);
        shop.change("pi_1", |object| object.counterpart = Some("in_1".to_owned()));
        shop.change("in_1", |object| object.counterpart = Some("pi_1".to_owned()));
        let invoiced = Happened::InvoicePaid { invoice: "in_1".to_owned() };
        let mut events = vec![succeeded("pi_1", 1_000), invoiced];
        if !is_payment_first {
            events.reverse();
        }
        for (n, event) in events.into_iter().enumerate() {
            shop.tell(&format!("evt_{n}"), Some("acct_1"), event).await.with(200);
        }
        assert_eq!(shop.invoices().await.len(), 1);
    }
}

#[actix_web::test]
async fn a_refused_automatic_invoice_is_kept_and_tried_again() {
    let shop = Shop::connected().await;
    shop.set(json!({"auto_invoice_enabled": true})).await;
    shop.took("pi_1", 1_000);
    shop.change("pi_1", |object| object.email = Some("x".repeat(300)));
    // A processor that does not answer says nothing of the money: it tells the event again.
    shop.cards.kept().failures.push(ProcessorError::NoAnswer("timeout".to_owned()));
    shop.tell("evt_1", Some("acct_1"), succeeded("pi_1", 1_000)).await.with(503);
    for n in 2..4 {
        shop.tell(&format!("evt_{n}"), Some("acct_1"), succeeded("pi_1", 1_000)).await.with(200);
    }
    assert!(shop.invoices().await.is_empty());
    let kept = shop.charge("pi_1").await;
    assert_eq!((&kept["status"], &kept["amount"]), (&json!("failed"), &json!(10)));
    assert!(text(&kept["error"]).contains("email"), "{kept}");
    shop.invoice(json!({"object_id": "pi_1"})).await.with(422);
    shop.change("pi_1", |object| object.email = None);
    let made = shop.invoice(json!({"object_id": "pi_1"})).await.with(200).json();
    let kept = shop.charge("pi_1").await;
    assert_eq!((&kept["status"], &kept["error"]), (&json!("recorded"), &json!(null)));
    assert_eq!(kept["document_id"], made["id"]);
}

#[actix_web::test]
async fn forged_webhooks_change_nothing_and_unknown_ones_are_taken() {
    let shop = Shop::connected().await;
    shop.set(json!({"auto_invoice_enabled": true})).await;
    shop.took("pi_1", 1_000);
    let account = Some("acct_1".to_owned());
    let happened = succeeded("pi_1", 1_000);
    let event = ProcessorEvent { id: "evt_1".to_owned(), account, happened };
    let body = shop.cards.tell(Environment::Sandbox, event);
    for (body, signature) in [(body.as_str(), "bad"), (&body, ""), ("not an event", "good")] {
        let refused = shop.post(body, signature).await.with(401);
        assert_eq!(cause(&refused), "invalid_signature");
    }
    let unsigned = TestRequest::post().uri("/card-processor/webhook").set_payload(body.clone());
    shop.api.call(unsigned).await.with(401);
    assert!(shop.invoices().await.is_empty());
    shop.tell("evt_2", Some("acct_1"), Happened::Other).await.with(200);
    shop.post(&body, "good").await.with(200);
    assert_eq!(shop.invoices().await.len(), 1);
}

#[actix_web::test]
async fn consent_that_is_taken_back_ends_the_account_once() {
    let shop = Shop::connected().await;
    shop.tell("evt_1", Some("acct_2"), Happened::Disconnected).await.with(200);
    assert_eq!(shop.settings(&shop.owner).await["connected"], json!(true));
    shop.tell("evt_2", Some("acct_1"), Happened::Disconnected).await.with(200);
    assert_eq!(shop.settings(&shop.owner).await["connected"], json!(false));
    assert!(shop.cards.kept().disconnected.is_empty());
    // The same event, told again, does not end the next one.
    shop.connect(&shop.owner, "acct_1", json!({})).await.with(200);
    shop.tell("evt_2", Some("acct_1"), Happened::Disconnected).await.with(200);
    assert_eq!(shop.settings(&shop.owner).await["connected"], json!(true));
}

#[actix_web::test]
async fn no_entity_sees_what_another_entitys_account_took() {
    let shop = Shop::connected().await;
    shop.took("pi_1", 1_000);
    shop.invoice(json!({"object_id": "pi_1"})).await.with(200);
    let eve = shop.api.owner("eve@example.com").await;
    shop.api.get("/payment-app/invoices/pi_1", &eve).await.with(404);
    let all = shop.api.get("/payment-app/invoices", &eve).await.with(200).json();
    assert_eq!(all["data"], json!([]));
}
