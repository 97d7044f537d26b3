//! What a till is logged in with, and its right to change hands.

use std::net::IpAddr;

use racun_kernel::Tenant;
use racun_kernel::id::{AccountId, ApiKeyId, EntityId, TokenId};
use racun_store::{Held, One, Put, Store, Table, UnitBuilder};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::{API_KEYS, AccessError, ApiKey, Forbidden, SESSIONS, Session};

/// Failed PINs of one device within a day that end its right to switch operators.
const MAX_FAILURES: usize = 10;
/// How long a failed PIN counts against its device.
const WINDOW: Duration = Duration::hours(24);

/// The session or key that a till is logged in with: the parent of its operators' tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Device {
    /// A person's session.
    Session(TokenId),
    /// A key of the entity's account.
    AccountKey(ApiKeyId),
    /// A key of the entity.
    EntityKey(ApiKeyId),
}

impl Device {
    /// Where its row is.
    fn place(self, account: AccountId, entity: EntityId) -> (&'static Table, Tenant, String) {
        match self {
            Self::Session(id) => (&SESSIONS, Tenant::directory(), id.to_string()),
            Self::AccountKey(id) => (&API_KEYS, Tenant::account(account), id.to_string()),
            Self::EntityKey(id) => (&API_KEYS, Tenant::entity(entity), id.to_string()),
        }
    }

    /// Holds its row.
    pub(crate) fn hold<By>(
        self,
        unit: &mut UnitBuilder<'_, By>,
        account: AccountId,
        entity: EntityId,
    ) -> DeviceHandle {
        let (table, tenant, id) = self.place(account, entity);
        match self {
            Self::Session(_) => DeviceHandle::Session(unit.hold_of(tenant, table, id)),
            Self::AccountKey(_) | Self::EntityKey(_) => {
                DeviceHandle::Key(unit.hold_of(tenant, table, id))
            }
        }
    }

    /// Its row.
    ///
    /// # Errors
    /// [`AccessError::Unauthorized`] when the session or key has ended, or the store's failure.
    pub(crate) async fn find(
        self,
        store: &dyn Store,
        account: AccountId,
        entity: EntityId,
        now: OffsetDateTime,
    ) -> Result<HeldDevice, AccessError> {
        let (table, tenant, id) = self.place(account, entity);
        let found = match self {
            Self::Session(_) => {
                store.get(table, &tenant, &id).await?.map(Box::new).map(HeldDevice::Session)
            }
            Self::AccountKey(_) | Self::EntityKey(_) => {
                store.get(table, &tenant, &id).await?.map(Box::new).map(HeldDevice::Key)
            }
        };
        HeldDevice::current(found, now)
    }
}

/// The row of a device in a unit.
pub(crate) enum DeviceHandle {
    /// A session's.
    Session(One<Session>),
    /// A key's.
    Key(One<ApiKey>),
}

impl DeviceHandle {
    /// The device.
    ///
    /// # Errors
    /// [`AccessError::Unauthorized`] when the session or key has ended.
    pub fn read<By>(self, held: &Held<By>, now: OffsetDateTime) -> Result<HeldDevice, AccessError> {
        let found = match self {
            Self::Session(session) => held.find(session)?.map(Box::new).map(HeldDevice::Session),
            Self::Key(key) => held.find(key)?.map(Box::new).map(HeldDevice::Key),
        };
        HeldDevice::current(found, now)
    }
}

/// The row of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeldDevice {
    /// A person's session.
    Session(
        /// The session.
        Box<Session>,
    ),
    /// A key.
    Key(
        /// The key.
        Box<ApiKey>,
    ),
}

impl HeldDevice {
    /// The device that was `found`, when its time is not over.
    fn current(found: Option<Self>, now: OffsetDateTime) -> Result<Self, AccessError> {
        found.filter(|device| !device.has_ended(now)).ok_or(AccessError::Unauthorized)
    }

    /// Whether its time is over.
    fn has_ended(&self, now: OffsetDateTime) -> bool {
        match self {
            Self::Session(session) => session.is_over(now),
            Self::Key(key) => key.expires_at.is_some_and(|end| end <= now),
        }
    }

    /// Accepts a request from `client`, as [`ApiKey::check_address`] does.
    pub(crate) fn check_address(&self, client: Option<IpAddr>) -> Result<(), Forbidden> {
        match self {
            Self::Session(_) => Ok(()),
            Self::Key(key) => key.check_address(client),
        }
    }

