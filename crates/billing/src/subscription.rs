//! The states of a subscription, and one function for each command.

use std::collections::BTreeMap;

use racun_kernel::id::{AccountId, EntityId, SubscriptionId, UsageMonthId};
use racun_kernel::{Environment, Stamp};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::period::month_of;
use crate::{
    BillingProfile, CardOnFile, ChosenAddOn, CouponSince, EndedMonth, Feature, Happening, Interval,
    LimitCheck, NamedCoupon, NotAllowed, PaymentProvider, PendingCheckout, Period, Plan, Resource,
    Stores, Usage, WhiteLabel, subscription_id,
};

/// Where a subscription stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A plan with a price is tried for nothing.
    Trialing,
    /// It is paid, or free.
    Active,
    /// A payment failed; it goes on until the end of the month.
    PastDue,
    /// It was ended at the end of a period.
    Cancelled,
    /// It ended because nothing was paid.
    Expired,
    /// Nothing was chosen yet, and there was nothing to try.
    Incomplete,
}

impl Status {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trialing => "trialing",
            Self::Active => "active",
            Self::PastDue => "past_due",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
            Self::Incomplete => "incomplete",
        }
    }

    /// Whether the plan's features and limits are the entity's. Where not, nothing is.
    #[must_use]
    pub const fn is_running(self) -> bool {
        match self {
            Self::Trialing | Self::Active | Self::PastDue => true,
            Self::Cancelled | Self::Expired | Self::Incomplete => false,
        }
    }
}

/// What becomes of a subscription when its period ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "what")]
pub enum AtEnd {
    /// The next period of the same plan.
    Renew,
    /// The next period is of another plan, or of another length.
    Change {
        /// The plan.
        plan: Box<Plan>,
        /// Its interval.
        interval: Interval,
    },
    /// It ends, as was asked for.
    Cancel,
    /// It ends, for nothing is paid.
    Expire,
}

/// An entity's subscription to a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    /// Its id, which follows from the entity's.
    pub id: SubscriptionId,
    /// The entity.
    pub entity_id: EntityId,
    /// The account that owns the entity and receives the events.
    pub account_id: AccountId,
    /// The slug of the white label.
    pub white_label: String,
    /// The plan's terms, as they were when it was chosen.
    pub plan: Plan,
    /// How often it is paid.
    pub interval: Interval,
    /// Where it stands.
    pub status: Status,
    /// When the first of its row of periods began: it says on which day of a month they end.
    #[serde(with = "time::serde::rfc3339")]
    pub anchor: OffsetDateTime,
    /// The current period, or the last one.
    pub period: Period,
    /// What comes then.
    pub at_end: AtEnd,
    /// What was used in the current month of the period, or in the last one.
    pub usage: Usage,
    /// When what was tried ends, or ended.
    #[serde(with = "time::serde::rfc3339::option")]
    pub trial_ends_at: Option<OffsetDateTime>,
    /// How it is paid.
    pub payment_provider: Option<PaymentProvider>,
    /// The code that was named when the plan was chosen.
    pub coupon_code: Option<String>,
    /// What that takes off, where it is a coupon.
    #[serde(default)]
    pub coupon: Option<NamedCoupon>,
    /// When coupons were named first: their months begin then, however often they are named.
    #[serde(default)]
    pub coupons_since: BTreeMap<String, CouponSince>,
    /// What is there beside the plan.
    #[serde(default)]
    pub add_ons: Vec<ChosenAddOn>,
    /// Stores that take orders; those of before they were counted, from their next change on.
    #[serde(default)]
    pub stores: Stores,
    /// Who pays, as the card processor knows them.
    #[serde(default)]
    pub customer: Option<String>,
    /// The card that pays.
    #[serde(default)]
    pub card: Option<CardOnFile>,
    /// Pages on which a card may be given.
    #[serde(default)]
    pub checkouts: Vec<PendingCheckout>,
    /// What months that came to less than nothing take off those to come, in cents.
    #[serde(default)]
    pub credit_cents: i64,
    /// What bills came to that are too small for a card, in cents: a line of the next bill.
    #[serde(default)]
    pub carried_cents: i64,
    /// Bills of which an attempt was declined, and that are not paid since.
    #[serde(default)]
    pub owes: Vec<UsageMonthId>,
    /// Where mails about bills are sent; the entity's own addresses where there is none.
    pub billing_email: Option<String>,
    /// The currency of prices.
    pub currency: String,
    /// Under which terms it is billed.
    pub billing_profile: BillingProfile,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last, usage aside.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// Who subscribes to what.
