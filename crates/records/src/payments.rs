//! Payments on documents.

use racun_documents::{DocumentId, DocumentKind};
use racun_settlement::{PAYMENTS, Payment};
use racun_store::{Many, UnitBuilder};

/// The field of payments that names a document of this kind.
#[must_use]
pub const fn payment_field(id: DocumentId) -> &'static str {
    match id.kind() {
        DocumentKind::CreditNote => "credit_note_id",
        DocumentKind::AdvanceInvoice => "advance_invoice_id",
        DocumentKind::Invoice | DocumentKind::Estimate | DocumentKind::DeliveryNote => "invoice_id",
    }
}

/// Holds the payments on the document `id`.
pub fn hold_payments(unit: &mut UnitBuilder<'_>, id: DocumentId) -> Many<Payment> {
    unit.hold_where(&PAYMENTS, payment_field(id), id)
}

/// The payments that are in no trash.
#[must_use]
pub fn live_payments(mut payments: Vec<Payment>) -> Vec<Payment> {
    payments.retain(|payment| payment.deleted_at.is_none());
    payments
}
