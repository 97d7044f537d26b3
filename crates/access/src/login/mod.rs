//! Logging in: an attempt is counted before its password is tried, and forgiven when it was right.
//!
//! | Module          | Owns                                                            |
//! | --------------- | --------------------------------------------------------------- |
//! | `second_factor` | codes of apps and recovery codes, asked for beside the password |
//! | `identity`      | signing in by an external identity provider                     |

pub(crate) mod identity;
pub(crate) mod second_factor;

use racun_kernel::Stamp;
use racun_store::{One, Store, UnitBuilder};

use crate::login_guard::{self, LoginGuard, UNKNOWN_USER, count_failure, guard_of};
use crate::session::{Opening, find_user, open_session_with};
use crate::{AccessError, Origin, PasswordHash, SESSIONS, SecondProof, Session, User, WithSecret};

/// A log-in that begins: the user with the address, or none.
///
/// Which of the two is not to be seen from outside, so it has no accessor: only
/// [`LoginAttempt::verify`] answers, at the same cost for both.
#[derive(Debug, Clone)]
pub struct LoginAttempt {
    user: Option<User>,
    guard: String,
}

/// A user whose password was right.
#[derive(Debug, Clone)]
pub struct RightLogin {
    /// The user.
    pub user: User,
    guard: String,
}

/// Looks for the user with this e-mail address, whatever its capitals, and counts the attempt as
/// failed until its password is verified and the log-in finished.
///
/// # Errors
/// [`AccessError::PasswordLocked`] after too many failures with this address, whether a user has it
/// or not; or the store's failure.
pub async fn begin_login(
    store: &dyn Store,
    email: &str,
    origin: &Origin,
    stamp: &Stamp,
) -> Result<LoginAttempt, AccessError> {
    let user = find_user(store, email).await?;
    let id = user.as_ref().map_or_else(|| UNKNOWN_USER.to_owned(), |user| user.id.to_string());
    let sessions: Vec<Session> = store.look_up(&SESSIONS, "user_id", &id).await?;
    let guard = guard_of(email, origin.address.as_deref(), user.as_ref(), &sessions, stamp.now());
    count_failure(store, &guard, user.as_ref(), stamp).await?;
    Ok(LoginAttempt { user, guard })
}

impl LoginAttempt {
    /// The user, when `password` is theirs. Takes tens of milliseconds: not for a reactor.
    ///
    /// # Errors
    /// [`AccessError::BadCredentials`] for an unknown address and for a wrong password alike.
    pub fn verify(self, password: &str) -> Result<RightLogin, AccessError> {
        let hash =
            self.user.as_ref().map_or_else(PasswordHash::dummy, |user| user.password.clone());
        let is_theirs = hash.verify(password);
        let user = self.user.filter(|_| is_theirs).ok_or(AccessError::BadCredentials)?;
        Ok(RightLogin { user, guard: self.guard })
    }
}

/// Begins a session of who logged in from `origin`, and forgets the failures before. The token is
/// shown once. Who has a second factor says it, too, in `proof`.
///
/// # Errors
/// [`AccessError::BadCredentials`] when the password was set while it was verified, for then it is
/// a wrong one; [`AccessError::SecondFactorRequired`] without a code that has to be there,
/// [`AccessError::WrongCode`], [`AccessError::CodeLocked`] and [`AccessError::SecretSealed`], with
/// which the attempt counts as failed; or the store's failure.
pub async fn finish_login(
    store: &dyn Store,
    right: &RightLogin,
    proof: SecondProof,
    origin: &Origin,
    stamp: &Stamp,
) -> Result<WithSecret<Session>, AccessError> {
    let (user, guard) = (&right.user, Some(right.guard.as_str()));
    let opening = Opening { user, origin, guard, identity: None, proof };
    open_session_with(store, opening, stamp).await
}

impl RightLogin {
    /// Holds what counts the failures before.
    pub(crate) fn hold_guard<By>(&self, unit: &mut UnitBuilder<'_, By>) -> One<LoginGuard> {
        login_guard::hold(unit, &self.guard)
    }
}
