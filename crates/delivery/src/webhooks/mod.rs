//! Webhooks: endpoints and their secrets, the fan-out of events to them, deliveries, their log,
//! replay.
//!
//! An event reaches a receiver in three steps, each of which another process may take over: the
//! fan-out makes deliveries of it, a worker takes those of one endpoint, posts them outside any
//! unit, and settles what came of them.

mod deliver;
mod ending;
mod endpoints;
mod fan_out;
mod log;
mod notice;
mod replay;

use std::sync::Arc;

use racun_access::{
    ACCOUNTS, AccessError, Account, AccountScope, ENTITIES, Entity, HeldMaker, Right,
};
use racun_kernel::{Issue, Issues, Scope, Stamp, Tenant, Vault};
use racun_store::{Event, EventKind, One, StoreError, UnitBuilder};
use racun_webhooks::{Courier, Endpoint, Generation, Owner, Refused, Schedule, WebhookError};

pub use deliver::{AT_ONCE, Batch, Delivered, Due, due, run_endpoint, send_test, settle, take};
pub use ending::{EndpointsOf, end, with_keys};
pub use endpoints::{ChangeEarlier, change_earlier, list_earlier};
pub use endpoints::{
    create, create_earlier, delete, find_earlier, get, list, rotate_secret, update,
};
pub use fan_out::{FanOut, Renderer};
pub use log::{LogQuery, get_delivery, list_deliveries};
pub use notice::address_of;
pub use replay::{Range, Replayed, replay_one, replay_range};

/// What webhooks work with, beside the store.
#[derive(Clone)]
pub struct Webhooks {
    /// What keeps secrets unreadable at rest; `None` where the server was given no master key.
    pub vault: Option<Arc<dyn Vault>>,
    /// Who posts.
    pub courier: Arc<dyn Courier>,
    /// When deliveries are tried.
    pub schedule: Schedule,
    /// All events that there are.
    pub events: &'static [EventKind],
}

impl Webhooks {
    /// Whether `url` may be called, as far as can be told without looking up its name.
    fn accepts(&self, url: Option<&String>) -> Result<(), Issue> {
        let accepted = url.map_or(Ok(()), |url| self.courier.accepts(url));
        accepted.map_err(|refused| Issue::new("url_not_allowed", refused.to_string()))
    }
}

/// Whose endpoints a command is about, of which generation, and who gives it.
#[derive(Debug, Clone)]
pub struct Holder {
    owner: Owner,
    generation: Generation,
    right: Right,
}

/// Why an endpoint is not made or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ManageError {
    /// What the request was let in with has ended.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// A rule of webhooks, or the store.
    #[error(transparent)]
    Webhook(#[from] WebhookError),
}

impl From<StoreError> for ManageError {
    fn from(error: StoreError) -> Self {
        Self::Webhook(error.into())
    }
}

impl From<Issues> for ManageError {
    fn from(issues: Issues) -> Self {
        Self::Webhook(issues.into())
    }
}

impl From<Refused> for ManageError {
    fn from(refused: Refused) -> Self {
        Self::Webhook(refused.into())
    }
}

impl Holder {
    /// The endpoints of the entity.
    #[must_use]
    pub fn entity(scope: &Scope) -> Self {
        let (account_id, entity_id) = (scope.account(), scope.entity());
        let owner = Owner::Entity { account_id, entity_id };
        Self { owner, generation: Generation::Current, right: scope.into() }
    }

    /// The endpoints of the entity that were made with the earlier generation.
    #[must_use]
    pub fn earlier(scope: &Scope) -> Self {
        Self { generation: Generation::Earlier, ..Self::entity(scope) }
    }

    /// The endpoints of the account that are within reach: a key's, those of its environment.
    #[must_use]
    pub fn account(scope: &AccountScope) -> Self {
        let owner = Owner::Account { account_id: scope.account, environment: scope.environment };
        Self { owner, generation: Generation::Current, right: scope.into() }
    }

    fn tenant(&self) -> Tenant {
        self.owner.tenant()
    }

    /// Whether `endpoint`, one of the tenant, is among them.
    fn reaches(&self, endpoint: &Endpoint) -> bool {
        let environment_fits = match (self.owner, endpoint.owner) {
            (Owner::Account { environment: Some(own), .. }, Owner::Account { environment, .. }) => {
                environment == Some(own)
            }
            _ => true,
        };
        environment_fits && endpoint.generation == self.generation
    }

    /// `endpoint`, one of the tenant, when it is among them.
    fn reached(&self, endpoint: Endpoint) -> Result<Endpoint, WebhookError> {
        match self.reaches(&endpoint) {
            true => Ok(endpoint),
            false => Err(WebhookError::NotFound { id: endpoint.id.to_string() }),
        }
    }

    /// Holds the row that every unit holds which adds an endpoint, so that the limit holds for all.
    fn hold_parent(&self, unit: &mut UnitBuilder<'_, ()>) {
        match self.owner {
            Owner::Entity { account_id, entity_id } => {
                let account = Tenant::account(account_id);
                let _parent: One<Entity> = unit.hold_of(account, &ENTITIES, entity_id);
            }
            Owner::Account { account_id, .. } => {
                let _parent: One<Account> =
                    unit.hold_of(Tenant::directory(), &ACCOUNTS, account_id);
            }
        }
    }

    /// Holds who gives the command, whose request began at `stamp`: what it was let in with may
    /// have ended since.
    fn hold_maker(&self, unit: &mut UnitBuilder<'_, ()>, stamp: &Stamp) -> HeldMaker {
        HeldMaker::hold(unit, self.right.clone(), stamp.now())
    }

    fn event(&self, kind: EventKind, endpoint: &Endpoint, stamp: &Stamp) -> Event {
        event(&self.right.actor(), kind, endpoint, stamp)
    }
}

/// The log's event for a change of `endpoint`. Nothing subscribes to these.
fn event(actor: &str, kind: EventKind, endpoint: &Endpoint, stamp: &Stamp) -> Event {
    let (tenant, subject) = (endpoint.owner.tenant(), endpoint.id.to_string());
    Event::new(tenant, kind, subject, actor.to_owned(), stamp)
}
