//! New passwords and verified addresses, by tokens that are mailed.

use actix_web::{HttpRequest, web};
use racun_access::{self as access, AccessError, Caller, MailTokenPurpose, Origin, Proof};
use racun_application::people;
use racun_delivery::mailing;
use racun_delivery::outbox::Sender;
use racun_sales::billing;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::signed_in::origin_of;
use super::users::person;
use crate::answer::{Json, NoContent};
use crate::billing::labels::label_of;
use crate::call::Call;
use crate::error::ApiError;
use crate::request::Body;
use crate::route::{Gate, Route};
use crate::security::{self, SecurityEvent};

const TAG: &str = "Users";

/// Routes of new passwords and verified addresses.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/users/password-reset", "requestPasswordReset", Gate::Open, || {
        web::to(request_reset)
    })
    .about(
        TAG,
        "Mails a token for a new password, if a user has the address; answers the same if none.",
    )
    .takes::<ResetRequestBody>()
    .answers_nothing()
    .sensitive(),
    Route::post("/users/password-reset/confirm", "confirmPasswordReset", Gate::Open, || {
        web::to(confirm_reset)
    })
    .about(
        TAG,
        "Sets a new password, and ends all sessions of the user; keys too when it says so, or when \
         the address was never verified.",
    )
    .takes::<ResetBody>()
    .answers_nothing()
    .sensitive()
    .seen_as(SecurityEvent::PasswordChanged),
    Route::post("/users/verify-email", "verifyEmail", Gate::Open, || web::to(verify))
        .about(TAG, "Notes that the user who was mailed the token has the address.")
        .takes::<VerifyBody>()
        .answers::<VerifiedBody>()
        .sensitive()
        .seen_as(SecurityEvent::AddressVerified),
    Route::post("/users/resend-verification", "resendVerification", Gate::SignedIn, || {
        web::to(resend)
    })
    .about(TAG, "Mails the link again by which the user's address is verified.")
    .answers_nothing()
    .sensitive(),
];

/// Body of `POST /users/password-reset`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = RequestPasswordReset)]
struct ResetRequestBody {
    /// The user's address.
    email: String,
}

/// Body of `POST /users/password-reset/confirm`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = ConfirmPasswordReset)]
struct ResetBody {
    /// The token that was mailed. It holds for an hour, and once.
    token: String,
    /// 8 to 200 characters, one of them a lower-case letter.
    password: String,
    /// Whether the keys of the user's account, and those that they made elsewhere, end too; false
    /// when absent, and with them the webhooks that they made, and their identities at the identity
    /// provider. When the address was never verified
    /// they end in any case, for another person may have them: so do all webhooks and, in the
    /// entities of the account, the places of others, PINs and open invitations.
    end_keys: Option<bool>,
}

/// Body of `POST /users/verify-email`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = VerifyEmail)]
struct VerifyBody {
    /// The token that was mailed. It holds for a day, and once.
    token: String,
}

/// Answer of `/users/verify-email`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EmailVerified)]
struct VerifiedBody {
    /// True.
    email_verified: bool,
}

async fn request_reset(
    call: Call<()>,
    request: HttpRequest,
    body: Body<ResetRequestBody>,
) -> Result<NoContent, ApiError> {
    let email = body.0.email;
    // Of the host, not of who has the address: that is not looked up.
    let labels = call.labels().await?;
    let sender = Sender::of(&call.public_url, label_of(&request, &labels).ok().flatten());
    let task = call.run(|call| async move {
        let (store, stamp) = (call.store(), call.stamp());
        mailing::request_password_reset(store, &sender, &email, stamp).await
    });
    task.await?;
    Ok(NoContent)
}

async fn confirm_reset(
    call: Call<()>,
    request: HttpRequest,
    body: Body<ResetBody>,
) -> Result<NoContent, ApiError> {
    let ResetBody { token, password, end_keys } = body.0;
    let (ends_keys, origin) = (end_keys.unwrap_or_default(), origin_of(&request));
    let proof = reset_password(&call, token, password, ends_keys, origin).await?;
    security::proved(&request, &proof);
    Ok(NoContent)
}

/// Sets the new `password` of the user who received `token`.
pub(crate) async fn reset_password(
    call: &Call<()>,
    token: String,
    password: String,
    ends_keys: bool,
    origin: Origin,
) -> Result<Proof, AccessError> {
    let task = call.run(|call| async move {
        let (store, stamp) = (call.store(), call.stamp());
        let purpose = MailTokenPurpose::PasswordReset;
        let token = access::find_mail_token(store, &token, purpose, stamp).await?;
        let hashing = stamp.clone();
        let address = access::owner_of(store, &token).await?.email;
        let hash = move || access::hash_password(&password, &[&address], &hashing);
        let password = call.compute(hash).await?;
        people::reset_password(store, token, password, ends_keys, &origin, stamp).await
    });
    task.await
}

async fn verify(
    call: Call<()>,
    request: HttpRequest,
    body: Body<VerifyBody>,
) -> Result<Json<VerifiedBody>, ApiError> {
    let proof = verify_address(&call, body.0.token).await?;
    security::proved(&request, &proof);
    Ok(Json(VerifiedBody { email_verified: true }))
}

/// Marks the address of the user who received `token` as verified.
pub(crate) async fn verify_address(call: &Call<()>, token: String) -> Result<Proof, AccessError> {
    let task = call.run(|call| async move {
        let (store, stamp) = (call.store(), call.stamp());
        let purpose = MailTokenPurpose::Verification;
        let token = access::find_mail_token(store, &token, purpose, stamp).await?;
        access::verify_email(store, token, stamp).await
    });
    task.await
}

async fn resend(call: Call<Caller>) -> Result<NoContent, ApiError> {
    let user = person(call.by())?;
    let task = call.run(|call| async move {
        let (store, labels) = (call.store(), call.labels().await?);
        let label = billing::label_of(store, &labels, user.account_id).await?;
        let sender = Sender::of(&call.public_url, label);
        mailing::resend_verification(store, &sender, &user, call.stamp()).await
    });
    task.await?;
    Ok(NoContent)
}
