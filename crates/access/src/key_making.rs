//! Making API keys: the maker and the limits.

use racun_kernel::id::{AccountId, EntityId};
use racun_kernel::{Environment, Issue, Issues, Stamp, Tenant};
use racun_store::{Context, Many, One, Record as _, Store, Writes};
use time::Duration;

use crate::account::event;
use crate::device::OperatorSwitch;
use crate::email::check_name;
use crate::events;
use crate::key::{MAX_KEYS, hold_all_of, prefix};
use crate::maker::{HeldMaker, Maker, Right};
use crate::permission::require;
use crate::secret::{hint, new_key};
use crate::{
    ACCOUNTS, AccessError, Account, AccountScope, ApiKey, Digest, ENTITIES, Entity, Forbidden,
    Network, Permission, Refused, WithSecret,
};

/// Seconds that a key lasts at least.
const MIN_TTL_SECONDS: i64 = 60;
/// Seconds that a key lasts at most, when it does not last for ever: 100 years.
const MAX_TTL_SECONDS: i64 = 100 * 365 * 86_400;
/// Ranges of addresses that a key names at most.
const MAX_NETWORKS: usize = 50;

/// What making a key asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewKey {
    /// What people call it.
    pub name: String,
    /// Seconds that it lasts, at least 60; `None` for ever.
    pub ttl: Option<i64>,
    /// The addresses that it may be used from, as [`Network`]s; any when there are none.
    pub allowed_addresses: Vec<String>,
}

/// Makes a key of the entity. The full key is shown once.
///
/// # Errors
/// [`AccessError::Forbidden`] to all but admins, and for a live key to a user who never verified
/// their address; [`AccessError::Invalid`] for a wrong name, ttl or range of addresses, and for
/// more than the key that makes it has;
/// [`Refused::TooManyKeys`] when there are 200.
pub async fn create_entity_key(
    cx: Context<'_>,
    input: NewKey,
) -> Result<WithSecret<ApiKey>, AccessError> {
    require(cx.scope, Permission::ManageKeys)?;
    let (account, entity) = (cx.scope.account(), Some(cx.scope.entity()));
    let shown = new_api_key(account, entity, cx.scope.environment(), input, cx.stamp)?;
    add_key(cx.store, cx.scope.into(), shown, cx.stamp).await
}

/// Makes a key of the account for `environment`. The full key is shown once.
///
/// # Errors
/// [`AccessError::Invalid`] for a wrong name, ttl or range of addresses, and when a key asks for
/// the other environment; [`Forbidden::EmailUnverified`] for a live key, when the user's address
/// was never verified; [`Refused::TooManyKeys`] when there are 200.
pub async fn create_account_key(
    store: &dyn Store,
    scope: &AccountScope,
    environment: Environment,
    input: NewKey,
    stamp: &Stamp,
) -> Result<WithSecret<ApiKey>, AccessError> {
    if scope.environment.is_some_and(|own| own != environment) {
        let message = "a key makes keys of its own environment only";
        return Err(Issue::new("environment_mismatch", message).at("environment").into());
    }
    let shown = new_api_key(scope.account, None, environment, input, stamp)?;
    add_key(store, scope.into(), shown, stamp).await
}

fn new_api_key(
    account_id: AccountId,
    entity_id: Option<EntityId>,
    environment: Environment,
    input: NewKey,
    stamp: &Stamp,
) -> Result<WithSecret<ApiKey>, Issues> {
    check(&input)?;
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
        created_by_user_id: None,
        last_used_at: None,
        allowed_addresses: input.allowed_addresses,
        switching: OperatorSwitch::default(),
    };
    Ok(WithSecret { record, secret })
}

fn check(input: &NewKey) -> Result<(), Issues> {
    let mut issues = Issues::default();
    issues.collect("name", check_name(&input.name));
    if input.ttl.is_some_and(|ttl| !(MIN_TTL_SECONDS..=MAX_TTL_SECONDS).contains(&ttl)) {
        let message =
            format!("from {MIN_TTL_SECONDS} to {MAX_TTL_SECONDS} seconds, or absent for ever");
        issues.push(Issue::new("out_of_range", message).at("ttl"));
    }
    if input.allowed_addresses.len() > MAX_NETWORKS {
        let message = format!("at most {MAX_NETWORKS} ranges of addresses");
        issues.push(Issue::new("too_many", message).at("allowed_addresses"));
    }
    for (place, text) in input.allowed_addresses.iter().enumerate().take(MAX_NETWORKS) {
        if let Err(refused) = text.parse::<Network>() {
            let issue = Issue::new("invalid_value", refused.to_string());
            issues.push(issue.at(place).at("allowed_addresses"));
        }
    }
    issues.into_result(())
}

