//! Accepting invitations, by the token that was mailed or in a session of one's own.
//!
//! The reader of the mail of an address has the token that was mailed there; a token that an admin
//! was shown proves nothing. So one alone never opens the account of a user who verified their
//! address, and a user who signed up with another's address and never verified it loses all
//! sessions and keys to the reader of the mail.

use std::cmp::Reverse;
use std::collections::HashMap;

use racun_kernel::id::{EntityId, UserId};
use racun_kernel::{Stamp, Tenant};
use racun_store::{Held, One, Put, Store, UnitBuilder, Writes};

use crate::account::{event, find_white_label, new_user};
use crate::email::fold_email;
use crate::ending::{HeldKeys, HeldPlaces, HeldSignIns, end_keys, end_late_keys};
use crate::events;
use crate::invitation::INVITATION_PREFIX;
use crate::mail_token::prove_address;
use crate::member::{HeldMembers, MAX_MEMBERS};
use crate::secret::is_token;
use crate::session::find_user;
use crate::takeover::clear_entities;
use crate::{
    ACCOUNTS, AccessError, Account, Digest, ENTITIES, Entity, Forbidden, INVITATIONS, Invitation,
    InvitationStatus, Membership, Origin, PasswordHash, Refused, SecondFactor, Session, SignUp,
    USERS, User, WithSecret, hash_password,
};

/// An invitation that someone is about to accept.
#[derive(Debug, Clone)]
pub struct OpenInvitation {
    invitation: Invitation,
    user: Option<User>,
}

/// An invitation, and who accepts it.
#[derive(Debug, Clone)]
pub struct InvitationReply {
    invitation: Invitation,
    by: Invited,
    origin: Origin,
}

impl InvitationReply {
    const fn new(invitation: Invitation, by: Invited) -> Self {
        Self { invitation, by, origin: Origin { address: None, agent: None } }
    }

    /// The user whom the reader of the mail takes over by it, for another person made them.
    #[must_use]
    pub fn taken_over(&self) -> Option<&User> {
        match &self.by {
            Invited::Recovered(user, _) => Some(user),
            Invited::Known(_) | Invited::Admitted(_) | Invited::Proved(_) | Invited::New(_) => None,
        }
    }

    /// The answer as it comes from `origin`, where the session begins that it leads to.
    #[must_use]
    pub fn from(self, origin: Origin) -> Self {
        Self { origin, ..self }
    }
}

/// Who accepts an invitation.
#[derive(Debug, Clone)]
enum Invited {
    /// A user whose address is verified, and who proved who they are in a session of theirs.
    Known(Box<User>),
    /// A user whose address is verified, and who said their password.
    Admitted(Box<User>),
    /// A user who proved who they are, and by the mailed token that the address is theirs.
    Proved(Box<User>),
    /// The reader of the mail, who takes over a user that another person made with the address.
    Recovered(Box<User>, PasswordHash),
    /// One that is to be made.
    New(SignUp),
}

/// What accepting an invitation led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// Who accepted.
    pub user: User,
    /// Their place in the entity.
    pub membership: Membership,
    /// A session of theirs; its secret is their access token.
    pub session: WithSecret<Session>,
}

/// Looks for the invitation that `token` accepts.
///
/// # Errors
/// [`AccessError::Unauthorized`] for an unknown or malformed token,
/// [`Refused::InvitationNotPending`], [`Refused::InvitationExpired`], or the store's failure.
pub async fn find_invitation(
    store: &dyn Store,
    token: &str,
    stamp: &Stamp,
) -> Result<OpenInvitation, AccessError> {
    if !is_token(INVITATION_PREFIX, token) {
        return Err(AccessError::Unauthorized);
    }
    let digest = Digest::of(token);
    let found = store.look_up(&INVITATIONS, "token_digest", digest.as_str()).await?;
    let invitation: Invitation = found.into_iter().next().ok_or(AccessError::Unauthorized)?;
    invitation.check_open(stamp.now())?;
    let user = find_user(store, &invitation.email).await?;
    Ok(OpenInvitation { invitation, user })
}

