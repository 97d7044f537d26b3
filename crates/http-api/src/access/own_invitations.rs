//! Invitations as those see them who are invited: their consent, in a session of their own.

use actix_web::web;
use racun_access::{self as access, Caller, Invitation};
use serde::Serialize;
use utoipa::ToSchema;

use super::RoleBody;
use super::entity_users::EntityUserBody;
use super::users::person;
use crate::answer::{Json, NoContent};
use crate::body::{AllBody, Convert};
use crate::call::Call;
use crate::error::ApiError;
use crate::request::PathText;
use crate::route::{Gate, Route};
use crate::security::SecurityEvent;

const TAG: &str = "Users";

/// Routes of the invitations of who is logged in.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/users/me/invitations", "listMyInvitations", Gate::SignedIn, || web::to(list))
        .about(
            TAG,
            "Lists the invitations to the user's verified address, which nobody accepted yet.",
        )
        .answers::<AllBody<OwnInvitationBody>>(),
    Route::post("/users/me/invitations/{id}/accept", "acceptMyInvitation", Gate::SignedIn, || {
        web::to(accept)
    })
    .about(TAG, "Accepts one of these: the user belongs to the entity from now on.")
    .answers::<EntityUserBody>()
    .seen_as(SecurityEvent::MemberAdded),
    Route::post(
        "/users/me/invitations/{id}/decline",
        "declineMyInvitation",
        Gate::SignedIn,
        || web::to(decline),
    )
    .about(TAG, "Declines one of these: it is gone.")
    .answers_nothing(),
];

/// An invitation to the user.
#[derive(Serialize, ToSchema)]
#[schema(as = OwnInvitation)]
struct OwnInvitationBody {
    /// Its id.
    id: String,
    /// The entity.
    entity_id: String,
    /// What it is called.
    entity_name: String,
    /// What the user will be able to do.
    role: RoleBody,
    /// Until when it can be accepted.
    expires_at: String,
    /// When it was made.
    created_at: String,
}

impl Convert<OwnInvitationBody> for (Invitation, String) {
    fn convert(self) -> OwnInvitationBody {
        let (invitation, entity_name) = self;
        OwnInvitationBody {
            id: invitation.id.convert(),
            entity_id: invitation.entity_id.convert(),
            entity_name,
            role: invitation.role.convert(),
            expires_at: invitation.expires_at.convert(),
            created_at: invitation.created_at.convert(),
        }
    }
}

async fn list(call: Call<Caller>) -> Result<Json<AllBody<OwnInvitationBody>>, ApiError> {
    let user = person(call.by())?;
    let found = access::list_own_invitations(call.store(), &user, call.stamp()).await?;
    Ok(Json(found.convert()))
}

async fn accept(call: Call<Caller>, id: PathText) -> Result<Json<EntityUserBody>, ApiError> {
    let user = person(call.by())?;
    let task = call.run(|call| async move {
        let (store, stamp) = (call.store(), call.stamp());
        let answer = access::find_own_invitation(store, &user, &id.0, stamp).await?;
        access::consent_to_invitation(store, answer, stamp).await
    });
    Ok(Json(task.await?.convert()))
}

async fn decline(call: Call<Caller>, id: PathText) -> Result<NoContent, ApiError> {
    let user = person(call.by())?;
    let task = call.run(|call| async move {
        let (store, stamp) = (call.store(), call.stamp());
        let answer = access::find_own_invitation(store, &user, &id.0, stamp).await?;
        access::decline_invitation(store, answer, user.id, stamp).await
    });
    task.await?;
    Ok(NoContent)
}
