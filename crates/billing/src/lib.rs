//! White labels: plans, features, limits, usage, subscriptions.
//!
//! The operator says in a file, or by the interface, which white labels there are, and which plans
//! each of them sells. An
//! entity that is made under a white label with billing has a [`Subscription`] from its first
//! commit on. It holds the terms of its plan as they were when the plan was chosen, and what was
//! used of them in the running month, so that whether a document may be issued is decided on one
//! row.
//!
//! | Module         | Owns                                                                 |
//! | -------------- | -------------------------------------------------------------------- |
//! | `add_on`       | what is sold beside a plan                                            |
//! | `brand`        | how a white label looks on pages and in mails                         |
//! | `card`         | a card, the page on which one is given, and what is left to pay       |
//! | `catalogue`    | white labels as the operator's file has them, and what is wrong there |
//! | `charges`      | what a month of a subscription is charged                             |
//! | `collection`   | how a bill is collected by card, attempt by attempt                   |
//! | `coupon`       | codes that make plans and add-ons cheaper                             |
//! | `managed`      | white labels that the operator manages, in the place of a file        |
//! | `month`        | a month that ended, with the lines that it is charged                 |
//! | `paying`       | a subscription's card, what it owes, and its credit                   |
//! | `picture_url`  | addresses of pictures that pages and mails show                       |
//! | `plan`         | plans: prices, limits, features                                       |
//! | `feature`      | what plans have and others lack                                       |
//! | `period`       | periods, and the months within them                                   |
//! | `stores`       | connected stores, those beyond the plan's, and what they bring        |
//! | `usage`        | what was used in a month, and whether there is more                   |
//! | `subscription` | the states of a subscription, and one function for each command       |
//! | `record`       | how subscriptions and used months are kept, and what is due           |
//! | `error`        | why something is refused                                              |
//! | `events`       | what the log tells of subscriptions                                   |
//!
//! **Invariants.** Pure: no I/O, no clock, no randomness. Periods follow each other without a gap
//! and without an overlap, and there is one current period at most. A downgrade takes effect at the
//! end of a period, never before; an upgrade at once.

mod add_on;
mod brand;
mod card;
mod catalogue;
mod charges;
mod collection;
mod coupon;
mod error;
pub mod events;
mod feature;
mod managed;
mod month;
mod paying;
mod period;
mod picture_url;
mod plan;
mod record;
mod stores;
mod subscription;
mod usage;

pub use add_on::{AddOn, ChosenAddOn, choose_add_ons};
pub use brand::Color;
pub use card::{CardOnFile, Due, PendingCheckout};
pub use catalogue::{BillingProfile, Catalogue, FeatureCheck, PaymentProvider, WhiteLabel};
pub use collection::{Attempt, Begun, Collection, CollectionState, Payer, Sum, Taken, Turn};
pub use coupon::{Coupon, CouponSince, NamedCoupon};
pub use error::{BillingError, NotAllowed};
pub use events::Happening;
pub use feature::{FEATURES, Feature};
pub use managed::{MANAGED_LABELS, ManagedLabels};
pub use month::{Charge, ChargeKind, EndedMonth, total};
pub use period::{Interval, Period, add_months};
pub use picture_url::PictureUrl;
pub use plan::{Limits, Plan};
pub use record::{
    DUE_SUBSCRIPTIONS, DueSubscription, SUBSCRIPTIONS, USAGE_MONTHS, UsageMonth, due_by, due_put,
    subscription_id,
};
pub use stores::StoreBilling;
pub use subscription::{Advanced, AtEnd, Chosen, NewSubscription, Status, Subscription};
pub use usage::{LimitCheck, Resource, Stores, Usage};

/// Every table of this crate.
pub static TABLES: [&racun_store::Table; 4] =
    [&SUBSCRIPTIONS, &USAGE_MONTHS, &DUE_SUBSCRIPTIONS, &MANAGED_LABELS];