/// The invitations to the address of `user` that can be accepted, newest first, each with the name
/// of its entity.
///
/// # Errors
/// [`Forbidden::EmailUnverified`] unless the address is theirs, or the store's failure.
pub async fn list_own_invitations(
    store: &dyn Store,
    user: &User,
    stamp: &Stamp,
) -> Result<Vec<(Invitation, String)>, AccessError> {
    let mut own = own_invitations(store, user).await?;
    own.retain(|one| one.status_at(stamp.now()) == InvitationStatus::Pending);
    own.sort_by_key(|one| Reverse((one.created_at, one.id)));
    let mut named = Vec::with_capacity(own.len());
    let mut names: HashMap<EntityId, String> = HashMap::new();
    for invitation in own {
        let name = match names.get(&invitation.entity_id) {
            Some(name) => name.clone(),
            None => {
                let tenant = Tenant::account(invitation.account_id);
                let id = invitation.entity_id.to_string();
                let entity: Option<Entity> = store.get(&ENTITIES, &tenant, &id).await?;
                entity.map(|entity| entity.name).unwrap_or_default()
            }
        };
        names.insert(invitation.entity_id, name.clone());
        named.push((invitation, name));
    }
    Ok(named)
}

async fn own_invitations(store: &dyn Store, user: &User) -> Result<Vec<Invitation>, AccessError> {
    if !user.email_verified {
        return Err(Forbidden::EmailUnverified.into());
    }
    Ok(store.look_up(&INVITATIONS, "email", &fold_email(&user.email)).await?)
}

/// The invitation `id` to the address of `user`, which they consent to.
///
/// # Errors
/// [`Forbidden::EmailUnverified`] unless the address is theirs, [`AccessError::NotFound`] for an
/// invitation of another address, [`Refused`] when it was accepted or has expired, or the store's
/// failure.
pub async fn find_own_invitation(
    store: &dyn Store,
    user: &User,
    id: &str,
    stamp: &Stamp,
) -> Result<InvitationReply, AccessError> {
    let own = own_invitations(store, user).await?;
    let invitation = own.into_iter().find(|one| one.id.to_string() == id);
    let invitation = invitation.ok_or_else(|| AccessError::NotFound { id: id.to_owned() })?;
    invitation.check_open(stamp.now())?;
    Ok(InvitationReply::new(invitation, Invited::Known(Box::new(user.clone()))))
}

/// Declines the invitation that `answer` would accept: it is gone, and its token with it.
///
/// # Errors
/// [`AccessError::NotFound`] when it has been accepted or revoked by now, or the store's failure.
pub async fn decline_invitation(
    store: &dyn Store,
    answer: InvitationReply,
    user: UserId,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    let InvitationReply { invitation, .. } = answer;
    let (tenant, id) = (Tenant::entity(invitation.entity_id), invitation.id.to_string());
    let mut unit = store.unit(tenant.clone());
    let invitation = unit.hold(&INVITATIONS, &id);
    let happened = event(tenant, events::entity_invitation::DECLINED, &id, &user, stamp);
    unit.decide(move |held| {
        let open = |one: &Invitation| one.status == InvitationStatus::Pending;
        let before = held.find(invitation)?.filter(open);
        let before = before.ok_or(AccessError::NotFound { id })?;
        Ok(((), Writes::default().delete(&before).events([happened])))
    })
    .await
}

impl OpenInvitation {
    /// Whether accepting it with a password may make a user. A token that was handed over does not
    /// tell whether its address has one already.
    #[must_use]
    pub const fn may_make_user(&self) -> bool {
        self.user.is_none() || !self.invitation.was_mailed
    }

