//! API keys: of one entity (`ek_`), or of an account in one environment (`sk_`).

use std::net::IpAddr;

use racun_kernel::id::{AccountId, ApiKeyId, EntityId, UserId};
use racun_kernel::{Environment, Issue, Role, Stamp, Tenant};
use racun_store::{Context, Field, ListQuery, Many, Store, Unique, UnitBuilder, Writes};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::account::event;
use crate::device::OperatorSwitch;
use crate::events;
use crate::permission::require;
use crate::secret::{hint, is_key};
use crate::{AccessError, AccountScope, Conflict, Digest, Forbidden, Network, Permission};

/// Keys that an entity or an account has at most.
pub(crate) const MAX_KEYS: usize = 200;
/// The role that a key of an entity acts with, with some exceptions ([`crate::permits`]).
pub(crate) const ROLE_OF_KEYS: Role = Role::Editor;

/// A program's right to act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    /// Its id; the key is another text.
    pub id: ApiKeyId,
    /// The account it acts for.
    pub account_id: AccountId,
    /// The only entity it reaches; `None` for a key of the account.
    pub entity_id: Option<EntityId>,
    /// The environment it reaches.
    pub environment: Environment,
    /// What people call it.
    pub name: String,
    /// What may be shown of it: `ek_sandbox_abc...234`.
    pub prefix_hint: String,
    /// What is kept of it.
    pub(crate) digest: Digest,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
    /// When it ends; `None` for never.
    #[serde(with = "time::serde::rfc3339::option")]
    pub expires_at: Option<OffsetDateTime>,
    /// Who made it; of a key that a key made, who made that one. `None` for keys of earlier
    /// versions.
    #[serde(default)]
    pub created_by_user_id: Option<UserId>,
    /// When it was used last, to the minute; `None` for never.
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub last_used_at: Option<OffsetDateTime>,
    /// The addresses that it may be used from, as [`Network`]s; any when there are none.
    #[serde(default)]
    pub allowed_addresses: Vec<String>,
    /// Its right to switch the operators of a till.
    #[serde(default)]
    pub(crate) switching: OperatorSwitch,
}

impl ApiKey {
    /// Accepts a request with the key from `client`.
    ///
    /// # Errors
    /// [`Forbidden::AddressNotAllowed`] when the key is for other addresses, also when the
    /// request's address is unknown.
    pub fn check_address(&self, client: Option<IpAddr>) -> Result<(), Forbidden> {
        let mut allowed = self.allowed_addresses.iter();
        let is_in = |text: &String, client| {
            text.parse::<Network>().is_ok_and(|network| network.contains(client))
        };
        let is_allowed = self.allowed_addresses.is_empty()
            || client.is_some_and(|client| allowed.any(|text| is_in(text, client)));
        if is_allowed { Ok(()) } else { Err(Forbidden::AddressNotAllowed) }
    }
}

racun_store::record! {
    /// Where keys are kept: with the entity or account that they reach.
    pub static API_KEYS: ApiKey = "api_keys";
    |key|
    id: key.id,
    tenant: key.entity_id.map_or_else(|| Tenant::account(key.account_id), Tenant::entity),
    fields: {
        Field::instant("created_at") => key.created_at,
        Field::text("owner").indexed().hidden() => key.tenant().as_str(),
        Field::text("digest").unique(Unique::Everywhere).hidden() => key.digest.as_str(),
        Field::text("created_by").indexed().hidden() => key.created_by_user_id,
    }
}

/// What keys start with.
const PREFIXES: [&str; 4] = ["ek_live_", "ek_sandbox_", "sk_live_", "sk_sandbox_"];

/// Whether `text` is formed like a key of any kind.
pub(crate) fn is_api_key(text: &str) -> bool {
    PREFIXES.iter().any(|prefix| is_key(prefix, text))
}

/// What may be shown of `token` when it has the form of a key, there is one or not: never the key.
#[must_use]
pub fn key_hint(token: &str) -> Option<String> {
    let own = PREFIXES.iter().find(|prefix| is_key(prefix, token))?;
    Some(hint(own, token))
}

/// What a key starts with.
pub(crate) const fn prefix(of_entity: bool, environment: Environment) -> &'static str {
    match (of_entity, environment) {
        (true, Environment::Live) => PREFIXES[0],
        (true, Environment::Sandbox) => PREFIXES[1],
        (false, Environment::Live) => PREFIXES[2],
        (false, Environment::Sandbox) => PREFIXES[3],
    }
}

