//! Who belongs to an entity.

use std::collections::HashMap;

use racun_kernel::id::{AccountId, EntityId, MembershipId, UserId};
use racun_kernel::{Issue, Issues, Role, Stamp, Tenant};
use racun_store::{
    Actor, Context, Field, Held, ListQuery, Many, One, Put, Store, StoreError, Unique, UnitBuilder,
    Writes,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::ending::{end_invitations, end_keys, made_by};
use crate::events;
use crate::invitation::{self, invite};
use crate::key::{ROLE_OF_KEYS, hold_all_of};
use crate::mailing::find_colleague;
use crate::maker::HeldMaker;
use crate::permission::require;
use crate::{
    AccessError, ApiKey, Conflict, ENTITIES, Entity, Invitation, OPERATOR_PINS, OperatorPin,
    Permission, Refused, USERS, User, WithSecret,
};

/// Users that an entity has at most.
pub(crate) const MAX_MEMBERS: usize = 500;

/// A user's place in an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// Its id.
    pub id: MembershipId,
    /// The entity.
    pub entity_id: EntityId,
    /// The account that owns the entity; not the user's own.
    pub account_id: AccountId,
    /// The user.
    pub user_id: UserId,
    /// What they may do.
    pub role: Role,
    /// Their e-mail address.
    pub email: String,
    /// Their name.
    pub name: Option<String>,
    /// Who let them in; `None` for the entity's creator.
    pub invited_by_user_id: Option<UserId>,
    /// Since when they belong to it.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

racun_store::record! {
    /// Where memberships are kept: with their entity.
    pub static MEMBERSHIPS: Membership = "memberships";
    |membership|
    id: membership.id,
    tenant: Tenant::entity(membership.entity_id),
    fields: {
        Field::instant("created_at") => membership.created_at,
        Field::text("entity_id").indexed().hidden() => membership.entity_id,
        Field::text("user_id").indexed().hidden() => membership.user_id,
        Field::text("entity_user").unique(Unique::Everywhere).hidden()
            => entity_user(membership.entity_id, membership.user_id),
    }
}

/// What is unique about a membership: a user is in an entity once only.
fn entity_user(entity: EntityId, user: UserId) -> String {
    format!("{entity}/{user}")
}

impl Membership {
    /// A new place of `user` in `entity`.
    pub(crate) fn new(
        entity: &Entity,
        user: &User,
        role: Role,
        invited_by_user_id: Option<UserId>,
        stamp: &Stamp,
    ) -> Self {
        Self {
            id: stamp.id(),
            entity_id: entity.id,
            account_id: entity.account_id,
            user_id: user.id,
            role,
            email: user.email.clone(),
            name: user.name.clone(),
            invited_by_user_id,
            created_at: stamp.now(),
            updated_at: stamp.now(),
        }
    }
}

/// What adding someone asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddEntityUser {
    /// Whom.
    pub email: String,
    /// What they may do.
    pub role: Role,
}

/// What became of adding someone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    /// They are a verified user of the entity's account, and have access from now on.
    Member(
        /// Their place.
        Membership,
    ),
    /// Any other person, known or not, is invited. The secret is a token that accepts the
    /// invitation, until another is mailed: it is for the invited person alone.
    Invited(
        /// The invitation.
        WithSecret<Invitation>,
    ),
}

/// Lets someone into the entity: at once when they are a verified user of the entity's account, and
/// otherwise by an invitation, which they accept or not. Whether an address has a user is not to be
/// seen by what is answered.
///
/// # Errors
/// [`AccessError::Forbidden`] to all but admins, [`AccessError::Invalid`] for a malformed address,
/// [`Conflict::AlreadyMember`], [`Conflict::AlreadyInvited`], or [`Refused::TooManyMembers`].
pub async fn add_entity_user(cx: Context<'_>, input: AddEntityUser) -> Result<Added, AccessError> {
    add_entity_user_with(cx, input, |_| Vec::new()).await
}

