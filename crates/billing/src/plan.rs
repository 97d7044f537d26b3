//! Plans: prices, limits, features.

use racun_kernel::{Issue, Issues};
use serde::{Deserialize, Serialize};

use crate::{Feature, Interval};

/// What a white label sells. All prices are in cents of its currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Its id, as in `plan_start`; made of the slug when the file names none.
    #[serde(default)]
    pub id: String,
    /// What requests name it by.
    pub slug: String,
    /// What people call it.
    pub name: String,
    /// What the base price pays for.
    #[serde(default)]
    pub billing_interval: Interval,
    /// The price of one such interval; 0 makes a free plan.
    pub base_price_cents: i64,
    /// The price of a year; without it the plan is sold by its own interval only.
    #[serde(default)]
    pub annual_price_cents: Option<i64>,
    /// How much it allows.
    #[serde(default)]
    pub limits: Limits,
    /// What it has; all there is when empty.
    #[serde(default)]
    pub features: Vec<Feature>,
    /// Its place among the plans: smallest first. Of two plans of one price, the one behind is the
    /// higher one.
    #[serde(default)]
    pub display_order: i32,
}

/// How much a plan allows. What is not there is not limited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Documents of all kinds, issued within a month. Counts only where invoices are not limited.
    pub documents_per_month: Option<i64>,
    /// Invoices issued within a month.
    pub invoices_per_month: Option<i64>,
    /// The price of each document beyond the limit. Without it the limit stops.
    pub overage_price_cents: Option<i64>,
    /// Electronic invoices sent within a month.
    pub e_invoicing_sends_included: Option<i64>,
    /// The price of each one beyond those. Without it the limit stops.
    pub e_invoicing_send_price_cents: Option<i64>,
    /// Connected stores that are included.
    pub included_store_count: Option<i64>,
    /// The price of each further store in a month.
    pub extra_store_price_cents: Option<i64>,
    /// The price of each further store in a year: a twelfth in each month of a plan that is paid by
    /// the year.
    pub extra_store_annual_price_cents: Option<i64>,
    /// Invoices in a month that each further store adds, where it has a price.
    pub extra_store_invoices_per_month: Option<i64>,
}

impl Plan {
    /// Whether it costs nothing.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.base_price_cents == 0 && self.annual_price_cents.unwrap_or(0) == 0
    }

    /// Whether it has `feature`.
    #[must_use]
    pub fn has(&self, feature: Feature) -> bool {
        self.features.is_empty() || self.features.contains(&feature)
    }

    /// Whether it is sold by `interval`. A free plan is, by both.
    #[must_use]
    pub fn is_sold(&self, interval: Interval) -> bool {
        let is_annual = interval == Interval::Yearly && self.annual_price_cents.is_some();
        self.is_free() || interval == self.billing_interval || is_annual
    }

    /// How high it stands among plans, so that a change to a higher one is an upgrade: by what a
    /// year costs at its base price, then by its place.
    #[must_use]
    pub(crate) fn rank(&self) -> (i64, i32) {
        let intervals = 12 / i64::from(self.billing_interval.months());
        (self.base_price_cents.saturating_mul(intervals), self.display_order)
    }

    /// Completes the plan and notes what is wrong with it.
    pub(crate) fn complete(&mut self) -> Result<(), Issues> {
        let mut issues = Issues::default();
        check_slug(&mut issues, &self.slug);
        if self.id.is_empty() {
            self.id = format!("plan_{}", self.slug);
        } else if !self.id.starts_with("plan_") {
            issues.push(Issue::new("invalid_value", "expected an id as in plan_start").at("id"));
        }
        if self.name.trim().is_empty() {
            issues.push(Issue::new("too_short", "at least one character").at("name"));
        }
        let Limits {
            documents_per_month,
            invoices_per_month,
            overage_price_cents,
            e_invoicing_sends_included,
            e_invoicing_send_price_cents,
            included_store_count,
            extra_store_price_cents,
            extra_store_annual_price_cents,
            extra_store_invoices_per_month,
        } = &self.limits;
        let negative = |amount: Option<i64>| amount.is_some_and(|amount| amount < 0);
        let refused = || Issue::new("invalid_value", "expected a whole number, 0 or above");
        for (name, amount) in [
            ("base_price_cents", Some(self.base_price_cents)),
            ("annual_price_cents", self.annual_price_cents),
        ] {
            if negative(amount) {
                issues.push(refused().at(name));
            }
        }
        for (name, amount) in [
            ("documents_per_month", documents_per_month),
            ("invoices_per_month", invoices_per_month),
            ("overage_price_cents", overage_price_cents),
            ("e_invoicing_sends_included", e_invoicing_sends_included),
            ("e_invoicing_send_price_cents", e_invoicing_send_price_cents),
            ("included_store_count", included_store_count),
            ("extra_store_price_cents", extra_store_price_cents),
            ("extra_store_annual_price_cents", extra_store_annual_price_cents),
            ("extra_store_invoices_per_month", extra_store_invoices_per_month),
        ] {
            if negative(*amount) {
                issues.push(refused().at(name).at("limits"));
            }
        }
        issues.into_result(())
    }
}

/// Notes an invalid slug: slugs are used in paths and bodies.
pub(crate) fn check_slug(issues: &mut Issues, slug: &str) {
    let is_slug = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if slug.is_empty() || slug.len() > 64 || !slug.chars().all(is_slug) {
        let message = "expected 1 to 64 of a-z, 0-9, - and _";
        issues.push(Issue::new("invalid_value", message).at("slug"));
    }
}
