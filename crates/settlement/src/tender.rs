//! What is handed over beside what settles: the tip, the cash that is tendered, and the change.
//!
//! Neither counts on a document: a payment settles its `amount`, whatever else was handed over.

use racun_kernel::{Decimal, Issue, Issues, PaymentType};

use crate::payment::Payment;

/// What a request says of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tender {
    /// What was given beyond the amount, zero or more: on sales, for money that is received.
    pub tip: Option<Decimal>,
    /// The cash that was handed over: amount, tip and change together.
    pub tendered: Option<Decimal>,
    /// What the caller gave back; checked, for it is what `tendered` leaves.
    pub change: Option<Decimal>,
}

impl Tender {
    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tip.is_none() && self.tendered.is_none() && self.change.is_none()
    }

    /// The rules that hold whatever the amount is, of a payment of type `kind` that is `received`:
    /// one that names only what customers pay.
    pub(crate) fn check(&self, kind: PaymentType, received: bool, issues: &mut Issues) {
        for (field, value) in [("tip", &self.tip), ("tendered", &self.tendered)] {
            if value.as_ref().is_some_and(Decimal::is_negative) {
                issues.push(Issue::new("out_of_range", "expected 0 or more").at(field));
            }
        }
        if self.tip.is_some() && (!received || kind.is_settlement()) {
            let message = "a tip comes with money that a customer pays on an invoice or an advance \
                           invoice; leave it out";
            issues.push(Issue::new("not_applicable", message).at("tip"));
        }
        if self.tendered.is_some() && kind != PaymentType::Cash {
            let message = "only cash is handed over and changed; leave it out";
            issues.push(Issue::new("not_applicable", message).at("tendered"));
        }
        if self.change.is_some() && self.tendered.is_none() {
            let message = "change is what is left of the cash that was handed over; say how much \
                           that was";
            issues.push(Issue::new("required", message).at("tendered"));
        }
    }
}

impl Payment {
    /// What was given back: `tendered` less amount and tip; `None` when it is not said what was
    /// handed over.
    #[must_use]
    pub fn change(&self) -> Option<Decimal> {
        let tendered = self.tendered.as_ref()?;
        Some(tendered - &self.taken())
    }

    /// What the payer is rid of: amount and tip.
    fn taken(&self) -> Decimal {
        let tip = self.tip.clone().unwrap_or_else(Decimal::zero);
        &self.amount + &tip
    }

    /// Whether what was handed over covers amount and tip, and leaves `change`, when that is said.
    pub(crate) fn check_tendered(&self, change: Option<&Decimal>, issues: &mut Issues) {
        let Some(tendered) = &self.tendered else { return };
        let left = tendered - &self.taken();
        if left.is_negative() {
            let message = format!(
                "amount and tip come to {}, which is more than what was handed over; a payment of \
                 part of the sum has a lower amount",
                self.taken()
            );
            issues.push(Issue::new("out_of_range", message).at("tendered"));
        } else if change.is_some_and(|change| *change != left) {
            let message = format!(
                "tendered {tendered} less amount and tip of {} leaves {left}; leave change out to \
                 have it computed",
                self.taken()
            );
            issues.push(Issue::new("conflicting", message).at("change"));
        }
    }
}
