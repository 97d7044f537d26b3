//! Webhooks: what they tell, their signatures, and repeats.

use racun_card_payments::contract;
use racun_card_payments::{CardProcessor as _, Happened};
use racun_card_simulator::{Options, Payer, Running, Simulator, signature};
use racun_gateways::Stripe;
use racun_kernel::{Currency, Environment};
use time::OffsetDateTime;

use crate::set_up::{KEY, NOW, Receiver, SANDBOX, SECRET, ask, client, connected, options};

fn start(receiver: &Receiver) -> (Running, Stripe) {
    let webhook_url = Some(receiver.url.clone());
    let running = Simulator::start(&Options { webhook_url, ..options() }).unwrap();
    let stripe = client(&running.url, KEY);
    (running, stripe)
}

#[tokio::test]
async fn a_payment_is_reported_with_what_the_page_was_made_with() {
    let receiver = Receiver::new(0).await;
    let (running, stripe) = start(&receiver);
    let account = connected(&running, &stripe).await;
    let order = contract::checkout(None, Some(&account), "told-1");
    let page = stripe.checkout(SANDBOX, &order).await.unwrap();
    running.pay(&page.url, &Payer::with("4242424242424242")).unwrap();
    let came = receiver.came(2).await;
    assert!(came.iter().all(|one| one.line == "POST /card-processor/webhook HTTP/1.1"));
    let events: Vec<_> = came.iter().map(|one| one.read(&stripe)).collect();
    assert!(events.iter().all(|event| event.account.as_ref() == Some(&account)), "{events:?}");
    let paid = running.payments().pop().unwrap().id;
    let taken = Happened::PaymentSucceeded {
        payment: paid.clone(),
        amount: 1_900,
        currency: Currency::EUR,
        metadata: order.metadata.clone(),
    };
    let done = Happened::SessionCompleted {
        session: page.id,
        payment: Some(paid),
        setup_intent: None,
        customer: None,
        is_paid: true,
        amount: Some(1_900),
        currency: Some(Currency::EUR),
        metadata: order.metadata,
    };
    for expected in [taken, done] {
        assert!(events.iter().any(|event| event.happened == expected), "{events:?}");
    }
}

#[tokio::test]
async fn a_card_that_becomes_the_one_that_pays_is_reported() {
    let receiver = Receiver::new(0).await;
    let (running, stripe) = start(&receiver);
    let customer = stripe.set_up(SANDBOX, None, "Ana", "chosen").await.unwrap().customer;
    let portal = stripe.portal(SANDBOX, &customer, "http://127.0.0.1:1/back").await.unwrap();
    let path = portal.strip_prefix(&running.url).unwrap().to_owned();
    let form = "number=5555555555554444&expiry=12%2F34&cvc=123";
    ask(&running.url, "POST", &path, "", form).await;
    stripe.attach(SANDBOX, &customer, "pm_card_visa").await.unwrap();
    let came = receiver.came(3).await;
    let told = came.iter().map(|one| one.read(&stripe).happened);
    let chosen = told.filter(|happened| *happened != Happened::Other).collect::<Vec<_>>();
    let expected = Happened::CardChosen { customer, metadata: [].into() };
    assert_eq!(chosen, [expected.clone(), expected]);
}

#[tokio::test]
async fn what_is_not_taken_is_posted_again_and_on_request() {
    let receiver = Receiver::new(2).await;
    let (running, stripe) = start(&receiver);
    let account = connected(&running, &stripe).await;
    running.take_back(&account);
    let came = receiver.came(1).await;
    let first = came[0].read(&stripe);
    assert_eq!((&first.happened, first.account), (&Happened::Disconnected, Some(account)));
    assert!(running.replay(&first.id) && !running.replay("evt_none"));
    let came = receiver.came(2).await;
    assert_eq!(came[1].body, came[0].body, "it is the same event");
}

