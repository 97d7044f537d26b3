//! The contract of the port, and what a next simulator knows.

use racun_card_payments::contract;
use racun_card_payments::{CardProcessor as _, Outcome};
use racun_card_simulator::{PaidInvoice, Payer};
use racun_gateways::Stripe;

use crate::set_up::{SANDBOX, code, connected, start};

const BACK: &str = "http://127.0.0.1:1/back";

#[tokio::test]
async fn cards_are_taken() {
    let (_running, stripe) = start();
    contract::cards_are_taken(&stripe).await;
}

#[tokio::test]
async fn payments_are_taken_once() {
    let (running, stripe) = start();
    contract::payments_are_taken_once(&stripe).await;
    let statuses: Vec<String> =
        running.payments().into_iter().map(|payment| payment.status).collect();
    let declined = "requires_payment_method";
    assert_eq!(statuses, ["succeeded", declined, declined], "each key made one payment");
}

#[tokio::test]
async fn pages_are_made_and_ended() {
    let (_running, stripe) = start();
    contract::pages_are_made_and_ended(&stripe).await;
}

#[tokio::test]
async fn accounts_are_connected() {
    let (running, stripe) = start();
    let page = stripe.consent_page(SANDBOX, "a&b", BACK).await.unwrap();
    let back = running.consent(&page, "Ana's shop").unwrap();
    assert!(back.starts_with(BACK) && back.contains("state=a%26b"), "{back}");
    let consent = code(&back);
    contract::accounts_are_connected(&stripe, &consent).await;
    let refused = running.refuse_consent(&page).unwrap();
    assert!(refused.contains("error=access_denied") && !refused.contains("code="), "{refused}");
}

#[tokio::test]
async fn objects_are_read() {
    let (running, stripe) = start();
    let account = connected(&running, &stripe).await;
    let mut order = contract::checkout(None, Some(&account), "objects-1");
    order.metadata = [("order".to_owned(), "7".to_owned())].into();
    if let racun_card_payments::SessionPurpose::Payment { description, .. } = &mut order.purpose {
        "A bicycle".clone_into(description);
    }
    let page = stripe.checkout(SANDBOX, &order).await.unwrap();
    running.pay(&page.url, &Payer::with("4242424242424242")).unwrap();
    let payment = running.payments().pop().unwrap();
    assert_eq!(payment.account.as_ref(), Some(&account));
    let invoice = running.add_invoice(&PaidInvoice {
        account: account.clone(),
        total: 1_900,
        currency: "eur".to_owned(),
        description: "A bicycle".to_owned(),
        name: Some("Jenny Rosen".to_owned()),
        email: Some("jenny@example.com".to_owned()),
        country: Some("SI".to_owned()),
        metadata: order.metadata.clone(),
    });
    contract::objects_are_read(&stripe, &account, &payment.id, &invoice).await;
    // What is one seller's is no other's.
    let other = connected(&running, &stripe).await;
    let found = stripe.object(SANDBOX, &other, &payment.id).await;
    assert_eq!(contract::code(found).as_deref(), Some("resource_missing"));
}

#[tokio::test]
async fn an_account_that_was_given_up_is_served_no_more() {
    let (running, stripe) = start();
    let account = connected(&running, &stripe).await;
    running.take_back(&account);
    let order = contract::checkout(None, Some(&account), "given-up");
    let refused = stripe.checkout(SANDBOX, &order).await;
    assert_eq!(contract::code(refused).as_deref(), Some("account_invalid"));
    assert_eq!(stripe.disconnect(SANDBOX, &account).await, Ok(()));
}

async fn charge(stripe: &Stripe, customer: &str, card: &str, key: &str) -> Outcome {
    let order = racun_card_payments::PaymentOrder {
        customer: customer.to_owned(),
        payment_method: card.to_owned(),
        amount: 1_900,
        currency: racun_kernel::Currency::EUR,
        description: "Plan".to_owned(),
        metadata: std::collections::BTreeMap::new(),
        idempotency_key: key.to_owned(),
    };
    stripe.charge(SANDBOX, &order).await.unwrap()
}

#[tokio::test]
async fn the_next_simulator_knows_customers_cards_and_accounts() {
    let (first, stripe) = start();
    let account = connected(&first, &stripe).await;
    let customer = stripe.set_up(SANDBOX, None, "Ana", "next-1").await.unwrap().customer;
    let visa = stripe.attach(SANDBOX, &customer, "pm_card_visa").await.unwrap();
    let poor = stripe.attach(SANDBOX, &customer, "pm_card_chargeCustomerFail").await.unwrap();
    let Outcome::Succeeded { payment } = charge(&stripe, &customer, &visa.id, "first").await else {
        panic!("it pays");
    };
    drop(first);
    let (_next, stripe) = start();
    let Outcome::Succeeded { payment: other } = charge(&stripe, &customer, &visa.id, "n").await
    else {
        panic!("it pays");
    };
    assert_ne!(payment, other, "no id is made twice");
    let declined = charge(&stripe, &customer, &poor.id, "p").await;
    assert!(matches!(declined, Outcome::Declined { .. }), "{declined:?}");
    let order = contract::checkout(None, Some(&account), "next-2");
    assert!(stripe.checkout(SANDBOX, &order).await.is_ok());
    // Whose card it is is held to, too.
    let stranger = stripe.set_up(SANDBOX, None, "Bor", "next-3").await.unwrap().customer;
    let refused = stripe.attach(SANDBOX, &stranger, &visa.id).await;
    assert!(contract::code(refused).is_some());
}
