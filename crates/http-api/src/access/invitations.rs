//! Invitations to join an entity.

use actix_web::HttpRequest;
use actix_web::http::header::AUTHORIZATION;
use actix_web::web;
use racun_access::Permission::{ManagePeople, ReadPeople};
use racun_access::{self as access, Accepted, AccessError, Invitation, InvitationStatus, Origin};
use racun_application::people;
use racun_delivery::mailing;
use racun_delivery::outbox::Sender;
use racun_kernel::Issue;
use racun_sales::billing;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;
use validator::Validate;

use super::RoleBody;
use super::signed_in::origin_of;
use super::users::person;
use crate::answer::{Json, NoContent};
use crate::body::{AllBody, Convert, names};
use crate::call::{Call, EntityCall};
use crate::error::ApiError;
use crate::header::bearer_token;
use crate::request::{Body, PathText, Query};
use crate::route::{Gate, Parameter, Route};
use crate::security::{self, SecurityEvent};

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
    .read_by(&["getInvitation"])
    .about(TAG, "Mails an invitation again, for another seven days.")
    .answers::<InvitationBody>(),
    Route::post("/invitations/accept", "acceptInvitation", Gate::Open, || web::to(accept))
        .about(
            TAG,
            "Accepts an invitation by its token, with a password, or with the session of the \
             invited user in `Authorization`; and logs in.",
        )
        .reads(&[Parameter::text("token", "The invitation's token.")])
        .makes_users()
        .takes::<AcceptBody>()
        .answers::<AcceptedBody>()
        .sensitive()
        .shows_secret()
        .seen_as(SecurityEvent::MemberAdded),
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
}

impl InvitationBody {
    /// The invitation as it stands at `now`.
    pub(super) fn of(invitation: Invitation, now: OffsetDateTime) -> Self {
        Self {
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
    /// That of the user who verified the address; a new one when no user has. Absent with a
    /// session.
    #[validate(length(min = 1))]
    #[schema(min_length = 1)]
    password: Option<String>,
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

async fn list(call: Call) -> Result<Json<AllBody<InvitationBody>>, ApiError> {
    let now = call.stamp().now();
    let found = access::list_invitations(call.cx()).await?;
    Ok(Json(AllBody::of(found.into_iter().map(|one| InvitationBody::of(one, now)).collect())))
}

async fn get(call: Call, id: PathText) -> Result<Json<InvitationBody>, ApiError> {
    let found = access::get_invitation(call.cx(), &id.0).await?;
    Ok(Json(InvitationBody::of(found, call.stamp().now())))
}

async fn cancel(call: Call, id: PathText) -> Result<NoContent, ApiError> {
    let task = call.run(|call| async move { access::cancel_invitation(call.cx(), &id.0).await });
    task.await?;
    Ok(NoContent)
}

async fn resend(call: EntityCall, id: PathText) -> Result<Json<InvitationBody>, ApiError> {
    let now = call.stamp().now();
    let task = call.run(|call| async move {
        let labels = call.labels().await?;
        let label = billing::label_of(&*call.store, &labels, call.scope().account()).await?;
        let sender = Sender::of(&call.public_url, label);
        let limits = call.guards().mail;
        mailing::resend_invitation(call.cx(), &sender, call.entity(), &id.0, limits).await
    });
    Ok(Json(InvitationBody::of(task.await?, now)))
}

async fn accept(
    call: Call<()>,
    request: HttpRequest,
    query: Query,
    body: Body<AcceptBody>,
) -> Result<Json<AcceptedBody>, ApiError> {
    let token = query.one("token")?.map(str::to_owned);
    let missing = || Issue::new("required", "send the invitation's token").at("token");
    let token = token.ok_or_else(missing)?;
    let (AcceptBody { password, name }, origin) = (body.0, origin_of(&request));
    let accepted = match password {
        Some(password) => accept_invitation(&call, token, password, name, origin).await?,
        None => accept_in_session(&call, token, session_of(&request)?, origin).await?,
    };
    security::about(&request, accepted.user.id.to_string());
    Ok(Json(AcceptedBody {
        user_id: accepted.user.id.convert(),
        entity_id: accepted.membership.entity_id.convert(),
        access_token: accepted.session.secret,
    }))
}

/// The login token that the request was made with, which takes the place of a password.
fn session_of(request: &HttpRequest) -> Result<String, ApiError> {
    if !request.headers().contains_key(AUTHORIZATION) {
        let message = "send a password, or your login token in the header Authorization";
        return Err(Issue::new("required", message).at("password").into());
    }
    bearer_token(request.headers()).map(str::to_owned)
}

/// Accepts the invitation of `token` for the user of `session`.
async fn accept_in_session(
    call: &Call<()>,
    token: String,
    session: String,
    origin: Origin,
) -> Result<Accepted, AccessError> {
    let task = call.run(|call| async move {
        let (store, stamp) = (call.store(), call.stamp());
        let user = person(&access::authenticate(store, &session, stamp).await?)?;
        let answer = access::find_invitation(store, &token, stamp).await?.answer_as(&user)?;
        people::accept_invitation(store, answer.from(origin), stamp).await
    });
    task.await
}

/// Accepts the invitation with this `token`.
pub(crate) async fn accept_invitation(
    call: &Call<()>,
    token: String,
    password: String,
    name: Option<String>,
    origin: Origin,
) -> Result<Accepted, AccessError> {
    let task = call.run(|call| async move {
        let (store, stamp) = (call.store(), call.stamp());
        let open = access::find_invitation(store, &token, stamp).await?;
        call.guards().sign_up.check_invited(open.may_make_user())?;
        let answering = stamp.clone();
        let answer = call.compute(move || open.answer(&password, name, &answering)).await?;
        people::accept_invitation(store, answer.from(origin), stamp).await
    });
    task.await
}
