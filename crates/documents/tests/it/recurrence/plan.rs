//! The dates of what a run makes.

use racun_documents::recurrence::{
    Frequency, InvoiceDates, Pattern, RecurringInput, Schedule, TemplateDates,
};
use racun_kernel::Patch;
use time::Date;
use time::macros::date;

use super::{catch_up, every, input, recurring};

/// The services of the first `count` invoices after a template of `date` with the service `from` to
/// `to`.
fn services(pattern: Pattern, template: (Date, Date, Date), count: usize) -> Vec<(Date, Date)> {
    let (date, from, to) = template;
    let mut recurring = recurring(input());
    recurring.terms.schedule = Schedule::new(pattern).unwrap();
    recurring.next_run_date = recurring.terms.schedule.first();
    let template = TemplateDates { date, date_service: Some(from), date_service_to: Some(to) };
    let plans = std::iter::from_fn(|| {
        let period = recurring.due(Date::MAX)?;
        let plan = recurring.plan_invoice(period, template, 30);
        recurring = recurring.clone().generated(period, super::invoice(2), super::LATER).unwrap();
        Some((plan.date_service?, plan.date_service_to?))
    });
    plans.take(count).collect()
}

#[test]
fn an_invoice_bears_its_runs_day_and_the_terms_of_payment() {
    let template = TemplateDates {
        date: date!(2025 - 12 - 10),
        date_service: Some(date!(2025 - 12 - 31)),
        date_service_to: None,
    };
    let own = recurring(RecurringInput { payment_terms_days: Patch::Value(0), ..input() });
    let period = own.due(date!(2026 - 01 - 05)).unwrap();
    let plan = own.plan_invoice(period, template, 30);
    let expected = InvoiceDates {
        date: date!(2026 - 01 - 01),
        date_due: date!(2026 - 01 - 01),
        date_service: Some(date!(2026 - 01 - 31)),
        date_service_to: None,
    };
    assert_eq!(plan, expected);
    let default = recurring(input()).plan_invoice(period, template, 30);
    assert_eq!(default.date_due, date!(2026 - 01 - 31));
}

#[test]
fn whole_months_of_service_stay_whole() {
    let monthly = every(1, Frequency::Monthly, date!(2026 - 05 - 01));
    let april = (date!(2026 - 04 - 05), date!(2026 - 04 - 01), date!(2026 - 04 - 30));
    let expected = [
        (date!(2026 - 05 - 01), date!(2026 - 05 - 31)),
        (date!(2026 - 06 - 01), date!(2026 - 06 - 30)),
    ];
    assert_eq!(services(monthly, april, 2), expected);
    let odd = (date!(2026 - 12 - 30), date!(2026 - 11 - 30), date!(2026 - 12 - 29));
    let expected = [
        (date!(2026 - 12 - 30), date!(2027 - 01 - 29)),
        (date!(2027 - 01 - 30), date!(2027 - 02 - 28)),
        (date!(2027 - 02 - 28), date!(2027 - 03 - 29)),
    ];
    assert_eq!(services(every(1, Frequency::Monthly, date!(2027 - 01 - 30)), odd, 3), expected);
    let ends_with_february = (date!(2027 - 02 - 10), date!(2027 - 01 - 29), date!(2027 - 02 - 28));
    let march = every(1, Frequency::Monthly, date!(2027 - 03 - 10));
    let expected = [(date!(2027 - 02 - 28), date!(2027 - 03 - 28))];
    assert_eq!(services(march, ends_with_february, 1), expected);
}

#[test]
fn a_service_moves_by_whole_intervals_whenever_the_template_was_made() {
    let quarterly = every(3, Frequency::Monthly, date!(2027 - 04 - 01));
    let second = (date!(2027 - 04 - 01), date!(2027 - 06 - 30));
    let third = (date!(2027 - 07 - 01), date!(2027 - 09 - 30));
    for made_on in
        [date!(2026 - 11 - 20), date!(2026 - 12 - 20), date!(2027 - 01 - 05), date!(2027 - 03 - 31)]
    {
        let first = (made_on, date!(2027 - 01 - 01), date!(2027 - 03 - 31));
        assert_eq!(services(quarterly, first, 2), [second, third], "{made_on}");
    }
    let of_the_same_day = (date!(2027 - 04 - 01), second.0, second.1);
    assert_eq!(services(quarterly, of_the_same_day, 2), [second, third]);
    let weekly = every(1, Frequency::Weekly, date!(2026 - 01 - 12));
    let wednesday = (date!(2026 - 01 - 07), date!(2026 - 01 - 05), date!(2026 - 01 - 11));
    let expected = [
        (date!(2026 - 01 - 12), date!(2026 - 01 - 18)),
        (date!(2026 - 01 - 19), date!(2026 - 01 - 25)),
    ];
    assert_eq!(services(weekly, wednesday, 2), expected);
}

#[test]
fn runs_passed_over_in_a_pause_count_for_the_service() {
    let mut paused = recurring(input());
    catch_up(&mut paused, date!(2026 - 01 - 01));
    let paused = paused.pause(date!(2026 - 01 - 10), super::LATER).unwrap();
    let resumed = paused.resume(date!(2026 - 04 - 01), super::LATER).unwrap();
    let period = resumed.due(date!(2026 - 04 - 01)).unwrap();
    let december = TemplateDates {
        date: date!(2025 - 12 - 01),
        date_service: Some(date!(2025 - 12 - 01)),
        date_service_to: Some(date!(2025 - 12 - 31)),
    };
    let plan = resumed.plan_invoice(period, december, 30);
    assert_eq!(plan.date, date!(2026 - 04 - 01));
    assert_eq!(plan.date_service, Some(date!(2026 - 04 - 01)));
    assert_eq!(plan.date_service_to, Some(date!(2026 - 04 - 30)));
}

#[test]
fn dates_past_the_calendars_end_are_its_last_day() {
    let start = date!(9999 - 12 - 31);
    let mut last = recurring(input());
    last.terms.schedule = Schedule::new(every(1, Frequency::Monthly, start)).unwrap();
    last.next_run_date = Some(start);
    let period = last.due(start).unwrap();
    let service = date!(9999 - 12 - 01);
    let template = TemplateDates {
        date: date!(9999 - 11 - 30),
        date_service: Some(service),
        date_service_to: Some(start),
    };
    let plan = last.plan_invoice(period, template, 30);
    assert_eq!(plan.date_due, start);
    assert_eq!((plan.date_service, plan.date_service_to), (Some(start), Some(start)));
}
