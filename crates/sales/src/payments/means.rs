//! The types of the payments that count on a document.

use racun_documents::{DocumentId, DocumentKind};
use racun_settlement::{Payment, PaymentType, PaymentWrite, SettlementOutcome};

/// The types of those of `payments` that say how `document` is paid, each once, in their order.
///
/// What an advance invoice gave to invoices is no payment of it, and a settlement by a credit note
/// is none at all: no money moves by it, and the note is fiscalized by itself.
pub(super) fn of(document: Option<DocumentId>, payments: &[Payment]) -> Vec<PaymentType> {
    let Some(id) = document else { return Vec::new() };
    let is_advance = id.kind() == DocumentKind::AdvanceInvoice;
    let counts = |payment: &&Payment| {
        payment.deleted_at.is_none()
            && payment.kind != PaymentType::CreditNote
            && !(is_advance && payment.is_allocation())
            && payment.document_ids().any(|named| named == id)
    };
    let mut kinds: Vec<PaymentType> =
        payments.iter().filter(counts).map(|payment| payment.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// What `payments` become by `outcome`.
pub(super) fn after(mut payments: Vec<Payment>, outcome: &SettlementOutcome) -> Vec<Payment> {
    for write in &outcome.writes {
        match write {
            PaymentWrite::Insert(new) => payments.push(new.clone()),
            PaymentWrite::Update { before, after } => {
                payments.retain(|payment| payment.id != before.id);
                payments.push((**after).clone());
            }
            PaymentWrite::Delete(gone) => payments.retain(|payment| payment.id != gone.id),
        }
    }
    payments
}
