//! How often something is sent.

use racun_kernel::Tenant;
use racun_kernel::id::{AccountId, EntityId};
use racun_store::Field;
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

/// What is sent of one document, and what one customer is reminded (contract 17): 5 an hour, 50 in
/// 30 days.
pub const PER_SUBJECT: [Cap; 2] =
    [Cap { count: 5, within: Duration::hours(1) }, Cap { count: 50, within: Duration::days(30) }];

/// What all sandbox entities of an account send together: 50 in 24 hours.
pub const SANDBOX: [Cap; 1] = [Cap { count: 50, within: Duration::days(1) }];

/// How much an account sends to people outside within a day, and how often one address is invited.
/// The operator of the server may set them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailLimits {
    /// Receivers of all live entities of an account together.
    pub per_account: u32,
    /// The same of an account that is younger than [`MailLimits::NEW`].
    pub per_new_account: u32,
    /// Receivers of one live entity.
    pub per_entity: u32,
    /// Mails (documents, reminders, texts) that one address gets from the live entities of an
    /// account.
    pub per_receiver: u32,
    /// The same from all accounts together.
    pub per_receiver_from_all: u32,
    /// Invitations that one address gets from all senders; of one account, half of them
    /// ([`MailLimits::invitations_of_account`]).
    pub invitations_per_address: u32,
}

impl MailLimits {
    /// How long an account is new.
    pub const NEW: Duration = Duration::days(7);

    /// How many of the invitations that an address gets one account may send: half of them, and one
    /// at least, so that no account uses up what others may send.
    #[must_use]
    pub const fn invitations_of_account(&self) -> u32 {
        self.invitations_per_address.div_ceil(2)
    }

    /// What an account made at `created_at` may send within a day.
    #[must_use]
    pub fn of_account(&self, created_at: OffsetDateTime, now: OffsetDateTime) -> u32 {
        match now - created_at < Self::NEW {
            true => self.per_new_account.min(self.per_account),
            false => self.per_account,
        }
    }
}

impl Default for MailLimits {
    fn default() -> Self {
        Self {
            per_account: 1_000,
            per_new_account: 100,
            per_entity: 500,
            per_receiver: 20,
            per_receiver_from_all: 60,
            invitations_per_address: 3,
        }
    }
}

/// How often an invitation is sent again: once an hour.
pub const RESENT: [Cap; 1] = [Cap { count: 1, within: Duration::hours(1) }];

/// The length of a window that counts by hours.
const DAY_HOURS: i64 = 24;

/// When mails of one subject were sent: a document, a customer, or the sandbox of an account.
///
/// It is held in the unit that sends, beside what is sent, so that sends at one moment are counted
/// one after the other.
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
    /// Receivers by the hour since 1970, of the last day, earliest first; where they are too many
    /// to keep the time of each.
    #[serde(default)]
    hours: Vec<(i64, u32)>,
    /// Whether all accounts count in it: what one address gets. It is kept in the directory.
    #[serde(default)]
    is_shared: bool,
    /// When the first was sent.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

racun_store::record! {
    /// Where send windows are kept: with their entity or account.
    pub static SEND_WINDOWS: SendWindow = "send_windows";
    |window|
    id: window.about,
    tenant: match (window.is_shared, window.entity_id) {
        (true, _) => Tenant::directory(),
        (false, Some(entity)) => Tenant::entity(entity),
        (false, None) => Tenant::account(window.account_id),
    },
    fields: {
        Field::instant("created_at") => window.created_at,
    }
}

/// As many were sent as may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "at most {} mails in {}; the next can be sent in {retry_after} seconds",
    cap.count, span(cap.within)
)]
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
    pub fn new(
        about: String,
        entity_id: Option<EntityId>,
        account_id: AccountId,
        now: OffsetDateTime,
    ) -> Self {
        let (sent, hours, is_shared) = (Vec::new(), Vec::new(), false);
        Self { about, entity_id, account_id, sent, hours, is_shared, created_at: now }
    }

    /// A window in which all accounts count, and nothing was sent.
    #[must_use]
    pub fn shared(about: String, account_id: AccountId, now: OffsetDateTime) -> Self {
        Self { is_shared: true, ..Self::new(about, None, account_id, now) }
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

    /// The window with a mail to `receivers` more in it, of which at most `most` have one within a
    /// day.
    ///
    /// # Errors
    /// [`LimitReached`].
    pub fn with_receivers(
        mut self,
        receivers: u32,
        most: u32,
        now: OffsetDateTime,
    ) -> Result<Self, LimitReached> {
        let seconds = now.unix_timestamp();
        let hour = seconds.div_euclid(3_600);
        self.hours.retain(|(at, _)| *at > hour - DAY_HOURS);
        let mut kept: u32 = self.hours.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count));
        if kept.saturating_add(receivers) > most {
            let mut leaves = hour + DAY_HOURS;
            for (at, count) in &self.hours {
                kept = kept.saturating_sub(*count);
                if kept.saturating_add(receivers) <= most {
                    leaves = at + DAY_HOURS;
                    break;
                }
            }
            let retry_after = u32::try_from((leaves * 3_600 - seconds).max(1)).unwrap_or(u32::MAX);
            let count = usize::try_from(most).unwrap_or(usize::MAX);
            return Err(LimitReached {
                cap: Cap { count, within: Duration::days(1) },
                retry_after,
            });
        }
        match self.hours.iter_mut().find(|(at, _)| *at == hour) {
            Some((_, count)) => *count += receivers,
            None => {
                let place = self.hours.partition_point(|(at, _)| *at <= hour);
                self.hours.insert(place, (hour, receivers));
            }
        }
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

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-11-22 12:34 UTC);

    fn account() -> AccountId {
        "acc_01jd0000000000000000000000".parse().unwrap()
    }

    #[test]
    fn receivers_are_counted_by_the_hour_and_leave_after_a_day() {
        let mut window = SendWindow::new("acc/live".to_owned(), None, account(), NOW);
        for (hour, receivers) in [(0, 2), (0, 1), (5, 1)] {
            let at = NOW + Duration::hours(hour);
            window = window.with_receivers(receivers, 4, at).unwrap();
        }
        assert_eq!(window.hours.len(), 2);
        let refused = window.clone().with_receivers(1, 4, NOW + Duration::hours(6)).unwrap_err();
        // The first hour leaves at 12:00 of the next day, and now it is 18:34.
        assert_eq!(refused.retry_after, 17 * 3_600 + 26 * 60);
        assert!(refused.to_string().starts_with("at most 4 mails in 24 hours"), "{refused}");
        let next = NOW + Duration::hours(24);
        let window = window.with_receivers(3, 4, next).unwrap();
        assert!(window.clone().with_receivers(1, 4, next).is_err());
        assert!(window.with_receivers(5, 4, NOW + Duration::days(9)).is_err(), "never");
    }

    #[test]
    fn an_account_has_a_share_of_the_invitations_to_an_address() {
        for (all, share) in [(0, 0), (1, 1), (2, 1), (3, 2), (10, 5)] {
            let limits = MailLimits { invitations_per_address: all, ..MailLimits::default() };
            assert_eq!(limits.invitations_of_account(), share, "{all}");
        }
    }

    #[test]
    fn a_new_account_sends_less() {
        let limits = MailLimits::default();
        assert_eq!(limits.of_account(NOW - Duration::days(6), NOW), 100);
        assert_eq!(limits.of_account(NOW - Duration::days(7), NOW), 1_000);
        let strict = MailLimits { per_account: 5, ..limits };
        assert_eq!(strict.of_account(NOW, NOW), 5);
    }
}
