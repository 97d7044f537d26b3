//! Signing in by the identity provider that the operator names (OpenID Connect), and linking an
//! identity to the user who is logged in.

use actix_web::{HttpRequest, web};
use racun_access::{
    self as access, AccessError, Caller, Grant, Identity, IdentityLogin, IdentityProvider, Origin,
    Recognized, SecondProof, Session, SignInAttempt, User, Verified, WithSecret, sign_up_writes_by,
};
use racun_application::Services;
use racun_delivery::mailing;
use racun_delivery::outbox::Sender;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::signed_in::{note_guess, origin_of, own_password, session_of};
use super::users::LoginBody;
use crate::answer::{Created, Json, NoContent};
use crate::billing::labels::label_of;
use crate::body::{AllBody, Convert, answer};
use crate::call::Call;
use crate::error::{ApiError, Kind};
use crate::request::{Body, PathText};
use crate::route::{Gate, Route};
use crate::security::{self, SecurityEvent};

const TAG: &str = "Users";

/// Routes of identities.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/users/openid", "getOpenIdProvider", Gate::Open, || web::to(describe))
        .about(TAG, "Answers by which identity provider people may sign in, where there is one.")
        .answers::<ProviderBody>(),
    Route::post("/users/openid/authorize", "beginOpenIdSignIn", Gate::Open, || web::to(begin))
        .about(TAG, "Begins a sign-in by the identity provider.")
        .explained(
            "The client keeps `attempt` to itself, sends the person to `authorization_url`, and \
             takes `code` and `state` up at its redirect address: code flow of OpenID Connect, \
             with PKCE.",
        )
        .takes::<BeginBody>()
        .answers::<BegunBody>()
        .sensitive()
        .shows_secret(),
    Route::post("/users/openid/login", "signInByOpenId", Gate::Open, || web::to(sign_in))
        .about(TAG, "Answers a login token as `id`, for a person whom the provider vouches for.")
        .explained(
            "A person is who has the identity, by issuer and subject. A new identity is linked to \
             the user with its address only where both are proved and the operator says that the \
             provider gives such addresses out; else 409 `identity_not_linked`. Where no user has \
             the address, one is made as by signing up. With a second factor and without its code \
             the answer is 401 `second_factor_required` with `cause.continuation`, with which POST \
             /users/openid/second-factor goes on.",
        )
        .makes_users()
        .takes::<SignInBody>()
        .answers::<LoginBody>()
        .sensitive()
        .shows_secret()
        .seen_as(SecurityEvent::LoggedIn),
    Route::post("/users/openid/second-factor", "finishOpenIdSignIn", Gate::Open, || web::to(go_on))
        .about(TAG, "Goes on with a sign-in that lacks the code of a second factor.")
        .takes::<ContinueBody>()
        .answers::<LoginBody>()
        .sensitive()
        .shows_secret()
        .seen_as(SecurityEvent::LoggedIn),
    Route::get("/users/me/identities", "listMyIdentities", Gate::SignedIn, || web::to(list))
        .about(TAG, "Lists the identities by which the user may sign in.")
        .answers::<AllBody<IdentityBody>>(),
    Route::post("/users/me/identities", "linkMyIdentity", Gate::SignedIn, || web::to(link))
        .about(TAG, "Links an identity to the user who is logged in and says their password.")
        .takes::<LinkBody>()
        .creates::<IdentityBody>()
        .sensitive()
        .seen_as(SecurityEvent::IdentityChanged),
    Route::delete("/users/me/identities/{id}", "unlinkMyIdentity", Gate::SignedIn, || {
        web::to(unlink)
    })
    .about(TAG, "Takes an identity away: it signs in no more. Sessions stay.")
    .seen_as(SecurityEvent::IdentityChanged),
];

/// By which identity provider people may sign in.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenIdProvider)]
struct ProviderBody {
    /// Whether there is one.
    enabled: bool,
    /// What people call it.
    #[schema(required = true)]
    name: Option<String>,
    /// Its issuer.
    #[schema(required = true)]
    issuer: Option<String>,
    /// Addresses of applications that it sends people back to.
    redirect_uris: Vec<String>,
}

/// Body of `POST /users/openid/authorize`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = BeginOpenIdSignIn)]
struct BeginBody {
    /// Where the person is sent back to: one of `redirect_uris`, which may be absent where there is
    /// one.
    redirect_uri: Option<String>,
}