/// As [`add_entity_user`]; an invitation is written together with what `beside` says: its mail.
///
/// # Errors
/// As [`add_entity_user`].
pub async fn add_entity_user_with(
    cx: Context<'_>,
    input: AddEntityUser,
    beside: impl FnOnce(&Invitation) -> Vec<Put> + Send,
) -> Result<Added, AccessError> {
    require(cx.scope, Permission::ManagePeople)?;
    match find_colleague(cx, &input.email).await? {
        Some(user) => {
            let inviter = cx.scope.principal().user();
            add_member(cx, user, input.role, inviter).await.map(Added::Member)
        }
        None => invite(cx, input, beside).await.map(Added::Invited),
    }
}

async fn add_member(
    cx: Context<'_>,
    user: User,
    role: Role,
    inviter: Option<UserId>,
) -> Result<Membership, AccessError> {
    let mut unit = cx.unit();
    let maker = HeldMaker::hold(&mut unit, cx.scope, cx.now());
    let place = HeldMembers::hold(&mut unit, cx.scope.account(), cx.scope.entity());
    unit.decide(move |held| {
        maker.read(held, Permission::ManagePeople)?;
        let (entity, members) = place.read(held)?;
        if members.iter().any(|member| member.user_id == user.id) {
            return Err(Conflict::AlreadyMember.into());
        }
        if members.len() >= MAX_MEMBERS {
            return Err(Refused::TooManyMembers.into());
        }
        let actor = held.actor();
        let member = Membership::new(&entity, &user, role, inviter, actor.stamp());
        let added = actor.event(events::entity_user::ADDED, user.id);
        let writes = Writes::default().insert(&member).events([added]);
        Ok((member, writes))
    })
    .await
}

/// Everyone who belongs to the entity, newest first, with the names they have now.
///
/// # Errors
/// [`AccessError::Forbidden`] to entity keys, or the store's failure.
pub async fn list_entity_users(cx: Context<'_>) -> Result<Vec<Membership>, AccessError> {
    require(cx.scope, Permission::ReadPeople)?;
    let query = ListQuery { limit: MAX_MEMBERS, ..ListQuery::first_page(&MEMBERSHIPS) };
    let mut members: Vec<Membership> =
        cx.store.page(&MEMBERSHIPS, &cx.tenant(), &query).await?.rows;
    let ids: Vec<String> = members.iter().map(|member| member.user_id.to_string()).collect();
    let users: Vec<User> = cx.store.get_all(&USERS, &Tenant::directory(), &ids).await?;
    let mut names: HashMap<UserId, Option<String>> =
        users.into_iter().map(|user| (user.id, user.name)).collect();
    for member in &mut members {
        member.name = names.remove(&member.user_id).flatten();
    }
    Ok(members)
}

/// What else ends with the keys that a person made, as the unit that ends them holds it: webhooks,
/// of which this crate knows nothing. It is called when those keys end.
pub trait EndsWithKeys:
    FnOnce(&Held, UserId) -> Result<Writes, StoreError> + Send + 'static
{
}

impl<F: FnOnce(&Held, UserId) -> Result<Writes, StoreError> + Send + 'static> EndsWithKeys for F {}

/// Nothing else.
fn nothing_else(_: &mut UnitBuilder<'_>) -> impl EndsWithKeys + use<> {
    |_: &Held, _: UserId| Ok::<_, StoreError>(Writes::default())
}

/// A member whose role was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Their place.
    pub membership: Membership,
    /// Keys of the entity that they made, which act with a higher role than they have now.
    pub stronger_keys: usize,
}

impl Changed {
    /// What is odd about the change: keys that the member made, and may still know, live on.
    #[must_use]
    pub fn warnings(&self) -> Issues {
        let mut issues = Issues::default();
        if self.stronger_keys > 0 {
            let message = format!(
                "{} keys of the entity that this user made go on acting as an editor; send \
                 end_keys: true to end them",
                self.stronger_keys
            );
            issues.push(Issue::new("keys_live_on", message).at("role"));
        }
        issues
    }
}

