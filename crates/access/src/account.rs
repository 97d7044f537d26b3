//! Accounts and users, and how they come to be.

use racun_kernel::id::{AccountId, UserId};
use racun_kernel::text::{LANGUAGES, LOCALES};
use racun_kernel::{Issue, Issues, Metadata, Patch, Stamp, Tenant};
use racun_store::{Decision, Event, EventKind, Field, ListQuery, Put, Store, Unique};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use time::OffsetDateTime;

use crate::email::{check_email, check_name, fold_email};
use crate::events;
use crate::login_guard::KnownPlace;
use crate::{AccessError, PasswordHash};

/// Bytes of JSON that a user's own settings hold at most.
const MAX_USER_SETTINGS_BYTES: usize = 64 * 1024;

/// The customer who pays for and owns entities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// The company's name, or the user's when none was given.
    pub name: String,
    /// The slug of the white label that it signed up under; `None` for Racun's own name.
    #[serde(default)]
    pub white_label: Option<String>,
    /// Whether the address of one of its own users is verified: then its keys may send e-mail.
    #[serde(default)]
    pub has_verified_user: bool,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

racun_store::record! {
    /// Where accounts are kept: in the directory.
    pub static ACCOUNTS: Account = "accounts";
    |account|
    id: account.id,
    tenant: Tenant::directory(),
    fields: {
        Field::instant("created_at") => account.created_at,
        Field::text("name").searched() => account.name,
    }
}

/// A person who signs in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// Their id.
    pub id: UserId,
    /// Their e-mail address as they wrote it; unique everywhere, whatever its capitals.
    pub email: String,
    /// Their name.
    pub name: Option<String>,
    /// Whether they proved that the address is theirs.
    pub email_verified: bool,
    /// The account that is their own.
    pub account_id: AccountId,
    /// Their password's hash.
    pub password: PasswordHash,
    /// When the password was set last, by mail or by the user; sessions of before end then.
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub password_changed_at: Option<OffsetDateTime>,
    /// The network address from which the mail's reader set the password, where that is known: it
    /// is trusted as one where they were logged in.
    #[serde(default)]
    pub(crate) password_set_from: Option<String>,
    /// Where they logged in rightly, the place last used first.
    #[serde(default)]
    pub(crate) known_places: Vec<KnownPlace>,
    /// The language they read: a locale such as `sl-SI`, or a language such as `sl`.
    pub locale: Option<String>,
    /// What clients keep for them.
    pub settings: Map<String, Json>,
    /// What callers attach.
    pub metadata: Metadata,
    /// When they signed up.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When they changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

racun_store::record! {
    /// Where users are kept: in the directory.
    pub static USERS: User = "users";
    |user|
    id: user.id,
    tenant: Tenant::directory(),
    fields: {
        Field::instant("created_at") => user.created_at,
        Field::text("email").unique(Unique::Everywhere).hidden() => fold_email(&user.email),
    }
}

impl User {
    /// Sets the password that the reader of their mail chose at `address`. Where the user was not
    /// proved before, another person may have logged in, so no place is known any more.
    pub(crate) fn recover(
        &mut self,
        password: PasswordHash,
        address: Option<String>,
        stamp: &Stamp,
    ) {
        if !self.email_verified {
            self.known_places.clear();
        }
        (self.password, self.password_set_from) = (password, address);
        self.password_changed_at = Some(stamp.now());
    }
}

/// What signing up asks for.
#[derive(Debug, Clone)]
pub struct SignUp {
    /// The address to log in with.
    pub email: String,
    /// Made by [`crate::hash_password`].
    pub password: PasswordHash,
    /// The person's name.
    pub name: Option<String>,
    /// The account's name; the person's, or else the address, when there is none.
    pub company_name: Option<String>,
    /// The language they read, as [`update_me`] takes it.
    pub locale: Option<String>,
    /// The slug of the white label under whose address they sign up.
    pub white_label: Option<String>,
    /// What clients keep for the user.
    pub settings: Option<Map<String, Json>>,
    /// What callers attach.
    pub metadata: Option<Metadata>,
}

/// Whether anybody has signed up yet.
///
/// # Errors
/// When the store fails.
pub async fn has_accounts(store: &dyn Store) -> Result<bool, AccessError> {
    let query = ListQuery { limit: 1, count: false, ..ListQuery::first_page(&ACCOUNTS) };
    let page = store.page::<Account>(&ACCOUNTS, &Tenant::directory(), &query).await?;
    Ok(!page.rows.is_empty())
}

/// Marks the account that signed up first where the others need an invitation: of several that sign
/// up at once, one makes the row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstAccount {
    /// The account.
    account_id: AccountId,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
}

racun_store::record! {
    /// Where the mark is kept: in the directory, one row.
    pub static FIRST_ACCOUNTS: FirstAccount = "first_accounts";
    |first|
    id: "first_account",
    tenant: Tenant::directory(),
    fields: {
        Field::instant("created_at") => first.created_at,
    }
}

impl FirstAccount {
    /// What marks the account of `user`, in the unit that makes both. Where another one signs up
    /// first, that unit is refused with [`crate::Forbidden::SignUpByInvitation`].
    #[must_use]
    pub fn mark(user: &User) -> Put {
        Put::insert(&Self { account_id: user.account_id, created_at: user.created_at })
    }
}

/// The slug of the white label that `account` is under.
pub(crate) async fn find_white_label(
    store: &dyn Store,
    account: AccountId,
) -> Result<Option<String>, AccessError> {
    let id = account.to_string();
    let account: Option<Account> = store.get(&ACCOUNTS, &Tenant::directory(), &id).await?;
    Ok(account.and_then(|account| account.white_label))
}

