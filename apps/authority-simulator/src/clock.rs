//! The simulator's clock: the machine's, moved.

use std::sync::atomic::{AtomicI64, Ordering};

use jiff::tz::TimeZone;
use racun_fiscal::Authority;
use time::{Duration, OffsetDateTime};

/// Tells the simulator's time.
#[derive(Debug, Default)]
pub struct Clock {
    offset: AtomicI64,
}

impl Clock {
    /// The simulator's time.
    #[expect(clippy::disallowed_methods, reason = "this is the simulator's clock")]
    pub fn now(&self) -> OffsetDateTime {
        OffsetDateTime::now_utc() + Duration::seconds(self.offset())
    }

    /// Seconds that it is ahead of the machine's clock.
    pub fn offset(&self) -> i64 {
        self.offset.load(Ordering::Relaxed)
    }

    /// Sets how many seconds it is ahead of the machine's clock.
    pub fn set_offset(&self, seconds: i64) {
        self.offset.store(seconds, Ordering::Relaxed);
    }

    /// Sets it to `now`, from where it goes on.
    #[expect(clippy::disallowed_methods, reason = "this is the simulator's clock")]
    pub fn set(&self, now: OffsetDateTime) {
        self.set_offset((now - OffsetDateTime::now_utc()).whole_seconds());
    }

    /// What clocks in `zone` show.
    pub fn local_in(&self, zone: &str) -> jiff::civil::DateTime {
        let zone = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
        let now = jiff::Timestamp::from_second(self.now().unix_timestamp());
        zone.to_datetime(now.unwrap_or_default())
    }

    /// The authority's wall clock.
    pub fn local(&self, authority: Authority) -> jiff::civil::DateTime {
        local(self.now(), authority)
    }
}

/// What an authority's wall clock shows at `at`.
pub fn local(at: OffsetDateTime, authority: Authority) -> jiff::civil::DateTime {
    zone(authority)
        .to_datetime(jiff::Timestamp::from_second(at.unix_timestamp()).unwrap_or_default())
}

/// The moment at which the wall clock of `authority` shows `local`: the earlier one, when it does
/// twice.
pub fn instant(local: jiff::civil::DateTime, authority: Authority) -> Option<jiff::Timestamp> {
    zone(authority).to_timestamp(local).ok()
}

fn zone(authority: Authority) -> TimeZone {
    TimeZone::get(authority.zone()).unwrap_or(TimeZone::UTC)
}
