//! API keys of one entity.

use actix_web::HttpRequest;
use actix_web::web;
use racun_access::Permission::ManageKeys;
use racun_access::{self as access, ApiKey, NewKey, WithSecret};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::EnvironmentBody;
use crate::answer::{Created, Json, NoContent};
use crate::body::{AllBody, Convert};
use crate::call::Call;
use crate::error::ApiError;
use crate::request::{Body, PathText};
use crate::route::{Gate, Route};
use crate::security::{self, SecurityEvent};
const TAG: &str = "Entity API keys";

/// Routes of entity keys.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/entities/api-keys", "createEntityKey", Gate::Entity(ManageKeys), || {
        web::to(create)
    })
    .about(TAG, "Makes a key of the entity; its `id` is the full key, shown once.")
    .takes::<NewKeyBody>()
    .creates::<ApiKeyBody>()
    .shows_secret()
    .seen_as(SecurityEvent::KeyMade),
    Route::get("/entities/api-keys", "listEntityKeys", Gate::Entity(ManageKeys), || web::to(list))
        .about(TAG, "Lists the entity's keys, masked.")
        .answers::<AllBody<ApiKeyBody>>(),
    Route::delete("/entities/api-keys/{id}", "deleteEntityKey", Gate::Entity(ManageKeys), || {
        web::to(delete)
    })
    .about(TAG, "Ends a key, named by its `key_id` or its hint; never by its text.")
    .seen_as(SecurityEvent::KeyEnded),
];

/// Body of `POST /entities/api-keys`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = NewEntityKey)]
struct NewKeyBody {
    /// What people call it.
    #[schema(max_length = 255)]
    name: String,
    /// Seconds that it lasts. When absent: for ever, or as long as the key that makes it.
    #[schema(minimum = 60)]
    ttl: Option<i64>,
    /// The addresses that it may be used from: single ones or ranges, `203.0.113.0/24`. When
    /// absent: any, or those of the key that makes it.
    #[validate(length(min = 1))]
    #[schema(min_items = 1)]
    allowed_addresses: Option<Vec<String>>,
}

/// A program's right to act.
#[derive(Serialize, ToSchema)]
#[schema(as = ApiKey)]
pub struct ApiKeyBody {
    /// The full key in the answer that makes it; its hint afterwards.
    id: String,
    /// Names the key without being it.
    key_id: String,
    /// The only entity it reaches; null for a key of the account.
    #[schema(required = true)]
    entity_id: Option<String>,
    /// What people call it.
    name: String,
    /// The environment it reaches.
    environment: EnvironmentBody,
    /// What may be shown of it.
    prefix_hint: String,
    /// When it was made.
    created_at: String,
    /// When it changed last.
    updated_at: String,
    /// When it ends.
    #[schema(required = true)]
    expires_at: Option<String>,
    /// The user who made it; of a key that a key made, who made that one.
    #[schema(required = true)]
    created_by_user_id: Option<String>,
    /// When it was used last, to the minute; null for never.
    #[schema(required = true)]
    last_used_at: Option<String>,
    /// The addresses that it may be used from; any when there are none.
    allowed_addresses: Vec<String>,
}

impl Convert<ApiKeyBody> for ApiKey {
    fn convert(self) -> ApiKeyBody {
        ApiKeyBody {
            id: self.prefix_hint.clone(),
            key_id: self.id.convert(),
            entity_id: self.entity_id.convert(),
            name: self.name,
            environment: self.environment.convert(),
            prefix_hint: self.prefix_hint,
            created_at: self.created_at.convert(),
            updated_at: self.updated_at.convert(),
            expires_at: self.expires_at.convert(),
            created_by_user_id: self.created_by_user_id.convert(),
            last_used_at: self.last_used_at.convert(),
            allowed_addresses: self.allowed_addresses,
        }
    }
}

impl Convert<ApiKeyBody> for WithSecret<ApiKey> {
    fn convert(self) -> ApiKeyBody {
        ApiKeyBody { id: self.secret, ..self.record.convert() }
    }
}

async fn create(
    call: Call,
    request: HttpRequest,
    body: Body<NewKeyBody>,
) -> Result<Created<ApiKeyBody>, ApiError> {
    let NewKeyBody { name, ttl, allowed_addresses } = body.0;
    let allowed_addresses = allowed_addresses.unwrap_or_default();
    let task = call.run(|call| async move {
        let input = NewKey { name, ttl, allowed_addresses };
        access::create_entity_key(call.cx(), input).await
    });
    let made = task.await?;
    security::about(&request, made.record.prefix_hint.as_str());
    Ok(Created(made.convert()))
}

async fn list(call: Call) -> Result<Json<AllBody<ApiKeyBody>>, ApiError> {
    Ok(Json(access::list_entity_keys(call.cx()).await?.convert()))
}

async fn delete(call: Call, key: PathText) -> Result<NoContent, ApiError> {
    let task = call.run(|call| async move { access::delete_entity_key(call.cx(), &key.0).await });
    task.await?;
    Ok(NoContent)
}
