//! The time at which documents enter the system, and which dates they may bear.

use std::fmt;
use std::str::FromStr;

use racun_kernel::{Issue, calendar};
use serde::{Deserialize, Serialize};
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use time::{Date, Duration, OffsetDateTime, PrimitiveDateTime};

const FORM: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]");

/// How far a clock on the wall goes back by law: from summer time.
const SUMMER_TIME: Duration = Duration::HOUR;

/// A time as the clock on the wall of the establishment shows it, to the second, without a zone:
/// `2026-01-05T09:00:00`.
///
/// Source: Despacho 8632/2014, 2.1; `SystemEntryDate` of SAF-T.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WallTime(PrimitiveDateTime);

/// The text is no such time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a time as YYYY-MM-DDThh:mm:ss, without zone and fraction")]
pub struct InvalidTime;

impl WallTime {
    /// This time in a series whose last one is `last`, which is taken again in the hour that the
    /// clock shows twice. `None` where this one is more than an hour before `last`.
    pub(crate) fn behind(self, last: Self) -> Option<Self> {
        (self.0 + SUMMER_TIME >= last.0).then(|| self.max(last))
    }

    /// What clocks in `zone` show at `instant`; `None` for a zone that there is not.
    #[must_use]
    pub fn of(instant: OffsetDateTime, zone: &str) -> Option<Self> {
        let local = calendar::in_zone(instant, zone)?;
        Some(Self::from(PrimitiveDateTime::new(local.date(), local.time())))
    }

    /// The day.
    #[must_use]
    pub const fn date(self) -> Date {
        self.0.date()
    }
}

impl From<PrimitiveDateTime> for WallTime {
    fn from(time: PrimitiveDateTime) -> Self {
        Self(time.replace_nanosecond(0).unwrap_or(time))
    }
}

impl FromStr for WallTime {
    type Err = InvalidTime;

    fn from_str(text: &str) -> Result<Self, InvalidTime> {
        PrimitiveDateTime::parse(text, FORM).map(Self).map_err(|_| InvalidTime)
    }
}

impl TryFrom<String> for WallTime {
    type Error = InvalidTime;

    fn try_from(text: String) -> Result<Self, InvalidTime> {
        text.parse()
    }
}

impl From<WallTime> for String {
    fn from(time: WallTime) -> Self {
        time.to_string()
    }
}

impl fmt::Display for WallTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.format(FORM).unwrap_or_default())
    }
}

/// Accepts the date of a document that enters at `entry`, in a series whose last document is of
/// `last` and that is used since `start`.
///
/// A date in the future would block the series until then, so there is none (Despacho 8632/2014,
/// 3.4.2). Dates of a series do not run back (3.2).
///
/// # Errors
/// `date_in_future`, `date_before_series`, `date_not_in_order`, for the field `date`.
pub fn check_date(
    date: Date,
    entry: WallTime,
    start: Date,
    last: Option<Date>,
) -> Result<(), Issue> {
    if date > entry.date() {
        let message = format!(
            "a document in Portugal is not dated ahead: at most {}, today",
            calendar::format_date(entry.date())
        );
        return Err(Issue::new("date_in_future", message).at("date"));
    }
    if date < start {
        let message = format!(
            "the series is used since {}; send that date or a later one",
            calendar::format_date(start)
        );
        return Err(Issue::new("date_before_series", message).at("date"));
    }
    match last {
        Some(last) if date < last => {
            let message = format!(
                "the last document of the series is of {}; dates of a series do not run back, so \
                 send that date or a later one",
                calendar::format_date(last)
            );
            Err(Issue::new("date_not_in_order", message).at("date"))
        }
        _ => Ok(()),
    }
}
