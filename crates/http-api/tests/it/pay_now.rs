//! A shared invoice is paid by card, and recorded once.

use std::collections::BTreeMap;

use actix_web::test::TestRequest;
use racun_card_payments::{CheckoutOrder, Happened, ProcessorError, SessionPurpose};
use racun_kernel::{Currency, Decimal};
use serde_json::{Value, json};

use crate::harness::{Answer, Who, text};
use crate::payment_app::Shop;

/// A shared invoice.
struct Shared {
    id: String,
    link: String,
}

impl Shop {
    /// An issued invoice over `total`, untaxed.
    async fn shared(&self, total: &str) -> Shared {
        let total: Value = serde_json::from_str(total).unwrap();
        let body = json!({"items": [{"name": "Lot", "price": total, "taxes": []}]});
        let made = self.api.post("/invoices", &self.owner, body).await.with(201).json();
        let id = text(&made["id"]);
        let path = format!("/documents/{id}/share");
        let shared = self.api.post(&path, &self.owner, json!({})).await.with(200).json();
        let link = format!("/invoices/shareable/{}", text(&shared["shareable_id"]));
        Shared { id, link }
    }

    async fn pay(&self, shared: &Shared) -> Answer {
        self.api.post(&format!("{}/pay", shared.link), &Who::anonymous(), json!({})).await
    }

    /// The number of the page on which `shared` is paid.
    async fn checkout(&self, shared: &Shared) -> usize {
        let url = text(&self.pay(shared).await.with(200).json()["checkout_url"]);
        url.strip_prefix("https://pay.example/cs_").unwrap().parse().unwrap()
    }

    fn order(&self, n: usize) -> CheckoutOrder {
        self.cards.kept().sessions[n].clone()
    }

    /// What the processor tells when somebody paid on the page `n` by `payment`.
    fn paid(&self, n: usize, payment: &str) -> [Happened; 2] {
        let order = self.order(n);
        let SessionPurpose::Payment { amount, currency, .. } = order.purpose else { panic!() };
        let (payment, metadata) = (payment.to_owned(), order.metadata);
        let completed = Happened::SessionCompleted {
            session: format!("cs_{n}"),
            payment: Some(payment.clone()),
            setup_intent: None,
            customer: None,
            is_paid: true,
            amount: Some(amount),
            currency: Some(currency),
            metadata: metadata.clone(),
        };
        [completed, Happened::PaymentSucceeded { payment, amount, currency, metadata }]
    }

    async fn document(&self, shared: &Shared) -> Value {
        self.api.get(&format!("/invoices/{}", shared.id), &self.owner).await.with(200).json()
    }

    /// The page of `link` as a browser sees it.
    async fn page(&self, link: &str) -> Answer {
        let request = TestRequest::get().uri(link).insert_header(("accept", "text/html"));
        self.api.call(request).await.with(200)
    }

    /// Records money that came otherwise.
    async fn otherwise(&self, shared: &Shared, amount: &str) -> Answer {
        let amount: Value = serde_json::from_str(amount).unwrap();
        let body = json!({"document_id": shared.id, "amount": amount, "type": "bank_transfer"});
        self.api.post("/payments", &self.owner, body).await
    }
}

fn cause(answer: &Answer) -> String {
    text(&answer.json()["cause"]["code"])
}

#[actix_web::test]
async fn an_invoice_is_paid_on_one_page_while_the_same_is_due() {
    let shop = Shop::connected().await;
    let shared = shop.shared("100").await;
    assert_eq!((shop.checkout(&shared).await, shop.checkout(&shared).await), (0, 0));
    let order = shop.order(0);
    assert_eq!(order.account.as_deref(), Some("acct_1"));
    let page = format!("https://racun.example{}", shared.link);
    assert_eq!((order.success_url, order.cancel_url), (format!("{page}?paid=1"), page));
    let SessionPurpose::Payment { amount, currency, .. } = order.purpose else { panic!() };
    assert_eq!((amount, currency), (10_000, Currency::EUR));

    // Less is due: the page is ended, and another one is made.
    shop.otherwise(&shared, "40.5").await.with(201);
    assert_eq!(shop.checkout(&shared).await, 1);
    assert_eq!(shop.cards.kept().expired, ["cs_0"]);
    let SessionPurpose::Payment { amount, .. } = shop.order(1).purpose else { panic!() };
    assert_eq!(amount, 5_950);
    // One that runs out is made again.
    shop.api.pass(24 * 3_600);
    assert_eq!(shop.checkout(&shared).await, 2);
}

