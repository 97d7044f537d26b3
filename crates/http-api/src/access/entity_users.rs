//! Who belongs to an entity.

use actix_web::web::{self, Data, Json, ReqData};
use racun_access::Permission::{ManagePeople, ReadPeople};
use racun_access::{self as access, AddEntityUser, Added, Entity, Membership};
use racun_application::billing;
use racun_application::mailing::{self, Sender};
use racun_kernel::{Role, Scope};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::RoleBody;
use super::invitations::InvitationBody;
use crate::answer::{Created, NoContent};
use crate::body::{AllBody, Convert, answer};
use crate::error::ApiError;
use crate::request::{Body, PathText};
use crate::route::{Gate, Route};
use crate::services::Services;

const TAG: &str = "Entity users";

/// Routes of entity users.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/entities/users", "addEntityUser", Gate::Entity(ManagePeople), || web::to(add))
        .about(TAG, "Gives a user access at once, or invites who is none yet.")
        .takes::<AddEntityUserBody>()
        .creates::<AddedBody>()
        .shows_secret(),
    Route::get("/entities/users", "listEntityUsers", Gate::Entity(ReadPeople), || web::to(list))
        .about(TAG, "Lists everyone who belongs to the entity.")
        .answers::<AllBody<EntityUserBody>>(),
    Route::patch("/entities/users/{id}", "updateEntityUser", Gate::Entity(ManagePeople), || {
        web::to(change)
    })
    .about(TAG, "Gives a user of the entity another role.")
    .takes::<RoleChangeBody>()
    .answers::<EntityUserBody>(),
    Route::delete("/entities/users/{id}", "removeEntityUser", Gate::Entity(ManagePeople), || {
        web::to(remove)
    })
    .about(TAG, "Takes a user's place in the entity away."),
];

/// Body of `POST /entities/users`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = AddEntityUser)]
struct AddEntityUserBody {
    /// Whom.
    email: String,
    /// What they may do; `editor` when absent.
    role: Option<RoleBody>,
    /// Whether who has no user is invited by e-mail, which takes a verified address of one's own;
    /// true when absent. Otherwise the answer holds the
    /// invitation's token, to be handed over.
    send_invite: Option<bool>,
}

/// Body of `PATCH /entities/users/{id}`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = UpdateEntityUser)]
struct RoleChangeBody {
    /// What they may do from now on.
    role: RoleBody,
}

answer! {
    /// A user's place in an entity.
    EntityUserBody as EntityUser from Membership {
        /// The user.
        user_id: String,
        /// The entity.
        entity_id: String,
        /// What they may do.
        role: RoleBody,
        /// Their e-mail address.
        email: String,
        /// Their name.
        name: Option<String>,
        /// Who let them in.
        invited_by_user_id: Option<String>,
        /// Since when they belong to it.
        created_at: String,
    }
}

/// What became of adding someone: their place, or the invitation to take one.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = AddedEntityUser)]
enum AddedBody {
    /// They had a user.
    Member(EntityUserBody),
    /// They had none.
    Invited(InvitationBody),
}

async fn add(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    body: Body<AddEntityUserBody>,
) -> Result<Created<AddedBody>, ApiError> {
    let AddEntityUserBody { email, role, send_invite } = body.0;
    let is_mailed = send_invite.unwrap_or(true);
    let input = AddEntityUser { email, role: role.convert().unwrap_or(Role::Editor) };
    let (scope, entity, stamp) = (scope.into_inner(), entity.into_inner(), services.stamp());
    let now = stamp.now();
    let task = |services: Services| async move {
        let store = &*services.store;
        let label = billing::label_of(store, &services.white_labels, scope.account()).await?;
        let sender = is_mailed.then(|| Sender::of(&services.public_url, label));
        let limits = services.guards.mail;
        mailing::add_entity_user(store, sender.as_ref(), &scope, &entity, input, limits, &stamp)
            .await
    };
    Ok(Created(match services.run(task).await? {
        Added::Member(membership) => AddedBody::Member(membership.convert()),
        Added::Invited(shown) if is_mailed => {
            AddedBody::Invited(InvitationBody::of(shown.record, now))
        }
        Added::Invited(shown) => AddedBody::Invited(InvitationBody::shown(shown, now)),
    }))
}

async fn list(
    services: Data<Services>,
    scope: ReqData<Scope>,
) -> Result<Json<AllBody<EntityUserBody>>, ApiError> {
    Ok(Json(access::list_entity_users(&*services.store, &scope).await?.convert()))
}

async fn change(
    services: Data<Services>,
    scope: ReqData<Scope>,
    user: PathText,
    body: Body<RoleChangeBody>,
) -> Result<Json<EntityUserBody>, ApiError> {
    let (scope, role) = (scope.into_inner(), body.0.role.convert());
    let task = |services: Services| async move {
        access::change_role(&*services.store, &scope, &user.0, role, &services.stamp()).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn remove(
    services: Data<Services>,
    scope: ReqData<Scope>,
    user: PathText,
) -> Result<NoContent, ApiError> {
    let scope = scope.into_inner();
    let task = |services: Services| async move {
        access::remove_entity_user(&*services.store, &scope, &user.0, &services.stamp()).await
    };
    services.run(task).await?;
    Ok(NoContent)
}