#[derive(Debug, Clone, Copy)]
pub struct NewSubscription<'a> {
    /// The entity.
    pub entity_id: EntityId,
    /// Its account.
    pub account_id: AccountId,
    /// Its environment.
    pub environment: Environment,
    /// The white label that it is made under.
    pub white_label: &'a WhiteLabel,
}

/// A subscription as it is after time passed, and what came to pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advanced {
    /// The subscription.
    pub subscription: Subscription,
    /// The months that ended, in their order.
    pub ended: Vec<EndedMonth>,
    /// What happened, in its order.
    pub happened: Vec<Happening>,
}

/// A subscription after a plan was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The subscription.
    pub subscription: Subscription,
    /// The month that was cut short.
    pub ended: Option<EndedMonth>,
    /// What happened; nothing when all is as it was.
    pub happened: Option<Happening>,
    /// Whether the choice takes effect at the end of the period.
    pub is_scheduled: bool,
}

impl Subscription {
    /// The subscription that a new entity starts with; `None` where the white label bills nothing.
    ///
    /// A plan that is free is there at once. One with a price is tried, and followed by the free
    /// plan where there is one; where nothing can be tried, a plan must be chosen first.
    #[must_use]
    pub fn start(new: NewSubscription<'_>, stamp: &Stamp) -> Option<Self> {
        let (label, now) = (new.white_label, stamp.now());
        let plan = label.starts_with(new.environment)?.clone();
        let interval = plan.billing_interval;
        let trial = Duration::days(i64::from(label.trial_days));
        let trial_ends_at = now.checked_add(trial).filter(|end| !plan.is_free() && *end > now);
        let status = match trial_ends_at {
            Some(_) => Status::Trialing,
            None if plan.is_free() => Status::Active,
            None => Status::Incomplete,
        };
        let period = match trial_ends_at {
            Some(end) => Period { start: now, end },
            None => Period::after(now, now, interval.months()),
        };
        let at_end = match (plan.is_free(), label.free_plan()) {
            (true, _) => AtEnd::Renew,
            (false, Some(free)) => {
                AtEnd::Change { plan: Box::new(free.clone()), interval: Interval::Monthly }
            }
            (false, None) => AtEnd::Expire,
        };
        let month = month_of(now, period, now);
        Some(Self {
            id: subscription_id(new.entity_id),
            entity_id: new.entity_id,
            account_id: new.account_id,
            white_label: label.slug.clone(),
            plan,
            interval,
            status,
            anchor: now,
            period,
            at_end,
            usage: Usage::none(month),
            trial_ends_at,
            payment_provider: None,
            coupon_code: None,
            coupon: None,
            coupons_since: BTreeMap::new(),
            add_ons: Vec::new(),
            stores: Stores::default(),
            customer: None,
            card: None,
            checkouts: Vec::new(),
            credit_cents: 0,
            carried_cents: 0,
            owes: Vec::new(),
            billing_email: None,
            currency: label.currency.clone(),
            billing_profile: label.billing_profile,
            created_at: now,
            updated_at: now,
        })
    }

