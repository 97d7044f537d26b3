//! The events that endpoints can subscribe to.

/// What happens in an entity, by the names of the interface (`contract.md`, 29.1). `payment_app` stands
/// for the payment processor's marketplace app.
pub static ENTITY_EVENTS: [&str; 89] = [
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

/// What happens to the subscriptions of an account (`contract.md`, 29.2).
pub static ACCOUNT_EVENTS: [&str; 9] = [
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

/// What a test is called. Nothing subscribes to it: it goes to the endpoint that is tested.
pub const TEST_EVENT: &str = "webhook.test";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_event_is_listed_twice_and_all_are_named_alike() {
        let all: BTreeSet<_> = ENTITY_EVENTS.iter().chain(&ACCOUNT_EVENTS).collect();
        assert_eq!(all.len(), ENTITY_EVENTS.len() + ACCOUNT_EVENTS.len());
        for kind in all {
            assert!(kind.contains('.'), "{kind}");
            let sane = |b: u8| b.is_ascii_lowercase() || b == b'.' || b == b'_';
            assert!(kind.bytes().all(sane), "{kind}");
        }
    }
}
