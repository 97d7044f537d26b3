//! Tokens of operators: made by a PIN on a device, valid for a shift.

use racun_kernel::id::{AccountId, EntityId, PinId, TokenId, UserId};
use racun_kernel::{Role, Stamp, Tenant};
use racun_store::{Field, Put, Record, Store, Unique, Writes};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::account::event;
use crate::device::Device;
use crate::events;
use crate::operator::Standing;
use crate::secret::new_token;
use crate::{AccessError, Caller, Digest, OPERATOR_PINS, OperatorPin, USERS, User, WithSecret};

/// Seconds that an operator's token lasts: a shift of 12 hours.
pub const OPERATOR_SECONDS: i64 = 43_200;
/// Tokens that an operator has at most in an entity; the oldest ends when another is made.
const MAX_TOKENS: usize = 100;
/// The prefix of an operator's token. Those of sessions are shorter, which distinguishes the two.
pub(crate) const OPERATOR_PREFIX: &str = "tok_op_";

/// An operator's right to use a till.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorToken {
    /// Its id; the token is another text.
    pub id: TokenId,
    /// Who the operator is.
    pub user_id: UserId,
    /// The only entity it reaches.
    pub entity_id: EntityId,
    /// The account that owns the entity.
    pub account_id: AccountId,
    /// What the till is logged in with; when that ends, this does.
    pub(crate) device: Device,
    /// The PIN that it came of; with another, or none, it ends.
    pub(crate) pin_id: PinId,
    /// The operator's right in the entity; with another, or none, it ends.
    pub(crate) standing: Standing,
    /// What is kept of the token.
    pub(crate) digest: Digest,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it ends.
    #[serde(with = "time::serde::rfc3339")]
    pub expires_at: OffsetDateTime,
}

racun_store::record! {
    /// Where operators' tokens are kept: with their entity.
    pub static OPERATOR_TOKENS: OperatorToken = "operator_tokens";
    |token|
    id: token.id,
    tenant: Tenant::entity(token.entity_id),
    fields: {
        Field::instant("created_at") => token.created_at,
        Field::text("user_id").indexed().hidden() => token.user_id,
        Field::text("digest").unique(Unique::Everywhere).hidden() => token.digest.as_str(),
    }
}

/// What a new token is bound to.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    pub user_id: UserId,
    pub entity_id: EntityId,
    pub account_id: AccountId,
    pub device: Device,
    pub pin_id: PinId,
    pub standing: Standing,
}

impl OperatorToken {
    /// A new token, bound to `to`.
    pub(crate) fn new(to: Bound, stamp: &Stamp) -> WithSecret<Self> {
        let Bound { user_id, entity_id, account_id, device, pin_id, standing } = to;
        let secret = new_token(OPERATOR_PREFIX, stamp);
        let created_at = stamp.now();
        let record = Self {
            id: stamp.id(),
            user_id,
            entity_id,
            account_id,
            device,
            pin_id,
            standing,
            digest: Digest::of(&secret),
            created_at,
            expires_at: created_at + Duration::seconds(OPERATOR_SECONDS),
        };
        WithSecret { record, secret }
    }

    /// What the operator may do in the entity, as far as a till reaches.
    #[must_use]
    pub const fn role(&self) -> Role {
        self.standing.role
    }

    /// The rows that go when the user with these tokens gets another: those that are over, and the
    /// oldest when there are as many as there may be.
    pub(crate) fn surplus(mut tokens: Vec<Self>, now: OffsetDateTime) -> Vec<Put> {
        tokens.sort_by_key(|token| token.created_at);
        let live = tokens.iter().filter(|token| token.expires_at > now).count();
        let mut surplus = (live + 1).saturating_sub(MAX_TOKENS);
        let goes = |token: &&Self| {
            let is_over = token.expires_at <= now;
            let is_surplus = !is_over && surplus > 0;
            surplus -= usize::from(is_surplus);
            is_over || is_surplus
        };
        tokens.iter().filter(goes).map(Put::delete).collect()
    }
}

/// Whose an operator's token is.
///
/// All that it is bound to is looked at every time, so what ends it does so at once, in every
/// process.
///
/// # Errors
/// [`AccessError::Unauthorized`] when it is unknown or over, or the store's failure.
pub(crate) async fn operator_of(
    store: &dyn Store,
    token: &str,
    stamp: &Stamp,
) -> Result<Caller, AccessError> {
    let now = stamp.now();
    let found = store.look_up(&OPERATOR_TOKENS, "digest", Digest::of(token).as_str()).await?;
    let token: OperatorToken = found.into_iter().next().ok_or(AccessError::Unauthorized)?;
    if token.expires_at <= now {
        return Err(AccessError::Unauthorized);
    }
    let (account, entity, id) = (token.account_id, token.entity_id, token.user_id.to_string());
    let device = token.device.find(store, account, entity, now).await?;
    let pin: Option<OperatorPin> = store.get(&OPERATOR_PINS, &Tenant::entity(entity), &id).await?;
    let pin = pin.and_then(|pin| pin.kept).filter(|kept| kept.id == token.pin_id);
    let user: Option<User> = store.get(&USERS, &Tenant::directory(), &id).await?;
    let (Some(_), Some(user)) = (pin, user) else { return Err(AccessError::Unauthorized) };
    if Standing::find(store, account, entity, &user).await?.as_ref() != Some(&token.standing) {
        return Err(AccessError::Unauthorized);
    }
    let (user, token, device) = (Box::new(user), Box::new(token), Box::new(device));
    Ok(Caller::Operator { user, token, device })
}

/// Ends an operator's token, and nothing else. Ending it twice is not an error.
pub(crate) async fn end_operator_token(
    store: &dyn Store,
    token: &OperatorToken,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    let (tenant, id) = (token.tenant(), token.id.to_string());
    let mut unit = store.unit(tenant.clone());
    let held_token = unit.hold(&OPERATOR_TOKENS, &id);
    let happened = event(tenant, events::operator_token::LOGGED_OUT, &id, &token.user_id, stamp);
    unit.decide(move |held| {
        let Some(token) = held.find::<OperatorToken>(held_token)? else {
            return Ok(((), Writes::default()));
        };
        Ok(((), Writes::default().delete(&token).events([happened])))
    })
    .await
}
