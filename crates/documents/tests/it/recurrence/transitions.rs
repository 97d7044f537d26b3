//! What each transition allows and changes, and which periods are made in the end.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use racun_documents::recurrence::{
    Frequency, MAX_FAILED_ATTEMPTS, Period, RecurringInput, RecurringInvoice, Status,
};
use racun_kernel::Patch;
use time::macros::date;
use time::{Date, Duration};

use super::{LATER, catch_up, code, fail, input, invoice, recurring};

/// Monthly on the first, with January's invoice made.
fn running() -> RecurringInvoice {
    let mut recurring = recurring(input());
    assert_eq!(catch_up(&mut recurring, date!(2026 - 01 - 01)), [date!(2026 - 01 - 01)]);
    recurring
}

fn update(before: RecurringInvoice, input: RecurringInput, today: Date) -> RecurringInvoice {
    before.update(input, today, LATER).unwrap()
}

fn ending(end_date: Date) -> RecurringInput {
    RecurringInput { end_date: Patch::Value(end_date), ..RecurringInput::default() }
}

#[test]
fn a_period_is_due_from_its_day_on_and_made_once() {
    let new = recurring(input());
    assert_eq!(new.due(date!(2025 - 12 - 31)), None);
    let period = new.due(date!(2026 - 01 - 01)).unwrap();
    assert_eq!(period, Period { run_date: date!(2026 - 01 - 01), number: 1 });
    let made = new.generated(period, invoice(2), LATER).unwrap();
    assert_eq!(made.due(date!(2026 - 01 - 31)), None);
    assert_eq!(made.next_run_date, Some(date!(2026 - 02 - 01)));
    assert_eq!(made.last_run_date, Some(date!(2026 - 01 - 01)));
    assert_eq!(made.invoices_generated, 1);
    assert_eq!(made.last_generated_invoice_id, Some(invoice(2)));
    assert_eq!(code(made.clone().generated(period, invoice(3), LATER)), "recurring_period_passed");
    let today = date!(2026 - 01 - 01);
    assert_eq!(code(made.failed(period, "late", today, LATER)), "recurring_period_passed");
}

#[test]
fn missed_periods_are_caught_up_one_by_one() {
    let mut late = recurring(input());
    let expected = [date!(2026 - 01 - 01), date!(2026 - 02 - 01), date!(2026 - 03 - 01)];
    assert_eq!(catch_up(&mut late, date!(2026 - 03 - 20)), expected);
    assert_eq!(late.due(date!(2026 - 04 - 01)).unwrap().number, 4);
}

#[test]
fn the_last_run_completes_it() {
    let mut short =
        recurring(RecurringInput { end_date: Patch::Value(date!(2026 - 02 - 28)), ..input() });
    assert_eq!(catch_up(&mut short, date!(2026 - 01 - 31)).len(), 1);
    assert_eq!(short.status, Status::Active);
    assert_eq!(catch_up(&mut short, date!(2026 - 02 - 01)).len(), 1);
    assert_eq!((short.status, short.next_run_date), (Status::Completed, None));
    assert_eq!(short.due(date!(2030 - 01 - 01)), None);
}

#[test]
fn a_failure_is_kept_and_tried_again_the_next_day() {
    let today = date!(2026 - 02 - 03);
    let period = running().due(today).unwrap();
    let failed = fail(running(), period, today);
    assert_eq!(failed.last_error.as_deref(), Some("the template is voided"));
    assert_eq!(failed.last_error_at, Some(LATER));
    assert_eq!(failed.next_run_date, Some(period.run_date));
    assert_eq!(failed.due(today), None);
    assert_eq!(failed.due(date!(2026 - 02 - 04)), Some(period));
    let made = failed.generated(period, invoice(2), LATER).unwrap();
    assert_eq!((made.last_error.as_ref(), made.last_error_at, made.retry_on), (None, None, None));
    assert_eq!(made.failed_attempts, 0);
}

#[test]
fn a_kept_error_is_cut_and_holds_no_nul() {
    let period = running().due(date!(2026 - 02 - 01)).unwrap();
    let error = format!("a\0{}", "ž".repeat(2000));
    let failed = running().failed(period, &error, date!(2026 - 02 - 01), LATER).unwrap();
    assert_eq!(failed.last_error, Some(format!("a{}", "ž".repeat(999))));
}

