//! Documents counted in the unit that issues them: exactly, whatever happens at once.

use racun_access::Entity;
use racun_billing::{SUBSCRIPTIONS, Subscription, subscription_id};
use racun_documents::DocumentKind;
use racun_kernel::{Load, Put, Scope, Stamp, Stored, Writes};

use super::beside;
use crate::error::Error;

/// What counts a document in its own unit, where the entity has a subscription.
pub(crate) struct Meter(Option<Counting>);

/// What counting takes.
struct Counting {
    held: Load,
    by_law: bool,
    actor: String,
    stamp: Stamp,
}

impl Meter {
    /// A meter for a document of `entity`. A draft is not counted, and holds nothing.
    pub fn of(entity: &Entity, is_draft: bool, scope: &Scope, stamp: &Stamp) -> Self {
        let counting = || Counting {
            held: Load::One {
                table: &SUBSCRIPTIONS,
                tenant: scope.tenant(),
                id: subscription_id(entity.id).to_string(),
            },
            by_law: false,
            actor: scope.principal().id(),
            stamp: stamp.clone(),
        };
        Self((entity.is_subscribed && !is_draft).then(counting))
    }

    /// The same meter, which stops nothing.
    pub fn by_law(self) -> Self {
        Self(self.0.map(|counting| Counting { by_law: true, ..counting }))
    }

    /// What the unit has to hold: the subscription, so that whoever comes at once takes turns.
    pub fn loads(&self) -> Vec<Load> {
        self.0.iter().map(|counting| counting.held.clone()).collect()
    }

    /// Counts a document of `kind`, given the rows of [`Meter::loads`].
    ///
    /// # Errors
    /// [`racun_billing::NotAllowed`]: nothing is then written.
    pub fn count(self, kind: DocumentKind, held: &[Vec<Stored>]) -> Result<Writes, Error> {
        let row = held.iter().flatten().next();
        let (Some(Counting { by_law, actor, stamp, .. }), Some(row)) = (self.0, row) else {
            return Ok(Writes::default());
        };
        let before: Subscription = row.read(&SUBSCRIPTIONS)?;
        let advanced = before.clone().advance(stamp.now());
        let mut after = advanced.subscription;
        let is_invoice = kind == DocumentKind::Invoice;
        if by_law {
            after.issue_by_law(is_invoice);
        } else {
            after.issue(is_invoice)?;
        }
        let (ended, happened) = (advanced.ended, advanced.happened);
        let mut writes = beside(&before, &after, ended, happened, &actor, &stamp);
        writes.puts.push(Put::update(&before, &after));
        Ok(writes)
    }
}
