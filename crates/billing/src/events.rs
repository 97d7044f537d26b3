//! What happens to what entities subscribe to.

use racun_store::EventKind;
use white_label_subscription as told;

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

/// The events that the account receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happening {
    /// A plan was chosen where none was paid, or it was tried or free.
    Subscribed,
    /// A higher plan began.
    Upgraded,
    /// A lower plan will begin.
    DowngradeScheduled,
    /// A lower plan began.
    Downgraded,
    /// It will end.
    CancellationScheduled,
    /// It ended, as was asked for.
    Cancelled,
    /// The next period began.
    Renewed,
    /// It ended, for nothing was paid.
    Expired,
    /// A payment failed.
    PaymentFailed,
}

impl Happening {
    /// The event that tells it.
    #[must_use]
    pub const fn event(self) -> EventKind {
        match self {
            Self::Subscribed => told::SUBSCRIBED,
            Self::Upgraded => told::UPGRADED,
            Self::DowngradeScheduled => told::DOWNGRADE_SCHEDULED,
            Self::Downgraded => told::DOWNGRADED,
            Self::CancellationScheduled => told::CANCELLATION_SCHEDULED,
            Self::Cancelled => told::CANCELLED,
            Self::Renewed => told::RENEWED,
            Self::Expired => told::EXPIRED,
            Self::PaymentFailed => told::PAYMENT_FAILED,
        }
    }
}
