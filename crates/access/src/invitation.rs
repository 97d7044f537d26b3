//! Inviting people, whether they have a user or not: joining an entity takes consent.
//!
//! What an invitation answers and how long it takes does not hang on whether its address has a
//! user. How one is accepted is in `accepting`.

use racun_kernel::id::{AccountId, EntityId, InvitationId, UserId};
use racun_kernel::{Role, Stamp, Tenant};
use racun_store::{
    Context, EventKind, Field, ListQuery, Many, Put, Store, Unique, UnitBuilder, Writes,
};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::account::event;
use crate::email::fold_email;
use crate::events;
use crate::maker::HeldMaker;
use crate::member::{AddEntityUser, HeldMembers};
use crate::permission::require;
use crate::secret::new_token;
use crate::{AccessError, Conflict, Digest, Membership, Permission, Refused, WithSecret};

/// How long an invitation can be accepted.
const INVITATION_DAYS: i64 = 7;
/// Invitations not accepted yet that an entity has at most; as many are listed.
const MAX_INVITATIONS: usize = 500;
/// What an invitation token starts with.
pub(crate) const INVITATION_PREFIX: &str = "invite_";

/// Where an invitation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InvitationStatus {
    /// It can be accepted.
    Pending,
    /// It was accepted.
    Accepted,
    /// It was not accepted in time. Never stored: [`Invitation::status_at`] derives it.
    Expired,
}

impl InvitationStatus {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted => "accepted",
            Self::Expired => "expired",
        }
    }
}

/// An invitation to join an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitation {
    /// Its id; the token is another text.
    pub id: InvitationId,
    /// The entity.
    pub entity_id: EntityId,
    /// The account that owns the entity.
    pub account_id: AccountId,
    /// Whom it invites.
    pub email: String,
    /// Their name, as they gave it on accepting.
    pub name: Option<String>,
    /// What they will be able to do.
    pub role: Role,
    /// As stored: pending or accepted. [`Invitation::status_at`] knows more.
    pub status: InvitationStatus,
    /// Who invites; `None` for a key.
    pub invited_by_user_id: Option<UserId>,
    /// Until when it can be accepted.
    #[serde(with = "time::serde::rfc3339")]
    pub expires_at: OffsetDateTime,
    /// When it was accepted.
    #[serde(with = "time::serde::rfc3339::option")]
    pub accepted_at: Option<OffsetDateTime>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
    /// What is kept of the token.
    pub(crate) token_digest: Digest,
    /// Whether only the reader of a mail to the address has the token.
    #[serde(default)]
    pub(crate) was_mailed: bool,
}

racun_store::record! {
    /// Where invitations are kept: with their entity.
    pub static INVITATIONS: Invitation = "invitations";
    |invitation|
    id: invitation.id,
    tenant: Tenant::entity(invitation.entity_id),
    fields: {
        Field::instant("created_at") => invitation.created_at,
        Field::text("entity_id").indexed().hidden() => invitation.entity_id,
        Field::text("token_digest").unique(Unique::Everywhere).hidden()
            => invitation.token_digest.as_str(),
        Field::text("email").indexed().hidden() => fold_email(&invitation.email),
    }
}

impl Invitation {
    fn new(
        (entity_id, account_id): (EntityId, AccountId),
        input: AddEntityUser,
        invited_by_user_id: Option<UserId>,
        secret: &str,
        stamp: &Stamp,
    ) -> Self {
        let now = stamp.now();
        Self {
            id: stamp.id(),
            entity_id,
            account_id,
            email: input.email,
            name: None,
            role: input.role,
            status: InvitationStatus::Pending,
            invited_by_user_id,
            expires_at: now + Duration::days(INVITATION_DAYS),
            accepted_at: None,
            created_at: now,
            updated_at: now,
            token_digest: Digest::of(secret),
            was_mailed: false,
        }
    }

    /// An invitation to the place that `member` loses by proving their address. Its token is
    /// never shown: the user accepts in their own session.
    pub(crate) fn again(member: &Membership, stamp: &Stamp) -> Self {
        let place = (member.entity_id, member.account_id);
        let input = AddEntityUser { email: member.email.clone(), role: member.role };
        let secret = new_token(INVITATION_PREFIX, stamp);
        Self::new(place, input, member.invited_by_user_id, &secret, stamp)
    }

