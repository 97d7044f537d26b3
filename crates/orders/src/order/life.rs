//! The states of an order: each change is a decision on the order as it is.

use racun_kernel::id::CustomerId;
use racun_kernel::{DocumentId, DocumentKind, Metadata};
use racun_store::{Actor, Decision, EventKind};

use super::{Content, Facts, Moved, Order, OrderInput, PaymentStatus, SourceKind, Status};
use crate::error::{OrderError, OrderRefusal};
use crate::events::order as events;
use crate::integration::Integration;
use crate::platform::Incoming;
use crate::told::{Seen, Told};

/// Characters of a failure that are kept.
const MAX_ERROR_CHARS: usize = 1_000;

impl Order {
    /// A new order of `integration`, which a caller describes.
    ///
    /// # Errors
    /// All that is wrong, by path; [`OrderRefusal::Inactive`].
    pub fn new(
        input: OrderInput,
        integration: &Integration,
        actor: &Actor,
    ) -> Result<Decision<Self>, OrderError> {
        let (source_id, content) = input.into_new(Some(integration.source))?;
        if !integration.is_active || integration.deleted_at.is_some() {
            return Err(OrderRefusal::Inactive.into());
        }
        let mut order = Self::of(content, source_id, integration, actor);
        order.note_payment(actor);
        order.schedule(integration, actor);
        Ok(order.happened(events::CREATED, actor))
    }

    /// A new order of `integration` as its platform sent it.
    pub fn received(
        incoming: Incoming,
        integration: &Integration,
        actor: &Actor,
    ) -> Decision<Self> {
        let Incoming { source_id, content, facts, .. } = incoming.clone();
        let mut order = Self::of(content, source_id, integration, actor);
        order.take(incoming, facts);
        if facts.cancelled_at.is_some() {
            (order.status, order.is_cancelled_there) = (Status::Cancelled, true);
        }
        order.schedule(integration, actor);
        order.happened(events::CREATED, actor)
    }

    fn of(content: Content, source_id: String, integration: &Integration, actor: &Actor) -> Self {
        Self {
            id: actor.stamp().id(),
            entity_id: actor.entity_id(),
            order_integration_id: integration.id,
            source: integration.source,
            source_id,
            content,
            facts: Facts::default(),
            status: Status::Pending,
            customer_id: None,
            invoice_id: None,
            estimate_id: None,
            process_after: None,
            items_changed_after_processing: false,
            error: None,
            failures: 0,
            is_cancelled_there: false,
            paid_invoice_id: None,
            moving: Vec::new(),
            trashed_by: Seen::default(),
            processed_at: None,
            raw_data: None,
            source_event_id: None,
            source_updated_at: None,
            deleted_at: None,
            created_at: actor.now(),
            updated_at: actor.now(),
        }
    }

    /// Takes over what a caller says.
    ///
    /// # Errors
    /// [`OrderRefusal::InTrash`]; all that is wrong, by path.
    pub fn update(
        self,
        input: OrderInput,
        integration: Option<&Integration>,
        actor: &Actor,
    ) -> Result<Decision<Self>, OrderError> {
        self.must_be_there()?;
        let content = input.onto(Some(self.content.clone()))?;
        let mut after = self.clone();
        after.change(content);
        after.note_payment(actor);
        Ok(self.changed_into(after, integration, actor))
    }

    /// Takes over what the platform sent; what is older than what is kept changes nothing. Of what
    /// changed within one second, for platforms tell no less, what is behind changes nothing.
    pub fn receive(
        self,
        incoming: Incoming,
        integration: &Integration,
        actor: &Actor,
    ) -> Decision<Self> {
        let is_old = match (incoming.updated_at, self.source_updated_at) {
            (Some(sent), Some(kept)) => sent < kept || (sent == kept && self.is_ahead(&incoming)),
            (None, Some(_)) => true,
            (_, None) => false,
        };
        if is_old || self.deleted_at.is_some() {
            return Decision::Unchanged(self);
        }
        let mut after = self.clone();
        let (content, facts) = (incoming.content.clone(), incoming.facts);
        after.change(content);
        after.take(incoming, facts);
        match (facts.cancelled_at, after.status) {
            (Some(_), Status::Pending | Status::Failed) if after.invoice_id.is_none() => {
                (after.status, after.is_cancelled_there) = (Status::Cancelled, true);
                after.process_after = None;
                return after.happened(events::CANCELLED, actor);
            }
            // Shops take back what they cancelled, as when the money comes late.
            (None, Status::Cancelled) if after.is_cancelled_there => {
                after.is_cancelled_there = false;
                after.begin_again();
            }
            _ => {}
        }
        self.changed_into(after, Some(integration), actor)
    }

