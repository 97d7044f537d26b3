//! Invitations to join an entity.

use actix_web::web::{self, Data, Json, ReqData};
use racun_access::Permission::{ManagePeople, ReadPeople};
use racun_access::{
    self as access, Accepted, AccessError, Entity, Invitation, InvitationStatus, Shown,
};
use racun_application::billing;
use racun_application::mailing::{self, Sender};
use racun_kernel::{Issue, Scope};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;
use validator::Validate;

use super::RoleBody;
use crate::answer::NoContent;
use crate::body::{AllBody, Convert, names};
use crate::error::ApiError;
use crate::request::{Body, PathText, Query};
use crate::route::{Gate, Parameter, ParameterKind, Route};
use crate::services::Services;

const TAG: &str = "Entity invitations";

/// Routes of invitations.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/entities/invitations", "listInvitations", Gate::Entity(ReadPeople), || {
        web::to(list)
    })
    .about(TAG, "Lists the entity's invitations.")
    .answers::<AllBody<InvitationBody>>(),
    Route::get("/entities/invitations/{id}", "getInvitation", Gate::Entity(ReadPeople), || {
        web::to(get)
    })
    .about(TAG, "Answers an invitation.")
    .answers::<InvitationBody>(),
    Route::delete(
        "/entities/invitations/{id}",
        "cancelInvitation",
        Gate::Entity(ManagePeople),
        || web::to(cancel),
    )
    .about(TAG, "Takes an invitation back."),
    Route::post(
        "/entities/invitations/{id}/resend",
        "resendInvitation",
        Gate::Entity(ManagePeople),
        || web::to(resend),
    )
    .about(TAG, "Mails an invitation again, for another seven days.")
    .answers::<InvitationBody>(),
    Route::post("/invitations/accept", "acceptInvitation", Gate::Open, || web::to(accept))
        .about(TAG, "Accepts an invitation, and logs in.")
        .reads(&[Parameter {
            name: "token",
            meaning: "The invitation's token.",
            kind: ParameterKind::Text,
        }])
        .makes_users()
        .takes::<AcceptBody>()
        .answers::<AcceptedBody>()
        .sensitive()
        .shows_secret(),
];

names! {
    /// Where an invitation stands.
    InvitationStatusBody as InvitationStatus of InvitationStatus { Pending, Accepted, Expired }
}

/// An invitation to join an entity.
#[derive(Serialize, ToSchema)]
#[schema(as = Invitation)]
pub struct InvitationBody {
    /// Its id.
    id: String,
    /// The entity.
    entity_id: String,
    /// Whom it invites.
    email: String,
    /// Their name, as they gave it on accepting.
    #[schema(required = true)]
    name: Option<String>,
    /// What they will be able to do.
    role: RoleBody,
    /// Where it stands.
    status: InvitationStatusBody,
    /// Who invites.
    #[schema(required = true)]
    invited_by_user_id: Option<String>,
    /// Until when it can be accepted.
    expires_at: String,
    /// When it was accepted.
    #[schema(required = true)]
    accepted_at: Option<String>,
    /// When it was made.
    created_at: String,
    /// When it changed last.
    updated_at: String,
    /// What accepts it; shown once, to an admin who invites without e-mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    token: Option<String>,
}

impl InvitationBody {
    /// A new invitation with its token.
    pub(super) fn shown(shown: Shown<Invitation>, now: OffsetDateTime) -> Self {
        Self { token: Some(shown.secret), ..Self::of(shown.record, now) }
    }

    /// The invitation as it stands at `now`.
    pub(super) fn of(invitation: Invitation, now: OffsetDateTime) -> Self {
        Self {
            token: None,
            id: invitation.id.convert(),
            entity_id: invitation.entity_id.convert(),
            role: invitation.role.convert(),
            status: invitation.status_at(now).convert(),
            invited_by_user_id: invitation.invited_by_user_id.convert(),
            expires_at: invitation.expires_at.convert(),
            accepted_at: invitation.accepted_at.convert(),
            created_at: invitation.created_at.convert(),
            updated_at: invitation.updated_at.convert(),
            email: invitation.email,
            name: invitation.name,
        }
    }
}

/// Body of `POST /invitations/accept`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = AcceptInvitation)]
struct AcceptBody {
    /// A new password; that of the user whom the address has, when it has one.
    #[validate(length(min = 1))]
    #[schema(min_length = 1)]
    password: String,
    /// The person's name.
    #[validate(length(max = 255))]
    #[schema(max_length = 255)]
    name: Option<String>,
}

/// Answer of `POST /invitations/accept`.
#[derive(Serialize, ToSchema)]
#[schema(as = AcceptedInvitation)]
struct AcceptedBody {
    /// Who accepted.
    user_id: String,
    /// The entity they belong to now.
    entity_id: String,
    /// A login token.
    access_token: String,
}

async fn list(
    services: Data<Services>,
    scope: ReqData<Scope>,
) -> Result<Json<AllBody<InvitationBody>>, ApiError> {
    let now = services.stamp().now();
    let found = access::list_invitations(&*services.store, &scope).await?;
    Ok(Json(AllBody::of(found.into_iter().map(|one| InvitationBody::of(one, now)).collect())))
}

async fn get(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathText,
) -> Result<Json<InvitationBody>, ApiError> {
    let found = access::get_invitation(&*services.store, &scope, &id.0).await?;
    Ok(Json(InvitationBody::of(found, services.stamp().now())))
}

async fn cancel(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathText,
) -> Result<NoContent, ApiError> {
    let scope = scope.into_inner();
    let task = |services: Services| async move {
        access::cancel_invitation(&*services.store, &scope, &id.0, &services.stamp()).await
    };
    services.run(task).await?;
    Ok(NoContent)
}

async fn resend(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    id: PathText,
) -> Result<Json<InvitationBody>, ApiError> {
    let (scope, entity, stamp) = (scope.into_inner(), entity.into_inner(), services.stamp());
    let now = stamp.now();
    let task = |services: Services| async move {
        let (store, labels) = (&*services.store, &services.white_labels);
        let label = billing::label_of(store, labels, scope.account()).await?;
        let sender = Sender::of(&services.public_url, label);
        let limits = services.guards.mail;
        mailing::resend_invitation(store, &sender, &scope, &entity, &id.0, limits, &stamp).await
    };
    Ok(Json(InvitationBody::of(services.run(task).await?, now)))
}

async fn accept(
    services: Data<Services>,
    query: Query,
    body: Body<AcceptBody>,
) -> Result<Json<AcceptedBody>, ApiError> {
    let token = query.one("token")?.map(str::to_owned);
    let missing = || Issue::new("required", "send the invitation's token").at("token");
    let token = token.ok_or_else(missing)?;
    let AcceptBody { password, name } = body.0;
    let accepted = accept_invitation(&services, token, password, name).await?;
    Ok(Json(AcceptedBody {
        user_id: accepted.user.id.convert(),
        entity_id: accepted.membership.entity_id.convert(),
        access_token: accepted.session.secret,
    }))
}

/// Accepts the invitation whose `token` somebody was given.
pub(crate) async fn accept_invitation(
    services: &Services,
    token: String,
    password: String,
    name: Option<String>,
) -> Result<Accepted, AccessError> {
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        let open = access::find_invitation(store, &token, &stamp).await?;
        services.guards.sign_up.check_invited(open.makes_user())?;
        let answering = stamp.clone();
        let answer = services.compute(move || open.answer(&password, name, &answering)).await?;
        access::accept_invitation(store, answer, &stamp).await
    };
    services.run(task).await
}
