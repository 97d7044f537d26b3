//! A second factor is asked for, confirmed by a code, looked at, and removed.

use std::sync::Arc;

use racun_kernel::id::TokenId;
use racun_kernel::{Stamp, Tenant, Vault};
use racun_store::{Put, Record as _, Store, UnitBuilder, Writes};
use time::Duration;

use super::recovery::new_codes;
use super::{SECOND_FACTORS, SecondFactor, Verdict, totp, wrong_own_code};
use crate::account::event;
use crate::ending::{end_sessions, hold_sessions};
use crate::events;
use crate::login_guard::{LoginGuard, forgive};
use crate::{AccessError, Conflict, Forbidden, Refused, RightLogin, Session, USERS, User};

/// How long a secret that was shown waits for its first code.
const PENDING: Duration = Duration::hours(1);

/// A secret that the user's app is to take: shown once.
#[derive(Clone, PartialEq, Eq)]
pub struct Enrolment {
    /// In base32, to be typed in.
    pub secret: String,
    /// As an address, to be shown as a QR code.
    pub uri: String,
}

/// New recovery codes, shown once.
#[derive(Clone, PartialEq, Eq)]
pub struct NewCodes(
    /// The codes.
    pub Vec<String>,
);

/// The second factor of `user`; `None` where none was asked for.
///
/// # Errors
/// The store's failure.
pub async fn get_second_factor(
    store: &dyn Store,
    user: &User,
) -> Result<Option<SecondFactor>, AccessError> {
    Ok(store.get(&SECOND_FACTORS, &Tenant::directory(), &user.id.to_string()).await?)
}

/// Makes the secret of a second factor for who said their password; `issuer` is what their app
/// calls this server. It is asked for from the first code on ([`confirm_second_factor`]). A secret
/// that was made before and not confirmed is replaced.
///
/// # Errors
/// [`Forbidden::EmailUnverified`] before their address is verified, for the reader of the mail
/// takes over a user whose address is not; [`Conflict::SecondFactorOn`] when they have one;
/// [`AccessError::Unauthorized`] when another request set the password; or the store's failure.
pub async fn begin_second_factor(
    store: &dyn Store,
    right: RightLogin,
    vault: &dyn Vault,
    issuer: &str,
    stamp: &Stamp,
) -> Result<Enrolment, AccessError> {
    let secret = stamp.secret()[..totp::SECRET_BYTES].to_vec();
    let uri = totp::uri(issuer, &right.user.email, &secret);
    let shown = Enrolment { secret: totp::shown(&secret), uri };
    let factor = SecondFactor {
        user_id: right.user.id,
        sealed: Some(vault.seal(&SecondFactor::owner(right.user.id), &secret, stamp)),
        confirmed_at: None,
        last_step: 0,
        recovery: Vec::new(),
        failures: 0,
        locked_until: None,
        created_at: stamp.now(),
    };
    let mut unit = store.unit(Tenant::directory());
    let held = HeldUser::hold(&mut unit, &right);
    unit.decide(move |rows| {
        let (user, before, writes) = held.read(rows, &right)?;
        if !user.email_verified {
            return Err(Forbidden::EmailUnverified.into());
        }
        if before.as_ref().is_some_and(SecondFactor::is_on) {
            return Err(Conflict::SecondFactorOn.into());
        }
        Ok((shown, writes.put(Put::write(before.as_ref(), &factor))))
    })
    .await
}

/// Turns the second factor of `user` on, who says the first code of their app in the session
/// `kept`. Their other sessions end, for these were opened by the password alone; keys stay.
///
/// # Errors
/// [`Refused::SecondFactorNotBegun`] without a secret that was made within an hour;
/// [`Conflict::SecondFactorOn`] when it is on; an issue at `code`, [`AccessError::CodeLocked`], or
/// the store's failure.
pub async fn confirm_second_factor(
    store: &dyn Store,
    user: &User,
    kept: TokenId,
    vault: Option<Arc<dyn Vault>>,
    code: String,
    stamp: &Stamp,
) -> Result<NewCodes, AccessError> {
    let (user, stamp) = (user.clone(), stamp.clone());
    let mut unit = store.unit(Tenant::directory());
    let factor = SecondFactor::hold(&mut unit, user.id);
    let sessions = hold_sessions(&mut unit, user.id);
    let checked = unit.decide(move |held| {
        let now = held.now().unwrap_or(stamp.now());
        let sessions: Vec<Session> = held.all(sessions)?;
        let before: Option<SecondFactor> = held.find(factor)?;
        if !sessions.iter().any(|one| one.id == kept && !one.is_over(now)) {
            return Err(AccessError::Unauthorized);
        }
        let before = before.filter(|one| one.is_on() || one.created_at > now - PENDING);
        let before = before.ok_or(Refused::SecondFactorNotBegun)?;
        if before.is_on() {
            return Err(Conflict::SecondFactorOn.into());
        }
        let right = match before.clone().check(&code, vault.as_deref(), &user, &stamp, now)? {
            Verdict::Refused(error, writes) => return Ok((Err(error), writes)),
            Verdict::Right(after, _) => after,
        };
        let (codes, recovery) = new_codes(&stamp).into_iter().unzip();
        let after = SecondFactor { confirmed_at: Some(now), recovery, ..right };
        let kind = events::second_factor::ENABLED;
        let enabled = event(Tenant::account(user.account_id), kind, &user.id, &user.id, &stamp);
        let writes = Writes::default()
            .update(&before, &after)
            .and(end_sessions(&sessions, Some(kept)))
            .events([enabled]);
        Ok((Ok(NewCodes(codes)), writes))
    });
    checked.await?.map_err(wrong_own_code)
}

