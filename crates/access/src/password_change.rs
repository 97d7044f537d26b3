//! A new password of a user who is logged in and says the one before.

use racun_kernel::id::TokenId;
use racun_kernel::{Issue, Stamp, Tenant};
use racun_store::{Record as _, Store, Writes};

use crate::account::event;
use crate::ending::{HeldKeys, end_keys, end_late_keys, end_sessions, hold_sessions};
use crate::events;
use crate::login_guard::{LoginGuard, forgive};
use crate::{AccessError, PasswordHash, RightLogin, Session, USERS, User};

/// The code of the issue that says that a password is not the caller's.
pub const WRONG_PASSWORD: &str = "wrong_password";

/// What [`AccessError::BadCredentials`] is of a user who is logged in: their session is good, and
/// what they say is not.
#[must_use]
pub fn wrong_current_password(error: AccessError) -> AccessError {
    match error {
        AccessError::BadCredentials => {
            let message = "this is not your password; POST /users/password-reset mails a new one";
            Issue::new(WRONG_PASSWORD, message).at("current_password").into()
        }
        error => error,
    }
}

/// Sets the `password` of who said the one before: their sessions end, but for `kept`, in which
/// they said it, and their keys when `ends_keys` says so.
///
/// # Errors
/// [`AccessError::Unauthorized`] when another request set the password or ended `kept`, or the
/// store's failure.
pub async fn change_password(
    store: &dyn Store,
    right: RightLogin,
    kept: TokenId,
    password: PasswordHash,
    ends_keys: bool,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    let mut unit = store.unit(Tenant::directory());
    let row = unit.hold(&USERS, right.user.id);
    let guard = right.hold_guard(&mut unit);
    let sessions = hold_sessions(&mut unit, right.user.id);
    let keys = match ends_keys {
        true => Some(HeldKeys::hold(&mut unit, store, &right.user).await?),
        false => None,
    };
    let (user, at) = (right.user, stamp.clone());
    let known = user.clone();
    unit.decide(move |held| {
        let before: User = held.find(row)?.ok_or(AccessError::Unauthorized)?;
        if before.password != known.password {
            return Err(AccessError::Unauthorized);
        }
        let after = User {
            password,
            password_changed_at: Some(at.now()),
            updated_at: at.now(),
            ..before.clone()
        };
        let guard: Option<LoginGuard> = held.find(guard)?;
        let sessions: Vec<Session> = held.all(sessions)?;
        if !sessions.iter().any(|one| one.id == kept && !one.is_over(at.now())) {
            return Err(AccessError::Unauthorized);
        }
        let keys = keys.map(|keys| keys.read(held)).transpose()?.unwrap_or_default();
        let (tenant, id) = (Tenant::account(after.account_id), after.id());
        let writes = Writes::default()
            .update(&before, &after)
            .and(forgive(&guard))
            .and(end_sessions(&sessions, Some(kept)))
            .and(end_keys(&keys, &after.id, &at))
            .events([event(tenant, events::user::PASSWORD_CHANGED, &id, &id, &at)]);
        Ok::<_, AccessError>(((), writes))
    })
    .await?;
    if ends_keys {
        end_late_keys(store, &user, stamp).await?;
    }
    Ok(())
}