    /// The subscription as it is at `now`: months and periods that ended are followed by the next
    /// ones. What has ended for good stays as it is.
    #[must_use]
    pub fn advance(mut self, now: OffsetDateTime) -> Advanced {
        let (mut ended, mut happened) = (Vec::new(), Vec::new());
        while self.status.is_running() && self.usage.month.end <= now {
            let end = self.usage.month.end;
            let usage = self.usage.clone();
            ended.push(self.ended_month(usage, None));
            self.begin_month();
            // Who did not pay until then is not given the next month.
            if self.status == Status::PastDue && end < self.period.end {
                (self.period.end, self.at_end) = (end, AtEnd::Expire);
            }
            if end >= self.period.end {
                happened.push(self.end_period());
                self.updated_at = end;
            }
            if !self.status.is_running() || end >= self.period.end {
                break;
            }
            self.usage = Usage::none(month_of(self.anchor, self.period, end));
        }
        Advanced { subscription: self, ended, happened }
    }

    /// Goes from the end of a period to the next one, or to the end of all.
    fn end_period(&mut self) -> Happening {
        let happening = match std::mem::replace(&mut self.at_end, AtEnd::Renew) {
            AtEnd::Cancel => {
                self.status = Status::Cancelled;
                return Happening::Cancelled;
            }
            // Who did not pay until then is not given the next period.
            AtEnd::Renew if self.status == Status::PastDue => {
                self.status = Status::Expired;
                return Happening::Expired;
            }
            AtEnd::Change { plan, .. } if self.status == Status::PastDue && !plan.is_free() => {
                self.status = Status::Expired;
                return Happening::Expired;
            }
            AtEnd::Expire => {
                self.status = Status::Expired;
                return Happening::Expired;
            }
            AtEnd::Renew => Happening::Renewed,
            AtEnd::Change { plan, interval } => {
                // Periods of another length, and those after a trial, make a row of their own.
                self.anchor = self.period.end;
                self.plan = *plan;
                self.interval = interval;
                if self.plan.is_free() && self.add_ons.is_empty() {
                    self.payment_provider = None;
                }
                Happening::Downgraded
            }
        };
        self.status = Status::Active;
        self.period = Period::after(self.anchor, self.period.end, self.interval.months());
        happening
    }

    /// Chooses `plan`, paid by `provider` unless it is free. A new period starts at once when the
    /// subscription is inactive or a trial, or when the plan is higher or the interval longer. A
    /// lower plan starts when the period ends. Choosing the current plan cancels a scheduled
    /// change.
    #[must_use]
    pub fn choose(
        mut self,
        plan: &Plan,
        interval: Interval,
        provider: Option<PaymentProvider>,
        coupon_code: Option<String>,
        now: OffsetDateTime,
    ) -> Chosen {
        let before = (self.plan.rank(), self.interval);
        let after = (plan.rank(), interval);
        let is_settled = matches!(self.status, Status::Active | Status::PastDue);
        if is_settled && plan.slug == self.plan.slug && interval == self.interval {
            self.at_end = AtEnd::Renew;
            return Chosen { subscription: self, ended: None, happened: None, is_scheduled: false };
        }
        if is_settled && after < before {
            self.at_end = AtEnd::Change { plan: Box::new(plan.clone()), interval };
            self.updated_at = now;
            let happened = Some(Happening::DowngradeScheduled);
            return Chosen { subscription: self, ended: None, happened, is_scheduled: true };
        }
        let happened = match is_settled && !self.plan.is_free() {
            true => Happening::Upgraded,
            false => Happening::Subscribed,
        };
        let mut usage = self.usage.clone();
        usage.month.end = now;
        let is_cut = self.status.is_running();
        let ended = is_cut.then(|| self.ended_month(usage, Some(now)));
        self.begin_month();
        if let (Status::Trialing, Some(end)) = (self.status, self.trial_ends_at) {
            self.trial_ends_at = Some(end.min(now));
        }
        self.plan = plan.clone();
        self.interval = interval;
        self.status = Status::Active;
        self.at_end = AtEnd::Renew;
        self.anchor = now;
        self.period = Period::after(now, now, interval.months());
        self.usage = Usage::none(month_of(now, self.period, now));
        self.payment_provider = provider.filter(|_| !plan.is_free());
        // A coupon stays with the next plan until another code takes its place.
        if coupon_code.is_some() && coupon_code != self.coupon_code {
            self.coupon = None;
        }
        self.coupon_code = coupon_code.or(self.coupon_code);
        self.updated_at = now;
        Chosen { subscription: self, ended, happened: Some(happened), is_scheduled: false }
    }

