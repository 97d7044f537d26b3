//! What ends with a person: their sessions, and the keys and invitations that they made; and what
//! ends when an address is proved: what was accepted in its owner's name before.

use racun_kernel::id::{EntityId, TokenId, UserId};
use racun_kernel::{
    Event, Load, Put, Record as _, Stamp, Store, StoreError, Stored, Tenant, Writes,
};
use time::OffsetDateTime;

use crate::account::event;
use crate::invitation::{self, read_all};
use crate::key::{all_of, all_of_account};
use crate::{
    API_KEYS, AccessError, ApiKey, Invitation, InvitationStatus, MEMBERSHIPS, Membership,
    OperatorPin, SESSIONS, Session, User,
};

/// Loads and holds all sessions of `user`.
pub(crate) fn load_sessions(user: UserId) -> Load {
    let (tenant, value) = (Tenant::directory(), user.to_string());
    Load::Where { table: &SESSIONS, tenant, field: "user_id", value }
}

/// Ends the sessions in `rows`, but for `kept`.
pub(crate) fn end_sessions(
    rows: &[Stored],
    kept: Option<TokenId>,
) -> Result<Vec<Put>, AccessError> {
    let sessions = rows.iter().map(|row| row.read::<Session>(&SESSIONS));
    let sessions: Vec<Session> = sessions.collect::<Result<_, _>>()?;
    Ok(sessions.iter().filter(|one| Some(one.id) != kept).map(Put::delete).collect())
}

/// Loads and holds the keys of `user`: all of their account, and those that they made elsewhere.
///
/// # Errors
/// The store's failure.
pub(crate) async fn load_keys(store: &dyn Store, user: &User) -> Result<Vec<Load>, AccessError> {
    let made: Vec<ApiKey> = store.look_up(&API_KEYS, "created_by", &user.id.to_string()).await?;
    let account = Tenant::account(user.account_id);
    let mut loads = vec![all_of_account(user.account_id)];
    for key in made.iter().filter(|key| key.tenant() != account) {
        let (tenant, id) = (key.tenant(), key.id.to_string());
        loads.push(Load::One { table: &API_KEYS, tenant, id });
    }
    Ok(loads)
}

/// The keys in `rows`.
pub(crate) fn read_keys<'a>(
    rows: impl Iterator<Item = &'a Stored>,
) -> Result<Vec<ApiKey>, StoreError> {
    rows.map(|row| row.read(&API_KEYS)).collect()
}

/// Ends `keys`.
pub(crate) fn end_keys(
    keys: &[ApiKey],
    actor: &dyn ToString,
    stamp: &Stamp,
) -> (Vec<Put>, Vec<Event>) {
    let told = |key: &ApiKey| event(key.tenant(), "api_key.deleted", &key.id, actor, stamp);
    (keys.iter().map(Put::delete).collect(), keys.iter().map(told).collect())
}

/// The keys in `rows` that `user` made.
pub(crate) fn made_by(user: UserId, rows: Option<&Vec<Stored>>) -> Result<Vec<ApiKey>, StoreError> {
    let mut keys = read_keys(rows.into_iter().flatten())?;
    keys.retain(|key| key.created_by_user_id == Some(user));
    Ok(keys)
}

/// Ends the invitations in `rows` that `user` made, and that nobody accepted yet.
pub(crate) fn end_invitations(
    rows: Option<&Vec<Stored>>,
    user: UserId,
    actor: &dyn ToString,
    stamp: &Stamp,
) -> Result<(Vec<Put>, Vec<Event>), AccessError> {
    let mut open = read_all(rows)?;
    open.retain(|one| one.status == InvitationStatus::Pending);
    open.retain(|one| one.invited_by_user_id == Some(user));
    let told = open.iter().map(|one| {
        let tenant = Tenant::entity(one.entity_id);
        event(tenant, "entity_invitation.cancelled", &one.id, actor, stamp)
    });
    let events = told.collect();
    Ok((open.iter().map(Put::delete).collect(), events))
}

/// Rows that [`load_places`] holds of each place.
const PLACE_ROWS: usize = 4;

