//! How much an account stores, and how much it may.
//!
//! Stores count the bytes in the unit that writes them. Before a request that may write, the sum is
//! compared with the account's budget: not for each, but again whenever the requests since the last
//! look may have used up what was left then. What its units store is compared with what is left
//! where they are decided.
//!
//! | Module      | Owns                                                              |
//! | ----------- | ----------------------------------------------------------------- |
//! | `reserving` | what accounts have left, and what requests under way have of that |
//! | `charging`  | the store that charges a request for its units                    |

mod charging;
mod reserving;

use std::sync::Arc;

use actix_web::dev::ServiceRequest;
use actix_web::web::Data;
use actix_web::{HttpMessage as _, HttpRequest};
use racun_access::AccountScope;
pub(crate) use racun_background::budget::Budget;
pub use racun_background::budget::StorageLimits;
use racun_kernel::Scope;
use racun_kernel::id::AccountId;
use racun_store::{Store, StoreError};
use time::OffsetDateTime;

use crate::body_limit;
use crate::error::ApiError;
use crate::route::{Gate, Route, Verb};
use crate::services::Services;
use charging::Charging;
use reserving::{OVERHEAD, Reserved, Reserves, Wanted};

/// Bytes that the kept answer to a calculation has for each byte of its body, at most.
const FACTOR: i64 = 4;

/// The budgets of accounts.
#[derive(Clone, Default)]
pub struct Storage {
    limits: StorageLimits,
    reserves: Reserves,
}

impl Storage {
    /// Budgets of these limits.
    #[must_use]
    pub fn new(limits: StorageLimits) -> Self {
        Self { limits, reserves: Reserves::default() }
    }

    /// How much accounts may store.
    #[must_use]
    pub const fn limits(&self) -> StorageLimits {
        self.limits
    }

    /// What `account` stores, and may.
    pub(crate) async fn budget(
        &self,
        store: &dyn Store,
        account: AccountId,
    ) -> Result<Budget, StoreError> {
        Budget::of(store, self.limits, account).await
    }

    /// Accepts the request that is `wanted`.
    async fn admit(
        &self,
        store: &dyn Store,
        wanted: Wanted,
        now: OffsetDateTime,
    ) -> Result<Reserved, StoreError> {
        match self.reserves.spend(wanted, now) {
            Ok(reserved) => Ok(reserved),
            Err(seen) => {
                let found = self.budget(store, wanted.account).await?;
                self.reserves.look(wanted, found, seen, now)
            }
        }
    }
}

/// Accepts a request that may write, when its account has room, and gives its handler a store that
/// charges the account for what is written. What is removed makes room, and is always accepted.
///
/// # Errors
/// 403 `storage_limit`, or the store's failure.
pub(crate) async fn admit(
    route: &Route,
    request: &mut ServiceRequest,
    keeps_answer: bool,
) -> Result<(), ApiError> {
    let writes = match route.gate {
        Gate::Open => return Ok(()),
        Gate::SignedIn | Gate::Account => true,
        Gate::Entity(permission) | Gate::EntityInPath(permission) => permission.writes(),
    };
    // A calculation writes nothing, but its answer is kept when it has a key.
    if !(writes || keeps_answer) || matches!(route.verb, Verb::Get | Verb::Delete) {
        return Ok(());
    }
    let account = {
        let extensions = request.extensions();
        let of_entity = extensions.get::<Scope>().map(Scope::account);
        of_entity.or_else(|| extensions.get::<AccountScope>().map(|scope| scope.account))
    };
    let services = request.app_data::<Data<Services>>().cloned();
    let (Some(account), Some(services)) = (account, services) else { return Ok(()) };
    let body = body_bytes(request.request());
    // What is kept of an answer is charged with the unit before it; a calculation has none.
    let cost = if writes { 0 } else { body.saturating_mul(FACTOR).saturating_add(OVERHEAD) };
    let wanted = Wanted { account, body, cost, keeps_answer };
    charging(&services, wanted).await?.give(request);
    Ok(())
}

/// `services` for a handler that finds out by itself in which account `request` writes, whose gate
/// did not: what is written is charged to `account`.
///
/// # Errors
/// Those of [`admit`].
pub(crate) async fn charged(
    services: &Services,
    request: &HttpRequest,
    account: AccountId,
) -> Result<Services, ApiError> {
    let body = body_bytes(request);
    charging(services, Wanted { account, body, cost: 0, keeps_answer: false }).await
}

/// Bytes of the body of `request`. One that does not say its length has as much as its route takes,
/// as far as one can tell.
fn body_bytes(request: &HttpRequest) -> i64 {
    let said = body_limit::length(request.headers());
    let body = said.map_or_else(|| i64::try_from(body_limit::of(request)), i64::try_from);
    body.unwrap_or(i64::MAX)
}

/// `services` whose store charges the account of the request that is `wanted`.
async fn charging(services: &Services, wanted: Wanted) -> Result<Services, ApiError> {
    let now = services.stamp().now();
    let reserved = services.storage.admit(&*services.store, wanted, now).await?;
    let store = Charging::new(Arc::clone(&services.store), Arc::new(reserved));
    Ok(services.with(Arc::new(store)))
}
