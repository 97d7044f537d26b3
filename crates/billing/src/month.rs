//! A month of a subscription that ended, with the lines that it is charged.

use serde::{Deserialize, Serialize};

use crate::{Due, Limits, Plan, Usage};

/// What a line charges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChargeKind {
    /// The plan, for the period that began in the month.
    Plan,
    /// What is left of the plan's period, and of the month of add-ons, that another plan cut short;
    /// below nothing.
    CutShort,
    /// An add-on.
    AddOn,
    /// What a coupon takes off; below nothing.
    Coupon,
    /// Stores beyond those that are included: the most that were connected at once.
    Stores,
    /// Documents or invoices beyond the limit.
    Documents,
    /// Electronic invoices beyond those that are included.
    EInvoicingSends,
    /// What an earlier bill came to that was too small to be collected by itself.
    Carried,
}

/// A line of what a month is charged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charge {
    /// What it is for.
    pub kind: ChargeKind,
    /// The name of plan or add-on, or the coupon's code.
    pub name: String,
    /// How many.
    pub quantity: i64,
    /// The price of each, in cents.
    pub unit_cents: i64,
    /// Both multiplied, in cents.
    pub cents: i64,
}

/// A month that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedMonth {
    /// The plan that it was under.
    pub plan: Plan,
    /// What was included, with what add-ons and stores brought.
    pub limits: Limits,
    /// What was used.
    pub usage: Usage,
    /// What is charged.
    pub charges: Vec<Charge>,
    /// What of that is left to pay.
    pub due: Due,
}

impl Charge {
    pub(crate) fn of(kind: ChargeKind, name: &str, quantity: i64, unit_cents: i64) -> Self {
        let cents = quantity.saturating_mul(unit_cents);
        Self { kind, name: name.to_owned(), quantity, unit_cents, cents }
    }
}

/// The sum of `charges`.
#[must_use]
pub fn total(charges: &[Charge]) -> i64 {
    charges.iter().fold(0, |sum, charge| sum.saturating_add(charge.cents))
}
