//! Sessions: begun by logging in, seen and ended by their user, over when they are not used.

use std::cmp::Reverse;

use racun_kernel::id::{IdentityId, TokenId, UserId};
use racun_kernel::{Stamp, Tenant};
use racun_store::{Field, Held, Many, One, Put, Store, Unique, UnitBuilder, Writes};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::account::event;
use crate::device::OperatorSwitch;
use crate::email::fold_email;
use crate::ending::hold_sessions;
use crate::events;
use crate::login::second_factor::Verdict;
use crate::login_guard::{self, LoginGuard, remember};
use crate::operator_token::end_operator_token;
use crate::secret::new_token;
use crate::{
    AccessError, Caller, Digest, Forbidden, IDENTITIES, Identity, SecondFactor, SecondProof, USERS,
    User, WithSecret,
};

/// Seconds that a session lasts: a year.
pub const SESSION_SECONDS: i64 = 31_536_000;
/// How long a session lasts without use: 30 days.
const IDLE: Duration = Duration::days(30);
/// Characters of a client's name that are kept.
const MAX_AGENT_CHARS: usize = 200;
/// Sessions that a user has at most; the oldest ends when another begins.
const MAX_SESSIONS: usize = 100;
/// What a session token starts with.
pub(crate) const SESSION_PREFIX: &str = "tok_";

/// A user's right to come back without their password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Its id; the token is another text.
    pub id: TokenId,
    /// Whose it is.
    pub user_id: UserId,
    /// What is kept of the token.
    pub(crate) digest: Digest,
    /// When it began.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it ends.
    #[serde(with = "time::serde::rfc3339")]
    pub expires_at: OffsetDateTime,
    /// The network address that it was begun from, where that is known.
    #[serde(default)]
    pub address: Option<String>,
    /// What the client called itself then.
    #[serde(default)]
    pub agent: Option<String>,
    /// When it was used last, to the minute; `None` for never since it began.
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub(crate) last_used_at: Option<OffsetDateTime>,
    /// Its right to switch the operators of a till.
    #[serde(default)]
    pub(crate) switching: OperatorSwitch,
}

/// Where a log-in comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The network address; `None` where it is unknown.
    pub address: Option<String>,
    /// What the client calls itself.
    pub agent: Option<String>,
}

racun_store::record! {
    /// Where sessions are kept: in the directory.
    pub static SESSIONS: Session = "sessions";
    |session|
    id: session.id,
    tenant: Tenant::directory(),
    fields: {
        Field::instant("created_at") => session.created_at,
        Field::text("user_id").indexed().hidden() => session.user_id,
        Field::text("digest").unique(Unique::Everywhere).hidden() => session.digest.as_str(),
    }
}

impl Session {
    /// A new session of `user_id`, begun from `origin`, with its token.
    pub(crate) fn new(user_id: UserId, origin: &Origin, stamp: &Stamp) -> WithSecret<Self> {
        let secret = new_token(SESSION_PREFIX, stamp);
        let now = stamp.now();
        let expires_at = now + Duration::seconds(SESSION_SECONDS);
        let digest = Digest::of(&secret);
        let agent = origin.agent.as_ref();
        let record = Self {
            id: stamp.id(),
            user_id,
            digest,
            created_at: now,
            expires_at,
            address: origin.address.clone(),
            agent: agent.map(|agent| agent.chars().take(MAX_AGENT_CHARS).collect()),
            last_used_at: None,
            switching: OperatorSwitch::default(),
        };
        WithSecret { record, secret }
    }

    /// When it was used last, to the minute; its beginning is a use.
    #[must_use]
    pub fn used_at(&self) -> OffsetDateTime {
        self.last_used_at.unwrap_or(self.created_at)
    }

    /// Whether it is over at `now`: after a year, and after 30 days without use.
    #[must_use]
    pub fn is_over(&self, now: OffsetDateTime) -> bool {
        self.expires_at <= now || now - self.used_at() >= IDLE
    }
}

pub(crate) async fn find_user(store: &dyn Store, email: &str) -> Result<Option<User>, AccessError> {
    // No store keeps a NUL in text, and some refuse to look for one.
    if email.contains('\0') {
        return Ok(None);
    }
    Ok(store.look_up(&USERS, "email", &fold_email(email)).await?.into_iter().next())
}

