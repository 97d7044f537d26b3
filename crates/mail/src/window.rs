//! How often something is sent.

use racun_kernel::id::{AccountId, EntityId};
use racun_kernel::{Field, FieldKind, Load, Record, StoreError, Stored, Table, Tenant, Value};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

/// At most so many mails within so long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cap {
    /// Mails.
    pub count: usize,
    /// Any stretch of this length.
    pub within: Duration,
}

/// What is sent of one document, and what one customer is reminded (contract 17): 5 an hour, 50 in 30
/// days.
pub const PER_SUBJECT: [Cap; 2] =
    [Cap { count: 5, within: Duration::hours(1) }, Cap { count: 50, within: Duration::days(30) }];

/// What all sandbox entities of an account send together: 50 in 24 hours.
pub const SANDBOX: [Cap; 1] = [Cap { count: 50, within: Duration::days(1) }];

/// When mails of one subject were sent: a document, a customer, or the sandbox of an account.
///
/// It is held in the unit that sends, beside what is sent, so that sends at one moment are counted one
/// after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendWindow {
    /// The subject's id, which is this row's too.
    pub about: String,
    /// The entity of a document or customer; `None` for an account.
    pub entity_id: Option<EntityId>,
    /// The account.
    pub account_id: AccountId,
    /// Milliseconds since 1970 of the sends that may still count, earliest first.
    sent: Vec<i64>,
    /// When the first was sent.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// Where send windows are kept: with their entity or account.
pub static SEND_WINDOWS: Table =
    Table { name: "send_windows", fields: &[Field::column("created_at", FieldKind::Instant)] };

impl Record for SendWindow {
    fn table(&self) -> &'static Table {
        &SEND_WINDOWS
    }

    fn id(&self) -> String {
        self.about.clone()
    }

    fn tenant(&self) -> Tenant {
        self.entity_id.map_or_else(|| Tenant::account(self.account_id), Tenant::entity)
    }

    fn values(&self) -> Vec<Value> {
        vec![self.created_at.into()]
    }
}

/// As many were sent as may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("at most {} mails in {}; the next can be sent in {retry_after} seconds", cap.count, span(cap.within))]
pub struct LimitReached {
    /// The limit.
    pub cap: Cap,
    /// Seconds until another one may be sent, rounded up.
    pub retry_after: u32,
}

fn span(within: Duration) -> String {
    match within.whole_hours() {
        1 => "an hour".to_owned(),
        hours if hours <= 24 => format!("{hours} hours"),
        hours => format!("{} days", hours / 24),
    }
}

impl SendWindow {
    /// A window in which nothing was sent.
    #[must_use]
    pub const fn new(
        about: String,
        entity_id: Option<EntityId>,
        account_id: AccountId,
        now: OffsetDateTime,
    ) -> Self {
        Self { about, entity_id, account_id, sent: Vec::new(), created_at: now }
    }

    /// Holds the window of `about`.
    #[must_use]
    pub fn load(tenant: Tenant, about: &str) -> Load {
        Load::One { table: &SEND_WINDOWS, tenant, id: about.to_owned() }
    }

    /// What [`SendWindow::load`] held.
    ///
    /// # Errors
    /// When the row cannot be read.
    pub fn read(rows: &[Stored]) -> Result<Option<Self>, StoreError> {
        rows.first().map(|row| row.read(&SEND_WINDOWS)).transpose()
    }

    /// The window with another mail in it.
    ///
    /// # Errors
    /// [`LimitReached`] by the one of `caps` that lets the next mail go last.
    pub fn with_another(mut self, caps: &[Cap], now: OffsetDateTime) -> Result<Self, LimitReached> {
        let now = millis(now);
        let longest = caps.iter().map(|cap| length(*cap)).max().unwrap_or_default();
        self.sent.retain(|at| *at > now - longest);
        let reached = caps.iter().filter_map(|cap| self.wait(*cap, now).map(|wait| (wait, *cap)));
        if let Some((wait, cap)) = reached.max_by_key(|(wait, _)| *wait) {
            let seconds = wait.div_euclid(1000) + i64::from(wait.rem_euclid(1000) > 0);
            let retry_after = u32::try_from(seconds.max(1)).unwrap_or(u32::MAX);
            return Err(LimitReached { cap, retry_after });
        }
        // A clock that was set back leaves later entries behind.
        let place = self.sent.partition_point(|at| *at <= now);
        self.sent.insert(place, now);
        Ok(self)
    }

    /// Milliseconds until `cap` lets another one go; `None` when it does now.
    fn wait(&self, cap: Cap, now: i64) -> Option<i64> {
        let inside: Vec<i64> =
            self.sent.iter().copied().filter(|at| *at > now - length(cap)).collect();
        let first_to_leave = inside.len().checked_sub(cap.count)?;
        Some(inside.get(first_to_leave)? + length(cap) - now)
    }
}

fn millis(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}

fn length(cap: Cap) -> i64 {
    i64::try_from(cap.within.whole_milliseconds()).unwrap_or(i64::MAX)
}