/// Gives a member of the entity another role. Their operator's tokens end; who becomes a viewer
/// loses their PIN, and the open invitations of who is no admin any more end.
///
/// # Errors
/// [`AccessError::Forbidden`] to all but admins, [`AccessError::NotFound`] for a user who does not
/// belong to it, [`Refused::LastAdmin`] when no admin would be left.
pub async fn change_role(
    cx: Context<'_>,
    user_id: &str,
    role: Role,
) -> Result<Membership, AccessError> {
    Ok(change_role_with(cx, user_id, role, false, nothing_else).await?.membership)
}

/// As [`change_role`]; the keys of the entity that they made end too when `ends_keys` says so, also
/// where they have the role already, and with these what `beside` names.
///
/// # Errors
/// As [`change_role`].
pub async fn change_role_with<E: EndsWithKeys>(
    cx: Context<'_>,
    user_id: &str,
    role: Role,
    ends_keys: bool,
    beside: impl FnOnce(&mut UnitBuilder<'_>) -> E + Send,
) -> Result<Changed, AccessError> {
    amend_member(cx, user_id, Some(role), ends_keys, beside).await
}

/// Takes a user's place in the entity away, and their PIN; what their sessions and their operator's
/// tokens reached in it they reach no more. The keys of the entity that they made end too when
/// `ends_keys` says so, and when their address was never verified, for their owner is unknown. The
/// open invitations that they made end in any case.
///
/// # Errors
/// As [`change_role`].
pub async fn remove_entity_user(
    cx: Context<'_>,
    user_id: &str,
    ends_keys: bool,
) -> Result<(), AccessError> {
    remove_entity_user_with(cx, user_id, ends_keys, nothing_else).await
}

/// As [`remove_entity_user`]; with the keys ends what `beside` names.
///
/// # Errors
/// As [`change_role`].
pub async fn remove_entity_user_with<E: EndsWithKeys>(
    cx: Context<'_>,
    user_id: &str,
    ends_keys: bool,
    beside: impl FnOnce(&mut UnitBuilder<'_>) -> E + Send,
) -> Result<(), AccessError> {
    amend_member(cx, user_id, None, ends_keys, beside).await.map(|_| ())
}

/// Gives a member `role`, or ends their membership when there is none. The keys that they made end
/// when `ends_keys` says so, or when they go and their address was never verified; and with these
/// what `beside` names.
///
/// All members are looked at, with the entity held, so that two admins who remove each other at the
/// same moment do not both succeed.
async fn amend_member<E: EndsWithKeys>(
    cx: Context<'_>,
    user_id: &str,
    role: Option<Role>,
    ends_keys: bool,
    beside: impl FnOnce(&mut UnitBuilder<'_>) -> E + Send,
) -> Result<Changed, AccessError> {
    require(cx.scope, Permission::ManagePeople)?;
    let unknown = AccessError::NotFound { id: user_id.to_owned() };
    let Ok(user_id) = user_id.parse::<UserId>() else { return Err(unknown) };
    let mut unit = cx.unit();
    let maker = HeldMaker::hold(&mut unit, cx.scope, cx.now());
    let place = HeldMembers::hold(&mut unit, cx.scope.account(), cx.scope.entity());
    let own = HeldOwn::hold(&mut unit, cx.scope.entity(), user_id);
    let ends = beside(&mut unit);
    unit.decide(move |held| {
        maker.read(held, Permission::ManagePeople)?;
        let (_, members) = place.read(held)?;
        let before = members.iter().find(|member| member.user_id == user_id);
        let before = before.ok_or(unknown)?;
        let (membership, mut writes) = amended(before, role, &members, held.actor())?;
        let own = own.end(held, role, role != Some(before.role))?;
        writes = writes.and(own.writes);
        let (actor, mut stronger_keys) = (held.actor(), 0);
        if ends_keys || (role.is_none() && !own.is_proved) {
            let ended = end_keys(&own.keys, &actor.id(), actor.stamp());
            writes = writes.and(ended).and(ends(held, user_id)?);
        } else if role.is_some_and(|role| role < ROLE_OF_KEYS) {
            let lives = |key: &&ApiKey| key.expires_at.is_none_or(|end| end > actor.now());
            stronger_keys = own.keys.iter().filter(lives).count();
        }
        Ok((Changed { membership, stronger_keys }, writes))
    })
    .await
}

/// `before` with `role`, or its end when there is none, and what is written of it.
fn amended(
    before: &Membership,
    role: Option<Role>,
    members: &[Membership],
    actor: &Actor,
) -> Result<(Membership, Writes), AccessError> {
    if role == Some(before.role) {
        return Ok((before.clone(), Writes::default()));
    }
    let is_admin = |member: &&Membership| member.role == Role::Admin;
    if before.role == Role::Admin && members.iter().filter(is_admin).count() == 1 {
        return Err(Refused::LastAdmin.into());
    }
    let mut after = before.clone();
    let (kind, put) = match role {
        Some(role) => {
            (after.role, after.updated_at) = (role, actor.now());
            (events::entity_user::ROLE_CHANGED, Put::update(before, &after))
        }
        None => (events::entity_user::REMOVED, Put::delete(before)),
    };
    let told = actor.event(kind, after.user_id);
    Ok((after, Writes::default().put(put).events([told])))
}

/// What a member has and made in the entity, as a unit holds it.
struct HeldOwn {
    user_id: UserId,
    user: One<User>,
    pin: One<OperatorPin>,
    keys: Many<ApiKey>,
    invitations: Many<Invitation>,
}

/// What ends with a role, and whose it was.
struct Ended {
    writes: Writes,
    /// The keys of the entity that they made.
    keys: Vec<ApiKey>,
    /// Whether they proved that their address is theirs.
    is_proved: bool,
}

impl HeldOwn {
    fn hold(unit: &mut UnitBuilder<'_>, entity: EntityId, user_id: UserId) -> Self {
        Self {
            user_id,
            user: unit.hold_of(Tenant::directory(), &USERS, user_id),
            pin: unit.hold(&OPERATOR_PINS, user_id),
            keys: hold_all_of(unit, &Tenant::entity(entity)),
            invitations: invitation::hold_all_of(unit, entity),
        }
    }

    /// The end of what they may not have with `role`, when it `is_another` than before.
    fn end(self, held: &Held, role: Option<Role>, is_another: bool) -> Result<Ended, AccessError> {
        let user: Option<User> = held.find(self.user)?;
        let pin: Option<OperatorPin> = held.find(self.pin)?;
        let (made, keys) = (held.all(self.invitations)?, held.all(self.keys)?);
        let mut writes = Writes::default();
        if is_another && role.is_none_or(|role| role < Role::Editor) {
            writes = writes.puts(pin.iter().map(Put::delete));
        }
        // A member who may no longer invite may still know the tokens of their invitations.
        if is_another && role.is_none_or(|role| role < Role::Admin) {
            let actor = held.actor();
            let ended = end_invitations(made, self.user_id, &actor.id(), actor.stamp());
            writes = writes.and(ended);
        }
        let is_proved = user.is_some_and(|user| user.email_verified);
        Ok(Ended { writes, keys: made_by(self.user_id, keys), is_proved })
    }
}

/// An entity and all who belong to it, as a unit holds them.
pub(crate) struct HeldMembers {
    entity: One<Entity>,
    members: Many<Membership>,
}

impl HeldMembers {
    /// Holds the entity and its members.
    pub fn hold<By>(unit: &mut UnitBuilder<'_, By>, account: AccountId, id: EntityId) -> Self {
        let entity = unit.hold_of(Tenant::account(account), &ENTITIES, id);
        let members = unit.hold_where_of(Tenant::entity(id), &MEMBERSHIPS, "entity_id", id);
        Self { entity, members }
    }

    /// What is there.
    pub fn read<By>(self, held: &Held<By>) -> Result<(Entity, Vec<Membership>), StoreError> {
        let gone = || StoreError::NotFound { id: "entity".to_owned() };
        Ok((held.find(self.entity)?.ok_or_else(gone)?, held.all(self.members)?))
    }
}

/// The place of `user` in `entity`, when there is one.
pub(crate) async fn find_membership(
    store: &dyn Store,
    entity: EntityId,
    user: UserId,
) -> Result<Option<Membership>, StoreError> {
    let found = store.look_up(&MEMBERSHIPS, "entity_user", &entity_user(entity, user)).await?;
    Ok(found.into_iter().next())
}
