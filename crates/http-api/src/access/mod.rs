//! Routes of access: who signs in, and what they may reach.

pub(crate) mod account;
pub(crate) mod account_keys;
pub(crate) mod email_sender;
pub(crate) mod entities;
mod entity_bodies;
pub(crate) mod entity_keys;
pub(crate) mod entity_users;
pub(crate) mod invitations;
pub(crate) mod openid;
pub(crate) mod operators;
pub(crate) mod own_invitations;
pub(crate) mod recovery;
pub(crate) mod second_factor;
pub(crate) mod sessions;
mod signed_in;
pub(crate) mod users;

pub(crate) use invitations::accept_invitation;
use racun_kernel::{Environment, Role};
pub(crate) use recovery::{reset_password, verify_address};
pub(crate) use signed_in::origin_of;

use crate::body::names;

names! {
    /// Which of the two separate data sets.
    EnvironmentBody as Environment of Environment { Live, Sandbox }
}

names! {
    /// What a member of an entity may do.
    RoleBody as Role of Role { Viewer, Editor, Admin }
}
