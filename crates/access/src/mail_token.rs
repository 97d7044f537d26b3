//! What proves that whoever holds it reads the mail of a user's address: it sets a new password, or
//! verifies the address.
//!
//! A token is made when its mail is delivered ([`mint_mail_token`]), so that no queue and no store
//! ever holds one: only its digest is kept.

use racun_kernel::id::{AccountId, EntityId, MailTokenId, UserId};
use racun_kernel::{Event, Field, Issue, Load, Put, Stamp, Store, Stored, Tenant, Unique, Writes};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::account::event;
use crate::ending::{
    EndedPlaces, end_keys, end_late_keys, end_places, end_sessions, load_keys, load_places,
    load_sessions, read_keys,
};
use crate::login::forgiven;
use crate::login_guard::{self, guards_of};
use crate::secret::{is_token, new_token};
use crate::session::find_user;
use crate::{ACCOUNTS, AccessError, Account, Digest, Origin, PasswordHash, USERS, User};

/// Mails of one purpose that a user gets within an hour at most. A further request gets the same
/// answer, and nothing is sent.
const MOST_AN_HOUR: usize = 5;

/// What a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MailTokenPurpose {
    /// Setting a new password, within an hour.
    PasswordReset,
    /// Verifying the address, within a day.
    Verification,
}

impl MailTokenPurpose {
    const fn prefix(self) -> &'static str {
        match self {
            Self::PasswordReset => "reset_",
            Self::Verification => "verify_",
        }
    }

    const fn lasts(self) -> Duration {
        match self {
            Self::PasswordReset => Duration::hours(1),
            Self::Verification => Duration::hours(24),
        }
    }
}

/// A token that was mailed to a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailToken {
    /// Its id; the token is another text.
    pub id: MailTokenId,
    /// Whose address it was mailed to.
    pub user_id: UserId,
    /// What it is for.
    pub purpose: MailTokenPurpose,
    /// What is kept of it.
    pub(crate) digest: Digest,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it ends.
    #[serde(with = "time::serde::rfc3339")]
    pub expires_at: OffsetDateTime,
}

racun_kernel::record! {
    /// Where mailed tokens are kept: in the directory.
    pub static MAIL_TOKENS: MailToken = "mail_tokens";
    |token|
    id: token.id,
    tenant: Tenant::directory(),
    fields: {
        Field::instant("created_at") => token.created_at,
        Field::text("user_id").indexed().hidden() => token.user_id,
        Field::text("digest").unique(Unique::Everywhere).hidden() => token.digest.as_str(),
    }
}

pub(crate) fn load_user(id: UserId) -> Load {
    Load::One { table: &USERS, tenant: Tenant::directory(), id: id.to_string() }
}

pub(crate) fn load_account(id: AccountId) -> Load {
    Load::One { table: &ACCOUNTS, tenant: Tenant::directory(), id: id.to_string() }
}

fn load_tokens(user: UserId) -> Load {
    let (tenant, value) = (Tenant::directory(), user.to_string());
    Load::Where { table: &MAIL_TOKENS, tenant, field: "user_id", value }
}

fn read_tokens(rows: Option<&Vec<Stored>>) -> Result<Vec<MailToken>, AccessError> {
    let rows = rows.into_iter().flatten();
    Ok(rows.map(|row| row.read(&MAIL_TOKENS)).collect::<Result<_, _>>()?)
}

fn read_user(rows: Option<&Vec<Stored>>) -> Result<User, AccessError> {
    let row = rows.and_then(|rows| rows.first()).ok_or(AccessError::Unauthorized)?;
    Ok(row.read(&USERS)?)
}

