//! Periods, and the months within them.

use serde::{Deserialize, Serialize};
use time::{Date, Month, OffsetDateTime};

/// How often a subscription is paid.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Interval {
    /// Every month.
    #[default]
    Monthly,
    /// Every year.
    Yearly,
}

impl Interval {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Monthly => "monthly",
            Self::Yearly => "yearly",
        }
    }

    /// Months that it lasts.
    #[must_use]
    pub const fn months(self) -> i32 {
        match self {
            Self::Monthly => 1,
            Self::Yearly => 12,
        }
    }
}

/// From an instant up to another one, which is not part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Period {
    /// Its first instant.
    #[serde(with = "time::serde::rfc3339")]
    pub start: OffsetDateTime,
    /// The first instant after it.
    #[serde(with = "time::serde::rfc3339")]
    pub end: OffsetDateTime,
}

impl Period {
    /// The period of `months` that begins at `start`, in a row of periods that began at `anchor`: a
    /// row that began on the 31st ends on the last day of shorter months, and on the 31st again
    /// after them.
    #[must_use]
    pub fn after(anchor: OffsetDateTime, start: OffsetDateTime, months: i32) -> Self {
        let passed = month_index(start) - month_index(anchor);
        Self { start, end: add_months(anchor, passed + months) }
    }

    /// How many months after the one of `instant` it begins.
    pub(crate) fn months_after(&self, instant: OffsetDateTime) -> i64 {
        i64::from(month_index(self.start) - month_index(instant))
    }

    /// Whether `instant` is within.
    #[must_use]
    pub fn contains(&self, instant: OffsetDateTime) -> bool {
        self.start <= instant && instant < self.end
    }
}

fn month_index(instant: OffsetDateTime) -> i32 {
    instant.year() * 12 + i32::from(u8::from(instant.month())) - 1
}

/// `anchor`, `months` later, at the same time of day: on the same day, or on the last one of a
/// month that lacks it. What is after year 9999 is its last day.
#[must_use]
pub fn add_months(anchor: OffsetDateTime, months: i32) -> OffsetDateTime {
    let index = month_index(anchor) + months;
    let month = u8::try_from(index.rem_euclid(12) + 1).ok().and_then(|n| Month::try_from(n).ok());
    let year = index.div_euclid(12);
    let date = month.and_then(|month| {
        let day = anchor.day().min(month.length(year));
        Date::from_calendar_date(year, month, day).ok()
    });
    anchor.replace_date(date.unwrap_or(Date::MAX))
}

/// The month of `period` that begins at `start`, in a row of months that began at `anchor`.
pub(crate) fn month_of(anchor: OffsetDateTime, period: Period, start: OffsetDateTime) -> Period {
    let month = Period::after(anchor, start, 1);
    Period { start, end: month.end.min(period.end) }
}
