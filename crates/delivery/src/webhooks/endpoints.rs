//! Endpoints: added, read, changed, removed.

use std::sync::Arc;

use racun_access::Permission;
use racun_kernel::{Issues, Stamp, Vault};
use racun_store::{
    Clause, EventKind, ListQuery, Many, Operator, Page, RawQuery, Store, Value, Writes,
};
use racun_webhooks::events::webhook;
use racun_webhooks::{
    ENDPOINTS, EarlierInput, Endpoint, EndpointInput, Generation, MAX_ENDPOINTS, Owner, Refused,
    Rules, WebhookError,
};

use super::{Holder, ManageError, Webhooks};

/// Adds an endpoint, and answers it with its secret, which is shown once.
///
/// # Errors
/// [`WebhookError::Invalid`]; [`Refused::TooMany`]; [`ManageError::Access`] to who may not make it
/// any more; the store's failure.
pub async fn create(
    store: &dyn Store,
    webhooks: &Webhooks,
    vault: &Arc<dyn Vault>,
    holder: &Holder,
    input: EndpointInput,
    stamp: &Stamp,
) -> Result<(Endpoint, String), ManageError> {
    let (accepted, events) = (webhooks.accepts(input.url.value()), webhooks.events);
    let (endpoint, secret) = input.into_endpoint(
        holder.owner,
        &**vault,
        Rules { accepts: &|_| accepted.clone(), events },
        stamp,
    )?;
    Ok((insert(store, holder, endpoint, stamp).await?, secret))
}

/// Adds an endpoint of the earlier generation.
///
/// # Errors
/// [`WebhookError::Invalid`]; [`Refused::TooMany`]; [`ManageError::Access`] to who may not make it
/// any more; the store's failure.
pub async fn create_earlier(
    store: &dyn Store,
    webhooks: &Webhooks,
    holder: &Holder,
    input: EarlierInput,
    stamp: &Stamp,
) -> Result<Endpoint, ManageError> {
    let (accepted, events) = (webhooks.accepts(input.url.value()), webhooks.events);
    let endpoint = input.into_endpoint(
        holder.owner,
        Rules { accepts: &|_| accepted.clone(), events },
        stamp,
    )?;
    insert(store, holder, endpoint, stamp).await
}

async fn insert(
    store: &dyn Store,
    holder: &Holder,
    endpoint: Endpoint,
    stamp: &Stamp,
) -> Result<Endpoint, ManageError> {
    let events = vec![holder.event(webhook::CREATED, &endpoint, stamp)];
    let mut unit = store.unit(holder.tenant());
    let maker = holder.hold_maker(&mut unit, stamp);
    holder.hold_parent(&mut unit);
    let others: Many<Endpoint> = unit.hold_where(&ENDPOINTS, "owner", holder.tenant().as_str());
    unit.decide(move |held| {
        let created_by_user_id = maker.read(held, Permission::ManageEntity)?.user();
        if held.count(&others) >= MAX_ENDPOINTS {
            return Err(Refused::TooMany.into());
        }
        let endpoint = Endpoint { created_by_user_id, ..endpoint };
        let writes = Writes::default().insert(&endpoint).events(events);
        Ok((endpoint, writes))
    })
    .await
}

/// The page of endpoints that `raw` asks for.
///
/// # Errors
/// [`WebhookError::Invalid`] for a query that cannot be understood, and when the store fails.
pub async fn list(
    store: &dyn Store,
    holder: &Holder,
    raw: &RawQuery,
) -> Result<Page<Endpoint>, WebhookError> {
    let mut query = ListQuery::parse(&ENDPOINTS, raw)?;
    let equals = |name, value: Value| Clause::on(&ENDPOINTS, name, Operator::Equals(value));
    query.clauses.push(equals("generation", holder.generation.name().into()));
    if let Owner::Account { environment: Some(own), .. } = holder.owner {
        query.clauses.push(equals("environment", own.name().into()));
    }
    Ok(store.page(&ENDPOINTS, &holder.tenant(), &query).await?)
}

/// All endpoints of the entity that were made with the earlier generation, the oldest first.
///
/// # Errors
/// When the store fails.
pub async fn list_earlier(
    store: &dyn Store,
    holder: &Holder,
) -> Result<Vec<Endpoint>, WebhookError> {
    let mut query = ListQuery { limit: MAX_ENDPOINTS, ..ListQuery::first_page(&ENDPOINTS) };
    let earlier = Operator::Equals(Generation::Earlier.name().into());
    query.clauses.push(Clause::on(&ENDPOINTS, "generation", earlier));
    let mut found: Vec<Endpoint> = store.page(&ENDPOINTS, &holder.tenant(), &query).await?.rows;
    found.reverse();
    Ok(found)
}

/// The endpoint `id` of any owner, if it was made with the earlier generation, whose paths name no
/// owner. The caller's access to that owner must be checked before any part of it is answered.
///
/// # Errors
/// When the store fails.
pub async fn find_earlier(store: &dyn Store, id: &str) -> Result<Option<Endpoint>, WebhookError> {
    if id.contains('\0') {
        return Ok(None);
    }
    let mut found = store.look_up::<Endpoint>(&ENDPOINTS, "public_id", id).await?;
    found.retain(|endpoint| endpoint.generation == Generation::Earlier);
    Ok(found.pop())
}

