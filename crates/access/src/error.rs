//! Why a request is refused.

use racun_kernel::{Issue, Issues};
use racun_store::StoreError;

/// Why a use case of this crate refused. Statuses and codes are chosen by `http-api`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// The bearer token is missing, malformed, unknown, expired or revoked.
    #[error("the bearer token is not valid; log in again, or use another API key")]
    Unauthorized,
    /// No user has this e-mail address, or the password is another. Which of the two is not told.
    #[error("the e-mail address or the password is wrong")]
    BadCredentials,
    /// The PIN is another, or the user has none. Which of the two is not told.
    #[error(
        "the PIN is wrong; {}",
        match attempts_remaining {
            0 => "it is locked for a while now".to_owned(),
            1 => "1 attempt is left before it is locked".to_owned(),
            more => format!("{more} attempts are left before it is locked"),
        }
    )]
    WrongPin {
        /// Failures that may follow before one has to wait.
        attempts_remaining: u32,
    },
    /// The PIN failed too often. Nothing was tried.
    #[error("the PIN is locked after too many failures; try again in {retry_after} seconds")]
    PinLocked {
        /// Seconds until it can be tried again.
        retry_after: u32,
    },
    /// The password failed too often. Nothing was tried.
    #[error(
        "too many passwords failed with this address; try again in {retry_after} seconds, or set a \
         new one by mail: POST /users/password-reset"
    )]
    PasswordLocked {
        /// Seconds until it can be tried again.
        retry_after: u32,
    },
    /// The user has a second factor, and the log-in brought no code.
    #[error(
        "this user has a second factor: say a code of their app, or a recovery code, as \
         `second_factor_code`; or as `code`, with the continuation, where there is one"
    )]
    SecondFactorRequired {
        /// What goes on with the sign-in by an identity, sealed.
        continuation: Option<String>,
    },
    /// The code of the second factor is another, or was used.
    #[error("the code of the second factor is wrong, or was used; say the one that is shown now")]
    WrongCode,
    /// Codes of the second factor failed too often. Nothing was tried.
    #[error(
        "too many codes of the second factor failed; try again in {retry_after} seconds, or use a \
         recovery code"
    )]
    CodeLocked {
        /// Seconds until it can be tried again.
        retry_after: u32,
    },
    /// The secret of the second factor cannot be opened: the server has another master key, or
    /// none.
    #[error(
        "the second factor cannot be checked with the server's master key; use a recovery code, or \
         ask the operator to restore the key"
    )]
    SecretSealed,
    /// The identity provider vouched for no person.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// What the identity provider's token says is not to be trusted.
    #[error(transparent)]
    Claims(#[from] MistrustedClaims),
    /// The request must name its entity.
    #[error("{message}")]
    EntityRequired {
        /// What to do about it.
        message: &'static str,
    },
    /// The caller is known and may not do this.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// There is no such record where the caller may look.
    #[error("there is no {id} here")]
    NotFound {
        /// What was asked for.
        id: String,
    },
    /// Something else is in the way.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// The input is wrong.
    #[error(transparent)]
    Invalid(#[from] Issues),
    /// The input is well formed, and a rule refuses it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The store failed.
    #[error(transparent)]
    Store(StoreError),
}

/// Why the provider vouched for no person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdentityError {
    /// It did not answer, or with what is no answer.
    #[error("the identity provider cannot be reached: {0}")]
    Silent(String),
    /// It refused the code: unknown, used, over, or of another attempt.
    #[error("the identity provider refused the code: {0}")]
    Refused(String),
    /// Its token is not signed by it, or not for this server.
    #[error("what the identity provider sent is not to be trusted: {0}")]
    Mistrusted(String),
}

/// Why claims are not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MistrustedClaims {
    /// Another issuer.
    #[error("the id token is of another issuer")]
    Issuer,
    /// For another client, or for others too without saying whom it was given to.
    #[error("the id token is for another client")]
    Audience,
    /// Over, not valid yet, made too long ago or in the future, or without these times.
    #[error("the id token is over, not valid yet, or does not say when it is")]
    Time,
    /// Of another attempt.
    #[error("the id token answers another sign-in")]
    Nonce,
    /// It names no person.
    #[error("the id token names no person")]
    Subject,
}

