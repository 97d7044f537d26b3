//! Stripe: recorded exchanges, a server that behaves badly, and events.

use std::time::Duration;

use racun_card_payments::contract;
use racun_card_payments::{
    CardProcessor as _, CheckoutOrder, Happened, Outcome, PaymentOrder, ProcessorError,
    SessionPurpose,
};
use racun_gateways::{Reach, Stripe, StripeOptions};
use racun_kernel::{Currency, Environment};
use ring::hmac;
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::macros::datetime;

use crate::cassette::{Cassette, Recording};
use crate::stand_in::StandIn;

const KEY: &str = "sk_test_recorded";
const EXCHANGES: &str = include_str!("../data/stripe/exchanges.json");
const SANDBOX: Environment = Environment::Sandbox;
const LIVE: Environment = Environment::Live;
const CLIENT: &str = "ca_32D88BD1qLklliziD7gYQvctJIhWBSQ7";
const SECRET: &str = "whsec_recorded";
const NOW: OffsetDateTime = datetime!(2026-11-26 10:00 UTC);

fn options(url: &str, key: &str) -> StripeOptions {
    StripeOptions {
        url: url.to_owned(),
        client_id: Some(CLIENT.to_owned()),
        reach: Reach::ThisMachine,
        patience: Duration::from_secs(5),
        ..StripeOptions::new(key, SECRET)
    }
}

fn stripe(stand_in: &StandIn, key: &str) -> Stripe {
    Stripe::new(&options(&format!("http://{}/", stand_in.address), key)).unwrap()
}

fn fields(request: &Value) -> Vec<(&'static str, String)> {
    let mut fields = vec![
        ("accept", "application/json".to_owned()),
        ("authorization", format!("Bearer {KEY}")),
        ("stripe-version", "2024-06-20".to_owned()),
    ];
    if request["method"] == "POST" {
        fields.push(("content-type", "application/x-www-form-urlencoded".to_owned()));
    }
    let more = [("idempotency-key", "idempotency_key"), ("stripe-account", "account")];
    let recorded = |(name, key)| Some((name, request[key].as_str()?.to_owned()));
    fields.extend(more.into_iter().filter_map(recorded));
    fields
}

#[tokio::test]
async fn the_contract_is_kept_over_recorded_exchanges() {
    let cassette = Cassette::new(Recording::new(EXCHANGES, fields)).await;
    let stripe = stripe(&cassette.stand_in, KEY);
    contract::cards_are_taken(&stripe).await;
    contract::payments_are_taken_once(&stripe).await;
    contract::pages_are_made_and_ended(&stripe).await;
    contract::accounts_are_connected(&stripe, "ac_123456789").await;
    let (payment, invoice) = ("pi_1PgafzObject", "in_1Pgc6tB7WZ01zgkWu9fdqL6I");
    contract::objects_are_read(&stripe, "acct_1PgafTB7WZ01zgkW", payment, invoice).await;
    cassette.assert_all_used();
}

fn payment() -> PaymentOrder {
    PaymentOrder {
        customer: "cus_1".to_owned(),
        payment_method: "pm_1".to_owned(),
        amount: 1_900,
        currency: Currency::EUR,
        description: "Plan".to_owned(),
        metadata: std::collections::BTreeMap::new(),
        idempotency_key: "key-1".to_owned(),
    }
}

#[tokio::test]
async fn silence_is_no_refusal_and_no_decline() {
    let long = "x".repeat(3 * 1_024 * 1_024);
    let missing = json!({ "error": { "type": "invalid_request_error", "message": "No such" } });
    let no_right = json!({ "error": { "type": "invalid_request_error", "code": "no_right",
        "message": "This key may not make payments" } });
    for (status, body) in [
        (500, json!({ "error": { "type": "api_error", "message": "sorry" } }).to_string()),
        (503, String::new()),
        (429, json!({ "error": { "code": "rate_limit", "message": "slow" } }).to_string()),
        (409, json!({ "error": { "code": "idempotency_key_in_use", "message": "x" } }).to_string()),
        (301, String::new()),
        // The key may not do that: the card is not declined.
        (403, no_right.to_string()),
        (200, "<html>".to_owned()),
        (200, json!({ "id": "pi_1", "status": "requires_capture" }).to_string()),
        (200, json!({ "status": "succeeded" }).to_string()),
        (402, "<html>".to_owned()),
        (404, "<html>".to_owned()),
        (200, long),
    ] {
        let stand_in = StandIn::new(move |_| Some((status, body.clone()))).await;
        let lost = stripe(&stand_in, KEY).charge(SANDBOX, &payment()).await;
        assert!(matches!(lost, Err(ProcessorError::NoAnswer(_))), "{status}: {lost:?}");
        assert_eq!(stand_in.asked().len(), 1, "nothing is sent twice by itself");
    }
    let stand_in = StandIn::new(|_| None).await;
    let lost = stripe(&stand_in, KEY).charge(SANDBOX, &payment()).await;
    assert!(matches!(lost, Err(ProcessorError::NoAnswer(_))), "{lost:?}");
    let stand_in = StandIn::new(move |_| Some((400, missing.to_string()))).await;
    let refused = stripe(&stand_in, KEY).charge(SANDBOX, &payment()).await;
    assert_eq!(contract::code(refused).as_deref(), Some("invalid_request_error"));
}

