//! What happens to documents.

use racun_kernel::{Stamp, Tenant};
use racun_store::{Event, EventKind};

use crate::expense::EXPENSES;
use crate::kind::{ADVANCE_INVOICES, CREDIT_NOTES, DELIVERY_NOTES, ESTIMATES, INVOICES};
use crate::recurrence::RECURRING_INVOICES;
use crate::{Document, DocumentKind};

racun_store::events! {
    /// What happens to invoices.
    pub mod invoice on INVOICES {
        CREATED = "invoice.created" to Entity,
        UPDATED = "invoice.updated" to Entity,
        SENT = "invoice.sent" to Entity,
        PAID = "invoice.paid" to Entity,
        OVERDUE = "invoice.overdue" to Entity,
        CANCELLED = "invoice.cancelled" to Entity,
        DELETED = "invoice.deleted" to Entity,
        RESTORED = "invoice.restored" to Entity,
        VOIDED = "invoice.voided" to Entity,
        FINALIZED = "invoice.finalized" to Entity,
        FISCALIZED = "invoice.fiscalized",
    }
    /// What happens to estimates.
    pub mod estimate on ESTIMATES {
        CREATED = "estimate.created" to Entity,
        SENT = "estimate.sent" to Entity,
        ACCEPTED = "estimate.accepted" to Entity,
        REJECTED = "estimate.rejected" to Entity,
        DELETED = "estimate.deleted" to Entity,
        RESTORED = "estimate.restored" to Entity,
        UPDATED = "estimate.updated",
        FINALIZED = "estimate.finalized",
    }
    /// What happens to credit notes.
    pub mod credit_note on CREDIT_NOTES {
        CREATED = "credit_note.created" to Entity,
        ISSUED = "credit_note.issued" to Entity,
        VOIDED = "credit_note.voided" to Entity,
        DELETED = "credit_note.deleted" to Entity,
        RESTORED = "credit_note.restored" to Entity,
        UPDATED = "credit_note.updated",
        SENT = "credit_note.sent",
        FISCALIZED = "credit_note.fiscalized",
    }
    /// What happens to advance invoices.
    pub mod advance_invoice on ADVANCE_INVOICES {
        CREATED = "advance_invoice.created" to Entity,
        PAID = "advance_invoice.paid" to Entity,
        APPLIED = "advance_invoice.applied" to Entity,
        VOIDED = "advance_invoice.voided" to Entity,
        DELETED = "advance_invoice.deleted" to Entity,
        RESTORED = "advance_invoice.restored" to Entity,
        UPDATED = "advance_invoice.updated",
        SENT = "advance_invoice.sent",
        FINALIZED = "advance_invoice.finalized",
        FISCALIZED = "advance_invoice.fiscalized",
    }
    /// What happens to delivery notes.
    pub mod delivery_note on DELIVERY_NOTES {
        CREATED = "delivery_note.created" to Entity,
        SENT = "delivery_note.sent" to Entity,
        CANCELLED = "delivery_note.cancelled" to Entity,
        VOIDED = "delivery_note.voided" to Entity,
        DELETED = "delivery_note.deleted" to Entity,
        RESTORED = "delivery_note.restored" to Entity,
        UPDATED = "delivery_note.updated",
        FINALIZED = "delivery_note.finalized",
    }
    /// What happens to recurring invoices.
    pub mod recurring_invoice on RECURRING_INVOICES {
        CREATED = "recurring_invoice.created" to Entity,
        UPDATED = "recurring_invoice.updated" to Entity,
        DELETED = "recurring_invoice.deleted" to Entity,
        RESTORED = "recurring_invoice.restored" to Entity,
        PERMANENTLY_DELETED = "recurring_invoice.permanently_deleted" to Entity,
        PAUSED = "recurring_invoice.paused" to Entity,
        RESUMED = "recurring_invoice.resumed" to Entity,
        INVOICE_GENERATED = "recurring_invoice.invoice_generated" to Entity,
        GENERATION_FAILED = "recurring_invoice.generation_failed" to Entity,
        COMPLETED = "recurring_invoice.completed" to Entity,
    }
    /// What happens to expenses.
    pub mod expense on EXPENSES {
        CREATED = "expense.created" to Entity,
        UPDATED = "expense.updated" to Entity,
        FINALIZED = "expense.finalized" to Entity,
        VOIDED = "expense.voided" to Entity,
        DELETED = "expense.deleted" to Entity,
    }
}

