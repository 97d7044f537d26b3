//! When sessions and keys were used last, to the minute: what is not used can be ended.

use racun_kernel::{Stamp, Tenant};
use racun_store::{Record as _, Store, UnitBuilder, Writes};
use time::{Duration, OffsetDateTime};

use crate::device::DeviceHandle;
use crate::{API_KEYS, AccessError, Caller, SESSIONS};

/// How long a use is not noted again.
const NOTED: Duration = Duration::minutes(1);

fn is_news(last: Option<OffsetDateTime>, now: OffsetDateTime) -> bool {
    last.is_none_or(|last| now - last >= NOTED)
}

/// Whether a use of what `caller` is logged in with at `now` is worth noting. An operator uses what
/// the till is logged in with.
#[must_use]
pub fn is_use_news(caller: &Caller, now: OffsetDateTime) -> bool {
    let last = match caller {
        Caller::User { session, .. } => Some(session.used_at()),
        Caller::AccountKey(key) | Caller::EntityKey(key) => key.last_used_at,
        Caller::Operator { device, .. } => device.used_at(),
    };
    is_news(last, now)
}

/// Notes that what `caller` is logged in with is used now.
///
/// # Errors
/// The store's failure.
pub async fn note_use(
    store: &dyn Store,
    caller: &Caller,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    let now = stamp.now();
    let mut unit = store.unit(Tenant::directory());
    let device = hold(&mut unit, caller);
    unit.decide(move |held| {
        // The session or key may have ended since.
        let device = device.read(held, now).ok().filter(|device| is_news(device.used_at(), now));
        Ok(((), Writes::default().puts(device.map(|device| device.used(now)))))
    })
    .await
}

/// Holds what `caller` is logged in with.
fn hold(unit: &mut UnitBuilder<'_, ()>, caller: &Caller) -> DeviceHandle {
    match caller {
        Caller::User { session, .. } => DeviceHandle::Session(unit.hold(&SESSIONS, session.id)),
        Caller::Operator { token, .. } => {
            token.device.hold(unit, token.account_id, token.entity_id)
        }
        Caller::AccountKey(key) | Caller::EntityKey(key) => {
            DeviceHandle::Key(unit.hold_of(key.tenant(), &API_KEYS, key.id))
        }
    }
}
