//! The log's events for a recurring invoice.

use racun_kernel::{Stamp, Tenant};
use racun_store::{Event, EventKind};

use crate::events::recurring_invoice as told;

use super::{RecurringInvoice, Status};

/// What can happen to a recurring invoice, as events tell it (contract 29.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happening {
    /// It is new.
    Created,
    /// Its terms changed.
    Updated,
    /// It went to the trash.
    Deleted,
    /// It came back from the trash.
    Restored,
    /// It is gone for good.
    PermanentlyDeleted,
    /// It was paused, by a request or after too many failures.
    Paused,
    /// It was resumed.
    Resumed,
    /// It made an invoice.
    InvoiceGenerated,
    /// An invoice could not be made.
    GenerationFailed,
    /// It has no run left.
    Completed,
}

impl Happening {
    /// The event that tells it.
    #[must_use]
    pub const fn kind(self) -> EventKind {
        match self {
            Self::Created => told::CREATED,
            Self::Updated => told::UPDATED,
            Self::Deleted => told::DELETED,
            Self::Restored => told::RESTORED,
            Self::PermanentlyDeleted => told::PERMANENTLY_DELETED,
            Self::Paused => told::PAUSED,
            Self::Resumed => told::RESUMED,
            Self::InvoiceGenerated => told::INVOICE_GENERATED,
            Self::GenerationFailed => told::GENERATION_FAILED,
            Self::Completed => told::COMPLETED,
        }
    }
}

impl RecurringInvoice {
    /// The events that `what` happened, done by `actor`, to one whose status was `before` (a new
    /// one was active): that one, and one more when it paused or completed the recurring invoice
    /// beside.
    #[must_use]
    pub fn events(
        &self,
        what: Happening,
        before: Status,
        actor: &str,
        stamp: &Stamp,
    ) -> Vec<Event> {
        let became = |status| before != status && self.status == status;
        let beside = [
            (became(Status::Paused), Happening::Paused),
            (became(Status::Completed), Happening::Completed),
        ];
        let beside = beside.into_iter().filter(|(true_of_it, _)| *true_of_it).map(|(_, what)| what);
        let event = |what: Happening| {
            let (tenant, subject) = (Tenant::entity(self.entity_id), self.id.to_string());
            Event::new(tenant, what.kind(), subject, actor.to_owned(), stamp)
        };
        std::iter::once(what).chain(beside.filter(|beside| *beside != what)).map(event).collect()
    }
}