    /// The invitation as `user` accepts it, who has a session of their own.
    ///
    /// # Errors
    /// [`Forbidden::InvitationNotYours`] to a user with another address,
    /// [`Forbidden::InvitationNotMailed`] to one who never verified theirs, unless the token was
    /// mailed.
    pub fn answer_as(self, user: &User) -> Result<InvitationReply, AccessError> {
        let Self { invitation, .. } = self;
        if fold_email(&user.email) != fold_email(&invitation.email) {
            return Err(Forbidden::InvitationNotYours.into());
        }
        let user = Box::new(user.clone());
        let by = match (user.email_verified, invitation.was_mailed) {
            (true, _) => Invited::Known(user),
            (false, true) => Invited::Proved(user),
            (false, false) => return Err(Forbidden::InvitationNotMailed.into()),
        };
        Ok(InvitationReply::new(invitation, by))
    }

    /// The invitation as accepted by the token and `password`: the password of the user whose
    /// address is verified, or the first one of a new user. A user who never verified the address
    /// belongs to the reader of the mail from then on, and gets this password. A token that was
    /// handed over proves nothing about the address, so it opens no user's account.
    ///
    /// Takes tens of milliseconds: not for a reactor.
    ///
    /// # Errors
    /// [`AccessError::BadCredentials`] for a wrong password of a user whose address is verified,
    /// [`AccessError::Invalid`] for a new password that is not accepted,
    /// [`Forbidden::InvitationNotMailed`] for a token that was handed over and the address of any
    /// user, be the password right or wrong.
    pub fn answer(
        self,
        password: &str,
        name: Option<String>,
        stamp: &Stamp,
    ) -> Result<InvitationReply, AccessError> {
        let Self { invitation, user } = self;
        let by = match user {
            Some(_) if !invitation.was_mailed => {
                return Err(Forbidden::InvitationNotMailed.into());
            }
            Some(user) if user.email_verified => {
                if !user.password.verify(password) {
                    return Err(AccessError::BadCredentials);
                }
                Invited::Admitted(Box::new(user))
            }
            Some(user) if user.password.verify(password) => Invited::Proved(Box::new(user)),
            Some(user) => {
                let password = hash_password(password, &[&invitation.email], stamp)?;
                Invited::Recovered(Box::new(user), password)
            }
            None => Invited::New(SignUp {
                email: invitation.email.clone(),
                password: hash_password(password, &[&invitation.email], stamp)?,
                name,
                company_name: None,
                locale: None,
                white_label: None,
                settings: None,
                metadata: None,
            }),
        };
        Ok(InvitationReply::new(invitation, by))
    }
}

/// Accepts an invitation in one commit: the user when there was none (with an account of their
/// own), what becomes of one whose address is proved by it, their place in the entity, and a
/// session.
///
/// # Errors
/// [`AccessError::Invalid`] for a wrong name, [`crate::Conflict::EmailTaken`] when the address has
/// a user by now, [`Refused`] when the invitation was accepted or has expired or the entity is
/// full, [`AccessError::Unauthorized`] when another request cancelled it, sent it again or
/// changed its user; [`Forbidden::SessionRequired`] for the password of one with a second factor.
pub async fn accept_invitation(
    store: &dyn Store,
    answer: InvitationReply,
    stamp: &Stamp,
) -> Result<Accepted, AccessError> {
    let (at, origin) = (stamp.clone(), answer.origin.clone());
    accept_with(store, answer, stamp, move |user, membership, puts| {
        let session = Session::new(user.id, &origin, &at);
        puts.push(Put::insert(&session.record));
        Accepted { user, membership, session }
    })
    .await
}

/// Accepts an invitation in the session of who accepts it; answers their place in the entity.
///
/// # Errors
/// As [`accept_invitation`].
pub async fn consent_to_invitation(
    store: &dyn Store,
    answer: InvitationReply,
    stamp: &Stamp,
) -> Result<Membership, AccessError> {
    accept_with(store, answer, stamp, |_, membership, _| membership).await
}

