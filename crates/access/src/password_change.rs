//! A new password of a user who is logged in and says the one before.

use racun_kernel::id::TokenId;
use racun_kernel::{Issue, Put, Record as _, Stamp, Store, Tenant, Writes};

use crate::account::event;
use crate::ending::{end_keys, end_late_keys, end_sessions, load_keys, load_sessions, read_keys};
use crate::login::forgiven;
use crate::mail_token::load_user;
use crate::{AccessError, PasswordHash, RightLogin, USERS, User};

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
/// [`AccessError::Unauthorized`] when the password was set meanwhile, or the store's failure.
pub async fn change_password(
    store: &dyn Store,
    right: RightLogin,
    kept: TokenId,
    password: PasswordHash,
    ends_keys: bool,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    let mut loads =
        vec![load_user(right.user.id), right.load_guard(), load_sessions(right.user.id)];
    if ends_keys {
        loads.extend(load_keys(store, &right.user).await?);
    }
    let (user, at) = (right.user, stamp.clone());
    let known = user.clone();
    store
        .decide(loads, None, move |loaded| {
            let [row, guard, sessions, keys @ ..] = &loaded.rows[..] else {
                return Err(AccessError::Unauthorized);
            };
            let before: User = row.first().ok_or(AccessError::Unauthorized)?.read(&USERS)?;
            if before.password != known.password {
                return Err(AccessError::Unauthorized);
            }
            let after = User {
                password,
                password_changed_at: Some(at.now()),
                updated_at: at.now(),
                ..before.clone()
            };
            let mut puts = vec![Put::update(&before, &after)];
            puts.extend(forgiven(std::slice::from_ref(guard))?);
            puts.extend(end_sessions(sessions, Some(kept))?);
            let keys = read_keys(keys.iter().flatten())?;
            let (ended, mut events) = end_keys(&keys, &after.id, &at);
            puts.extend(ended);
            let tenant = Tenant::account(after.account_id);
            let id = after.id();
            events.push(event(tenant, "user.password_changed", &id, &id, &at));
            Ok::<_, AccessError>(((), Writes { puts, events, takes_number: false }))
        })
        .await?;
    if ends_keys {
        end_late_keys(store, &user, stamp).await?;
    }
    Ok(())
}
