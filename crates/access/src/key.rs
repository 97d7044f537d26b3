//! API keys: of one entity (`ek_`), or of an account in one environment (`sk_`).

use racun_kernel::id::{AccountId, ApiKeyId, EntityId};
use racun_kernel::{
    Environment, Field, FieldKind, Issue, Issues, ListQuery, Load, Loaded, Put, Record, Scope,
    Stamp, Store, Table, Tenant, Unique, Value, Writes,
};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::account::event;
use crate::device::SwitchRight;
use crate::email::check_name;
use crate::permission::require;
use crate::secret::{hint, is_key, new_key};
use crate::{
    ACCOUNTS, AccessError, AccountScope, Conflict, Digest, ENTITIES, Permission, Refused, Shown,
};

/// Keys that an entity or an account has at most.
const MAX_KEYS: usize = 200;
/// Seconds that a key lasts at least.
const MIN_TTL_SECONDS: i64 = 60;
/// Seconds that a key lasts at most, when it does not last for ever: 100 years.
const MAX_TTL_SECONDS: i64 = 100 * 365 * 86_400;

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
    /// Its right to switch the operators of a till.
    #[serde(default)]
    pub(crate) switching: SwitchRight,
}

/// Where keys are kept: with the entity or account that they reach.
pub static API_KEYS: Table = Table {
    name: "api_keys",
    fields: &[
        Field::column("created_at", FieldKind::Instant),
        Field::column("owner", FieldKind::Text).indexed().hidden(),
        Field::column("digest", FieldKind::Text).unique(Unique::Everywhere).hidden(),
    ],
};

impl Record for ApiKey {
    fn table(&self) -> &'static Table {
        &API_KEYS
    }

    fn id(&self) -> String {
        self.id.to_string()
    }

    fn tenant(&self) -> Tenant {
        self.entity_id.map_or_else(|| Tenant::account(self.account_id), Tenant::entity)
    }

    fn values(&self) -> Vec<Value> {
        let owner = Value::from(self.tenant().as_str());
        vec![self.created_at.into(), owner, self.digest.as_str().into()]
    }
}

/// What making a key asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// What people call it.
    pub name: String,
    /// Seconds that it lasts, at least 60; `None` for ever.
    pub ttl: Option<i64>,
}

/// Whether `text` is formed like a key of any kind.
pub(crate) fn is_api_key(text: &str) -> bool {
    let environments = [Environment::Live, Environment::Sandbox];
    environments.into_iter().any(|environment| {
        is_key(prefix(true, environment), text) || is_key(prefix(false, environment), text)
    })
}

/// What may be shown of `token` when it has the form of a key, there is one or not: never the key.
#[must_use]
pub fn key_hint(token: &str) -> Option<String> {
    let prefixes = [Environment::Live, Environment::Sandbox]
        .into_iter()
        .flat_map(|environment| [prefix(true, environment), prefix(false, environment)]);
    let own = prefixes.into_iter().find(|prefix| is_key(prefix, token))?;
    Some(hint(own, token))
}

/// What a key starts with.
const fn prefix(of_entity: bool, environment: Environment) -> &'static str {
    match (of_entity, environment) {
        (true, Environment::Live) => "ek_live_",
        (true, Environment::Sandbox) => "ek_sandbox_",
        (false, Environment::Live) => "sk_live_",
        (false, Environment::Sandbox) => "sk_sandbox_",
    }
}

/// Makes a key of the entity. The full key is shown once.
///
/// # Errors
/// [`AccessError::Forbidden`] to all but admins, [`AccessError::Invalid`] for a wrong name or ttl,
/// [`Refused::TooManyKeys`] when there are 200.
pub async fn create_entity_key(
    store: &dyn Store,
    scope: &Scope,
    input: NewKey,
    stamp: &Stamp,
) -> Result<Shown<ApiKey>, AccessError> {
    require(scope, Permission::ManageKeys)?;
    let owner = Load::One {
        table: &ENTITIES,
        tenant: Tenant::account(scope.account()),
        id: scope.entity().to_string(),
    };
    let (account, entity) = (scope.account(), Some(scope.entity()));
    let shown = new_api_key(account, entity, scope.environment(), input, stamp)?;
    add_key(store, owner, shown, scope.principal().id(), stamp).await
}

/// Makes a key of the account for `environment`. The full key is shown once.
///
/// # Errors
/// [`AccessError::Invalid`] for a wrong name or ttl, and when a key asks for the other environment;
/// [`Refused::TooManyKeys`] when there are 200.
pub async fn create_account_key(
    store: &dyn Store,
    scope: &AccountScope,
    environment: Environment,
    input: NewKey,
    stamp: &Stamp,
) -> Result<Shown<ApiKey>, AccessError> {
    if scope.environment.is_some_and(|own| own != environment) {
        let message = "a key makes keys of its own environment only";
        return Err(Issue::new("environment_mismatch", message).at("environment").into());
    }
    let id = scope.account.to_string();
    let owner = Load::One { table: &ACCOUNTS, tenant: Tenant::directory(), id };
    let shown = new_api_key(scope.account, None, environment, input, stamp)?;
    add_key(store, owner, shown, scope.principal.id(), stamp).await
}

