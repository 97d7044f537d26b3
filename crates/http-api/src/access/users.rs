//! Users: signing up, logging in and out, and what they say about themselves.

use std::collections::BTreeMap;

use actix_web::HttpRequest;
use actix_web::web::{self, ReqData};
use racun_access::Permission::WriteRecords;
use racun_access::{
    self as access, AccessError, Caller, Forbidden, PortugueseOperator, SESSION_SECONDS,
    SecondProof, Session, SignUp, User, WithSecret, locale_of_country,
};
use racun_delivery::mailing;
use racun_delivery::outbox::Sender;
use racun_kernel::{Authority, Issue, Issues, Metadata, OperatorIdentity, Patch};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use validator::{Validate, ValidationErrors};

use super::signed_in::{login_turn, origin_of};
use crate::answer::{Created, Json, NoContent};
use crate::billing::labels::label_of;
use crate::body::{Convert, answer};
use crate::body_limit::RECORD;
use crate::call::Call;
use crate::error::ApiError;
use crate::request::{Body, as_declared};
use crate::route::{Gate, Route};
use crate::security::{self, SecurityEvent};
use crate::warning::WarningBody;

const TAG: &str = "Users";

/// Routes of users.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/users/signup", "signUp", Gate::Open, || web::to(sign_up))
        .about(
            TAG,
            "Makes a user and an account of their own, and mails a link to verify the address.",
        )
        .makes_users()
        .may_lack()
        .takes::<SignUpBody>()
        .creates::<UserBody>()
        .sensitive()
        .seen_as(SecurityEvent::SignedUp),
    Route::post("/users/login", "logIn", Gate::Open, || web::to(log_in))
        .about(TAG, "Answers a login token as `id`.")
        .takes::<LogInBody>()
        .answers::<LoginBody>()
        .sensitive()
        .shows_secret()
        .seen_as(SecurityEvent::LoggedIn),
    Route::post("/users/logout", "logOut", Gate::SignedIn, || web::to(log_out))
        .about(TAG, "Ends the session of the login token, or the token of an operator.")
        .answers_nothing()
        .seen_as(SecurityEvent::SessionEnded),
    Route::get("/users/me", "getMe", Gate::SignedIn, || web::to(get_me))
        .about(TAG, "Answers the user whose login token is sent.")
        .answers::<UserBody>(),
    Route::patch("/users/me", "updateMe", Gate::SignedIn, || web::to(update_me))
        .read_by(&["getMe"])
        .about(TAG, "Changes what a user says about themselves.")
        .takes::<UpdateMeBody>()
        .up_to(RECORD)
        .answers::<UserBody>(),
    Route::put("/users/me/settings/furs", "setMyFursSettings", Gate::Entity(WriteRecords), || {
        web::to(set_furs)
    })
    .about(TAG, "Keeps what the Slovenian tax authority knows the user by in the entity.")
    .takes::<FursIdentityBody>()
    .answers::<UserBody>(),
    Route::put("/users/me/settings/fina", "setMyFinaSettings", Gate::Entity(WriteRecords), || {
        web::to(set_fina)
    })
    .about(TAG, "Keeps what the Croatian tax authority knows the user by in the entity.")
    .takes::<FinaIdentityBody>()
    .answers::<UserBody>(),
    Route::put("/users/me/settings/pt", "setMyPtSettings", Gate::Entity(WriteRecords), || {
        web::to(set_pt)
    })
    .about(TAG, "Keeps what Portuguese documents of the entity say of the user who issues them.")
    .takes::<PtOperatorBody>()
    .answers::<UserBody>(),
];

/// Body of `POST /users/signup`.
#[derive(Deserialize, ToSchema)]
#[schema(as = SignUp)]
struct SignUpBody {
    /// The address to log in with.
    email: String,
    /// 8 to 200 characters, one of them a lower-case letter, and none that is guessed first.
    password: String,
    /// The person's name.
    name: Option<String>,
    /// The account's name; the person's when absent.
    company_name: Option<String>,
    /// Name or code of the account's country: what is mailed is in its language, where `locale`
    /// says no other.
    country: Option<String>,
    /// The language they read: `sl-SI` or `sl`.
    locale: Option<String>,
    /// What clients keep for the user.
    #[schema(value_type = Option<Map<String, Value>>)]
    settings: Option<Map<String, Value>>,
    /// Up to 50 properties of at most 250 characters.
    metadata: Option<BTreeMap<String, String>>,
}

impl SignUpBody {
    fn check(&self) -> Result<(), Issues> {
        let Self { email, password, name, company_name, country, locale, settings, metadata } =
            self;
        let mut issues = Issues::default();
        let names = [name, company_name];
        issues.note(access::check_profile(email, names, locale.as_deref(), settings.as_ref()));
        issues.note(access::check_password(password, &[email]));
        issues.collect("metadata", metadata.clone().map(Metadata::checked).transpose());
        let of_country = country.as_deref().map(locale_of_country).transpose();
        issues.collect("country", of_country.map_err(Issues::from));
        issues.into_result(())
    }
}

