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
use racun_application::Services;
use racun_background::budget::Budget;
use racun_kernel::Scope;
use racun_kernel::id::AccountId;

use crate::body_limit;
use crate::call::give;
use crate::error::ApiError;
use crate::route::{Gate, Route, Verb};
use charging::Charging;
pub use reserving::Reserves;
use reserving::{OVERHEAD, Wanted};

/// Bytes that the kept answer to a calculation has for each byte of its body, at most.
const FACTOR: i64 = 4;

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
    let services = charging(&services, request.request(), wanted).await?;
    give(services, request);
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
    let wanted = Wanted { account, body, cost: 0, keeps_answer: false };
    charging(services, request, wanted).await
}

/// Bytes of the body of `request`. One that does not say its length has as much as its route takes,
/// as far as one can tell.
fn body_bytes(request: &HttpRequest) -> i64 {
    let said = body_limit::length(request.headers());
    let body = said.map_or_else(|| i64::try_from(body_limit::of(request)), i64::try_from);
    body.unwrap_or(i64::MAX)
}

/// `services` whose store charges the account of the request that is `wanted`, when that has room.
async fn charging(
    services: &Services,
    request: &HttpRequest,
    wanted: Wanted,
) -> Result<Services, ApiError> {
    let missing = || ApiError::internal("the application knows no budgets");
    let reserves = request.app_data::<Reserves>().ok_or_else(missing)?;
    let now = services.stamp().now();
    let reserved = match reserves.spend(wanted, now) {
        Ok(reserved) => reserved,
        Err(seen) => {
            let found = Budget::of(&*services.store, services.storage, wanted.account).await?;
            reserves.look(wanted, found, seen, now)?
        }
    };
    let store = Charging::new(Arc::clone(&services.store), Arc::new(reserved));
    Ok(services.with(Arc::new(store)))
}
