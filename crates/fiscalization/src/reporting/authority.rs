//! The port to the tax authority that receives how documents are paid.

use async_trait::async_trait;
use racun_access::Entity;
use racun_documents::{Document, PaymentChange};
use racun_kernel::Stamp;
use racun_settlement::{PaymentType, ReportError, TypeChange, TypeChangeRule};
use time::OffsetDateTime;

/// A change of how a document is paid, and what an authority may ask about it.
#[derive(Debug, Clone)]
pub struct Matter {
    /// Whose payment it is, at the time of the request.
    pub entity: Entity,
    /// The document that the payment is attached to, as it was held before the change. An
    /// unconfirmed attempt on it is an earlier one of this same change.
    pub document: Document,
    /// The change.
    pub change: TypeChange,
    /// The types of all payments that count on the document until now, each once, in their order.
    pub before: Vec<PaymentType>,
    /// Those that will count.
    pub after: Vec<PaymentType>,
    /// When the change was asked for.
    pub at: OffsetDateTime,
}

/// What a change is to an authority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concern {
    /// Nothing: the document is not fiscalized, or the authority does not ask how it was paid.
    NotConcerned,
    /// It must take the change before the change is made.
    MustReport,
    /// The change may not be made, whatever the authority would answer.
    Refused(TypeChangeRule),
}

/// The tax authorities that fiscalize documents, as far as changes of payments' types concern them.
#[async_trait]
pub trait TaxAuthority: Send + Sync {
    /// What the change is to the authority.
    ///
    /// It is asked while the document is held, inside the unit that decides on the change, so it
    /// MUST answer from `matter` alone: no network, no store, no waiting.
    fn concern(&self, matter: &Matter) -> Concern;

    /// Whether the process that began `attempt` may still be reporting to the authority. When that
    /// process is certainly gone, its lease blocks no other attempt.
    fn may_live(&self, _attempt: &PaymentChange) -> bool {
        true
    }

    /// Tells the authority of the change, and waits for its confirmation. `Ok` says that it took
    /// the change.
    ///
    /// It is called outside any unit, after the attempt was stored. It MUST end within a bounded
    /// time, shorter than [`racun_fiscal::LEASE`], and MUST be safe to repeat: the same change is
    /// reported again after an unknown outcome or a crash. It is never called twice at once for one
    /// document.
    ///
    /// # Errors
    /// Why there is no confirmation. [`ReportError::is_final`] says whether the change is certain
    /// not to be made; anything else leaves the attempt unconfirmed.
    async fn report(&self, matter: &Matter, stamp: &Stamp) -> Result<(), ReportError>;
}

/// The authority of those who fiscalize nothing: no change concerns it.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoAuthority;

#[async_trait]
impl TaxAuthority for NoAuthority {
    fn concern(&self, _: &Matter) -> Concern {
        Concern::NotConcerned
    }

    /// No authority is connected, so nothing is confirmed.
    async fn report(&self, _: &Matter, _: &Stamp) -> Result<(), ReportError> {
        Err(ReportError::Unreachable("no tax authority is configured".to_owned()))
    }
}
