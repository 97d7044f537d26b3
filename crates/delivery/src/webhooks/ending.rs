//! Endpoints end with who made them: they are disabled, and what happens from then on is kept for
//! them, so that an owner who wants one to go on says so.

use racun_access::{ENTITIES, EndsWithKeys, Entity, MEMBERSHIPS, Membership, User};
use racun_kernel::id::UserId;
use racun_kernel::{Stamp, Tenant};
use racun_store::{Held, Many, Put, Record as _, Store, StoreError, UnitBuilder, Walk, Writes};
use racun_webhooks::events;
use racun_webhooks::{ENDPOINTS, Endpoint};

use super::event;

const KEYS_ENDED: &str =
    "the keys of the person who made it ended: look where it posts to, then set active";
const TAKEN_OVER: &str = "the reader of the mail took over the user of its account, whom another \
                          person may have made: look where it posts to, then set active";

/// Whose endpoints end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointsOf {
    /// Those that a user made, in their account and wherever they belong to.
    Maker(UserId),
    /// All of the account and of its entities.
    Account,
}

impl EndpointsOf {
    fn includes(self, endpoint: &Endpoint) -> bool {
        let is_theirs = match self {
            Self::Maker(user) => endpoint.created_by_user_id == Some(user),
            Self::Account => true,
        };
        endpoint.active && is_theirs
    }

    const fn reason(self) -> &'static str {
        match self {
            Self::Maker(_) => KEYS_ENDED,
            Self::Account => TAKEN_OVER,
        }
    }

    /// The end of those of `endpoints` that it includes.
    fn end(self, endpoints: &[Endpoint], actor: &str, stamp: &Stamp) -> Writes {
        let mut writes = Writes::default();
        for before in endpoints.iter().filter(|endpoint| self.includes(endpoint)) {
            let mut after = before.clone();
            after.disable(self.reason().to_owned(), stamp.now());
            let told = event(actor, events::webhook::DISABLED, &after, stamp);
            writes = writes.put(Put::update(before, &after)).events([told]);
        }
        writes
    }
}

/// Ends the endpoints of the unit's entity that a member made, with their keys.
pub fn with_keys(unit: &mut UnitBuilder<'_>) -> impl EndsWithKeys + use<> {
    let owner = unit.tenant().clone();
    let endpoints: Many<Endpoint> = unit.hold_where(&ENDPOINTS, "owner", owner.as_str());
    move |held: &Held, user: UserId| {
        let (endpoints, actor) = (held.all(endpoints)?, held.actor());
        let ended = EndpointsOf::Maker(user).end(&endpoints, &actor.id(), actor.stamp());
        Ok::<_, StoreError>(ended)
    }
}

/// Ends endpoints because of what became of `user`.
///
/// # Errors
/// The store's failure.
pub async fn end(
    store: &dyn Store,
    user: &User,
    which: EndpointsOf,
    stamp: &Stamp,
) -> Result<(), StoreError> {
    let account = Tenant::account(user.account_id);
    end_at(store, account.clone(), user, which, stamp).await?;
    let mut entities = Walk::of(&ENTITIES, account);
    while let Some(page) = entities.next::<Entity>(store).await? {
        for entity in page {
            end_at(store, Tenant::entity(entity.id), user, which, stamp).await?;
        }
    }
    if which != EndpointsOf::Account {
        let id = user.id.to_string();
        let places: Vec<Membership> = store.look_up(&MEMBERSHIPS, "user_id", &id).await?;
        for place in places.iter().filter(|place| place.account_id != user.account_id) {
            end_at(store, place.tenant(), user, which, stamp).await?;
        }
    }
    Ok(())
}

/// Ends the endpoints of `owner`.
async fn end_at(
    store: &dyn Store,
    owner: Tenant,
    user: &User,
    which: EndpointsOf,
    stamp: &Stamp,
) -> Result<(), StoreError> {
    let found: Vec<Endpoint> = store.look_up(&ENDPOINTS, "owner", owner.as_str()).await?;
    if !found.iter().any(|endpoint| which.includes(endpoint)) {
        return Ok(());
    }
    let (actor, stamp) = (user.id.to_string(), stamp.clone());
    let mut unit = store.unit(owner.clone());
    let endpoints: Many<Endpoint> = unit.hold_where(&ENDPOINTS, "owner", owner.as_str());
    unit.decide(move |held| Ok(((), which.end(&held.all(endpoints)?, &actor, &stamp)))).await
}