/// A sign-in that began.
#[derive(Serialize, ToSchema)]
#[schema(as = OpenIdSignIn)]
struct BegunBody {
    /// Where the person signs in.
    authorization_url: String,
    /// What the client keeps to itself, and sends with the provider's answer. It is not to be put
    /// into an address.
    attempt: String,
    /// What comes back with the provider's answer.
    state: String,
}

/// Body of `POST /users/openid/login`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = SignInByOpenId)]
struct SignInBody {
    /// As the sign-in began.
    attempt: String,
    /// As it came back.
    state: String,
    /// The provider's code, as it came back.
    code: String,
    /// As the sign-in began; absent where it was.
    redirect_uri: Option<String>,
    /// A code of the user's second factor, where they have one: of the app, or for recovery.
    #[validate(length(max = 64))]
    #[schema(max_length = 64)]
    second_factor_code: Option<String>,
}

/// Body of `POST /users/openid/second-factor`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = FinishOpenIdSignIn)]
struct ContinueBody {
    /// What the sign-in answered. It holds for five minutes.
    #[validate(length(max = 2048))]
    #[schema(max_length = 2048)]
    continuation: String,
    /// A code of the user's second factor: of the app, or for recovery.
    #[validate(length(max = 64))]
    #[schema(max_length = 64)]
    second_factor_code: String,
}

/// Body of `POST /users/me/identities`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = LinkIdentity)]
struct LinkBody {
    /// As the sign-in began, by POST /users/openid/authorize.
    attempt: String,
    /// As it came back.
    state: String,
    /// The provider's code, as it came back.
    code: String,
    /// As the sign-in began; absent where it was.
    redirect_uri: Option<String>,
    /// The user's password here.
    current_password: String,
}

answer! {
    /// An account of a user at the identity provider.
    IdentityBody as Identity from Identity {
        /// Its id.
        id: String,
        /// The provider.
        issuer: String,
        /// What the provider calls the person.
        subject: String,
        /// The address that the provider knew when it was linked.
        email: Option<String>,
        /// When it was linked.
        created_at: String,
        /// When it signed in last.
        last_used_at: Option<String>,
    }
}

/// The provider that the operator names.
fn provider(services: &Services) -> Result<&dyn IdentityProvider, ApiError> {
    let missing = || {
        let message = "the operator names no identity provider: RACUN__OPENID__ISSUER";
        ApiError::new(Kind::Unprocessable, message).caused_by("no_identity_provider")
    };
    services.identity_provider.as_deref().ok_or_else(missing)
}

/// The person whom the provider vouches for with `grant`. The time is looked at afterwards.
async fn vouched<By: 'static>(
    call: &Call<By>,
    attempt: &SignInAttempt,
    grant: Grant,
) -> Result<Verified, ApiError> {
    let provider = provider(call)?;
    let claims = provider.redeem(&grant).await.map_err(AccessError::from)?;
    let (description, now) = (provider.description(), call.stamp().now());
    let verified = claims.verify(description, &attempt.nonce(), now);
    Ok(verified.map_err(AccessError::from)?)
}

/// An attempt and what redeems its code.
fn answered(
    services: &Services,
    (attempt, state, code): (String, &str, String),
    redirect_uri: Option<String>,
) -> Result<(SignInAttempt, Grant), ApiError> {
    let description = provider(services)?.description();
    let attempt = access::find_sign_in(description, attempt, redirect_uri)?;
    let grant = attempt.grant(code, state)?;
    Ok((attempt, grant))
}

async fn describe(call: Call<()>) -> Json<ProviderBody> {
    let found = call.identity_provider.as_deref().map(IdentityProvider::description);
    Json(ProviderBody {
        enabled: found.is_some(),
        name: found.map(|one| one.name.clone()),
        issuer: found.map(|one| one.issuer.clone()),
        redirect_uris: found.map(|one| one.redirect_uris.clone()).unwrap_or_default(),
    })
}

async fn begin(call: Call<()>, body: Body<BeginBody>) -> Result<Json<BegunBody>, ApiError> {
    let provider = provider(&call)?;
    let attempt = access::begin_sign_in(provider.description(), body.0.redirect_uri, call.stamp())?;
    let endpoint = provider.authorization_endpoint().await.map_err(AccessError::from)?;
    Ok(Json(BegunBody {
        authorization_url: attempt.authorization_url(&endpoint, provider.description()),
        state: attempt.state(),
        attempt: attempt.token().to_owned(),
    }))
}