    /// Where it stands at `now`.
    #[must_use]
    pub fn status_at(&self, now: OffsetDateTime) -> InvitationStatus {
        match self.status {
            InvitationStatus::Pending if self.expires_at <= now => InvitationStatus::Expired,
            status => status,
        }
    }

    /// Accepts what can be accepted at `now`.
    pub(crate) fn check_open(&self, now: OffsetDateTime) -> Result<(), Refused> {
        match self.status_at(now) {
            InvitationStatus::Pending => Ok(()),
            InvitationStatus::Accepted => Err(Refused::InvitationNotPending),
            InvitationStatus::Expired => Err(Refused::InvitationExpired),
        }
    }
}

/// Holds all invitations to `entity`.
pub(crate) fn hold_all_of<By>(
    unit: &mut UnitBuilder<'_, By>,
    entity: EntityId,
) -> Many<Invitation> {
    unit.hold_where_of(Tenant::entity(entity), &INVITATIONS, "entity_id", entity)
}

/// Invites someone. An expired invitation of the same address makes room.
pub(crate) async fn invite(
    cx: Context<'_>,
    input: AddEntityUser,
    beside: impl FnOnce(&Invitation) -> Vec<Put> + Send,
) -> Result<WithSecret<Invitation>, AccessError> {
    let now = cx.now();
    let secret = new_token(INVITATION_PREFIX, cx.stamp);
    let place = (cx.scope.entity(), cx.scope.account());
    let record = Invitation::new(place, input, cx.scope.principal().user(), &secret, cx.stamp);
    let beside = beside(&record);
    let actor = cx.scope.principal().id();
    let happened =
        event(cx.scope.tenant(), events::entity_invitation::CREATED, &record.id, &actor, cx.stamp);
    let mut unit = cx.unit();
    let maker = HeldMaker::hold(&mut unit, cx.scope, now);
    let place = HeldMembers::hold(&mut unit, cx.scope.account(), cx.scope.entity());
    let earlier = hold_all_of(&mut unit, cx.scope.entity());
    unit.decide(move |held| {
        maker.read(held, Permission::ManagePeople)?;
        let (_, members) = place.read(held)?;
        let earlier: Vec<Invitation> = held.all(earlier)?;
        let email = fold_email(&record.email);
        if members.iter().any(|member| fold_email(&member.email) == email) {
            return Err(Conflict::AlreadyMember.into());
        }
        let mut puts = vec![Put::insert(&record)];
        puts.extend(beside);
        for other in earlier.iter().filter(|other| fold_email(&other.email) == email) {
            match other.status_at(now) {
                InvitationStatus::Pending => return Err(Conflict::AlreadyInvited.into()),
                InvitationStatus::Expired => puts.push(Put::delete(other)),
                InvitationStatus::Accepted => {}
            }
        }
        let is_open = |other: &&Invitation| other.status == InvitationStatus::Pending;
        if earlier.iter().filter(is_open).count() >= MAX_INVITATIONS {
            return Err(Refused::TooManyMembers.into());
        }
        let writes = Writes { puts, events: vec![happened], takes_number: false };
        Ok((WithSecret { record, secret }, writes))
    })
    .await
}

/// The entity's 500 newest invitations, newest first.
///
/// # Errors
/// [`AccessError::Forbidden`] to entity keys, or the store's failure.
pub async fn list_invitations(cx: Context<'_>) -> Result<Vec<Invitation>, AccessError> {
    require(cx.scope, Permission::ReadPeople)?;
    let query = ListQuery { limit: MAX_INVITATIONS, ..ListQuery::first_page(&INVITATIONS) };
    Ok(cx.store.page(&INVITATIONS, &cx.tenant(), &query).await?.rows)
}