/// Makes a user and the account that is their own, in one commit.
///
/// The address is not verified: nothing waits for that.
///
/// # Errors
/// [`AccessError::Invalid`] for wrong input, [`crate::Conflict::EmailTaken`] for a known address.
pub async fn sign_up(store: &dyn Store, input: SignUp, stamp: &Stamp) -> Result<User, AccessError> {
    let (user, puts, events) = sign_up_writes(input, stamp)?;
    store.insert(puts, events).await?;
    Ok(user)
}

/// What signing up writes, for a caller who writes more in the same commit.
///
/// # Errors
/// One issue for each thing that is wrong with the input.
pub fn sign_up_writes(
    input: SignUp,
    stamp: &Stamp,
) -> Result<(User, Vec<Put>, Vec<Event>), Issues> {
    let (user, puts) = new_user(input, false, stamp)?;
    let event =
        event(Tenant::account(user.account_id), events::user::CREATED, &user.id, &user.id, stamp);
    Ok((user, puts, vec![event]))
}

/// A user with an account of their own, and both rows; `email_verified` when they proved already
/// that the address is theirs.
pub(crate) fn new_user(
    input: SignUp,
    email_verified: bool,
    stamp: &Stamp,
) -> Result<(User, Vec<Put>), Issues> {
    check_sign_up(&input)?;
    let (now, email) = (stamp.now(), input.email);
    let name = input.company_name.or_else(|| input.name.clone()).unwrap_or_else(|| email.clone());
    let (white_label, has_verified_user) = (input.white_label, email_verified);
    let account = Account {
        id: stamp.id(),
        name,
        white_label,
        has_verified_user,
        created_at: now,
        updated_at: now,
    };
    let user = User {
        id: stamp.id(),
        email,
        name: input.name,
        email_verified,
        account_id: account.id,
        password: input.password,
        password_changed_at: None,
        password_set_from: None,
        known_places: Vec::new(),
        locale: input.locale,
        settings: input.settings.unwrap_or_default(),
        metadata: input.metadata.unwrap_or_default(),
        created_at: now,
        updated_at: now,
    };
    let puts = vec![Put::insert(&account), Put::insert(&user)];
    Ok((user, puts))
}

fn check_sign_up(input: &SignUp) -> Result<(), Issues> {
    let SignUp { email, name, company_name, locale, settings, .. } = input;
    check_profile(email, [name, company_name], locale.as_deref(), settings.as_ref())
}

/// Checks what a new user says of themselves, but for the password: their address, their own and
/// the company's name, and the rest.
///
/// # Errors
/// One issue for each thing that is wrong.
pub fn check_profile(
    email: &str,
    [name, company_name]: [&Option<String>; 2],
    locale: Option<&str>,
    settings: Option<&Map<String, Json>>,
) -> Result<(), Issues> {
    let mut issues = Issues::default();
    issues.collect("email", check_email(email).map_err(Issues::from));
    for (path, name) in [("name", name), ("company_name", company_name)] {
        if let Some(name) = name {
            issues.collect(path, check_name(name));
        }
    }
    if let Some(locale) = locale {
        issues.collect("locale", check_locale(locale).map_err(Issues::from));
    }
    let settings = settings.and_then(|map| serde_json::to_string(map).ok());
    if settings.is_some_and(|json| json.len() > MAX_USER_SETTINGS_BYTES) {
        let message = format!("at most {MAX_USER_SETTINGS_BYTES} bytes of JSON");
        issues.push(Issue::new("too_long", message).at("settings"));
    }
    issues.into_result(())
}

/// Changes what a user says about themselves.
///
/// # Errors
/// [`AccessError::Invalid`] for a name that is too long or blank and for a locale that is none of
/// the 18 locales and languages; [`AccessError::NotFound`] when the user is gone.
pub async fn update_me(
    store: &dyn Store,
    user_id: UserId,
    name: Patch<String>,
    locale: Patch<String>,
    stamp: &Stamp,
) -> Result<User, AccessError> {
    let mut issues = Issues::default();
    if let Some(name) = name.value() {
        issues.collect("name", check_name(name));
    }
    if let Some(text) = locale.value() {
        issues.collect("locale", check_locale(text).map_err(Issues::from));
    }
    issues.into_result(())?;
    let at = stamp.clone();
    let change = move |mut user: User| {
        let before = user.clone();
        name.apply(&mut user.name);
        locale.apply(&mut user.locale);
        if user == before {
            return Ok(Decision::Unchanged(user));
        }
        user.updated_at = at.now();
        let tenant = Tenant::account(user.account_id);
        let happened = event(tenant, events::user::UPDATED, &user_id, &user_id, &at);
        Ok(Decision::changed(user, vec![happened]))
    };
    store.amend(&USERS, &Tenant::directory(), user_id.to_string(), change).await
}

fn check_locale(text: &str) -> Result<(), Issue> {
    if is_known_locale(text) {
        return Ok(());
    }
    let message = format!("no such locale {text:?}; there are {}", LOCALES.join(", "));
    Err(Issue::new("invalid_value", message))
}

fn is_known_locale(text: &str) -> bool {
    LOCALES.contains(&text) || LANGUAGES.contains(&text)
}

/// Something that happened, for the log: what security reviews ask for first.
pub(crate) fn event(
    tenant: Tenant,
    kind: EventKind,
    subject: &dyn ToString,
    actor: &dyn ToString,
    stamp: &Stamp,
) -> Event {
    let (subject, actor) = (subject.to_string(), actor.to_string());
    Event::new(tenant, kind, subject, actor, stamp)
}
