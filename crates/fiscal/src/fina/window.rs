//! Until when CIS takes another means of payment, and tips.

use time::OffsetDateTime;

use crate::Authority;

/// Why CIS takes no other means of payment of a receipt any more. A credit note and a new receipt
/// are what remains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WindowClosed {
    /// The day of issue has passed in Croatia.
    #[error("the day on which it was issued has passed")]
    Passed,
    /// The kept time of issue lies ahead, so nothing tells which day is meant.
    #[error("its time of issue lies in the future")]
    NotYetIssued,
}

/// Whether CIS takes a change of a receipt issued at `issued_at` when it is `now`: on the same day
/// in Croatia, before midnight. Faults and repetitions do not make the day longer.
///
/// Source: technical specification 2.7, errors s007 and s011.
///
/// # Errors
/// Why it does not.
pub fn change_window(issued_at: OffsetDateTime, now: OffsetDateTime) -> Result<(), WindowClosed> {
    if issued_at > now {
        return Err(WindowClosed::NotYetIssued);
    }
    let day = |instant| Authority::Fina.local(instant).date();
    if day(issued_at) == day(now) { Ok(()) } else { Err(WindowClosed::Passed) }
}

/// Days after the day of issue on which CIS still takes tips.
const TIP_DAYS: i64 = 2;

/// Whether CIS takes the tips of a receipt issued at `issued_at` when it is `now`: until the end of
/// the second day after the day of issue in Croatia.
///
/// Source: technical specification 2.7, error s009.
#[must_use]
pub fn takes_tips(issued_at: OffsetDateTime, now: OffsetDateTime) -> bool {
    let day = |instant| Authority::Fina.local(instant).date();
    (day(now) - day(issued_at)).whole_days() <= TIP_DAYS
}
