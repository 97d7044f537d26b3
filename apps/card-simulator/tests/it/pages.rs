//! The pages on which a person pays, gives a card, manages cards and consents.

use racun_card_payments::contract;
use racun_card_payments::{CardProcessor as _, CheckoutOrder, Outcome, SessionPurpose};
use racun_card_simulator::Payer;

use crate::set_up::{SANDBOX, ask, client, connected, start};

const VISA: &str = "4242 4242 4242 4242";

#[tokio::test]
async fn a_decline_is_said_and_the_person_tries_again() {
    let (running, stripe) = start();
    let order = contract::checkout(None, None, "pages-1");
    let page = stripe.checkout(SANDBOX, &order).await.unwrap();
    for (number, message) in [
        ("4000000000000002", "declined"),
        ("4000000000009995", "insufficient funds"),
        ("1234", "no test card"),
    ] {
        let told = running.pay(&page.url, &Payer::with(number)).unwrap_err();
        assert!(told.contains(message), "{told}");
    }
    assert_eq!(running.pay(&page.url, &Payer::with(VISA)), Ok(order.success_url.clone()));
    let kinds: Vec<String> = running.events().into_iter().map(|event| event.kind).collect();
    let failed = "payment_intent.payment_failed";
    let done = ["payment_intent.succeeded", "checkout.session.completed"];
    assert_eq!(kinds, [failed, failed, done[0], done[1]]);
    let payments = running.payments();
    assert_eq!(payments.len(), 1, "all tries are one payment");
    assert_eq!(payments[0].metadata, order.metadata);
    // It was paid, so nothing is paid again, and the page stays done.
    assert_eq!(running.pay(&page.url, &Payer::with(VISA)), Ok(order.success_url));
    assert_eq!(stripe.expire(SANDBOX, None, &page.id).await, Ok(()));
    assert_eq!(running.payments(), payments);
}

#[tokio::test]
async fn the_bank_asks_the_person() {
    let (running, stripe) = start();
    let page = stripe.checkout(SANDBOX, &contract::checkout(None, None, "bank")).await.unwrap();
    let refuses = Payer { confirms: false, ..Payer::with("4000002500003155") };
    let told = running.pay(&page.url, &refuses).unwrap_err();
    assert!(told.contains("is you"), "{told}");
    assert!(running.pay(&page.url, &Payer::with("4000002500003155")).is_ok());
}

#[tokio::test]
async fn nothing_is_paid_on_a_page_that_is_over() {
    let (running, stripe) = start();
    let page = stripe.checkout(SANDBOX, &contract::checkout(None, None, "over")).await.unwrap();
    stripe.expire(SANDBOX, None, &page.id).await.unwrap();
    assert!(running.pay(&page.url, &Payer::with(VISA)).unwrap_err().contains("not there"));
    assert!(running.pay("http://127.0.0.1/pay/cs_test_none", &Payer::with(VISA)).is_err());
    assert!(running.payments().is_empty());
}

#[tokio::test]
async fn a_card_that_is_given_on_a_page_pays_afterwards() {
    let (running, stripe) = start();
    let customer = stripe.set_up(SANDBOX, None, "Ana", "give-1").await.unwrap().customer;
    let order = CheckoutOrder {
        purpose: SessionPurpose::Setup,
        ..contract::checkout(Some(&customer), None, "give-2")
    };
    let page = stripe.checkout(SANDBOX, &order).await.unwrap();
    assert!(page.url.contains("/setup/"), "{}", page.url);
    assert!(running.pay(&page.url, &Payer::with("4000000000000002")).is_err());
    running.pay(&page.url, &Payer::with("4000002500003155")).unwrap();
    let ready = running.events().into_iter().find(|event| event.kind == "setup_intent.succeeded");
    let ready: serde_json::Value = serde_json::from_str(&ready.unwrap().body).unwrap();
    let object = &ready["data"]["object"];
    assert_eq!(object["customer"], customer.as_str());
    assert_eq!(object["metadata"]["racun_invoice"], "inv_1");
    let card = object["payment_method"].as_str().unwrap();
    let card = stripe.attach(SANDBOX, &customer, card).await.unwrap();
    assert_eq!(card.last4, "3155");
    let order = racun_card_payments::PaymentOrder {
        customer,
        payment_method: card.id,
        amount: 100,
        currency: racun_kernel::Currency::EUR,
        description: "Plan".to_owned(),
        metadata: std::collections::BTreeMap::new(),
        idempotency_key: "give-3".to_owned(),
    };
    let taken = stripe.charge(SANDBOX, &order).await;
    assert!(matches!(taken, Ok(Outcome::Succeeded { .. })), "{taken:?}");
}