/// The id of the user with this e-mail address: for the log, never for an answer.
///
/// # Errors
/// When the store fails.
pub async fn find_user_id(store: &dyn Store, email: &str) -> Result<Option<UserId>, AccessError> {
    Ok(find_user(store, email).await?.map(|user| user.id))
}

/// Begins a session of `user`, who proved who they are. The token is shown once.
///
/// Sessions of the user that are over are cleared away; so is the oldest when there are 100.
///
/// # Errors
/// [`AccessError::BadCredentials`] when the password was set since `user` was read,
/// [`AccessError::SecondFactorRequired`] where the user has a second factor, or the store's
/// failure.
pub async fn open_session(
    store: &dyn Store,
    user: &User,
    stamp: &Stamp,
) -> Result<WithSecret<Session>, AccessError> {
    let (origin, proof) = (&Origin::default(), SecondProof::default());
    open_session_with(store, Opening { user, origin, guard: None, identity: None, proof }, stamp)
        .await
}

/// Who begins a session, and what they proved it by.
pub(crate) struct Opening<'a> {
    /// The user as they were read.
    pub user: &'a User,
    /// From where, which is remembered.
    pub origin: &'a Origin,
    /// What counted the failures before, which are forgotten.
    pub guard: Option<&'a str>,
    /// The identity that they signed in by, if not by their password.
    pub identity: Option<IdentityId>,
    /// What they say of their second factor.
    pub proof: SecondProof,
}

/// As [`open_session`], for what `opening` says.
///
/// # Errors
/// As [`open_session`]; [`AccessError::WrongCode`] and [`AccessError::CodeLocked`], which are
/// counted; [`AccessError::BadCredentials`] when the identity is the user's no more.
pub(crate) async fn open_session_with(
    store: &dyn Store,
    opening: Opening<'_>,
    stamp: &Stamp,
) -> Result<WithSecret<Session>, AccessError> {
    let Opening { user, origin, guard, identity, proof } = opening;
    let shown = Session::new(user.id, origin, stamp);
    let mut unit = store.unit(Tenant::directory());
    let held = HeldOpening::hold(&mut unit, user, guard, identity);
    let (known, place, at) = (user.password.clone(), origin.address.clone(), stamp.clone());
    let opened = unit.decide(move |rows| {
        let now = at.now();
        let HeldOpening { sessions, row, guard, identity, factor } = held;
        // Who was checked against another password than the user has now proved nothing.
        let before: Option<User> = rows.find(row)?;
        let before = before.filter(|user| user.password == known);
        let before = before.ok_or(AccessError::BadCredentials)?;
        let used = used(rows, identity, before.id, now)?;
        let factor: Option<SecondFactor> = rows.find(factor)?;
        let by_clock = rows.now().unwrap_or(now);
        let proved = match proof.check(factor, &before, &at, by_clock)? {
            None => Writes::default(),
            Some(Verdict::Right(_, writes)) => writes,
            Some(Verdict::Refused(error, writes)) => return Ok((Err(error), writes)),
        };
        let guard: Option<LoginGuard> = rows.find(guard)?;
        let after = remember(&before, place.as_deref(), now);
        let tenant = Tenant::account(before.account_id);
        let id = &shown.record.id;
        let happened = event(tenant, events::session::LOGGED_IN, id, &before.id, &at);
        let writes = Writes::default()
            .insert(&shown.record)
            .and(login_guard::forgive(&guard))
            .and(proved)
            .puts(used)
            .puts(after.map(|after| Put::update(&before, &after)))
            .puts(surplus(rows.all(sessions)?, now))
            .events([happened]);
        Ok::<_, AccessError>((Ok(shown), writes))
    });
    opened.await?
}

/// What a session that begins is decided on, as a unit holds it.
struct HeldOpening {
    sessions: Many<Session>,
    row: One<User>,
    guard: Option<One<LoginGuard>>,
    identity: Option<One<Identity>>,
    factor: One<SecondFactor>,
}

impl HeldOpening {
    fn hold(
        unit: &mut UnitBuilder<'_, ()>,
        user: &User,
        guard: Option<&str>,
        identity: Option<IdentityId>,
    ) -> Self {
        Self {
            sessions: hold_sessions(unit, user.id),
            row: unit.hold(&USERS, user.id),
            guard: guard.map(|guard| login_guard::hold(unit, guard)),
            identity: identity.map(|id| unit.hold(&IDENTITIES, id)),
            factor: SecondFactor::hold(unit, user.id),
        }
    }
}

