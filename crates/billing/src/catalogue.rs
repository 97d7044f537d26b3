//! White labels as the operator has them in a file, or manages them, and what is wrong there.

use std::collections::BTreeSet;

use racun_kernel::id::EntityId;
use racun_kernel::{Decimal, Environment, Issue, Issues};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use time::Date;

use crate::plan::check_slug;
use crate::{AddOn, Coupon, Feature, Interval, PictureUrl, Plan, Subscription};

/// All white labels. Without any, nothing is limited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "white labels")]
pub struct Catalogue {
    white_labels: Vec<WhiteLabel>,
}

/// Racun under the name of another company, which may sell it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WhiteLabel {
    /// What it is known by: accounts that sign up under it keep this.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// The environment that it sells in; both when absent.
    #[serde(default)]
    pub environment: Option<Environment>,
    /// The hosts under which it is reached, without scheme and port, as in `app.example.com`.
    pub hosts: Vec<String>,
    /// Whether sign-ups at other hosts belong to it, too: at most one white label has this.
    #[serde(default)]
    pub is_default: bool,
    /// What its application is called.
    #[serde(default)]
    pub app_name: Option<String>,
    /// The same, where there is little room.
    #[serde(default)]
    pub short_name: Option<String>,
    /// Where its logo is, or the logo itself as a `data:` address.
    #[serde(default)]
    pub logo_url: Option<PictureUrl>,
    /// Where its small icon is.
    #[serde(default)]
    pub favicon_url: Option<PictureUrl>,
    /// Its colour, as in `#1a7f37`.
    #[serde(default)]
    pub theme_color: Option<String>,
    /// Features that clients hide. They can still be reached.
    #[serde(default)]
    pub hidden_features: Vec<String>,
    /// Whether clients hide features that have not been reviewed.
    #[serde(default)]
    pub hide_new_features_by_default: bool,
    /// Features that have been reviewed.
    #[serde(default)]
    pub reviewed_feature_catalog_ids: Vec<String>,
    /// Whether entities that are made under it subscribe to its plans.
    #[serde(default)]
    pub billing_enabled: bool,
    /// Whether users of the account see the whole application.
    #[serde(default)]
    pub account_users_full_ui_enabled: bool,
    /// What clients measure with.
    #[serde(default)]
    pub analytics: Map<String, Json>,
    /// Where people get help.
    #[serde(default)]
    pub support_email: Option<String>,
    /// Days for which a plan with a price can be tried.
    #[serde(default)]
    pub trial_days: u16,
    /// The currency of prices: `EUR` or `USD`.
    #[serde(default = "euro")]
    pub currency: String,
    /// Under which terms it bills.
    #[serde(default)]
    pub billing_profile: BillingProfile,
    /// How plans can be paid.
    #[serde(default)]
    pub allowed_payment_providers: Vec<PaymentProvider>,
    /// The way to pay that is offered first; it is allowed, too.
    #[serde(default)]
    pub payment_provider: Option<PaymentProvider>,
    /// The operator's entity that issues invoices of what is collected by card.
    #[serde(default)]
    pub billing_entity_id: Option<EntityId>,
    /// The rate of the tax that prices include, in percent, for those invoices; without it they
    /// are untaxed.
    #[serde(default)]
    pub billing_tax_rate: Option<Decimal>,
    /// Codes that a request to activate a plan may name.
    #[serde(default)]
    pub coupon_codes: Vec<String>,
    /// Codes among those that make plans and add-ons cheaper.
    #[serde(default)]
    pub coupons: Vec<Coupon>,
    /// What it sells beside plans.
    #[serde(default)]
    pub add_ons: Vec<AddOn>,
    /// The plan that a new entity starts with; needed where it bills.
    #[serde(default)]
    pub default_plan: Option<String>,
    /// What it sells.
    #[serde(default)]
    pub plans: Vec<Plan>,
}

/// The answer to a query whether a feature may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureCheck {
    /// The feature.
    pub feature: Feature,
    /// Whether it may be used.
    pub allowed: bool,
    /// The slug of the plan to choose for it, where there is one.
    pub upgrade_plan_slug: Option<String>,
}

/// How plans can be paid. Records and files of before have the names of companies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentProvider {
    /// By card.
    #[serde(alias = "stripe")]
    CardProcessor,
    /// By an online wallet.
    #[serde(alias = "paypal")]
    OnlineWallet,
    /// From account to account.
    Bank,
    /// By the gateway of old.
    #[serde(alias = "braintree")]
    LegacyGateway,
}

