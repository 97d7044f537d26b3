//! White labels as the operator manages them, by a key of their own.

use actix_web::HttpRequest;
use actix_web::http::header::AUTHORIZATION;
use actix_web::web;
use racun_access::Digest;
use racun_billing::{
    AddOn, BillingProfile, Coupon, Feature, Interval, Limits, PaymentProvider, PictureUrl, Plan,
    WhiteLabel,
};
use racun_kernel::calendar::parse_date;
use racun_kernel::id::EntityId;
use racun_kernel::{Decimal, Environment, Issue, Issues};
use racun_sales::billing::{self, LabelSource};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use validator::Validate;

use super::plan::IntervalBody;
use crate::answer::{Json, NoContent};
use crate::body::{AllBody, Convert, names};
use crate::body_limit::RECORD;
use crate::call::Call;
use crate::error::{ApiError, Kind};
use crate::header::bearer_token;
use crate::request::Body;
use crate::route::{Gate, Route};
use crate::schema::nullable_number;
use crate::security::SecurityEvent;

const TAG: &str = "White labels";

/// Routes by which the operator manages white labels. They are open to tokens of none: each asks
/// for the operator's key.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/operator/white-labels", "listManagedWhiteLabels", Gate::Open, || web::to(list))
        .about(TAG, "Lists the white labels that the operator manages.")
        .explained(KEY)
        .checks_sender()
        .answers::<AllBody<ManagedLabelBody>>(),
    Route::put("/operator/white-labels/{slug}", "putManagedWhiteLabel", Gate::Open, || {
        web::to(put)
    })
    .about(TAG, "Makes a white label, or replaces it.")
    .explained(KEY)
    .checks_sender()
    .takes::<LabelInputBody>()
    .up_to(RECORD)
    .answers::<ManagedLabelBody>()
    .seen_as(SecurityEvent::WhiteLabelChanged),
    Route::delete("/operator/white-labels/{slug}", "removeManagedWhiteLabel", Gate::Open, || {
        web::to(remove)
    })
    .about(TAG, "Removes a white label: nothing new is sold under it. Subscriptions stay.")
    .explained(KEY)
    .checks_sender()
    .seen_as(SecurityEvent::WhiteLabelChanged),
];

/// What a route of the operator takes to be shown.
pub(super) const KEY: &str = "`Authorization: Bearer` shows the key of \
     RACUN__BILLING__OPERATOR_KEY. Where the operator keeps white labels in a file, there is no \
     key, and this is 401.";

names! {
    /// The environment that a white label sells in.
    LabelEnvironmentBody as WhiteLabelEnvironment of Environment { Live, Sandbox }
}

names! {
    /// How plans can be paid.
    PaymentProviderBody as PlanPaymentProvider of PaymentProvider {
        CardProcessor, OnlineWallet, Bank, LegacyGateway
    }
}

names! {
    /// Under which terms a white label bills.
    BillingProfileBody as BillingProfile of BillingProfile { Default, UsCompany }
}