    /// When it was used last, to the minute.
    pub(crate) fn used_at(&self) -> Option<OffsetDateTime> {
        match self {
            Self::Session(session) => Some(session.used_at()),
            Self::Key(key) => key.last_used_at,
        }
    }

    /// The row as it is used at `now`.
    pub(crate) fn used(&self, now: OffsetDateTime) -> Put {
        let last_used_at = Some(now);
        match self {
            Self::Session(before) => {
                Put::update(&**before, &Session { last_used_at, ..(**before).clone() })
            }
            Self::Key(before) => {
                Put::update(&**before, &ApiKey { last_used_at, ..(**before).clone() })
            }
        }
    }

    /// Its right to switch operators.
    pub(crate) const fn switching(&self) -> &OperatorSwitch {
        match self {
            Self::Session(session) => &session.switching,
            Self::Key(key) => &key.switching,
        }
    }

    /// The row with another right to switch.
    pub(crate) fn with(&self, switching: OperatorSwitch) -> Put {
        match self {
            Self::Session(before) => {
                Put::update(&**before, &Session { switching, ..(**before).clone() })
            }
            Self::Key(before) => {
                Put::update(&**before, &ApiKey { switching, ..(**before).clone() })
            }
        }
    }
}

/// When a PIN failed at a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct Failure(#[serde(with = "time::serde::rfc3339")] OffsetDateTime);

/// A device's right to switch operators: ten failed PINs within a day, of any operators, end it for
/// good. Without this, one device could try as many PINs a day as there are operators times ten.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OperatorSwitch {
    failures: Vec<Failure>,
    is_over: bool,
}

impl OperatorSwitch {
    /// Refuses a device whose right is over.
    ///
    /// # Errors
    /// [`Forbidden::SwitchEnded`].
    pub const fn check(&self) -> Result<(), Forbidden> {
        if self.is_over { Err(Forbidden::SwitchEnded) } else { Ok(()) }
    }

    /// The right after an attempt at `now`, which counts as failed until it is forgiven.
    #[must_use]
    pub fn failed(&self, now: OffsetDateTime) -> Self {
        let mut failures = self.failures.clone();
        failures.retain(|failure| failure.0 > now - WINDOW);
        failures.push(Failure(now));
        Self { is_over: self.is_over || failures.len() >= MAX_FAILURES, failures }
    }

    /// The right after the attempt at `at` turned out to be none that failed.
    #[must_use]
    pub fn forgiven(&self, at: OffsetDateTime) -> Self {
        let mut failures = self.failures.clone();
        if let Some(place) = failures.iter().position(|failure| failure.0 == at) {
            failures.remove(place);
        }
        Self { is_over: self.is_over && failures.len() >= MAX_FAILURES, failures }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

    /// The right after failures `hours` after the start.
    fn after(hours: impl IntoIterator<Item = i64>) -> OperatorSwitch {
        hours.into_iter().fold(OperatorSwitch::default(), |right, hour| {
            right.failed(START + Duration::hours(hour))
        })
    }

    #[test]
    fn ten_failures_within_a_day_end_the_right() {
        for (hours, is_over) in [
            (vec![0; 9], false),
            (vec![0; 10], true),
            ((0..10).collect(), true),
            // The first no longer counts when the tenth comes.
            ((0..9).chain([24]).collect(), false),
            ((0..9).chain([24, 24]).collect(), true),
            ((0..60).map(|n| n * 3).collect(), false),
        ] {
            assert_eq!(after(hours.clone()).check().is_err(), is_over, "{hours:?}");
        }
    }

    #[test]
    fn a_right_that_is_over_stays_so() {
        let later = after(vec![0; 10]).failed(START + Duration::days(40));
        assert_eq!(later.check(), Err(Forbidden::SwitchEnded));
    }

    #[test]
    fn an_attempt_that_did_not_fail_does_not_count() {
        let ended = after(0..10);
        let forgiven = ended.forgiven(START + Duration::hours(9));
        assert_eq!((forgiven.check(), forgiven.failures.len()), (Ok(()), 9));
        assert_eq!(forgiven.failed(START + Duration::hours(9)), ended);
        assert_eq!(ended.forgiven(START + Duration::days(9)), ended, "there is no such attempt");
    }

    #[test]
    fn a_right_reads_back_as_written() {
        let right = after([0, 5]);
        let text = serde_json::to_string(&right).unwrap();
        assert_eq!(serde_json::from_str::<OperatorSwitch>(&text).unwrap(), right, "{text}");
    }
}
