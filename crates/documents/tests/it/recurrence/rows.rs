//! The rows beside a recurring invoice, and what events tell.

use racun_documents::recurrence::{
    DUE_SCHEDULES, DueSchedule, Happening, RECURRING_INVOICES, RECURRING_RUNS, RecurrenceError,
    RecurrenceRefused, RecurringInput, RecurringInvoice, Status, due_by, due_put,
};
use racun_kernel::id::AccountId;
use racun_kernel::{Environment, Patch, Tenant};
use racun_store::testing::stamp;
use racun_store::{PutKind, Record, StoreError, Table, Unique, Value, evaluate};
use time::Date;
use time::macros::{date, datetime};
use ulid::Ulid;

use super::{LATER, NOW, catch_up, entity, input, invoice, recurring};

fn account() -> AccountId {
    AccountId::new(Ulid::from_parts(1, 1))
}

fn row(recurring: &RecurringInvoice) -> Option<DueSchedule> {
    recurring.due_row(account(), Environment::Sandbox)
}

fn as_declared<A: Record + PartialEq + std::fmt::Debug>(record: &A, table: &'static Table) {
    assert_eq!(record.table(), table);
    let values = record.values();
    assert_eq!(values.len(), table.fields.len());
    assert_eq!(values[0], Value::from(record.id()));
    let stored = serde_json::to_string(record).unwrap();
    assert_eq!(serde_json::from_str::<A>(&stored).unwrap(), *record);
}

#[test]
fn records_are_stored_as_they_are_declared() {
    let mut one = recurring(RecurringInput {
        send_to: Patch::Value("ana@example.com".to_owned()),
        end_date: Patch::Value(date!(2027 - 01 - 01)),
        ..input()
    });
    let period = one.due(date!(2026 - 01 - 01)).unwrap();
    as_declared(&one.run(period, invoice(2), &stamp(NOW)), &RECURRING_RUNS);
    as_declared(&row(&one).unwrap(), &DUE_SCHEDULES);
    as_declared(&one, &RECURRING_INVOICES);
    one = super::fail(one, period, date!(2026 - 01 - 01))
        .pause(date!(2026 - 01 - 02), LATER)
        .unwrap();
    as_declared(&one, &RECURRING_INVOICES);
    for (field, value) in [
        ("status", Value::from("paused")),
        ("frequency", Value::from("monthly")),
        ("interval", Value::from(1)),
        ("next_run_date", Value::Date(date!(2026 - 01 - 01))),
        ("end_date", Value::Date(date!(2027 - 01 - 01))),
        ("last_error", Value::from("the template is voided")),
        ("last_error_at", Value::Instant(LATER)),
    ] {
        assert_eq!(one.value(field), value, "{field}");
    }
}

#[test]
fn two_runs_of_one_period_clash_and_of_two_periods_do_not() {
    let mut one = recurring(input());
    let period = one.due(date!(2026 - 02 - 01)).unwrap();
    let run = one.run(period, invoice(2), &stamp(NOW));
    let again = one.run(period, invoice(3), &stamp(LATER));
    assert_ne!(run.id, again.id);
    assert_eq!(run.value("period"), again.value("period"));
    let (_, field) = RECURRING_RUNS.field("period").unwrap();
    assert_eq!((field.unique, field.public), (Unique::Tenant, false));
    one = one.generated(period, invoice(2), LATER).unwrap();
    let next = one.due(date!(2026 - 02 - 01)).unwrap();
    assert_ne!(one.run(next, invoice(3), &stamp(NOW)).value("period"), run.value("period"));
    let clash = StoreError::Duplicate { table: "recurring_runs", field: "period" };
    assert_eq!(RecurrenceError::from(clash), RecurrenceRefused::PeriodPassed.into());
}

