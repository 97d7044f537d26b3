//! Integrations.

use racun_kernel::{Patch, PaymentType};
use racun_orders::{
    IntegrationInput, MAX_DELAY_SECONDS, MAX_INTEGRATIONS, OrderError, OrderRefusal, SourceKind,
    Trigger, check_secret,
};

use crate::world::{actor, integration, made};

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
