//! The account: what it is called, and what it stores.

use actix_web::web::{self, Data, ReqData};
use racun_access::{ACCOUNTS, Account, AccountScope};
use racun_application::Services;
use racun_background::budget::Budget;
use racun_kernel::Tenant;
use serde::Serialize;
use utoipa::ToSchema;

use crate::answer::Json;
use crate::body::Convert as _;
use crate::error::ApiError;
use crate::route::{Gate, Route};

/// Routes of the account.
pub(crate) const ROUTES: &[Route] =
    &[Route::get("/account", "getAccount", Gate::Account, || web::to(get))
        .about("Accounts", "Answers the account, with what it stores and may store.")
        .answers::<AccountBody>()];

/// The account, which pays for and owns entities.
#[derive(Serialize, ToSchema)]
#[schema(as = Account)]
struct AccountBody {
    /// Its id.
    id: String,
    /// The company's name, or the user's when none was given.
    name: String,
    /// Whether the address of one of its users is verified.
    is_verified: bool,
    /// What it stores.
    storage: StorageBody,
    /// When it was made.
    created_at: String,
    /// When it changed last.
    updated_at: String,
}

/// What an account stores: records, the log about them, files, and kept answers to requests with a
/// key.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountStorage)]
struct StorageBody {
    /// Bytes that it stores.
    #[schema(minimum = 0)]
    used_bytes: i64,
    /// Bytes that it may store; beyond them writes are 403 `storage_limit`.
    #[schema(minimum = 0)]
    limit_bytes: i64,
}

async fn get(
    services: Data<Services>,
    scope: ReqData<AccountScope>,
) -> Result<Json<AccountBody>, ApiError> {
    let (store, id) = (&*services.store, scope.account.to_string());
    let found: Option<Account> = store.get(&ACCOUNTS, &Tenant::directory(), &id).await?;
    let account = found.ok_or_else(|| ApiError::no_such("account", &id))?;
    let Budget { used, limit } = Budget::of(store, services.storage, scope.account).await?;
    Ok(Json(AccountBody {
        id,
        name: account.name,
        is_verified: account.has_verified_user,
        storage: StorageBody { used_bytes: used, limit_bytes: limit },
        created_at: account.created_at.convert(),
        updated_at: account.updated_at.convert(),
    }))
}