/// Replaces the recovery codes of who says their password and a code.
///
/// # Errors
/// As [`remove_second_factor`].
pub async fn renew_recovery_codes(
    store: &dyn Store,
    right: RightLogin,
    vault: Option<Arc<dyn Vault>>,
    code: String,
    stamp: &Stamp,
) -> Result<NewCodes, AccessError> {
    let at = stamp.clone();
    with_code(store, right, vault, code, stamp, move |after| {
        let (codes, recovery) = new_codes(&at).into_iter().unzip();
        let after = SecondFactor { recovery, ..after };
        (NewCodes(codes), Some(after), events::second_factor::RECOVERY_CODES_MADE)
    })
    .await
}

/// Removes the second factor of who says their password and a code: of the app, or for recovery.
/// Sessions stay.
///
/// # Errors
/// [`Refused::NoSecondFactor`] where none is on; an issue at `code`; [`AccessError::CodeLocked`]
/// after too many wrong ones; [`AccessError::SecretSealed`];
/// [`AccessError::Unauthorized`] when another request set the password; or the store's failure.
pub async fn remove_second_factor(
    store: &dyn Store,
    right: RightLogin,
    vault: Option<Arc<dyn Vault>>,
    code: String,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    let removed = |_| ((), None, events::second_factor::REMOVED);
    with_code(store, right, vault, code, stamp, removed).await
}

/// Checks password and code in one unit; `change` says what becomes of the second factor, which is
/// removed where it answers none, and the event.
async fn with_code<T: Send + 'static>(
    store: &dyn Store,
    right: RightLogin,
    vault: Option<Arc<dyn Vault>>,
    code: String,
    stamp: &Stamp,
    change: impl FnOnce(SecondFactor) -> (T, Option<SecondFactor>, racun_store::EventKind)
    + Send
    + 'static,
) -> Result<T, AccessError> {
    let stamp = stamp.clone();
    let mut unit = store.unit(Tenant::directory());
    let held = HeldUser::hold(&mut unit, &right);
    let checked = unit.decide(move |rows| {
        let now = rows.now().unwrap_or(stamp.now());
        let (user, before, forgiven) = held.read(rows, &right)?;
        let before = before.filter(SecondFactor::is_on).ok_or(Refused::NoSecondFactor)?;
        let after = match before.clone().check(&code, vault.as_deref(), &user, &stamp, now)? {
            Verdict::Refused(error, writes) => return Ok((Err(error), writes)),
            Verdict::Right(after, _) => after,
        };
        let (answer, after, kind) = change(after);
        let put = match &after {
            Some(after) => Put::update(&before, after),
            None => Put::delete(&before),
        };
        let told = event(Tenant::account(user.account_id), kind, &user.id, &user.id, &stamp);
        Ok::<_, AccessError>((Ok(answer), forgiven.put(put).events([told])))
    });
    checked.await?.map_err(wrong_own_code)
}

/// A user who said their password, with what guards it and their second factor, as a unit holds
/// them.
struct HeldUser {
    user: racun_store::One<User>,
    guard: racun_store::One<LoginGuard>,
    factor: racun_store::One<SecondFactor>,
}

impl HeldUser {
    fn hold(unit: &mut UnitBuilder<'_, ()>, right: &RightLogin) -> Self {
        Self {
            user: unit.hold(&USERS, right.user.id()),
            guard: right.hold_guard(unit),
            factor: SecondFactor::hold(unit, right.user.id),
        }
    }

    /// The user and their second factor, and what forgets the failures before.
    ///
    /// # Errors
    /// [`AccessError::Unauthorized`] when another request set the password.
    fn read(
        self,
        held: &racun_store::Held<()>,
        right: &RightLogin,
    ) -> Result<(User, Option<SecondFactor>, Writes), AccessError> {
        let user: Option<User> = held.find(self.user)?;
        let user = user.filter(|user| user.password == right.user.password);
        let user = user.ok_or(AccessError::Unauthorized)?;
        let guard: Option<LoginGuard> = held.find(self.guard)?;
        Ok((user, held.find(self.factor)?, forgive(&guard)))
    }
}
