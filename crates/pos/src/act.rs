//! Who acts, where and when.

use racun_kernel::id::{EntityId, UserId};
use racun_kernel::{Event, Scope, Stamp, Tenant};
use time::OffsetDateTime;

/// Who gives a command, in which entity and when: what every command takes beside its own arguments.
#[derive(Clone)]
pub struct Act {
    /// The entity.
    pub entity_id: EntityId,
    /// The id of the person, key or job, for the outbox.
    pub actor: String,
    /// The person; none for keys and jobs.
    pub user_id: Option<UserId>,
    /// The time that claims are decided on, and the source of ids.
    pub stamp: Stamp,
}

impl Act {
    /// What whoever has `scope` does at `stamp`.
    #[must_use]
    pub fn of(scope: &Scope, stamp: Stamp) -> Self {
        let principal = scope.principal();
        Self { entity_id: scope.entity(), actor: principal.id(), user_id: principal.user(), stamp }
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
