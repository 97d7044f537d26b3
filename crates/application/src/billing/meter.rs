//! Documents counted in the unit that issues them: exactly, whatever happens at once.

use racun_access::Entity;
use racun_billing::{SUBSCRIPTIONS, Subscription, subscription_id};
use racun_documents::DocumentKind;
use racun_kernel::{Load, Put, Scope, Stamp, Stored, Writes};

use super::beside;
use crate::error::Error;

/// What counts a document in its own unit, where the entity has a subscription.
pub(crate) struct Meter {
    held: Option<Load>,
    by_law: bool,
    actor: String,
    stamp: Stamp,
}

impl Meter {
    /// A meter for a document of `entity`. A draft is not counted, and holds nothing.
    pub fn of(entity: &Entity, is_draft: bool, scope: &Scope, stamp: &Stamp) -> Self {
        let held = (entity.is_subscribed && !is_draft).then(|| Load::One {
            table: &SUBSCRIPTIONS,
            tenant: scope.tenant(),
            id: subscription_id(entity.id).to_string(),
        });
        Self { held, by_law: false, actor: scope.principal().id(), stamp: stamp.clone() }
    }

    /// The same meter, which stops nothing.
    pub fn by_law(self) -> Self {
        Self { by_law: true, ..self }
    }

    /// What the unit has to hold: the subscription, so that whoever comes at once takes turns.
    pub fn loads(&self) -> Vec<Load> {
        self.held.iter().cloned().collect()
    }

    /// Counts a document of `kind`, given the rows of [`Meter::loads`].
    ///
    /// # Errors
    /// [`racun_billing::NotAllowed`]: nothing is then written.
    pub fn count(self, kind: DocumentKind, held: &[Vec<Stored>]) -> Result<Writes, Error> {
        let Some(row) = held.iter().flatten().next() else { return Ok(Writes::default()) };
        let before: Subscription = row.read(&SUBSCRIPTIONS)?;
        let advanced = before.clone().advance(self.stamp.now());
        let mut after = advanced.subscription;
        let is_invoice = kind == DocumentKind::Invoice;
        if self.by_law {
            after.issue_by_law(is_invoice);
        } else {
            after.issue(is_invoice)?;
        }
        let (ended, happened) = (advanced.ended, advanced.happened);
        let mut writes = beside(&before, &after, ended, happened, &self.actor, &self.stamp);
        writes.puts.push(Put::update(&before, &after));
        Ok(writes)
    }
}
