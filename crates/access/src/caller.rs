//! Whose a bearer token is.

use std::net::IpAddr;

use racun_kernel::id::{AccountId, EntityId};
use racun_kernel::{Authority, Environment, Person, Principal, Stamp, Tenant};
use racun_store::Store;

use crate::device::{Device, HeldDevice};
use crate::key::is_api_key;
use crate::operator_settings::operator_identity;
use crate::operator_token::{OPERATOR_PREFIX, operator_of};
use crate::secret::is_token;
use crate::session::SESSION_PREFIX;
use crate::{
    API_KEYS, AccessError, ApiKey, Digest, Forbidden, OperatorToken, SESSIONS, Session, USERS, User,
};

/// Who a request's bearer token belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// A person with a session token.
    User {
        /// The person.
        user: Box<User>,
        /// The session.
        session: Box<Session>,
    },
    /// A person at a till, with an operator's token.
    Operator {
        /// The person.
        user: Box<User>,
        /// The token.
        token: Box<OperatorToken>,
        /// What the till is logged in with.
        device: Box<HeldDevice>,
    },
    /// A program with a key of an account.
    AccountKey(
        /// The key.
        ApiKey,
    ),
    /// A program with a key of one entity.
    EntityKey(
        /// The key.
        ApiKey,
    ),
}

impl Caller {
    /// Who acts.
    #[must_use]
    pub fn principal(&self) -> Principal {
        match self {
            Self::User { user, .. } => Principal::User(user.id),
            Self::Operator { user, .. } => Principal::Operator(user.id),
            Self::AccountKey(key) => Principal::AccountKey(key.id),
            Self::EntityKey(key) => Principal::EntityKey(key.id),
        }
    }

    /// The person who acts in `entity`; `None` for keys.
    #[must_use]
    pub fn person(&self, entity: EntityId) -> Option<Person> {
        match self {
            Self::User { user, .. } | Self::Operator { user, .. } => Some(Person {
                user_id: user.id,
                name: user.name.clone(),
                email: user.email.clone(),
                furs: operator_identity(user, entity, Authority::Furs),
                fina: operator_identity(user, entity, Authority::Fina),
            }),
            Self::AccountKey(_) | Self::EntityKey(_) => None,
        }
    }

    /// What a till with this caller's token is logged in with. An operator's token stands for the
    /// session or key that it came of.
    #[must_use]
    pub fn device(&self) -> Device {
        match self {
            Self::User { session, .. } => Device::Session(session.id),
            Self::Operator { token, .. } => token.device,
            Self::AccountKey(key) => Device::AccountKey(key.id),
            Self::EntityKey(key) => Device::EntityKey(key.id),
        }
    }

    /// The account that is the caller's own: a user's, or the one a key or an operator acts for.
    #[must_use]
    pub fn account(&self) -> AccountId {
        match self {
            Self::User { user, .. } => user.account_id,
            Self::Operator { token, .. } => token.account_id,
            Self::AccountKey(key) | Self::EntityKey(key) => key.account_id,
        }
    }

    /// Accepts a request of the caller from `client`; people come from anywhere, unless their till
    /// is logged in with a key.
    ///
    /// # Errors
    /// [`Forbidden::AddressNotAllowed`], as [`ApiKey::check_address`] says it.
    pub fn check_address(&self, client: Option<IpAddr>) -> Result<(), Forbidden> {
        match self {
            Self::User { .. } => Ok(()),
            Self::Operator { device, .. } => device.check_address(client),
            Self::AccountKey(key) | Self::EntityKey(key) => key.check_address(client),
        }
    }

    /// The only environment that the caller reaches; `None` for users, who reach both, and for
    /// operators, who are bound more closely.
    #[must_use]
    pub const fn environment(&self) -> Option<Environment> {
        match self {
            Self::User { .. } | Self::Operator { .. } => None,
            Self::AccountKey(key) | Self::EntityKey(key) => Some(key.environment),
        }
    }
}

/// Finds out whose `token` is: what stands behind `Bearer`, with no spaces around it.
///
/// # Errors
/// [`AccessError::Unauthorized`] when it is malformed, unknown or over, or the store's failure.
pub async fn authenticate(
    store: &dyn Store,
    token: &str,
    stamp: &Stamp,
) -> Result<Caller, AccessError> {
    if is_token(SESSION_PREFIX, token) {
        session_of(store, token, stamp).await
    } else if is_token(OPERATOR_PREFIX, token) {
        operator_of(store, token, stamp).await
    } else if is_api_key(token) {
        key_of(store, token, stamp).await
    } else {
        Err(AccessError::Unauthorized)
    }
}

async fn session_of(store: &dyn Store, token: &str, stamp: &Stamp) -> Result<Caller, AccessError> {
    let found = store.look_up(&SESSIONS, "digest", Digest::of(token).as_str()).await?;
    let session: Session = found.into_iter().next().ok_or(AccessError::Unauthorized)?;
    if session.is_over(stamp.now()) {
        return Err(AccessError::Unauthorized);
    }
    let user = store.get(&USERS, &Tenant::directory(), &session.user_id.to_string()).await?;
    let user: User = user.ok_or(AccessError::Unauthorized)?;
    Ok(Caller::User { user: Box::new(user), session: Box::new(session) })
}

async fn key_of(store: &dyn Store, token: &str, stamp: &Stamp) -> Result<Caller, AccessError> {
    let found = store.look_up(&API_KEYS, "digest", Digest::of(token).as_str()).await?;
    let key: ApiKey = found.into_iter().next().ok_or(AccessError::Unauthorized)?;
    if key.expires_at.is_some_and(|end| end <= stamp.now()) {
        return Err(AccessError::Unauthorized);
    }
    Ok(if key.entity_id.is_some() { Caller::EntityKey(key) } else { Caller::AccountKey(key) })
}