#[tokio::test]
async fn a_processor_that_takes_its_time_is_left() {
    let (_never, gate) = tokio::sync::oneshot::channel::<()>();
    let gate = std::sync::Mutex::new(Some(gate));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let held = tokio::spawn(async move {
        let gate = gate.lock().unwrap().take().unwrap();
        let (_stream, _) = listener.accept().await.unwrap();
        let _ = gate.await;
    });
    let patience = Duration::from_millis(50);
    let stripe = Stripe::new(&StripeOptions { patience, ..options(&url, KEY) }).unwrap();
    let lost = stripe.charge(SANDBOX, &payment()).await;
    assert_eq!(lost, Err(ProcessorError::NoAnswer("it did not answer in time".to_owned())));
    held.abort();
}

#[tokio::test]
async fn a_payment_that_the_bank_takes_its_time_for_is_under_way() {
    let body = json!({ "id": "pi_1", "status": "processing" }).to_string();
    let stand_in = StandIn::new(move |_| Some((200, body.clone()))).await;
    let outcome = stripe(&stand_in, KEY).charge(SANDBOX, &payment()).await;
    assert_eq!(outcome, Ok(Outcome::Processing { payment: "pi_1".to_owned() }));
}

#[tokio::test]
async fn amounts_that_stripe_cannot_have_are_refused_without_a_call() {
    let stand_in = StandIn::new(|_| None).await;
    let stripe = stripe(&stand_in, KEY);
    for (amount, currency) in [(0, "EUR"), (-5, "EUR"), (1_250, "MGA")] {
        let order = PaymentOrder { amount, currency: currency.parse().unwrap(), ..payment() };
        assert!(contract::code(stripe.charge(SANDBOX, &order).await).is_some());
    }
    assert!(stand_in.asked().is_empty());
}

#[tokio::test]
async fn ids_of_strangers_are_no_paths_and_no_header_fields() {
    let stand_in = StandIn::new(|_| None).await;
    let stripe = stripe(&stand_in, KEY);
    let missing = Some("resource_missing".to_owned());
    let id = "../customers?limit=100";
    let key_of_strangers = CheckoutOrder {
        purpose: SessionPurpose::Setup,
        ..contract::checkout(None, Some("acct_1\r\nx: y"), "key")
    };
    assert_eq!(contract::code(stripe.attach(SANDBOX, "cus_1", id).await), missing);
    assert_eq!(contract::code(stripe.expire(SANDBOX, None, id).await), missing);
    assert_eq!(contract::code(stripe.object(SANDBOX, "acct_1", id).await), missing);
    assert_eq!(contract::code(stripe.checkout(SANDBOX, &key_of_strangers).await), missing);
    assert!(stand_in.asked().is_empty());
}

#[tokio::test]
async fn a_key_serves_the_environment_that_it_says() {
    for (key, sandbox, live) in [
        ("sk_test_1", true, false),
        ("rk_test_1", true, false),
        ("sk_live_1", false, true),
        ("rk_live_1", false, true),
        ("another", true, true),
    ] {
        let stripe = Stripe::new(&options("http://127.0.0.1:1", key)).unwrap();
        assert_eq!((stripe.serves(SANDBOX), stripe.serves(LIVE)), (sandbox, live), "{key}");
        for environment in [SANDBOX, LIVE] {
            let page = stripe.consent_page(environment, "s", "http://127.0.0.1/back").await;
            assert_eq!(page.is_ok(), stripe.serves(environment), "{key}");
        }
    }
    let nobody = StripeOptions { client_id: None, ..options("http://127.0.0.1:1", "another") };
    let stripe = Stripe::new(&nobody).unwrap();
    let page = stripe.consent_page(LIVE, "s", "http://127.0.0.1/back").await;
    assert_eq!(page, Err(ProcessorError::NotConnected));
    assert_eq!(stripe.connect(LIVE, "ac_1").await, Err(ProcessorError::NotConnected));
}

#[tokio::test]
async fn a_stand_ins_key_says_in_metadata_of_which_environment_it_is() {
    let body = json!({ "id": "pi_1", "status": "succeeded" }).to_string();
    let stand_in = StandIn::new(move |_| Some((200, body.clone()))).await;
    let stripe = stripe(&stand_in, "another");
    assert!(stripe.charge(LIVE, &payment()).await.is_ok());
    let asked = stand_in.asked().pop().unwrap();
    assert!(asked.body.ends_with("&metadata%5Bracun_environment%5D=live"), "{}", asked.body);
}