/// Under which terms a white label bills.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BillingProfile {
    /// Those of Europe.
    #[default]
    Default,
    /// Those of a company in the United States.
    UsCompany,
}

fn euro() -> String {
    "EUR".to_owned()
}

impl PaymentProvider {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CardProcessor => "card_processor",
            Self::OnlineWallet => "online_wallet",
            Self::Bank => "bank",
            Self::LegacyGateway => "legacy_gateway",
        }
    }
}

impl BillingProfile {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::UsCompany => "us_company",
        }
    }
}

impl Catalogue {
    /// The catalogue of white labels that are complete.
    pub(crate) const fn of(white_labels: Vec<WhiteLabel>) -> Self {
        Self { white_labels }
    }

    /// The same catalogue, complete: plans have ids and are in their order.
    ///
    /// # Errors
    /// All that is wrong with it, by path.
    pub fn complete(mut self) -> Result<Self, Issues> {
        let mut issues = Issues::default();
        let (mut slugs, mut hosts) = (BTreeSet::new(), BTreeSet::new());
        let mut has_default = false;
        for (n, label) in self.white_labels.iter_mut().enumerate() {
            let mut own = Issues::default();
            own.note(label.complete());
            if !slugs.insert(label.slug.clone()) {
                own.push(twice().at("slug"));
            }
            if label.is_default && std::mem::replace(&mut has_default, true) {
                own.push(twice().at("is_default"));
            }
            for (n, host) in label.hosts.iter().enumerate() {
                if !hosts.insert(host.clone()) {
                    own.push(twice().at(n).at("hosts"));
                }
            }
            issues.extend_at("white_labels", own.at(n));
        }
        issues.into_result(self)
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.white_labels.is_empty()
    }

    /// Whether `subscription` has `feature`, and else which plan of its white label does: the
    /// lowest one, at or above its own where that does not run, and above it where it does.
    #[must_use]
    pub fn check(&self, subscription: &Subscription, feature: Feature) -> FeatureCheck {
        let allowed = subscription.require(feature).is_ok();
        let plans = self.by_slug(&subscription.white_label).map_or(&[][..], |label| &label.plans);
        let (own, runs) = (subscription.plan.rank(), subscription.status.is_running());
        let fits = |plan: &&Plan| {
            plan.has(feature) && (plan.rank() > own || (!runs && plan.rank() == own))
        };
        let upgrade = plans.iter().filter(fits).min_by_key(|plan| plan.rank());
        let upgrade_plan_slug = upgrade.filter(|_| !allowed).map(|plan| plan.slug.clone());
        FeatureCheck { feature, allowed, upgrade_plan_slug }
    }

    /// The white label that is reached under `host`: a host's name, with its port or without.
    #[must_use]
    pub fn at_host(&self, host: &str) -> Option<&WhiteLabel> {
        let host = host.rsplit_once(':').map_or(host, |(host, _)| host).to_ascii_lowercase();
        self.white_labels.iter().find(|label| label.hosts.contains(&host))
    }

    /// The white label of sign-ups at hosts that no white label has, when there is one.
    #[must_use]
    pub fn default_label(&self) -> Option<&WhiteLabel> {
        self.white_labels.iter().find(|label| label.is_default)
    }

    /// The white label with this slug.
    #[must_use]
    pub fn by_slug(&self, slug: &str) -> Option<&WhiteLabel> {
        self.white_labels.iter().find(|label| label.slug == slug)
    }
}

impl WhiteLabel {
    /// The plan with this slug.
    #[must_use]
    pub fn plan(&self, slug: &str) -> Option<&Plan> {
        self.plans.iter().find(|plan| plan.slug == slug)
    }

    /// The plan that costs nothing, when there is one.
    #[must_use]
    pub fn free_plan(&self) -> Option<&Plan> {
        self.plans.iter().find(|plan| plan.is_free())
    }

    /// The plan that an entity in `environment` starts with; `None` where nothing is billed.
    #[must_use]
    pub fn starts_with(&self, environment: Environment) -> Option<&Plan> {
        let bills = self.billing_enabled && self.environment.is_none_or(|own| own == environment);
        self.default_plan.as_deref().filter(|_| bills).and_then(|slug| self.plan(slug))
    }