/// The entity's keys, newest first.
///
/// # Errors
/// [`AccessError::Forbidden`] to all but admins, or the store's failure.
pub async fn list_entity_keys(cx: Context<'_>) -> Result<Vec<ApiKey>, AccessError> {
    require(cx.scope, Permission::ManageKeys)?;
    list_keys(cx.store, &cx.tenant()).await
}

/// The account's keys, newest first; to a key, those of its own environment.
///
/// # Errors
/// When the store fails.
pub async fn list_account_keys(
    store: &dyn Store,
    scope: &AccountScope,
) -> Result<Vec<ApiKey>, AccessError> {
    let mut keys = list_keys(store, &Tenant::account(scope.account)).await?;
    keys.retain(|key| scope.reaches(key.environment));
    Ok(keys)
}

/// Holds the keys of an entity or account.
pub(crate) fn hold_all_of<By>(unit: &mut UnitBuilder<'_, By>, owner: &Tenant) -> Many<ApiKey> {
    unit.hold_where_of(owner.clone(), &API_KEYS, "owner", owner.as_str())
}

async fn list_keys(store: &dyn Store, owner: &Tenant) -> Result<Vec<ApiKey>, AccessError> {
    let query = ListQuery { limit: MAX_KEYS, ..ListQuery::first_page(&API_KEYS) };
    Ok(store.page(&API_KEYS, owner, &query).await?.rows)
}

/// Ends a key of the entity, named by its `key_` id or by its hint.
///
/// # Errors
/// [`AccessError::Forbidden`] to all but admins, [`AccessError::Invalid`] for the text of a key,
/// which is no name, [`AccessError::NotFound`], or [`Conflict::AmbiguousKey`] when several keys
/// have this hint.
pub async fn delete_entity_key(cx: Context<'_>, key: &str) -> Result<(), AccessError> {
    require(cx.scope, Permission::ManageKeys)?;
    delete_key(cx.store, cx.tenant(), None, key, cx.scope.principal().id(), cx.stamp).await
}

/// Ends a key of the account, named as [`delete_entity_key`] names them.
///
/// # Errors
/// [`AccessError::NotFound`], also to a key that names one of the other environment, or
/// [`Conflict::AmbiguousKey`] when several keys have this hint.
pub async fn delete_account_key(
    store: &dyn Store,
    scope: &AccountScope,
    key: &str,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    let owner = Tenant::account(scope.account);
    delete_key(store, owner, scope.environment, key, scope.principal.id(), stamp).await
}

async fn delete_key(
    store: &dyn Store,
    owner: Tenant,
    environment: Option<Environment>,
    key: &str,
    actor: String,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    check_is_no_secret(key)?;
    let (key, stamp) = (key.to_owned(), stamp.clone());
    let mut unit = store.unit(owner.clone());
    let keys = hold_all_of(&mut unit, &owner);
    unit.decide(move |held| {
        let mut keys: Vec<ApiKey> = held.all(keys)?;
        keys.retain(|found| environment.is_none_or(|own| own == found.environment));
        let found = named(&keys, &key)?;
        let happened = event(owner, events::api_key::DELETED, &found.id, &actor, &stamp);
        Ok(((), Writes::default().delete(found).events([happened])))
    })
    .await
}

/// Refuses the text of a key where a name is expected: names are part of URLs, and every proxy on
/// the way logs URLs.
fn check_is_no_secret(name: &str) -> Result<(), AccessError> {
    let is_hint = name.contains("...");
    if !is_hint && PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
        let message = "this is a key, and addresses are logged on their way: name it by its \
                       key_id, and end it, for it is no secret any more";
        return Err(Issue::new("secret_in_address", message).at("id").into());
    }
    Ok(())
}

/// The one of `keys` that `text` names.
fn named<'a>(keys: &'a [ApiKey], text: &str) -> Result<&'a ApiKey, AccessError> {
    let mut found = keys.iter().filter(|key| key.id.to_string() == text || key.prefix_hint == text);
    match (found.next(), found.next()) {
        (Some(key), None) => Ok(key),
        (Some(_), Some(_)) => Err(Conflict::AmbiguousKey.into()),
        (None, _) => Err(AccessError::NotFound { id: text.to_owned() }),
    }
}