#[actix_web::test]
async fn a_page_that_could_not_be_ended_or_made_is_tried_again() {
    let shop = Shop::connected().await;
    let shared = shop.shared("100").await;
    let away = || ProcessorError::NoAnswer("timeout".to_owned());
    shop.cards.kept().failures.push(away());
    assert_eq!(cause(&shop.pay(&shared).await.with(503)), "card_processor_unreachable");
    assert_eq!(shop.checkout(&shared).await, 0);
    shop.otherwise(&shared, "10").await.with(201);
    // While the old page can be paid, no one gets the new one.
    shop.cards.kept().failures.push(away());
    shop.pay(&shared).await.with(503);
    assert_eq!(shop.cards.kept().sessions.len(), 1);
    assert_eq!(shop.checkout(&shared).await, 1);
    assert_eq!(shop.cards.kept().expired, ["cs_0"]);
    // What the processor refuses is said, and the next try is a new one.
    let other = shop.shared("5").await;
    let message = "Amount too small".to_owned();
    shop.cards.kept().failures.push(ProcessorError::Refused { code: None, message });
    assert_eq!(cause(&shop.pay(&other).await.with(422)), "card_processor_refused");
    assert_eq!(shop.checkout(&other).await, 2);
}

#[actix_web::test]
async fn what_cannot_be_paid_says_why() {
    let shop = Shop::open().await;
    let shared = shop.shared("100").await;
    assert_eq!(cause(&shop.pay(&shared).await.with(422)), "payment_app_not_connected");
    shop.connect(&shop.owner, "acct_1", json!({})).await.with(200);
    shop.otherwise(&shared, "100").await.with(201);
    assert_eq!(cause(&shop.pay(&shared).await.with(422)), "not_payable_by_card");
    let other = shop.shared("5").await;
    let void = format!("/invoices/{}/void", other.id);
    shop.api.post(&void, &shop.owner, json!({})).await.with(200);
    assert_eq!(cause(&shop.pay(&other).await.with(422)), "not_payable_by_card");
    let unknown = Shared { id: String::new(), link: "/invoices/shareable/inv_share_x".to_owned() };
    shop.pay(&unknown).await.with(404);
    assert!(shop.cards.kept().sessions.is_empty());
}

#[actix_web::test]
async fn pages_of_one_document_are_bounded() {
    let shop = Shop::connected().await;
    let shared = shop.shared("100").await;
    let mut made = 0;
    let refused = loop {
        shop.otherwise(&shared, "0.01").await.with(201);
        let answer = shop.pay(&shared).await;
        if answer.status != 200 {
            break answer;
        }
        made += 1;
    };
    assert_eq!((made, cause(&refused).as_str()), (50, "too_many_card_sessions"));
    // A month later nothing is heard of them any more.
    shop.api.pass(31 * 24 * 3_600);
    shop.pay(&shared).await.with(200);
}

#[actix_web::test]
async fn money_is_recorded_once_in_whichever_order_notices_come() {
    for is_reversed in [false, true] {
        let shop = Shop::connected().await;
        // Automatic invoices are no second sale of the same money.
        shop.set(json!({"auto_invoice_enabled": true})).await;
        let shared = shop.shared("100").await;
        let n = shop.checkout(&shared).await;
        let mut events = shop.paid(n, "pi_1");
        if is_reversed {
            events.reverse();
        }
        for (n, event) in events.iter().chain(&events).enumerate() {
            let id = format!("evt_{n}");
            shop.tell(&id, Some("acct_1"), event.clone()).await.with(200);
        }
        let document = shop.document(&shared).await;
        assert_eq!(
            (&document["total_paid"], &document["paid_in_full"]),
            (&json!(100), &json!(true))
        );
        let paid = shop.api.get("/payments", &shop.owner).await.with(200).json();
        let paid = paid["data"].as_array().unwrap();
        assert_eq!(paid.len(), 1);
        assert_eq!((&paid[0]["type"], &paid[0]["reference"]), (&json!("card"), &json!("pi_1")));
        let charge = shop.charge("pi_1").await;
        assert_eq!(
            (&charge["status"], &charge["payment_id"]),
            (&json!("recorded"), &paid[0]["id"])
        );
        let all = shop.api.get("/invoices", &shop.owner).await.with(200).json();
        assert_eq!(all["data"].as_array().unwrap().len(), 1);
        assert_eq!(cause(&shop.pay(&shared).await.with(422)), "not_payable_by_card");
        // A payment that was deleted by hand is not brought back by a repeat.
        let path = format!("/payments/{}", text(&paid[0]["id"]));
        shop.api.delete(&path, &shop.owner).await.with(204);
        shop.api.delete(&format!("{path}/permanent"), &shop.owner).await.with(204);
        shop.tell("evt_9", Some("acct_1"), events[0].clone()).await.with(200);
        assert_eq!(shop.document(&shared).await["total_paid"], json!(0));
    }
}

