//! Whose an identity is, and the session of who signs in by it.

use racun_kernel::id::{IdentityId, UserId};
use racun_kernel::{Issue, Stamp, Tenant, Vault};
use racun_store::{Event, Put, Store};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use super::linking::link_by_address;
use super::{IDENTITIES, Identity, ProviderDescription, Verified, person};
use crate::account::{event, new_user};
use crate::events;
use crate::session::{Opening, find_user, open_session_with};
use crate::{
    AccessError, Conflict, Forbidden, Origin, PasswordHash, SecondProof, Session, SignUp, USERS,
    User, WithSecret,
};

/// How long who signed in at the provider has for the code of their second factor.
const CONTINUED: Duration = Duration::minutes(5);
/// Whose continuations are for the vault.
const OWNER: &str = "sign-ins that lack a second factor";

/// A user for whom a provider vouches.
#[derive(Debug, Clone)]
pub struct IdentityLogin {
    /// The user.
    pub user: User,
    identity: IdentityId,
}

/// Who signs in.
#[derive(Debug, Clone)]
pub enum Recognized {
    /// A user.
    Known(Box<IdentityLogin>),
    /// A person who has no user here.
    New(Verified),
}

/// Whose the identity `verified` is. It is linked by address only where the provider gives the
/// address out itself, and user and provider have both proved it.
///
/// # Errors
/// [`Conflict::IdentityNotLinked`] when a user has the address and it is not to be linked by that,
/// [`Forbidden::IdentityWithoutAddress`] for a new person of whom the provider knows no address, or
/// the store's failure.
pub async fn recognize(
    store: &dyn Store,
    provider: &ProviderDescription,
    verified: Verified,
    stamp: &Stamp,
) -> Result<Recognized, AccessError> {
    let key = person(&verified.issuer, &verified.subject);
    let found: Vec<Identity> = store.look_up(&IDENTITIES, "person", &key).await?;
    if let Some(identity) = found.into_iter().next() {
        let login = login_of(store, identity.user_id, identity.id).await?;
        return Ok(Recognized::Known(Box::new(login)));
    }
    let email = verified.email.clone().ok_or(Forbidden::IdentityWithoutAddress)?;
    match find_user(store, &email).await? {
        None => Ok(Recognized::New(verified)),
        Some(user) if provider.proves(&email) => {
            let (user, identity) = link_by_address(store, &user, verified, stamp).await?;
            let login = IdentityLogin { user, identity: identity.id };
            Ok(Recognized::Known(Box::new(login)))
        }
        Some(_) => Err(Conflict::IdentityNotLinked.into()),
    }
}

async fn login_of(
    store: &dyn Store,
    user: UserId,
    identity: IdentityId,
) -> Result<IdentityLogin, AccessError> {
    let user = store.get(&USERS, &Tenant::directory(), &user.to_string()).await?;
    Ok(IdentityLogin { user: user.ok_or(AccessError::Unauthorized)?, identity })
}

/// A new user for `verified`, who has no password until they set one by mail; both rows and the
/// account's, and their events. Their address is verified where the provider's word proves
/// it.
///
/// # Errors
/// What is wrong with name or address.
pub fn sign_up_writes_by(
    provider: &ProviderDescription,
    verified: Verified,
    white_label: Option<String>,
    stamp: &Stamp,
) -> Result<(IdentityLogin, Vec<Put>, Vec<Event>), AccessError> {
    let email = verified.email.clone().ok_or(Forbidden::IdentityWithoutAddress)?;
    let is_proved = provider.proves(&email);
    let input = SignUp {
        email,
        password: PasswordHash::dummy(),
        name: verified.name.clone(),
        company_name: None,
        locale: None,
        white_label,
        settings: None,
        metadata: None,
    };
    let (user, mut puts) = new_user(input, is_proved, stamp)?;
    let identity = Identity::new(&user, verified, stamp);
    puts.push(Put::insert(&identity));
    let tenant = Tenant::account(user.account_id);
    let created = event(tenant, events::user::CREATED, &user.id, &user.id, stamp);
    let told = vec![created, identity.linked(&user, stamp)];
    Ok((IdentityLogin { user, identity: identity.id }, puts, told))
}

/// Begins a session of who signed in from `origin`. The token is shown once.
///
/// # Errors
/// [`AccessError::SecondFactorRequired`] with a continuation where the user has a second factor and
/// `proof` has no code, [`AccessError::WrongCode`], [`AccessError::CodeLocked`],
/// [`AccessError::BadCredentials`] when the identity was unlinked or the password set since, or
/// the store's failure.
pub async fn finish_sign_in(
    store: &dyn Store,
    login: &IdentityLogin,
    proof: SecondProof,
    origin: &Origin,
    stamp: &Stamp,
) -> Result<WithSecret<Session>, AccessError> {
    let vault = proof.vault().cloned();
    let identity = Some(login.identity);
    let opening = Opening { user: &login.user, origin, guard: None, identity, proof };
    match open_session_with(store, opening, stamp).await {
        Err(AccessError::SecondFactorRequired { .. }) => {
            let vault = vault.ok_or(AccessError::SecretSealed)?;
            let continuation = Some(login.sealed(&*vault, stamp));
            Err(AccessError::SecondFactorRequired { continuation })
        }
        opened => opened,
    }
}

/// A sign-in that lacks a second factor, as its client keeps it: sealed.
#[derive(Serialize, Deserialize)]
struct Continuation {
    user: UserId,
    identity: IdentityId,
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
}

impl IdentityLogin {
    fn sealed(&self, vault: &dyn Vault, stamp: &Stamp) -> String {
        let kept = Continuation { user: self.user.id, identity: self.identity, at: stamp.now() };
        let text = serde_json::to_vec(&kept).expect("ids and a time are JSON");
        vault.seal(OWNER, &text, stamp)
    }
}

/// The sign-in that [`finish_sign_in`] answered `continuation` of, within five minutes.
///
/// # Errors
/// `invalid_token` at `continuation` when it is over, altered, or a new password was set since;
/// [`AccessError::SecretSealed`] without a vault; or the store's failure.
pub async fn continue_sign_in(
    store: &dyn Store,
    continuation: &str,
    vault: Option<&dyn Vault>,
    stamp: &Stamp,
) -> Result<IdentityLogin, AccessError> {
    let vault = vault.ok_or(AccessError::SecretSealed)?;
    let invalid = || {
        let message = "this is no continuation of a sign-in, or it is over; sign in again";
        AccessError::from(Issue::new("invalid_token", message).at("continuation"))
    };
    let text = vault.open(OWNER, continuation).map_err(|_| invalid())?;
    let kept: Continuation = serde_json::from_slice(&text).map_err(|_| invalid())?;
    if stamp.now() >= kept.at + CONTINUED {
        return Err(invalid());
    }
    let login = login_of(store, kept.user, kept.identity).await?;
    match login.user.password_changed_at {
        Some(at) if kept.at < at => Err(invalid()),
        _ => Ok(login),
    }
}
