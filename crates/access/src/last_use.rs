//! When sessions and keys were used last, to the minute: what is not used can be ended.

use racun_kernel::{Load, Record as _, Stamp, Store, Tenant, Writes};
use time::{Duration, OffsetDateTime};

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
    let (device, now) = (caller.device(), stamp.now());
    store
        .decide(vec![load(caller)], None, move |loaded| {
            let rows = loaded.rows.first().map_or(&[][..], Vec::as_slice);
            // A session or key that ended meanwhile is not there any more.
            let held = device.read(rows, now).ok().filter(|held| is_news(held.used_at(), now));
            let puts = held.map(|held| held.used(now)).into_iter().collect();
            Ok::<_, AccessError>(((), Writes { puts, ..Writes::default() }))
        })
        .await
}

/// Loads and holds what `caller` is logged in with.
fn load(caller: &Caller) -> Load {
    match caller {
        Caller::User { session, .. } => {
            let (tenant, id) = (Tenant::directory(), session.id.to_string());
            Load::One { table: &SESSIONS, tenant, id }
        }
        Caller::Operator { token, .. } => token.device.load(token.account_id, token.entity_id),
        Caller::AccountKey(key) | Caller::EntityKey(key) => {
            let (tenant, id) = (key.tenant(), key.id.to_string());
            Load::One { table: &API_KEYS, tenant, id }
        }
    }
}
