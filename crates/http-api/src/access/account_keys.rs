//! API keys of an account, for one environment.

use actix_web::HttpRequest;
use actix_web::web;
use racun_access::{self as access, AccountScope, NewKey};
use serde::Deserialize;
use utoipa::ToSchema;
use validator::Validate;

use super::EnvironmentBody;
use super::entity_keys::ApiKeyBody;
use crate::answer::{Created, Json, NoContent};
use crate::body::{AllBody, Convert};
use crate::call::Call;
use crate::error::ApiError;
use crate::request::{Body, PathText};
use crate::route::{Gate, Route};
use crate::security::{self, SecurityEvent};

const TAG: &str = "Account API keys";

/// Routes of account keys.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/account/api-keys", "createAccountKey", Gate::Account, || web::to(create))
        .about(TAG, "Makes a key of the account; its `id` is the full key, shown once.")
        .takes::<NewAccountKeyBody>()
        .creates::<ApiKeyBody>()
        .shows_secret()
        .seen_as(SecurityEvent::KeyMade),
    Route::get("/account/api-keys", "listAccountKeys", Gate::Account, || web::to(list))
        .about(TAG, "Lists the account's keys, masked.")
        .answers::<AllBody<ApiKeyBody>>(),
    Route::delete("/account/api-keys/{id}", "deleteAccountKey", Gate::Account, || web::to(delete))
        .about(TAG, "Ends a key, named by its `key_id` or its hint; never by its text.")
        .seen_as(SecurityEvent::KeyEnded),
];

/// Body of `POST /account/api-keys`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = NewAccountKey)]
struct NewAccountKeyBody {
    /// What people call it.
    #[schema(max_length = 255)]
    name: String,
    /// The environment it reaches.
    environment: EnvironmentBody,
    /// Seconds that it lasts. When absent: for ever, or as long as the key that makes it.
    #[schema(minimum = 60)]
    ttl: Option<i64>,
    /// The addresses that it may be used from: single ones or ranges, `203.0.113.0/24`. When
    /// absent: any, or those of the key that makes it.
    #[validate(length(min = 1))]
    #[schema(min_items = 1)]
    allowed_addresses: Option<Vec<String>>,
}

async fn create(
    call: Call<AccountScope>,
    request: HttpRequest,
    body: Body<NewAccountKeyBody>,
) -> Result<Created<ApiKeyBody>, ApiError> {
    let NewAccountKeyBody { name, environment, ttl, allowed_addresses } = body.0;
    let allowed_addresses = allowed_addresses.unwrap_or_default();
    let input = NewKey { name, ttl, allowed_addresses };
    let environment = environment.convert();
    let task = call.run(|call| async move {
        let (store, stamp) = (call.store(), call.stamp());
        access::create_account_key(store, call.by(), environment, input, stamp).await
    });
    let made = task.await?;
    security::about(&request, made.record.prefix_hint.as_str());
    Ok(Created(made.convert()))
}

async fn list(call: Call<AccountScope>) -> Result<Json<AllBody<ApiKeyBody>>, ApiError> {
    Ok(Json(access::list_account_keys(call.store(), call.by()).await?.convert()))
}

async fn delete(call: Call<AccountScope>, key: PathText) -> Result<NoContent, ApiError> {
    let task = call.run(|call| async move {
        access::delete_account_key(call.store(), call.by(), &key.0, call.stamp()).await
    });
    task.await?;
    Ok(NoContent)
}
