//! Operators: who may take over a till, and their PINs.

use std::collections::HashMap;

use racun_kernel::id::{AccountId, EntityId, MembershipId, UserId};
use racun_kernel::{Role, Stamp, Tenant};
use racun_store::{Context, Field, ListQuery, One, Put, Store, StoreError, UnitBuilder, Writes};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::events;
use crate::maker::HeldMaker;
use crate::member::{MAX_MEMBERS, find_membership};
use crate::permission::require;
use crate::pin::{PinHash, lock_after};
use crate::{
    AccessError, MEMBERSHIPS, Membership, Permission, Pin, PinKey, Refused, USERS, User, permits,
};

/// Someone who may take over a till of the entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// Who it is.
    pub user_id: UserId,
    /// Their name; their e-mail address when they gave none.
    pub name: String,
    /// Their e-mail address.
    pub email: String,
    /// What they may do in the entity; never a viewer.
    pub role: Role,
    /// Whether they have a PIN.
    pub has_pin: bool,
}

/// A user's PIN in an entity, or what failed against none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorPin {
    pub(crate) entity_id: EntityId,
    pub(crate) user_id: UserId,
    /// The PIN, when there is one.
    pub(crate) kept: Option<PinHash>,
    /// Failures since the last success.
    pub(crate) failures: u32,
    /// Until when nothing is tried.
    #[serde(with = "time::serde::rfc3339::option")]
    pub(crate) locked_until: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
}

racun_store::record! {
    /// Where PINs are kept: with their entity, under their user's id.
    pub static OPERATOR_PINS: OperatorPin = "operator_pins";
    |pin|
    id: pin.user_id,
    tenant: Tenant::entity(pin.entity_id),
    fields: {
        Field::instant("created_at") => pin.created_at,
    }
}

impl OperatorPin {
    /// Nothing yet.
    pub(crate) const fn none(entity_id: EntityId, user_id: UserId, now: OffsetDateTime) -> Self {
        let (kept, failures, locked_until) = (None, 0, None);
        Self { entity_id, user_id, kept, failures, locked_until, created_at: now }
    }

    /// Holds it. The user is held too, for a row that is not there yet cannot be.
    pub(crate) fn hold<By>(
        unit: &mut UnitBuilder<'_, By>,
        entity: EntityId,
        user: UserId,
    ) -> One<Self> {
        let _: One<User> = unit.hold_of(Tenant::directory(), &USERS, user);
        unit.hold_of(Tenant::entity(entity), &OPERATOR_PINS, user)
    }

    /// Counts an attempt at `now` as a failure.
    #[must_use]
    pub(crate) fn failed(self, now: OffsetDateTime) -> Self {
        let failures = self.failures.saturating_add(1);
        Self { failures, locked_until: lock_after(failures).map(|lock| now + lock), ..self }
    }

    /// Forgets all failures.
    #[must_use]
    pub(crate) fn forgiven(self) -> Self {
        Self { failures: 0, locked_until: None, ..self }
    }

    /// The row that replaces `before`; none when nothing would be kept.
    pub(crate) fn put(self, before: Option<&Self>) -> Option<Put> {
        let is_empty = self.kept.is_none() && self.failures == 0;
        match before {
            Some(before) if is_empty => Some(Put::delete(before)),
            Some(before) if *before == self => None,
            Some(before) => Some(Put::update(before, &self)),
            None => (!is_empty).then(|| Put::insert(&self)),
        }
    }
}

/// By what right someone works in an entity, as it was when it was looked at.
///
/// It is another one after every change of the membership, also when the role comes back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Standing {
    /// What they may do.
    pub role: Role,
    /// Their place; `None` for whom the entity's account is of.
    membership: Option<MembershipId>,
    /// When that place changed last.
    #[serde(with = "time::serde::rfc3339::option")]
    since: Option<OffsetDateTime>,
}

impl Standing {
    /// A member's.
    fn of_member(member: &Membership) -> Self {
        let Membership { role, id, updated_at, .. } = *member;
        Self { role, membership: Some(id), since: Some(updated_at) }
    }

    /// Of whom the entity's account is: an admin of all its entities.
    const fn of_owner() -> Self {
        Self { role: Role::Admin, membership: None, since: None }
    }

    /// What `user` has in the entity of `account`, if anything.
    pub async fn find(
        store: &dyn Store,
        account: AccountId,
        entity: EntityId,
        user: &User,
    ) -> Result<Option<Self>, StoreError> {
        let member = find_membership(store, entity, user.id).await?;
        let of_owner = || (user.account_id == account).then(Self::of_owner);
        Ok(member.as_ref().map(Self::of_member).or_else(of_owner))
    }

