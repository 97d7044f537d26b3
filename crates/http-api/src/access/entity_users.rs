//! Who belongs to an entity.

use actix_web::HttpRequest;
use actix_web::web;
use racun_access::Permission::{ManagePeople, ReadPeople};
use racun_access::{self as access, AddEntityUser, Added, Changed, Membership, WithSecret};
use racun_delivery::mailing;
use racun_delivery::outbox::Sender;
use racun_delivery::webhooks;
use racun_kernel::Role;
use racun_sales::billing;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::RoleBody;
use crate::answer::{Created, Json, NoContent};
use crate::body::{AllBody, Convert, answer};
use crate::call::{Call, EntityCall};
use crate::error::ApiError;
use crate::request::{Body, PathText, Query};
use crate::route::{Gate, Parameter, Route};
use crate::security::{self, SecurityEvent};
use crate::warning::WarningBody;

const TAG: &str = "Entity users";

/// Routes of entity users.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/entities/users", "addEntityUser", Gate::Entity(ManagePeople), || web::to(add))
        .about(
            TAG,
            "Invites somebody, whether they have a user or not; a verified user of the entity's \
             own account is a member at once.",
        )
        .takes::<AddEntityUserBody>()
        .creates::<AddedBody>()
        .shows_secret()
        .seen_as(SecurityEvent::MemberInvited),
    Route::get("/entities/users", "listEntityUsers", Gate::Entity(ReadPeople), || web::to(list))
        .about(TAG, "Lists everyone who belongs to the entity.")
        .answers::<AllBody<EntityUserBody>>(),
    Route::patch("/entities/users/{id}", "updateEntityUser", Gate::Entity(ManagePeople), || {
        web::to(change)
    })
    .about(TAG, "Gives a user of the entity another role.")
    .takes::<RoleChangeBody>()
    .answers::<ChangedEntityUserBody>()
    .seen_as(SecurityEvent::RoleChanged),
    Route::delete("/entities/users/{id}", "removeEntityUser", Gate::Entity(ManagePeople), || {
        web::to(remove)
    })
    .about(TAG, "Takes a user's place in the entity away.")
    .reads(&[Parameter::flag(
        "end_keys",
        "Whether the entity's keys that the user made end too, and with them the \
         webhooks that they made; false when absent. They end in any case when the user \
         never verified their address.",
    )])
    .seen_as(SecurityEvent::MemberRemoved),
];

/// Body of `POST /entities/users`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = AddEntityUser)]
struct AddEntityUserBody {
    /// Whom.
    email: String,
    /// What they may do; `editor` when absent.
    role: Option<RoleBody>,
    /// Whether the invitation is sent by e-mail, which takes a verified address of one's own; true
    /// when absent. Otherwise the answer holds its token, to be handed over: it makes a new user,
    /// and proves no address, so whose address has a user accepts in a session of their own.
    send_invite: Option<bool>,
}

/// Body of `PATCH /entities/users/{id}`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = UpdateEntityUser)]
struct RoleChangeBody {
    /// What they may do from now on.
    role: RoleBody,
    /// Whether the entity's keys that they made end too, and with them the webhooks that they made,
    /// also where they have the role already; false when absent.
    end_keys: Option<bool>,
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

/// A user's place in an entity, whose role was changed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChangedEntityUser)]
pub struct ChangedEntityUserBody {
    /// The user.
    user_id: String,
    /// The entity.
    entity_id: String,
    /// What they may do.
    role: RoleBody,
    /// Their e-mail address.
    email: String,
    /// Their name.
    #[schema(required = true)]
    name: Option<String>,
    /// Who let them in.
    #[schema(required = true)]
    invited_by_user_id: Option<String>,
    /// Since when they belong to it.
    created_at: String,
    /// What is odd about it: keys that they made live on and may do more than they.
    warnings: Vec<WarningBody>,
}

impl Convert<ChangedEntityUserBody> for Changed {
    fn convert(self) -> ChangedEntityUserBody {
        let warnings = self.warnings().convert();
        let EntityUserBody {
            user_id,
            entity_id,
            role,
            email,
            name,
            invited_by_user_id,
            created_at,
        } = self.membership.convert();
        ChangedEntityUserBody {
            user_id,
            entity_id,
            role,
            email,
            name,
            invited_by_user_id,
            created_at,
            warnings,
        }
    }
}

/// What became of adding someone.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = AddedStatus)]
enum AddedStatusBody {
    Invited,
    Member,
}

/// What became of adding someone. Whether the address has a user does not show.
#[derive(Serialize, ToSchema)]
#[schema(as = AddedEntityUser)]
struct AddedBody {
    /// The invitation; null for a member.
    #[schema(required = true)]
    invitation_id: Option<String>,
    /// The address that was added.
    email: String,
    /// What they may do, or will be able to.
    role: RoleBody,
    /// `member` for a verified user of the entity's own account, who has access from now on;
    /// `invited` for everybody else, who has it when they accept.
    status: AddedStatusBody,
    /// What accepts the invitation; shown once, to an admin who invites without e-mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    token: Option<String>,
}

async fn add(
    call: EntityCall,
    request: HttpRequest,
    body: Body<AddEntityUserBody>,
) -> Result<Created<AddedBody>, ApiError> {
    let AddEntityUserBody { email, role, send_invite } = body.0;
    security::about(&request, security::masked(&email));
    let is_mailed = send_invite.unwrap_or(true);
    let role = role.convert().unwrap_or(Role::Editor);
    let input = AddEntityUser { email: email.clone(), role };
    let task = call.run(|call| async move {
        let labels = call.labels().await?;
        let label = billing::label_of(&*call.store, &labels, call.scope().account()).await?;
        let sender = is_mailed.then(|| Sender::of(&call.public_url, label));
        let limits = call.guards().mail;
        mailing::add_entity_user(call.cx(), sender.as_ref(), call.entity(), input, limits).await
    });
    let (status, invitation_id, token) = match task.await? {
        Added::Member(_) => (AddedStatusBody::Member, None, None),
        Added::Invited(WithSecret { record, secret }) => {
            (AddedStatusBody::Invited, Some(record.id.convert()), (!is_mailed).then_some(secret))
        }
    };
    Ok(Created(AddedBody { invitation_id, email, role: role.convert(), status, token }))
}

async fn list(call: Call) -> Result<Json<AllBody<EntityUserBody>>, ApiError> {
    Ok(Json(access::list_entity_users(call.cx()).await?.convert()))
}

async fn change(
    call: Call,
    user: PathText,
    body: Body<RoleChangeBody>,
) -> Result<Json<ChangedEntityUserBody>, ApiError> {
    let (role, ends_keys) = (body.0.role.convert(), body.0.end_keys.unwrap_or_default());
    let task = call.run(|call| async move {
        access::change_role_with(call.cx(), &user.0, role, ends_keys, webhooks::with_keys).await
    });
    Ok(Json(task.await?.convert()))
}

async fn remove(call: Call, user: PathText, query: Query) -> Result<NoContent, ApiError> {
    let ends_keys = query.flag("end_keys")?;
    let task = call.run(|call| async move {
        let beside = webhooks::with_keys;
        access::remove_entity_user_with(call.cx(), &user.0, ends_keys, beside).await
    });
    task.await?;
    Ok(NoContent)
}
