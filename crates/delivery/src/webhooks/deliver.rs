//! Deliveries that are due: taken, posted outside any unit, settled.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::StreamExt as _;
use futures_util::stream;
use racun_kernel::{Stamp, Tenant};
use racun_store::{One, Put, Store, StoreError, Writes};
use racun_webhooks::events;
use racun_webhooks::{
    self as domain, DELIVERIES, DUE_DELIVERIES, Delivery, DueDelivery, ENDPOINTS, Endpoint,
    EndpointId, Owner, ReceiverResponse, Schedule, Settled, TEST_EVENT, Told, Undelivered,
    WebhookError, due_by, due_for, release,
};
use time::OffsetDateTime;

use super::{Holder, Webhooks, event, notice};

/// Deliveries of one endpoint that are posted at the same time.
pub const AT_ONCE: usize = 4;

/// What was taken for one endpoint.
#[derive(Debug)]
pub struct Batch {
    /// The endpoint; `None` when it is gone, and nothing is sent.
    pub endpoint: Option<Endpoint>,
    /// The attempts to make.
    pub send: Vec<(Delivery, DueDelivery)>,
}

/// What came of what was taken for one endpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Attempts that were made.
    pub attempts: usize,
    /// Attempts whose event arrived.
    pub arrived: usize,
    /// Attempts without an answer.
    pub silent: usize,
    /// Attempts that were given back, for one before them was not answered.
    pub given_back: usize,
    /// Whether this disabled the endpoint.
    pub disabled: bool,
    /// Whether more was due for the endpoint.
    pub has_more: bool,
}

impl Delivered {
    /// Both, `other` after it.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            attempts: self.attempts + other.attempts,
            arrived: self.arrived + other.arrived,
            silent: self.silent + other.silent,
            given_back: self.given_back + other.given_back,
            disabled: self.disabled || other.disabled,
            has_more: other.has_more,
        }
    }
}

/// What an attempt came to; `None` when it was not made.
pub type AttemptResult = Option<Result<ReceiverResponse, Undelivered>>;

/// Endpoints that something is due for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// Each once, the one that has waited longest first.
    pub endpoints: Vec<EndpointId>,
    /// Whether these are all.
    pub is_all: bool,
}

/// The endpoints of the `limit` deliveries that have waited longest, but for those of the endpoints
/// `busy`.
///
/// # Errors
/// When the store fails.
pub async fn due(
    store: &dyn Store,
    busy: &[EndpointId],
    limit: usize,
    stamp: &Stamp,
) -> Result<Due, StoreError> {
    let query = due_by(stamp.now(), busy, limit);
    let rows = store.page::<DueDelivery>(&DUE_DELIVERIES, &Tenant::directory(), &query).await?.rows;
    let (is_all, mut seen) = (rows.len() < limit, HashSet::new());
    let endpoints = rows.into_iter().map(|due| due.endpoint_id);
    Ok(Due { endpoints: endpoints.filter(|endpoint| seen.insert(*endpoint)).collect(), is_all })
}

/// Takes what is due for `endpoint`, the events that came first, up to `limit`; posts them,
/// [`AT_ONCE`] at a time; and settles them.
///
/// After a failure the rest is given back: a receiver that is away shall not hold what is taken for
/// longer than one time-out.
///
/// # Errors
/// When the store fails. What was sent then is sent again when the lease is over.
pub async fn run_endpoint(
    store: &dyn Store,
    webhooks: &Webhooks,
    endpoint: EndpointId,
    limit: usize,
    stamp: &(dyn Fn() -> Stamp + Sync),
) -> Result<Delivered, StoreError> {
    let query = due_for(&endpoint, stamp().now(), limit);
    let due = store.page(&DUE_DELIVERIES, &Tenant::directory(), &query).await?.rows;
    let (has_more, schedule) = (due.len() == limit, &webhooks.schedule);
    let Batch { endpoint, send } = take(store, due, schedule, &stamp()).await?;
    let Some(endpoint) = endpoint.filter(|_| !send.is_empty()) else {
        return Ok(Delivered { has_more, ..Delivered::default() });
    };
    let (begun, secrets) = (stamp().now(), secrets(webhooks, &endpoint, &stamp()));
    let is_away = AtomicBool::new(false);
    let attempts = stream::iter(send).map(async |(delivery, due)| {
        let now = stamp().now();
        // A delivery that cannot be posted well within the lease is left to the next worker.
        if is_away.load(Ordering::Relaxed) || now - begun > schedule.lease() / 2 {
            return (delivery, due, None);
        }
        let outcome = post(webhooks, &secrets, &delivery, now).await;
        is_away.fetch_or(outcome.is_err(), Ordering::Relaxed);
        (delivery, due, Some(outcome))
    });
    let made = attempts.buffer_unordered(AT_ONCE).collect().await;
    let done = settle(store, schedule, endpoint.id, endpoint.owner, made, &stamp()).await?;
    Ok(Delivered { has_more: has_more || done.given_back > 0, ..done })
}