#[test]
fn a_due_row_follows_the_next_attempt() {
    let new = recurring(input());
    let first = row(&new).unwrap();
    assert_eq!((first.id, first.run_on), (new.id, date!(2026 - 01 - 01)));
    assert_eq!(first.tenant(), Tenant::directory());
    let period = new.due(date!(2026 - 01 - 03)).unwrap();
    let failed = super::fail(new.clone(), period, date!(2026 - 01 - 03));
    assert_eq!(row(&failed).unwrap().run_on, date!(2026 - 01 - 04));
    let made = new.clone().generated(period, invoice(2), LATER).unwrap();
    assert_eq!(row(&made).unwrap().run_on, date!(2026 - 02 - 01));
    let today = date!(2026 - 01 - 10);
    assert_eq!(row(&made.clone().pause(today, LATER).unwrap()), None);
    assert_eq!(row(&made.clone().trash(today, LATER).unwrap()), None);
    assert_eq!(row(&made.clone().complete(LATER).unwrap()), None);

    let put = |before: Option<&RecurringInvoice>, after: Option<&RecurringInvoice>| {
        due_put(before, after, account(), Environment::Live).map(|put| put.kind)
    };
    let paused = made.clone().pause(today, LATER).unwrap();
    assert_eq!(put(None, Some(&new)), Some(PutKind::Insert));
    assert_eq!(put(Some(&new), Some(&made)), Some(PutKind::Update));
    assert_eq!(put(Some(&made), Some(&made)), None);
    assert_eq!(put(Some(&made), Some(&paused)), Some(PutKind::Delete));
    assert_eq!(put(Some(&paused), Some(&made)), Some(PutKind::Insert));
    assert_eq!(put(Some(&paused), None), None);
}

#[test]
fn workers_find_what_is_due_in_any_zone_earliest_first() {
    let on = |n: u64, run_on: Date| {
        let mut due = row(&recurring(input())).unwrap();
        due.id = racun_kernel::Id::new(Ulid::from_parts(n, 1));
        DueSchedule { run_on, ..due }
    };
    let all =
        [on(1, date!(2026 - 01 - 03)), on(2, date!(2026 - 01 - 01)), on(3, date!(2026 - 01 - 02))];
    let found = |now| -> Vec<Date> {
        evaluate(&all, &due_by(now)).rows.iter().map(|row| row.run_on).collect()
    };
    let (first, second) = (date!(2026 - 01 - 01), date!(2026 - 01 - 02));
    assert_eq!(found(datetime!(2026-01-01 09:59 UTC)), [first]);
    assert_eq!(found(datetime!(2026-01-01 10:00 UTC)), [first, second]);
    assert_eq!(found(datetime!(2026-01-01 12:00 +2)), [first, second]);
    assert_eq!(found(datetime!(2026-01-01 11:59 +2)), [first]);
    assert_eq!(found(datetime!(2025-12-31 09:59 UTC)), []);
}

#[test]
fn events_tell_what_happened_and_what_came_of_it() {
    let kinds = |after: &RecurringInvoice, what, before| -> Vec<&'static str> {
        let events = after.events(what, before, "usr_1", &racun_store::testing::stamp(LATER));
        assert!(events.iter().all(|event| event.subject == after.id.to_string()));
        assert!(events.iter().all(|event| event.tenant == Tenant::entity(entity())));
        events.iter().map(|event| event.kind.name()).collect()
    };
    let new =
        recurring(RecurringInput { end_date: Patch::Value(date!(2026 - 01 - 31)), ..input() });
    assert_eq!(kinds(&new, Happening::Created, new.status), ["recurring_invoice.created"]);
    let mut made = new.clone();
    catch_up(&mut made, date!(2026 - 01 - 01));
    assert_eq!(
        kinds(&made, Happening::InvoiceGenerated, Status::Active),
        ["recurring_invoice.invoice_generated", "recurring_invoice.completed"]
    );
    let paused = new.pause(date!(2026 - 01 - 01), LATER).unwrap();
    assert_eq!(kinds(&paused, Happening::Paused, Status::Active), ["recurring_invoice.paused"]);
    assert_eq!(
        kinds(&paused, Happening::GenerationFailed, Status::Active),
        ["recurring_invoice.generation_failed", "recurring_invoice.paused"]
    );
    assert_eq!(kinds(&paused, Happening::Updated, Status::Paused), ["recurring_invoice.updated"]);
    let late = paused.resume(date!(2026 - 03 - 01), LATER).unwrap();
    assert_eq!(
        kinds(&late, Happening::Resumed, Status::Paused),
        ["recurring_invoice.resumed", "recurring_invoice.completed"]
    );
    for (what, name) in [
        (Happening::Deleted, "recurring_invoice.deleted"),
        (Happening::Restored, "recurring_invoice.restored"),
        (Happening::PermanentlyDeleted, "recurring_invoice.permanently_deleted"),
    ] {
        assert_eq!(kinds(&late, what, late.status), [name]);
    }
}
