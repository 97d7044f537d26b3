//! Recurring invoices: the days of a schedule, and what each transition allows and changes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod input;
mod plan;
mod rows;
mod schedule;
mod transitions;

use racun_documents::recurrence::{
    Frequency, Pattern, Period, RecurrenceError, RecurringInput, RecurringInvoice, Schedule,
};
use racun_documents::{DocumentId, DocumentKind};
use racun_kernel::Patch;
use racun_kernel::id::EntityId;
use racun_store::testing::stamp;
use time::macros::{date, datetime};
use time::{Date, OffsetDateTime};
use ulid::Ulid;

const NOW: OffsetDateTime = datetime!(2026-01-01 08:00 UTC);
const LATER: OffsetDateTime = datetime!(2026-03-05 08:00 UTC);

/// A pattern that says nothing of the day: the start date decides.
fn every(interval: i64, frequency: Frequency, start_date: Date) -> Pattern {
    Pattern {
        frequency,
        interval,
        day_of_week: None,
        day_of_month: None,
        month_of_year: None,
        start_date,
        end_date: None,
    }
}

/// The first `count` runs.
fn runs(pattern: Pattern, count: usize) -> Vec<Date> {
    let schedule = Schedule::new(pattern).unwrap();
    std::iter::successors(schedule.first(), |run| schedule.after(*run)).take(count).collect()
}

fn entity() -> EntityId {
    EntityId::new(Ulid::from_parts(1, 1))
}

fn invoice(n: u128) -> DocumentId {
    DocumentId::new(DocumentKind::Invoice, Ulid::from_parts(1, n))
}

/// Monthly from 1 January 2026, on the first.
fn input() -> RecurringInput {
    RecurringInput {
        document_id: Patch::Value(invoice(1)),
        name: Patch::Value("Najemnina".to_owned()),
        frequency: Patch::Value(Frequency::Monthly),
        start_date: Patch::Value(date!(2026 - 01 - 01)),
        ..RecurringInput::default()
    }
}

fn recurring(input: RecurringInput) -> RecurringInvoice {
    input.into_recurring(entity(), &stamp(NOW)).unwrap()
}

/// Makes every invoice that is due; answers the days of their periods.
fn catch_up(recurring: &mut RecurringInvoice, today: Date) -> Vec<Date> {
    let mut made = Vec::new();
    while let Some(period) = recurring.due(today) {
        *recurring = recurring.clone().generated(period, invoice(2), LATER).unwrap();
        made.push(period.run_date);
    }
    made
}

fn fail(recurring: RecurringInvoice, period: Period, today: Date) -> RecurringInvoice {
    recurring.failed(period, "the template is voided", today, LATER).unwrap()
}

/// The stable code of a refusal.
fn code<T: std::fmt::Debug>(result: Result<T, RecurrenceError>) -> &'static str {
    match result {
        Err(RecurrenceError::Refused(refused)) => refused.code(),
        other => panic!("expected a refusal, found {other:?}"),
    }
}
