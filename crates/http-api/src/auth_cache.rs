//! Cache of authenticated API keys (caller, scope, entity), invalidated when any of their rows
//! change.
//!
//! It serves stores that see every write. The rows behind a key seldom change, so they are not
//! parsed from JSON for each request. Users are not cached: their rights depend on more rows.

use std::cell::RefCell;
use std::collections::HashMap;

use actix_web::http::header::HeaderMap;
use racun_access::{self as access, API_KEYS, Caller, ENTITIES, Entity};
use racun_kernel::{Scope, Stamp, Tenant};
use racun_store::{Record as _, Store, Table};
use ring::digest::{SHA256, digest};

use crate::header::single;

/// Whether `store` caches what the gate reads, so that a prefetch gains nothing.
pub(crate) fn is_near(store: &dyn Store) -> bool {
    store.changed(&ENTITIES, &Tenant::directory()).is_some()
}

/// The key of the cache: a digest of the request's token, and the entity that it names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct AuthKey {
    token: Vec<u8>,
    entity: Option<String>,
}

impl AuthKey {
    /// That of a request with this `token` and these headers, if they can be read.
    pub fn of(token: &str, headers: &HeaderMap) -> Option<Self> {
        let entity = single(headers, "x-entity-id").ok()?.map(str::to_owned);
        Some(Self { token: digest(&SHA256, token.as_bytes()).as_ref().to_vec(), entity })
    }
}

/// An authenticated request: its caller, scope and entity.
#[derive(Debug, Clone)]
pub(crate) struct Authenticated {
    pub caller: Caller,
    pub scope: Scope,
    pub entity: Entity,
}

/// The cache of one worker thread.
#[derive(Default)]
pub(crate) struct AuthCache(RefCell<HashMap<AuthKey, Kept>>);

struct Kept {
    authenticated: Authenticated,
    /// What it was made of, and when each of these changed last.
    made_of: [(Rows, u64); 2],
}

/// The rows of a tenant in a table.
type Rows = (&'static Table, Tenant);

impl AuthCache {
    /// Entries, at most; beyond, the cache is cleared.
    const MOST: usize = 1_000;

    /// What the last request with this `auth_key` was authenticated as, if nothing changed since.
    pub fn find(
        &self,
        auth_key: &AuthKey,
        store: &dyn Store,
        stamp: &Stamp,
    ) -> Option<Authenticated> {
        let kept = self.0.borrow();
        let Kept { authenticated, made_of } = kept.get(auth_key)?;
        let is_current = made_of.iter().all(|(rows, seen)| changed(store, rows) == Some(*seen));
        let (Caller::AccountKey(key) | Caller::EntityKey(key)) = &authenticated.caller else {
            return None;
        };
        let is_over = key.expires_at.is_some_and(|end| end <= stamp.now());
        (is_current && !is_over).then(|| authenticated.clone())
    }

    /// Keeps what the request of this `auth_key` is authenticated as, which `caller` made with
    /// `token` and was let in. It is authenticated once more: only what is read after it was asked
    /// when the rows changed last is known to be as new as that.
    pub async fn learn(
        &self,
        auth_key: AuthKey,
        token: &str,
        caller: &Caller,
        store: &dyn Store,
        stamp: &Stamp,
    ) {
        let (Caller::AccountKey(key) | Caller::EntityKey(key)) = caller else { return };
        let rows: [Rows; 2] =
            [(&API_KEYS, key.tenant()), (&ENTITIES, Tenant::account(key.account_id))];
        let [Some(keys), Some(entities)] = rows.each_ref().map(|rows| changed(store, rows)) else {
            return;
        };
        let Ok(again) = access::authenticate(store, token, stamp).await else { return };
        let entered = access::enter(store, &again, auth_key.entity.as_deref()).await;
        let (true, Ok((scope, entity))) = (again == *caller, entered) else { return };
        let mut kept = self.0.borrow_mut();
        if kept.len() >= Self::MOST {
            kept.clear();
        }
        let authenticated = Authenticated { caller: again, scope, entity };
        let [of_keys, of_entities] = rows;
        let made_of = [(of_keys, keys), (of_entities, entities)];
        kept.insert(auth_key, Kept { authenticated, made_of });
    }
}

fn changed(store: &dyn Store, (table, tenant): &Rows) -> Option<u64> {
    store.changed(table, tenant)
}