impl Validate for SignUpBody {
    /// All that signing up checks and no row is needed for: it is not rehearsed.
    fn validate(&self) -> Result<(), ValidationErrors> {
        self.check().map_err(|issues| as_declared(&issues))
    }
}

/// Body of `POST /users/login`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = LogIn)]
struct LogInBody {
    /// The user's address.
    #[validate(length(max = 255))]
    #[schema(max_length = 255)]
    email: String,
    /// Their password.
    password: String,
    /// A code of their second factor, where they have one: the six digits that their app shows
    /// now, or a recovery code. Without it the answer is 401 `second_factor_required`.
    #[validate(length(max = 64))]
    #[schema(max_length = 64)]
    second_factor_code: Option<String>,
}

/// Body of `PATCH /users/me`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = UpdateMe)]
struct UpdateMeBody {
    /// The person's name.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    name: Patch<String>,
    /// The language they read: `sl-SI` or `sl`.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    locale: Patch<String>,
}

/// Body of `PUT /users/me/settings/furs`. What is absent or null is no longer kept.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = FursOperator)]
struct FursIdentityBody {
    /// The person's tax number: eight digits.
    operator_tax_number: Option<String>,
    /// The mark that stands for them on documents.
    operator_label: Option<String>,
}

/// Body of `PUT /users/me/settings/fina`. What is absent or null is no longer kept.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = FinaOperator)]
struct FinaIdentityBody {
    /// The person's OIB: eleven digits.
    operator_oib: Option<String>,
    /// The mark that stands for them on documents.
    operator_label: Option<String>,
}

/// Body of `PUT /users/me/settings/pt`. What is absent or null is no longer kept. Each property has
/// another name, beginning with `account_`; both may be sent when they say the same.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = PtOperator)]
struct PtOperatorBody {
    /// The person's first name.
    #[schema(max_length = 255)]
    operator_first_name: Option<String>,
    /// The person's last name.
    #[schema(max_length = 255)]
    operator_last_name: Option<String>,
    /// The person's tax number: nine digits.
    operator_tax_number: Option<String>,
    /// The same as `operator_first_name`.
    account_first_name: Option<String>,
    /// The same as `operator_last_name`.
    account_last_name: Option<String>,
    /// The same as `operator_tax_number`.
    account_tax_number: Option<String>,
}

impl PtOperatorBody {
    /// What the person said, by whichever name.
    fn parse(self) -> Result<PortugueseOperator, Issues> {
        let mut issues = Issues::default();
        let mut either = |name: &str, said: Option<String>, alias: Option<String>| {
            let differ = said.is_some() && alias.is_some() && said != alias;
            if differ {
                let message =
                    format!("this is another name of operator_{name}, which says otherwise");
                let issue = Issue::new("invalid_value", format!("{message}; send one of them"));
                issues.push(issue.at(format!("account_{name}")));
            }
            said.or(alias)
        };
        let operator = PortugueseOperator {
            first_name: either("first_name", self.operator_first_name, self.account_first_name),
            last_name: either("last_name", self.operator_last_name, self.account_last_name),
            tax_number: either("tax_number", self.operator_tax_number, self.account_tax_number),
        };
        issues.into_result(operator)
    }
}

answer! {
    /// A person who signs in.
    UserBody as User from User {
        /// Their id.
        id: String,
        /// Their e-mail address.
        email: String,
        /// Their name.
        name: Option<String>,
        /// Whether they proved that the address is theirs.
        email_verified: bool,
        /// The account that is their own.
        account_id: String,
        /// The language they read.
        locale: Option<String>,
        /// What clients keep for them.
        settings: Map<String, Value>,
        /// What callers attached.
        metadata: BTreeMap<String, String>,
        /// When they signed up.
        created_at: String,
        /// When they changed last.
        updated_at: String,
        /// What is odd about them: tax numbers of operators that cannot be.
        warnings: Vec<WarningBody> => warnings,
    }
}

/// Answer of `POST /users/login`.
#[derive(Serialize, ToSchema)]
#[schema(as = LoginToken)]
pub(super) struct LoginBody {
    /// The login token: what stands behind `Bearer`.
    id: String,
    /// Whose it is.
    user_id: String,
    /// Seconds that it lasts.
    ttl: i64,
    /// When it was made.
    created_at: String,
    /// The same.
    updated_at: String,
    /// The user.
    user: UserBody,
}

impl LoginBody {
    pub(super) fn of(user: User, session: WithSecret<Session>) -> Self {
        let created_at: String = session.record.created_at.convert();
        Self {
            id: session.secret,
            user_id: user.id.convert(),
            ttl: SESSION_SECONDS,
            updated_at: created_at.clone(),
            created_at,
            user: user.convert(),
        }
    }
}

