//! A token that proves that its holder reads the mail of a user's address: it sets a new password,
//! or verifies the address.
//!
//! A token is made when its mail is delivered ([`mint_mail_token`]), so that no queue and no store
//! ever holds one: only its digest is kept.

use racun_kernel::id::{EntityId, MailTokenId, UserId};
use racun_kernel::{Issue, Stamp, Tenant};
use racun_store::{Field, Held, Many, One, Put, Store, Unique, UnitBuilder, Writes};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::account::event;
use crate::ending::{EndedPlaces, HeldKeys, HeldPlaces, HeldSignIns, end_keys, end_late_keys};
use crate::events;
use crate::login_guard::{LoginGuard, forgive, guards_of, hold_all};
use crate::secret::{is_token, new_token};
use crate::session::find_user;
use crate::takeover::clear_entities;
use crate::{ACCOUNTS, AccessError, Account, Digest, Origin, PasswordHash, USERS, User};

/// Mails of one purpose that a user gets within an hour at most. A further request gets the same
/// answer, and nothing is sent.
const MOST_AN_HOUR: usize = 5;
/// Those within a day after which they come slowly: [`SLOW`] lies between them. A stranger may ask
/// for all of them, so they never stop: the user waits for the next one that long at most.
const MANY_A_DAY: usize = 10;
/// See [`MANY_A_DAY`].
const SLOW: Duration = Duration::hours(2);

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

