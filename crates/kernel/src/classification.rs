//! What is sold or bought, and when it is earned or incurred.

use serde::{Deserialize, Serialize};

/// What an item or a line sells, or what was bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Classification {
    /// Goods.
    Product,
    /// A service.
    Service,
    /// Money paid ahead.
    Advance,
}

impl Classification {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Service => "service",
            Self::Advance => "advance",
        }
    }
}

/// How the revenue or the cost of a line is spread over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecognitionMethod {
    /// On the document's date.
    Immediate,
    /// Evenly over the days of the service period.
    ServicePeriodDaily,
}