type Secrets = Result<Vec<String>, Undelivered>;

fn secrets(webhooks: &Webhooks, endpoint: &Endpoint, stamp: &Stamp) -> Secrets {
    let lost = || {
        let reason = "the secret of this webhook cannot be opened; rotate it";
        Undelivered::Failed(reason.to_owned())
    };
    match (&endpoint.secret, &webhooks.vault) {
        (None, _) => Ok(Vec::new()),
        (Some(_), None) => Err(lost()),
        (Some(_), Some(vault)) => endpoint.secrets(&**vault, stamp.now()).map_err(|_| lost()),
    }
}

async fn post(
    webhooks: &Webhooks,
    secrets: &Secrets,
    delivery: &Delivery,
    now: OffsetDateTime,
) -> Result<ReceiverResponse, Undelivered> {
    let secrets = secrets.as_ref().map_err(Clone::clone)?;
    webhooks.courier.post(&delivery.post(secrets, now)).await
}

/// Takes those of `due` that are still due. They are of one endpoint.
///
/// # Errors
/// When the store fails.
pub async fn take(
    store: &dyn Store,
    due: Vec<DueDelivery>,
    schedule: &Schedule,
    stamp: &Stamp,
) -> Result<Batch, StoreError> {
    let Some(first) = due.first() else {
        return Ok(Batch { endpoint: None, send: Vec::new() });
    };
    let tenant = first.owner.tenant();
    let (stamp, schedule) = (stamp.clone(), schedule.clone());
    let mut unit = store.unit(tenant);
    let endpoint = unit.hold(&ENDPOINTS, first.endpoint_id);
    let due: Vec<_> = due
        .into_iter()
        .map(|row| {
            let held = unit.hold_of(Tenant::directory(), &DUE_DELIVERIES, &row.id);
            let delivery = unit.hold(&DELIVERIES, &row.delivery_id);
            (row, held, delivery)
        })
        .collect();
    unit.decide(move |unit| {
        let endpoint: Option<Endpoint> = unit.find(endpoint)?;
        // Leases are decided on the store's clock, where processes share it.
        let now = unit.now().map_or(stamp.now(), |now| now.max(stamp.now()));
        let worker = stamp.ulid().to_string();
        let (mut writes, mut send) = (Writes::default(), Vec::new());
        for (found, held, delivery) in due {
            let held: Option<DueDelivery> = unit.find(held)?;
            // A delivery that another process has sent may be due again, with another
            // attempt.
            let is_still_due =
                |held: &DueDelivery| held.due_at <= now && held.delivery_id == found.delivery_id;
            let Some(held) = held.filter(is_still_due) else { continue };
            let delivery = unit.find(delivery)?;
            let endpoint = endpoint.as_ref();
            let taking = domain::take(&held, delivery, endpoint, &worker, &schedule, &stamp);
            writes.puts.extend(taking.puts);
            send.extend(taking.send);
        }
        Ok((Batch { endpoint, send }, writes))
    })
    .await
}

