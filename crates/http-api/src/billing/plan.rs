//! Plans and subscriptions as they are answered.

use racun_billing::{
    AddOn, AtEnd, ChosenAddOn, Feature, LimitCheck, PaymentProvider, Plan, Subscription, WhiteLabel,
};
use racun_kernel::Decimal;
use racun_kernel::calendar::format_instant;
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::body::names;
use crate::schema::number;

names! {
    /// How often a subscription is paid.
    IntervalBody as BillingInterval of racun_billing::Interval { Monthly, Yearly }
}

/// A plan, as it is sold.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Plan)]
pub(super) struct PlanBody {
    id: String,
    /// What requests name it by.
    slug: String,
    name: String,
    /// What the base price pays for: `monthly` or `yearly`.
    billing_interval: &'static str,
    /// The price of one such interval, in cents.
    base_price_cents: i64,
    limits: PlanLimitsBody,
    /// What it has; all there is when empty.
    features: Vec<&'static str>,
    is_free: bool,
    /// Its place among the plans: smallest first.
    display_order: i32,
}

/// How much a plan allows; null where that is not limited. Prices are in cents.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PlanLimits)]
struct PlanLimitsBody {
    /// Documents of all kinds; counts only where invoices are not limited.
    #[schema(required = true)]
    documents_per_month: Option<i64>,
    #[schema(required = true)]
    invoices_per_month: Option<i64>,
    /// The price of each document beyond the limit; null when the limit stops.
    #[schema(required = true)]
    overage_price_cents: Option<i64>,
    /// On the subscription's own plan only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    e_invoicing_sends_included: Option<Option<i64>>,
    /// On the subscription's own plan only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    e_invoicing_send_price_cents: Option<Option<i64>>,
    #[schema(required = true)]
    annual_price_cents: Option<i64>,
    #[schema(required = true)]
    included_store_count: Option<i64>,
    #[schema(required = true)]
    extra_store_price_cents: Option<i64>,
    #[schema(required = true)]
    extra_store_annual_price_cents: Option<i64>,
    #[schema(required = true)]
    extra_store_invoices_per_month: Option<i64>,
}

impl PlanBody {
    /// A plan that is sold, or with `is_own` the one that is subscribed to.
    pub fn of(plan: &Plan, is_own: bool) -> Self {
        let limits = &plan.limits;
        Self {
            id: plan.id.clone(),
            slug: plan.slug.clone(),
            name: plan.name.clone(),
            billing_interval: plan.billing_interval.name(),
            base_price_cents: plan.base_price_cents,
            limits: PlanLimitsBody {
                documents_per_month: limits.documents_per_month,
                invoices_per_month: limits.invoices_per_month,
                overage_price_cents: limits.overage_price_cents,
                e_invoicing_sends_included: is_own.then_some(limits.e_invoicing_sends_included),
                e_invoicing_send_price_cents: is_own.then_some(limits.e_invoicing_send_price_cents),
                annual_price_cents: plan.annual_price_cents,
                included_store_count: limits.included_store_count,
                extra_store_price_cents: limits.extra_store_price_cents,
                extra_store_annual_price_cents: limits.extra_store_annual_price_cents,
                extra_store_invoices_per_month: limits.extra_store_invoices_per_month,
            },
            features: plan.features.iter().copied().map(Feature::slug).collect(),
            is_free: plan.is_free(),
            display_order: plan.display_order,
        }
    }
}

/// What is sold beside plans, by the month. Numbers are those that one adds, where the plan limits
/// them.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AddOn)]
struct AddOnBody {
    /// What requests name it by.
    slug: String,
    name: String,
    /// The price of one, in a month.
    price_cents: i64,
    documents_per_month: i64,
    invoices_per_month: i64,
    e_invoicing_sends: i64,
    /// Features that come with it.
    features: Vec<&'static str>,
}

/// An add-on that the entity has.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OwnAddOn)]
struct OwnAddOnBody {
    /// Its terms are those of the day on which it was chosen.
    add_on: AddOnBody,
    quantity: i64,
}

impl AddOnBody {
    fn of(add_on: &AddOn) -> Self {
        Self {
            slug: add_on.slug.clone(),
            name: add_on.name.clone(),
            price_cents: add_on.price_cents,
            documents_per_month: add_on.documents_per_month,
            invoices_per_month: add_on.invoices_per_month,
            e_invoicing_sends: add_on.e_invoicing_sends,
            features: add_on.features.iter().copied().map(Feature::slug).collect(),
        }
    }
}

impl OwnAddOnBody {
    /// None of which there is none left in this month.
    fn of(own: &ChosenAddOn) -> Option<Self> {
        let quantity = Some(own.quantity).filter(|quantity| *quantity > 0)?;
        Some(Self { add_on: AddOnBody::of(&own.add_on), quantity })
    }
}

