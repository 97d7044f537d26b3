//! The days of a schedule, against a walk over the calendar day by day.

use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use racun_documents::recurrence::{Frequency, Pattern, Schedule};
use time::macros::date;
use time::{Date, Duration};

use super::{every, runs};

/// Whether `day` would be a run if the interval were 1: exactly one day of each unit does.
fn fits(pattern: &Pattern, day: Date) -> bool {
    let start = pattern.start_date;
    let wanted = pattern.day_of_month.unwrap_or_else(|| i64::from(start.day()));
    let number = i64::from(day.day());
    let ends_month = day.next_day().is_none_or(|next| next.day() == 1);
    let day_fits = number == wanted || (number < wanted && ends_month);
    let weekday = |date: Date| i64::from(date.weekday().number_days_from_sunday());
    let month = |date: Date| i64::from(u8::from(date.month()));
    match pattern.frequency {
        Frequency::Daily => true,
        Frequency::Weekly => weekday(day) == pattern.day_of_week.unwrap_or_else(|| weekday(start)),
        Frequency::Monthly => day_fits,
        Frequency::Yearly => {
            day_fits && month(day) == pattern.month_of_year.unwrap_or_else(|| month(start))
        }
    }
}

/// All runs up to `horizon`: of the days that fit, the first and every interval-th after it.
fn walk(pattern: &Pattern, horizon: Date) -> Vec<Date> {
    let last = pattern.end_date.map_or(horizon, |end| end.min(horizon));
    let days = std::iter::successors(Some(pattern.start_date), |day| day.next_day());
    let fitting = days.take_while(|day| *day <= last).filter(|day| fits(pattern, *day));
    fitting.step_by(usize::try_from(pattern.interval).unwrap()).collect()
}

fn schedule_of(pattern: Pattern) -> Schedule {
    Schedule::new(pattern).unwrap()
}

fn dates() -> impl Strategy<Value = Date> {
    let leap = select(vec![date!(2028 - 02 - 29), date!(2099 - 12 - 31), date!(2024 - 01 - 31)]);
    let any = (0_i64..15_000).prop_map(|days| date!(1999 - 12 - 28) + Duration::days(days));
    prop_oneof![1 => leap, 6 => any]
}

fn patterns() -> impl Strategy<Value = Pattern> {
    let interval = prop_oneof![3 => Just(1_i64), 3 => 2_i64..=6, 1 => 7_i64..=365];
    let days = (option::of(0_i64..=6), option::of(1_i64..=31), option::of(1_i64..=12));
    let end = option::weighted(0.3, 0_i64..3_000);
    (select(Frequency::ALL.to_vec()), interval, days, dates(), end).prop_map(
        |(frequency, interval, (day_of_week, day_of_month, month_of_year), start_date, end)| {
            let end_date = end.map(|days| start_date + Duration::days(days));
            Pattern {
                day_of_week,
                day_of_month,
                month_of_year,
                end_date,
                ..every(interval, frequency, start_date)
            }
        },
    )
}

/// Days over which schedules are walked: far enough for five leap years.
const HORIZON: i64 = 20 * 366;