/// The endpoint `id`.
///
/// # Errors
/// [`WebhookError::NotFound`], and when the store fails.
pub async fn get(store: &dyn Store, holder: &Holder, id: &str) -> Result<Endpoint, WebhookError> {
    let found: Option<Endpoint> = store.get(&ENDPOINTS, &holder.tenant(), id).await?;
    let found = found.filter(|endpoint| holder.reaches(endpoint));
    found.ok_or_else(|| WebhookError::NotFound { id: id.to_owned() })
}

/// Changes what is sent of the endpoint `id`. One that is activated gets what happens from then on;
/// what was parked before stays parked until it is replayed.
///
/// # Errors
/// [`WebhookError::NotFound`], [`WebhookError::Invalid`], and when the store fails.
pub async fn update(
    store: &dyn Store,
    webhooks: &Webhooks,
    holder: &Holder,
    id: String,
    input: EndpointInput,
    stamp: &Stamp,
) -> Result<Endpoint, ManageError> {
    let (accepted, events) = (webhooks.accepts(input.url.value()), webhooks.events);
    change(store, holder, id, stamp, webhook::UPDATED, move |endpoint, stamp| {
        input.apply(endpoint, Rules { accepts: &|_| accepted.clone(), events }, stamp)
    })
    .await
    .map(|(endpoint, ())| endpoint)
}

/// How an input changes an endpoint of the earlier generation: [`EarlierInput::apply`] changes what
/// is sent, [`EarlierInput::replace`] makes what is not sent as in a new one.
pub type ChangeEarlier = fn(EarlierInput, &mut Endpoint, Rules<'_>, &Stamp) -> Result<(), Issues>;

/// Changes the endpoint `id` of the earlier generation as `how` says.
///
/// # Errors
/// [`WebhookError::NotFound`], [`WebhookError::Invalid`], and when the store fails.
pub async fn change_earlier(
    store: &dyn Store,
    webhooks: &Webhooks,
    holder: &Holder,
    id: String,
    input: EarlierInput,
    how: ChangeEarlier,
    stamp: &Stamp,
) -> Result<Endpoint, ManageError> {
    let (accepted, events) = (webhooks.accepts(input.url.value()), webhooks.events);
    change(store, holder, id, stamp, webhook::UPDATED, move |endpoint, stamp| {
        how(input, endpoint, Rules { accepts: &|_| accepted.clone(), events }, stamp)
    })
    .await
    .map(|(endpoint, ())| endpoint)
}

/// Gives the endpoint `id` another secret, which is shown once. The one before it signs beside it
/// for 24 hours, in the header of Standard Webhooks.
///
/// # Errors
/// [`WebhookError::NotFound`], and when the store fails.
pub async fn rotate_secret(
    store: &dyn Store,
    vault: &Arc<dyn Vault>,
    holder: &Holder,
    id: String,
    stamp: &Stamp,
) -> Result<(Endpoint, String), ManageError> {
    let vault = Arc::clone(vault);
    change(store, holder, id, stamp, webhook::SECRET_ROTATED, move |endpoint, stamp| {
        Ok(endpoint.rotate_secret(&*vault, stamp))
    })
    .await
}

/// Removes the endpoint `id`. What was sent to it stays in the log.
///
/// # Errors
/// [`WebhookError::NotFound`], and when the store fails.
pub async fn delete(
    store: &dyn Store,
    holder: &Holder,
    id: String,
    stamp: &Stamp,
) -> Result<(), WebhookError> {
    let (holder, stamp) = (holder.clone(), stamp.clone());
    let mut unit = store.unit(holder.tenant());
    let endpoint = unit.hold(&ENDPOINTS, id);
    unit.decide(move |held| {
        let endpoint = holder.reached(held.one(endpoint)?)?;
        let event = holder.event(webhook::DELETED, &endpoint, &stamp);
        Ok(((), Writes::default().delete(&endpoint).events([event])))
    })
    .await
}

/// Writes what `change` makes of the endpoint `id`, if that is anything else.
async fn change<T: Send + 'static>(
    store: &dyn Store,
    holder: &Holder,
    id: String,
    stamp: &Stamp,
    kind: EventKind,
    change: impl FnOnce(&mut Endpoint, &Stamp) -> Result<T, Issues> + Send + 'static,
) -> Result<(Endpoint, T), ManageError> {
    let (holder, stamp) = (holder.clone(), stamp.clone());
    let mut unit = store.unit(holder.tenant());
    let maker = holder.hold_maker(&mut unit, &stamp);
    let endpoint = unit.hold(&ENDPOINTS, id);
    unit.decide(move |held| {
        maker.read(held, Permission::ManageEntity)?;
        let before = holder.reached(held.one(endpoint)?)?;
        let mut after = before.clone();
        let answer = change(&mut after, &stamp)?;
        if after == before {
            return Ok(((after, answer), Writes::default()));
        }
        let event = holder.event(kind, &after, &stamp);
        let writes = Writes::default().update(&before, &after).events([event]);
        Ok(((after, answer), writes))
    })
    .await
}
