//! Handing a till over to an operator who says their PIN.
//!
//! A PIN is hashed outside every transaction, so an attempt has three parts. The first counts it as
//! failed, in a unit that holds the PIN's row: attempts at one moment take turns, and those that
//! the lock refuses are never evaluated. The second verifies. The third forgives what the first
//! counted and makes the token. A process that dies between them gives away no free guess.

use racun_kernel::{Scope, Stamp};
use racun_store::{Context, One, Store, UnitBuilder, Writes};
use time::OffsetDateTime;

use crate::account::event;
use crate::device::{Device, DeviceHandle};
use crate::events;
use crate::operator::{OperatorPin, Standing, find_person};
use crate::operator_token::Bound;
use crate::permission::require;
use crate::pin::{PinHash, attempts_remaining};
use crate::{
    AccessError, Caller, OPERATOR_TOKENS, OperatorToken, Permission, Pin, PinKey, User, WithSecret,
};

/// An attempt that counts as failed until its PIN is verified.
#[derive(Debug, Clone)]
pub struct SwitchAttempt {
    user: User,
    standing: Standing,
    scope: Scope,
    device: Device,
    /// The PIN; `None` when the user has none, which is not to be seen from outside.
    kept: Option<PinHash>,
    /// Failures since the last success, this attempt among them.
    failures: u32,
    /// When it was counted.
    at: OffsetDateTime,
}

/// An attempt whose PIN is right.
#[derive(Debug, Clone)]
pub struct RightPin {
    attempt: SwitchAttempt,
    kept: PinHash,
}

/// Begins to hand the caller's till over to the user called `user_id`, and counts the attempt.
///
/// The attempt counts against the user, and against the session or key that the till is logged in
/// with; an operator's token stands for the one that it came of. Time is the store's where it has a
/// clock, so that processes whose clocks differ agree on a lock.
///
/// # Errors
/// [`AccessError::Forbidden`] to viewers and to a device whose right to switch has ended
/// ([`crate::Forbidden::SwitchEnded`]); [`AccessError::NotFound`] for users outside the entity;
/// [`AccessError::PinLocked`] while the PIN is locked, in which case nothing is counted; or the
/// store's failure.
pub async fn begin_switch(
    cx: Context<'_>,
    caller: &Caller,
    user_id: &str,
) -> Result<SwitchAttempt, AccessError> {
    require(cx.scope, Permission::Sell)?;
    let (user, standing) = find_person(cx, user_id).await?;
    let (scope, device) = (cx.scope.clone(), caller.device());
    let mut unit = cx.unit();
    let (pin, device_row) = hold(&mut unit, &scope, &user, device);
    unit.decide(move |held| {
        let now = held.actor_by_clock().now();
        let row = device_row.read(held, now)?;
        row.switching().check()?;
        let before: Option<OperatorPin> = held.find(pin)?;
        let none = || OperatorPin::none(scope.entity(), user.id, now);
        let pin = before.clone().unwrap_or_else(none);
        if let Some(retry_after) = seconds_until(pin.locked_until, now) {
            return Err(AccessError::PinLocked { retry_after });
        }
        let after = pin.failed(now);
        let kept = after.kept.clone().filter(|_| standing.is_operators());
        let failures = after.failures;
        let writes = Writes::default().put(row.with(row.switching().failed(now)));
        let writes = writes.puts(after.put(before.as_ref()));
        let attempt = SwitchAttempt { user, standing, scope, device, kept, failures, at: now };
        Ok((attempt, writes))
    })
    .await
}

/// Holds the user and their PIN, and the device.
fn hold<By>(
    unit: &mut UnitBuilder<'_, By>,
    scope: &Scope,
    user: &User,
    device: Device,
) -> (One<OperatorPin>, DeviceHandle) {
    let pin = OperatorPin::hold(unit, scope.entity(), user.id);
    (pin, device.hold(unit, scope.account(), scope.entity()))
}

/// Seconds from `now` until `end`, rounded up; `None` when that is past.
pub(crate) fn seconds_until(end: Option<OffsetDateTime>, now: OffsetDateTime) -> Option<u32> {
    let left = end.filter(|end| *end > now)? - now;
    let seconds = left.whole_seconds() + i64::from(left.subsec_nanoseconds() > 0);
    Some(u32::try_from(seconds).unwrap_or(u32::MAX))
}

impl SwitchAttempt {
    /// The attempt with its PIN, when `pin` is the user's. Takes tens of milliseconds, also when
    /// the user has none: not for a reactor.
    ///
    /// # Errors
    /// [`AccessError::WrongPin`] for a wrong PIN, and for a user without one alike.
    pub fn verify(self, key: &PinKey, pin: &Pin) -> Result<RightPin, AccessError> {
        let kept = self.kept.as_ref();
        let is_theirs = PinHash::verify(kept, key, self.scope.entity(), self.user.id, pin);
        match self.kept.clone().filter(|_| is_theirs) {
            Some(kept) => Ok(RightPin { attempt: self, kept }),
            None => Err(self.refused()),
        }
    }

    const fn refused(&self) -> AccessError {
        AccessError::WrongPin { attempts_remaining: attempts_remaining(self.failures) }
    }
}

/// Hands the till over: forgets the user's failures, and makes their token, which is shown once.
///
/// Tokens of the user in the entity that are over are cleared away; so is the oldest when there are
/// 100.
///
/// # Errors
/// [`AccessError::WrongPin`] when another request changed or removed the PIN,
/// [`AccessError::Unauthorized`] when the device's session or key has ended, or the store's
/// failure.
pub async fn finish_switch(
    store: &dyn Store,
    right: RightPin,
    stamp: &Stamp,
) -> Result<WithSecret<OperatorToken>, AccessError> {
    let RightPin { attempt, kept } = right;
    let (entity, user, stamp) = (attempt.scope.entity(), attempt.user.id, stamp.clone());
    let mut unit = store.unit(attempt.scope.tenant());
    let (pin, device) = hold(&mut unit, &attempt.scope, &attempt.user, attempt.device);
    let tokens = unit.hold_where(&OPERATOR_TOKENS, "user_id", user);
    unit.decide(move |held| {
        let now = held.now().unwrap_or(stamp.now());
        let device = device.read(held, now)?;
        let before: Option<OperatorPin> = held.find(pin)?;
        let same = |pin: &&OperatorPin| pin.kept.as_ref() == Some(&kept);
        let pin = before.as_ref().filter(same).ok_or_else(|| attempt.refused())?;
        let after = pin.clone().forgiven();
        let tokens: Vec<OperatorToken> = held.all(tokens)?;
        let bound = Bound {
            user_id: user,
            entity_id: entity,
            account_id: attempt.scope.account(),
            device: attempt.device,
            pin_id: kept.id,
            standing: attempt.standing,
        };
        let shown = OperatorToken::new(bound, &stamp);
        let (tenant, actor) = (attempt.scope.tenant(), attempt.scope.principal().id());
        let happened = event(tenant, events::operator::SWITCHED, &user, &actor, &stamp);
        let writes = Writes::default()
            .insert(&shown.record)
            .put(device.with(device.switching().forgiven(attempt.at)))
            .puts(after.put(before.as_ref()))
            .puts(OperatorToken::surplus(tokens, now))
            .events([happened]);
        Ok((shown, writes))
    })
    .await
}
