//! Working days and deadlines of both countries.

use racun_fiscal::{Authority, Counting, Days, alarm_at, deadline, is_working_day, last_day};
use time::Date;
use time::macros::{date, datetime};

use crate::world::{date as day, group, read};

#[test]
fn slovenian_deadlines_are_the_known_ones() {
    let file = read("furs.json");
    for vector in group(&file, "vectors", "deadline") {
        let lost_on = day(vector, "connection_lost_on");
        assert_eq!(
            deadline(Authority::Furs, Days::Connection, lost_on),
            day(vector, "last_day"),
            "{vector}"
        );
    }
}

#[test]
fn croatian_deadlines_are_the_known_ones_in_both_readings_and_the_strict_one_counts() {
    let file = read("fina.json");
    for vector in group(&file, "public", "working_day_deadlines") {
        assert_eq!(vector["working_days"], 2);
        let lost_on = day(vector, "outage_local_date");
        let last = |counting| last_day(Authority::Fina, Days::Connection, lost_on, counting);
        let strict = day(vector, "last_day_if_outage_day_counts");
        let lenient = day(vector, "last_day_if_counting_starts_next_day");
        assert_eq!(last(Counting::FromThatDay), strict, "{vector}");
        assert_eq!(last(Counting::FromTheNextDay), lenient, "{vector}");
        assert_eq!(deadline(Authority::Fina, Days::Connection, lost_on), strict, "{vector}");
    }
}

#[test]
fn an_outage_on_a_day_off_counts_from_the_next_working_day() {
    for (authority, lost_on, last) in [
        (Authority::Furs, date!(2026 - 11 - 21), date!(2026 - 11 - 24)),
        (Authority::Fina, date!(2026 - 11 - 21), date!(2026 - 11 - 24)),
        (Authority::Furs, date!(2026 - 04 - 05), date!(2026 - 04 - 08)),
        (Authority::Fina, date!(2026 - 04 - 05), date!(2026 - 04 - 08)),
        (Authority::Fina, date!(2026 - 11 - 18), date!(2026 - 11 - 20)),
        (Authority::Fina, date!(2026 - 12 - 31), date!(2027 - 01 - 04)),
    ] {
        assert_eq!(deadline(authority, Days::Connection, lost_on), last, "{authority:?} {lost_on}");
    }
}

#[test]
fn paper_forms_have_a_longer_deadline() {
    for (authority, written_on, last) in [
        (Authority::Furs, date!(2026 - 11 - 18), date!(2026 - 12 - 02)),
        (Authority::Fina, date!(2026 - 11 - 18), date!(2026 - 11 - 25)),
        (Authority::Fina, date!(2026 - 11 - 21), date!(2026 - 11 - 27)),
    ] {
        assert_eq!(deadline(authority, Days::Paper, written_on), last, "{authority:?}");
        assert_eq!(alarm_at(authority, Days::Paper, written_on).date(), last);
    }
}

#[test]
fn the_alarm_comes_when_the_last_day_begins() {
    for (authority, lost_on, alarm) in [
        (Authority::Furs, date!(2026 - 03 - 13), datetime!(2026-03-17 00:00 +1)),
        (Authority::Furs, date!(2026 - 04 - 02), datetime!(2026-04-07 00:00 +2)),
        (Authority::Fina, date!(2026 - 11 - 20), datetime!(2026-11-23 00:00 +1)),
    ] {
        assert_eq!(alarm_at(authority, Days::Connection, lost_on), alarm);
        assert_eq!(
            alarm_at(authority, Days::Connection, lost_on).date(),
            deadline(authority, Days::Connection, lost_on)
        );
    }
}

#[test]
fn holidays_are_those_of_the_law() {
    // 2026, without those that fall on a Saturday or Sunday.
    for (authority, expected) in [
        (
            Authority::Furs,
            &[
                date!(2026 - 01 - 01),
                date!(2026 - 01 - 02),
                date!(2026 - 04 - 06),
                date!(2026 - 04 - 27),
                date!(2026 - 05 - 01),
                date!(2026 - 06 - 25),
                date!(2026 - 12 - 25),
            ][..],
        ),
        (
            Authority::Fina,
            &[
                date!(2026 - 01 - 01),
                date!(2026 - 01 - 06),
                date!(2026 - 04 - 06),
                date!(2026 - 05 - 01),
                date!(2026 - 06 - 04),
                date!(2026 - 06 - 22),
                date!(2026 - 08 - 05),
                date!(2026 - 11 - 18),
                date!(2026 - 12 - 25),
            ][..],
        ),
    ] {
        let mut off: Vec<Date> = Vec::new();
        let mut day = date!(2026 - 01 - 01);
        while day.year() == 2026 {
            let is_weekend = day.weekday().number_days_from_monday() >= 5;
            assert!(!(is_weekend && is_working_day(authority, day)), "{day}");
            if !is_weekend && !is_working_day(authority, day) {
                off.push(day);
            }
            day = day.next_day().unwrap();
        }
        assert_eq!(off, expected, "{authority:?}");
    }
}
