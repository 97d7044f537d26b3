//! Why something is refused.

use racun_kernel::Issues;
use racun_kernel::calendar::format_date;
use racun_store::StoreError;
use time::Date;

use crate::{Feature, Resource, Status};

/// Why a command on a subscription is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BillingError {
    /// The input breaks rules; every rule that it breaks is named.
    #[error(transparent)]
    Invalid(#[from] Issues),
    /// There is no such white label.
    #[error("there is no white label {slug:?}")]
    NoLabel {
        /// What it was asked for by.
        slug: String,
    },
    /// There is no such bill.
    #[error("there is no bill {id} of this entity")]
    NoBill {
        /// What it was asked for by.
        id: String,
    },
    /// A bill has no payment whose end is not known.
    #[error("no payment of the bill is under way; say how one ended only while it is")]
    NothingUnderWay,
    /// The entity has no subscription: nothing is limited.
    #[error("this entity has no subscription: nothing is limited")]
    NoSubscription,
    /// The plan has a price, and there is no way to pay it here.
    #[error(
        "no payment processor is configured, and the white label takes no payment by bank; ask who \
         runs it for {plan}"
    )]
    NoPayment {
        /// The plan's name.
        plan: String,
    },
    /// The white label takes no cards, or this server serves no card processor.
    #[error("no payment processor is configured here: nothing is paid by card")]
    NoCards,
    /// The plan is paid by card, and there is none.
    #[error(
        "{plan} is paid by card, and none is on file; give one with POST \
         /white-label-subscriptions/setup-intent and /payment-method, or with /checkout"
    )]
    NoCard {
        /// The plan's name.
        plan: String,
    },
    /// A bill was declined and is not paid.
    #[error(
        "a payment was declined, and is still owed; give a card that pays with POST \
         /white-label-subscriptions/payment-method, and choose the plan then"
    )]
    Overdue,
    /// The plan does not allow it.
    #[error(transparent)]
    NotAllowed(#[from] NotAllowed),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a subscription does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAllowed {
    /// The plan's limit is reached.
    #[error(
        "the plan {plan} includes {limit} {} a month, and {usage} are used; choose a higher plan \
         with POST /white-label-subscriptions/activate, or wait until {}", .resource.name(),
        format_date(*.until)
    )]
    LimitReached {
        /// The plan's name.
        plan: String,
        /// What it limits.
        resource: Resource,
        /// To how much.
        limit: i64,
        /// How much is used.
        usage: i64,
        /// When the count restarts.
        until: Date,
    },
    /// The plan does not have it.
    #[error(
        "the plan {plan} does not have {feature}; choose one that does with POST \
         /white-label-subscriptions/activate"
    )]
    NoFeature {
        /// The plan's name.
        plan: String,
        /// What it lacks.
        feature: Feature,
    },
    /// The subscription has ended, or has not begun.
    #[error(
        "the subscription is {}; choose a plan with POST /white-label-subscriptions/activate",
        .status.name()
    )]
    Inactive {
        /// What it is.
        status: Status,
    },
}

impl NotAllowed {
    /// The stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::LimitReached { .. } => "plan_limit_reached",
            Self::NoFeature { .. } => "feature_not_available",
            Self::Inactive { .. } => "subscription_inactive",
        }
    }
}
