//! Who is logged in and makes a request: where it comes from, their session, and the password that
//! they say.

use actix_web::HttpRequest;
use actix_web::http::header::USER_AGENT;
use racun_access::{
    self as access, AccessError, Caller, Forbidden, Origin, RightLogin, Session, User, WRONG_CODE,
    WRONG_PASSWORD,
};
use racun_kernel::fold_address;

use crate::call::Call;
use crate::limits;
use crate::places::{Slot, Slots};
use crate::security::{self, SecurityEvent};

/// Log-ins with one address that are under way at once in a process. Until it is finished each
/// counts as a failure, of which ten lock the address; the others wait for their turn.
const LOGINS_AT_ONCE: usize = 4;

/// The addresses with which log-ins are under way.
static LOGINS: Slots<String> = Slots::new();

/// Waits until few log-ins with `email` are under way; this one is until the answer is dropped.
pub(super) async fn login_turn(email: &str) -> Slot<String> {
    LOGINS.take(fold_address(email), LOGINS_AT_ONCE).await
}

/// Where `request` comes from.
pub(crate) fn origin_of(request: &HttpRequest) -> Origin {
    let agent = request.headers().get(USER_AGENT).and_then(|value| value.to_str().ok());
    let address = limits::client_of(request).map(|_| limits::address_of(request));
    Origin { address, agent: agent.map(str::to_owned) }
}

/// The person who makes the request with their own token, and their session.
pub(super) fn session_of(caller: &Caller) -> Result<(&User, &Session), AccessError> {
    match caller {
        Caller::User { user, session } => Ok((user, session)),
        Caller::Operator { .. } => Err(Forbidden::PosOperatorScope.into()),
        Caller::AccountKey(_) | Caller::EntityKey(_) => Err(Forbidden::UserRequired.into()),
    }
}

/// The log-in of who makes the request, when `password` is theirs; it is counted as log-ins are.
/// The turn beside it is theirs among the log-ins of their address: hold it until the log-in is
/// used.
pub(super) async fn own_password(
    call: &Call<Caller>,
    origin: &Origin,
    password: String,
) -> Result<(RightLogin, Slot<String>), AccessError> {
    let (user, _) = session_of(call.by())?;
    let turn = login_turn(&user.email).await;
    let attempt = access::begin_login(call.store(), &user.email, origin, call.stamp()).await?;
    let right = call.compute(move || attempt.verify(&password)).await;
    Ok((right.map_err(access::wrong_current_password)?, turn))
}

/// Notes that `done` is a wrong password or a wrong code of who is logged in.
pub(super) fn note_guess<T>(request: &HttpRequest, done: &Result<T, AccessError>) {
    let Err(AccessError::Invalid(issues)) = done else { return };
    for (code, event) in [
        (WRONG_PASSWORD, SecurityEvent::LoginFailed),
        (WRONG_CODE, SecurityEvent::SecondFactorFailed),
    ] {
        if issues.iter().any(|issue| issue.code == code) {
            security::note_event(request, event);
        }
    }
}