/// Body of `PUT /operator/white-labels/{slug}`: what the operator's file may say of one, too.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = ManagedWhiteLabelInput)]
struct LabelInputBody {
    /// Its name.
    name: String,
    /// The environment that it sells in; both when absent.
    environment: Option<LabelEnvironmentBody>,
    /// The hosts under which it is reached, without scheme and port.
    hosts: Vec<String>,
    /// Whether sign-ups at other hosts belong to it, too.
    is_default: Option<bool>,
    /// What its application is called.
    app_name: Option<String>,
    /// The same, where there is little room.
    short_name: Option<String>,
    /// Its logo: an address by https, which pages for people and mails to users show; or a PNG or
    /// JPEG of at most 24 KiB as in `data:image/png;base64,…`, which pages of documents and mails
    /// about them show, too.
    logo_url: Option<String>,
    /// Where its small icon is.
    favicon_url: Option<String>,
    /// Its colour, as in `#1a7f37`: pages for people and mails to users have it.
    theme_color: Option<String>,
    /// Features that clients hide. They can still be reached.
    hidden_features: Option<Vec<String>>,
    /// Whether clients hide features that have not been reviewed.
    hide_new_features_by_default: Option<bool>,
    /// Features that have been reviewed.
    reviewed_feature_catalog_ids: Option<Vec<String>>,
    /// Whether entities that are made under it subscribe to its plans.
    billing_enabled: Option<bool>,
    /// Whether users of the account see the whole application.
    account_users_full_ui_enabled: Option<bool>,
    /// What clients measure with.
    #[schema(value_type = Option<Map<String, Value>>)]
    analytics: Option<Map<String, Value>>,
    /// Where people get help.
    support_email: Option<String>,
    /// Days for which a plan with a price can be tried.
    trial_days: Option<u16>,
    /// The currency of prices: `EUR` or `USD`.
    currency: Option<String>,
    /// Under which terms it bills.
    billing_profile: Option<BillingProfileBody>,
    /// How plans can be paid.
    allowed_payment_providers: Option<Vec<PaymentProviderBody>>,
    /// The way to pay that is offered first; it is allowed, too.
    payment_provider: Option<PaymentProviderBody>,
    /// The operator's entity that issues invoices of what is collected by card.
    billing_entity_id: Option<String>,
    /// The rate of the tax that prices include, in percent, for those invoices; without it they
    /// are untaxed.
    #[schema(schema_with = nullable_number)]
    billing_tax_rate: Option<Decimal>,
    /// Codes that a request to activate a plan may name.
    coupon_codes: Option<Vec<String>>,
    /// Codes that make plans and add-ons cheaper.
    coupons: Option<Vec<CouponInputBody>>,
    /// What it sells beside plans.
    add_ons: Option<Vec<AddOnInputBody>>,
    /// The slug of the plan that a new entity starts with; needed where it bills.
    default_plan: Option<String>,
    /// What it sells.
    plans: Option<Vec<PlanInputBody>>,
}

/// A code, and what it takes off the charge of a month for plan and add-ons: a part, or an amount.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = ManagedCouponInput)]
struct CouponInputBody {
    /// What a request to activate a plan names.
    code: String,
    /// In percent, from 1 to 100.
    percent_off: Option<i64>,
    /// In cents, instead.
    amount_off_cents: Option<i64>,
    /// For how many months from the day on which it is named; for ever when absent.
    months: Option<u16>,
    /// The last day on which it can be named.
    #[schema(format = Date)]
    until: Option<String>,
}

/// What is sold beside plans, by the month.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = ManagedAddOnInput)]
struct AddOnInputBody {
    /// What requests name it by.
    slug: String,
    /// What people call it.
    name: String,
    /// The price of one, in a month.
    price_cents: i64,
    /// Documents in a month that one adds, where the plan limits them.
    documents_per_month: Option<i64>,
    /// Invoices in a month that one adds, where the plan limits them.
    invoices_per_month: Option<i64>,
    /// Electronic invoices in a month that one adds, where the plan limits them.
    e_invoicing_sends: Option<i64>,
    /// Features that come with it.
    features: Option<Vec<String>>,
}

/// A plan. Prices are in cents of the white label's currency.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = ManagedPlanInput)]
struct PlanInputBody {
    /// Its id, as in `plan_start`; made of the slug when absent.
    id: Option<String>,
    /// What requests name it by.
    slug: String,
    /// What people call it.
    name: String,
    /// What the base price pays for; a month when absent.
    billing_interval: Option<IntervalBody>,
    /// The price of one such interval; 0 makes a free plan.
    base_price_cents: i64,
    /// The price of a year; without it the plan is sold by its own interval only.
    annual_price_cents: Option<i64>,
    /// How much it allows.
    limits: Option<LimitsInputBody>,
    /// What it has; all there is when absent or empty.
    features: Option<Vec<String>>,
    /// Its place among the plans: smallest first.
    display_order: Option<i32>,
}

/// How much a plan allows; what is absent is not limited.
#[derive(Default, Deserialize, Serialize, ToSchema, Validate)]
#[schema(as = ManagedPlanLimits)]
struct LimitsInputBody {
    /// Documents of all kinds, issued within a month.
    documents_per_month: Option<i64>,
    /// Invoices issued within a month.
    invoices_per_month: Option<i64>,
    /// The price of each document beyond the limit. Without it the limit stops.
    overage_price_cents: Option<i64>,
    /// Electronic invoices sent within a month.
    e_invoicing_sends_included: Option<i64>,
    /// The price of each one beyond those. Without it the limit stops.
    e_invoicing_send_price_cents: Option<i64>,
    /// Connected stores that are included.
    included_store_count: Option<i64>,
    /// The price of each further store in a month.
    extra_store_price_cents: Option<i64>,
    /// The price of each further store in a year: a twelfth in each month of a plan that is paid by
    /// the year.
    extra_store_annual_price_cents: Option<i64>,
    /// Invoices in a month that each further store adds, where it has a price.
    extra_store_invoices_per_month: Option<i64>,
}

