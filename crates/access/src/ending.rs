//! What ends with a person: their sessions, and the keys and invitations that they made; and what
//! ends when an address is proved: what was accepted in its owner's name before.

use racun_kernel::id::{EntityId, TokenId, UserId};
use racun_kernel::{Stamp, Tenant};
use racun_store::{Held, Many, One, Put, Record as _, Store, StoreError, UnitBuilder, Writes};
use time::OffsetDateTime;

use crate::account::event;
use crate::events;
use crate::{
    API_KEYS, AccessError, ApiKey, IDENTITIES, Identity, Invitation, InvitationStatus, MEMBERSHIPS,
    Membership, OPERATOR_PINS, OperatorPin, SESSIONS, Session, User, invitation, key,
};

/// Holds all sessions of `user`.
pub(crate) fn hold_sessions<By>(unit: &mut UnitBuilder<'_, By>, user: UserId) -> Many<Session> {
    unit.hold_where_of(Tenant::directory(), &SESSIONS, "user_id", user)
}

/// Ends `sessions`, but for `kept`.
pub(crate) fn end_sessions(sessions: &[Session], kept: Option<TokenId>) -> Writes {
    let ended = sessions.iter().filter(|one| Some(one.id) != kept);
    Writes::default().puts(ended.map(Put::delete))
}

/// All by which a user is logged in, or logs in beside the password, as a unit holds it.
pub(crate) struct HeldSignIns {
    sessions: Many<Session>,
    identities: Many<Identity>,
}

impl HeldSignIns {
    /// Holds the sessions and identities of `user`.
    pub fn hold<By>(unit: &mut UnitBuilder<'_, By>, user: UserId) -> Self {
        let identities = unit.hold_where_of(Tenant::directory(), &IDENTITIES, "user_id", user);
        Self { sessions: hold_sessions(unit, user), identities }
    }

    /// Ends the sessions, and with `ends_identities` the identities, too.
    ///
    /// # Errors
    /// When a row cannot be read.
    pub fn end(self, held: &Held<()>, ends_identities: bool) -> Result<Writes, StoreError> {
        let sessions: Vec<Session> = held.all(self.sessions)?;
        let identities: Vec<Identity> = held.all(self.identities)?;
        let ended = identities.iter().filter(|_| ends_identities).map(Put::delete);
        Ok(end_sessions(&sessions, None).puts(ended))
    }
}

/// The keys of a user, as a unit holds them: all of their account, and those that they made
/// elsewhere.
pub(crate) struct HeldKeys {
    of_account: Many<ApiKey>,
    elsewhere: Vec<One<ApiKey>>,
}

impl HeldKeys {
    /// Holds the keys of `user`; of those elsewhere, as many as a store looks up at once: the rest
    /// ends by [`end_late_keys`].
    ///
    /// # Errors
    /// The store's failure.
    pub async fn hold(
        unit: &mut UnitBuilder<'_, ()>,
        store: &dyn Store,
        user: &User,
    ) -> Result<Self, AccessError> {
        let made: Vec<ApiKey> =
            store.look_up(&API_KEYS, "created_by", &user.id.to_string()).await?;
        let account = Tenant::account(user.account_id);
        let of_account = key::hold_all_of(unit, &account);
        let elsewhere = made.iter().filter(|key| key.tenant() != account);
        let elsewhere = elsewhere.map(|key| unit.hold_of(key.tenant(), &API_KEYS, key.id));
        Ok(Self { of_account, elsewhere: elsewhere.collect() })
    }

    /// What is there.
    ///
    /// # Errors
    /// When a row cannot be read.
    pub fn read(self, held: &Held<()>) -> Result<Vec<ApiKey>, StoreError> {
        let mut keys: Vec<ApiKey> = held.all(self.of_account)?;
        for key in self.elsewhere {
            keys.extend(held.find(key)?);
        }
        Ok(keys)
    }
}

/// Ends `keys`.
pub(crate) fn end_keys(keys: &[ApiKey], actor: &dyn ToString, stamp: &Stamp) -> Writes {
    let told = |key: &ApiKey| event(key.tenant(), events::api_key::DELETED, &key.id, actor, stamp);
    Writes::default().puts(keys.iter().map(Put::delete)).events(keys.iter().map(told))
}

/// Those of `keys` that `user` made.
pub(crate) fn made_by(user: UserId, mut keys: Vec<ApiKey>) -> Vec<ApiKey> {
    keys.retain(|key| key.created_by_user_id == Some(user));
    keys
}

/// Ends those of `invitations` that `user` made and that are not accepted.
pub(crate) fn end_invitations(
    mut invitations: Vec<Invitation>,
    user: UserId,
    actor: &dyn ToString,
    stamp: &Stamp,
) -> Writes {
    invitations.retain(|one| one.invited_by_user_id == Some(user));
    end_open_invitations(invitations, actor, stamp)
}