/// Makes a token for the user with this address, to be put into their mail. `None` when no user has
/// the address, when it is verified already, or when the user got five such mails within an hour.
///
/// Tokens of theirs that are over are cleared away; the others stay good, for an earlier mail may
/// be the one that arrives.
///
/// # Errors
/// The store's failure.
pub async fn mint_mail_token(
    store: &dyn Store,
    email: &str,
    purpose: MailTokenPurpose,
    stamp: &Stamp,
) -> Result<Option<String>, AccessError> {
    let Some(user) = find_user(store, email).await? else { return Ok(None) };
    if purpose == MailTokenPurpose::Verification && user.email_verified {
        return Ok(None);
    }
    let secret = new_token(purpose.prefix(), stamp);
    let now = stamp.now();
    let token = MailToken {
        id: stamp.id(),
        user_id: user.id,
        purpose,
        digest: Digest::of(&secret),
        created_at: now,
        expires_at: now + purpose.lasts(),
    };
    let loads = vec![load_user(user.id), load_tokens(user.id)];
    store
        .decide(loads, None, move |loaded| {
            let known = read_tokens(loaded.rows.get(1))?;
            let recent = |other: &&MailToken| {
                other.purpose == purpose && other.created_at > now - Duration::hours(1)
            };
            if known.iter().filter(recent).count() >= MOST_AN_HOUR {
                return Ok((None, Writes::default()));
            }
            let over = known.iter().filter(|other| other.expires_at <= now && !recent(other));
            let mut puts: Vec<Put> = over.map(Put::delete).collect();
            puts.push(Put::insert(&token));
            Ok((Some(secret), Writes { puts, ..Writes::default() }))
        })
        .await
}

/// Who used a token, and what ended by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// Whose address it proves.
    pub user: UserId,
    /// Entities of other accounts that the user belonged to before the address was proved, and does
    /// not any more: another person may have accepted in their name.
    pub left: Vec<EntityId>,
}

/// A token that was found and has not ended.
#[derive(Debug, Clone)]
pub struct OpenMailToken(MailToken);

/// The address that `token` was mailed to, which is no good password.
///
/// # Errors
/// The store's failure.
pub async fn address_of(store: &dyn Store, token: &OpenMailToken) -> Result<String, AccessError> {
    Ok(find_owner(store, token).await?.email)
}

fn invalid() -> AccessError {
    let message = "the token is unknown, was used, or is over; ask for another mail";
    Issue::new("invalid_token", message).at("token").into()
}

/// Looks for `token` of this purpose.
///
/// # Errors
/// `invalid_token` at `token`, or the store's failure.
pub async fn find_mail_token(
    store: &dyn Store,
    token: &str,
    purpose: MailTokenPurpose,
    stamp: &Stamp,
) -> Result<OpenMailToken, AccessError> {
    if !is_token(purpose.prefix(), token) {
        return Err(invalid());
    }
    let digest = Digest::of(token);
    let found: Vec<MailToken> = store.look_up(&MAIL_TOKENS, "digest", digest.as_str()).await?;
    let open = |token: &MailToken| token.purpose == purpose && token.expires_at > stamp.now();
    found.into_iter().find(open).map(OpenMailToken).ok_or_else(invalid)
}

/// Sets a new password, once: all sessions of the user end, and all their tokens for new passwords.
/// Who reads the mail of an address has it, so the address is verified too. Keys end when
/// `ends_keys` says so, and when the address was not verified, for their maker may be another; open
/// invitations that they made and places in entities of other accounts then end, too.
///
/// # Errors
/// `invalid_token` at `token` when it was used meanwhile, or the store's failure.
pub async fn reset_password(
    store: &dyn Store,
    token: OpenMailToken,
    password: PasswordHash,
    ends_keys: bool,
    origin: &Origin,
    stamp: &Stamp,
) -> Result<Proof, AccessError> {
    let user = find_owner(store, &token).await?;
    let ends_keys = ends_keys || !user.email_verified;
    // Guesses lock out no reader of the mail.
    let address = origin.address.clone();
    let [everywhere, here] = guards_of(&user.email, address.as_deref());
    let mut held = vec![load_sessions(user.id), login_guard::load(&everywhere)];
    let guards = usize::from(here != everywhere) + 1;
    held.extend((guards > 1).then(|| login_guard::load(&here)));
    let places = load_places(store, &user, None).await?;
    let count = places.len();
    held.extend(places);
    if ends_keys {
        held.extend(load_keys(store, &user).await?);
    }
    let proof = redeem(store, token, &user, held, stamp, move |user, rows, stamp| {
        let (sessions, rest) = rows.split_first().ok_or_else(invalid)?;
        let (guards, rest) = rest.split_at_checked(guards).ok_or_else(invalid)?;
        let (places, keys) = rest.split_at_checked(count).ok_or_else(invalid)?;
        let mut ended = end_places(places, user, true, stamp)?;
        let puts = &mut ended.puts;
        puts.extend(end_sessions(sessions, None)?);
        puts.extend(forgiven(guards)?);
        let keys = read_keys(keys.iter().flatten())?;
        let (keys, told) = end_keys(&keys, &user.id, stamp);
        puts.extend(keys);
        ended.events.extend(told);
        user.recover(password, address, stamp);
        let tenant = Tenant::account(user.account_id);
        ended.events.push(event(tenant, "user.password_reset", &user.id, &user.id, stamp));
        Ok(ended)
    })
    .await?;
    if ends_keys {
        end_late_keys(store, &user, stamp).await?;
    }
    Ok(proof)
}