/// A white label as the operator set it, with what its absent properties came to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ManagedWhiteLabel)]
struct ManagedLabelBody {
    /// What it is known by.
    slug: String,
    /// Its name.
    name: String,
    /// The hosts under which it is reached.
    hosts: Vec<String>,
    /// All that it is, as it was sent.
    definition: Map<String, Value>,
}

impl ManagedLabelBody {
    fn of(label: &WhiteLabel) -> Self {
        let definition = match serde_json::to_value(label) {
            Ok(Value::Object(definition)) => definition,
            _ => Map::new(),
        };
        let (slug, name) = (label.slug.clone(), label.name.clone());
        Self { slug, name, hosts: label.hosts.clone(), definition }
    }
}

impl LimitsInputBody {
    const fn limits(&self) -> Limits {
        Limits {
            documents_per_month: self.documents_per_month,
            invoices_per_month: self.invoices_per_month,
            overage_price_cents: self.overage_price_cents,
            e_invoicing_sends_included: self.e_invoicing_sends_included,
            e_invoicing_send_price_cents: self.e_invoicing_send_price_cents,
            included_store_count: self.included_store_count,
            extra_store_price_cents: self.extra_store_price_cents,
            extra_store_annual_price_cents: self.extra_store_annual_price_cents,
            extra_store_invoices_per_month: self.extra_store_invoices_per_month,
        }
    }
}

/// The features that are `named`.
///
/// # Errors
/// Issues at the place of each that there is not, below `features`.
fn features(named: Option<Vec<String>>) -> Result<Vec<Feature>, Issues> {
    let (mut issues, named) = (Issues::default(), named.unwrap_or_default());
    let read = named.iter().enumerate().filter_map(|(n, name)| {
        let feature = name.parse::<Feature>();
        issues.collect("features", feature.map_err(|issue| Issues::from(issue.at(n))))
    });
    let features = read.collect();
    issues.into_result(features)
}

impl CouponInputBody {
    fn coupon(self) -> Result<Coupon, Issues> {
        let until = self.until.as_deref().map(parse_date).transpose();
        Ok(Coupon {
            until: until.map_err(|issue| Issues::from(issue.at("until")))?,
            code: self.code,
            percent_off: self.percent_off,
            amount_off_cents: self.amount_off_cents,
            months: self.months,
        })
    }
}

impl AddOnInputBody {
    fn add_on(self) -> Result<AddOn, Issues> {
        Ok(AddOn {
            features: features(self.features)?,
            slug: self.slug,
            name: self.name,
            price_cents: self.price_cents,
            documents_per_month: self.documents_per_month.unwrap_or_default(),
            invoices_per_month: self.invoices_per_month.unwrap_or_default(),
            e_invoicing_sends: self.e_invoicing_sends.unwrap_or_default(),
        })
    }
}

impl PlanInputBody {
    fn plan(self) -> Result<Plan, Issues> {
        let features = features(self.features)?;
        Ok(Plan {
            id: self.id.unwrap_or_default(),
            slug: self.slug,
            name: self.name,
            billing_interval: self.billing_interval.map_or(Interval::Monthly, Convert::convert),
            base_price_cents: self.base_price_cents,
            annual_price_cents: self.annual_price_cents,
            limits: self.limits.unwrap_or_default().limits(),
            features,
            display_order: self.display_order.unwrap_or_default(),
        })
    }
}

