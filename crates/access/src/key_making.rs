//! Making API keys: the maker and the limits.

use racun_kernel::id::{AccountId, EntityId, UserId};
use racun_kernel::{
    Context, Environment, Held, Issue, Issues, Many, One, Principal, Record as _, Role, Stamp,
    Store, Tenant, Writes,
};
use time::Duration;

use crate::account::event;
use crate::device::SwitchRight;
use crate::email::check_name;
use crate::ending::check_is_current;
use crate::key::{MAX_KEYS, hold_all_of, prefix};
use crate::member::HeldMembers;
use crate::permission::require;
use crate::secret::{hint, new_key};
use crate::{
    ACCOUNTS, API_KEYS, AccessError, Account, AccountScope, ApiKey, Digest, Forbidden, Network,
    Permission, Refused, Shown, USERS, User,
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
/// their address; [`AccessError::Invalid`] for a wrong name, ttl or range of addresses;
/// [`Refused::TooManyKeys`] when there are 200.
pub async fn create_entity_key(
    cx: Context<'_>,
    input: NewKey,
) -> Result<Shown<ApiKey>, AccessError> {
    require(cx.scope, Permission::ManageKeys)?;
    let (account, entity) = (cx.scope.account(), Some(cx.scope.entity()));
    let shown = new_api_key(account, entity, cx.scope.environment(), input, cx.stamp)?;
    add_key(cx.store, cx.scope.principal(), shown, cx.stamp).await
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
) -> Result<Shown<ApiKey>, AccessError> {
    if scope.environment.is_some_and(|own| own != environment) {
        let message = "a key makes keys of its own environment only";
        return Err(Issue::new("environment_mismatch", message).at("environment").into());
    }
    let shown = new_api_key(scope.account, None, environment, input, stamp)?;
    add_key(store, scope.principal, shown, stamp).await
}

fn new_api_key(
    account_id: AccountId,
    entity_id: Option<EntityId>,
    environment: Environment,
    input: NewKey,
    stamp: &Stamp,
) -> Result<Shown<ApiKey>, Issues> {
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
        switching: SwitchRight::default(),
    };
    Ok(Shown { record, secret })
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

/// Who makes a key.
enum Maker {
    User(One<User>),
    Key(One<ApiKey>),
}

/// Writes a new key while its account or entity is held, so that the limit holds for keys made at
/// once; and its maker, so that a user who lost the right makes none. The members of the entity of
/// a key of one are held, too.
async fn add_key(
    store: &dyn Store,
    maker: Principal,
    shown: Shown<ApiKey>,
    stamp: &Stamp,
) -> Result<Shown<ApiKey>, AccessError> {
    let ApiKey { account_id, entity_id, .. } = shown.record;
    let mut unit = store.unit(Tenant::directory());
    let by = match maker {
        Principal::User(user) => Maker::User(unit.hold(&USERS, user)),
        Principal::AccountKey(key) => {
            Maker::Key(unit.hold_of(Tenant::account(account_id), &API_KEYS, key))
        }
        Principal::Operator(_) | Principal::EntityKey(_) | Principal::System => {
            return Err(Forbidden::InsufficientRole.into());
        }
    };
    let account = unit.hold(&ACCOUNTS, account_id);
    let keys: Many<ApiKey> = hold_all_of(&mut unit, &shown.record.tenant());
    let place = entity_id.map(|entity| HeldMembers::hold(&mut unit, account_id, entity));
    let stamp = stamp.clone();
    unit.decide(move |held| {
        let mut shown = shown;
        let account: Account = held.find(account)?.ok_or(AccessError::Unauthorized)?;
        let made_by = match by {
            Maker::User(user) => Some(user_who_makes(held, user, &shown.record, place, &stamp)?),
            Maker::Key(key) => key_that_makes(held, key, &shown.record, &account)?,
        };
        shown.record.created_by_user_id = made_by;
        if held.count(&keys) >= MAX_KEYS {
            return Err(Refused::TooManyKeys.into());
        }
        let (key, actor) = (&shown.record, maker.id());
        let happened = event(key.tenant(), "api_key.created", &key.id, &actor, &stamp);
        let writes = Writes::default().insert(key).events([happened]);
        Ok((shown, writes))
    })
    .await
}

/// The held user, who may still make `key`.
fn user_who_makes(
    held: &Held<()>,
    user: One<User>,
    key: &ApiKey,
    place: Option<HeldMembers>,
    stamp: &Stamp,
) -> Result<UserId, AccessError> {
    let user: User = held.find(user)?.ok_or(AccessError::Unauthorized)?;
    check_is_current(&user, stamp.now())?;
    if key.environment == Environment::Live && !user.email_verified {
        return Err(Forbidden::EmailUnverified.into());
    }
    if let Some(place) = place {
        let (_, members) = place.read(held)?;
        let role = members.iter().find(|member| member.user_id == user.id).map(|one| one.role);
        let is_owner = role.is_none() && user.account_id == key.account_id;
        if !is_owner && role != Some(Role::Admin) {
            return Err(Forbidden::InsufficientRole.into());
        }
    }
    Ok(user.id)
}

/// Who made the held key, which makes `key`.
fn key_that_makes(
    held: &Held<()>,
    parent: One<ApiKey>,
    key: &ApiKey,
    account: &Account,
) -> Result<Option<UserId>, AccessError> {
    let parent: ApiKey = held.find(parent)?.ok_or(AccessError::Unauthorized)?;
    if key.environment == Environment::Live && !account.has_verified_user {
        return Err(Forbidden::EmailUnverified.into());
    }
    Ok(parent.created_by_user_id)
}