#[tokio::test]
async fn sellers_consent_at_stripes_other_host() {
    let own = StripeOptions { client_id: Some(CLIENT.to_owned()), ..StripeOptions::new(KEY, "") };
    let stripe = Stripe::new(&own).unwrap();
    let page = stripe.consent_page(SANDBOX, "a b", "https://racun.example/back?x=1").await;
    let expected = format!(
        "https://connect.stripe.com/oauth/authorize?response_type=code&client_id={CLIENT}\
         &scope=read_write&state=a+b&redirect_uri=https%3A%2F%2Fracun.example%2Fback%3Fx%3D1"
    );
    assert_eq!(page, Ok(expected));
    let elsewhere = Stripe::new(&options("http://127.0.0.1:1/stripe/", KEY)).unwrap();
    let page = elsewhere.consent_page(SANDBOX, "s", "http://127.0.0.1/back").await.unwrap();
    assert!(page.starts_with("http://127.0.0.1:1/stripe/oauth/authorize?"), "{page}");
}

#[tokio::test]
async fn other_machines_are_not_called_when_they_are_out_of_reach() {
    let far = StripeOptions { reach: Reach::ThisMachine, ..StripeOptions::new(KEY, SECRET) };
    let refused = Stripe::new(&far).unwrap().charge(SANDBOX, &payment()).await;
    assert!(matches!(refused, Err(ProcessorError::NoAnswer(_))), "{refused:?}");
    let address = options("http://192.0.2.1", KEY);
    let refused = Stripe::new(&address).unwrap().charge(SANDBOX, &payment()).await;
    assert!(matches!(refused, Err(ProcessorError::NoAnswer(_))), "{refused:?}");
    for url in ["ftp://stripe.example", "no address", "http://user:key@stripe.example"] {
        assert!(Stripe::new(&options(url, KEY)).is_err(), "{url}");
    }
    assert!(Stripe::new(&options("http://127.0.0.1:1", "sk\n")).is_err());
    let shown = format!("{far:?}");
    assert!(!shown.contains(KEY) && !shown.contains(SECRET), "{shown}");
}

fn signed(secret: &str, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let time = NOW.unix_timestamp();
    let tag = hmac::sign(&key, format!("{time}.{body}").as_bytes());
    let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("t={time},v1={hex}")
}

#[test]
fn endpoints_of_ones_own_account_and_of_connected_ones_have_a_secret_each() {
    let secrets = ["whsec_own", "whsec_connected"];
    let both = StripeOptions {
        webhook_secrets: secrets.map(str::to_owned).into(),
        ..options("http://127.0.0.1:1", KEY)
    };
    let stripe = Stripe::new(&both).unwrap();
    let body = r#"{"id":"evt_1","type":"x","data":{"object":{}}}"#;
    let is_read = |secret| {
        let signature = signed(secret, body);
        stripe.read_webhook(Some(&signature), body.as_bytes(), NOW).is_ok()
    };
    assert!(secrets.into_iter().all(is_read));
    assert!(!is_read(SECRET) && !is_read(""));
}

#[test]
fn recorded_events_are_read() {
    let events: Vec<Value> =
        serde_json::from_str(include_str!("../data/stripe/events.json")).unwrap();
    let stripe = Stripe::new(&options("http://127.0.0.1:1", KEY)).unwrap();
    let mut found = Vec::new();
    for event in events {
        let body = event.to_string();
        let signature = signed(SECRET, &body);
        let read = stripe.read_webhook(Some(&signature), body.as_bytes(), NOW).unwrap();
        assert_eq!((read.0, read.1.id.as_str()), (SANDBOX, event["id"].as_str().unwrap()));
        assert_eq!(read.1.account.as_deref(), event["account"].as_str());
        found.push(match read.1.happened {
            Happened::SessionCompleted { payment, amount, is_paid, metadata, .. } => {
                format!("{payment:?} {amount:?} {is_paid} {metadata:?}")
            }
            Happened::PaymentSucceeded { payment, amount, currency, .. } => {
                format!("{payment} {amount} {currency}")
            }
            Happened::PaymentFailed { payment, code, message, .. } => {
                format!("{payment} {code} {message}")
            }
            Happened::CardReady { customer, payment_method, .. } => {
                format!("{customer:?} {payment_method}")
            }
            Happened::CardChosen { customer, .. } => format!("{customer} chose"),
            Happened::InvoicePaid { invoice } => invoice,
            Happened::Disconnected => "disconnected".to_owned(),
            Happened::Other => "other".to_owned(),
        });
        let wrong = signed("whsec_of_the_live_account", &body);
        assert!(stripe.read_webhook(Some(&wrong), body.as_bytes(), NOW).is_err());
    }
    assert_eq!(
        found,
        [
            "Some(\"pi_1PgafzObject\") Some(1900) true {\"racun_invoice\": \"inv_1\"}",
            "pi_1PgafzObject 1900 EUR",
            "pi_1PgbDecline card_declined Your card has insufficient funds.",
            "Some(\"cus_QXg1o8vcGmoR32\") pm_1Pgc75B7WZ01zgkWlHVgdEGJ",
            "cus_QXg1o8vcGmoR32 chose",
            "in_1Pgc6tB7WZ01zgkWu9fdqL6I",
            "disconnected",
            "other",
        ]
    );
}
