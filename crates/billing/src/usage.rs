//! What was used in a month, stores that were connected in it, and whether there is more.

use std::str::FromStr;

use racun_kernel::{Decimal, Issue};
use serde::{Deserialize, Serialize};

use crate::{Limits, Period};

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// Documents of all kinds that were issued, invoices among them.
    Documents,
    /// Invoices that were issued.
    Invoices,
    /// Electronic invoices that were sent.
    EInvoicingSends,
}

impl Resource {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Documents => "documents",
            Self::Invoices => "invoices",
            Self::EInvoicingSends => "e_invoicing_sends",
        }
    }
}

impl FromStr for Resource {
    type Err = Issue;

    fn from_str(text: &str) -> Result<Self, Issue> {
        let all = [Self::Documents, Self::Invoices, Self::EInvoicingSends];
        all.into_iter().find(|resource| resource.name() == text).ok_or_else(|| {
            let message = "no such resource; there are documents, invoices, e_invoicing_sends";
            Issue::new("invalid_value", message)
        })
    }
}

/// Stores of an entity that take orders.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stores {
    /// How many are connected.
    pub connected: i64,
    /// The most that were in the current month: so many are charged.
    pub most: i64,
}

/// What was used in a month of a subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// The month; a part of one where the subscription's period ends within.
    pub month: Period,
    /// Documents issued, invoices among them.
    pub documents: i64,
    /// Invoices issued.
    pub invoices: i64,
    /// Electronic invoices sent.
    pub e_invoicing_sends: i64,
}

/// The answer to a query whether more is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitCheck {
    /// What was asked for.
    pub resource: Resource,
    /// Whether one more is let through, for a price or not.
    pub allowed: bool,
    /// How much was used.
    pub usage: i64,
    /// How much the plan includes; `None` when that is not limited.
    pub limit: Option<i64>,
    /// How much of that was used, in percent, to two places.
    pub percentage: Decimal,
}

impl Usage {
    /// Nothing was used yet.
    #[must_use]
    pub const fn none(month: Period) -> Self {
        Self { month, documents: 0, invoices: 0, e_invoicing_sends: 0 }
    }

    /// How much of `resource` was used.
    #[must_use]
    pub const fn of(&self, resource: Resource) -> i64 {
        match resource {
            Resource::Documents => self.documents,
            Resource::Invoices => self.invoices,
            Resource::EInvoicingSends => self.e_invoicing_sends,
        }
    }

    /// How much of `resource` was used beyond `limits`: what is charged extra.
    #[must_use]
    pub fn beyond(&self, limits: &Limits, resource: Resource) -> i64 {
        limits.of(resource).map_or(0, |limit| (self.of(resource) - limit).max(0))
    }

    /// Whether `limits` let one more of `resource` through.
    #[must_use]
    pub fn allows(&self, limits: &Limits, resource: Resource) -> bool {
        let is_below = limits.of(resource).is_none_or(|limit| self.of(resource) < limit);
        is_below || limits.price_beyond(resource).is_some()
    }

    /// The answer to a query for `resource`.
    #[must_use]
    pub fn check(&self, limits: &Limits, resource: Resource) -> LimitCheck {
        let (usage, limit) = (self.of(resource), limits.of(resource));
        let allowed = self.allows(limits, resource);
        LimitCheck { resource, allowed, usage, limit, percentage: percentage(usage, limit) }
    }

    pub(crate) const fn add(&mut self, resource: Resource) {
        match resource {
            Resource::Documents => self.documents += 1,
            Resource::Invoices => {
                self.documents += 1;
                self.invoices += 1;
            }
            Resource::EInvoicingSends => self.e_invoicing_sends += 1,
        }
    }
}

impl Limits {
    /// How much of `resource` is included. Where invoices are limited, documents are not.
    #[must_use]
    pub fn of(&self, resource: Resource) -> Option<i64> {
        match resource {
            Resource::Documents if self.invoices_per_month.is_some() => None,
            Resource::Documents => self.documents_per_month,
            Resource::Invoices => self.invoices_per_month,
            Resource::EInvoicingSends => self.e_invoicing_sends_included,
        }
    }

    /// The price in cents of one more of `resource` beyond the limit; `None` when there is no more.
    #[must_use]
    pub const fn price_beyond(&self, resource: Resource) -> Option<i64> {
        match resource {
            Resource::Documents | Resource::Invoices => self.overage_price_cents,
            Resource::EInvoicingSends => self.e_invoicing_send_price_cents,
        }
    }

    /// Which limit one more document of this kind meets.
    #[must_use]
    pub const fn meets(&self, is_invoice: bool) -> Resource {
        if is_invoice && self.invoices_per_month.is_some() {
            Resource::Invoices
        } else {
            Resource::Documents
        }
    }
}

/// `usage` in percent of `limit`, half up. Nothing is 0 percent of no limit, and 100 of none at
/// all.
fn percentage(usage: i64, limit: Option<i64>) -> Decimal {
    match limit {
        None => Decimal::zero(),
        Some(0) => Decimal::from(100),
        Some(limit) => {
            let (usage, limit) = (i128::from(usage), i128::from(limit));
            let hundredths = (usage * 20_000 + limit) / (limit * 2);
            Decimal::new(i64::try_from(hundredths).unwrap_or(i64::MAX), 2)
        }
    }
}