/// What notes the use of the identity that `user` signs in by, if they do.
///
/// # Errors
/// [`AccessError::BadCredentials`] when it is theirs no more.
fn used(
    held: &Held<()>,
    identity: Option<One<Identity>>,
    user: UserId,
    now: OffsetDateTime,
) -> Result<Option<Put>, AccessError> {
    let Some(identity) = identity else { return Ok(None) };
    let before: Option<Identity> = held.find(identity)?;
    let before = before.filter(|identity| identity.user_id == user);
    let before = before.ok_or(AccessError::BadCredentials)?;
    let after = Identity { last_used_at: Some(now), ..before.clone() };
    Ok(Some(Put::update(&before, &after)))
}

/// What clears away those of `sessions` that are over, and the oldest ones where one more would be
/// too many.
fn surplus(mut sessions: Vec<Session>, now: OffsetDateTime) -> Vec<Put> {
    sessions.sort_by_key(|session| session.created_at);
    let live = sessions.iter().filter(|session| !session.is_over(now)).count();
    let mut surplus = (live + 1).saturating_sub(MAX_SESSIONS);
    sessions.retain(|session| {
        let is_over = session.is_over(now);
        let goes = is_over || surplus > 0;
        surplus -= usize::from(goes && !is_over);
        goes
    });
    sessions.iter().map(Put::delete).collect()
}

/// The sessions of `user` that are not over, the one used last first.
///
/// # Errors
/// When the store fails.
pub async fn list_sessions(
    store: &dyn Store,
    user: UserId,
    stamp: &Stamp,
) -> Result<Vec<Session>, AccessError> {
    let mut sessions: Vec<Session> = store.look_up(&SESSIONS, "user_id", &user.to_string()).await?;
    sessions.retain(|session| !session.is_over(stamp.now()));
    sessions.sort_by_key(|session| Reverse((session.used_at(), session.id)));
    Ok(sessions)
}

/// Which sessions of a user end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The one with this id.
    One(
        /// Its id.
        String,
    ),
    /// All but this one.
    Others(
        /// Its id.
        TokenId,
    ),
}

/// Ends sessions of `user`, and with them the operators' tokens made in them.
///
/// # Errors
/// [`AccessError::NotFound`] for one that the user does not have, or the store's failure.
pub async fn end_sessions_of(
    store: &dyn Store,
    user: &User,
    ending: Ending,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    let (id, tenant, stamp) = (user.id, Tenant::account(user.account_id), stamp.clone());
    let mut unit = store.unit(Tenant::directory());
    let sessions = hold_sessions(&mut unit, id);
    unit.decide(move |held| {
        let mut ended: Vec<Session> = held.all(sessions)?;
        match ending {
            Ending::Others(kept) => ended.retain(|session| session.id != kept),
            Ending::One(wanted) => {
                ended.retain(|session| session.id.to_string() == wanted);
                if ended.is_empty() {
                    return Err(AccessError::NotFound { id: wanted });
                }
            }
        }
        let told = |session: &Session| {
            event(tenant.clone(), events::session::ENDED, &session.id, &id, &stamp)
        };
        let puts = ended.iter().map(Put::delete);
        Ok(((), Writes::default().puts(puts).events(ended.iter().map(told))))
    })
    .await
}

/// Ends the caller's session: its token is unknown from then on, and so are those of the operators
/// that it switched to. An operator ends their own token only. Ending it twice is not an error.
///
/// # Errors
/// [`Forbidden::UserRequired`] for an API key, or the store's failure.
pub async fn log_out(store: &dyn Store, caller: &Caller, stamp: &Stamp) -> Result<(), AccessError> {
    let (user, session) = match caller {
        Caller::User { user, session } => (user, session),
        Caller::Operator { token, .. } => return end_operator_token(store, token, stamp).await,
        Caller::AccountKey(_) | Caller::EntityKey(_) => return Err(Forbidden::UserRequired.into()),
    };
    let id = session.id.to_string();
    let mut unit = store.unit(Tenant::directory());
    let session = unit.hold(&SESSIONS, &id);
    let tenant = Tenant::account(user.account_id);
    let happened = event(tenant, events::session::LOGGED_OUT, &id, &user.id, stamp);
    unit.decide(move |held| {
        let Some(session) = held.find::<Session>(session)? else {
            return Ok(((), Writes::default()));
        };
        Ok(((), Writes::default().delete(&session).events([happened])))
    })
    .await
}
