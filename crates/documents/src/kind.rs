//! The tables of the five kinds of documents.

use racun_kernel::DocumentKind;
use racun_store::Table;

use crate::Document;

/// The table that keeps documents of `kind`.
#[must_use]
pub const fn table_of(kind: DocumentKind) -> &'static Table {
    match kind {
        DocumentKind::Invoice => &INVOICES,
        DocumentKind::Estimate => &ESTIMATES,
        DocumentKind::CreditNote => &CREDIT_NOTES,
        DocumentKind::AdvanceInvoice => &ADVANCE_INVOICES,
        DocumentKind::DeliveryNote => &DELIVERY_NOTES,
    }
}

/// Invoices.
pub static INVOICES: Table = Table::new::<Document>("invoices", Document::FIELDS);
/// Estimates.
pub static ESTIMATES: Table = Table::new::<Document>("estimates", Document::FIELDS);
/// Credit notes.
pub static CREDIT_NOTES: Table = Table::new::<Document>("credit_notes", Document::FIELDS);
/// Advance invoices.
pub static ADVANCE_INVOICES: Table = Table::new::<Document>("advance_invoices", Document::FIELDS);
/// Delivery notes.
pub static DELIVERY_NOTES: Table = Table::new::<Document>("delivery_notes", Document::FIELDS);