proptest! {
    #[test]
    fn runs_are_those_of_a_walk_day_by_day(pattern in patterns()) {
        let horizon = pattern.start_date + Duration::days(HORIZON);
        let schedule = schedule_of(pattern);
        let run = std::iter::successors(schedule.first(), |run| schedule.after(*run));
        let found: Vec<Date> = run.take_while(|run| *run <= horizon).collect();
        prop_assert_eq!(found, walk(&pattern, horizon));
    }

    #[test]
    fn the_run_after_any_day_is_the_first_behind_it(
        pattern in patterns(),
        ahead in -400_i64..HORIZON,
    ) {
        let day = pattern.start_date + Duration::days(ahead);
        let horizon = pattern.start_date + Duration::days(2 * HORIZON);
        let all = walk(&pattern, horizon);
        let schedule = schedule_of(pattern);
        let in_sight = |run: &Date| *run <= horizon;
        prop_assert_eq!(
            schedule.after(day).filter(in_sight),
            all.iter().copied().find(|run| *run > day)
        );
        prop_assert_eq!(
            schedule.on_or_after(day).filter(in_sight),
            all.iter().copied().find(|run| *run >= day)
        );
    }

    #[test]
    fn runs_increase_and_stay_between_start_and_end(pattern in patterns()) {
        let all = runs(pattern, 60);
        prop_assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(all.iter().all(|run| *run >= pattern.start_date));
        prop_assert!(all.iter().all(|run| pattern.end_date.is_none_or(|end| *run <= end)));
    }

    #[test]
    fn a_day_that_a_month_lacks_becomes_its_last_and_comes_back(
        start in dates(),
        interval in 1_i64..=24,
        day in 29_i64..=31,
    ) {
        let monthly = every(interval, Frequency::Monthly, start);
        let pattern = Pattern { day_of_month: Some(day), ..monthly };
        for run in runs(pattern, 40) {
            let length = i64::from(run.month().length(run.year()));
            prop_assert_eq!(i64::from(run.day()), day.min(length));
        }
    }

    #[test]
    fn a_schedule_reads_back_as_it_was_stored(pattern in patterns()) {
        let schedule = schedule_of(pattern);
        let stored = serde_json::to_string(&schedule).unwrap();
        prop_assert_eq!(serde_json::from_str::<Schedule>(&stored).unwrap(), schedule);
    }
}

#[test]
fn the_end_of_the_month_never_sticks() {
    let days = runs(every(1, Frequency::Monthly, date!(2028 - 01 - 31)), 5);
    let expected = [
        date!(2028 - 01 - 31),
        date!(2028 - 02 - 29),
        date!(2028 - 03 - 31),
        date!(2028 - 04 - 30),
        date!(2028 - 05 - 31),
    ];
    assert_eq!(days, expected);
}

#[test]
fn the_29th_of_february_comes_back_in_leap_years() {
    let days = runs(every(1, Frequency::Yearly, date!(2096 - 02 - 29)), 9);
    let expected = [
        date!(2096 - 02 - 29),
        date!(2097 - 02 - 28),
        date!(2098 - 02 - 28),
        date!(2099 - 02 - 28),
        date!(2100 - 02 - 28),
        date!(2101 - 02 - 28),
        date!(2102 - 02 - 28),
        date!(2103 - 02 - 28),
        date!(2104 - 02 - 29),
    ];
    assert_eq!(days, expected);
}

#[test]
fn every_second_week_keeps_the_phase_of_the_first_run() {
    let pattern =
        Pattern { day_of_week: Some(1), ..every(2, Frequency::Weekly, date!(2026 - 01 - 01)) };
    let mondays = [date!(2026 - 01 - 05), date!(2026 - 01 - 19), date!(2026 - 02 - 02)];
    assert_eq!(runs(pattern, 3), mondays);
    let schedule = schedule_of(pattern);
    assert_eq!(schedule.after(date!(2026 - 01 - 06)), Some(date!(2026 - 01 - 19)));
    assert_eq!(schedule.after(date!(2026 - 01 - 13)), Some(date!(2026 - 01 - 19)));
}

#[test]
fn a_quarter_counts_from_the_first_run_not_from_the_start() {
    let pattern =
        Pattern { day_of_month: Some(1), ..every(3, Frequency::Monthly, date!(2026 - 01 - 15)) };
    let quarters = [date!(2026 - 02 - 01), date!(2026 - 05 - 01), date!(2026 - 08 - 01)];
    assert_eq!(runs(pattern, 3), quarters);
}