/// Why a known caller may not do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Forbidden {
    /// The entity is unknown, another's, of the other environment, or its id is malformed.
    #[error("no such entity is accessible with this token; check x-entity-id")]
    EntityNotAccessible,
    /// The account is unknown, another's, or its id is malformed.
    #[error("no such account is accessible with this token; check x-account-id")]
    AccountNotAccessible,
    /// The role, or the kind of key, does not reach that far.
    #[error("this needs a higher role than the token has")]
    InsufficientRole,
    /// The entity is disabled: it can be read, and enabled again, and nothing else.
    #[error("the entity is disabled; set is_enabled to true before writing to it")]
    EntityDisabled,
    /// Only a person with a session token can do this; an API key was sent.
    #[error("this needs a user's session token, not an API key")]
    UserRequired,
    /// An operator's token reaches what a till needs, and no more.
    #[error("an operator's token does not reach that far; use a session token or an API key")]
    PosOperatorScope,
    /// Too many PINs failed with this session or key.
    #[error(
        "ten PINs failed within a day with the session or key that this till is logged in with, so \
         it can no longer switch operators; log in again, or use another key"
    )]
    SwitchEnded,
    /// A user who sends e-mail, accepts an invitation or makes a live key proves first that the
    /// address is theirs.
    #[error(
        "verify your own e-mail address first; POST /users/resend-verification sends the link again"
    )]
    EmailUnverified,
    /// The token was handed over, which proves nothing about its address, and the address has a
    /// user.
    #[error(
        "this token was not mailed, and its address has a user: log in, verify the address and \
         accept by POST /users/me/invitations/{{id}}/accept; or ask for the invitation to be mailed"
    )]
    InvitationNotMailed,
    /// The key is for other addresses than that which the request comes from.
    #[error("this key may not be used from this address; see its allowed_addresses")]
    AddressNotAllowed,
    /// The invitation is for another address than that of the user who accepts it.
    #[error("the invitation is for another e-mail address than yours; log in with that one")]
    InvitationNotYours,
    /// The server takes new users by invitation alone.
    #[error(
        "new users need an invitation here: an admin of an entity sends one by \
         POST /entities/users; the operator opens sign-up by RACUN__ACCESS__SIGNUP=open"
    )]
    SignUpByInvitation,
    /// Who has a second factor accepts an invitation in a session, not by the password alone.
    #[error(
        "you have a second factor: log in, and accept with your login token in Authorization, or \
         by POST /users/me/invitations/{{id}}/accept"
    )]
    SessionRequired,
    /// A person has no user here, and the identity provider knows no address of theirs.
    #[error(
        "you have no user here, and the identity provider does not say that an address is yours; \
         verify one there, or sign up here"
    )]
    IdentityWithoutAddress,
    /// The server takes no new users.
    #[error(
        "this server takes no new users; log in with an address that has one, or ask its operator"
    )]
    SignUpClosed,
}

impl Forbidden {
    /// For programs: stable snake_case, sent as `cause.code`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::EntityNotAccessible => "entity_not_accessible",
            Self::AccountNotAccessible => "account_not_accessible",
            Self::InsufficientRole => "insufficient_role",
            Self::EntityDisabled => "entity_disabled",
            Self::UserRequired => "user_required",
            Self::PosOperatorScope => "pos_operator_scope",
            Self::SwitchEnded => "switch_ended",
            Self::EmailUnverified => "email_verification_required",
            Self::AddressNotAllowed => "address_not_allowed",
            Self::InvitationNotMailed => "invitation_not_mailed",
            Self::InvitationNotYours => "invitation_not_yours",
            Self::SignUpByInvitation => "sign_up_by_invitation",
            Self::SessionRequired => "session_required",
            Self::IdentityWithoutAddress => "identity_without_address",
            Self::SignUpClosed => "sign_up_closed",
        }
    }
}

