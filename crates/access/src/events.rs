//! What happens to accounts' and entities' people, keys and settings.

use crate::{
    API_KEYS, ENTITIES, IDENTITIES, INVITATIONS, MEMBERSHIPS, OPERATOR_PINS, OPERATOR_TOKENS,
    SECOND_FACTORS, SESSIONS, USERS,
};

racun_store::events! {
    /// What happens to users.
    pub mod user on USERS {
        CREATED = "user.created",
        UPDATED = "user.updated",
        EMAIL_VERIFIED = "user.email_verified",
        PASSWORD_CHANGED = "user.password_changed",
        PASSWORD_RESET = "user.password_reset",
    }
    /// What happens to users' sessions.
    pub mod session on SESSIONS {
        LOGGED_IN = "user.logged_in",
        LOGGED_OUT = "user.logged_out",
        ENDED = "user.session_ended",
    }
    /// What happens to users' second factors.
    pub mod second_factor on SECOND_FACTORS {
        ENABLED = "user.second_factor_enabled",
        REMOVED = "user.second_factor_removed",
        RECOVERY_CODE_USED = "user.recovery_code_used",
        RECOVERY_CODES_MADE = "user.recovery_codes_made",
    }
    /// What happens to users' identities at a provider.
    pub mod identity on IDENTITIES {
        LINKED = "user.identity_linked",
        UNLINKED = "user.identity_unlinked",
    }
    /// What happens to entities.
    pub mod entity on ENTITIES {
        CREATED = "entity.created",
        UPDATED = "entity.updated",
    }
    /// What happens to members of entities.
    pub mod entity_user on MEMBERSHIPS {
        ADDED = "entity_user.added",
        ROLE_CHANGED = "entity_user.role_changed",
        REMOVED = "entity_user.removed",
    }
    /// What happens to invitations.
    pub mod entity_invitation on INVITATIONS {
        CREATED = "entity_invitation.created",
        RESENT = "entity_invitation.resent",
        CANCELLED = "entity_invitation.cancelled",
        ACCEPTED = "entity_invitation.accepted",
        DECLINED = "entity_invitation.declined",
    }
    /// What happens to keys.
    pub mod api_key on API_KEYS {
        CREATED = "api_key.created",
        DELETED = "api_key.deleted",
    }
    /// What happens to the PINs of operators.
    pub mod operator on OPERATOR_PINS {
        PIN_SET = "operator.pin_set",
        PIN_REMOVED = "operator.pin_removed",
        PIN_UNLOCKED = "operator.pin_unlocked",
        SWITCHED = "operator.switched",
    }
    /// What happens to the tokens of operators.
    pub mod operator_token on OPERATOR_TOKENS {
        LOGGED_OUT = "operator.logged_out",
    }
}

/// All of them.
pub static ALL: [&[racun_store::EventKind]; 10] = [
    user::ALL,
    session::ALL,
    second_factor::ALL,
    identity::ALL,
    entity::ALL,
    entity_user::ALL,
    entity_invitation::ALL,
    api_key::ALL,
    operator::ALL,
    operator_token::ALL,
];