fn new_api_key(
    account_id: AccountId,
    entity_id: Option<EntityId>,
    environment: Environment,
    input: NewKey,
    stamp: &Stamp,
) -> Result<Shown<ApiKey>, Issues> {
    let mut issues = Issues::default();
    issues.collect("name", check_name(&input.name));
    if input.ttl.is_some_and(|ttl| !(MIN_TTL_SECONDS..=MAX_TTL_SECONDS).contains(&ttl)) {
        let message =
            format!("from {MIN_TTL_SECONDS} to {MAX_TTL_SECONDS} seconds, or absent for ever");
        issues.push(Issue::new("out_of_range", message).at("ttl"));
    }
    issues.into_result(())?;
    let prefix = prefix(entity_id.is_some(), environment);
    let secret = new_key(prefix, stamp);
    let now = stamp.now();
    let record = ApiKey {
        id: stamp.id(),
        account_id,
        entity_id,
        environment,
        name: input.name,
        prefix_hint: hint(prefix, &secret),
        digest: Digest::of(&secret),
        created_at: now,
        updated_at: now,
        expires_at: input.ttl.map(|ttl| now + Duration::seconds(ttl)),
        switching: SwitchRight::default(),
    };
    Ok(Shown { record, secret })
}

/// Writes a new key while its `owner` is held, so that the limit holds for keys made at once.
async fn add_key(
    store: &dyn Store,
    owner: Load,
    shown: Shown<ApiKey>,
    actor: String,
    stamp: &Stamp,
) -> Result<Shown<ApiKey>, AccessError> {
    let key = &shown.record;
    let happened = event(key.tenant(), "api_key.created", &key.id, &actor, stamp);
    store
        .decide(vec![owner, all_of(&key.tenant())], None, move |loaded| {
            if loaded.rows.last().map_or(0, Vec::len) >= MAX_KEYS {
                return Err(Refused::TooManyKeys.into());
            }
            let puts = vec![Put::insert(&shown.record)];
            Ok((shown, Writes { puts, events: vec![happened], takes_number: false }))
        })
        .await
}

fn all_of(owner: &Tenant) -> Load {
    let value = owner.as_str().to_owned();
    Load::Where { table: &API_KEYS, tenant: owner.clone(), field: "owner", value }
}

/// The entity's keys, newest first.
///
/// # Errors
/// [`AccessError::Forbidden`] to all but admins, or the store's failure.
pub async fn list_entity_keys(
    store: &dyn Store,
    scope: &Scope,
) -> Result<Vec<ApiKey>, AccessError> {
    require(scope, Permission::ManageKeys)?;
    list_keys(store, &scope.tenant()).await
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

async fn list_keys(store: &dyn Store, owner: &Tenant) -> Result<Vec<ApiKey>, AccessError> {
    let query = ListQuery { limit: MAX_KEYS, ..ListQuery::first_page(&API_KEYS) };
    Ok(store.page(&API_KEYS, owner, &query).await?.rows)
}

/// Ends a key of the entity, named by its `key_` id, by the full key, or by its hint.
///
/// # Errors
/// [`AccessError::Forbidden`] to all but admins, [`AccessError::NotFound`], or
/// [`Conflict::AmbiguousKey`] when several keys have this hint.
pub async fn delete_entity_key(
    store: &dyn Store,
    scope: &Scope,
    key: &str,
    stamp: &Stamp,
) -> Result<(), AccessError> {
    require(scope, Permission::ManageKeys)?;
    delete_key(store, scope.tenant(), None, key, scope.principal().id(), stamp).await
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
    let (key, stamp) = (key.to_owned(), stamp.clone());
    store
        .decide(vec![all_of(&owner)], None, move |loaded| {
            let mut keys = read_keys(&loaded)?;
            keys.retain(|found| environment.is_none_or(|own| own == found.environment));
            let found = named(&keys, &key)?;
            let happened = event(owner, "api_key.deleted", &found.id, &actor, &stamp);
            let puts = vec![Put::delete(found)];
            Ok(((), Writes { puts, events: vec![happened], takes_number: false }))
        })
        .await
}

fn read_keys(loaded: &Loaded) -> Result<Vec<ApiKey>, AccessError> {
    let rows = loaded.rows.iter().flatten();
    Ok(rows.map(|row| row.read(&API_KEYS)).collect::<Result<_, _>>()?)
}

/// The one of `keys` that `text` names. A full key is never repeated in the error.
fn named<'a>(keys: &'a [ApiKey], text: &str) -> Result<&'a ApiKey, AccessError> {
    let digest = Digest::of(text);
    let mut found = keys.iter().filter(|key| {
        key.id.to_string() == text || key.digest == digest || key.prefix_hint == text
    });
    match (found.next(), found.next()) {
        (Some(key), None) => Ok(key),
        (Some(_), Some(_)) => Err(Conflict::AmbiguousKey.into()),
        (None, _) => {
            let id = if is_api_key(text) { "key".to_owned() } else { text.to_owned() };
            Err(AccessError::NotFound { id })
        }
    }
}
