//! What a month of a subscription is charged: the plan when its period begins, add-ons, stores
//! beyond those included, what was beyond the limits, less what a coupon takes off and what a
//! higher plan cut short; and what was too little to be collected before.

use time::OffsetDateTime;

use crate::{
    AddOn, Charge, ChargeKind, ChosenAddOn, Coupon, CouponSince, EndedMonth, Feature, Interval,
    Limits, NamedCoupon, Period, Plan, Resource, Status, Subscription, Usage, total,
};

impl Plan {
    /// The price of a period of `interval`, in cents.
    #[must_use]
    pub fn price(&self, interval: Interval) -> i64 {
        let is_own = interval == self.billing_interval;
        let annual = self.annual_price_cents.filter(|_| interval == Interval::Yearly && !is_own);
        annual.unwrap_or(self.base_price_cents)
    }
}

impl Subscription {
    /// What the plan, the add-ons and stores that are charged include together.
    #[must_use]
    pub fn limits(&self) -> Limits {
        let mut limits = self.plan.limits.clone();
        for one in &self.add_ons {
            one.add_on.raise(&mut limits, one.quantity);
        }
        limits.raise_by(self.store_billing().invoices);
        limits
    }

    /// Whether the plan or an add-on has `feature`.
    #[must_use]
    pub fn has(&self, feature: Feature) -> bool {
        let in_add_on =
            |one: &ChosenAddOn| one.quantity > 0 && one.add_on.features.contains(&feature);
        self.plan.has(feature) || self.add_ons.iter().any(in_add_on)
    }

    /// The same with `add_ons` in the place of those that it had, from `now` on, and with `coupon`
    /// where one is named. It must have been advanced to now.
    #[must_use]
    pub fn with_extras(
        mut self,
        coupon: Option<Coupon>,
        add_ons: Option<Vec<(AddOn, i64)>>,
        now: OffsetDateTime,
    ) -> Self {
        if let Some(coupon) = coupon {
            let before = self.coupon.take();
            if let Some(known) = before {
                let first = CouponSince(known.since);
                self.coupons_since.entry(known.coupon.code).or_insert(first);
            }
            let code = coupon.code.clone();
            let first = *self.coupons_since.entry(code.clone()).or_insert(CouponSince(now));
            self.coupon_code = Some(code);
            self.coupon = Some(NamedCoupon { coupon, since: first.0 });
        }
        if let Some(wanted) = add_ons {
            let mut after: Vec<ChosenAddOn> = self.add_ons.clone();
            // What was there in this month is charged for it, also when it goes.
            after.iter_mut().for_each(|one| one.quantity = 0);
            for (add_on, quantity) in wanted {
                match after.iter_mut().find(|one| one.add_on.slug == add_on.slug) {
                    Some(known) => {
                        let most = known.most.max(quantity);
                        *known = ChosenAddOn { add_on, quantity, most };
                    }
                    None => after.push(ChosenAddOn { add_on, quantity, most: quantity }),
                }
            }
            after.retain(|one| one.most > 0);
            self.add_ons = after;
            self.updated_at = now;
        }
        self
    }

    /// The month `usage` of it, which ends; `cut` is when a new period begins within its own.
    pub(crate) fn ended_month(&mut self, usage: Usage, cut: Option<OffsetDateTime>) -> EndedMonth {
        let mut limits = self.plan.limits.clone();
        for one in &self.add_ons {
            one.add_on.raise(&mut limits, one.most);
        }
        limits.raise_by(self.store_billing().invoices);
        let mut charges = match self.status {
            Status::Trialing => Vec::new(),
            _ => self.charges(&usage, &limits, cut),
        };
        let carried = std::mem::take(&mut self.carried_cents);
        let carried = Charge::of(ChargeKind::Carried, &self.plan.name, 1, carried);
        charges.extend((carried.cents > 0).then_some(carried));
        let due = self.reckon(&charges);
        EndedMonth { plan: self.plan.clone(), limits, usage, charges, due }
    }

    /// Begins the next month: what went in the one before is gone, stores among it.
    pub(crate) fn begin_month(&mut self) {
        self.add_ons.retain(|one| one.quantity > 0);
        self.add_ons.iter_mut().for_each(|one| one.most = one.quantity);
        self.stores.most = self.stores.connected;
    }

    fn charges(&self, usage: &Usage, limits: &Limits, cut: Option<OffsetDateTime>) -> Vec<Charge> {
        let (plan, price) = (&self.plan, self.plan.price(self.interval));
        let mut charges = Vec::new();
        if usage.month.start == self.period.start && price > 0 {
            charges.push(Charge::of(ChargeKind::Plan, &plan.name, 1, price));
        }
        for one in self.add_ons.iter().filter(|one| one.most > 0) {
            let (name, price) = (&one.add_on.name, one.add_on.price_cents);
            charges.push(Charge::of(ChargeKind::AddOn, name, one.most, price));
        }
        if let Some(named) = &self.coupon {
            let off = named.off(total(&charges), usage.month.start);
            let line = Charge::of(ChargeKind::Coupon, &named.coupon.code, 1, -off);
            charges.extend((off > 0).then_some(line));
        }
        let stores = self.store_charge(usage);
        let of_stores = stores.as_ref().map_or(0, |line| line.cents);
        charges.extend(stores);
        if let Some(cut) = cut {
            let net = |cents: i64, start| {
                cents - self.coupon.as_ref().map_or(0, |named| named.off(cents, start))
            };
            let is_add_on = |charge: &&Charge| charge.kind == ChargeKind::AddOn;
            let add_ons = charges.iter().filter(is_add_on).map(|charge| charge.cents).sum();
            let month = self.usage.month;
            let left = part_left(net(price, self.period.start), self.period, cut)
                + part_left(net(add_ons, month.start) + of_stores, month, cut);
            let line = Charge::of(ChargeKind::CutShort, &plan.name, 1, -left);
            charges.extend((left > 0).then_some(line));
        }
        let documents = usage.beyond(limits, Resource::Documents);
        let documents = documents.max(usage.beyond(limits, Resource::Invoices));
        for (kind, beyond, price) in [
            (ChargeKind::Documents, documents, limits.overage_price_cents),
            (
                ChargeKind::EInvoicingSends,
                usage.beyond(limits, Resource::EInvoicingSends),
                limits.e_invoicing_send_price_cents,
            ),
        ] {
            // What the law wants issued beyond a limit that stops has no price.
            let line = price.map(|price| Charge::of(kind, &plan.name, beyond, price));
            charges.extend(line.filter(|line| line.quantity > 0));
        }
        charges
    }
}

/// The part of `cents`, paid for `period`, that is left at `cut`. What is gone is reckoned by whole
/// seconds and rounded down, so of a period that is cut short at once all is left.
fn part_left(cents: i64, period: Period, cut: OffsetDateTime) -> i64 {
    let (gone, whole) =
        ((cut - period.start).whole_seconds(), (period.end - period.start).whole_seconds());
    if cents <= 0 || gone >= whole {
        return 0;
    }
    let part = i128::from(cents) * i128::from(gone.max(0)) / i128::from(whole);
    cents.saturating_sub(i64::try_from(part).unwrap_or(cents))
}
