//! How much an account stores, and how much it may.
//!
//! Stores count the bytes in the unit that writes them. Before a request that may write, the sum is
//! compared with the account's budget: not for each, but again whenever the requests since the last
//! look may have used up what was left then. What a request may store is reserved until its answer,
//! so that requests at the same time see each other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use actix_web::HttpMessage as _;
use actix_web::dev::ServiceRequest;
use actix_web::web::Data;
use racun_access::{ACCOUNTS, Account, AccountScope, ENTITIES, Entity};
use racun_application::Walk;
use racun_kernel::id::AccountId;
use racun_kernel::{Scope, Store, StoreError, Tenant};
use serde_json::json;
use time::{Duration, OffsetDateTime};

use crate::body_limit;
use crate::error::{ApiError, Kind};
use crate::route::{Gate, Route, Verb};
use crate::services::Services;

/// How much an account may store, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageLimits {
    /// Once the address of one of its users is verified.
    pub verified: u64,
    /// Until then.
    pub unverified: u64,
}

impl Default for StorageLimits {
    /// 20 GB and 50 MB.
    fn default() -> Self {
        Self { verified: 20_000_000_000, unverified: 50_000_000 }
    }
}

/// Bytes that a request may store for each byte of its body: the record, its copy in the log, and
/// what is kept of the answer.
const FACTOR: i64 = 4;
/// Bytes that a request may store beside that.
const OVERHEAD: i64 = 16 * 1024;
/// How long what was left is believed.
const BELIEF: Duration = Duration::minutes(1);
/// Accounts that are remembered at most.
const REMEMBERED: usize = 10_000;

/// The budgets of accounts.
#[derive(Clone, Default)]
pub struct Storage {
    limits: StorageLimits,
    known: Arc<Mutex<HashMap<AccountId, Known>>>,
}

/// What this process knows of an account.
#[derive(Default)]
struct Known {
    /// What was left at the last look, without what was reserved since.
    left: Option<Left>,
    /// What the requests under way may store.
    reserved: i64,
    /// What all requests so far were to store. It tells which ones came while another one looked.
    so_far: i64,
    /// Requests under way.
    under_way: usize,
}

#[derive(Clone, Copy)]
struct Left {
    bytes: i64,
    until: OffsetDateTime,
}

/// The bytes that one request may store, until it is dropped.
pub(crate) struct Reserved {
    storage: Storage,
    account: AccountId,
    cost: i64,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let mut known = self.storage.known();
        if let Some(known) = known.get_mut(&self.account) {
            known.reserved -= self.cost;
            known.under_way -= 1;
        }
    }
}

/// What was reserved when a request looked at what is used.
struct Seen {
    reserved: i64,
    so_far: i64,
}

/// What an account stores, and may.
pub(crate) struct Budget {
    /// Bytes that it stores.
    pub used: i64,
    /// Bytes that it may.
    pub limit: i64,
}

impl Storage {
    /// Budgets of these limits.
    #[must_use]
    pub fn new(limits: StorageLimits) -> Self {
        Self { limits, known: Arc::default() }
    }

    /// What `account` stores, and may.
    pub(crate) async fn budget(
        &self,
        store: &dyn Store,
        account: AccountId,
    ) -> Result<Budget, StoreError> {
        let own = Tenant::account(account);
        let mut entities = Walk::of(&ENTITIES, own.clone());
        let mut tenants = vec![own];
        while let Some(page) = entities.next::<Entity>(store).await? {
            tenants.extend(page.iter().map(|entity| Tenant::entity(entity.id)));
        }
        let used = store.stored_bytes(&tenants).await?.max(0);
        let id = account.to_string();
        let found: Option<Account> = store.get(&ACCOUNTS, &Tenant::directory(), &id).await?;
        let is_verified = found.is_some_and(|account| account.has_verified_user);
        let limit = if is_verified { self.limits.verified } else { self.limits.unverified };
        Ok(Budget { used, limit: i64::try_from(limit).unwrap_or(i64::MAX) })
    }

