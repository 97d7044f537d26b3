//! Operators of tills: their PINs, and handing a till over.

use actix_web::HttpRequest;
use actix_web::web::{self, ReqData};
use racun_access::Permission::{ManagePeople, ReadTill, Sell, SetPin};
use racun_access::{self as access, AccessError, Caller, OPERATOR_SECONDS, Operator, Pin, PinKey};
use racun_application::Services;
use racun_kernel::id::UserId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::RoleBody;
use crate::answer::{Json, NoContent};
use crate::body::{AllBody, Convert, answer};
use crate::call::Call;
use crate::error::{ApiError, Kind};
use crate::request::{Body, PathText};
use crate::route::{Gate, Route};
use crate::security::{self, SecurityEvent};

const TAG: &str = "Point of sale";

/// Routes of operators.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/pos/operators", "listOperators", Gate::Entity(ReadTill), || web::to(list))
        .about(TAG, "Lists who may take over a till: the entity's editors and admins.")
        .answers::<AllBody<OperatorBody>>(),
    Route::post("/pos/operators/switch", "switchOperator", Gate::Entity(Sell), || web::to(switch))
        .about(TAG, "Hands the till over to an operator who says their PIN.")
        .may_lack()
        .takes::<SwitchBody>()
        .answers::<OperatorTokenBody>()
        .sensitive()
        .shows_secret()
        .seen_as(SecurityEvent::OperatorSwitched),
    Route::put("/pos/operators/{id}/pin", "setOperatorPin", Gate::Entity(SetPin), || web::to(set))
        .about(TAG, "Gives an operator a PIN: oneself, or as an admin anybody.")
        .takes::<PinBody>()
        .dear()
        .answers_nothing()
        .seen_as(SecurityEvent::PinChanged),
    Route::delete("/pos/operators/{id}/pin", "removeOperatorPin", Gate::Entity(SetPin), || {
        web::to(remove)
    })
    .about(TAG, "Takes an operator's PIN away: one's own, or as an admin anybody's.")
    .seen_as(SecurityEvent::PinChanged),
    Route::post(
        "/pos/operators/{id}/pin/unlock",
        "unlockOperatorPin",
        Gate::Entity(ManagePeople),
        || web::to(unlock),
    )
    .about(TAG, "Forgets the failures that locked an operator's PIN, which stays as it is.")
    .answers_nothing()
    .seen_as(SecurityEvent::PinUnlocked),
];

answer! {
    /// Someone who may take over a till.
    OperatorBody as Operator from Operator {
        /// Who it is.
        user_id: String,
        /// Their name; their e-mail address when they gave none.
        name: String,
        /// Their e-mail address.
        email: String,
        /// What they may do in the entity: `editor` or `admin`.
        role: RoleBody,
        /// Whether they have a PIN.
        has_pin: bool,
    }
}

/// Body of `POST /pos/operators/switch`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = SwitchOperator)]
struct SwitchBody {
    /// The operator.
    user_id: String,
    /// Their PIN: exactly three digits.
    #[schema(pattern = "^[0-9]{3}$")]
    pin: String,
}

/// Body of `PUT /pos/operators/{id}/pin`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = SetOperatorPin)]
struct PinBody {
    /// Exactly three digits.
    #[schema(pattern = "^[0-9]{3}$")]
    pin: String,
}

/// Answer of `POST /pos/operators/switch`.
#[derive(Serialize, ToSchema)]
#[schema(as = OperatorToken)]
struct OperatorTokenBody {
    /// The operator's token: what stands behind `Bearer`. It is shown once.
    id: String,
    /// Who the operator is.
    user_id: String,
    /// The only entity that the token reaches.
    entity_id: String,
    /// Seconds that it lasts at most.
    ttl: i64,
    /// What it is for: `pos_operator`.
    scope: &'static str,
    /// When it was made.
    created_at: String,
}

/// The PIN of a body.
fn pin(text: String) -> Result<Pin, ApiError> {
    Ok(Pin::parse(text).map_err(|issue| issue.at("pin"))?)
}

/// The key that PINs are kept under.
fn key(services: &Services) -> Result<PinKey, ApiError> {
    services.pins.clone().ok_or_else(|| {
        let message = "PINs need a master key; start the server with RACUN__SECRETS__MASTER_KEY";
        ApiError::new(Kind::Unavailable, message).caused_by("master_key_missing")
    })
}

async fn list(call: Call) -> Result<Json<AllBody<OperatorBody>>, ApiError> {
    Ok(Json(access::list_operators(call.cx()).await?.convert()))
}

async fn switch(
    call: Call,
    request: HttpRequest,
    caller: ReqData<Caller>,
    body: Body<SwitchBody>,
) -> Result<Json<OperatorTokenBody>, ApiError> {
    let SwitchBody { user_id, pin: text } = body.0;
    let (pin, key) = (pin(text)?, key(&call)?);
    if let Ok(id) = user_id.parse::<UserId>() {
        security::about(&request, id.to_string());
    }
    let caller = caller.into_inner();
    let task = call.run::<_, AccessError, _>(|call| async move {
        let attempt = access::begin_switch(call.cx(), &caller, &user_id).await?;
        let right = call.compute(move || attempt.verify(&key, &pin)).await?;
        access::finish_switch(&*call.store, right, call.stamp()).await
    });
    let shown = task.await?;
    Ok(Json(OperatorTokenBody {
        id: shown.secret,
        user_id: shown.record.user_id.convert(),
        entity_id: shown.record.entity_id.convert(),
        ttl: OPERATOR_SECONDS,
        scope: "pos_operator",
        created_at: shown.record.created_at.convert(),
    }))
}

async fn set(call: Call, user: PathText, body: Body<PinBody>) -> Result<NoContent, ApiError> {
    let (pin, key) = (pin(body.0.pin)?, key(&call)?);
    let task = call.run::<_, AccessError, _>(|call| async move {
        let owner = access::find_pin_owner(call.cx(), &user.0).await?;
        let hashing = call.stamp().clone();
        let new = call.compute(move || owner.hash(&key, &pin, &hashing)).await?;
        access::set_pin(call.cx(), new).await
    });
    task.await?;
    Ok(NoContent)
}

async fn remove(call: Call, user: PathText) -> Result<NoContent, ApiError> {
    let task = call.run::<_, AccessError, _>(|call| async move {
        let owner = access::find_pin_owner(call.cx(), &user.0).await?;
        access::remove_pin(call.cx(), owner).await
    });
    task.await?;
    Ok(NoContent)
}

async fn unlock(call: Call, user: PathText) -> Result<NoContent, ApiError> {
    let task = call.run(|call| async move { access::unlock_pin(call.cx(), &user.0).await });
    task.await?;
    Ok(NoContent)
}
