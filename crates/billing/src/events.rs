//! What happens to what entities subscribe to.

use crate::SUBSCRIPTIONS;

racun_store::events! {
    /// Events of subscriptions, for their accounts.
    pub mod white_label_subscription on SUBSCRIPTIONS {
        SUBSCRIBED = "white_label_subscription.subscribed" to Account,
        UPGRADED = "white_label_subscription.upgraded" to Account,
        DOWNGRADE_SCHEDULED = "white_label_subscription.downgrade_scheduled" to Account,
        DOWNGRADED = "white_label_subscription.downgraded" to Account,
        CANCELLATION_SCHEDULED = "white_label_subscription.cancellation_scheduled" to Account,
        CANCELLED = "white_label_subscription.cancelled" to Account,
        RENEWED = "white_label_subscription.renewed" to Account,
        EXPIRED = "white_label_subscription.expired" to Account,
        PAYMENT_FAILED = "white_label_subscription.payment_failed" to Account,
    }
}
