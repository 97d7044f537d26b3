//! What ends with a person: their sessions, and the keys that they made.

use racun_kernel::id::{TokenId, UserId};
use racun_kernel::{
    Event, Load, Put, Record as _, Stamp, Store, StoreError, Stored, Tenant, Writes,
};
use time::OffsetDateTime;

use crate::account::event;
use crate::key::all_of_account;
use crate::{API_KEYS, AccessError, ApiKey, SESSIONS, Session, User};

/// Loads and holds all sessions of `user`.
pub(crate) fn load_sessions(user: UserId) -> Load {
    let (tenant, value) = (Tenant::directory(), user.to_string());
    Load::Where { table: &SESSIONS, tenant, field: "user_id", value }
}

/// Ends the sessions in `rows`, but for `kept`.
pub(crate) fn end_sessions(
    rows: &[Stored],
    kept: Option<TokenId>,
) -> Result<Vec<Put>, AccessError> {
    let sessions = rows.iter().map(|row| row.read::<Session>(&SESSIONS));
    let sessions: Vec<Session> = sessions.collect::<Result<_, _>>()?;
    Ok(sessions.iter().filter(|one| Some(one.id) != kept).map(Put::delete).collect())
}

/// Loads and holds the keys of `user`: all of their account, and those that they made elsewhere.
///
/// # Errors
/// The store's failure.
pub(crate) async fn load_keys(store: &dyn Store, user: &User) -> Result<Vec<Load>, AccessError> {
    let made: Vec<ApiKey> = store.look_up(&API_KEYS, "created_by", &user.id.to_string()).await?;
    let account = Tenant::account(user.account_id);
    let mut loads = vec![all_of_account(user.account_id)];
    for key in made.iter().filter(|key| key.tenant() != account) {
        let (tenant, id) = (key.tenant(), key.id.to_string());
        loads.push(Load::One { table: &API_KEYS, tenant, id });
    }
    Ok(loads)
}

/// The keys in `rows`.
pub(crate) fn read_keys<'a>(
    rows: impl Iterator<Item = &'a Stored>,
) -> Result<Vec<ApiKey>, StoreError> {
    rows.map(|row| row.read(&API_KEYS)).collect()
}

/// Ends `keys`.
pub(crate) fn end_keys(
    keys: &[ApiKey],
    actor: &dyn ToString,
    stamp: &Stamp,
) -> (Vec<Put>, Vec<Event>) {
    let told = |key: &ApiKey| event(key.tenant(), "api_key.deleted", &key.id, actor, stamp);
    (keys.iter().map(Put::delete).collect(), keys.iter().map(told).collect())
}

/// Ends the keys of `user` that were made while others of theirs ended: a request that was on its
/// way then. After the sessions of `user` ended no more are made, for a key is refused to a request
/// that began before ([`check_is_current`]).
///
/// # Errors
/// The store's failure.
pub(crate) async fn end_late_keys(
    store: &dyn Store,
    user: &User,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    let (id, at) = (user.id, stamp.clone());
    let loads = load_keys(store, user).await?;
    store
        .decide(loads, None, move |loaded| {
            let keys = read_keys(loaded.rows.iter().flatten())?;
            let (puts, events) = end_keys(&keys, &id, &at);
            Ok(((), Writes { puts, events, takes_number: false }))
        })
        .await
}

/// Accepts a request of `user` that began at `now`: not before their password was set last, when
/// all that they were logged in with ended.
///
/// # Errors
/// [`AccessError::Unauthorized`].
pub(crate) fn check_is_current(user: &User, now: OffsetDateTime) -> Result<(), AccessError> {
    match user.password_changed_at {
        Some(at) if now < at => Err(AccessError::Unauthorized),
        _ => Ok(()),
    }
}
