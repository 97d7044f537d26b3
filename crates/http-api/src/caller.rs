//! For whom a request acts, as the gate found out.

use actix_web::{HttpMessage as _, HttpRequest};
use racun_access::{AccountScope, Caller};
use racun_kernel::id::AccountId;
use racun_kernel::{Scope, Tenant};

/// The account that a request which passed the gate acts for.
pub(crate) fn account(request: &HttpRequest) -> Option<AccountId> {
    let extensions = request.extensions();
    let scope = extensions.get::<Scope>().map(Scope::account);
    let scope = scope.or_else(|| extensions.get::<AccountScope>().map(|scope| scope.account));
    scope.or_else(|| extensions.get::<Caller>().map(Caller::account))
}

/// The tenant whose keys a request that passed the gate uses.
pub(crate) fn tenant(request: &HttpRequest) -> Option<Tenant> {
    account(request).map(Tenant::account)
}
