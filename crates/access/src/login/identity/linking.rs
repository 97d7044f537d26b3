//! Which identities a user has.

use racun_kernel::{Stamp, Tenant};
use racun_store::{Held, Many, One, Put, Store, UnitBuilder, Writes};

use super::{IDENTITIES, Identity, Verified};
use crate::account::event;
use crate::events;
use crate::login_guard::{LoginGuard, forgive};
use crate::{AccessError, Conflict, Refused, RightLogin, USERS, User};

/// Identities that a user has at most.
const MOST: usize = 10;

/// The identities of `user`, the oldest first.
///
/// # Errors
/// The store's failure.
pub async fn list_identities(store: &dyn Store, user: &User) -> Result<Vec<Identity>, AccessError> {
    let id = user.id.to_string();
    let mut found: Vec<Identity> = store.look_up(&IDENTITIES, "user_id", &id).await?;
    found.sort_by_key(|one| (one.created_at, one.id));
    Ok(found)
}

/// Links the identity of who is logged in and said their password.
///
/// # Errors
/// [`Conflict::IdentityTaken`] when it is linked, to whomever; [`Refused::TooManyIdentities`] when
/// there are 10; [`AccessError::Unauthorized`] when another request set the password; or the
/// store's failure.
pub async fn link_identity(
    store: &dyn Store,
    right: RightLogin,
    verified: Verified,
    stamp: &Stamp,
) -> Result<Identity, AccessError> {
    let stamp = stamp.clone();
    let mut unit = store.unit(Tenant::directory());
    let held = HeldOwner::hold(&mut unit, &right.user);
    let guard = right.hold_guard(&mut unit);
    unit.decide(move |rows| {
        let guard: Option<LoginGuard> = rows.find(guard)?;
        let (user, known) = held.read(rows)?;
        if user.password != right.user.password {
            return Err(AccessError::Unauthorized);
        }
        let (identity, writes) = linked(&user, &known, verified, &stamp)?;
        Ok((identity, writes.and(forgive(&guard))))
    })
    .await
}

/// Links the identity of who has a user with the address that the provider gave them.
///
/// # Errors
/// [`Conflict::IdentityNotLinked`] when the address is not proved, or the user has an identity of
/// this provider: the address may be another person's by now. Else as [`link_identity`].
pub(super) async fn link_by_address(
    store: &dyn Store,
    user: &User,
    verified: Verified,
    stamp: &Stamp,
) -> Result<(User, Identity), AccessError> {
    let stamp = stamp.clone();
    let mut unit = store.unit(Tenant::directory());
    let held = HeldOwner::hold(&mut unit, user);
    unit.decide(move |rows| {
        let (user, known) = held.read(rows)?;
        if !user.email_verified || known.iter().any(|one| one.issuer == verified.issuer) {
            return Err(Conflict::IdentityNotLinked.into());
        }
        let (identity, writes) = linked(&user, &known, verified, &stamp)?;
        Ok(((user, identity), writes))
    })
    .await
}

/// A user with the identities that they have, as a unit holds them.
struct HeldOwner {
    user: One<User>,
    identities: Many<Identity>,
}

impl HeldOwner {
    fn hold(unit: &mut UnitBuilder<'_, ()>, user: &User) -> Self {
        let identities = unit.hold_where(&IDENTITIES, "user_id", user.id);
        Self { user: unit.hold(&USERS, user.id), identities }
    }

    fn read(self, held: &Held<()>) -> Result<(User, Vec<Identity>), AccessError> {
        let user: Option<User> = held.find(self.user)?;
        Ok((user.ok_or(AccessError::Unauthorized)?, held.all(self.identities)?))
    }
}

/// The identity of `verified` as one of `user`, who has those that are `known`.
fn linked(
    user: &User,
    known: &[Identity],
    verified: Verified,
    stamp: &Stamp,
) -> Result<(Identity, Writes), AccessError> {
    if known.len() >= MOST {
        return Err(Refused::TooManyIdentities.into());
    }
    let identity = Identity::new(user, verified, stamp);
    let writes = Writes::default().insert(&identity).events([identity.linked(user, stamp)]);
    Ok((identity, writes))
}

impl Identity {
    /// That of `verified`, who is `user` here.
    pub(super) fn new(user: &User, verified: Verified, stamp: &Stamp) -> Self {
        let Verified { issuer, subject, email, .. } = verified;
        let (id, created_at) = (stamp.id(), stamp.now());
        Self { id, user_id: user.id, issuer, subject, email, created_at, last_used_at: None }
    }

    /// What the log tells of it.
    pub(super) fn linked(&self, user: &User, stamp: &Stamp) -> racun_store::Event {
        let tenant = Tenant::account(user.account_id);
        event(tenant, events::identity::LINKED, &self.id, &user.id, stamp)
    }
}

/// Takes an identity away from `user`: it signs in no more. Sessions stay.
///
/// # Errors
/// [`AccessError::NotFound`] for one that the user does not have, or the store's failure.
pub async fn unlink_identity(
    store: &dyn Store,
    user: &User,
    id: &str,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    let (user, id, stamp) = (user.clone(), id.to_owned(), stamp.clone());
    let mut unit = store.unit(Tenant::directory());
    let identity = unit.hold(&IDENTITIES, &id);
    unit.decide(move |held| {
        let identity: Option<Identity> = held.find(identity)?;
        let own = identity.filter(|identity| identity.user_id == user.id);
        let identity = own.ok_or(AccessError::NotFound { id })?;
        let tenant = Tenant::account(user.account_id);
        let told = event(tenant, events::identity::UNLINKED, &identity.id, &user.id, &stamp);
        Ok(((), Writes::default().put(Put::delete(&identity)).events([told])))
    })
    .await
}