    /// What `code` takes off on `day`; `None` for a code that takes nothing off.
    ///
    /// # Errors
    /// An issue at `coupon_code` for a code that there is not, or not any more.
    pub fn coupon(&self, code: &str, day: Date) -> Result<Option<Coupon>, Issues> {
        let found = self.coupons.iter().find(|coupon| coupon.code == code);
        let is_good = found.is_some_and(|coupon| coupon.is_good_on(day));
        if is_good || self.coupon_codes.iter().any(|known| known == code) {
            return Ok(found.cloned());
        }
        let message = if found.is_some() { "the code is over" } else { "no such code" };
        Err(Issue::new("invalid_value", message).at("coupon_code").into())
    }

    /// The plan that `slug` and `interval` choose.
    ///
    /// # Errors
    /// Issues at `plan_slug` and `billing_interval`.
    pub fn choose(&self, slug: &str, interval: Interval) -> Result<&Plan, Issues> {
        let Some(plan) = self.plan(slug) else {
            let known = self.plans.iter().map(|plan| plan.slug.as_str()).collect::<Vec<_>>();
            let message = format!("no such plan; there are {}", known.join(", "));
            return Err(Issue::new("invalid_value", message).at("plan_slug").into());
        };
        if plan.is_sold(interval) {
            return Ok(plan);
        }
        let message = format!("{} is not sold so; choose the other interval", plan.name);
        Err(Issue::new("invalid_value", message).at("billing_interval").into())
    }

    /// Whether plans can be paid by `provider`.
    #[must_use]
    pub fn takes(&self, provider: PaymentProvider) -> bool {
        self.allowed_payment_providers.contains(&provider)
    }

    /// Completes the white label and notes what is wrong with it.
    pub(crate) fn complete(&mut self) -> Result<(), Issues> {
        let mut issues = Issues::default();
        check_slug(&mut issues, &self.slug);
        if self.hosts.is_empty() {
            issues.push(Issue::new("required", "name a host at least").at("hosts"));
        }
        for (n, host) in self.hosts.iter().enumerate() {
            let is_name = |c: char| {
                c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-' | '_')
            };
            if host.is_empty() || !host.chars().all(is_name) {
                let message = "expected a host in small letters, without scheme, port and path";
                issues.push(Issue::new("invalid_value", message).at(n).at("hosts"));
            }
        }
        self.check_brand(&mut issues);
        if !matches!(self.currency.as_str(), "EUR" | "USD") {
            issues.push(Issue::new("invalid_value", "expected EUR or USD").at("currency"));
        }
        if let Some(first) = self.payment_provider {
            self.allowed_payment_providers.retain(|known| *known != first);
            self.allowed_payment_providers.insert(0, first);
        }
        let is_rate = |rate: &Decimal| !rate.is_negative() && *rate <= Decimal::from(100);
        if self.billing_tax_rate.as_ref().is_some_and(|rate| !is_rate(rate)) {
            let message = "expected a rate in percent, from 0 to 100";
            issues.push(Issue::new("out_of_range", message).at("billing_tax_rate"));
        }
        let mut slugs = BTreeSet::new();
        for (n, plan) in self.plans.iter_mut().enumerate() {
            let mut own = Issues::default();
            own.note(plan.complete());
            if !slugs.insert(plan.slug.clone()) {
                own.push(twice().at("slug"));
            }
            issues.extend_at("plans", own.at(n));
        }
        let mut codes = BTreeSet::new();
        for (n, coupon) in self.coupons.iter().enumerate() {
            let mut own = Issues::default();
            own.note(coupon.check());
            if !codes.insert(&coupon.code) || self.coupon_codes.contains(&coupon.code) {
                own.push(twice().at("code"));
            }
            issues.extend_at("coupons", own.at(n));
        }
        let mut slugs = BTreeSet::new();
        for (n, add_on) in self.add_ons.iter().enumerate() {
            let mut own = Issues::default();
            own.note(add_on.check());
            if !slugs.insert(&add_on.slug) {
                own.push(twice().at("slug"));
            }
            issues.extend_at("add_ons", own.at(n));
        }
        let has_default =
            self.default_plan.as_deref().is_some_and(|slug| self.plan(slug).is_some());
        if !has_default && (self.billing_enabled || self.default_plan.is_some()) {
            let message = "name the slug of one of the plans";
            issues.push(Issue::new("required", message).at("default_plan"));
        }
        self.plans.sort_by_key(|plan| plan.display_order);
        issues.into_result(())
    }
}

fn twice() -> Issue {
    Issue::new("duplicate", "stands there twice")
}
