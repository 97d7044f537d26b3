//! Stores that are connected: how many of a month are charged, for how much, and what they bring.

use crate::{Charge, ChargeKind, Interval, Limits, Status, Stores, Subscription, Usage};

/// What the stores of the current month come to: so many its bill charges, if no more are
/// connected before it ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreBilling {
    /// How many are connected.
    pub connected: i64,
    /// How many the plan includes.
    pub included: i64,
    /// The most of the month beyond those; none where they have no price, and in a trial.
    pub billable: i64,
    /// Invoices in the month that those add to the limit.
    pub invoices: i64,
}

impl Subscription {
    /// The same with so many `connected` stores. It must have been advanced to now.
    #[must_use]
    pub const fn with_stores(mut self, connected: i64) -> Self {
        self.stores.connected = connected;
        if connected > self.stores.most {
            self.stores.most = connected;
        }
        self
    }

    /// What the stores of the current month come to.
    #[must_use]
    pub fn store_billing(&self) -> StoreBilling {
        let (limits, Stores { connected, most }) = (&self.plan.limits, self.stores);
        let included = limits.included_store_count.unwrap_or(0);
        let is_charged = matches!(self.status, Status::Active | Status::PastDue)
            && limits.store_price(self.interval, 0).is_some();
        let billable = if is_charged { most.saturating_sub(included).max(0) } else { 0 };
        let each = limits.extra_store_invoices_per_month.unwrap_or(0);
        StoreBilling { connected, included, billable, invoices: billable.saturating_mul(each) }
    }

    /// The line for the stores of the month `usage` beyond those that are included.
    pub(crate) fn store_charge(&self, usage: &Usage) -> Option<Charge> {
        let month = usage.month.months_after(self.period.start);
        let price = self.plan.limits.store_price(self.interval, month)?;
        let stores = self.store_billing().billable;
        let charge = Charge::of(ChargeKind::Stores, &self.plan.name, stores, price);
        Some(charge).filter(|charge| charge.cents > 0)
    }
}

impl Limits {
    /// The same with `invoices` more: of all documents, where those are the limit.
    pub(crate) fn raise_by(&mut self, invoices: i64) {
        for limit in [&mut self.documents_per_month, &mut self.invoices_per_month] {
            *limit = limit.map(|limit| limit.saturating_add(invoices));
        }
    }

    /// The price in cents of a store beyond the included ones in the month `month` of a period of
    /// `interval`, counted from 0. Of the price of a year each month has a twelfth: cents that do
    /// not divide fall to later months, and twelve months come to the whole.
    fn store_price(&self, interval: Interval, month: i64) -> Option<i64> {
        let yearly = self.extra_store_annual_price_cents.filter(|_| interval == Interval::Yearly);
        let Some(price) = yearly else { return self.extra_store_price_cents };
        let (each, rest) = (price / 12, price % 12);
        Some(each + rest * (month + 1) / 12 - rest * month / 12)
    }
}
