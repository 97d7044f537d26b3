//! What ends in the entities of an account whose owner was not the one who made it. A person who
//! signs up with the address of another may let others in, who make keys and invitations of their
//! own. When the reader of the mail takes the user over, none of that is theirs.

use racun_kernel::id::{InvitationId, UserId};
use racun_kernel::{Role, Stamp, Tenant};
use racun_store::{Held, ListQuery, Many, One, Put, Record as _, Store, UnitBuilder, Walk, Writes};

use crate::account::event;
use crate::ending::{end_keys, end_open_invitations};
use crate::events;
use crate::member::{HeldMembers, MAX_MEMBERS};
use crate::{
    AccessError, ApiKey, ENTITIES, Entity, Invitation, Membership, OPERATOR_PINS, OperatorPin,
    User, invitation, key,
};

/// Entities that a unit clears.
const AT_ONCE: usize = 5;

/// Ends in all entities of the account of `user` what another person may have made there: the
/// places of all others, all PINs and keys, and all open invitations but `kept`, which the user is
/// about to accept. The user is an admin of each afterwards.
///
/// It is done before the user is taken over, so that a failure leaves the token good by which they
/// are, and once more afterwards, when no other session can make anything there.
///
/// # Errors
/// The store's failure.
pub(crate) async fn clear_entities(
    store: &dyn Store,
    user: &User,
    kept: Option<InvitationId>,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    let mut entities = Walk::of(&ENTITIES, Tenant::account(user.account_id));
    while let Some(page) = entities.next::<Entity>(store).await? {
        for some in page.chunks(AT_ONCE) {
            clear(store, some, user.id, kept, stamp).await?;
        }
    }
    Ok(())
}

/// An entity, as a unit holds it.
struct HeldEntity {
    members: HeldMembers,
    pins: Vec<One<OperatorPin>>,
    keys: Many<ApiKey>,
    invitations: Many<Invitation>,
}

async fn clear(
    store: &dyn Store,
    entities: &[Entity],
    user: UserId,
    kept: Option<InvitationId>,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    let mut unit = store.unit(Tenant::directory());
    let mut held_entities = Vec::with_capacity(entities.len());
    for entity in entities {
        held_entities.push(HeldEntity::hold(&mut unit, store, entity).await?);
    }
    let stamp = stamp.clone();
    unit.decide(move |held| {
        let mut writes = Writes::default();
        for entity in held_entities {
            writes = writes.and(entity.clear(held, user, kept, &stamp)?);
        }
        Ok(((), writes))
    })
    .await
}

impl HeldEntity {
    async fn hold(
        unit: &mut UnitBuilder<'_, ()>,
        store: &dyn Store,
        entity: &Entity,
    ) -> Result<Self, AccessError> {
        let tenant = Tenant::entity(entity.id);
        let query = ListQuery { limit: 2 * MAX_MEMBERS, ..ListQuery::first_page(&OPERATOR_PINS) };
        let pins: Vec<OperatorPin> = store.page(&OPERATOR_PINS, &tenant, &query).await?.rows;
        let pins = pins.iter().map(|pin| unit.hold_of(tenant.clone(), &OPERATOR_PINS, pin.id()));
        Ok(Self {
            pins: pins.collect(),
            members: HeldMembers::hold(unit, entity.account_id, entity.id),
            keys: key::hold_all_of(unit, &tenant),
            invitations: invitation::hold_all_of(unit, entity.id),
        })
    }

    fn clear(
        self,
        held: &Held<()>,
        user: UserId,
        kept: Option<InvitationId>,
        stamp: &Stamp,
    ) -> Result<Writes, AccessError> {
        let (entity, members) = self.members.read(held)?;
        let tell =
            |kind, id: &dyn ToString| event(Tenant::entity(entity.id), kind, id, &user, stamp);
        let (own, others): (Vec<_>, Vec<_>) =
            members.iter().partition(|member| member.user_id == user);
        let mut writes =
            Writes::default().puts(others.iter().map(|member| Put::delete(*member))).events(
                others.iter().map(|member| tell(events::entity_user::REMOVED, &member.user_id)),
            );
        // Without a place of their own they are an admin as the owner of the account.
        for before in own.into_iter().filter(|member| member.role != Role::Admin) {
            let after = Membership { role: Role::Admin, updated_at: stamp.now(), ..before.clone() };
            let told = tell(events::entity_user::ROLE_CHANGED, &user);
            writes = writes.update(before, &after).events([told]);
        }
        for pin in self.pins {
            let pin: Option<OperatorPin> = held.find(pin)?;
            writes = writes.puts(pin.iter().map(Put::delete));
        }
        let keys: Vec<ApiKey> = held.all(self.keys)?;
        let mut invitations: Vec<Invitation> = held.all(self.invitations)?;
        invitations.retain(|one| Some(one.id) != kept);
        let invitations = end_open_invitations(invitations, &user, stamp);
        Ok(writes.and(end_keys(&keys, &user, stamp)).and(invitations))
    }
}