/// An entity's subscription to a plan of a white label.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WhiteLabelSubscription)]
pub(crate) struct SubscriptionBody {
    /// Its terms are those of the day on which it was chosen.
    plan: PlanBody,
    /// `trialing`, `active`, `past_due`, `cancelled`, `expired` or `incomplete`.
    status: &'static str,
    /// `monthly` or `yearly`.
    #[schema(required = true)]
    billing_interval: Option<&'static str>,
    current_period_start: String,
    current_period_end: String,
    /// How it is paid, or would be: `card_processor` (by card), `online_wallet`, `bank` or
    /// `legacy_gateway`.
    payment_provider: &'static str,
    /// Always false: no store's platform manages subscriptions here.
    platform_managed: bool,
    currency_code: String,
    /// `default` or `us_company`.
    billing_profile: &'static str,
    allowed_payment_providers: Vec<&'static str>,
    /// The billing profile whose key a card processor would be asked with.
    card_processor_publishable_key_kind: &'static str,
    /// What a payment by bank has to name.
    #[schema(required = true)]
    bank_reference: Option<String>,
    #[schema(required = true)]
    billing_email: Option<String>,
    #[schema(required = true)]
    coupon_code: Option<String>,
    /// What is there beside the plan; not present where nothing is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    add_ons: Vec<OwnAddOnBody>,
    #[schema(required = true)]
    trial_ends_at: Option<String>,
    /// Begun days count whole.
    #[schema(required = true)]
    trial_days_remaining: Option<i64>,
    /// Always false: a trial begins with the entity, not with this request.
    trial_started_now: bool,
    /// When it ends, or ended, because that was asked for.
    #[schema(required = true)]
    cancel_at: Option<String>,
    /// What the next period will be of, when that is another plan.
    #[schema(required = true)]
    scheduled_change: Option<ScheduledChangeBody>,
    payment_method: PaymentMethodBody,
    store_billing: StoreBillingBody,
    usage: UsageBody,
}

/// A plan that begins when the period ends.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ScheduledPlanChange)]
struct ScheduledChangeBody {
    plan: PlanBody,
    billing_interval: &'static str,
    effective_at: String,
}

/// The card that pays; all is null or false where there is none.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SubscriptionPaymentMethod)]
pub(super) struct PaymentMethodBody {
    #[schema(required = true)]
    last4: Option<String>,
    #[schema(required = true)]
    brand: Option<String>,
    has_card: bool,
}

/// Connected stores, and what the bill of the current month charges for them.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StoreBilling)]
struct StoreBillingBody {
    /// Integrations of shops' platforms that take orders.
    connected_stores: i64,
    included_stores: i64,
    /// The most that were connected in the month beyond the included ones: so many the bill
    /// charges. None where the plan has no price for them, and in a trial.
    billable_extra_stores: i64,
    /// Invoices that those add to the month's limit.
    invoices_included_from_extra_stores: i64,
    #[schema(required = true)]
    extra_store_price_cents_monthly: Option<i64>,
    /// Where the plan is paid by the year, each month is charged a twelfth of it.
    #[schema(required = true)]
    extra_store_price_cents_yearly: Option<i64>,
}

/// What was used in the current month of the period.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SubscriptionUsage)]
struct UsageBody {
    /// Documents of all kinds that were issued, invoices among them.
    documents_count: i64,
    #[schema(required = true)]
    documents_limit: Option<i64>,
    invoices_count: i64,
    #[schema(required = true)]
    invoices_limit: Option<i64>,
    e_invoicing_send_count: i64,
    #[schema(required = true)]
    e_invoicing_sends_included: Option<i64>,
    period_start: String,
    period_end: String,
}

