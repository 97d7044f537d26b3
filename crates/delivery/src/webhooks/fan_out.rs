//! The fan-out: what happened becomes a delivery for each endpoint that subscribes to it.
//!
//! It follows the log, so that each event becomes each of its deliveries once, and the deliveries
//! of a batch are written in the unit that moves on. Endpoints that are not active get theirs
//! parked.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use racun_access::{AccessError, Entity, enter_as_system};
use racun_background::consumer::LogConsumer;
use racun_kernel::id::EntityId;
use racun_kernel::{Scope, Stamp, Tenant};
use racun_store::{Activity, Entry, EventKind, Logged, Put, Store, StoreError};
use racun_webhooks::{
    Delivery, DeliveryStatus, DueDelivery, ENDPOINTS, Endpoint, Owner, Schedule, Told,
};
use serde_json::Value as Json;

/// Who renders what something happened to.
#[async_trait]
pub trait Renderer: Send + Sync {
    /// The resource that `logged` happened to, as JSON, as a request for it would be answered: made
    /// of the entry's snapshot, and of what `place` knows. `None` for what it does not know to
    /// render.
    ///
    /// # Errors
    /// When the store fails.
    async fn render(
        &self,
        store: &dyn Store,
        logged: &Logged,
        place: Option<&(Scope, Entity)>,
    ) -> Result<Option<String>, StoreError>;
}

/// The reader of the log that makes deliveries of what happened.
pub struct FanOut {
    /// Where endpoints are.
    pub store: Arc<dyn Store>,
    /// When deliveries are tried.
    pub schedule: Schedule,
    /// Finds an event by its name.
    pub event_named: fn(&str) -> Option<EventKind>,
    /// Who renders what something happened to.
    pub renderer: Arc<dyn Renderer>,
    /// Time and randomness.
    pub stamp: Arc<dyn Fn() -> Stamp + Send + Sync>,
}

#[async_trait]
impl LogConsumer for FanOut {
    fn name(&self) -> &'static str {
        "webhooks"
    }

    async fn handle(&self, entries: Vec<Entry>) -> Result<Vec<Put>, StoreError> {
        let (stamp, mut puts) = ((self.stamp)(), Vec::new());
        let mut known = BatchLookups {
            store: &*self.store,
            schedule: &self.schedule,
            renderer: &*self.renderer,
            endpoints: BTreeMap::new(),
            places: BTreeMap::new(),
        };
        let mut awaited = Vec::new();
        for entry in entries {
            let is_published =
                (self.event_named)(&entry.activity.kind).is_some_and(EventKind::is_published);
            if is_published && known.is_awaited(&entry).await? {
                awaited.push(entry);
            }
        }
        for logged in self.store.recall(awaited).await? {
            puts.extend(known.deliveries(&logged, &stamp).await?);
        }
        Ok(puts)
    }
}

/// What was looked up for a batch.
struct BatchLookups<'a> {
    store: &'a dyn Store,
    schedule: &'a Schedule,
    renderer: &'a dyn Renderer,
    /// The endpoints of each tenant.
    endpoints: BTreeMap<Tenant, Vec<Endpoint>>,
    /// Each entity, where it can be entered.
    places: BTreeMap<EntityId, Option<(Scope, Entity)>>,
}

impl BatchLookups<'_> {
    /// Whether any endpoint of its tenant, which are known from then on, subscribes to such an
    /// entry.
    async fn is_awaited(&mut self, entry: &Entry) -> Result<bool, StoreError> {
        let Activity { tenant, kind, .. } = &entry.activity;
        if !self.endpoints.contains_key(tenant) {
            let found = self.store.look_up(&ENDPOINTS, "owner", tenant.as_str()).await?;
            self.endpoints.insert(tenant.clone(), found);
        }
        let mut endpoints = self.endpoints.get(tenant).into_iter().flatten();
        Ok(endpoints.any(|endpoint| endpoint.subscribes(kind)))
    }

    /// What becomes of an entry that [is awaited](Self::is_awaited).
    async fn deliveries(&mut self, logged: &Logged, stamp: &Stamp) -> Result<Vec<Put>, StoreError> {
        let endpoints = self.endpoints.get(&logged.activity.tenant).into_iter().flatten();
        let interested: Vec<Endpoint> =
            endpoints.filter(|endpoint| is_for(endpoint, logged)).cloned().collect();
        let Some(first) = interested.first() else { return Ok(Vec::new()) };
        let (store, schedule, renderer) = (self.store, self.schedule, self.renderer);
        let place = self.place(first.owner).await?;
        let rendered = renderer.render(store, logged, place).await?;
        let told = told(logged, rendered);
        Ok(interested
            .iter()
            .flat_map(|endpoint| {
                let delivery = Delivery::first(endpoint, &told, schedule, stamp);
                let is_due = delivery.status == DeliveryStatus::Pending;
                let due_at = schedule.first_at(endpoint.generation, stamp.now());
                let due = is_due.then(|| Put::insert(&DueDelivery::of(&delivery, due_at, told.at)));
                [Some(Put::insert(&delivery)), due].into_iter().flatten()
            })
            .collect())
    }

    /// The entity of `owner`, entered; `None` when it has none, or cannot be entered any more.
    async fn place(&mut self, owner: Owner) -> Result<Option<&(Scope, Entity)>, StoreError> {
        let Some(entity) = owner.entity_id() else { return Ok(None) };
        if !self.places.contains_key(&entity) {
            let entered = match enter_as_system(self.store, owner.account_id(), entity).await {
                Ok(entered) => Some(entered),
                Err(AccessError::Store(error)) => return Err(error),
                Err(_) => None,
            };
            self.places.insert(entity, entered);
        }
        Ok(self.places.get(&entity).and_then(Option::as_ref))
    }
}

/// Whether `endpoint`, which is of the tenant of `logged`, gets it.
fn is_for(endpoint: &Endpoint, logged: &Logged) -> bool {
    let environment_fits = match endpoint.owner {
        Owner::Account { environment: Some(own), .. } => {
            let snapshot = logged.snapshot.as_deref().unwrap_or_default();
            let snapshot: Json = serde_json::from_str(snapshot).unwrap_or_default();
            snapshot.get("environment").and_then(Json::as_str) == Some(own.name())
        }
        Owner::Account { environment: None, .. } | Owner::Entity { .. } => true,
    };
    environment_fits && endpoint.subscribes(&logged.activity.kind)
}

/// The entry as it is sent to receivers. What cannot be rendered is sent as its id.
fn told(logged: &Logged, rendered: Option<String>) -> Told {
    let activity = &logged.activity;
    let by_id = || serde_json::json!({ "id": activity.resource_id }).to_string();
    Told {
        event_id: activity.id.to_string(),
        sequence: logged.position,
        kind: activity.kind.clone(),
        at: activity.created_at,
        data: rendered.unwrap_or_else(by_id),
    }
}