async fn sign_up(
    call: Call<()>,
    request: HttpRequest,
    body: Body<SignUpBody>,
) -> Result<Created<UserBody>, ApiError> {
    let SignUpBody { email, password, name, company_name, country, locale, settings, metadata } =
        body.0;
    security::about(&request, security::masked(&email));
    let metadata = metadata.map(Metadata::checked).transpose()?;
    let of_country = country.as_deref().map(locale_of_country).transpose();
    let of_country = of_country.map_err(|issue| Issues::from(issue).at("country"))?;
    let locale = locale.or(of_country);
    let labels = call.labels().await?;
    let label = label_of(&request, &labels)?;
    let white_label = label.map(|label| label.slug.clone());
    let task = call.run(|call| async move {
        let is_first = call.guards().sign_up.check(call.store()).await?;
        let (hashing, about) = (call.stamp().clone(), email.clone());
        let hash = move || access::hash_password(&password, &[&about], &hashing);
        let password = call.compute(hash).await?;
        let label = white_label.as_deref().and_then(|slug| labels.by_slug(slug));
        let sender = Sender::of(&call.public_url, label);
        let input = SignUp {
            email,
            password,
            name,
            company_name,
            locale,
            white_label: white_label.clone(),
            settings,
            metadata,
        };
        mailing::sign_up(call.store(), &sender, input, is_first, call.stamp()).await
    });
    let user = task.await?;
    security::person(&request, user.id);
    Ok(Created(user.convert()))
}

async fn log_in(
    call: Call<()>,
    request: HttpRequest,
    body: Body<LogInBody>,
) -> Result<Json<LoginBody>, ApiError> {
    let (LogInBody { email, password, second_factor_code }, origin) = (body.0, origin_of(&request));
    security::about(&request, security::masked(&email));
    // For the log alone: known and unknown addresses cost the same look, and are answered alike.
    if let Some(user) = access::find_user_id(call.store(), &email).await? {
        security::person(&request, user);
    }
    let task = call.run(|call| async move {
        let _turn = login_turn(&email).await;
        let (store, stamp) = (call.store(), call.stamp());
        let attempt = access::begin_login(store, &email, &origin, stamp).await?;
        let right = call.compute(move || attempt.verify(&password)).await?;
        let proof = SecondProof::new(call.vault.clone(), second_factor_code);
        let session = access::finish_login(store, &right, proof, &origin, stamp).await?;
        Ok::<_, AccessError>((right.user, session))
    });
    let (user, session) = task.await?;
    Ok(Json(LoginBody::of(user, session)))
}

async fn log_out(call: Call<Caller>) -> Result<NoContent, ApiError> {
    let task = call
        .run(|call| async move { access::log_out(call.store(), call.by(), call.stamp()).await });
    task.await?;
    Ok(NoContent)
}

/// The person who makes the request with their own token; keys belong to no person.
pub(super) fn person(caller: &Caller) -> Result<User, AccessError> {
    match caller {
        Caller::User { user, .. } => Ok((**user).clone()),
        Caller::Operator { .. } => Err(Forbidden::PosOperatorScope.into()),
        Caller::AccountKey(_) | Caller::EntityKey(_) => Err(Forbidden::UserRequired.into()),
    }
}

async fn get_me(caller: ReqData<Caller>) -> Result<Json<UserBody>, ApiError> {
    Ok(Json(person(&caller)?.convert()))
}

async fn update_me(
    call: Call<Caller>,
    body: Body<UpdateMeBody>,
) -> Result<Json<UserBody>, ApiError> {
    let user = person(call.by())?.id;
    let UpdateMeBody { name, locale } = body.0;
    let task = call.run(|call| async move {
        access::update_me(call.store(), user, name, locale, call.stamp()).await
    });
    Ok(Json(task.await?.convert()))
}

async fn set_furs(
    call: Call,
    caller: ReqData<Caller>,
    body: Body<FursIdentityBody>,
) -> Result<Json<UserBody>, ApiError> {
    let FursIdentityBody { operator_tax_number: number, operator_label: label } = body.0;
    let identity = OperatorIdentity { number, label };
    set_identity(&call, caller, Authority::Furs, identity).await
}

async fn set_fina(
    call: Call,
    caller: ReqData<Caller>,
    body: Body<FinaIdentityBody>,
) -> Result<Json<UserBody>, ApiError> {
    let FinaIdentityBody { operator_oib: number, operator_label: label } = body.0;
    let identity = OperatorIdentity { number, label };
    set_identity(&call, caller, Authority::Fina, identity).await
}

async fn set_pt(
    call: Call,
    caller: ReqData<Caller>,
    body: Body<PtOperatorBody>,
) -> Result<Json<UserBody>, ApiError> {
    let user = person(&caller)?.id;
    let operator = body.0.parse()?;
    let task =
        call.run(
            |call| async move { access::set_portuguese_operator(call.cx(), user, operator).await },
        );
    Ok(Json(task.await?.convert()))
}

async fn set_identity(
    call: &Call,
    caller: ReqData<Caller>,
    authority: Authority,
    identity: OperatorIdentity,
) -> Result<Json<UserBody>, ApiError> {
    let user = person(&caller)?.id;
    let task = call.run(|call| async move {
        access::set_operator_identity(call.cx(), user, authority, identity).await
    });
    Ok(Json(task.await?.convert()))
}