    /// Whether what is kept of the shop's progress is not in what it sent.
    fn is_ahead(&self, incoming: &Incoming) -> bool {
        let paid = |content: &Content| content.payment_status.progress();
        let (kept, sent) = (&self.facts, &incoming.facts);
        let is_lost = |kept: Option<_>, sent: Option<_>| kept.is_some() && sent.is_none();
        paid(&self.content) > paid(&incoming.content)
            || is_lost(kept.fulfilled_at, sent.fulfilled_at)
            || (self.is_cancelled_there && is_lost(kept.cancelled_at, sent.cancelled_at))
    }

    /// Brings it back from the trash as the platform sent it, for it took it out of its own. What
    /// was told before changes nothing.
    pub fn brought_back(
        mut self,
        incoming: Incoming,
        integration: &Integration,
        actor: &Actor,
    ) -> Decision<Self> {
        let id = incoming.event_id.clone();
        if self.trashed_by.has(id.as_deref()) {
            return Decision::Unchanged(self);
        }
        self.trashed_by = self.trashed_by.with(id.as_deref());
        if self.deleted_at.take().is_none() {
            return match self.receive(incoming, integration, actor) {
                Decision::Unchanged(noted) if id.is_some() => Decision::changed(noted, Vec::new()),
                received => received,
            };
        }
        let mut after = match self.receive(incoming, integration, actor) {
            Decision::Changed { record, .. } | Decision::Unchanged(record) => record,
        };
        after.schedule(integration, actor);
        after.happened(events::RESTORED, actor)
    }

    /// Notes that the platform no longer has the order, as `told`: it goes to the trash, unless it
    /// is there. What was told before changes nothing.
    pub fn removed(mut self, told: &Told, actor: &Actor) -> Decision<Self> {
        let id = told.id.as_deref();
        if self.trashed_by.has(id) {
            return Decision::Unchanged(self);
        }
        self.trashed_by = self.trashed_by.with(id);
        match (self.deleted_at, id) {
            (None, _) => self.trashed(actor),
            (Some(_), Some(_)) => Decision::changed(self, Vec::new()),
            (Some(_), None) => Decision::Unchanged(self),
        }
    }

    fn take(&mut self, incoming: Incoming, facts: Facts) {
        // What a caller cancelled stays so, whatever the platform says.
        let is_ours = self.status == Status::Cancelled && !self.is_cancelled_there;
        let cancelled_at = facts.cancelled_at.or(self.facts.cancelled_at.filter(|_| is_ours));
        self.facts = Facts { cancelled_at, ..facts };
        self.source_event_id = incoming.event_id;
        self.source_updated_at = incoming.updated_at;
        self.raw_data = incoming.raw;
    }

    fn change(&mut self, content: Content) {
        if !self.content.sells_as(&content) {
            match self.status {
                Status::Processed => self.items_changed_after_processing = true,
                // What was refused may be right now.
                Status::Failed => {
                    self.items_changed_after_processing |= self.has_document();
                    self.begin_again();
                }
                Status::Pending | Status::Cancelled => {}
            }
        }
        let attached = std::mem::take(&mut self.content.metadata);
        self.content = content;
        if self.content.metadata == Metadata::default() && self.source != SourceKind::Manual {
            // The platform does not know what a caller attached.
            self.content.metadata = attached;
        }
    }

    /// Makes it one of which nothing was refused.
    fn begin_again(&mut self) {
        self.status = if self.has_document() { Status::Processed } else { Status::Pending };
        (self.error, self.failures, self.process_after) = (None, 0, None);
    }

    /// Notes when a payment that a caller told of was made.
    fn note_payment(&mut self, actor: &Actor) {
        let now = Some(actor.now());
        match self.content.payment_status {
            PaymentStatus::Paid => self.facts.paid_at = self.facts.paid_at.or(now),
            PaymentStatus::Refunded => self.facts.refunded_at = self.facts.refunded_at.or(now),
            PaymentStatus::Unpaid | PaymentStatus::PartiallyPaid => {
                (self.facts.paid_at, self.facts.refunded_at) = (None, None);
            }
        }
    }

    fn changed_into(
        self,
        mut after: Self,
        integration: Option<&Integration>,
        actor: &Actor,
    ) -> Decision<Self> {
        if let Some(integration) = integration {
            let is_new = after.wants_processing(integration) && !self.wants_processing(integration);
            if after.status == Status::Failed && is_new {
                after.begin_again();
            }
            after.schedule(integration, actor);
        }
        match after == self {
            true => Decision::Unchanged(self),
            false => after.happened(events::UPDATED, actor),
        }
    }