/// Ends what was taken for one endpoint: what has an outcome is settled, the rest is given back.
/// What another worker took after the lease ended stays with that worker.
///
/// # Errors
/// When the store fails.
pub async fn settle(
    store: &dyn Store,
    schedule: &Schedule,
    endpoint_id: EndpointId,
    owner: Owner,
    made: Vec<(Delivery, DueDelivery, AttemptResult)>,
    stamp: &Stamp,
) -> Result<Delivered, StoreError> {
    let (stamp, schedule) = (stamp.clone(), schedule.clone());
    let may_disable = made.iter().any(|(delivery, ..)| delivery.attempt >= delivery.max_attempts);
    let address = if may_disable { notice::address_of(store, owner).await? } else { None };
    let mut unit = store.unit(owner.tenant());
    let endpoint = unit.hold(&ENDPOINTS, endpoint_id);
    let due =
        made.iter().map(|(_, due, _)| unit.hold_of(Tenant::directory(), &DUE_DELIVERIES, &due.id));
    let due: Vec<One<DueDelivery>> = due.collect();
    unit.decide(move |unit| {
        let before: Option<Endpoint> = unit.find(endpoint)?;
        let mut endpoint = before.clone();
        let (mut writes, mut done) = (Writes::default(), Delivered::default());
        for ((delivery, due, outcome), held) in made.into_iter().zip(due) {
            let held = unit.find(held)?;
            if held.as_ref().is_none_or(|held| held.taken_by != due.taken_by) {
                continue;
            }
            let Some(outcome) = outcome else {
                done.given_back += 1;
                writes.puts.push(release(&due, &stamp));
                continue;
            };
            done.silent += usize::from(outcome.is_err());
            let Settled { delivery, puts, disabled } =
                domain::settle(&delivery, &due, &outcome, endpoint.as_mut(), &schedule, &stamp);
            done.attempts += 1;
            done.arrived += usize::from(delivery.status == domain::DeliveryStatus::Success);
            done.disabled |= disabled;
            writes.puts.extend(puts);
        }
        if let (Some(before), Some(after)) = (&before, &endpoint)
            && before != after
        {
            writes.puts.push(Put::update(before, after));
            if done.disabled {
                writes.events.push(event("system", events::webhook::DISABLED, after, &stamp));
                let mail = |address: String| notice::mail(after, &address, &stamp);
                writes.puts.extend(address.map(mail).unwrap_or_default());
            }
        }
        Ok((done, writes))
    })
    .await
}

/// Posts a test to the endpoint `id`, active or not, and answers what came of it. It is in the log
/// like any delivery, is tried once, and disables nothing.
///
/// # Errors
/// [`WebhookError::NotFound`], and when the store fails.
pub async fn send_test(
    store: &dyn Store,
    webhooks: &Webhooks,
    holder: &Holder,
    id: String,
    stamp: &(dyn Fn() -> Stamp + Sync),
) -> Result<Delivery, WebhookError> {
    let (begun, keeper) = (stamp(), holder.clone());
    let until = begun.now() + webhooks.schedule.lease();
    let mut unit = store.unit(holder.tenant());
    let endpoint = unit.hold(&ENDPOINTS, id);
    let test = unit.decide(move |held| {
        let endpoint = keeper.reached(held.one(endpoint)?)?;
        let data = serde_json::json!({
            "webhook_id": endpoint.id.to_string(),
            "message": "this is a test; nothing happened",
        });
        let told = Told {
            event_id: begun.id::<racun_kernel::id::Event>().to_string(),
            sequence: 0,
            kind: TEST_EVENT.to_owned(),
            at: begun.now(),
            data: data.to_string(),
        };
        let delivery = Delivery::test(&endpoint, &told, &begun);
        let worker = begun.ulid().to_string();
        let due = DueDelivery::of(&delivery, until, begun.now()).taken(&worker, until);
        let writes = Writes::default().insert(&delivery).insert(&due);
        Ok::<_, WebhookError>(((endpoint, delivery, due), writes))
    });
    let (endpoint, delivery, due) = test.await?;
    let secrets = secrets(webhooks, &endpoint, &stamp());
    let outcome = post(webhooks, &secrets, &delivery, stamp().now()).await;
    let (delivery_id, made) = (delivery.id.to_string(), vec![(delivery, due, Some(outcome))]);
    settle(store, &webhooks.schedule, endpoint.id, endpoint.owner, made, &stamp()).await?;
    super::get_delivery(store, holder, &delivery_id).await
}