/// Writes a new key while its account or entity is held, so that the limit holds for keys made at
/// once, and so that keys which end with a member are all seen; and its maker, so that no key is
/// made with a right that has ended.
async fn add_key(
    store: &dyn Store,
    right: Right,
    shown: WithSecret<ApiKey>,
    stamp: &Stamp,
) -> Result<WithSecret<ApiKey>, AccessError> {
    let ApiKey { account_id, entity_id, .. } = shown.record;
    let (mut unit, actor) = (store.unit(Tenant::directory()), right.actor());
    let maker = HeldMaker::hold(&mut unit, right, stamp.now());
    let account = unit.hold(&ACCOUNTS, account_id);
    let keys: Many<ApiKey> = hold_all_of(&mut unit, &shown.record.tenant());
    let entity: Option<One<Entity>> =
        entity_id.map(|id| unit.hold_of(Tenant::account(account_id), &ENTITIES, id));
    let stamp = stamp.clone();
    unit.decide(move |held| {
        let mut shown = shown;
        let account: Account = held.find(account)?.ok_or(AccessError::Unauthorized)?;
        if let Some(entity) = entity {
            let _: Entity = held.one(entity)?;
        }
        let (made_by, is_proved) = match maker.read(held, Permission::ManageKeys)? {
            Maker::User(user) => (Some(user.id), user.email_verified),
            Maker::Key(parent) => {
                bound_by(&mut shown.record, &parent)?;
                (parent.created_by_user_id, account.has_verified_user)
            }
        };
        if shown.record.environment == Environment::Live && !is_proved {
            return Err(Forbidden::EmailUnverified.into());
        }
        shown.record.created_by_user_id = made_by;
        if held.count(&keys) >= MAX_KEYS {
            return Err(Refused::TooManyKeys.into());
        }
        let key = &shown.record;
        let happened = event(key.tenant(), events::api_key::CREATED, &key.id, &actor, &stamp);
        let writes = Writes::default().insert(key).events([happened]);
        Ok((shown, writes))
    })
    .await
}

/// Binds `key` as the key that makes it is bound: it ends no later, and comes from no other
/// addresses. What it does not say is its maker's.
///
/// # Errors
/// An issue at `ttl` or `allowed_addresses`, when it asks for more.
fn bound_by(key: &mut ApiKey, maker: &ApiKey) -> Result<(), Issues> {
    let mut issues = Issues::default();
    if let Some(end) = maker.expires_at {
        if key.expires_at.is_some_and(|asked| asked > end) {
            let left = (end - key.created_at).whole_seconds();
            let message = format!(
                "the key that makes it ends in {left} seconds: ask for no more, or leave `ttl` out"
            );
            issues.push(Issue::new("out_of_range", message).at("ttl"));
        }
        key.expires_at = key.expires_at.or(Some(end));
    }
    if !maker.allowed_addresses.is_empty() {
        let own = networks(&maker.allowed_addresses);
        for (place, asked) in networks(&key.allowed_addresses).enumerate() {
            if !own.clone().any(|own| own.covers(asked)) {
                let message = format!(
                    "the key that makes it may be used from {} only: name addresses among these, \
                     or leave `allowed_addresses` out",
                    maker.allowed_addresses.join(", ")
                );
                let issue = Issue::new("out_of_range", message);
                issues.push(issue.at(place).at("allowed_addresses"));
            }
        }
        if key.allowed_addresses.is_empty() {
            key.allowed_addresses.clone_from(&maker.allowed_addresses);
        }
    }
    issues.into_result(())
}

/// Ranges of addresses, which were checked when they were kept.
fn networks(texts: &[String]) -> impl Iterator<Item = Network> + Clone {
    texts.iter().filter_map(|text| text.parse().ok())
}
