//! Dates and instants: their text, and an entity's local day.

use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use time::{Date, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

use crate::Issue;

const DATE: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");
const INSTANT: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");

/// `date` as `YYYY-MM-DD`.
#[must_use]
pub fn format_date(date: Date) -> String {
    date.format(DATE).unwrap_or_default()
}

/// `instant` in UTC as `YYYY-MM-DDTHH:MM:SS.mmmZ`.
#[must_use]
pub fn format_instant(instant: OffsetDateTime) -> String {
    instant.to_offset(UtcOffset::UTC).format(INSTANT).unwrap_or_default()
}

/// `date` as the instant that document dates are answered with: midnight UTC.
#[must_use]
pub fn format_midnight(date: Date) -> String {
    format_instant(midnight(date))
}

/// Midnight UTC of `date`.
#[must_use]
pub const fn midnight(date: Date) -> OffsetDateTime {
    PrimitiveDateTime::new(date, Time::MIDNIGHT).assume_utc()
}

/// `instant` without what is finer than a millisecond: the resolution that is stored and answered.
#[must_use]
pub fn to_millisecond(instant: OffsetDateTime) -> OffsetDateTime {
    instant.replace_millisecond(instant.millisecond()).unwrap_or(instant)
}

/// `instant` without what is finer than a microsecond: the finest that a store compares.
#[must_use]
pub fn to_microsecond(instant: OffsetDateTime) -> OffsetDateTime {
    instant.replace_microsecond(instant.microsecond()).unwrap_or(instant)
}

/// Reads an instant, or a day, which is its first or its last millisecond in UTC.
///
/// # Errors
/// For other text.
pub fn parse_instant_or_day(text: &str, is_end: bool) -> Result<OffsetDateTime, Issue> {
    if let Ok(day) = parse_date(text) {
        let start = midnight(day);
        let end = start.checked_add(time::Duration::milliseconds(86_399_999)).unwrap_or(start);
        return Ok(if is_end { end } else { start });
    }
    let message = "expected a day or an instant, such as 2026-11-20 or 2026-11-20T08:30:00Z";
    parse_instant(text).map_err(|_| Issue::new("invalid_date_time", message))
}

/// Reads `YYYY-MM-DD`, years 0001 to 9999.
///
/// # Errors
/// For other text, and for days that do not exist.
pub fn parse_date(text: &str) -> Result<Date, Issue> {
    let refused = || {
        Issue::new("invalid_date", "expected a date that exists, as YYYY-MM-DD, such as 2026-11-20")
    };
    let digits = text.bytes().enumerate().all(|(n, b)| match n {
        4 | 7 => b == b'-',
        _ => b.is_ascii_digit(),
    });
    if text.len() != 10 || !digits || text.starts_with("0000") {
        return Err(refused());
    }
    Date::parse(text, DATE).map_err(|_| refused())
}

/// Reads a document date: `YYYY-MM-DD`, optionally followed by a time of day, which is dropped.
///
/// # Errors
/// For other text, and for days or times that do not exist.
pub fn parse_document_date(text: &str) -> Result<Date, Issue> {
    let Some((day, time)) = text.split_once('T') else { return parse_date(text) };
    let date = parse_date(day)?;
    let clock = time.strip_suffix('Z').unwrap_or(time);
    let (seconds, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let time_of_day = Time::parse(seconds, format_description!("[hour]:[minute]:[second]"));
    let fraction_is_digits =
        (1..=9).contains(&fraction.len()) && fraction.bytes().all(|b| b.is_ascii_digit());
    if time_of_day.is_err() || !fraction_is_digits {
        let message = "expected a date, optionally with a time, such as 2026-11-20T08:30:00Z";
        return Err(Issue::new("invalid_date", message));
    }
    Ok(date)
}

/// Reads an instant of ISO 8601 with an offset, such as `2026-11-20T08:30:00Z`, as one in UTC,
/// years 0001 to 9999.
///
/// # Errors
/// For other text, and for instants that do not exist or whose year in UTC is another.
pub fn parse_instant(text: &str) -> Result<OffsetDateTime, Issue> {
    let parsed = OffsetDateTime::parse(text, &time::format_description::well_known::Rfc3339);
    let in_utc = parsed.ok().and_then(|instant| instant.checked_to_offset(UtcOffset::UTC));
    in_utc.filter(|instant| (1..=9999).contains(&instant.year())).ok_or_else(|| {
        Issue::new("invalid_date_time", "expected an instant such as 2026-11-20T08:30:00Z")
    })
}

/// The day that `instant` falls on in `zone`, an IANA name such as `Europe/Ljubljana`; `None` when
/// there is no such zone.
#[must_use]
pub fn local_date(instant: OffsetDateTime, zone: &str) -> Option<Date> {
    let zone = jiff::tz::TimeZone::get(zone).ok()?;
    let timestamp = jiff::Timestamp::from_second(instant.unix_timestamp()).ok()?;
    let local = timestamp.to_zoned(zone).date();
    let month = time::Month::try_from(u8::try_from(local.month()).ok()?).ok()?;
    Date::from_calendar_date(i32::from(local.year()), month, u8::try_from(local.day()).ok()?).ok()
}

/// `instant` with the offset that `zone`, an IANA name, has then; `None` when there is no such
/// zone.
#[must_use]
pub fn in_zone(instant: OffsetDateTime, zone: &str) -> Option<OffsetDateTime> {
    let zone = jiff::tz::TimeZone::get(zone).ok()?;
    let timestamp = jiff::Timestamp::from_second(instant.unix_timestamp()).ok()?;
    let offset = zone.to_offset(timestamp).seconds();
    Some(instant.to_offset(time::UtcOffset::from_whole_seconds(offset).ok()?))
}

/// The first instant of `date` in `zone`, an IANA name; `None` when there is no such zone.
#[must_use]
pub fn start_of_day(date: Date, zone: &str) -> Option<OffsetDateTime> {
    let zone = jiff::tz::TimeZone::get(zone).ok()?;
    let (month, day) = (u8::from(date.month()).cast_signed(), date.day().cast_signed());
    let local = jiff::civil::Date::new(i16::try_from(date.year()).ok()?, month, day).ok()?;
    let start = local.to_zoned(zone).ok()?.timestamp();
    OffsetDateTime::from_unix_timestamp(start.as_second()).ok()
}

/// Whether `zone` is an IANA time zone.
#[must_use]
pub fn is_time_zone(zone: &str) -> bool {
    jiff::tz::TimeZone::get(zone).is_ok()
}

/// Stored form of a [`Date`]: `YYYY-MM-DD`.
pub mod date {
    use serde::{Deserialize, Deserializer, Serializer};
    use time::Date;

    /// Writes the date.
    ///
    /// # Errors
    /// What the serializer answers.
    pub fn serialize<S: Serializer>(date: &Date, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&super::format_date(*date))
    }

    /// Reads the date.
    ///
    /// # Errors
    /// When the text is not a date.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        super::parse_date(&text).map_err(serde::de::Error::custom)
    }

    /// The same for a date that may be missing.
    pub mod option {
        use serde::{Deserialize, Deserializer, Serialize, Serializer};
        use time::Date;

        /// Writes the date or null.
        ///
        /// # Errors
        /// What the serializer answers.
        pub fn serialize<S: Serializer>(
            date: &Option<Date>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            date.map(crate::calendar::format_date).serialize(serializer)
        }

        /// Reads the date or null.
        ///
        /// # Errors
        /// When the text is not a date.
        pub fn deserialize<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<Date>, D::Error> {
            let text = Option::<String>::deserialize(deserializer)?;
            text.map(|text| crate::calendar::parse_date(&text))
                .transpose()
                .map_err(serde::de::Error::custom)
        }
    }
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::*;

    #[test]
    fn only_days_that_exist_are_dates() {
        assert_eq!(parse_date("2028-02-29").unwrap(), date!(2028 - 02 - 29));
        for text in ["2026-02-29", "2026-13-01", "2026-1-1", "0000-01-01", "20261120", "+2026-01-1"]
        {
            assert_eq!(parse_date(text).unwrap_err().code, "invalid_date", "{text}");
        }
    }

    #[test]
    fn a_document_date_may_carry_a_time_that_exists() {
        for text in ["2026-11-20", "2026-11-20T08:30:00", "2026-11-20T08:30:00.123Z"] {
            assert_eq!(parse_document_date(text).unwrap(), date!(2026 - 11 - 20), "{text}");
        }
        for text in
            ["2026-11-20T25:00:00", "2026-11-20T", "2026-11-20T08:30:00.", "2026-11-20 08:30"]
        {
            assert!(parse_document_date(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_local_day_follows_the_zone() {
        let late = datetime!(2026-12-31 23:30 UTC);
        assert_eq!(local_date(late, "Europe/Ljubljana"), Some(date!(2027 - 01 - 01)));
        assert_eq!(local_date(late, "America/New_York"), Some(date!(2026 - 12 - 31)));
        assert_eq!(local_date(late, "Europe/Atlantis"), None);
    }

    #[test]
    fn a_day_starts_at_its_zones_midnight_or_right_after_a_gap_there() {
        for (day, zone, start) in [
            (date!(2026 - 12 - 31), "Europe/Ljubljana", datetime!(2026-12-30 23:00 UTC)),
            (date!(2026 - 07 - 01), "Europe/Ljubljana", datetime!(2026-06-30 22:00 UTC)),
            (date!(2026 - 12 - 31), "America/New_York", datetime!(2026-12-31 05:00 UTC)),
            (date!(2018 - 11 - 04), "America/Sao_Paulo", datetime!(2018-11-04 03:00 UTC)),
        ] {
            assert_eq!(start_of_day(day, zone), Some(start), "{day} {zone}");
            assert_eq!(local_date(start, zone), Some(day), "{day} {zone}");
            let before = local_date(start - time::Duration::SECOND, zone);
            assert_eq!(before, day.previous_day(), "{day} {zone}");
        }
        assert_eq!(start_of_day(date!(2026 - 12 - 31), "Europe/Atlantis"), None);
    }

    #[test]
    fn instants_are_written_in_utc_with_milliseconds() {
        let instant = to_millisecond(datetime!(2026-11-20 08:30:00.123456 +1));
        assert_eq!(format_instant(instant), "2026-11-20T07:30:00.123Z");
        assert_eq!(parse_instant("2026-11-20T08:30:00.123+01:00").unwrap(), instant);
    }

    #[test]
    fn instants_outside_the_years_that_are_kept_are_refused() {
        for text in
            ["9999-12-31T23:59:59-00:01", "0001-01-01T00:00:00+00:01", "0000-06-01T00:00:00Z"]
        {
            assert_eq!(parse_instant(text).unwrap_err().code, "invalid_date_time", "{text}");
        }
    }
}
