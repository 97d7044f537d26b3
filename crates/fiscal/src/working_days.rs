//! Working days, and until when a document that was issued without an answer is to be reported.

use racun_kernel::calendar;
use time::{Date, Duration, Month, OffsetDateTime, Weekday};

use crate::Authority;

/// What is to be reported within how many working days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Days {
    /// What was issued on a device without a connection.
    Connection,
    /// What was written on a form of a bound book, because the device did not work.
    Paper,
}

impl Days {
    /// Two for what a device issued. On paper ten in Slovenia (ZDavPR, on invoices of a bound book)
    /// and five in Croatia (NN 89/2025, article 22).
    const fn count(self, authority: Authority) -> u8 {
        match (self, authority) {
            (Self::Connection, _) => 2,
            (Self::Paper, Authority::Furs) => 10,
            (Self::Paper, Authority::Fina) => 5,
        }
    }
}

/// Whether the day on which the connection was lost is the first of the days that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// It is, when it is a working day.
    FromThatDay,
    /// The next one is.
    FromTheNextDay,
}

/// The last day on which what was issued without an answer on `lost_on` may be reported.
///
/// Slovenia: two working days from the day after (ZDavPR, article 9). Croatia: "two working days,
/// counted from the day of the outage" (NN 89/2025, article 21), read strictly: that day is the
/// first one. [`last_day`] knows the other reading. What is on paper is counted in the same way
/// from the day on it.
#[must_use]
pub fn deadline(authority: Authority, days: Days, lost_on: Date) -> Date {
    let counting = match authority {
        Authority::Furs => Counting::FromTheNextDay,
        Authority::Fina => Counting::FromThatDay,
    };
    last_day(authority, days, lost_on, counting)
}

/// The last of the working days `days`, `counting` from `lost_on`.
#[must_use]
pub fn last_day(authority: Authority, days: Days, lost_on: Date, counting: Counting) -> Date {
    let mut left = days.count(authority);
    if counting == Counting::FromThatDay && is_working_day(authority, lost_on) {
        left -= 1;
    }
    let mut day = lost_on;
    while left > 0 {
        day = day.saturating_add(Duration::DAY);
        if is_working_day(authority, day) || day == Date::MAX {
            left -= 1;
        }
    }
    day
}

/// When to raise the alarm because a document of `lost_on` is still not reported: at the
/// start of the last day, in the authority's zone, so that all of it is left.
#[must_use]
pub fn alarm_at(authority: Authority, days: Days, lost_on: Date) -> OffsetDateTime {
    let last = deadline(authority, days, lost_on);
    let start = calendar::start_of_day(last, authority.zone());
    authority.local(start.unwrap_or_else(|| calendar::midnight(last)))
}

/// Whether people work on `day` where the authority is: Monday to Friday without holidays.
#[must_use]
pub fn is_working_day(authority: Authority, day: Date) -> bool {
    let is_weekend = matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday);
    let easter = easter(day.year());
    let (fixed, movable) = match authority {
        Authority::Furs => (SLOVENIAN, SLOVENIAN_AFTER_EASTER),
        Authority::Fina => (CROATIAN, CROATIAN_AFTER_EASTER),
    };
    let is_fixed = fixed.contains(&(day.month(), day.day()));
    let after = (day - easter).whole_days();
    !is_weekend && !is_fixed && !movable.contains(&after)
}

/// Zakon o praznikih in dela prostih dnevih v Republiki Sloveniji, articles 1 and 2: the days off.
const SLOVENIAN: &[(Month, u8)] = &[
    (Month::January, 1),
    (Month::January, 2),
    (Month::February, 8),
    (Month::April, 27),
    (Month::May, 1),
    (Month::May, 2),
    (Month::June, 25),
    (Month::August, 15),
    (Month::October, 31),
    (Month::November, 1),
    (Month::December, 25),
    (Month::December, 26),
];

/// Easter, Easter Monday, Whit Sunday.
const SLOVENIAN_AFTER_EASTER: &[i64] = &[0, 1, 49];

/// Zakon o blagdanima, spomendanima i neradnim danima u Republici Hrvatskoj (NN 110/2019), article
/// 1.
const CROATIAN: &[(Month, u8)] = &[
    (Month::January, 1),
    (Month::January, 6),
    (Month::May, 1),
    (Month::May, 30),
    (Month::June, 22),
    (Month::August, 5),
    (Month::August, 15),
    (Month::November, 1),
    (Month::November, 18),
    (Month::December, 25),
    (Month::December, 26),
];

/// Easter, Easter Monday, Corpus Christi.
const CROATIAN_AFTER_EASTER: &[i64] = &[0, 1, 60];

/// Easter Sunday of a Gregorian year, by the rule of Meeus, Jones and Butcher.
fn easter(year: i32) -> Date {
    let (golden, century, of_century) = (year % 19, year / 100, year % 100);
    let lunar = (century - (century + 8) / 25 + 1) / 3;
    let epact = (19 * golden + century - century / 4 - lunar + 15) % 30;
    let weekday = (32 + 2 * (century % 4) + 2 * (of_century / 4) - epact - of_century % 4) % 7;
    let late = (golden + 11 * epact + 22 * weekday) / 451;
    let days = i64::from(epact + weekday - 7 * late);
    let first = Date::from_calendar_date(year, Month::March, 22).unwrap_or(Date::MIN);
    first.saturating_add(Duration::days(days))
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn easter_is_on_the_days_of_the_almanac() {
        for expected in [
            date!(1961 - 04 - 02),
            date!(2000 - 04 - 23),
            date!(2008 - 03 - 23),
            date!(2011 - 04 - 24),
            date!(2024 - 03 - 31),
            date!(2025 - 04 - 20),
            date!(2026 - 04 - 05),
            date!(2027 - 03 - 28),
            date!(2028 - 04 - 16),
            date!(2038 - 04 - 25),
            date!(2285 - 03 - 22),
        ] {
            assert_eq!(easter(expected.year()), expected);
        }
    }
}