#[test]
fn fields_that_the_frequency_does_not_use_have_no_effect() {
    let start = date!(2026 - 01 - 15);
    let with_all = |frequency| Pattern {
        day_of_week: Some(3),
        day_of_month: Some(31),
        month_of_year: Some(6),
        ..every(1, frequency, start)
    };
    assert_eq!(runs(with_all(Frequency::Daily), 2), [start, date!(2026 - 01 - 16)]);
    assert_eq!(
        runs(with_all(Frequency::Weekly), 2),
        [date!(2026 - 01 - 21), date!(2026 - 01 - 28)]
    );
    assert_eq!(
        runs(with_all(Frequency::Monthly), 2),
        [date!(2026 - 01 - 31), date!(2026 - 02 - 28)]
    );
    assert_eq!(
        runs(with_all(Frequency::Yearly), 2),
        [date!(2026 - 06 - 30), date!(2027 - 06 - 30)]
    );
}

#[test]
fn a_schedule_ends_with_its_end_date_or_with_the_calendar() {
    let pattern = every(1, Frequency::Daily, date!(2026 - 01 - 01));
    let until = |end_date| schedule_of(Pattern { end_date: Some(end_date), ..pattern });
    let yesterday = date!(2026 - 01 - 09);
    assert_eq!(until(date!(2026 - 01 - 10)).after(yesterday), Some(date!(2026 - 01 - 10)));
    assert_eq!(until(yesterday).after(yesterday), None);
    let last_day = date!(9999 - 12 - 31);
    assert_eq!(schedule_of(pattern).after(last_day), None);
    assert_eq!(runs(every(1, Frequency::Daily, last_day), 9), [last_day]);
    assert_eq!(runs(every(1, Frequency::Weekly, last_day), 9), [last_day]);
    for frequency in [Frequency::Monthly, Frequency::Yearly] {
        assert_eq!(runs(every(365, frequency, last_day), 9), [last_day]);
        let day_before = Pattern { day_of_month: Some(30), ..every(1, frequency, last_day) };
        assert_eq!(schedule_of(day_before).first(), None);
    }
}

#[test]
fn a_schedule_may_have_no_day_at_all() {
    let pattern = Pattern {
        day_of_month: Some(31),
        end_date: Some(date!(2026 - 01 - 30)),
        ..every(1, Frequency::Monthly, date!(2026 - 01 - 01))
    };
    assert_eq!(schedule_of(pattern).first(), None);
}

#[test]
fn values_out_of_range_are_refused_whatever_the_frequency() {
    let good = every(1, Frequency::Daily, date!(2026 - 01 - 01));
    let check = |pattern: Pattern, expected: &str| {
        let issues = Schedule::new(pattern).err().map(|issues| issues.to_string());
        assert_eq!(issues.unwrap_or_default(), expected, "{pattern:?}");
    };
    for (interval, expected) in [
        (0, "interval: must be from 1 to 365"),
        (1, ""),
        (365, ""),
        (366, "interval: must be from 1 to 365"),
    ] {
        check(Pattern { interval, ..good }, expected);
    }
    for (day, expected) in [
        (-1, "day_of_week: must be from 0, Sunday, to 6, Saturday"),
        (0, ""),
        (6, ""),
        (7, "day_of_week: must be from 0, Sunday, to 6, Saturday"),
    ] {
        check(Pattern { day_of_week: Some(day), ..good }, expected);
    }
    for (day, expected) in [
        (0, "day_of_month: must be from 1 to 31"),
        (1, ""),
        (31, ""),
        (32, "day_of_month: must be from 1 to 31"),
    ] {
        check(Pattern { day_of_month: Some(day), ..good }, expected);
    }
    for (month, expected) in [
        (0, "month_of_year: must be from 1 to 12"),
        (1, ""),
        (12, ""),
        (13, "month_of_year: must be from 1 to 12"),
    ] {
        check(Pattern { month_of_year: Some(month), ..good }, expected);
    }
    check(Pattern { end_date: Some(good.start_date), ..good }, "");
    check(
        Pattern { end_date: Some(date!(2025 - 12 - 31)), ..good },
        "end_date: must not be before start_date, 2026-01-01",
    );
}