racun_store::record! {
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

/// Makes a token for the user with this address, to be put into their mail. `None` when no user has
/// the address, when it is verified already, or when the user got as many such mails as may be:
/// five within an hour, and after ten within a day one in two hours.
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
    let mut unit = store.unit(Tenant::directory());
    let _: One<User> = unit.hold(&USERS, user.id);
    let tokens = unit.hold_where(&MAIL_TOKENS, "user_id", user.id);
    unit.decide(move |held| {
        let known: Vec<MailToken> = held.all(tokens)?;
        let within = |other: &MailToken, time: Duration| other.created_at > now - time;
        let sent = |time: Duration| {
            let own = known.iter().filter(|other| other.purpose == purpose);
            own.filter(|other| within(other, time)).count()
        };
        let is_slow = sent(Duration::DAY) >= MANY_A_DAY;
        if sent(Duration::HOUR) >= MOST_AN_HOUR || (is_slow && sent(SLOW) > 0) {
            return Ok((None, Writes::default()));
        }
        let counts = |other: &MailToken| within(other, Duration::DAY);
        let over = known.iter().filter(|other| other.expires_at <= now && !counts(other));
        Ok((Some(secret), Writes::default().puts(over.map(Put::delete)).insert(&token)))
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

/// Whose address `token` was mailed to.
///
/// # Errors
/// `invalid_token` at `token` when they are gone, or the store's failure.
pub async fn owner_of(store: &dyn Store, token: &OpenMailToken) -> Result<User, AccessError> {
    let id = token.0.user_id.to_string();
    store.get(&USERS, &Tenant::directory(), &id).await?.ok_or_else(invalid)
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
/// Who reads the mail of an address has it, so the address is verified too. Keys and identities end
/// when `ends_keys` says so, and when the address was not verified, for they may be another's;
/// places in entities of other accounts then end, too, and in the entities of the user's own
/// account all that others may have made: their places, keys, PINs and invitations.
///
/// # Errors
/// `invalid_token` at `token` when another request used it, or the store's failure.
pub async fn reset_password(
    store: &dyn Store,
    token: OpenMailToken,
    password: PasswordHash,
    ends_keys: bool,
    origin: &Origin,
    stamp: &Stamp,
) -> Result<Proof, AccessError> {
    let user = owner_of(store, &token).await?;
    let is_taken_over = !user.email_verified;
    let ends_keys = ends_keys || is_taken_over;
    if is_taken_over {
        clear_entities(store, &user, None, stamp).await?;
    }
    let mut unit = store.unit(Tenant::directory());
    let redemption = Redemption::hold(&mut unit, token, &user);
    // Guesses lock out no reader of the mail.
    let guards = hold_all(&mut unit, guards_of(&user.email, origin.address.as_deref()));
    let sign_ins = HeldSignIns::hold(&mut unit, user.id);
    let places = HeldPlaces::hold(&mut unit, store, &user, None).await?;
    let keys = match ends_keys {
        true => Some(HeldKeys::hold(&mut unit, store, &user).await?),
        false => None,
    };
    let (address, at) = (origin.address.clone(), stamp.clone());
    let change = move |user: &mut User, held: &Held<()>| {
        let mut ended = places.end(held, user, true, &at)?;
        let sign_ins = sign_ins.end(held, ends_keys)?;
        let guards: Vec<LoginGuard> = held.all(guards)?;
        let keys = keys.map(|keys| keys.read(held)).transpose()?.unwrap_or_default();
        user.recover(password, address, &at);
        let tenant = Tenant::account(user.account_id);
        ended.writes = ended
            .writes
            .and(sign_ins)
            .and(forgive(&guards))
            .and(end_keys(&keys, &user.id, &at))
            .events([event(tenant, events::user::PASSWORD_RESET, &user.id, &user.id, &at)]);
        Ok(ended)
    };
    let at = stamp.clone();
    let proof = unit.decide(move |held| redemption.decide(held, &at, change)).await?;
    if ends_keys {
        end_late_keys(store, &user, stamp).await?;
    }
    if is_taken_over {
        clear_entities(store, &user, None, stamp).await?;
    }
    Ok(proof)
}

/// Notes that the user's address is theirs. Their places in entities of other accounts from before
/// the first proof end: another person may have accepted them.
///
/// # Errors
/// `invalid_token` at `token` when another request used it, or the store's failure.
pub async fn verify_email(
    store: &dyn Store,
    token: OpenMailToken,
    stamp: &Stamp,
) -> Result<Proof, AccessError> {
    let user = owner_of(store, &token).await?;
    let mut unit = store.unit(Tenant::directory());
    let redemption = Redemption::hold(&mut unit, token, &user);
    let places = HeldPlaces::hold(&mut unit, store, &user, None).await?;
    let stamp = stamp.clone();
    unit.decide(move |held| {
        redemption.decide(held, &stamp, |user, held| places.end(held, user, false, &stamp))
    })
    .await
}

/// The use of a token, which uses up all tokens of its user that have its purpose, as a unit holds
/// it.
struct Redemption {
    token: MailToken,
    user: One<User>,
    tokens: Many<MailToken>,
    account: One<Account>,
}

impl Redemption {
    /// Holds `token`, which is of `user`.
    fn hold(unit: &mut UnitBuilder<'_, ()>, token: OpenMailToken, user: &User) -> Self {
        Self {
            token: token.0,
            user: unit.hold(&USERS, user.id),
            tokens: unit.hold_where(&MAIL_TOKENS, "user_id", user.id),
            account: unit.hold(&ACCOUNTS, user.account_id),
        }
    }

    /// Uses the token up and verifies the address; `change` says what else becomes of the user, and
    /// what ends with that.
    fn decide(
        self,
        held: &Held<()>,
        stamp: &Stamp,
        change: impl FnOnce(&mut User, &Held<()>) -> Result<EndedPlaces, AccessError>,
    ) -> Result<(Proof, Writes), AccessError> {
        let Self { token, user, tokens, account } = self;
        let tokens: Vec<MailToken> = held.all(tokens)?;
        if !tokens.iter().any(|known| known.id == token.id) {
            return Err(invalid());
        }
        let before: User = held.find(user)?.ok_or(AccessError::Unauthorized)?;
        let mut after = before.clone();
        let EndedPlaces { writes, left } = change(&mut after, held)?;
        let used = tokens.iter().filter(|known| known.purpose == token.purpose);
        let writes = writes.puts(used.map(Put::delete));
        let writes = writes.and(prove_address(&mut after, held.find(account)?, stamp));
        after.updated_at = stamp.now();
        Ok((Proof { user: after.id, left }, writes.update(&before, &after)))
    }
}

/// Notes that the address of `user`, who is of `account`, is theirs, and what else is written with
/// it, unless that is known.
pub(crate) fn prove_address(user: &mut User, account: Option<Account>, stamp: &Stamp) -> Writes {
    if user.email_verified {
        return Writes::default();
    }
    user.email_verified = true;
    let tenant = Tenant::account(user.account_id);
    let verified = event(tenant, events::user::EMAIL_VERIFIED, &user.id, &user.id, stamp);
    let account = account.map(|before| {
        let after = Account { has_verified_user: true, ..before.clone() };
        Put::update(&before, &after)
    });
    Writes::default().puts(account).events([verified])
}