    /// Whether it is enough for a till.
    pub fn is_operators(&self) -> bool {
        self.role >= Role::Editor
    }
}

/// The user called `id` and their standing in the scope's entity.
///
/// # Errors
/// [`AccessError::NotFound`] for a user who has nothing to do with the entity, or the store's
/// failure.
pub(crate) async fn find_person(
    cx: Context<'_>,
    id: &str,
) -> Result<(User, Standing), AccessError> {
    let unknown = || AccessError::NotFound { id: id.to_owned() };
    let user_id: UserId = id.parse().map_err(|_| unknown())?;
    let user = cx.store.get(&USERS, &Tenant::directory(), &user_id.to_string()).await?;
    let user: User = user.ok_or_else(unknown)?;
    let standing = Standing::find(cx.store, cx.scope.account(), cx.scope.entity(), &user).await?;
    Ok((user, standing.ok_or_else(unknown)?))
}

/// Everyone who may take over a till of the entity, by name: its editors and admins, and whom its
/// account is of once they have a PIN or ask themselves.
///
/// # Errors
/// When the store fails.
pub async fn list_operators(cx: Context<'_>) -> Result<Vec<Operator>, AccessError> {
    require(cx.scope, Permission::ReadTill)?;
    let query = ListQuery { limit: MAX_MEMBERS, ..ListQuery::first_page(&MEMBERSHIPS) };
    let members: Vec<Membership> = cx.store.page(&MEMBERSHIPS, &cx.tenant(), &query).await?.rows;
    let standings: HashMap<UserId, Standing> =
        members.iter().map(|member| (member.user_id, Standing::of_member(member))).collect();
    let query = ListQuery { limit: 2 * MAX_MEMBERS, ..ListQuery::first_page(&OPERATOR_PINS) };
    let pins: Vec<OperatorPin> = cx.store.page(&OPERATOR_PINS, &cx.tenant(), &query).await?.rows;
    let has_pin: HashMap<UserId, bool> =
        pins.iter().map(|pin| (pin.user_id, pin.kept.is_some())).collect();
    let known = standings.keys().chain(has_pin.keys()).copied();
    let mut ids: Vec<UserId> = known.chain(cx.scope.principal().user()).collect();
    ids.sort_unstable();
    ids.dedup();
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let users: Vec<User> = cx.store.get_all(&USERS, &Tenant::directory(), &ids).await?;
    let operator = |user: User| {
        let of_owner = || (user.account_id == cx.scope.account()).then(Standing::of_owner);
        let standing = standings.get(&user.id).cloned().or_else(of_owner)?;
        standing.is_operators().then(|| Operator {
            user_id: user.id,
            name: user.name.unwrap_or_else(|| user.email.clone()),
            email: user.email,
            role: standing.role,
            has_pin: has_pin.get(&user.id).copied().unwrap_or_default(),
        })
    };
    let mut operators: Vec<Operator> = users.into_iter().filter_map(operator).collect();
    operators.sort_by_cached_key(|operator| (operator.name.to_lowercase(), operator.user_id));
    Ok(operators)
}

/// A user whose PIN may be set or removed by who asked.
#[derive(Debug, Clone)]
pub struct PinOwner {
    entity: EntityId,
    user: UserId,
    standing: Standing,
}

/// A PIN that is about to be kept.
#[derive(Debug, Clone)]
pub struct NewPin {
    owner: PinOwner,
    kept: PinHash,
}

/// Finds the user whose PIN is to be set or removed.
///
/// # Errors
/// [`AccessError::Forbidden`] to all but admins for the PIN of another, and to viewers and entity
/// keys for any; [`AccessError::NotFound`] for a user who has nothing to do with the entity.
pub async fn find_pin_owner(cx: Context<'_>, user_id: &str) -> Result<PinOwner, AccessError> {
    let own = cx.scope.principal().user().is_some_and(|own| own.to_string() == user_id);
    require(cx.scope, if own { Permission::SetPin } else { Permission::ManagePeople })?;
    let (user, standing) = find_person(cx, user_id).await?;
    Ok(PinOwner { entity: cx.scope.entity(), user: user.id, standing })
}