/// Notes that the user's address is theirs. Their places in entities of other accounts from before
/// the first proof end: another person may have accepted them.
///
/// # Errors
/// `invalid_token` at `token` when it was used meanwhile, or the store's failure.
pub async fn verify_email(
    store: &dyn Store,
    token: OpenMailToken,
    stamp: &Stamp,
) -> Result<Proof, AccessError> {
    let user = find_owner(store, &token).await?;
    let places = load_places(store, &user, None).await?;
    redeem(store, token, &user, places, stamp, |user, places, stamp| {
        end_places(&places, user, false, stamp)
    })
    .await
}

/// Whose the token is.
async fn find_owner(store: &dyn Store, token: &OpenMailToken) -> Result<User, AccessError> {
    let id = token.0.user_id.to_string();
    store.get(&USERS, &Tenant::directory(), &id).await?.ok_or_else(invalid)
}

/// Uses a token of `user` up, with all of theirs that have its purpose, and verifies the address;
/// `change` says what else becomes of the user and of the rows that `more` loads.
async fn redeem(
    store: &dyn Store,
    token: OpenMailToken,
    user: &User,
    more: Vec<Load>,
    stamp: &Stamp,
    change: impl FnOnce(&mut User, Vec<Vec<Stored>>, &Stamp) -> Result<EndedPlaces, AccessError>
    + Send
    + 'static,
) -> Result<Proof, AccessError> {
    let OpenMailToken(token) = token;
    let mut loads = vec![load_user(user.id), load_tokens(user.id), load_account(user.account_id)];
    loads.extend(more);
    let stamp = stamp.clone();
    store
        .decide(loads, None, move |mut loaded| {
            let more = loaded.rows.split_off(3);
            let tokens = read_tokens(loaded.rows.get(1))?;
            if !tokens.iter().any(|known| known.id == token.id) {
                return Err(invalid());
            }
            let before = read_user(loaded.rows.first())?;
            let mut after = before.clone();
            let EndedPlaces { mut puts, mut events, left } = change(&mut after, more, &stamp)?;
            let used = tokens.iter().filter(|known| known.purpose == token.purpose);
            puts.extend(used.map(Put::delete));
            let account = loaded.rows.get(2).and_then(|rows| rows.first());
            let (proof, told) = prove_address(&mut after, account, &stamp)?;
            puts.extend(proof);
            events.extend(told);
            after.updated_at = stamp.now();
            puts.push(Put::update(&before, &after));
            let proof = Proof { user: after.id, left };
            Ok((proof, Writes { puts, events, takes_number: false }))
        })
        .await
}

/// Notes that the address of `user` is theirs, and what else is written with it, unless that is
/// known.
///
/// # Errors
/// When the `account`'s row cannot be read.
pub(crate) fn prove_address(
    user: &mut User,
    account: Option<&Stored>,
    stamp: &Stamp,
) -> Result<(Vec<Put>, Vec<Event>), AccessError> {
    if user.email_verified {
        return Ok(Default::default());
    }
    user.email_verified = true;
    let mut puts = Vec::new();
    if let Some(row) = account {
        let before: Account = row.read(&ACCOUNTS)?;
        let after = Account { has_verified_user: true, ..before.clone() };
        puts.push(Put::update(&before, &after));
    }
    let tenant = Tenant::account(user.account_id);
    Ok((puts, vec![event(tenant, "user.email_verified", &user.id, &user.id, stamp)]))
}