/// One of the entity's invitations.
///
/// # Errors
/// [`AccessError::Forbidden`] to entity keys, [`AccessError::NotFound`], or the store's failure.
pub async fn get_invitation(cx: Context<'_>, id: &str) -> Result<Invitation, AccessError> {
    require(cx.scope, Permission::ReadPeople)?;
    let found = match id.parse::<InvitationId>() {
        Ok(_) => cx.store.get(&INVITATIONS, &cx.tenant(), id).await?,
        Err(_) => None,
    };
    found.ok_or_else(|| AccessError::NotFound { id: id.to_owned() })
}

/// Takes an invitation back, expired or not: it is gone, and its token with it.
///
/// # Errors
/// [`AccessError::Forbidden`] to all but admins, [`AccessError::NotFound`], or
/// [`Refused::InvitationNotPending`] when it was accepted.
pub async fn cancel_invitation(cx: Context<'_>, id: &str) -> Result<(), AccessError> {
    amend_invitation(cx, id, events::entity_invitation::CANCELLED, |before| {
        ((), vec![Put::delete(before)])
    })
    .await
}

/// Makes a new token for an invitation, which can be accepted for another seven days. The token
/// before it is worthless from then on.
///
/// # Errors
/// As [`cancel_invitation`].
pub async fn resend_invitation(
    cx: Context<'_>,
    id: &str,
) -> Result<WithSecret<Invitation>, AccessError> {
    resend_invitation_with(cx, id, |_| Vec::new()).await
}

/// As [`resend_invitation`], written together with what `beside` says: its mail.
///
/// # Errors
/// As [`cancel_invitation`].
pub async fn resend_invitation_with(
    cx: Context<'_>,
    id: &str,
    beside: impl FnOnce(&Invitation) -> Vec<Put> + Send + 'static,
) -> Result<WithSecret<Invitation>, AccessError> {
    let secret = new_token(INVITATION_PREFIX, cx.stamp);
    let now = cx.now();
    amend_invitation(cx, id, events::entity_invitation::RESENT, move |before| {
        let record = Invitation {
            expires_at: now + Duration::days(INVITATION_DAYS),
            updated_at: now,
            token_digest: Digest::of(&secret),
            was_mailed: false,
            ..before.clone()
        };
        let mut puts = vec![Put::update(before, &record)];
        puts.extend(beside(&record));
        (WithSecret { record, secret }, puts)
    })
    .await
}

/// Makes a token for the mail that invites: the only one from then on. `None` when the invitation
/// was accepted, has expired, or is gone.
///
/// # Errors
/// The store's failure.
pub async fn mint_invitation_token(
    store: &dyn Store,
    entity: EntityId,
    id: &str,
    stamp: &Stamp,
) -> Result<Option<String>, AccessError> {
    let secret = new_token(INVITATION_PREFIX, stamp);
    let (digest, now) = (Digest::of(&secret), stamp.now());
    let mut unit = store.unit(Tenant::entity(entity));
    let invitation = unit.hold(&INVITATIONS, id);
    unit.decide(move |held| {
        let open = |one: &Invitation| one.status_at(now) == InvitationStatus::Pending;
        let Some(before) = held.find(invitation)?.filter(open) else {
            return Ok((None, Writes::default()));
        };
        let after = Invitation { token_digest: digest, was_mailed: true, ..before.clone() };
        Ok((Some(secret), Writes::default().update(&before, &after)))
    })
    .await
}

/// Changes an invitation that was not accepted.
async fn amend_invitation<T: Send + 'static>(
    cx: Context<'_>,
    id: &str,
    kind: EventKind,
    change: impl FnOnce(&Invitation) -> (T, Vec<Put>) + Send + 'static,
) -> Result<T, AccessError> {
    require(cx.scope, Permission::ManagePeople)?;
    let id = get_invitation(cx, id).await?.id;
    let mut unit = cx.unit();
    let maker = HeldMaker::hold(&mut unit, cx.scope, cx.now());
    let invitation = unit.hold(&INVITATIONS, id);
    unit.decide(move |held| {
        maker.read(held, Permission::ManagePeople)?;
        let before: Invitation = held.one(invitation)?;
        if before.status == InvitationStatus::Accepted {
            return Err(Refused::InvitationNotPending.into());
        }
        let (answer, puts) = change(&before);
        Ok((answer, Writes::default().puts(puts).events([held.actor().event(kind, id)])))
    })
    .await
}