#[tokio::test]
async fn a_card_is_given_by_the_secret_of_a_setup_intent() {
    let (running, stripe) = start();
    let intent = stripe.set_up(SANDBOX, None, "Ana", "secret-1").await.unwrap();
    assert!(running.give_card(&intent.client_secret, "4000000000000002").is_err());
    assert!(running.give_card("seti_none_secret_none", VISA).is_err());
    let card = running.give_card(&intent.client_secret, VISA).unwrap();
    let known = stripe.attach(SANDBOX, &intent.customer, &card).await.unwrap();
    assert_eq!((known.id, known.last4), (card, "4242".to_owned()));
}

#[tokio::test]
async fn pages_are_html_in_which_texts_are_texts() {
    let (running, stripe) = start();
    let mut order = contract::checkout(None, None, "html");
    if let SessionPurpose::Payment { description, .. } = &mut order.purpose {
        "<script>alert(1)</script>".clone_into(description);
    }
    let page = stripe.checkout(SANDBOX, &order).await.unwrap();
    let path = page.url.strip_prefix(&running.url).unwrap().to_owned();
    let (status, text) = ask(&running.url, "GET", &path, "", "").await;
    assert_eq!(status, 200);
    assert!(text.contains("19.00 EUR") && text.contains("&lt;script&gt;"), "{text}");
    assert!(!text.contains("<script"), "{text}");
    let form = "number=4000002760003184&expiry=12%2F34&cvc=123&name=%22%3E%3Cb%3E";
    let (status, text) = ask(&running.url, "POST", &path, "", form).await;
    assert!(status == 200 && text.contains("Your bank asks") && !text.contains("<b>"), "{text}");
    let form = form.replace("4000002760003184", "4242424242424242");
    let (status, text) = ask(&running.url, "POST", &path, "", &form).await;
    assert!(status == 303 && text.contains(&order.success_url), "{text}");
    let (status, _) = ask(&running.url, "GET", &path, "", "").await;
    assert_eq!(status, 404, "the page is over");
}

#[tokio::test]
async fn a_customer_adds_a_card_in_the_portal() {
    let (running, stripe) = start();
    let customer = stripe.set_up(SANDBOX, None, "Ana", "portal-1").await.unwrap().customer;
    let portal = stripe.portal(SANDBOX, &customer, "http://127.0.0.1:1/back").await.unwrap();
    let path = portal.strip_prefix(&running.url).unwrap().to_owned();
    for (number, word) in [("4000000000000002", "declined"), ("5555555555554444", "mastercard")] {
        let form = format!("number={number}&expiry=12%2F34&cvc=123");
        let (status, text) = ask(&running.url, "POST", &path, "", &form).await;
        assert!(status == 200 && text.contains(word), "{text}");
    }
    let card = stripe.chosen(SANDBOX, &customer).await.unwrap().unwrap();
    assert_eq!((card.brand.as_str(), card.last4.as_str()), ("mastercard", "4444"));
    let kinds: Vec<String> = running.events().into_iter().map(|event| event.kind).collect();
    assert_eq!(kinds, ["payment_method.attached", "customer.updated"]);
}

#[tokio::test]
async fn requests_without_a_key_or_on_behalf_of_strangers_are_refused() {
    let (running, stripe) = start();
    let (status, _) = ask(&running.url, "POST", "/v1/customers", "", "name=Ana").await;
    assert_eq!(status, 401);
    let fields = "authorization: Bearer sk_test_1\r\nstripe-account: acct_other\r\n";
    let (status, text) = ask(&running.url, "POST", "/v1/customers", fields, "name=Ana").await;
    assert!(status == 403 && text.contains("account_invalid"), "{text}");
    let account = connected(&running, &stripe).await;
    let fields = fields.replace("acct_other", &account);
    let (status, text) = ask(&running.url, "POST", "/v1/customers", &fields, "name=Ana").await;
    assert!(status == 200 && text.contains("\"livemode\":false"), "{text}");
    let live = "authorization: Bearer sk_live_1\r\n";
    let (_, text) = ask(&running.url, "POST", "/v1/customers", live, "name=Ana").await;
    assert!(text.contains("\"livemode\":true"), "{text}");
    let (status, _) = ask(&running.url, "GET", "/v1/refunds/re_1", live, "").await;
    assert_eq!(status, 404);
    // A key for one environment is not used for the other.
    let only_live = client(&running.url, "sk_live_1");
    let refused = only_live.portal(SANDBOX, "cus_1", "http://127.0.0.1/").await;
    assert_eq!(refused, Err(racun_card_payments::ProcessorError::NotConnected));
}
