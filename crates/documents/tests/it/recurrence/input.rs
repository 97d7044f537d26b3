//! What requests may say.

use racun_documents::recurrence::{Frequency, RecurringInput, RecurringInvoice, Status};
use racun_documents::{DocumentId, DocumentKind};
use racun_kernel::{Issues, Patch};
use racun_store::testing::stamp;
use time::macros::date;
use ulid::Ulid;

use super::{LATER, NOW, entity, input, recurring};

fn made(input: RecurringInput) -> Result<RecurringInvoice, Issues> {
    input.into_recurring(entity(), &stamp(NOW))
}

/// The issues as `path code`.
fn issues(result: Result<RecurringInvoice, Issues>) -> Vec<String> {
    let refused = result.unwrap_err();
    let line = |issue: &racun_kernel::Issue| {
        let path = issue.to_string();
        format!("{} {}", path.split(':').next().unwrap_or_default(), issue.code)
    };
    refused.iter().map(line).collect()
}

#[test]
fn the_published_example_has_its_defaults() {
    let new = recurring(RecurringInput {
        day_of_month: Patch::Value(1),
        start_date: Patch::Value(date!(2025 - 02 - 01)),
        ..input()
    });
    assert_eq!(new.terms.schedule.pattern().interval, 1);
    assert_eq!(new.next_run_date, Some(date!(2025 - 02 - 01)));
    assert_eq!(new.status, Status::Active);
    assert!(new.terms.notify_owner);
    assert!(!new.terms.auto_send && !new.terms.create_as_draft);
    assert_eq!(new.invoices_generated, 0);
    assert_eq!((new.last_run_date, new.last_generated_invoice_id), (None, None));
    assert!(new.id.to_string().starts_with("rinv_"));
}

#[test]
fn all_that_is_missing_or_wrong_is_named_at_once() {
    let nothing = issues(made(RecurringInput::default()));
    assert_eq!(
        nothing,
        ["document_id required", "name required", "frequency required", "start_date required"]
    );
    let wrong = RecurringInput {
        document_id: Patch::Value(DocumentId::new(DocumentKind::Estimate, Ulid::from_parts(1, 1))),
        name: Patch::Value(" ".to_owned()),
        frequency: Patch::Null,
        interval: Patch::Value(0),
        day_of_week: Patch::Value(7),
        send_to: Patch::Value("ana".to_owned()),
        payment_terms_days: Patch::Value(-1),
        ..input()
    };
    let expected = [
        "document_id invalid_value",
        "name required",
        "frequency required",
        "interval out_of_range",
        "day_of_week out_of_range",
        "send_to invalid_email",
        "payment_terms_days out_of_range",
    ];
    assert_eq!(issues(made(wrong)), expected);
}

#[test]
fn limits_hold_at_their_edge() {
    let named = |chars| made(RecurringInput { name: Patch::Value("ž".repeat(chars)), ..input() });
    assert!(named(255).is_ok());
    assert_eq!(issues(named(256)), ["name too_long"]);
    let nul = RecurringInput { name: Patch::Value("a\0".to_owned()), ..input() };
    assert_eq!(issues(made(nul)), ["name invalid_value"]);
    let due = |days| made(RecurringInput { payment_terms_days: Patch::Value(days), ..input() });
    assert!(due(0).is_ok() && due(3650).is_ok());
    assert_eq!(issues(due(3651)), ["payment_terms_days out_of_range"]);
}

#[test]
fn invoices_are_sent_to_one_address() {
    let sent_to =
        |to: &str| made(RecurringInput { send_to: Patch::Value(to.to_owned()), ..input() });
    for address in ["ana@example.com", "računi@podjetje.si", "a.b+c@d.e.example"] {
        assert!(sent_to(address).is_ok(), "{address}");
    }
    let long = format!("{}@example.com", "a".repeat(244));
    for address in [
        "",
        "ana",
        "@example.com",
        "ana@",
        "ana@example",
        "ana@.com",
        "ana@example.",
        "a@b@c.si",
        "ana @example.com",
        "ana@example.com,eva@example.com",
        "ana,eva@example.com",
        "ana@example.com\n",
        &long,
    ] {
        assert!(sent_to(address).is_err(), "{address}");
    }
}

#[test]
fn a_schedule_that_never_runs_is_refused() {
    let never = RecurringInput {
        day_of_month: Patch::Value(31),
        end_date: Patch::Value(date!(2026 - 01 - 30)),
        ..input()
    };
    assert_eq!(issues(made(never)), ["end_date no_run"]);
}

#[test]
fn an_update_changes_what_it_names_and_never_the_template() {
    let before = recurring(RecurringInput {
        send_to: Patch::Value("ana@example.com".to_owned()),
        payment_terms_days: Patch::Value(8),
        notify_owner: Patch::Value(false),
        ..input()
    });
    let change = RecurringInput {
        document_id: Patch::Value(DocumentId::new(DocumentKind::Invoice, Ulid::from_parts(9, 9))),
        name: Patch::Value("Vzdrževanje".to_owned()),
        auto_send: Patch::Value(true),
        send_to: Patch::Null,
        notify_owner: Patch::Null,
        ..RecurringInput::default()
    };
    let after = before.clone().update(change, date!(2026 - 01 - 01), LATER).unwrap();
    let mut expected = before.clone();
    expected.terms.name = "Vzdrževanje".to_owned();
    expected.terms.auto_send = true;
    expected.terms.send_to = None;
    expected.terms.notify_owner = true;
    expected.updated_at = LATER;
    assert_eq!(after, expected);
    let same = RecurringInput { auto_send: Patch::Value(true), ..RecurringInput::default() };
    let again = after.clone().update(same, date!(2026 - 01 - 01), NOW).unwrap();
    assert_eq!(again, after, "a change that changes nothing leaves even updated_at");
}

#[test]
fn an_update_is_checked_against_what_is_kept() {
    let before = recurring(input());
    let end = RecurringInput {
        end_date: Patch::Value(date!(2025 - 12 - 31)),
        ..RecurringInput::default()
    };
    let refused = before.clone().update(end, date!(2026 - 01 - 01), LATER).unwrap_err();
    assert_eq!(refused.to_string(), "end_date: must not be before start_date, 2026-01-01");
    let nameless = RecurringInput {
        name: Patch::Null,
        frequency: Patch::Value(Frequency::Daily),
        ..RecurringInput::default()
    };
    let refused = before.update(nameless, date!(2026 - 01 - 01), LATER).unwrap_err();
    assert_eq!(refused.to_string(), "name: a value is needed");
}