#[test]
fn too_many_failures_pause_it_and_what_was_due_is_made_after_it_is_resumed() {
    let mut failing = running();
    let mut today = date!(2026 - 02 - 01);
    for attempt in 1..=MAX_FAILED_ATTEMPTS {
        assert_eq!(failing.status, Status::Active);
        let period = failing.due(today).unwrap();
        failing = fail(failing, period, today);
        assert_eq!(failing.failed_attempts, attempt);
        today = today.next_day().unwrap();
    }
    assert_eq!(failing.status, Status::Paused);
    assert_eq!(failing.due(today), None);
    let mut resumed = failing.resume(date!(2026 - 03 - 10), LATER).unwrap();
    assert_eq!(resumed.failed_attempts, 0);
    assert_eq!(catch_up(&mut resumed, date!(2026 - 03 - 10)), [date!(2026 - 02 - 01)]);
    assert_eq!(resumed.next_run_date, Some(date!(2026 - 04 - 01)), "March lay in the pause");
}

#[test]
fn runs_of_a_pause_are_not_caught_up() {
    let paused = running().pause(date!(2026 - 01 - 20), LATER).unwrap();
    assert_eq!(paused.due(date!(2026 - 03 - 01)), None);
    let resumed = |today| paused.clone().resume(today, LATER).unwrap().next_run_date;
    assert_eq!(resumed(date!(2026 - 01 - 25)), Some(date!(2026 - 02 - 01)));
    assert_eq!(resumed(date!(2026 - 03 - 01)), Some(date!(2026 - 03 - 01)));
    assert_eq!(resumed(date!(2026 - 03 - 02)), Some(date!(2026 - 04 - 01)));
}

#[test]
fn a_pause_on_the_days_run_holds_it_back() {
    let today = date!(2026 - 02 - 01);
    let paused = running().pause(today, LATER).unwrap();
    let same_day = paused.clone().resume(today, LATER).unwrap();
    assert_eq!(same_day.next_run_date, Some(today));
    let next_day = paused.resume(date!(2026 - 02 - 02), LATER).unwrap();
    assert_eq!(next_day.next_run_date, Some(date!(2026 - 03 - 01)));
}

#[test]
fn a_pause_of_no_day_leaves_no_trace_even_behind_an_overdue_run() {
    let today = date!(2026 - 02 - 03);
    let paused = running().pause(today, LATER).unwrap();
    let resumed = paused.resume(today, LATER).unwrap();
    assert_eq!(resumed.next_run_date, Some(date!(2026 - 02 - 01)));
    assert_eq!(resumed.rests, []);
}

#[test]
fn resuming_behind_the_end_completes_it() {
    let ending = update(running(), ending(date!(2026 - 02 - 28)), date!(2026 - 01 - 10));
    let paused = ending.pause(date!(2026 - 01 - 20), LATER).unwrap();
    let resumed = paused.resume(date!(2026 - 03 - 01), LATER).unwrap();
    assert_eq!((resumed.status, resumed.next_run_date), (Status::Completed, None));
}

#[test]
fn the_trash_is_a_pause_that_keeps_the_status() {
    let trashed = running().trash(date!(2026 - 01 - 20), LATER).unwrap();
    assert_eq!(trashed.due(date!(2026 - 03 - 01)), None);
    let restored = trashed.restore(date!(2026 - 03 - 10), LATER).unwrap();
    assert_eq!((restored.status, restored.deleted_at), (Status::Active, None));
    assert_eq!(restored.next_run_date, Some(date!(2026 - 04 - 01)));

    let paused = running().pause(date!(2026 - 01 - 20), LATER).unwrap();
    let trashed = paused.trash(date!(2026 - 01 - 25), LATER).unwrap();
    let restored = trashed.restore(date!(2026 - 02 - 10), LATER).unwrap();
    assert_eq!(restored.status, Status::Paused);
    let resumed = restored.resume(date!(2026 - 03 - 10), LATER).unwrap();
    assert_eq!(resumed.next_run_date, Some(date!(2026 - 04 - 01)));
}

