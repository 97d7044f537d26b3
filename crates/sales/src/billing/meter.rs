//! What is counted in the unit that causes it, exactly, whatever happens at once: documents and
//! connected stores.

use racun_access::Entity;
use racun_billing::{Advanced, NotAllowed, SUBSCRIPTIONS, Subscription, subscription_id};
use racun_documents::DocumentKind;
use racun_kernel::id::EntityId;
use racun_store::{Held, One, StoreError, UnitBuilder, Writes};

use super::beside;
use crate::error::Error;

/// What counts a document in its own unit, where the entity has a subscription. It holds that, so
/// that units which count at once take turns.
pub(crate) struct Meter {
    subscription: Option<One<Subscription>>,
    by_law: bool,
}

impl Meter {
    /// A meter for a document of `entity`. A draft is not counted, and holds nothing.
    pub fn hold(unit: &mut UnitBuilder<'_>, entity: &Entity, is_draft: bool) -> Self {
        let counts = entity.is_subscribed && !is_draft;
        let subscription = counts.then(|| unit.hold(&SUBSCRIPTIONS, subscription_id(entity.id)));
        Self { subscription, by_law: false }
    }

    /// The same meter, which stops nothing.
    pub fn by_law(self) -> Self {
        Self { by_law: true, ..self }
    }

    /// Counts a document of `kind`.
    ///
    /// # Errors
    /// [`racun_billing::NotAllowed`]: nothing is then written.
    pub fn count(self, kind: DocumentKind, held: &Held) -> Result<Writes, Error> {
        let is_invoice = kind == DocumentKind::Invoice;
        let by_law = self.by_law;
        self.counted(held, |own| match by_law {
            true => {
                own.issue_by_law(is_invoice);
                Ok(())
            }
            false => own.issue(is_invoice),
        })
    }

    /// Counts an electronic invoice that is sent.
    ///
    /// # Errors
    /// [`racun_billing::NotAllowed`]: nothing is then written.
    pub fn count_sending(self, held: &Held) -> Result<Writes, Error> {
        self.counted(held, Subscription::send_e_invoice)
    }

    fn counted(
        self,
        held: &Held,
        count: impl FnOnce(&mut Subscription) -> Result<(), NotAllowed>,
    ) -> Result<Writes, Error> {
        let Some(before) = held.find(self.subscription)? else { return Ok(Writes::default()) };
        let actor = held.actor();
        let advanced = before.clone().advance(actor.now());
        let mut after = advanced.subscription;
        count(&mut after)?;
        let (ended, happened) = (advanced.ended, advanced.happened);
        let writes = beside(&before, &after, ended, happened, &actor.id(), actor.stamp());
        Ok(writes.update(&before, &after))
    }
}

/// What counts connected stores in the unit that changes an integration, where the entity has a
/// subscription. It holds that, so that units which count at once take turns.
pub struct StoreMeter(One<Subscription>);

impl StoreMeter {
    /// A meter for stores of `entity`, whose unit this is.
    pub fn hold(unit: &mut UnitBuilder<'_>, entity: EntityId) -> Self {
        Self(unit.hold(&SUBSCRIPTIONS, subscription_id(entity)))
    }

    /// Notes that so many stores are `connected`.
    ///
    /// # Errors
    /// When the subscription cannot be read.
    pub fn count(self, held: &Held, connected: i64) -> Result<Writes, StoreError> {
        let Some(before) = held.find(self.0)? else { return Ok(Writes::default()) };
        let actor = held.actor();
        let Advanced { subscription, ended, happened } = before.clone().advance(actor.now());
        let after = subscription.with_stores(connected);
        if after == before {
            return Ok(Writes::default());
        }
        let writes = beside(&before, &after, ended, happened, &actor.id(), actor.stamp());
        Ok(writes.update(&before, &after))
    }
}