#[actix_web::test]
async fn a_declined_card_is_noted_and_another_one_pays_by_the_same_payment() {
    let shop = Shop::connected().await;
    let shared = shop.shared("100").await;
    let n = shop.checkout(&shared).await;
    let declined = Happened::PaymentFailed {
        payment: "pi_1".to_owned(),
        code: "card_declined".to_owned(),
        message: "Your card was declined.".to_owned(),
        metadata: shop.order(n).metadata,
    };
    // Of another account it says nothing.
    shop.tell("evt_0", Some("acct_2"), declined.clone()).await.with(200);
    shop.api.get("/payment-app/invoices/pi_1", &shop.owner).await.with(404);
    shop.tell("evt_1", Some("acct_1"), declined.clone()).await.with(200);
    let charge = shop.charge("pi_1").await;
    let said = (&charge["status"], &charge["error"], &charge["payment_id"]);
    assert_eq!(said, (&json!("declined"), &json!("Your card was declined."), &Value::Null));
    assert_eq!(shop.document(&shared).await["total_paid"], json!(0));
    let again = json!({"object_id": "pi_1"});
    shop.api.post("/payment-app/invoices", &shop.owner, again).await.with(422);
    assert_eq!(shop.document(&shared).await["total_paid"], json!(0), "no money was taken");
    assert_eq!(shop.checkout(&shared).await, n, "the page can still be paid");
    for event in shop.paid(n, "pi_1") {
        shop.tell("evt_2", Some("acct_1"), event).await.with(200);
    }
    shop.tell("evt_3", Some("acct_1"), declined).await.with(200);
    let charge = shop.charge("pi_1").await;
    assert_eq!((&charge["status"], &charge["error"]), (&json!("recorded"), &Value::Null));
    assert_eq!(shop.document(&shared).await["total_paid"], json!(100));
}

#[actix_web::test]
async fn only_events_of_the_pages_account_count() {
    let shop = Shop::connected().await;
    let shared = shop.shared("100").await;
    let n = shop.checkout(&shared).await;
    let [_, succeeded] = shop.paid(n, "pi_1");
    // Another seller's payment that names this page, and one of the operator's own account.
    let eve = shop.api.owner("eve@example.com").await;
    shop.connect(&eve, "acct_2", json!({})).await.with(200);
    shop.tell("evt_1", Some("acct_2"), succeeded.clone()).await.with(200);
    shop.tell("evt_2", None, succeeded.clone()).await.with(200);
    assert_eq!(shop.document(&shared).await["total_paid"], json!(0));
    // A page of no document, and one that is not paid yet.
    let Happened::PaymentSucceeded { payment, amount, currency, metadata } = succeeded.clone()
    else {
        panic!()
    };
    let mut other: BTreeMap<_, _> = metadata.clone();
    other.insert("racun_session".to_owned(), "csn_01jb2xvsz5q8r3n7k6m4e9w0aa".to_owned());
    let named = Happened::PaymentSucceeded { payment, amount, currency, metadata: other };
    shop.tell("evt_3", Some("acct_1"), named).await.with(200);
    let [completed, _] = shop.paid(n, "pi_1");
    let Happened::SessionCompleted { session, payment, setup_intent, customer, .. } = completed
    else {
        panic!()
    };
    let (amount, currency) = (Some(amount), Some(currency));
    let waits = Happened::SessionCompleted {
        session,
        payment,
        setup_intent,
        customer,
        is_paid: false,
        amount,
        currency,
        metadata,
    };
    shop.tell("evt_4", Some("acct_1"), waits).await.with(200);
    assert_eq!(shop.document(&shared).await["total_paid"], json!(0));
    // The account left before that: what it took for the invoice is still the invoice's.
    shop.api.post("/payment-app/disconnect", &shop.owner, json!({})).await.with(200);
    shop.tell("evt_5", Some("acct_1"), succeeded).await.with(200);
    assert_eq!(shop.document(&shared).await["total_paid"], json!(100));
}

