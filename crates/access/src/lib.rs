//! Who may do what, where: accounts, users, sessions, entities with their settings, memberships,
//! invitations, API keys, and the operators of tills. The only maker of a [`racun_kernel::Scope`].
//!
//! A request's bearer token is read once ([`authenticate`]) into a [`Caller`]; the caller enters an
//! entity ([`enter`], [`open_entity`]) or an account ([`enter_account`]), and every further call
//! takes the scope that this answers. What a scope allows is decided by one table, [`permits`], and
//! asked with [`authorize`].
//!
//! | Module              | Owns                                                                |
//! | ------------------- | ------------------------------------------------------------------- |
//! | `account`           | accounts and users, sign-up                                         |
//! | `password`          | password rules and Argon2id hashes                                  |
//! | `hashing`           | the memory that hashes share                                        |
//! | `session`           | logging in and out                                                  |
//! | `key`               | API keys of entities and accounts                                   |
//! | `caller`            | whose a bearer token is                                             |
//! | `entering`          | which entity or account a request acts in                           |
//! | `permission`        | the permission table                                                |
//! | `entity`            | entities: fields, creation, change                                  |
//! | `settings`          | an entity's settings: what is accepted, how it merges, its defaults |
//! | `country`           | countries: codes, names, defaults and rules                         |
//! | `portugal`          | what Portuguese law asks of an issuer                               |
//! | `member`            | who belongs to an entity, and the last admin                        |
//! | `invitation`        | inviting people who have no user yet                                |
//! | `mail_token`        | new passwords and verified addresses, by tokens that are mailed     |
//! | `mailing`           | who may send e-mail, and to whom the sandbox does                   |
//! | `email_sender`      | the address that an entity wants its mails to come from             |
//! | `secret`            | tokens and keys: made, recognised, digested                         |
//! | `operator`          | who may take over a till, and their PINs                            |
//! | `pin`               | PINs: what is accepted, how they are kept, how failures lock one    |
//! | `device`            | what a till is logged in with, and its right to change hands        |
//! | `switch`            | handing a till over to an operator who says their PIN               |
//! | `operator_settings` | what tax authorities know a user by, and Portuguese documents say   |
//! | `operator_token`    | the token that comes of that, and all that ends it                  |
//! | `test_clock`        | what jobs of an account's sandbox take for now                      |
//! | `vault`             | secrets of entities, sealed under the server's master key           |
//!
//! **Invariants.** Passwords are kept as Argon2id hashes, tokens and keys as SHA-256 digests, PINs as
//! Argon2id hashes over an HMAC under a key that no store has, and none of them shows in any `Debug`
//! output of a type of this crate. A PIN is not tried before the attempt is counted. E-mail
//! addresses are unique without regard to capitals. Within this crate an entity that has an admin
//! keeps one. Hashing takes tens of milliseconds of processor time, so it is done by plain functions
//! ([`hash_password`], [`Login::verify`], [`OpenInvitation::answer`], [`PinOwner::hash`],
//! [`SwitchAttempt::verify`]) that the caller runs off its reactor; no async function here hashes.

mod account;
mod caller;
mod country;
mod device;
mod email;
mod email_sender;
mod entering;
mod entity;
mod entity_input;
mod error;
mod hashing;
mod invitation;
mod key;
mod mail_token;
mod mailing;
mod member;
mod operator;
mod operator_settings;
mod operator_token;
mod password;
mod permission;
mod pin;
mod portugal;
mod secret;
mod session;
mod settings;
mod switch;
mod test_clock;
mod vault;

use racun_kernel::Table;

pub use account::{ACCOUNTS, Account, SignUp, USERS, User, sign_up, sign_up_writes, update_me};
pub use caller::{Caller, authenticate};
pub use country::{CountryRules, locale_of_country};
pub use device::Device;
pub use email_sender::{EmailSender, recheck_email_sender, set_email_sender};
pub use entering::{
    AccountScope, enter, enter_account, enter_as_recipient, enter_as_system, get_entity,
    list_entities, open_entity,
};
pub use entity::{
    ENTITIES, Entity, change_entity, create_entity, disable_entity, entity_writes, note_file,
    update_entity,
};
pub use entity_input::{EntityPatch, NewEntity};
pub use error::{AccessError, Conflict, Forbidden, Refused};
pub use invitation::{
    Accepted, Answer, INVITATIONS, Invitation, InvitationStatus, OpenInvitation, accept_invitation,
    cancel_invitation, find_invitation, get_invitation, list_invitations, mint_invitation_token,
    resend_invitation, resend_invitation_with,
};
pub use key::{
    API_KEYS, ApiKey, NewKey, create_account_key, create_entity_key, delete_account_key,
    delete_entity_key, key_hint, list_account_keys, list_entity_keys,
};
pub use mail_token::{
    MAIL_TOKENS, MailToken, MailTokenPurpose, OpenMailToken, find_mail_token, mint_mail_token,
    reset_password, verify_email,
};
pub use mailing::{check_may_send, find_mail_locale, first_outside_sandbox};
pub use member::{
    AddEntityUser, Added, MEMBERSHIPS, Membership, add_entity_user, add_entity_user_with,
    change_role, list_entity_users, remove_entity_user,
};
pub use operator::{
    NewPin, OPERATOR_PINS, Operator, OperatorPin, PinOwner, find_pin_owner, list_operators,
    remove_pin, set_pin,
};
pub use operator_settings::{
    PortugueseOperator, list_operator_identities, set_operator_identity, set_portuguese_operator,
};
pub use operator_token::{OPERATOR_SECONDS, OPERATOR_TOKENS, OperatorToken};
pub use password::{PasswordHash, hash_password};
pub use permission::{Permission, authorize, permits};
pub use pin::{Pin, PinKey};
pub use secret::{Digest, Shown};
pub use session::{Login, SESSION_SECONDS, SESSIONS, Session, find_login, log_out, open_session};
pub use settings::{Settings, settings_schema};
pub use switch::{RightPin, SwitchAttempt, begin_switch, finish_switch};
pub use test_clock::{
    TEST_CLOCKS, TestClock, check_advance, get_test_clock, move_test_clock, sandbox_now,
};
pub use vault::MasterVault;

/// The tables of this crate, for stores that make them.
pub static TABLES: [&Table; 11] = [
    &ACCOUNTS,
    &USERS,
    &SESSIONS,
    &ENTITIES,
    &MEMBERSHIPS,
    &INVITATIONS,
    &API_KEYS,
    &TEST_CLOCKS,
    &OPERATOR_PINS,
    &OPERATOR_TOKENS,
    &MAIL_TOKENS,
];
