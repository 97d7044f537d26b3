//! The second factor of who is logged in: set up, confirmed, looked at, removed.

use actix_web::{HttpRequest, web};
use racun_access::{self as access, Caller, NewCodes, SecondFactor};
use racun_billing::WhiteLabel;
use racun_sales::billing;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::signed_in::{note_guess, origin_of, own_password, session_of};
use crate::answer::{Created, Json, NoContent};
use crate::body::Convert;
use crate::call::Call;
use crate::error::{ApiError, Kind};
use crate::request::Body;
use crate::route::{Gate, Route};
use crate::security::SecurityEvent;

const TAG: &str = "Users";

/// What the app calls a server without a white label.
const ISSUER: &str = "Racun";

/// Routes of second factors.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/users/me/second-factor", "getMySecondFactor", Gate::SignedIn, || web::to(get))
        .about(TAG, "Answers whether logging in takes a second factor.")
        .answers::<SecondFactorBody>(),
    Route::post("/users/me/second-factor", "beginMySecondFactor", Gate::SignedIn, || {
        web::to(begin)
    })
    .about(TAG, "Makes the secret of a second factor, for an authenticator app (TOTP).")
    .explained(
        "It takes the password and a verified address, and is asked for at log-in from the first \
         code on, which POST /users/me/second-factor/confirm takes within an hour.",
    )
    .takes::<OwnPasswordBody>()
    .creates::<EnrolmentBody>()
    .sensitive()
    .shows_secret(),
    Route::post("/users/me/second-factor/confirm", "confirmMySecondFactor", Gate::SignedIn, || {
        web::to(confirm)
    })
    .about(TAG, "Turns the second factor on by its first code, and answers ten recovery codes.")
    .explained(
        "All sessions of the user end but the one that asks, for they were begun by the password \
         alone; API keys stay. A recovery code works once, in the place of a code of the app.",
    )
    .takes::<CodeBody>()
    .answers::<RecoveryCodesBody>()
    .sensitive()
    .shows_secret()
    .seen_as(SecurityEvent::SecondFactorChanged),
    Route::post(
        "/users/me/second-factor/recovery-codes",
        "renewMyRecoveryCodes",
        Gate::SignedIn,
        || web::to(renew),
    )
    .about(TAG, "Replaces the recovery codes, for who says their password and a code.")
    .takes::<PasswordAndCodeBody>()
    .answers::<RecoveryCodesBody>()
    .sensitive()
    .shows_secret()
    .seen_as(SecurityEvent::SecondFactorChanged),
    Route::post("/users/me/second-factor/remove", "removeMySecondFactor", Gate::SignedIn, || {
        web::to(remove)
    })
    .about(TAG, "Removes the second factor, for who says their password and a code.")
    .takes::<PasswordAndCodeBody>()
    .answers_nothing()
    .sensitive()
    .seen_as(SecurityEvent::SecondFactorChanged),
];

/// Body of `POST /users/me/second-factor`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = BeginSecondFactor)]
struct OwnPasswordBody {
    /// The user's password.
    current_password: String,
}

/// Body of `POST /users/me/second-factor/confirm`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = ConfirmSecondFactor)]
struct CodeBody {
    /// The six digits that the app shows now.
    #[validate(length(max = 64))]
    #[schema(max_length = 64)]
    code: String,
}

/// Body of what takes both.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = ChangeSecondFactor)]
struct PasswordAndCodeBody {
    /// The user's password.
    current_password: String,
    /// The six digits that the app shows now, or a recovery code.
    #[validate(length(max = 64))]
    #[schema(max_length = 64)]
    code: String,
}

/// Whether logging in takes a second factor.
#[derive(Serialize, ToSchema)]
#[schema(as = SecondFactor)]
struct SecondFactorBody {
    /// Whether it does.
    enabled: bool,
    /// Since when; null where it does not.
    #[schema(required = true)]
    enabled_at: Option<String>,
    /// Recovery codes that were not used.
    recovery_codes_left: i64,
}

/// A secret for an authenticator app: shown once.
#[derive(Serialize, ToSchema)]
#[schema(as = SecondFactorEnrolment)]
struct EnrolmentBody {
    /// In base32, to be typed in: SHA-1, six digits, 30 seconds.
    secret: String,
    /// The same as an address, to be shown as a QR code.
    otpauth_uri: String,
}