#[test]
fn each_state_refuses_what_it_does_not_allow() {
    let today = date!(2026 - 01 - 20);
    let active = running();
    let paused = active.clone().pause(today, LATER).unwrap();
    let completed = active.clone().complete(LATER).unwrap();
    let trashed = active.clone().trash(today, LATER).unwrap();
    let next = Period { run_date: date!(2026 - 02 - 01), number: 2 };

    assert_eq!(code(active.clone().resume(today, LATER)), "recurring_not_paused");
    assert_eq!(code(active.clone().restore(today, LATER)), "not_in_trash");
    assert_eq!(code(active.clone().erase()), "not_in_trash");
    let third = Period { number: 3, ..next };
    assert_eq!(code(active.generated(third, invoice(2), LATER)), "recurring_period_passed");

    assert_eq!(code(paused.clone().pause(today, LATER)), "recurring_not_active");
    assert_eq!(code(paused.clone().generated(next, invoice(2), LATER)), "recurring_not_active");
    assert_eq!(code(paused.clone().failed(next, "", today, LATER)), "recurring_not_active");
    let ended = paused.complete(LATER).unwrap();
    assert_eq!((ended.status, ended.next_run_date, ended.rests), (Status::Completed, None, vec![]));

    assert_eq!(code(completed.clone().pause(today, LATER)), "recurring_not_active");
    assert_eq!(code(completed.clone().resume(today, LATER)), "recurring_not_paused");
    assert_eq!(code(completed.complete(LATER)), "recurring_completed");

    for result in [
        trashed.clone().pause(today, LATER),
        trashed.clone().resume(today, LATER),
        trashed.clone().complete(LATER),
        trashed.clone().trash(today, LATER),
        trashed.clone().update(RecurringInput::default(), today, LATER),
        trashed.clone().generated(next, invoice(2), LATER),
        trashed.clone().failed(next, "", today, LATER),
    ] {
        assert_eq!(code(result), "in_trash");
    }
    assert_eq!(trashed.clone().erase().unwrap(), trashed);
}

#[test]
fn another_schedule_goes_on_from_today_or_from_the_overdue_run() {
    let on_day = |day| RecurringInput { day_of_month: Patch::Value(day), ..Default::default() };
    let moved = |today| update(running(), on_day(15), today).next_run_date;
    assert_eq!(moved(date!(2026 - 01 - 10)), Some(date!(2026 - 01 - 15)));
    assert_eq!(moved(date!(2026 - 01 - 15)), Some(date!(2026 - 01 - 15)));
    assert_eq!(moved(date!(2026 - 01 - 20)), Some(date!(2026 - 02 - 15)), "no run in the past");
    assert_eq!(moved(date!(2026 - 03 - 20)), Some(date!(2026 - 02 - 15)), "February is overdue");
    let new = update(recurring(input()), on_day(15), date!(2026 - 01 - 20));
    assert_eq!(new.next_run_date, Some(date!(2026 - 01 - 15)), "as if made so");
    let weekly = RecurringInput {
        frequency: Patch::Value(Frequency::Weekly),
        start_date: Patch::Value(date!(2026 - 02 - 04)),
        ..Default::default()
    };
    let weekly = update(running(), weekly, date!(2026 - 01 - 20));
    assert_eq!(weekly.next_run_date, Some(date!(2026 - 02 - 04)));
}

#[test]
fn an_update_brings_back_no_run_of_a_pause() {
    let mut again = running();
    for (from, to) in [
        (date!(2026 - 01 - 10), date!(2026 - 03 - 10)),
        (date!(2026 - 03 - 20), date!(2026 - 05 - 20)),
    ] {
        again = again.pause(from, LATER).unwrap().resume(to, LATER).unwrap();
    }
    let fifth = RecurringInput { day_of_month: Patch::Value(5), ..Default::default() };
    let moved = update(again, fifth, date!(2026 - 05 - 21));
    assert_eq!(moved.next_run_date, Some(date!(2026 - 06 - 05)));
}