    /// Notes that its document was made: an invoice, or an estimate.
    pub fn processed(
        mut self,
        document: DocumentId,
        customer_id: Option<CustomerId>,
        actor: &Actor,
    ) -> Decision<Self> {
        if document.kind() == DocumentKind::Invoice {
            self.invoice_id = Some(document);
            if self.is_paid() {
                self.paid_invoice_id = Some(document);
            }
            self.moving.clear();
        } else {
            self.estimate_id = Some(document);
        }
        self.customer_id = customer_id.or(self.customer_id);
        self.processed_at = Some(actor.now());
        self.items_changed_after_processing = false;
        self.done();
        self.happened(events::PROCESSED, actor)
    }

    /// Notes which payments go to the invoice that is made in the place of its own: they are known
    /// until that is made, whatever becomes of them in between.
    pub fn moves(mut self, moving: Vec<Moved>) -> Decision<Self> {
        if self.moving == moving {
            return Decision::Unchanged(self);
        }
        self.moving = moving;
        Decision::changed(self, Vec::new())
    }

    /// Notes that its invoice has the money that the shop took.
    pub fn paid_up(mut self, actor: &Actor) -> Decision<Self> {
        self.paid_invoice_id = self.invoice_id;
        self.done();
        self.happened(events::UPDATED, actor)
    }

    fn done(&mut self) {
        self.status = Status::Processed;
        (self.process_after, self.error, self.failures) = (None, None, 0);
    }

    /// Notes that what processing makes of it was refused, and why. A document that it has stays.
    /// Where it is processed by itself, it is tried again a few times, later and later.
    pub fn failed(mut self, why: &str, integration: &Integration, actor: &Actor) -> Decision<Self> {
        self.error = Some(why.chars().take(MAX_ERROR_CHARS).collect());
        self.status = Status::Failed;
        self.failures = self.failures.saturating_add(1);
        self.process_after = self.retry(integration, actor.now());
        self.happened(events::FAILED, actor)
    }

    /// Has it tried again at once where it failed and is processed by itself: its integration is
    /// another one now.
    pub fn retried(mut self, integration: &Integration, actor: &Actor) -> Decision<Self> {
        let is_due = self.status == Status::Failed && self.wants_processing(integration);
        if !is_due || self.process_after.is_some_and(|at| at <= actor.now()) {
            return Decision::Unchanged(self);
        }
        (self.failures, self.process_after) = (0, Some(actor.now()));
        Decision::changed(self, Vec::new())
    }

    /// Cancels it: it makes no document.
    ///
    /// # Errors
    /// [`OrderRefusal::InTrash`], [`OrderRefusal::Invoiced`].
    pub fn cancel(mut self, actor: &Actor) -> Result<Decision<Self>, OrderError> {
        self.must_be_there()?;
        if self.invoice_id.is_some() {
            return Err(OrderRefusal::Invoiced.into());
        }
        if self.status == Status::Cancelled {
            return Ok(Decision::Unchanged(self));
        }
        (self.status, self.is_cancelled_there) = (Status::Cancelled, false);
        self.process_after = None;
        self.facts.cancelled_at = Some(actor.now());
        Ok(self.happened(events::CANCELLED, actor))
    }

    /// Moves it to the trash.
    ///
    /// # Errors
    /// [`OrderError::NotFound`] when it is there.
    pub fn trash(self, actor: &Actor) -> Result<Decision<Self>, OrderError> {
        match self.deleted_at {
            Some(_) => Err(OrderError::NotFound { id: self.id.to_string() }),
            None => Ok(self.trashed(actor)),
        }
    }

    fn trashed(mut self, actor: &Actor) -> Decision<Self> {
        self.deleted_at = Some(actor.now());
        self.process_after = None;
        self.happened(events::DELETED, actor)
    }

    /// Brings it back from the trash.
    ///
    /// # Errors
    /// [`OrderRefusal::NotInTrash`].
    pub fn restore(mut self, actor: &Actor) -> Result<Decision<Self>, OrderError> {
        self.must_be_in_trash()?;
        self.deleted_at = None;
        Ok(self.happened(events::RESTORED, actor))
    }

    /// Whether it may be removed for good.
    ///
    /// # Errors
    /// [`OrderRefusal::NotInTrash`].
    pub fn must_be_in_trash(&self) -> Result<(), OrderError> {
        match self.deleted_at {
            Some(_) => Ok(()),
            None => Err(OrderRefusal::NotInTrash.into()),
        }
    }

    fn must_be_there(&self) -> Result<(), OrderError> {
        match self.deleted_at {
            None => Ok(()),
            Some(_) => Err(OrderRefusal::InTrash.into()),
        }
    }

    fn happened(mut self, event: EventKind, actor: &Actor) -> Decision<Self> {
        self.updated_at = actor.now();
        let events = vec![actor.event(event, self.id)];
        Decision::changed(self, events)
    }
}
