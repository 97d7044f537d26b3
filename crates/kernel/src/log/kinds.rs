//! The kinds of events that receivers may subscribe to (contract 29.1 and 29.2).
//!
//! Other kinds are in the log as well, for whoever reads what happened.

/// The kinds of an entity's events.
pub const ENTITY_KINDS: [&str; 89] = [
    "invoice.created",
    "invoice.updated",
    "invoice.sent",
    "invoice.paid",
    "invoice.overdue",
    "invoice.cancelled",
    "invoice.deleted",
    "invoice.restored",
    "invoice.voided",
    "invoice.finalized",
    "customer.created",
    "customer.updated",
    "customer.deleted",
    "customer.restored",
    "customer.permanently_deleted",
    "payment.received",
    "payment.failed",
    "payment.deleted",
    "payment.restored",
    "payment.permanently_deleted",
    "estimate.created",
    "estimate.sent",
    "estimate.accepted",
    "estimate.rejected",
    "estimate.deleted",
    "estimate.restored",
    "credit_note.created",
    "credit_note.issued",
    "credit_note.voided",
    "credit_note.deleted",
    "credit_note.restored",
    "advance_invoice.created",
    "advance_invoice.paid",
    "advance_invoice.applied",
    "advance_invoice.voided",
    "advance_invoice.deleted",
    "advance_invoice.restored",
    "item.created",
    "item.updated",
    "item.deleted",
    "item.restored",
    "item.permanently_deleted",
    "tax.created",
    "tax.updated",
    "tax.deleted",
    "tax.restored",
    "tax.permanently_deleted",
    "recurring_invoice.created",
    "recurring_invoice.updated",
    "recurring_invoice.deleted",
    "recurring_invoice.restored",
    "recurring_invoice.permanently_deleted",
    "recurring_invoice.paused",
    "recurring_invoice.resumed",
    "recurring_invoice.invoice_generated",
    "recurring_invoice.generation_failed",
    "recurring_invoice.completed",
    "payment_app.connected",
    "payment_app.disconnected",
    "payment_app.settings_updated",
    "order.created",
    "order.updated",
    "order.deleted",
    "order.restored",
    "order.permanently_deleted",
    "order.processed",
    "order.cancelled",
    "order.failed",
    "order_integration.created",
    "order_integration.updated",
    "order_integration.deleted",
    "delivery_note.created",
    "delivery_note.sent",
    "delivery_note.cancelled",
    "delivery_note.voided",
    "delivery_note.deleted",
    "delivery_note.restored",
    "expense.created",
    "expense.updated",
    "expense.finalized",
    "expense.voided",
    "expense.deleted",
    "e_invoicing.submission.created",
    "e_invoicing.submission.delivered",
    "e_invoicing.submission.failed",
    "e_invoicing.enrollment.verified",
    "e_invoicing.enrollment.rejected",
    "e_invoicing.supplier.onboarded",
    "e_invoicing.supplier.rejected",
];

/// The kinds of an account's events.
pub const ACCOUNT_KINDS: [&str; 9] = [
    "white_label_subscription.subscribed",
    "white_label_subscription.upgraded",
    "white_label_subscription.downgrade_scheduled",
    "white_label_subscription.downgraded",
    "white_label_subscription.cancellation_scheduled",
    "white_label_subscription.cancelled",
    "white_label_subscription.renewed",
    "white_label_subscription.expired",
    "white_label_subscription.payment_failed",
];

/// Whether receivers may subscribe to `kind`.
#[must_use]
pub fn is_published(kind: &str) -> bool {
    ENTITY_KINDS.contains(&kind) || ACCOUNT_KINDS.contains(&kind)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_kind_is_there_once() {
        let all: BTreeSet<_> = ENTITY_KINDS.iter().chain(&ACCOUNT_KINDS).collect();
        assert_eq!(all.len(), 98);
        assert!(is_published("invoice.paid") && is_published("white_label_subscription.renewed"));
        assert!(!is_published("pos_tab.opened") && !is_published("invoice"));
    }
}
