//! Who acts, where and when.

use racun_kernel::id::EntityId;
use racun_kernel::{Environment, Event, Scope, Stamp, Tenant};
use time::OffsetDateTime;

/// Who gives a command, in which entity and when: what every command takes beside its own arguments.
#[derive(Clone)]
pub struct Act {
    /// The entity.
    pub entity_id: EntityId,
    /// Its environment.
    pub environment: Environment,
    /// The id of the person, key or job, for the outbox.
    pub actor: String,
    /// The time, and the source of ids.
    pub stamp: Stamp,
}

impl Act {
    /// What whoever has `scope` does at `stamp`.
    #[must_use]
    pub fn of(scope: &Scope, stamp: Stamp) -> Self {
        let (entity_id, environment) = (scope.entity(), scope.environment());
        Self { entity_id, environment, actor: scope.principal().id(), stamp }
    }

    /// When.
    #[must_use]
    pub const fn now(&self) -> OffsetDateTime {
        self.stamp.now()
    }

    /// What the outbox is told of `subject`.
    pub(crate) fn event(&self, kind: &'static str, subject: String) -> Event {
        Event {
            tenant: Tenant::entity(self.entity_id),
            kind,
            subject,
            actor: self.actor.clone(),
            at: self.now(),
        }
    }
}