/// Ends those of `invitations` that are not accepted.
pub(crate) fn end_open_invitations(
    mut invitations: Vec<Invitation>,
    actor: &dyn ToString,
    stamp: &Stamp,
) -> Writes {
    invitations.retain(|one| one.status == InvitationStatus::Pending);
    let told = invitations.iter().map(|one| {
        let tenant = Tenant::entity(one.entity_id);
        event(tenant, events::entity_invitation::CANCELLED, &one.id, actor, stamp)
    });
    Writes::default().puts(invitations.iter().map(Put::delete)).events(told)
}

/// The places in entities of a user whose address is not proved yet, as a unit holds them.
pub(crate) struct HeldPlaces(Vec<HeldPlace>);

/// A place, and what its user made there.
struct HeldPlace {
    place: One<Membership>,
    pin: One<OperatorPin>,
    keys: Many<ApiKey>,
    invitations: Many<Invitation>,
}

/// What ends when the address of a user is proved for the first time.
#[derive(Default)]
pub(crate) struct EndedPlaces {
    pub(crate) writes: Writes,
    /// The entities of other accounts that the user does not belong to any more.
    pub(crate) left: Vec<EntityId>,
}

impl HeldPlaces {
    /// Holds the places of `user` in entities of other accounts, but for that in the entity `kept`.
    /// Nothing of a user whose address is proved.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn hold(
        unit: &mut UnitBuilder<'_, ()>,
        store: &dyn Store,
        user: &User,
        kept: Option<EntityId>,
    ) -> Result<Self, AccessError> {
        if user.email_verified {
            return Ok(Self(Vec::new()));
        }
        let id = user.id.to_string();
        let mut places: Vec<Membership> = store.look_up(&MEMBERSHIPS, "user_id", &id).await?;
        places.retain(|place| place.account_id != user.account_id);
        places.retain(|place| Some(place.entity_id) != kept);
        let places = places.iter().map(|place| HeldPlace {
            place: unit.hold_of(place.tenant(), &MEMBERSHIPS, place.id),
            pin: unit.hold_of(place.tenant(), &OPERATOR_PINS, user.id),
            keys: key::hold_all_of(unit, &place.tenant()),
            invitations: invitation::hold_all_of(unit, place.entity_id),
        });
        Ok(Self(places.collect()))
    }

    /// Ends these places: another person may have accepted them. What they made there ends too.
    /// Each place becomes an invitation, which the user accepts in their own session or not. Where
    /// the user is taken over (`is_recovery`), their keys end by [`HeldKeys`].
    ///
    /// # Errors
    /// When a row cannot be read.
    pub fn end(
        self,
        held: &Held<()>,
        user: &User,
        is_recovery: bool,
        stamp: &Stamp,
    ) -> Result<EndedPlaces, AccessError> {
        let mut ended = EndedPlaces::default();
        if user.email_verified {
            return Ok(ended);
        }
        for HeldPlace { place, pin, keys, invitations } in self.0 {
            let Some(place) = held.find::<Membership>(place)? else { continue };
            let pin: Option<OperatorPin> = held.find(pin)?;
            let again = Invitation::again(&place, stamp);
            let tell = |kind, id: &dyn ToString| event(place.tenant(), kind, id, &user.id, stamp);
            let mut writes = end_invitations(held.all(invitations)?, user.id, &user.id, stamp)
                .delete(&place)
                .puts(pin.iter().map(Put::delete))
                .insert(&again)
                .events([
                    tell(events::entity_user::REMOVED, &user.id),
                    tell(events::entity_invitation::CREATED, &again.id),
                ]);
            if !is_recovery {
                let made = made_by(user.id, held.all(keys)?);
                writes = writes.and(end_keys(&made, &user.id, stamp));
            }
            ended.writes = ended.writes.and(writes);
            ended.left.push(place.entity_id);
        }
        Ok(ended)
    }
}

/// Ends the keys of `user` that are left after the others ended: those that no look-up had room
/// for, and those of a request that was on its way then. It goes on until there is none. After the
/// sessions of `user` and the keys of their account ended no more are made, for a key is refused to
/// a request that began before ([`check_is_current`]).
///
/// # Errors
/// The store's failure.
pub(crate) async fn end_late_keys(
    store: &dyn Store,
    user: &User,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    loop {
        let (id, stamp) = (user.id, stamp.clone());
        let mut unit = store.unit(Tenant::directory());
        let keys = HeldKeys::hold(&mut unit, store, user).await?;
        let ended = unit.decide(move |held| {
            let keys = keys.read(held)?;
            Ok::<_, AccessError>((keys.len(), end_keys(&keys, &id, &stamp)))
        });
        if ended.await? == 0 {
            return Ok(());
        }
    }
}

/// Accepts a request of `user` that began at `now`: not before their password was set last, when
/// all that they were logged in with ended.
///
/// # Errors
/// [`AccessError::Unauthorized`].
pub(crate) fn check_is_current(user: &User, now: OffsetDateTime) -> Result<(), AccessError> {
    match user.password_changed_at {
        Some(at) if now < at => Err(AccessError::Unauthorized),
        _ => Ok(()),
    }
}