/// Accepts an invitation; `finish` makes of who accepted, and of their place, what is answered, and
/// adds to what is written.
async fn accept_with<T: Send + 'static>(
    store: &dyn Store,
    answer: InvitationReply,
    stamp: &Stamp,
    finish: impl FnOnce(User, Membership, &mut Vec<Put>) -> T + Send + 'static,
) -> Result<T, AccessError> {
    let recovered = answer.taken_over().cloned();
    let InvitationReply { invitation, by, origin } = answer;
    if let Some(user) = &recovered {
        clear_entities(store, user, Some(invitation.id), stamp).await?;
    }
    let mut unit = store.unit(Tenant::entity(invitation.entity_id));
    let place = HeldMembers::hold(&mut unit, invitation.account_id, invitation.entity_id);
    let current = unit.hold(&INVITATIONS, invitation.id);
    let acceptor = match by {
        Invited::Known(user) => {
            let row = Some(unit.hold_of(Tenant::directory(), &USERS, user.id));
            Acceptor { row, ..Acceptor::of(*user) }
        }
        Invited::Admitted(user) => {
            let row = Some(unit.hold_of(Tenant::directory(), &USERS, user.id));
            let factor = Some(SecondFactor::hold(&mut unit, user.id));
            Acceptor { row, factor, ..Acceptor::of(*user) }
        }
        // The holder of a mailed token reads the mail of the address. A new user joins the white
        // label of the account that invites.
        Invited::New(input) => {
            let white_label = find_white_label(store, invitation.account_id).await?;
            let input = SignUp { white_label, ..input };
            let (user, puts) = new_user(input, invitation.was_mailed, stamp)?;
            Acceptor { puts, ..Acceptor::of(user) }
        }
        Invited::Proved(user) => {
            let proof = Some(HeldProof::hold(&mut unit, store, &user, &invitation).await?);
            Acceptor { proof, ..Acceptor::of(*user) }
        }
        Invited::Recovered(user, hash) => {
            let proof = Some(HeldProof::hold(&mut unit, store, &user, &invitation).await?);
            let sign_ins = HeldSignIns::hold(&mut unit, user.id);
            let keys = HeldKeys::hold(&mut unit, store, &user).await?;
            let password = Some(NewPassword { hash, address: origin.address, sign_ins, keys });
            Acceptor { proof, password, ..Acceptor::of(*user) }
        }
    };
    let (accepting, at) = (Accepting { invitation, acceptor, place, current }, stamp.clone());
    let accepted = unit.decide(move |held| {
        let (user, membership, mut writes) = accepting.decide(held, &at)?;
        Ok::<_, AccessError>((finish(user, membership, &mut writes.puts), writes))
    });
    let accepted = accepted.await?;
    if let Some(user) = recovered {
        end_late_keys(store, &user, stamp).await?;
        clear_entities(store, &user, None, stamp).await?;
    }
    Ok(accepted)
}

/// Who accepts, and what that changes of them.
struct Acceptor {
    /// As they were read.
    user: User,
    /// Their row, when there is one and it stays as it is.
    row: Option<One<User>>,
    /// Their second factor, where the password alone was said: it must be none.
    factor: Option<One<SecondFactor>>,
    /// What makes them.
    puts: Vec<Put>,
    /// What proves that their address is theirs.
    proof: Option<HeldProof>,
    /// Their new password; all that they were logged in with ends with the one before.
    password: Option<NewPassword>,
}

/// A user whose address is proved, as a unit holds them: with their account, and the places that
/// end with the proof.
struct HeldProof {
    user: One<User>,
    account: One<Account>,
    places: HeldPlaces,
}

/// A password, and what ends with the one before.
struct NewPassword {
    hash: PasswordHash,
    /// From where it is set.
    address: Option<String>,
    sign_ins: HeldSignIns,
    keys: HeldKeys,
}