#[actix_web::test]
async fn money_that_cannot_be_recorded_is_kept_with_its_reason() {
    let shop = Shop::connected().await;
    let shared = shop.shared("100").await;
    let n = shop.checkout(&shared).await;
    let other = shop.otherwise(&shared, "60").await.with(201).json();
    for (k, event) in shop.paid(n, "pi_1").into_iter().enumerate() {
        shop.tell(&format!("evt_{k}"), Some("acct_1"), event).await.with(200);
    }
    let kept = shop.charge("pi_1").await;
    assert_eq!((&kept["status"], &kept["amount"]), (&json!("failed"), &json!(100)));
    assert!(text(&kept["error"]).contains("exceed"), "{kept}");
    assert_eq!(shop.document(&shared).await["total_paid"], json!(60));
    // It is tried again when there is room for it.
    let invoice = json!({"object_id": "pi_1"});
    let refused = shop.api.post("/payment-app/invoices", &shop.owner, invoice.clone()).await;
    assert_eq!(cause(&refused.with(422)), "card_payment_not_recorded");
    let path = format!("/payments/{}", text(&other["id"]));
    shop.api.delete(&path, &shop.owner).await.with(204);
    let paid = shop.api.post("/payment-app/invoices", &shop.owner, invoice).await.with(200).json();
    assert_eq!((&paid["id"], &paid["total_paid"]), (&json!(shared.id), &json!(100)));

    let void = shop.shared("50").await;
    let n = shop.checkout(&void).await;
    let path = format!("/invoices/{}/void", void.id);
    shop.api.post(&path, &shop.owner, json!({})).await.with(200);
    let [_, succeeded] = shop.paid(n, "pi_2");
    shop.tell("evt_9", Some("acct_1"), succeeded).await.with(200);
    assert_eq!(shop.charge("pi_2").await["status"], "failed");
}

#[actix_web::test]
async fn the_page_has_a_button_while_it_can_be_paid_and_claims_nothing() {
    let shop = Shop::open().await;
    let shared = shop.shared("100").await;
    let button = "Pay by card</button>";
    let english = |link: &str| format!("{link}?language=en");
    let page = shop.page(&english(&shared.link)).await;
    assert!(!page.text.contains(button), "no account");
    assert!(page.header("content-security-policy").contains("form-action 'self';"));
    shop.connect(&shop.owner, "acct_1", json!({})).await.with(200);
    let page = shop.page(&english(&shared.link)).await;
    assert!(page.text.contains(button), "{}", page.text);
    assert!(page.header("content-security-policy").contains("form-action 'self' https:"));
    assert!(!page.text.contains("<script"));

    let form = |link: &str| {
        let request = TestRequest::post().uri(link).insert_header(("accept", "text/html"));
        let request = request.insert_header(("content-length", "0"));
        request.insert_header(("content-type", "application/x-www-form-urlencoded"))
    };
    let link = format!("{}&locale=de-DE", english(&format!("{}/pay", shared.link)));
    let led = shop.api.call(form(&link)).await.with(303);
    assert_eq!(led.header("location"), "https://pay.example/cs_0");
    let back = format!("https://racun.example{}?paid=1&language=en&locale=de-DE", shared.link);
    assert_eq!(shop.order(0).success_url, back);
    // Who comes back reads that it is not recorded yet, and then that it is.
    let back = back.strip_prefix("https://racun.example").unwrap();
    let page = shop.page(back).await;
    assert!(page.text.contains("is being recorded") && !page.text.contains(button));
    let [completed, _] = shop.paid(0, "pi_1");
    shop.tell("evt_1", Some("acct_1"), completed).await.with(200);
    let page = shop.page(back).await;
    assert!(!page.text.contains("is being recorded") && !page.text.contains(button));
    assert!(page.text.contains("Paid"));
    let refused = shop.api.call(form(&link)).await.with(422);
    assert!(refused.text.contains("cannot be paid by card now"), "{}", refused.text);
}

