//! Logging in and out.

use racun_kernel::id::{TokenId, UserId};
use racun_kernel::{
    Field, FieldKind, Load, Put, Record, Stamp, Store, Table, Tenant, Unique, Value, Writes,
};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::account::event;
use crate::device::SwitchRight;
use crate::email::fold_email;
use crate::operator_token::end_operator_token;
use crate::secret::new_token;
use crate::{AccessError, Caller, Digest, Forbidden, PasswordHash, Shown, USERS, User};

/// Seconds that a session lasts: a year.
pub const SESSION_SECONDS: i64 = 31_536_000;
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
    /// Its right to switch the operators of a till.
    #[serde(default)]
    pub(crate) switching: SwitchRight,
}

/// Where sessions are kept: in the directory.
pub static SESSIONS: Table = Table {
    name: "sessions",
    fields: &[
        Field::column("created_at", FieldKind::Instant),
        Field::column("user_id", FieldKind::Text).indexed().hidden(),
        Field::column("digest", FieldKind::Text).unique(Unique::Everywhere).hidden(),
    ],
};

impl Record for Session {
    fn table(&self) -> &'static Table {
        &SESSIONS
    }

    fn id(&self) -> String {
        self.id.to_string()
    }

    fn tenant(&self) -> Tenant {
        Tenant::directory()
    }

    fn values(&self) -> Vec<Value> {
        vec![self.created_at.into(), self.user_id.into(), self.digest.as_str().into()]
    }
}

impl Session {
    /// A new session of `user_id`, with its token.
    pub(crate) fn new(user_id: UserId, stamp: &Stamp) -> Shown<Self> {
        let secret = new_token(SESSION_PREFIX, stamp);
        let now = stamp.now();
        let expires_at = now + Duration::seconds(SESSION_SECONDS);
        let digest = Digest::of(&secret);
        let switching = SwitchRight::default();
        let record =
            Self { id: stamp.id(), user_id, digest, created_at: now, expires_at, switching };
        Shown { record, secret }
    }
}

/// Someone who wants to log in: a user, or nobody.
///
/// Which of the two is not to be seen from outside, so it has no accessor: only
/// [`Login::verify`] answers, at the same cost for both.
#[derive(Debug, Clone)]
pub struct Login(Option<User>);

/// Looks for the user with this e-mail address, whatever its capitals.
///
/// # Errors
/// When the store fails.
pub async fn find_login(store: &dyn Store, email: &str) -> Result<Login, AccessError> {
    Ok(Login(find_user(store, email).await?))
}

pub(crate) async fn find_user(store: &dyn Store, email: &str) -> Result<Option<User>, AccessError> {
    // No store keeps a NUL in text, and some refuse to look for one.
    if email.contains('\0') {
        return Ok(None);
    }
    Ok(store.look_up(&USERS, "email", &fold_email(email)).await?.into_iter().next())
}

impl Login {
    /// The user, when `password` is theirs. Takes tens of milliseconds: not for a reactor.
    ///
    /// # Errors
    /// [`AccessError::BadCredentials`] for an unknown address and for a wrong password alike.
    pub fn verify(self, password: &str) -> Result<User, AccessError> {
        let hash = self.0.as_ref().map_or_else(PasswordHash::nobody, |user| user.password.clone());
        let is_theirs = hash.verify(password);
        self.0.filter(|_| is_theirs).ok_or(AccessError::BadCredentials)
    }
}

/// Begins a session of `user`, whose password was verified. The token is shown once.
///
/// Sessions of the user that are over are cleared away; so is the oldest when there are 100.
///
/// # Errors
/// When the store fails.
pub async fn open_session(
    store: &dyn Store,
    user: &User,
    stamp: &Stamp,
) -> Result<Shown<Session>, AccessError> {
    let load = Load::Where {
        table: &SESSIONS,
        tenant: Tenant::directory(),
        field: "user_id",
        value: user.id.to_string(),
    };
    let shown = Session::new(user.id, stamp);
    let now = stamp.now();
    let tenant = Tenant::account(user.account_id);
    let happened = event(tenant, "user.logged_in", &shown.record.id, &user.id, stamp);
    store
        .decide(vec![load], None, move |loaded| {
            let rows = loaded.rows.iter().flatten().map(|row| row.read(&SESSIONS));
            let mut sessions: Vec<Session> = rows.collect::<Result<_, _>>()?;
            sessions.sort_by_key(|session| session.created_at);
            let live = sessions.iter().filter(|session| session.expires_at > now).count();
            let mut surplus = (live + 1).saturating_sub(MAX_SESSIONS);
            let mut puts = vec![Put::insert(&shown.record)];
            for session in &sessions {
                let is_over = session.expires_at <= now;
                if is_over || surplus > 0 {
                    puts.push(Put::delete(session));
                    surplus -= usize::from(!is_over);
                }
            }
            Ok((shown, Writes { puts, events: vec![happened], takes_number: false }))
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
    let id = session.to_string();
    let load = Load::One { table: &SESSIONS, tenant: Tenant::directory(), id: id.clone() };
    let tenant = Tenant::account(user.account_id);
    let happened = event(tenant, "user.logged_out", &id, &user.id, stamp);
    store
        .decide(vec![load], None, move |loaded| {
            let Some(row) = loaded.rows.iter().flatten().next() else {
                return Ok(((), Writes::default()));
            };
            let puts = vec![Put::delete(&row.read::<Session>(&SESSIONS)?)];
            Ok(((), Writes { puts, events: vec![happened], takes_number: false }))
        })
        .await
}
