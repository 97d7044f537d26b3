//! Where documents come from.

use serde::{Deserialize, Serialize};

/// Where a document comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CreationSource {
    /// A request that was calculated.
    Api,
    /// A request with totals of its own.
    Custom,
    /// A recurring invoice.
    Recurring,
    /// An operator's request that was calculated.
    Pos,
    /// An order of a shop.
    Order,
    /// A payment that the card processor told of.
    PaymentApp,
}

impl CreationSource {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Custom => "custom",
            Self::Recurring => "recurring",
            Self::Pos => "pos",
            Self::Order => "order",
            Self::PaymentApp => "payment_app",
        }
    }
}