#[tokio::test]
async fn webhooks_of_others_and_of_other_times_are_refused() {
    let receiver = Receiver::new(0).await;
    let (running, stripe) = start(&receiver);
    let intent = stripe.set_up(SANDBOX, None, "Ana", "ready").await.unwrap();
    let card = running.give_card(&intent.client_secret, "4242424242424242").unwrap();
    let came = receiver.came(1).await.pop().unwrap();
    let Happened::CardReady { customer, payment_method, .. } = came.read(&stripe).happened else {
        panic!("{came:?}");
    };
    assert_eq!((customer, payment_method), (Some(intent.customer), card));
    let at = |seconds: i64| OffsetDateTime::from_unix_timestamp(NOW + seconds).unwrap();
    let read = |signature: &str, body: &str, now| {
        stripe.read_webhook(Some(signature), body.as_bytes(), now).map(|(place, _)| place)
    };
    let (good, body) = (came.signature.as_str(), came.body.as_str());
    assert_eq!(read(good, body, at(300)), Ok(SANDBOX));
    let other = signature("whsec_of_the_live_account", NOW, body);
    let cut = &body[..body.len() - 1];
    for (signature, body, now) in [
        (good, body, at(301)),
        (good, body, at(-301)),
        (good, cut, at(0)),
        (&good[..good.len() - 2], body, at(0)),
        (other.as_str(), body, at(0)),
        ("", body, at(0)),
        (signature(SECRET, NOW, "{}").as_str(), "{}", at(0)),
    ] {
        assert!(read(signature, body, now).is_err(), "{signature}");
    }
    assert!(stripe.read_webhook(None, body.as_bytes(), at(0)).is_err());
}

#[tokio::test]
async fn events_are_of_the_environment_of_the_key() {
    let receiver = Receiver::new(0).await;
    let (running, _) = start(&receiver);
    let now = OffsetDateTime::from_unix_timestamp(NOW).unwrap();
    let page = |key: &'static str, environment| {
        let stripe = client(&running.url, key);
        async move {
            let order = contract::checkout(None, None, &format!("{key}-{environment:?}"));
            let page = stripe.checkout(environment, &order).await.unwrap();
            (stripe, order, page.url)
        }
    };
    for (count, (key, environment)) in [
        ("sk_live_1", Environment::Live),
        ("a-key-of-another-program", Environment::Live),
        ("a-key-of-another-program", Environment::Sandbox),
    ]
    .into_iter()
    .enumerate()
    {
        let (stripe, order, url) = page(key, environment).await;
        running.pay(&url, &Payer::with("4242424242424242")).unwrap();
        let came = receiver.came(2 * (count + 1)).await.pop().unwrap();
        let read = stripe.read_webhook(Some(&came.signature), came.body.as_bytes(), now);
        let (found, event) = read.unwrap();
        assert_eq!(found, environment, "{key}");
        let (Happened::SessionCompleted { metadata, .. }
        | Happened::PaymentSucceeded { metadata, .. }) = event.happened
        else {
            panic!("{event:?}");
        };
        assert_eq!(metadata, order.metadata, "nothing of ours stays in it");
    }
    // A live account hears of test payments by the same endpoint: they are nothing to it.
    let body = came_in_test_mode();
    let live = client(&running.url, "sk_live_1");
    let signed = signature(SECRET, NOW, &body);
    let (found, event) = live.read_webhook(Some(&signed), body.as_bytes(), now).unwrap();
    assert_eq!((found, event.happened), (Environment::Live, Happened::Other));
}

fn came_in_test_mode() -> String {
    let object = serde_json::json!({ "id": "in_1" });
    serde_json::json!({
        "id": "evt_1", "type": "invoice.paid", "livemode": false, "account": "acct_1",
        "data": { "object": object },
    })
    .to_string()
}

#[tokio::test]
async fn nothing_is_posted_to_another_machine() {
    let webhook_url = Some("http://192.0.2.1/hook".to_owned());
    let running = Simulator::start(&Options { webhook_url, ..options() }).unwrap();
    running.take_back("acct_sim1");
    assert_eq!(running.events().len(), 1, "it is in the ledger");
    let listen = "192.0.2.1:0".parse().unwrap();
    assert!(Simulator::start(&Options { listen, ..options() }).is_err());
}