impl LabelInputBody {
    fn label(self, slug: String) -> Result<WhiteLabel, Issues> {
        let mut issues = Issues::default();
        let plans = each(&mut issues, "plans", self.plans, PlanInputBody::plan);
        let coupons = each(&mut issues, "coupons", self.coupons, CouponInputBody::coupon);
        let add_ons = each(&mut issues, "add_ons", self.add_ons, AddOnInputBody::add_on);
        let entity = self.billing_entity_id.as_deref().map(|id| {
            let message = "expected the id of an entity, as in ent_…";
            let unreadable = || Issue::new("invalid_value", message).at("billing_entity_id");
            id.parse::<EntityId>().map_err(|_| unreadable())
        });
        let billing_entity_id = entity.transpose().unwrap_or_else(|issue| {
            issues.push(issue);
            None
        });
        let providers = self.allowed_payment_providers.unwrap_or_default();
        issues.into_result(WhiteLabel {
            slug,
            name: self.name,
            environment: self.environment.map(Convert::<Environment>::convert),
            hosts: self.hosts,
            is_default: self.is_default.unwrap_or_default(),
            app_name: self.app_name,
            short_name: self.short_name,
            logo_url: self.logo_url.map(PictureUrl::from),
            favicon_url: self.favicon_url.map(PictureUrl::from),
            theme_color: self.theme_color,
            hidden_features: self.hidden_features.unwrap_or_default(),
            hide_new_features_by_default: self.hide_new_features_by_default.unwrap_or_default(),
            reviewed_feature_catalog_ids: self.reviewed_feature_catalog_ids.unwrap_or_default(),
            billing_enabled: self.billing_enabled.unwrap_or_default(),
            account_users_full_ui_enabled: self.account_users_full_ui_enabled.unwrap_or_default(),
            analytics: self.analytics.unwrap_or_default(),
            support_email: self.support_email,
            trial_days: self.trial_days.unwrap_or_default(),
            currency: self.currency.unwrap_or_else(|| "EUR".to_owned()),
            billing_profile: self.billing_profile.map(Convert::convert).unwrap_or_default(),
            allowed_payment_providers: providers.into_iter().map(Convert::convert).collect(),
            payment_provider: self.payment_provider.map(Convert::convert),
            billing_entity_id,
            billing_tax_rate: self.billing_tax_rate,
            coupon_codes: self.coupon_codes.unwrap_or_default(),
            coupons,
            add_ons,
            default_plan: self.default_plan,
            plans,
        })
    }
}

/// What `read` makes of all that are `sent`; what is wrong is noted below `name`.
fn each<A, B>(
    issues: &mut Issues,
    name: &'static str,
    sent: Option<Vec<A>>,
    read: impl Fn(A) -> Result<B, Issues>,
) -> Vec<B> {
    let sent = sent.unwrap_or_default().into_iter().enumerate();
    let read = sent.map(|(n, one)| read(one).map_err(|own| own.at(n)));
    read.filter_map(|one| issues.collect(name, one)).collect()
}

/// Accepts the operator's key.
///
/// # Errors
/// 401 for any other token, and where white labels are not managed.
pub(super) fn authorize(call: &Call<()>, request: &HttpRequest) -> Result<(), ApiError> {
    let known =
        call.operator_key.as_ref().filter(|_| matches!(call.white_labels, LabelSource::Managed));
    let shown = request.headers().contains_key(AUTHORIZATION);
    let shown = shown.then(|| bearer_token(request.headers())).transpose()?;
    // Digests are compared, so that the time that it takes says nothing of the key.
    match (known, shown) {
        (Some(known), Some(shown)) if *known == Digest::of(shown) => Ok(()),
        _ => {
            let message = "this needs the operator's key: RACUN__BILLING__OPERATOR_KEY";
            let refused = ApiError::new(Kind::Unauthorized, message);
            Err(refused.seen_as(SecurityEvent::TokenRefused))
        }
    }
}

fn slug_of(request: &HttpRequest) -> String {
    request.match_info().query("slug").to_owned()
}

async fn list(
    call: Call<()>,
    request: HttpRequest,
) -> Result<Json<AllBody<ManagedLabelBody>>, ApiError> {
    authorize(&call, &request)?;
    let found = billing::list_labels(call.store()).await?;
    Ok(Json(AllBody::of(found.iter().map(ManagedLabelBody::of).collect())))
}

async fn put(
    call: Call<()>,
    request: HttpRequest,
    body: Result<Body<LabelInputBody>, ApiError>,
) -> Result<Json<ManagedLabelBody>, ApiError> {
    authorize(&call, &request)?;
    let label = body?.0.label(slug_of(&request))?;
    let task =
        call.run(|call| async move { billing::put_label(call.store(), label, call.stamp()).await });
    Ok(Json(ManagedLabelBody::of(&task.await?)))
}

async fn remove(call: Call<()>, request: HttpRequest) -> Result<NoContent, ApiError> {
    authorize(&call, &request)?;
    let slug = slug_of(&request);
    let task = call
        .run(|call| async move { billing::remove_label(call.store(), &slug, call.stamp()).await });
    task.await?;
    Ok(NoContent)
}
