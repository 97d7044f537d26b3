//! Which entity or account a request acts in.

use std::collections::BTreeMap;

use racun_kernel::id::{AccountId, EntityId, TokenId};
use racun_kernel::{Environment, Principal, Role, Scope, Tenant};
use racun_store::{Clause, ListQuery, Operator, Page, Store, StoreError, Value, evaluate};

use crate::key::ROLE_OF_KEYS;
use crate::member::find_membership;
use crate::{
    ACCOUNTS, AccessError, Account, Caller, ENTITIES, Entity, Forbidden, MEMBERSHIPS, Membership,
};

const NO_ENTITY: &str = "the account has no entity yet; create one with POST /entities, or name \
                         one that you were invited to in the header x-entity-id";
const SEVERAL_ENTITIES: &str =
    "the account has several entities; name one in the header x-entity-id";

/// A request's right to act on an account: to make entities and keys of the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountScope {
    /// The account.
    pub account: AccountId,
    /// The only environment it reaches; `None` for both.
    pub environment: Option<Environment>,
    /// Who acts.
    pub principal: Principal,
    /// The session of a user who acts.
    pub session: Option<TokenId>,
}

impl AccountScope {
    /// Whether `environment` is within reach.
    #[must_use]
    pub fn reaches(&self, environment: Environment) -> bool {
        self.environment.is_none_or(|own| own == environment)
    }
}

/// Enters the entity that `x-entity-id` names, or the only one of the caller's own account when it
/// names none: entities that others let a user into are entered by name alone, so that no
/// invitation changes where a user's requests go.
///
/// A disabled entity is entered too: [`crate::authorize`] refuses writes to it. When none is named,
/// disabled entities count only if there is no other.
///
/// # Errors
/// [`Forbidden::EntityNotAccessible`] for an entity that is unknown, another's or of the other
/// environment, and for a malformed id, all alike; [`AccessError::EntityRequired`] when none is
/// named and there is not exactly one; or the store's failure.
pub async fn enter(
    store: &dyn Store,
    caller: &Caller,
    entity: Option<&str>,
) -> Result<(Scope, Entity), AccessError> {
    enter_in(store, caller, entity, None).await
}

/// As [`enter`], but only into an entity of `environment`: when none is named, the only one there.
///
/// # Errors
/// As [`enter`]; [`Forbidden::EntityNotAccessible`] when what is entered is of the other
/// environment, or there is none in this one.
pub async fn enter_in(
    store: &dyn Store,
    caller: &Caller,
    entity: Option<&str>,
    environment: Option<Environment>,
) -> Result<(Scope, Entity), AccessError> {
    let is_there = |entity: &Entity| environment.is_none_or(|own| own == entity.environment);
    let only = |mut entities: Vec<Entity>| {
        entities.retain(is_there);
        match environment {
            Some(_) if entities.is_empty() => Err(Forbidden::EntityNotAccessible.into()),
            _ => only_entity(entities, caller),
        }
    };
    let found = match (entity, caller) {
        (Some(text), _) => reach(store, caller, text).await?,
        (None, Caller::EntityKey(key)) => {
            let id = key.entity_id.map(|id| id.to_string()).unwrap_or_default();
            reach(store, caller, &id).await?
        }
        (None, Caller::Operator { token, .. }) => {
            reach(store, caller, &token.entity_id.to_string()).await?
        }
        (None, Caller::AccountKey(key)) => {
            let only = only(of_account(store, key.account_id).await?)?;
            Some((grant_to(&only, caller, Role::Admin), only))
        }
        (None, Caller::User { user, .. }) => {
            let only = only(of_account(store, user.account_id).await?)?;
            reach(store, caller, &only.id.to_string()).await?
        }
    };
    let found = found.filter(|(_, entity)| is_there(entity));
    found.ok_or_else(|| Forbidden::EntityNotAccessible.into())
}

/// Enters the entity that a path names, as in `GET /entities/{id}`.
///
/// # Errors
/// [`AccessError::NotFound`] where [`enter`] is forbidden, or the store's failure.
pub async fn open_entity(
    store: &dyn Store,
    caller: &Caller,
    id: &str,
) -> Result<(Scope, Entity), AccessError> {
    let found = reach(store, caller, id).await?;
    found.ok_or_else(|| AccessError::NotFound { id: id.to_owned() })
}

/// The entity with this id, when the caller has access to it.
///
/// # Errors
/// [`AccessError::NotFound`], or the store's failure.
pub async fn get_entity(
    store: &dyn Store,
    caller: &Caller,
    id: &str,
) -> Result<Entity, AccessError> {
    Ok(open_entity(store, caller, id).await?.1)
}