impl HeldProof {
    async fn hold(
        unit: &mut UnitBuilder<'_, ()>,
        store: &dyn Store,
        user: &User,
        invitation: &Invitation,
    ) -> Result<Self, AccessError> {
        let held = unit.hold_of(Tenant::directory(), &USERS, user.id);
        let account = unit.hold_of(Tenant::directory(), &ACCOUNTS, user.account_id);
        let places = HeldPlaces::hold(unit, store, user, Some(invitation.entity_id)).await?;
        Ok(Self { user: held, account, places })
    }
}

impl Acceptor {
    const fn of(user: User) -> Self {
        Self { user, row: None, factor: None, puts: Vec::new(), proof: None, password: None }
    }

    /// The user afterwards, with what is written of them.
    fn settle(self, held: &Held<()>, stamp: &Stamp) -> Result<(User, Writes), AccessError> {
        let Self { user, row, factor, puts, proof, password } = self;
        if held.find(factor)?.as_ref().is_some_and(SecondFactor::is_on) {
            return Err(Forbidden::SessionRequired.into());
        }
        if let Some(row) = row {
            let current: Option<User> = held.find(row)?;
            let current = current.filter(|current| current.password == user.password);
            return Ok((current.ok_or(AccessError::Unauthorized)?, Writes::default()));
        }
        let Some(proof) = proof else { return Ok((user, Writes::default().puts(puts))) };
        let before: User = held.find(proof.user)?.ok_or(AccessError::Unauthorized)?;
        // Another request verified the user or changed the password: what was read is out of date.
        if before.email_verified || before.password != user.password {
            return Err(AccessError::Unauthorized);
        }
        let mut after = before.clone();
        let is_recovery = password.is_some();
        let ended = password.map(|NewPassword { hash, address, sign_ins, keys }| {
            after.recover(hash, address, stamp);
            let (sign_ins, keys) = (sign_ins.end(held, true)?, keys.read(held)?);
            Ok::<_, AccessError>(sign_ins.and(end_keys(&keys, &after.id, stamp)))
        });
        let ended = ended.transpose()?.unwrap_or_default();
        let places = proof.places.end(held, &before, is_recovery, stamp)?;
        let proved = prove_address(&mut after, held.find(proof.account)?, stamp);
        let writes = proved.and(places.writes).and(ended);
        after.updated_at = stamp.now();
        let writes = writes.update(&before, &after);
        Ok((after, writes))
    }
}

/// The acceptance of an invitation, as a unit holds it.
struct Accepting {
    /// As it was read.
    invitation: Invitation,
    acceptor: Acceptor,
    place: HeldMembers,
    current: One<Invitation>,
}

impl Accepting {
    fn decide(
        self,
        held: &Held<()>,
        stamp: &Stamp,
    ) -> Result<(User, Membership, Writes), AccessError> {
        let Self { invitation, acceptor, place, current } = self;
        let (entity, members) = place.read(held)?;
        let current: Option<Invitation> = held.find(current)?;
        let before = current.filter(|now| now.token_digest == invitation.token_digest);
        let before = before.ok_or(AccessError::Unauthorized)?;
        before.check_open(stamp.now())?;
        let (user, mut writes) = acceptor.settle(held, stamp)?;
        let membership = match members.iter().find(|member| member.user_id == user.id) {
            Some(member) => member.clone(),
            None if members.len() >= MAX_MEMBERS => return Err(Refused::TooManyMembers.into()),
            None => {
                let inviter = before.invited_by_user_id;
                let member = Membership::new(&entity, &user, before.role, inviter, stamp);
                writes = writes.insert(&member);
                member
            }
        };
        let after = Invitation {
            status: InvitationStatus::Accepted,
            name: user.name.clone(),
            accepted_at: Some(stamp.now()),
            updated_at: stamp.now(),
            ..before.clone()
        };
        let tenant = Tenant::entity(after.entity_id);
        let accepted =
            event(tenant, events::entity_invitation::ACCEPTED, &after.id, &user.id, stamp);
        Ok((user, membership, writes.update(&before, &after).events([accepted])))
    }
}