/// Numbers that look random, the same for a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

/// What was recorded, and what failed, is what was taken, each payment once; and never does a
/// document hold more than it comes to.
#[actix_web::test]
async fn what_is_recorded_and_what_failed_is_what_was_taken() {
    for seed in 0..12 {
        let mut dice = Dice(seed);
        let shop = Shop::connected().await;
        let shared = shop.shared("100").await;
        let (mut told, mut taken, mut events) = (0, BTreeMap::new(), Vec::new());
        for _ in 0..25 {
            match dice.below(8) {
                0..=2 => {
                    shop.pay(&shared).await;
                }
                3 | 4 => {
                    // Somebody pays on a page that was made, as far as the processor lets them.
                    let count = shop.cards.kept().sessions.len();
                    let n = dice.below(count.max(1));
                    let is_ended = shop.cards.kept().expired.contains(&format!("cs_{n}"));
                    let payment = format!("pi_{n}");
                    if n < count && !is_ended && !taken.contains_key(&payment) {
                        let SessionPurpose::Payment { amount, .. } = shop.order(n).purpose else {
                            panic!()
                        };
                        events.extend(shop.paid(n, &payment));
                        taken.insert(payment, amount);
                    }
                }
                5 if !events.is_empty() => {
                    let event = events[dice.below(events.len())].clone();
                    told += 1;
                    shop.tell(&format!("evt_{told}"), Some("acct_1"), event).await.with(200);
                }
                6 => {
                    let amount = dice.below(40) + 1;
                    shop.otherwise(&shared, &amount.to_string()).await;
                }
                7 if dice.below(10) == 0 => {
                    let path = format!("/invoices/{}/void", shared.id);
                    shop.api.post(&path, &shop.owner, json!({})).await;
                }
                _ => shop.api.pass(3_600),
            }
        }
        for event in events.iter().chain(events.iter().rev()) {
            told += 1;
            shop.tell(&format!("evt_{told}"), Some("acct_1"), event.clone()).await.with(200);
        }
        check(&shop, &shared, &taken).await;
    }
}

async fn check(shop: &Shop, shared: &Shared, taken: &BTreeMap<String, i64>) {
    let number = |value: &Value| value.to_string().parse::<Decimal>().unwrap();
    let path = "/payment-app/invoices?limit=100";
    let charges = shop.api.get(path, &shop.owner).await.with(200).json();
    let charges = charges["data"].as_array().unwrap();
    let amounts: BTreeMap<String, Decimal> =
        charges.iter().map(|charge| (text(&charge["id"]), number(&charge["amount"]))).collect();
    let expected: BTreeMap<String, Decimal> =
        taken.iter().map(|(id, units)| (id.clone(), Decimal::new(*units, 2))).collect();
    assert_eq!((charges.len(), &amounts), (taken.len(), &expected));
    let recorded = |charge: &&Value| charge["status"] == "recorded";
    assert!(charges.iter().all(|charge| charge["status"] != "waiting"), "{charges:?}");
    let sum = |rows: &[&Value]| {
        let amounts: Vec<Decimal> = rows.iter().map(|one| number(&one["amount"])).collect();
        amounts.iter().sum::<Decimal>()
    };
    let recorded: Vec<&Value> = charges.iter().filter(recorded).collect();
    let payments = shop.api.get("/payments?limit=100", &shop.owner).await.with(200).json();
    let payments = payments["data"].as_array().unwrap();
    let by_card: Vec<&Value> = payments.iter().filter(|one| one["type"] == "card").collect();
    assert_eq!((by_card.len(), sum(&by_card)), (recorded.len(), sum(&recorded)));
    let document = shop.document(shared).await;
    assert!(number(&document["total_paid"]) <= number(&document["total_with_tax"]), "{document}");
}
