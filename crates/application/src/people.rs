//! What becomes of all that a person made, in every domain, when their password is reset or the
//! reader of their mail takes them over.
//!
//! Webhooks end before and after what `access` does: before it, so that a failure leaves the token
//! good by which it is done again; after it, when no other session can make or change one.

use racun_access::{
    self as access, Accepted, AccessError, InvitationReply, OpenMailToken, Origin, PasswordHash,
    Proof, RightLogin,
};
use racun_delivery::webhooks::{self, EndpointsOf};
use racun_kernel::Stamp;
use racun_kernel::id::TokenId;
use racun_store::Store;

/// Sets a new password as [`access::reset_password`] does. Where keys end, the webhooks that the
/// user made are disabled; where the address was not verified, all of their account and of its
/// entities are.
///
/// # Errors
/// As [`access::reset_password`].
pub async fn reset_password(
    store: &dyn Store,
    token: OpenMailToken,
    password: PasswordHash,
    ends_keys: bool,
    origin: &Origin,
    stamp: &Stamp,
) -> Result<Proof, AccessError> {
    let user = access::owner_of(store, &token).await?;
    let which = match (user.email_verified, ends_keys) {
        (false, _) => Some(EndpointsOf::Account),
        (true, true) => Some(EndpointsOf::Maker(user.id)),
        (true, false) => None,
    };
    if let Some(which) = which {
        webhooks::end(store, &user, which, stamp).await?;
    }
    let proof = access::reset_password(store, token, password, ends_keys, origin, stamp).await?;
    if let Some(which) = which {
        webhooks::end(store, &user, which, stamp).await?;
    }
    Ok(proof)
}

/// Changes a password as [`access::change_password`] does. Where keys end, the webhooks that the
/// user made are disabled.
///
/// # Errors
/// As [`access::change_password`].
pub async fn change_password(
    store: &dyn Store,
    right: RightLogin,
    kept: TokenId,
    password: PasswordHash,
    ends_keys: bool,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    let user = right.user.clone();
    access::change_password(store, right, kept, password, ends_keys, stamp).await?;
    if ends_keys {
        webhooks::end(store, &user, EndpointsOf::Maker(user.id), stamp).await?;
    }
    Ok(())
}

/// Accepts an invitation as [`access::accept_invitation`] does. Where the reader of the mail takes
/// a user over by it, all webhooks of the user's account and of its entities are disabled.
///
/// # Errors
/// As [`access::accept_invitation`].
pub async fn accept_invitation(
    store: &dyn Store,
    answer: InvitationReply,
    stamp: &Stamp,
) -> Result<Accepted, AccessError> {
    let taken_over = answer.taken_over().cloned();
    if let Some(user) = &taken_over {
        webhooks::end(store, user, EndpointsOf::Account, stamp).await?;
    }
    let accepted = access::accept_invitation(store, answer, stamp).await?;
    if let Some(user) = &taken_over {
        webhooks::end(store, user, EndpointsOf::Account, stamp).await?;
    }
    Ok(accepted)
}