/// What a new record conflicts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// Another user has this e-mail address.
    #[error("a user with this e-mail address exists; log in instead")]
    EmailTaken,
    /// The user has a role in this entity.
    #[error("this user has a role in the entity; change the role instead")]
    AlreadyMember,
    /// The e-mail address has a pending invitation to this entity.
    #[error("this e-mail address has a pending invitation; resend or cancel it instead")]
    AlreadyInvited,
    /// Several keys look like this.
    #[error("several keys have this hint; name the key by its key_ id")]
    AmbiguousKey,
    /// The user has a second factor.
    #[error("you have a second factor; remove it before you set another one up")]
    SecondFactorOn,
    /// The identity is linked to a user.
    #[error("this identity is linked to a user already; unlink it there first")]
    IdentityTaken,
    /// A user has the address of the person who signs in, and is not known to be the same person.
    #[error(
        "a user has this address, and the identity is not linked to them; log in by password and \
         link it: POST /users/me/identities"
    )]
    IdentityNotLinked,
}

impl Conflict {
    /// For programs: stable snake_case, sent as `cause.code`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::EmailTaken => "email_taken",
            Self::AlreadyMember => "already_member",
            Self::AlreadyInvited => "already_invited",
            Self::AmbiguousKey => "ambiguous_key",
            Self::SecondFactorOn => "second_factor_on",
            Self::IdentityTaken => "identity_taken",
            Self::IdentityNotLinked => "identity_not_linked",
        }
    }
}

/// The rule that refuses a well-formed request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// An entity that has an admin keeps one.
    #[error("the last admin of an entity stays; make someone else an admin first")]
    LastAdmin,
    /// The invitation was not accepted in time.
    #[error("the invitation has expired; ask for it to be sent again")]
    InvitationExpired,
    /// The invitation was accepted before.
    #[error("the invitation was accepted before")]
    InvitationNotPending,
    /// The entity has as many members and pending invitations as it can have.
    #[error("an entity has at most 500 users and 500 invitations")]
    TooManyMembers,
    /// The entity or account has as many keys as it can have.
    #[error("there are at most 200 API keys; delete one that is not used")]
    TooManyKeys,
    /// Viewers cannot use a till.
    #[error("a viewer cannot have a PIN; make them an editor first")]
    ViewerHasNoPin,
    /// No second factor waits for its first code.
    #[error("ask for a secret first, within the last hour: POST /users/me/second-factor")]
    SecondFactorNotBegun,
    /// The user has no second factor.
    #[error("you have no second factor")]
    NoSecondFactor,
    /// The user has as many identities as they can have.
    #[error("a user has at most 10 identities; unlink one that is not used")]
    TooManyIdentities,
}

impl Refused {
    /// For programs: stable snake_case, sent as `cause.code`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::LastAdmin => "last_admin",
            Self::InvitationExpired => "invitation_expired",
            Self::InvitationNotPending => "invitation_not_pending",
            Self::TooManyMembers => "too_many_members",
            Self::TooManyKeys => "too_many_keys",
            Self::ViewerHasNoPin => "viewer_has_no_pin",
            Self::SecondFactorNotBegun => "second_factor_not_begun",
            Self::NoSecondFactor => "no_second_factor",
            Self::TooManyIdentities => "too_many_identities",
        }
    }
}

impl From<StoreError> for AccessError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { id } => Self::NotFound { id },
            StoreError::Duplicate { table: "users", field: "email" } => {
                Self::Conflict(Conflict::EmailTaken)
            }
            StoreError::Duplicate { table: "memberships", field: "entity_user" } => {
                Self::Conflict(Conflict::AlreadyMember)
            }
            StoreError::Duplicate { table: "identities", field: "person" } => {
                Self::Conflict(Conflict::IdentityTaken)
            }
            StoreError::Duplicate { table: "first_accounts", .. } => {
                Self::Forbidden(Forbidden::SignUpByInvitation)
            }
            StoreError::Duplicate { .. }
            | StoreError::Unavailable(_)
            | StoreError::Full
            | StoreError::OverBudget { .. }
            | StoreError::TooExpensive
            | StoreError::Corrupt { .. } => Self::Store(error),
        }
    }
}

impl From<Issue> for AccessError {
    fn from(issue: Issue) -> Self {
        Self::Invalid(issue.into())
    }
}
