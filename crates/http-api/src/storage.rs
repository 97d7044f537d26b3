//! How much an account stores, and how much it may.
//!
//! Stores count the bytes in the unit that writes them. Before a request that may write, the sum is
//! compared with the account's budget: not for each, but again whenever the requests since the last
//! look may have used up what was left then.

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
    known: Arc<Mutex<HashMap<AccountId, Left>>>,
}

/// What an account had left.
#[derive(Clone, Copy)]
struct Left {
    bytes: i64,
    until: OffsetDateTime,
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

    /// Accepts a request of `account` whose body has so many bytes.
    async fn admit(
        &self,
        store: &dyn Store,
        account: AccountId,
        body: i64,
        now: OffsetDateTime,
    ) -> Result<(), ApiError> {
        let cost = body.saturating_mul(FACTOR).saturating_add(OVERHEAD);
        if self.spend(account, cost, now) {
            return Ok(());
        }
        let Budget { used, limit } = self.budget(store, account).await?;
        if used.saturating_add(body) > limit || used >= limit {
            self.known().remove(&account);
            return Err(refused(used, limit));
        }
        let left = Left { bytes: limit - used - cost, until: now + BELIEF };
        let mut known = self.known();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(account, left);
        Ok(())
    }

    /// Whether `account` had `cost` left; it has less now.
    fn spend(&self, account: AccountId, cost: i64, now: OffsetDateTime) -> bool {
        let mut known = self.known();
        match known.get_mut(&account) {
            Some(left) if left.bytes >= cost && now < left.until => {
                left.bytes -= cost;
                true
            }
            _ => false,
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<AccountId, Left>> {
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

/// Accepts a request that may write, when its account has room. What is removed makes room, and is
/// always accepted.
///
/// # Errors
/// 403 `storage_limit`, or the store's failure.
pub(crate) async fn admit(
    route: &Route,
    request: &ServiceRequest,
    is_keyed: bool,
) -> Result<(), ApiError> {
    let writes = match route.gate {
        Gate::Open => false,
        Gate::SignedIn | Gate::Account => true,
        // A calculation writes nothing, but its answer is kept when it has a key.
        Gate::Entity(permission) | Gate::EntityInPath(permission) => {
            permission.writes() || is_keyed
        }
    };
    if !writes || matches!(route.verb, Verb::Get | Verb::Delete) {
        return Ok(());
    }
    let account = {
        let extensions = request.extensions();
        let of_entity = extensions.get::<Scope>().map(Scope::account);
        of_entity.or_else(|| extensions.get::<AccountScope>().map(|scope| scope.account))
    };
    let (Some(account), Some(services)) = (account, request.app_data::<Data<Services>>()) else {
        return Ok(());
    };
    // A body that does not say its length has as much as the route takes, as far as one can tell.
    let said = body_limit::length(request.headers());
    let body = said.map_or_else(|| i64::try_from(route.body_bytes()), i64::try_from);
    let body = body.unwrap_or(i64::MAX);
    let now = services.stamp().now();
    services.storage.admit(&*services.store, account, body, now).await
}