/// Enters an entity as one of Racun's own jobs, which may do what an editor may: beside
/// [`enter`] and [`open_entity`], the only way to a [`Scope`]. No request comes here.
///
/// # Errors
/// [`AccessError::NotFound`] when there is no such entity in the account,
/// [`Forbidden::EntityDisabled`], or the store's failure.
pub async fn enter_as_system(
    store: &dyn Store,
    account: AccountId,
    entity: EntityId,
) -> Result<(Scope, Entity), AccessError> {
    let id = entity.to_string();
    let found: Option<Entity> = store.get(&ENTITIES, &Tenant::account(account), &id).await?;
    let entity = found.ok_or(AccessError::NotFound { id })?;
    if !entity.is_enabled {
        return Err(Forbidden::EntityDisabled.into());
    }
    let scope = grant(&entity, Principal::System, Role::Editor);
    Ok((scope, entity))
}

/// Enters the entity `id` on behalf of the recipient of one of its documents, with the rights of a
/// job. `None` when there is no such entity, or it is disabled.
///
/// # Errors
/// The store's failure.
pub async fn enter_as_recipient(
    store: &dyn Store,
    id: EntityId,
) -> Result<Option<(Scope, Entity)>, StoreError> {
    let found: Vec<Entity> = store.look_up(&ENTITIES, "own_id", &id.to_string()).await?;
    let Some(account) = found.first().map(|entity| entity.account_id) else { return Ok(None) };
    match enter_as_system(store, account, id).await {
        Ok(place) => Ok(Some(place)),
        Err(AccessError::Store(error)) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Refuses operators, whose tokens are for tills.
fn refuse_operators(caller: &Caller) -> Result<(), Forbidden> {
    match caller {
        Caller::Operator { .. } => Err(Forbidden::PosOperatorScope),
        Caller::User { .. } | Caller::AccountKey(_) | Caller::EntityKey(_) => Ok(()),
    }
}

/// The entity called `id` and the caller's rights there, or `None` when there are none.
async fn reach(
    store: &dyn Store,
    caller: &Caller,
    id: &str,
) -> Result<Option<(Scope, Entity)>, AccessError> {
    let Ok(id) = id.parse::<EntityId>() else { return Ok(None) };
    let (account, role) = match caller {
        Caller::User { user, .. } => match find_membership(store, id, user.id).await? {
            Some(membership) => (membership.account_id, membership.role),
            // The owner of an account is an admin of all its entities, those made by keys too.
            None => (user.account_id, Role::Admin),
        },
        Caller::Operator { token, .. } if token.entity_id == id => (token.account_id, token.role()),
        Caller::Operator { .. } => return Ok(None),
        Caller::AccountKey(key) => (key.account_id, Role::Admin),
        Caller::EntityKey(key) if key.entity_id == Some(id) => (key.account_id, ROLE_OF_KEYS),
        Caller::EntityKey(_) => return Ok(None),
    };
    let entity = store.get(&ENTITIES, &Tenant::account(account), &id.to_string()).await?;
    let entity = entity.filter(|entity| is_within(entity, caller));
    Ok(entity.map(|entity: Entity| (grant_to(&entity, caller, role), entity)))
}

/// Whether the entity is of the caller's environment.
fn is_within(entity: &Entity, caller: &Caller) -> bool {
    caller.environment().is_none_or(|own| own == entity.environment)
}

/// The session that a user acts in.
fn session_of(caller: &Caller) -> Option<TokenId> {
    match caller {
        Caller::User { session, .. } => Some(session.id),
        Caller::Operator { .. } | Caller::AccountKey(_) | Caller::EntityKey(_) => None,
    }
}

/// The scope of a caller, with the name of the person who acts.
#[expect(clippy::disallowed_methods, reason = "this is where access says who acts")]
fn grant_to(entity: &Entity, caller: &Caller, role: Role) -> Scope {
    let scope = grant(entity, caller.principal(), role);
    let scope = match session_of(caller) {
        Some(session) => scope.in_session(session),
        None => scope,
    };
    match caller.person(entity.id) {
        Some(person) => scope.used_by(person),
        None => scope,
    }
}

#[expect(clippy::disallowed_methods, reason = "this is where access lets a caller into a tenant")]
fn grant(entity: &Entity, principal: Principal, role: Role) -> Scope {
    Scope::grant(entity.account_id, entity.id, entity.environment, principal, role)
}

/// The entity that a request means when it names none: the only enabled one, else the only one.
fn only_entity(mut found: Vec<Entity>, caller: &Caller) -> Result<Entity, AccessError> {
    found.retain(|entity| is_within(entity, caller));
    if found.iter().any(|entity| entity.is_enabled) {
        found.retain(|entity| entity.is_enabled);
    }
    match (found.pop(), found.is_empty()) {
        (Some(entity), true) => Ok(entity),
        (Some(_), false) => Err(AccessError::EntityRequired { message: SEVERAL_ENTITIES }),
        (None, _) => Err(AccessError::EntityRequired { message: NO_ENTITY }),
    }
}

/// Entities of an account that are looked at where a request names none.
const ENTITY_LIMIT: usize = 1000;

/// The entities of an account. One kind of query, without conditions, so that stores keep it
/// prepared: it stands before every request that names no entity.
async fn of_account(store: &dyn Store, account: AccountId) -> Result<Vec<Entity>, AccessError> {
    let all = ListQuery { limit: ENTITY_LIMIT, count: false, ..ListQuery::first_page(&ENTITIES) };
    Ok(store.page(&ENTITIES, &Tenant::account(account), &all).await?.rows)
}

/// The entities that a user or an entity key has access to; at most 1,000 of a user's.
async fn entities_of(store: &dyn Store, caller: &Caller) -> Result<Vec<Entity>, AccessError> {
    let mut wanted: BTreeMap<AccountId, Vec<String>> = BTreeMap::new();
    match caller {
        Caller::User { user, .. } => {
            let found = store.look_up(&MEMBERSHIPS, "user_id", &user.id.to_string()).await?;
            for membership in found {
                let Membership { account_id, entity_id, .. } = membership;
                wanted.entry(account_id).or_default().push(entity_id.to_string());
            }
        }
        Caller::AccountKey(key) | Caller::EntityKey(key) => {
            let ids = key.entity_id.map(|id| id.to_string()).into_iter().collect();
            wanted.insert(key.account_id, ids);
        }
        Caller::Operator { token, .. } => {
            wanted.insert(token.account_id, vec![token.entity_id.to_string()]);
        }
    }
    let mut entities = match caller {
        Caller::User { user, .. } => {
            wanted.remove(&user.account_id);
            of_account(store, user.account_id).await?
        }
        Caller::Operator { .. } | Caller::AccountKey(_) | Caller::EntityKey(_) => Vec::new(),
    };
    for (account, ids) in wanted {
        entities.extend(store.get_all(&ENTITIES, &Tenant::account(account), &ids).await?);
    }
    Ok(entities)
}

/// Enters an account: the one `x-account-id` names, or the caller's own when it names none.
///
/// # Errors
/// [`Forbidden::PosOperatorScope`] to operators; [`Forbidden::AccountNotAccessible`] for any
/// account but the user's own or the one of the account key, and to entity keys; or the store's
/// failure.
pub async fn enter_account(
    store: &dyn Store,
    caller: &Caller,
    account: Option<&str>,
) -> Result<AccountScope, AccessError> {
    refuse_operators(caller)?;
    let own = caller.account();
    let is_own = account.is_none_or(|text| text == own.to_string());
    if !is_own || matches!(caller, Caller::EntityKey(_)) {
        return Err(Forbidden::AccountNotAccessible.into());
    }
    let found: Option<Account> =
        store.get(&ACCOUNTS, &Tenant::directory(), &own.to_string()).await?;
    let account = found.ok_or(Forbidden::AccountNotAccessible)?;
    let (environment, principal) = (caller.environment(), caller.principal());
    Ok(AccountScope { account: account.id, environment, principal, session: session_of(caller) })
}

/// The entities that the caller has access to: a user's by membership, in all accounts or in the
/// one that `account` names; an account key's of its account and environment; an entity key's own.
///
/// Of a user's memberships the first 1,000 are looked at, which is what a store looks up.
///
/// # Errors
/// [`Forbidden::PosOperatorScope`] to operators; [`Forbidden::AccountNotAccessible`] for an account
/// where the caller has access to nothing, or the store's failure.
pub async fn list_entities(
    store: &dyn Store,
    caller: &Caller,
    account: Option<&str>,
    environment: Option<Environment>,
    query: &ListQuery,
) -> Result<Page<Entity>, AccessError> {
    refuse_operators(caller)?;
    let own = caller.account().to_string();
    let query = match environment {
        Some(wanted) => narrowed(query.clone(), "environment", wanted.name()),
        None => query.clone(),
    };
    if let Caller::AccountKey(key) = caller {
        if account.is_some_and(|text| text != own) {
            return Err(Forbidden::AccountNotAccessible.into());
        }
        let query = narrowed(query, "environment", key.environment.name());
        return Ok(store.page(&ENTITIES, &Tenant::account(key.account_id), &query).await?);
    }
    let mut entities = entities_of(store, caller).await?;
    if let Some(text) = account {
        entities.retain(|entity| entity.account_id.to_string() == text);
        if entities.is_empty() && text != own {
            return Err(Forbidden::AccountNotAccessible.into());
        }
    }
    Ok(evaluate(&entities, &query))
}

/// `query` with one more condition.
fn narrowed(mut query: ListQuery, name: &str, value: impl Into<Value>) -> ListQuery {
    let (place, field) = ENTITIES.field(name).expect("callers name declared fields");
    let operator = Operator::Equals(value.into());
    query.clauses.push(Clause { field, place, key: None, operator });
    query
}
