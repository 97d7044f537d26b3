//! Integrations.

use racun_kernel::{Patch, PaymentType};
use racun_orders::{
    Consent, Integration, IntegrationInput, MAX_DELAY_SECONDS, MAX_INTEGRATIONS, Opening,
    OrderError, OrderRefusal, SourceKind, Told, Trigger, check_secret,
};
use time::Duration;

use crate::world::{START, actor, actor_at, integration, made};

#[test]
fn a_new_one_does_nothing_by_itself() {
    let new = integration(|_| {});
    assert_eq!((new.source, new.auto_process_on), (SourceKind::Manual, Trigger::Paid));
    assert!(new.is_active && !new.auto_process && !new.send_invoice_email);
}

#[test]
fn what_is_wrong_is_reported_at_once() {
    let input = IntegrationInput {
        auto_process_delay_seconds: Patch::Value(MAX_DELAY_SECONDS + 1),
        default_payment_type: Patch::Value(PaymentType::Advance),
        locale: Patch::Value("sl".into()),
        ..IntegrationInput::default()
    };
    let Err(OrderError::Invalid(issues)) = input.into_integration(0, &actor()) else {
        panic!("it is taken");
    };
    let said: Vec<_> = issues.iter().map(|issue| issue.code).collect();
    assert_eq!(said, ["required", "out_of_range", "invalid_value", "unknown_locale"]);
    let named =
        IntegrationInput { name: Patch::Value("Shop".into()), ..IntegrationInput::default() };
    let refused = named.into_integration(MAX_INTEGRATIONS, &actor()).unwrap_err();
    assert_eq!(refused, OrderRefusal::TooMany.into());
    assert!(check_secret(" ").is_err() && check_secret(&"a".repeat(256)).is_err());
    assert!(check_secret("hush").is_ok());
}

#[test]
fn its_source_stays_and_what_changes_nothing_is_no_event() {
    let kept = integration(|input| input.source = Patch::Value(SourceKind::Shopify));
    let change =
        |source| IntegrationInput { source: Patch::Value(source), ..IntegrationInput::default() };
    assert!(kept.clone().update(change(SourceKind::Manual), &actor()).is_err());
    let (same, events) = made(kept.update(change(SourceKind::Shopify), &actor()).unwrap());
    assert!(events.is_empty());
    let (gone, events) = made(same.delete(&actor()).unwrap());
    assert_eq!(events, ["order_integration.deleted"]);
    assert!(matches!(gone.delete(&actor()), Err(OrderError::NotFound { .. })));
}

/// What a consent of an hour after the start gives.
fn opening() -> Opening {
    Opening {
        consent: Consent { id: actor().stamp().id(), at: START + Duration::HOUR },
        shop_domain: "ana.myshopify.com".into(),
        access_token: "sealed token".into(),
        webhook_secret: "sealed secret".into(),
        scopes: None,
    }
}

fn opened(one: Integration) -> Integration {
    made(one.opened(opening(), 0, &actor()).unwrap()).0
}

#[test]
fn one_that_is_opened_again_keeps_its_rules_and_fits_the_limit() {
    let shop = integration(|input| {
        input.source = Patch::Value(SourceKind::Shopify);
        input.auto_process = Patch::Value(true);
    });
    let inactive = made(shop.uninstalled(&Told::default(), &actor())).0;
    let active = inactive.clone().opened(opening(), MAX_INTEGRATIONS, &actor()).unwrap();
    let (active, events) = made(active);
    assert_eq!(events, ["order_integration.updated"]);
    assert!(active.is_active && active.auto_process && active.is_by(active.id));
    assert_eq!(active.access_token.as_deref(), Some("sealed token"));
    let (deleted, _) = made(active.delete(&actor()).unwrap());
    let refused = deleted.clone().opened(opening(), MAX_INTEGRATIONS, &actor()).unwrap_err();
    assert_eq!(refused, OrderRefusal::TooMany.into());
    let (back, events) = made(deleted.opened(opening(), MAX_INTEGRATIONS - 1, &actor()).unwrap());
    assert_eq!(events, ["order_integration.created"]);
    assert!(back.deleted_at.is_none() && back.auto_process);
}

#[test]
fn a_shop_ends_it_once_for_each_time_that_it_was_opened() {
    let shop = opened(integration(|input| input.source = Patch::Value(SourceKind::Shopify)));
    let told = |id: &str, minutes: i64| Told {
        id: Some(id.to_owned()),
        at: Some(START + Duration::minutes(minutes)),
    };
    // What was before the consent arrives late.
    let late = made(shop.clone().uninstalled(&told("u-0", 59), &actor()));
    assert_eq!(late, (shop.clone(), Vec::new()));
    let (ended, events) = made(shop.uninstalled(&told("u-1", 61), &actor_at(START)));
    assert_eq!(events, ["order_integration.updated"]);
    assert!(!ended.is_active && ended.access_token.is_none());
    // Somebody made it active again, with a token of their own.
    let input = IntegrationInput {
        is_active: Patch::Value(true),
        access_token: Patch::Value("sealed".into()),
        ..IntegrationInput::default()
    };
    let (again, _) = made(ended.update(input, &actor()).unwrap());
    let repeated = made(again.clone().uninstalled(&told("u-1", 61), &actor()));
    assert_eq!(repeated, (again.clone(), Vec::new()));
    assert!(!made(again.uninstalled(&told("u-2", 62), &actor())).0.is_active);
}

#[test]
fn one_that_is_switched_off_loses_its_token_when_the_shop_ends_it() {
    let shop = opened(integration(|input| input.source = Patch::Value(SourceKind::Shopify)));
    let off = IntegrationInput { is_active: Patch::Value(false), ..IntegrationInput::default() };
    let (off, _) = made(shop.update(off, &actor()).unwrap());
    let (ended, events) = made(off.uninstalled(&Told::default(), &actor()));
    assert_eq!((ended.access_token.clone(), events.len()), (None, 1));
    assert_eq!(made(ended.clone().uninstalled(&Told::default(), &actor())), (ended, Vec::new()));
}
