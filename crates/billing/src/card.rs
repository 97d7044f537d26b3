//! A card, the page on which one is given, and what is left to pay.

use serde::{Deserialize, Serialize};

use crate::Interval;

/// A card that a subscription is paid with, as far as anybody but the processor knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardOnFile {
    /// The processor's id of it.
    pub payment_method: String,
    /// The scheme: `visa`.
    pub brand: String,
    /// The last four digits of its number.
    pub last4: String,
}

/// A page of the card processor on which a card is given for a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingCheckout {
    /// What the processor's events name it by.
    pub key: String,
    /// The plan that is then activated.
    pub plan_slug: String,
    /// How often it is paid.
    pub interval: Interval,
}

/// What a month that ended comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// How much of it is paid by credit of earlier months; below nothing, what it adds to that.
    pub credit_used_cents: i64,
    /// What is left to pay.
    pub cents: i64,
    /// Whether that is collected by card.
    pub is_by_card: bool,
}
