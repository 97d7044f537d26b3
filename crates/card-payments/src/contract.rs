//! For tests only, and unstable: the contract that every processor must pass.
//!
//! It knows cards by the names that Stripe's test mode has: `pm_card_visa` and the like. What is
//! asked is always the same, so that recorded exchanges can answer it, too.

use std::collections::BTreeMap;

use racun_kernel::{Currency, Environment};

use crate::{
    AMOUNT_TOO_SMALL, CardProcessor, CheckoutOrder, Outcome, PaymentOrder, ProcessorError,
    SessionPurpose, SetupIntent,
};

/// The environment of all that is asked.
const ENVIRONMENT: Environment = Environment::Sandbox;
/// Where pages lead back to.
const BACK: &str = "http://127.0.0.1:8080/back";
/// What is paid.
const AMOUNT: i64 = 1_900;

/// The code of a refusal.
///
/// # Panics
/// When it is none.
#[must_use]
pub fn code<T: std::fmt::Debug>(answer: Result<T, ProcessorError>) -> Option<String> {
    match answer {
        Err(ProcessorError::Refused { code, .. }) => code,
        other => panic!("expected a refusal: {other:?}"),
    }
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn metadata() -> BTreeMap<String, String> {
    BTreeMap::from([("racun_invoice".to_owned(), "inv_1".to_owned())])
}

async fn customer(processor: &dyn CardProcessor, key: &str) -> String {
    match processor.set_up(ENVIRONMENT, None, "Ana & Bor, d.o.o.", key).await {
        Ok(SetupIntent { customer, .. }) => customer,
        Err(error) => panic!("a customer is made: {error}"),
    }
}

/// A card is taken, once for each key, and becomes the one that pays.
///
/// # Panics
/// When the processor does not keep the contract.
pub async fn cards_are_taken(processor: &dyn CardProcessor) {
    let first = processor.set_up(ENVIRONMENT, None, "Ana & Bor, d.o.o.", "cards-1").await;
    let first = first.expect("a new customer");
    assert!(first.customer.starts_with("cus_"), "{first:?}");
    assert!(first.client_secret.starts_with("seti_"), "the secret of a setup intent");
    let again = processor.set_up(ENVIRONMENT, None, "Ana & Bor, d.o.o.", "cards-1").await;
    assert_eq!(again.as_ref(), Ok(&first), "the same key makes nothing new");
    let known = first.customer.as_str();
    let next = processor.set_up(ENVIRONMENT, Some(known), "Ana & Bor, d.o.o.", "cards-2").await;
    let next = next.expect("a known customer");
    assert_eq!(next.customer, first.customer);
    assert_ne!(next.client_secret, first.client_secret);

    assert_eq!(processor.chosen(ENVIRONMENT, known).await, Ok(None), "there is no card yet");
    let card = processor.attach(ENVIRONMENT, known, "pm_card_visa").await.expect("a card");
    assert_eq!((card.brand.as_str(), card.last4.as_str()), ("visa", "4242"));
    let again = processor.attach(ENVIRONMENT, known, &card.id).await;
    assert_eq!(again, Ok(card.clone()), "a card that is the customer's stays it");
    let chosen = processor.chosen(ENVIRONMENT, known).await;
    assert_eq!(chosen, Ok(Some(card)), "what was attached pays");
    let missing = processor.attach(ENVIRONMENT, known, "pm_missing").await;
    assert_eq!(code(missing).as_deref(), Some("resource_missing"));
    let declined = processor.attach(ENVIRONMENT, known, "pm_card_chargeDeclined").await;
    assert_eq!(code(declined).as_deref(), Some("card_declined"));
    let stranger = processor.chosen(ENVIRONMENT, "cus_missing").await;
    assert_eq!(code(stranger).as_deref(), Some("resource_missing"));
    let stranger = processor.attach(ENVIRONMENT, "cus_missing", "pm_card_visa").await;
    assert_eq!(code(stranger).as_deref(), Some("resource_missing"));
}

fn payment(customer: &str, payment_method: &str, key: &str) -> PaymentOrder {
    PaymentOrder {
        customer: customer.to_owned(),
        payment_method: payment_method.to_owned(),
        amount: AMOUNT,
        currency: Currency::EUR,
        description: "Plan \u{201c}Shop\u{201d}".to_owned(),
        metadata: metadata(),
        idempotency_key: key.to_owned(),
    }
}

/// What is charged is taken once for each key, and a decline is an outcome.
///
/// # Panics
/// When the processor does not keep the contract.
pub async fn payments_are_taken_once(processor: &dyn CardProcessor) {
    let customer = customer(processor, "payments-1").await;
    let visa = processor.attach(ENVIRONMENT, &customer, "pm_card_visa").await.expect("a card");
    let order = payment(&customer, &visa.id, "charge-1");
    let taken = processor.charge(ENVIRONMENT, &order).await.expect("a payment");
    assert!(matches!(&taken, Outcome::Succeeded { payment } if payment.starts_with("pi_")));
    assert_eq!(processor.charge(ENVIRONMENT, &order).await, Ok(taken), "it is taken once");
    let other = PaymentOrder { amount: AMOUNT + 1, ..order.clone() };
    let reused = processor.charge(ENVIRONMENT, &other).await;
    assert_eq!(code(reused).as_deref(), Some("idempotency_error"), "one key, one payment");

    let bad = processor.attach(ENVIRONMENT, &customer, "pm_card_chargeCustomerFail").await;
    let bad = bad.expect("a card that is taken and declined later");
    let order = payment(&customer, &bad.id, "charge-2");
    let declined = processor.charge(ENVIRONMENT, &order).await.expect("an outcome");
    let Outcome::Declined { payment: Some(id), code, message } = &declined else {
        panic!("expected a decline: {declined:?}");
    };
    assert!(id.starts_with("pi_") && code == "card_declined" && !message.is_empty());
    assert_eq!(processor.charge(ENVIRONMENT, &order).await, Ok(declined.clone()));

    let careful = processor.attach(ENVIRONMENT, &customer, "pm_card_authenticationRequired").await;
    let order = payment(&customer, &careful.expect("a card").id, "charge-3");
    let asked = processor.charge(ENVIRONMENT, &order).await;
    let is_asked = matches!(&asked, Ok(Outcome::Declined { code, .. })
        if code == "authentication_required");
    assert!(is_asked, "{asked:?}");
    let stranger = payment("cus_missing", &visa.id, "charge-4");
    let refused = processor.charge(ENVIRONMENT, &stranger).await;
    assert_eq!(self::code(refused).as_deref(), Some("resource_missing"));

    let amount = processor.minimum(Currency::EUR) - 1;
    assert!(amount > 0, "the least charge in EUR is known");
    let little = PaymentOrder { amount, ..payment(&customer, &visa.id, "charge-5") };
    let refused = processor.charge(ENVIRONMENT, &little).await;
    assert_eq!(self::code(refused).as_deref(), Some(AMOUNT_TOO_SMALL));
}

/// The order of a page on which an invoice is paid.
#[must_use]
pub fn checkout(customer: Option<&str>, account: Option<&str>, key: &str) -> CheckoutOrder {
    CheckoutOrder {
        purpose: SessionPurpose::Payment {
            amount: AMOUNT,
            currency: Currency::EUR,
            description: "Invoice 2026-0001".to_owned(),
        },
        customer: customer.map(str::to_owned),
        account: account.map(str::to_owned),
        success_url: format!("{BACK}?paid=1"),
        cancel_url: BACK.to_owned(),
        metadata: metadata(),
        idempotency_key: key.to_owned(),
    }
}

/// Pages are made once for each key, and can be ended.
///
/// # Panics
/// When the processor does not keep the contract.
pub async fn pages_are_made_and_ended(processor: &dyn CardProcessor) {
    let customer = customer(processor, "pages-1").await;
    let order = checkout(None, None, "page-1");
    let page = processor.checkout(ENVIRONMENT, &order).await.expect("a page");
    assert!(page.id.starts_with("cs_") && page.url.starts_with("http"), "{page:?}");
    assert_eq!(processor.checkout(ENVIRONMENT, &order).await, Ok(page.clone()));
    for _ in 0..2 {
        assert_eq!(processor.expire(ENVIRONMENT, None, &page.id).await, Ok(()));
    }
    let missing = processor.expire(ENVIRONMENT, None, "cs_missing").await;
    assert_eq!(code(missing).as_deref(), Some("resource_missing"));
    let purpose = SessionPurpose::Setup;
    let order = CheckoutOrder { purpose, ..checkout(Some(&customer), None, "page-2") };
    let setup = processor.checkout(ENVIRONMENT, &order).await.expect("a page for a card");
    assert_ne!(setup.id, page.id);
    let portal = processor.portal(ENVIRONMENT, &customer, BACK).await.expect("a portal");
    assert!(portal.starts_with("http"), "{portal}");
    let missing = processor.portal(ENVIRONMENT, "cus_missing", BACK).await;
    assert_eq!(code(missing).as_deref(), Some("resource_missing"));
}

/// A seller's account is connected by a code, once, and given up as often as asked.
///
/// # Panics
/// When the processor does not keep the contract.
pub async fn accounts_are_connected(processor: &dyn CardProcessor, consent: &str) {
    let page = processor.consent_page(ENVIRONMENT, "state-1", BACK).await.expect("a page");
    assert!(page.contains("state=state-1") && page.contains("response_type=code"), "{page}");
    let account = processor.connect(ENVIRONMENT, consent).await.expect("an account");
    assert!(account.id.starts_with("acct_"), "{account:?}");
    let again = processor.connect(ENVIRONMENT, consent).await;
    assert_eq!(code(again).as_deref(), Some("invalid_grant"), "a code counts once");
    let order = checkout(None, Some(&account.id), "page-3");
    let page = processor.checkout(ENVIRONMENT, &order).await.expect("a page of the seller");
    let elsewhere = processor.expire(ENVIRONMENT, None, &page.id).await;
    assert_eq!(code(elsewhere).as_deref(), Some("resource_missing"), "it is the seller's");
    assert_eq!(processor.expire(ENVIRONMENT, Some(&account.id), &page.id).await, Ok(()));
    for missing in ["pi_missing", "in_missing", "ch_other", "../v1/customers"] {
        let found = processor.object(ENVIRONMENT, &account.id, missing).await;
        assert_eq!(code(found).as_deref(), Some("resource_missing"), "{missing}");
    }
    for _ in 0..2 {
        assert_eq!(processor.disconnect(ENVIRONMENT, &account.id).await, Ok(()));
    }
}

/// A payment and an invoice of `account`, both of 19.00 EUR and paid, are read.
///
/// # Panics
/// When the processor does not keep the contract.
pub async fn objects_are_read(
    processor: &dyn CardProcessor,
    account: &str,
    payment: &str,
    invoice: &str,
) {
    for id in [payment, invoice] {
        let found = processor.object(ENVIRONMENT, account, id).await.expect("an object");
        assert_eq!((found.id.as_str(), found.is_paid), (id, true), "{found:?}");
        assert_eq!((found.amount, found.currency), (AMOUNT, Currency::EUR), "{found:?}");
        assert_eq!(found.name, some("Jenny Rosen"), "{found:?}");
        assert_eq!(found.email, some("jenny@example.com"), "{found:?}");
        assert_eq!(found.country, some("SI"), "{found:?}");
        assert_eq!(found.description, some("A bicycle"), "{found:?}");
        assert_eq!(found.metadata.get("order").map(String::as_str), Some("7"), "{found:?}");
    }
}
