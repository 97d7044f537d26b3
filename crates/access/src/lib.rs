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
//! | `login`             | logging in by password, second factor and identity provider         |
//! | `identity_contract` | what every identity provider must keep (feature `testing`)          |
//! | `login_guard`       | how wrong passwords slow down guessing                              |
//! | `session`           | sessions: begun, listed, ended, over when they are not used         |
//! | `last_use`          | when sessions and keys were used last                               |
//! | `password_change`   | a new password of a user who says the one before                    |
//! | `key`               | API keys of entities and accounts: kept, listed, ended              |
//! | `key_making`        | making API keys: the maker and the limits                           |
//! | `network`           | ranges of addresses that keys may be used from                      |
//! | `caller`            | whose a bearer token is                                             |
//! | `entering`          | which entity or account a request acts in                           |
//! | `permission`        | the permission table                                                |
//! | `entity`            | entities: fields, creation, change                                  |
//! | `settings`          | an entity's settings: what is accepted, how it merges, its defaults |
//! | `country`           | countries: codes, names, defaults and rules                         |
//! | `member`            | who belongs to an entity, and the last admin                        |
//! | `invitation`        | inviting people, known or not                                       |
//! | `accepting`         | accepting invitations, by a mailed token or in a session            |
//! | `ending`            | what ends with a person: sessions, and keys that they made          |
//! | `mail_token`        | new passwords and verified addresses, by tokens that are mailed     |
//! | `master_key`        | which master key a database is of, and its rotation                 |
//! | `maker`             | who makes what others get, held by the unit that writes it          |
//! | `mailing`           | who may send e-mail, and to whom the sandbox does                   |
//! | `email_sender`      | the address that an entity wants its mails to come from             |
//! | `secret`            | tokens and keys: made, recognised, digested                         |
//! | `operator`          | who may take over a till, and their PINs                            |
//! | `pin`               | PINs: what is accepted, how they are kept, how failures lock one    |
//! | `device`            | what a till is logged in with, and its right to change hands        |
//! | `switch`            | handing a till over to an operator who says their PIN               |
//! | `operator_settings` | what tax authorities know a user by, and Portuguese documents say   |
//! | `operator_token`    | the token made by a switch, and all that ends it                    |
//! | `test_clock`        | what jobs of an account's sandbox take for now                      |
//! | `vault`             | secrets of entities, sealed under the server's master key           |
//! | `events`            | what the log tells of people, keys and entities                     |
//!
//! **Invariants.** Passwords are kept as Argon2id hashes, tokens and keys as SHA-256 digests, PINs
//! as Argon2id hashes over an HMAC under a key that no store has, secrets of second factors sealed,
//! and none of them shows in any `Debug` output of a type of this crate. Neither a PIN nor a
//! password is tried before the attempt is counted. A user with a second factor gets a session only
//! in a unit that checks a code. E-mail addresses are unique without regard to capitals. A user
//! without a verified address is never let into an entity by the address alone, and a user joins an
//! entity of another account by consent only. Within this crate an entity that has an admin keeps
//! one. Hashing takes tens of milliseconds of processor time, so it is done by plain functions
//! ([`hash_password`], [`LoginAttempt::verify`], [`OpenInvitation::answer`], [`PinOwner::hash`],
//! [`SwitchAttempt::verify`]) that the caller runs off its reactor; no async function here hashes.

mod accepting;
mod account;
mod caller;
mod country;
mod device;
mod email;
mod email_sender;
mod ending;
mod enter_entity;
mod entity;
mod entity_input;
mod error;
pub mod events;
mod hashing;
#[cfg(feature = "testing")]
pub mod identity_contract;
mod invitation;
mod key;
mod key_making;
mod last_use;
mod login;
mod login_guard;
mod mail_token;
mod mailing;
mod maker;
mod master_key;
mod member;
mod network;
mod operator;
mod operator_settings;
mod operator_token;
mod password;
mod password_change;
mod permission;
mod pin;
mod secret;
mod session;
mod settings;
mod switch;
mod takeover;
mod test_clock;
mod vault;

use racun_store::Table;