#[test]
fn an_end_date_completes_it_and_a_later_one_takes_it_up_again() {
    let today = date!(2026 - 01 - 20);
    let ended = update(running(), ending(date!(2026 - 01 - 31)), today);
    assert_eq!((ended.status, ended.next_run_date), (Status::Completed, None));
    let renamed = RecurringInput { name: Patch::Value("Drugo".to_owned()), ..Default::default() };
    assert_eq!(update(ended.clone(), renamed, today).status, Status::Completed);
    let longer = update(ended, ending(date!(2026 - 12 - 31)), date!(2026 - 04 - 10));
    assert_eq!(longer.status, Status::Active);
    assert_eq!(longer.next_run_date, Some(date!(2026 - 05 - 01)), "what lies behind stays so");
    let same_day = date!(2026 - 01 - 01);
    let ended = update(running(), ending(same_day), same_day);
    let longer = update(ended, ending(date!(2026 - 12 - 31)), same_day);
    assert_eq!(longer.next_run_date, Some(date!(2026 - 02 - 01)), "January is made already");
}

#[test]
fn a_change_may_have_mended_the_cause_of_a_failure() {
    let today = date!(2026 - 02 - 01);
    let period = running().due(today).unwrap();
    let failed = fail(running(), period, today);
    let to = RecurringInput {
        send_to: Patch::Value("ana@example.com".to_owned()),
        ..Default::default()
    };
    let mended = update(failed, to, today);
    assert_eq!(mended.due(today), Some(period));
    assert_eq!(mended.failed_attempts, 0);
}

/// What happens on one day, before the worker comes by.
#[derive(Debug, Clone, Copy)]
enum Action {
    Nothing,
    Pause,
    Resume,
    Trash,
    Restore,
}

/// A day: what happens, and whether the worker comes and succeeds, comes and fails, or stays away.
fn days() -> impl Strategy<Value = Vec<(Action, Option<bool>)>> {
    let action = prop_oneof![
        8 => Just(Action::Nothing),
        2 => Just(Action::Pause),
        3 => Just(Action::Resume),
        1 => Just(Action::Trash),
        2 => Just(Action::Restore),
    ];
    let worker = prop_oneof![3 => Just(Some(true)), 3 => Just(Some(false)), 1 => Just(None)];
    vec((action, worker), 1..80)
}

proptest! {
    /// The model keeps the set of what is owed: each day adds its run unless the day ends in a
    /// pause or in the trash, and a worker that succeeds makes all of it.
    #[test]
    fn a_period_is_made_exactly_when_its_day_is_not_rested(
        days in days(),
        interval in 1_i64..=4,
    ) {
        let start = date!(2026 - 01 - 01);
        let mut real = recurring(RecurringInput {
            frequency: Patch::Value(Frequency::Daily),
            interval: Patch::Value(interval),
            ..input()
        });
        let (mut made, mut owed, mut expected) = (Vec::new(), BTreeSet::new(), Vec::new());
        let mut today = start;
        for (action, worker) in days {
            let before = real.clone();
            let after = match action {
                Action::Nothing => Ok(real),
                Action::Pause => real.pause(today, LATER),
                Action::Resume => real.resume(today, LATER),
                Action::Trash => real.trash(today, LATER),
                Action::Restore => real.restore(today, LATER),
            };
            real = after.unwrap_or(before);
            let live = real.status == Status::Active && real.deleted_at.is_none();
            if live && (today - start).whole_days() % interval == 0 {
                owed.insert(today);
            }
            match worker {
                Some(true) => {
                    let waits = real.retry_on.is_some_and(|day| day > today);
                    made.extend(catch_up(&mut real, today));
                    if live && !waits {
                        expected.extend(std::mem::take(&mut owed));
                    }
                }
                Some(false) => if let Some(period) = real.due(today) {
                    prop_assert_eq!(owed.first(), Some(&period.run_date));
                    real = fail(real, period, today);
                }
                None => {}
            }
            prop_assert_eq!(&made, &expected);
            prop_assert_eq!(real.next_run_date.is_none(), real.status == Status::Completed);
            today += Duration::days(1);
        }
    }
}