    /// Accepts a request of `account` whose body has `body` bytes, and which may store `cost`.
    async fn admit(
        &self,
        store: &dyn Store,
        account: AccountId,
        (body, cost): (i64, i64),
        now: OffsetDateTime,
    ) -> Result<Reserved, ApiError> {
        let seen = match self.spend(account, cost, now) {
            Ok(reserved) => return Ok(reserved),
            Err(seen) => seen,
        };
        let Budget { used, limit } = self.budget(store, account).await?;
        let mut all = self.known();
        let known = all.entry(account).or_default();
        // Those that were under way when it looked, and those that came since, may have written
        // what `used` lacks, also when they have ended.
        let others = known.so_far - seen.so_far + seen.reserved;
        let with_others = used.saturating_add(others);
        if with_others.saturating_add(body) > limit || with_others >= limit {
            known.left = None;
            return Err(refused(used, limit));
        }
        known.left = Some(Left { bytes: limit - with_others - cost, until: now + BELIEF });
        Ok(self.reserve(account, known, cost))
    }

    /// Reserves `cost`, when `account` had so much left; otherwise what is reserved.
    fn spend(&self, account: AccountId, cost: i64, now: OffsetDateTime) -> Result<Reserved, Seen> {
        let mut all = self.known();
        if all.len() >= REMEMBERED {
            all.retain(|_, known| known.under_way > 0);
        }
        let known = all.entry(account).or_default();
        match &mut known.left {
            Some(left) if left.bytes >= cost && now < left.until => {
                left.bytes -= cost;
                Ok(self.reserve(account, known, cost))
            }
            _ => Err(Seen { reserved: known.reserved, so_far: known.so_far }),
        }
    }

    fn reserve(&self, account: AccountId, known: &mut Known, cost: i64) -> Reserved {
        known.reserved = known.reserved.saturating_add(cost);
        known.so_far = known.so_far.saturating_add(cost);
        known.under_way += 1;
        Reserved { storage: self.clone(), account, cost }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<AccountId, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refused(used: i64, limit: i64) -> ApiError {
    let message = format!(
        "the account stores {used} bytes of {limit} that it may: delete files that are not needed, \
         or, as long as no address is verified, verify one; GET /account has the figures"
    );
    let cause = json!({ "code": "storage_limit", "used_bytes": used, "limit_bytes": limit });
    ApiError::new(Kind::Forbidden, message).because(cause)
}

/// Accepts a request that may write, when its account has room, which is its own until the answer.
/// What is removed makes room, and is always accepted.
///
/// # Errors
/// 403 `storage_limit`, or the store's failure.
pub(crate) async fn admit(
    route: &Route,
    request: &ServiceRequest,
    is_keyed: bool,
) -> Result<Option<Reserved>, ApiError> {
    let writes = match route.gate {
        Gate::Open => false,
        Gate::SignedIn | Gate::Account => true,
        // A calculation writes nothing, but its answer is kept when it has a key.
        Gate::Entity(permission) | Gate::EntityInPath(permission) => {
            permission.writes() || is_keyed
        }
    };
    if !writes || matches!(route.verb, Verb::Get | Verb::Delete) {
        return Ok(None);
    }
    let account = {
        let extensions = request.extensions();
        let of_entity = extensions.get::<Scope>().map(Scope::account);
        of_entity.or_else(|| extensions.get::<AccountScope>().map(|scope| scope.account))
    };
    let (Some(account), Some(services)) = (account, request.app_data::<Data<Services>>()) else {
        return Ok(None);
    };
    // A body that does not say its length has as much as the route takes, as far as one can tell.
    let said = body_limit::length(request.headers());
    let body = said.map_or_else(|| i64::try_from(route.body_bytes()), i64::try_from);
    let body = body.unwrap_or(i64::MAX);
    let now = services.stamp().now();
    // A file is stored as it is.
    let factor = if route.takes_form { 1 } else { FACTOR };
    let cost = body.saturating_mul(factor).saturating_add(OVERHEAD);
    services.storage.admit(&*services.store, account, (body, cost), now).await.map(Some)
}