impl SubscriptionBody {
    /// `subscription` as it is at `now`, of `label` as long as the operator's file has it.
    pub fn of(
        subscription: &Subscription,
        label: Option<&WhiteLabel>,
        now: OffsetDateTime,
    ) -> Self {
        let scheduled_change = match &subscription.at_end {
            AtEnd::Change { plan, interval } => Some(ScheduledChangeBody {
                plan: PlanBody::of(plan, false),
                billing_interval: interval.name(),
                effective_at: format_instant(subscription.period.end),
            }),
            AtEnd::Renew | AtEnd::Cancel | AtEnd::Expire => None,
        };
        let allowed = allowed(label);
        let default = allowed.first().copied().unwrap_or(PaymentProvider::Bank);
        Self {
            plan: PlanBody::of(&subscription.plan, true),
            status: subscription.status.name(),
            billing_interval: Some(subscription.interval.name()),
            current_period_start: format_instant(subscription.period.start),
            current_period_end: format_instant(subscription.period.end),
            payment_provider: subscription.payment_provider.unwrap_or(default).name(),
            platform_managed: false,
            currency_code: subscription.currency.clone(),
            billing_profile: subscription.billing_profile.name(),
            allowed_payment_providers: allowed.iter().map(|provider| provider.name()).collect(),
            card_processor_publishable_key_kind: subscription.billing_profile.name(),
            bank_reference: subscription.bank_reference(),
            billing_email: subscription.billing_email.clone(),
            coupon_code: subscription.coupon_code.clone(),
            add_ons: subscription.add_ons.iter().filter_map(OwnAddOnBody::of).collect(),
            trial_ends_at: subscription.trial_ends_at.map(format_instant),
            trial_days_remaining: subscription.trial_days_remaining(now),
            trial_started_now: false,
            cancel_at: subscription.cancel_at().map(format_instant),
            scheduled_change,
            payment_method: PaymentMethodBody::of(subscription),
            store_billing: StoreBillingBody::of(subscription),
            usage: UsageBody::of(subscription),
        }
    }
}

impl StoreBillingBody {
    fn of(subscription: &Subscription) -> Self {
        let (limits, stores) = (&subscription.plan.limits, subscription.store_billing());
        Self {
            connected_stores: stores.connected,
            included_stores: stores.included,
            billable_extra_stores: stores.billable,
            invoices_included_from_extra_stores: stores.invoices,
            extra_store_price_cents_monthly: limits.extra_store_price_cents,
            extra_store_price_cents_yearly: limits.extra_store_annual_price_cents,
        }
    }
}

impl PaymentMethodBody {
    pub fn of(subscription: &Subscription) -> Self {
        let card = subscription.card.as_ref();
        Self {
            last4: card.map(|card| card.last4.clone()),
            brand: card.map(|card| card.brand.clone()),
            has_card: card.is_some(),
        }
    }
}

impl UsageBody {
    fn of(subscription: &Subscription) -> Self {
        let (usage, limits) = (&subscription.usage, subscription.limits());
        Self {
            documents_count: usage.documents,
            documents_limit: limits.documents_per_month,
            invoices_count: usage.invoices,
            invoices_limit: limits.invoices_per_month,
            e_invoicing_send_count: usage.e_invoicing_sends,
            e_invoicing_sends_included: limits.e_invoicing_sends_included,
            period_start: format_instant(usage.month.start),
            period_end: format_instant(usage.month.end),
        }
    }
}

/// The plans that an entity can choose from.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = Plans)]
pub(super) struct PlansBody {
    /// In their order; none without a subscription, and then only the next property is present too.
    plans: Vec<PlanBody>,
    /// What is sold beside plans; not present where nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    add_ons: Option<Vec<AddOnBody>>,
    #[schema(required = true)]
    current_plan_slug: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    currency_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    billing_profile: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    allowed_payment_providers: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    card_processor_publishable_key_kind: Option<&'static str>,
}

impl PlansBody {
    pub fn of(subscription: &Subscription, label: Option<&WhiteLabel>) -> Self {
        let plans = label.map_or(&[][..], |label| &label.plans);
        let billing_profile = subscription.billing_profile.name();
        let add_ons = label.map_or(&[][..], |label| &label.add_ons);
        Self {
            add_ons: (!add_ons.is_empty()).then(|| add_ons.iter().map(AddOnBody::of).collect()),
            plans: plans.iter().map(|plan| PlanBody::of(plan, false)).collect(),
            current_plan_slug: Some(subscription.plan.slug.clone()),
            currency_code: Some(subscription.currency.clone()),
            billing_profile: Some(billing_profile),
            allowed_payment_providers: Some(allowed(label).iter().map(|one| one.name()).collect()),
            card_processor_publishable_key_kind: Some(billing_profile),
        }
    }
}

/// Whether there is more of something.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LimitCheck)]
pub(super) struct LimitCheckBody {
    resource: &'static str,
    /// Whether one more is let through, for a price or not.
    allowed: bool,
    usage: i64,
    #[schema(required = true)]
    limit: Option<i64>,
    /// Of the limit; 0 where there is none.
    #[schema(schema_with = number)]
    percentage: Decimal,
}

impl From<LimitCheck> for LimitCheckBody {
    fn from(check: LimitCheck) -> Self {
        let LimitCheck { resource, allowed, usage, limit, percentage } = check;
        Self { resource: resource.name(), allowed, usage, limit, percentage }
    }
}

fn allowed(label: Option<&WhiteLabel>) -> &[PaymentProvider] {
    label.map_or(&[][..], |label| &label.allowed_payment_providers)
}
