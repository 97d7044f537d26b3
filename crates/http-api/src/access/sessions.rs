//! Sessions of who is logged in, and a new password in one of them.

use actix_web::{HttpRequest, web};
use racun_access::{self as access, Caller, Ending, Session};
use racun_application::people;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::signed_in::{note_guess, origin_of, own_password, session_of};
use crate::answer::{Json, NoContent};
use crate::body::{AllBody, Convert};
use crate::call::Call;
use crate::error::ApiError;
use crate::request::{Body, PathText};
use crate::route::{Gate, Route};
use crate::security::SecurityEvent;

const TAG: &str = "Users";

/// Routes of sessions.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/users/me/sessions", "listMySessions", Gate::SignedIn, || web::to(list))
        .about(TAG, "Lists where the user is logged in, the session used last first.")
        .answers::<AllBody<SessionBody>>(),
    Route::delete("/users/me/sessions", "endMyOtherSessions", Gate::SignedIn, || web::to(end_rest))
        .about(TAG, "Ends all sessions of the user but the one that asks.")
        .seen_as(SecurityEvent::SessionEnded),
    Route::delete("/users/me/sessions/{id}", "endMySession", Gate::SignedIn, || web::to(end))
        .about(TAG, "Ends a session of the user, named by its `id`, which is not its token.")
        .seen_as(SecurityEvent::SessionEnded),
    Route::post("/users/me/password", "changeMyPassword", Gate::SignedIn, || web::to(change))
        .about(
            TAG,
            "Sets a new password for who says the one before, and ends all sessions of the user \
             but the one that asks.",
        )
        .takes::<ChangePasswordBody>()
        .answers_nothing()
        .sensitive()
        .seen_as(SecurityEvent::PasswordChanged),
];

/// Where a user is logged in.
#[derive(Serialize, ToSchema)]
#[schema(as = Session)]
struct SessionBody {
    /// Names the session without being its token.
    id: String,
    /// Whether it is the one that asks.
    is_current: bool,
    /// The network address that it was begun from.
    #[schema(required = true)]
    address: Option<String>,
    /// What the client called itself then.
    #[schema(required = true)]
    user_agent: Option<String>,
    /// When it began.
    created_at: String,
    /// When it was used last, to the minute. It ends after 30 days without use.
    last_used_at: String,
    /// When it ends at the latest.
    expires_at: String,
}

/// Body of `POST /users/me/password`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = ChangePassword)]
struct ChangePasswordBody {
    /// The password until now.
    current_password: String,
    /// The new one: 8 to 200 characters, one of them a lower-case letter, and none that is guessed
    /// first.
    password: String,
    /// Whether the keys of the user's account, and those that they made elsewhere, end too, and
    /// with them the webhooks that they made; false when absent.
    end_keys: Option<bool>,
}

async fn list(call: Call<Caller>) -> Result<Json<AllBody<SessionBody>>, ApiError> {
    let (user, current) = session_of(call.by())?;
    let found = access::list_sessions(call.store(), user.id, call.stamp()).await?;
    let body = |session: Session| SessionBody {
        id: session.id.convert(),
        is_current: session.id == current.id,
        created_at: session.created_at.convert(),
        last_used_at: session.used_at().convert(),
        expires_at: session.expires_at.convert(),
        address: session.address,
        user_agent: session.agent,
    };
    Ok(Json(AllBody::of(found.into_iter().map(body).collect())))
}

async fn end_rest(call: Call<Caller>) -> Result<NoContent, ApiError> {
    let (_, current) = session_of(call.by())?;
    let ending = Ending::Others(current.id);
    end_sessions(call, ending).await
}

async fn end(call: Call<Caller>, id: PathText) -> Result<NoContent, ApiError> {
    end_sessions(call, Ending::One(id.0)).await
}

async fn end_sessions(call: Call<Caller>, ending: Ending) -> Result<NoContent, ApiError> {
    let task = call.run(|call| async move {
        let (user, _) = session_of(call.by())?;
        access::end_sessions_of(call.store(), user, ending, call.stamp()).await
    });
    task.await?;
    Ok(NoContent)
}

async fn change(
    call: Call<Caller>,
    request: HttpRequest,
    body: Result<Body<ChangePasswordBody>, ApiError>,
) -> Result<NoContent, ApiError> {
    session_of(call.by())?;
    let ChangePasswordBody { current_password, password, end_keys } = body?.0;
    let (origin, ends_keys) = (origin_of(&request), end_keys.unwrap_or_default());
    let task = call.run(|call| async move {
        let (user, session) = session_of(call.by())?;
        let (store, stamp) = (call.store(), call.stamp());
        let (right, _turn) = own_password(&call, &origin, current_password).await?;
        let (email, hashing) = (user.email.clone(), stamp.clone());
        let hash = move || access::hash_password(&password, &[&email], &hashing);
        let password = call.compute(hash).await?;
        people::change_password(store, right, session.id, password, ends_keys, stamp).await
    });
    let changed = task.await;
    note_guess(&request, &changed);
    changed?;
    Ok(NoContent)
}