/// What use cases tell of documents of several kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happening {
    /// It is new.
    Created,
    /// It changed.
    Updated,
    /// A draft was issued; a credit note is [`Happening::Issued`] instead.
    Finalized,
    /// A credit note was issued.
    Issued,
    /// It was sent to its customer.
    Sent,
    /// The customer accepted it.
    Accepted,
    /// The customer rejected it.
    Rejected,
    /// It was voided.
    Voided,
    /// It does not stand any more: told beside [`Happening::Voided`].
    Cancelled,
    /// It went to the trash.
    Deleted,
    /// It came back from the trash.
    Restored,
    /// A tax authority confirmed it.
    Fiscalized,
}

impl Happening {
    /// The event that tells it of a document of this `kind`; `None` where the interface has none.
    #[must_use]
    pub const fn event(self, kind: DocumentKind) -> Option<EventKind> {
        let [of_invoice, of_estimate, of_credit_note, of_advance, of_delivery_note] = match self {
            Self::Created => [
                Some(invoice::CREATED),
                Some(estimate::CREATED),
                Some(credit_note::CREATED),
                Some(advance_invoice::CREATED),
                Some(delivery_note::CREATED),
            ],
            Self::Updated => [
                Some(invoice::UPDATED),
                Some(estimate::UPDATED),
                Some(credit_note::UPDATED),
                Some(advance_invoice::UPDATED),
                Some(delivery_note::UPDATED),
            ],
            Self::Finalized => [
                Some(invoice::FINALIZED),
                Some(estimate::FINALIZED),
                None,
                Some(advance_invoice::FINALIZED),
                Some(delivery_note::FINALIZED),
            ],
            Self::Issued => [None, None, Some(credit_note::ISSUED), None, None],
            Self::Sent => [
                Some(invoice::SENT),
                Some(estimate::SENT),
                Some(credit_note::SENT),
                Some(advance_invoice::SENT),
                Some(delivery_note::SENT),
            ],
            Self::Accepted => [None, Some(estimate::ACCEPTED), None, None, None],
            Self::Rejected => [None, Some(estimate::REJECTED), None, None, None],
            Self::Voided => [
                Some(invoice::VOIDED),
                None,
                Some(credit_note::VOIDED),
                Some(advance_invoice::VOIDED),
                Some(delivery_note::VOIDED),
            ],
            Self::Cancelled => {
                [Some(invoice::CANCELLED), None, None, None, Some(delivery_note::CANCELLED)]
            }
            Self::Deleted => [
                Some(invoice::DELETED),
                Some(estimate::DELETED),
                Some(credit_note::DELETED),
                Some(advance_invoice::DELETED),
                Some(delivery_note::DELETED),
            ],
            Self::Restored => [
                Some(invoice::RESTORED),
                Some(estimate::RESTORED),
                Some(credit_note::RESTORED),
                Some(advance_invoice::RESTORED),
                Some(delivery_note::RESTORED),
            ],
            Self::Fiscalized => [
                Some(invoice::FISCALIZED),
                None,
                Some(credit_note::FISCALIZED),
                Some(advance_invoice::FISCALIZED),
                None,
            ],
        };
        match kind {
            DocumentKind::Invoice => of_invoice,
            DocumentKind::Estimate => of_estimate,
            DocumentKind::CreditNote => of_credit_note,
            DocumentKind::AdvanceInvoice => of_advance,
            DocumentKind::DeliveryNote => of_delivery_note,
        }
    }
}

impl Document {
    /// The event that `what` happened to this document, done by `actor`; `None` where the interface
    /// has none for its kind.
    #[must_use]
    pub fn event(&self, what: Happening, actor: &str, stamp: &Stamp) -> Option<Event> {
        let kind = what.event(self.id.kind())?;
        let (tenant, subject) = (Tenant::entity(self.entity_id), self.id.to_string());
        Some(Event::new(tenant, kind, subject, actor.to_owned(), stamp))
    }
}