    /// Ends it when its period ends. What does not run stays as it is.
    #[must_use]
    pub fn cancel(mut self, now: OffsetDateTime) -> (Self, Option<Happening>) {
        if !self.status.is_running() || self.at_end == AtEnd::Cancel {
            return (self, None);
        }
        self.at_end = AtEnd::Cancel;
        self.updated_at = now;
        (self, Some(Happening::CancellationScheduled))
    }

    /// Counts a document that is issued; an invoice as both. It must have been advanced to now.
    ///
    /// # Errors
    /// [`NotAllowed::LimitReached`] where one more has no price; [`NotAllowed::Inactive`].
    pub fn issue(&mut self, is_invoice: bool) -> Result<(), NotAllowed> {
        let counted = if is_invoice { Resource::Invoices } else { Resource::Documents };
        self.take(self.plan.limits.meets(is_invoice), counted)
    }

    /// Counts an electronic invoice that is sent, as the unit of the sending does. It must have
    /// been advanced to now.
    ///
    /// # Errors
    /// As [`Subscription::issue`]; [`NotAllowed::NoFeature`].
    pub fn send_e_invoice(&mut self) -> Result<(), NotAllowed> {
        self.require(Feature::EInvoicing)?;
        self.take(Resource::EInvoicingSends, Resource::EInvoicingSends)
    }

    /// Counts what the law wants issued, whatever the plan says.
    pub const fn issue_by_law(&mut self, is_invoice: bool) {
        let counted = if is_invoice { Resource::Invoices } else { Resource::Documents };
        self.usage.add(counted);
    }

    fn take(&mut self, limited: Resource, counted: Resource) -> Result<(), NotAllowed> {
        self.must_run()?;
        let limits = self.limits();
        if let Some(limit) = limits.of(limited).filter(|_| !self.usage.allows(&limits, limited)) {
            return Err(NotAllowed::LimitReached {
                plan: self.plan.name.clone(),
                resource: limited,
                limit,
                usage: self.usage.of(limited),
                until: self.usage.month.end.date(),
            });
        }
        self.usage.add(counted);
        Ok(())
    }

    /// Accepts the use of `feature`.
    ///
    /// # Errors
    /// [`NotAllowed::NoFeature`], [`NotAllowed::Inactive`].
    pub fn require(&self, feature: Feature) -> Result<(), NotAllowed> {
        self.must_run()?;
        if self.has(feature) {
            return Ok(());
        }
        Err(NotAllowed::NoFeature { plan: self.plan.name.clone(), feature })
    }

    const fn must_run(&self) -> Result<(), NotAllowed> {
        match self.status.is_running() {
            true => Ok(()),
            false => Err(NotAllowed::Inactive { status: self.status }),
        }
    }

    /// The answer to a query whether more of `resource` is allowed.
    #[must_use]
    pub fn check(&self, resource: Resource) -> LimitCheck {
        let mut check = self.usage.check(&self.limits(), resource);
        check.allowed &= self.status.is_running();
        check
    }

    /// When it ends, when that was asked for.
    #[must_use]
    pub fn cancel_at(&self) -> Option<OffsetDateTime> {
        (self.at_end == AtEnd::Cancel || self.status == Status::Cancelled)
            .then_some(self.period.end)
    }

    /// Days until what is tried ends, begun ones whole; `None` when nothing is tried.
    #[must_use]
    pub fn trial_days_remaining(&self, now: OffsetDateTime) -> Option<i64> {
        let end = self.trial_ends_at.filter(|_| self.status == Status::Trialing)?;
        Some(((end - now).whole_seconds() + 86_399).max(0) / 86_400)
    }
}