impl PinOwner {
    /// Hashes their new PIN. Takes tens of milliseconds: not for a reactor.
    ///
    /// # Errors
    /// [`Refused::ViewerHasNoPin`].
    pub fn hash(self, key: &PinKey, pin: &Pin, stamp: &Stamp) -> Result<NewPin, AccessError> {
        if !self.standing.is_operators() {
            return Err(Refused::ViewerHasNoPin.into());
        }
        let kept = PinHash::new(key, self.entity, self.user, pin, stamp);
        Ok(NewPin { owner: self, kept })
    }

    /// Refuses a user who left the entity, and a PIN for one who became a viewer. `member` is the
    /// place that the user has in the entity, if they had one.
    fn check_place(&self, member: Option<Membership>, sets: bool) -> Result<(), AccessError> {
        let member = member.ok_or_else(|| AccessError::NotFound { id: self.user.to_string() })?;
        if sets && !Standing::of_member(&member).is_operators() {
            return Err(Refused::ViewerHasNoPin.into());
        }
        Ok(())
    }
}

/// Gives a user a PIN in the place of the one they had. Tokens that came of that one end.
///
/// When an admin sets it, failures are forgotten, and with them a lock.
///
/// # Errors
/// [`Refused::ViewerHasNoPin`] or [`AccessError::NotFound`] when the user has lost their role or
/// place, or the store's failure.
pub async fn set_pin(cx: Context<'_>, new: NewPin) -> Result<(), AccessError> {
    let NewPin { owner, kept } = new;
    amend_pin(cx, owner, Some(kept)).await
}

/// Takes a user's PIN away. Tokens that came of it end; taking it away twice is not an error.
///
/// Failures stay counted unless an admin removes it.
///
/// # Errors
/// [`AccessError::NotFound`] when the user has left the entity, or the store's failure.
pub async fn remove_pin(cx: Context<'_>, owner: PinOwner) -> Result<(), AccessError> {
    amend_pin(cx, owner, None).await
}

/// Forgets the failures against a user's PIN, and with them a lock. What the PIN is stays; there
/// need not be one.
///
/// # Errors
/// [`AccessError::Forbidden`] to all but admins, [`AccessError::NotFound`] for users outside the
/// entity, or the store's failure.
pub async fn unlock_pin(cx: Context<'_>, user_id: &str) -> Result<(), AccessError> {
    require(cx.scope, Permission::ManagePeople)?;
    let (user, _) = find_person(cx, user_id).await?;
    let mut unit = cx.unit();
    let maker = HeldMaker::hold(&mut unit, cx.scope, cx.now());
    let pin = OperatorPin::hold(&mut unit, cx.scope.entity(), user.id);
    unit.decide(move |held| {
        maker.read(held, Permission::ManagePeople)?;
        let Some(before) = held.find(pin)?.filter(|pin: &OperatorPin| pin.failures > 0) else {
            return Ok(((), Writes::default()));
        };
        let put = before.clone().forgiven().put(Some(&before));
        let happened = held.actor().event(events::operator::PIN_UNLOCKED, user.id);
        Ok(((), Writes::default().puts(put).events([happened])))
    })
    .await
}

async fn amend_pin(
    cx: Context<'_>,
    owner: PinOwner,
    kept: Option<PinHash>,
) -> Result<(), AccessError> {
    let forgives = permits(cx.scope.principal(), cx.scope.role(), Permission::ManagePeople);
    let mut unit = cx.unit();
    let maker = forgives.then(|| HeldMaker::hold(&mut unit, cx.scope, cx.now()));
    let pin = OperatorPin::hold(&mut unit, owner.entity, owner.user);
    let place = owner.standing.membership.map(|id| unit.hold(&MEMBERSHIPS, id));
    unit.decide(move |held| {
        if let Some(maker) = maker {
            maker.read(held, Permission::ManagePeople)?;
        }
        if place.is_some() {
            owner.check_place(held.find(place)?, kept.is_some())?;
        }
        let before: Option<OperatorPin> = held.find(pin)?;
        let had_one = before.as_ref().is_some_and(|before| before.kept.is_some());
        let none = || OperatorPin::none(owner.entity, owner.user, held.actor().now());
        let mut after = before.clone().unwrap_or_else(none);
        after.kept = kept;
        if forgives {
            after = after.forgiven();
        }
        let kind = match (&after.kept, had_one) {
            (Some(_), _) => Some(events::operator::PIN_SET),
            (None, true) => Some(events::operator::PIN_REMOVED),
            (None, false) => None,
        };
        let happened = kind.map(|kind| held.actor().event(kind, owner.user));
        Ok(((), Writes::default().puts(after.put(before.as_ref())).events(happened)))
    })
    .await
}