/// Recovery codes: shown once.
#[derive(Serialize, ToSchema)]
#[schema(as = RecoveryCodes)]
struct RecoveryCodesBody {
    /// Each works once, in the place of a code of the app. Codes of before do not work any more.
    recovery_codes: Vec<String>,
}

impl SecondFactorBody {
    fn of(factor: Option<&SecondFactor>) -> Self {
        let factor = factor.filter(|factor| factor.is_on());
        let left = factor.map_or(0, SecondFactor::recovery_codes_left);
        Self {
            enabled: factor.is_some(),
            enabled_at: factor.and_then(|factor| factor.confirmed_at).convert(),
            recovery_codes_left: i64::try_from(left).unwrap_or_default(),
        }
    }
}

async fn get(call: Call<Caller>) -> Result<Json<SecondFactorBody>, ApiError> {
    let (user, _) = session_of(call.by())?;
    let factor = access::get_second_factor(call.store(), user).await?;
    Ok(Json(SecondFactorBody::of(factor.as_ref())))
}

async fn begin(
    call: Call<Caller>,
    request: HttpRequest,
    body: Result<Body<OwnPasswordBody>, ApiError>,
) -> Result<Created<EnrolmentBody>, ApiError> {
    session_of(call.by())?;
    let (OwnPasswordBody { current_password }, origin) = (body?.0, origin_of(&request));
    let vault = call.vault.clone().ok_or_else(|| {
        let message = "the server was given no master key, so it keeps no second factors";
        ApiError::new(Kind::Unavailable, message).caused_by("master_key_missing")
    })?;
    let task = call.run(|call| async move {
        let (right, _turn) = own_password(&call, &origin, current_password).await?;
        let (store, labels) = (call.store(), call.labels().await?);
        let label = billing::label_of(store, &labels, right.user.account_id).await?;
        let issuer = label.map_or(ISSUER, WhiteLabel::product);
        access::begin_second_factor(store, right, &*vault, issuer, call.stamp()).await
    });
    let begun = task.await;
    note_guess(&request, &begun);
    let begun = begun?;
    Ok(Created(EnrolmentBody { secret: begun.secret, otpauth_uri: begun.uri }))
}

async fn confirm(
    call: Call<Caller>,
    request: HttpRequest,
    body: Result<Body<CodeBody>, ApiError>,
) -> Result<Json<RecoveryCodesBody>, ApiError> {
    session_of(call.by())?;
    let CodeBody { code } = body?.0;
    let task = call.run(|call| async move {
        let (user, session) = session_of(call.by())?;
        let (store, vault) = (call.store(), call.vault.clone());
        access::confirm_second_factor(store, user, session.id, vault, code, call.stamp()).await
    });
    let confirmed = task.await;
    note_guess(&request, &confirmed);
    let NewCodes(recovery_codes) = confirmed?;
    Ok(Json(RecoveryCodesBody { recovery_codes }))
}

async fn renew(
    call: Call<Caller>,
    request: HttpRequest,
    body: Result<Body<PasswordAndCodeBody>, ApiError>,
) -> Result<Json<RecoveryCodesBody>, ApiError> {
    session_of(call.by())?;
    let (body, origin) = (body?.0, origin_of(&request));
    let task = call.run(|call| async move {
        let (right, _turn) = own_password(&call, &origin, body.current_password).await?;
        let (store, vault) = (call.store(), call.vault.clone());
        access::renew_recovery_codes(store, right, vault, body.code, call.stamp()).await
    });
    let renewed = task.await;
    note_guess(&request, &renewed);
    let NewCodes(recovery_codes) = renewed?;
    Ok(Json(RecoveryCodesBody { recovery_codes }))
}

async fn remove(
    call: Call<Caller>,
    request: HttpRequest,
    body: Result<Body<PasswordAndCodeBody>, ApiError>,
) -> Result<NoContent, ApiError> {
    session_of(call.by())?;
    let (body, origin) = (body?.0, origin_of(&request));
    let task = call.run(|call| async move {
        let (right, _turn) = own_password(&call, &origin, body.current_password).await?;
        let (store, vault) = (call.store(), call.vault.clone());
        access::remove_second_factor(store, right, vault, body.code, call.stamp()).await
    });
    let removed = task.await;
    note_guess(&request, &removed);
    removed?;
    Ok(NoContent)
}
