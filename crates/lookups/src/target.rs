//! The days on which the European Central Bank publishes rates: those on which TARGET is open.

use time::{Date, Duration, Month, Weekday};

/// Whether rates are published for `date`: no weekend, no 1 January, Good Friday, Easter Monday,
/// 1 May, 25 or 26 December (the closing days of TARGET since 2002). Before 2002 some of these were
/// open and 31 December was closed twice; what is kept decides there.
#[must_use]
pub fn is_business_day(date: Date) -> bool {
    if matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday) {
        return false;
    }
    let is_fixed = matches!(
        (date.month(), date.day()),
        (Month::January | Month::May, 1) | (Month::December, 25 | 26)
    );
    let easter = easter_sunday(date.year());
    let is_of_easter = |days: i64| {
        easter.and_then(|sunday| sunday.checked_add(Duration::days(days))) == Some(date)
    };
    !is_fixed && !is_of_easter(-2) && !is_of_easter(1)
}

/// The last business day on or before `date`.
#[must_use]
pub fn last_business_day(date: Date) -> Date {
    let mut day = date;
    // TARGET is closed for four days in a row at most.
    while !is_business_day(day) {
        match day.previous_day() {
            Some(before) => day = before,
            None => return day,
        }
    }
    day
}

/// Easter Sunday of the western churches (the algorithm of Meeus, Jones and Butcher).
fn easter_sunday(year: i32) -> Option<Date> {
    let (a, b, c) = (year % 19, year / 100, year % 100);
    let (d, e) = (b / 4, b % 4);
    let f = (b + 8) / 25;
    let g = (b - f + 1) / 3;
    let h = (19 * a + b - d - g + 15) % 30;
    let (i, k) = (c / 4, c % 4);
    let l = (32 + 2 * e + 2 * i - h - k) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let sum = h + l - 7 * m + 114;
    let month = Month::try_from(u8::try_from(sum / 31).ok()?).ok()?;
    Date::from_calendar_date(year, month, u8::try_from(sum % 31 + 1).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn easter_falls_where_the_church_has_it() {
        for (year, sunday) in [
            (1999, date!(1999 - 04 - 04)),
            (2000, date!(2000 - 04 - 23)),
            (2016, date!(2016 - 03 - 27)),
            (2024, date!(2024 - 03 - 31)),
            (2025, date!(2025 - 04 - 20)),
            (2026, date!(2026 - 04 - 05)),
            (2038, date!(2038 - 04 - 25)),
        ] {
            assert_eq!(easter_sunday(year), Some(sunday), "{year}");
        }
    }

    #[test]
    fn closing_days_fall_back_to_the_last_open_one() {
        for (date, last) in [
            (date!(2026 - 10 - 09), date!(2026 - 10 - 09)),
            (date!(2026 - 10 - 11), date!(2026 - 10 - 09)),
            (date!(2026 - 04 - 06), date!(2026 - 04 - 02)),
            (date!(2026 - 01 - 01), date!(2025 - 12 - 31)),
            (date!(2026 - 12 - 27), date!(2026 - 12 - 24)),
            (date!(2026 - 05 - 01), date!(2026 - 04 - 30)),
        ] {
            assert_eq!(last_business_day(date), last, "{date}");
        }
    }
}