pub use accepting::{
    Accepted, InvitationReply, OpenInvitation, accept_invitation, consent_to_invitation,
    decline_invitation, find_invitation, find_own_invitation, list_own_invitations,
};
pub use account::{
    ACCOUNTS, Account, FIRST_ACCOUNTS, FirstAccount, SignUp, USERS, User, check_profile,
    has_accounts, sign_up, sign_up_writes, update_me,
};
pub use caller::{Caller, authenticate};
pub use country::{CountryRules, country_code, known_country, locale_of_country};
pub use device::{Device, HeldDevice};
pub use email_sender::{EmailSender, recheck_email_sender, set_email_sender};
pub use enter_entity::{
    AccountScope, enter, enter_account, enter_as_recipient, enter_as_system, enter_in, get_entity,
    list_entities, open_entity,
};
pub use entity::{
    ENTITIES, Entity, change_entity, change_own_setting, create_entity, disable_entity,
    entity_writes, note_file, note_settings, update_entity,
};
pub use entity_input::{EntityPatch, NewEntity};
pub use error::{AccessError, Conflict, Forbidden, IdentityError, MistrustedClaims, Refused};
pub use invitation::{
    INVITATIONS, Invitation, InvitationStatus, cancel_invitation, get_invitation, list_invitations,
    mint_invitation_token, resend_invitation, resend_invitation_with,
};
pub use key::{
    API_KEYS, ApiKey, delete_account_key, delete_entity_key, key_hint, list_account_keys,
    list_entity_keys,
};
pub use key_making::{NewKey, create_account_key, create_entity_key};
pub use last_use::{is_use_news, note_use};
pub use login::identity::{
    Claims, Grant, IDENTITIES, Identity, IdentityLogin, IdentityProvider, ProviderDescription,
    Recognized, SignInAttempt, Verified, begin_sign_in, continue_sign_in, find_sign_in,
    finish_sign_in, link_identity, list_identities, recognize, sign_up_writes_by, unlink_identity,
};
pub use login::second_factor::{
    Enrolment, NewCodes, SECOND_FACTORS, SecondFactor, SecondProof, WRONG_CODE,
    begin_second_factor, confirm_second_factor, get_second_factor, remove_second_factor,
    renew_recovery_codes, wrong_own_code,
};
pub use login::{LoginAttempt, RightLogin, begin_login, finish_login};
pub use login_guard::{LOGIN_GUARDS, LoginGuard};
pub use mail_token::{
    MAIL_TOKENS, MailToken, MailTokenPurpose, OpenMailToken, Proof, find_mail_token,
    mint_mail_token, owner_of, reset_password, verify_email,
};
pub use mailing::{
    check_may_send, find_insider, find_mail_locale, first_outside_sandbox, is_to_be_invited,
};
pub use maker::{HeldMaker, Maker, Right};
pub use master_key::{
    MASTER_KEYS, MasterKeyError, MasterKeyRecord, OpenedKeys, begin_rotation, end_rotation, id_of,
    note_lost_key, open_keys, replace_lost_key,
};
pub use member::{
    AddEntityUser, Added, Changed, EndsWithKeys, MEMBERSHIPS, Membership, add_entity_user,
    add_entity_user_with, change_role, change_role_with, list_entity_users, remove_entity_user,
    remove_entity_user_with,
};
pub use network::{InvalidNetwork, Network};
pub use operator::{
    NewPin, OPERATOR_PINS, Operator, OperatorPin, PinOwner, find_pin_owner, list_operators,
    remove_pin, set_pin, unlock_pin,
};
pub use operator_settings::{
    PortugueseOperator, list_operator_identities, portuguese_operator, set_operator_identity,
    set_portuguese_operator,
};
pub use operator_token::{OPERATOR_SECONDS, OPERATOR_TOKENS, OperatorToken};
pub use password::{PasswordHash, check_password, hash_password};
pub use password_change::{WRONG_PASSWORD, change_password, wrong_current_password};
pub use permission::{Permission, authorize, permits};
pub use pin::{Pin, PinKey};
pub use secret::{Digest, WithSecret, is_token, new_token};
pub use session::{
    Ending, Origin, SESSION_SECONDS, SESSIONS, Session, end_sessions_of, find_user_id,
    list_sessions, log_out, open_session,
};
pub use settings::{
    Group, Key, List, Localized, SettingValue, Settings, check_unit_settings, passed_over, setting,
    settings_schema,
};
pub use switch::{RightPin, SwitchAttempt, begin_switch, finish_switch};
pub use test_clock::{
    TEST_CLOCKS, TestClock, check_advance, get_test_clock, move_test_clock, sandbox_now,
};
pub use vault::{KeyRing, MasterVault, key_of};

/// The tables of this crate, for stores that make them.
pub static TABLES: [&Table; 16] = [
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
    &LOGIN_GUARDS,
    &MASTER_KEYS,
    &FIRST_ACCOUNTS,
    &SECOND_FACTORS,
    &IDENTITIES,
];
