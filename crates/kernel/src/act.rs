//! Who acts, where and when.

use time::OffsetDateTime;

use crate::id::{EntityId, UserId};
use crate::{Environment, Event, Scope, Stamp, Tenant};

/// Who gives a command, in which entity and when: what every command takes beside its own
/// arguments.
#[derive(Clone)]
pub struct Act {
    /// The entity.
    pub entity_id: EntityId,
    /// Its environment.
    pub environment: Environment,
    /// The id of the person, key or job, for the log.
    pub actor: String,
    /// The person; none for keys and jobs.
    pub user_id: Option<UserId>,
    /// The time, and the source of ids.
    pub stamp: Stamp,
}

impl Act {
    /// What whoever has `scope` does at `stamp`.
    #[must_use]
    pub fn of(scope: &Scope, stamp: Stamp) -> Self {
        let (entity_id, environment) = (scope.entity(), scope.environment());
        let principal = scope.principal();
        Self { entity_id, environment, actor: principal.id(), user_id: principal.user(), stamp }
    }

    /// When.
    #[must_use]
    pub const fn now(&self) -> OffsetDateTime {
        self.stamp.now()
    }

    /// What the log is told of `subject`.
    #[must_use]
    pub fn event(&self, kind: &'static str, subject: String) -> Event {
        let tenant = Tenant::entity(self.entity_id);
        Event::new(tenant, kind, subject, self.actor.clone(), &self.stamp)
    }
}