/// Loads and holds the places in entities of `user`, whose address is not proved yet, and what they
/// made there; but for the entity `kept`. Nothing of a user whose address is proved.
///
/// # Errors
/// The store's failure.
pub(crate) async fn load_places(
    store: &dyn Store,
    user: &User,
    kept: Option<EntityId>,
) -> Result<Vec<Load>, AccessError> {
    if user.email_verified {
        return Ok(Vec::new());
    }
    let id = user.id.to_string();
    let mut places: Vec<Membership> = store.look_up(&MEMBERSHIPS, "user_id", &id).await?;
    places.retain(|place| Some(place.entity_id) != kept);
    let rows = |place: &Membership| -> [Load; PLACE_ROWS] {
        let (tenant, id) = (place.tenant(), place.id.to_string());
        [
            Load::One { table: &MEMBERSHIPS, tenant: tenant.clone(), id },
            OperatorPin::load(place.entity_id, user.id),
            all_of(&tenant),
            invitation::all_of(place.entity_id),
        ]
    };
    Ok(places.iter().flat_map(rows).collect())
}

/// What ends when the address of a user is proved for the first time.
#[derive(Default)]
pub(crate) struct EndedPlaces {
    pub(crate) puts: Vec<Put>,
    pub(crate) events: Vec<Event>,
    /// The entities of other accounts that the user does not belong to any more.
    pub(crate) left: Vec<EntityId>,
}

/// Ends the places that `user` has in entities of other accounts, of the rows that [`load_places`]
/// held: another person may have accepted them. What they made there ends too. Each place becomes
/// an invitation, which they accept in their own session or not. Where the user is taken over
/// (`is_recovery`), the invitations to entities of their own end as well; their keys end by
/// [`load_keys`] then.
///
/// # Errors
/// When a row cannot be read.
pub(crate) fn end_places(
    rows: &[Vec<Stored>],
    user: &User,
    is_recovery: bool,
    stamp: &Stamp,
) -> Result<EndedPlaces, AccessError> {
    let mut ended = EndedPlaces::default();
    if user.email_verified {
        return Ok(ended);
    }
    for rows in rows.chunks(PLACE_ROWS) {
        let Some(row) = rows.first().and_then(|rows| rows.first()) else { continue };
        let place: Membership = row.read(&MEMBERSHIPS)?;
        let is_own = place.account_id == user.account_id;
        if is_own && !is_recovery {
            continue;
        }
        let (puts, events) = end_invitations(rows.get(3), user.id, &user.id, stamp)?;
        ended.puts.extend(puts);
        ended.events.extend(events);
        if is_own {
            continue;
        }
        ended.puts.push(Put::delete(&place));
        let pin = rows.get(1).map_or(Ok(None), |rows| OperatorPin::read(rows))?;
        ended.puts.extend(pin.iter().map(Put::delete));
        if !is_recovery {
            let (puts, events) = end_keys(&made_by(user.id, rows.get(2))?, &user.id, stamp);
            ended.puts.extend(puts);
            ended.events.extend(events);
        }
        let again = Invitation::again(&place, stamp);
        ended.puts.push(Put::insert(&again));
        let tell = |kind, id: &dyn ToString| event(place.tenant(), kind, id, &user.id, stamp);
        ended.events.push(tell("entity_user.removed", &user.id));
        ended.events.push(tell("entity_invitation.created", &again.id));
        ended.left.push(place.entity_id);
    }
    Ok(ended)
}

/// Ends the keys of `user` that were made while others of theirs ended: a request that was on its
/// way then. After the sessions of `user` ended no more are made, for a key is refused to a request
/// that began before ([`check_is_current`]).
///
/// # Errors
/// The store's failure.
pub(crate) async fn end_late_keys(
    store: &dyn Store,
    user: &User,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    let (id, at) = (user.id, stamp.clone());
    let loads = load_keys(store, user).await?;
    store
        .decide(loads, None, move |loaded| {
            let keys = read_keys(loaded.rows.iter().flatten())?;
            let (puts, events) = end_keys(&keys, &id, &at);
            Ok(((), Writes { puts, events, takes_number: false }))
        })
        .await
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