/// Whom a sign-in turned out to be of, and their session.
type SignedIn = (User, WithSecret<Session>);

async fn sign_in(
    call: Call<()>,
    request: HttpRequest,
    body: Body<SignInBody>,
) -> Result<Json<LoginBody>, ApiError> {
    let SignInBody { attempt, state, code, redirect_uri, second_factor_code } = body.0;
    let (attempt, grant) = answered(&call, (attempt, &state, code), redirect_uri)?;
    let labels = call.labels().await?;
    let label = label_of(&request, &labels).map(|label| label.map(|label| label.slug.clone()));
    let origin = origin_of(&request);
    let task = call.run(|call| async move {
        let verified = vouched(&call, &attempt, grant).await?;
        let login = user_of(&call, verified, label).await?;
        finish(&call, login, second_factor_code, &origin).await
    });
    let (user, session) = task.await?;
    security::person(&request, user.id);
    Ok(Json(LoginBody::of(user, session)))
}

/// The user of `verified`, who is made where there is none, under the white label `label`.
async fn user_of(
    call: &Call<()>,
    verified: Verified,
    label: Result<Option<String>, ApiError>,
) -> Result<IdentityLogin, ApiError> {
    let (store, stamp) = (call.store(), call.stamp());
    let description = provider(call)?.description();
    match access::recognize(store, description, verified, stamp).await? {
        Recognized::Known(login) => Ok(*login),
        Recognized::New(person) => {
            let slug = label?;
            let is_first = call.guards().sign_up.check(store).await?;
            let labels = call.labels().await?;
            let label = slug.as_deref().and_then(|slug| labels.by_slug(slug));
            let sender = Sender::of(&call.public_url, label);
            let made = sign_up_writes_by(description, person, slug.clone(), stamp)?;
            Ok(mailing::sign_up_by_identity(store, &sender, made, is_first, stamp).await?)
        }
    }
}

async fn finish(
    call: &Call<()>,
    login: IdentityLogin,
    code: Option<String>,
    origin: &Origin,
) -> Result<SignedIn, ApiError> {
    let proof = SecondProof::new(call.vault.clone(), code);
    let (store, stamp) = (call.store(), call.stamp());
    let session = access::finish_sign_in(store, &login, proof, origin, stamp).await?;
    Ok((login.user, session))
}

async fn go_on(
    call: Call<()>,
    request: HttpRequest,
    body: Body<ContinueBody>,
) -> Result<Json<LoginBody>, ApiError> {
    let ContinueBody { continuation, second_factor_code } = body.0;
    let origin = origin_of(&request);
    let task = call.run(|call| async move {
        let (store, vault) = (call.store(), call.vault.as_deref());
        let login = access::continue_sign_in(store, &continuation, vault, call.stamp()).await?;
        finish(&call, login, Some(second_factor_code), &origin).await
    });
    let (user, session) = task.await?;
    security::person(&request, user.id);
    Ok(Json(LoginBody::of(user, session)))
}

async fn list(call: Call<Caller>) -> Result<Json<AllBody<IdentityBody>>, ApiError> {
    let (user, _) = session_of(call.by())?;
    let found = access::list_identities(call.store(), user).await?;
    Ok(Json(AllBody::of(found.convert())))
}

async fn link(
    call: Call<Caller>,
    request: HttpRequest,
    body: Result<Body<LinkBody>, ApiError>,
) -> Result<Created<IdentityBody>, ApiError> {
    session_of(call.by())?;
    let LinkBody { attempt, state, code, redirect_uri, current_password } = body?.0;
    let (attempt, grant) = answered(&call, (attempt, &state, code), redirect_uri)?;
    let origin = origin_of(&request);
    let task = call.run(|call| async move {
        let verified = vouched(&call, &attempt, grant).await?;
        let right = own_password(&call, &origin, current_password).await;
        let linked = match right {
            Ok((right, _turn)) => {
                access::link_identity(call.store(), right, verified, call.stamp()).await
            }
            Err(error) => Err(error),
        };
        Ok::<_, ApiError>(linked)
    });
    let linked = task.await?;
    note_guess(&request, &linked);
    Ok(Created(linked?.convert()))
}

async fn unlink(call: Call<Caller>, id: PathText) -> Result<NoContent, ApiError> {
    let task = call.run(|call| async move {
        let (user, _) = session_of(call.by())?;
        access::unlink_identity(call.store(), user, &id.0, call.stamp()).await
    });
    task.await?;
    Ok(NoContent)
}
