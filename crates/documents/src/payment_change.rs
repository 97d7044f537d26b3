//! A change of a payment of which the tax authority may know more than we do.

use racun_kernel::id::PaymentId;
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

/// A change of how this document is paid, which was sent, or was to be sent, to the tax authority,
/// and is not confirmed.
///
/// It is stored before it is sent, so that after any failure it is known that the authority may
/// have taken the change. While it is stored there is no other such change on the document. The
/// same change requested again takes it over, unless it is just being sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentChange {
    /// The payment; none yet for one that is to be recorded.
    pub payment_id: Option<PaymentId>,
    /// Its type, as on the wire; [`PaymentChange::NONE`] for a payment that does not count until
    /// then.
    pub from: String,
    /// Its type to be; [`PaymentChange::NONE`] for a payment that goes to the trash.
    pub to: String,
    /// When the authority was last to be told.
    #[serde(with = "time::serde::rfc3339")]
    pub attempted_at: OffsetDateTime,
    /// Names the attempt: only the one that was begun last may end it.
    #[serde(default)]
    pub attempt: String,
    /// The types of all payments that were reported to count on the document.
    #[serde(default)]
    pub reported: Vec<String>,
    /// Until when no other process starts an attempt; none when the last one came to its end
    /// without an answer.
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub lease_until: Option<OffsetDateTime>,
}

impl PaymentChange {
    /// The type of a payment that is not there.
    pub const NONE: &str = "none";

    /// How long the attempt that is under way still keeps others out; `None` when none does.
    #[must_use]
    pub fn under_way(&self, now: OffsetDateTime) -> Option<Duration> {
        self.lease_until.map(|until| until - now).filter(|left| left.is_positive())
    }
}
