//! Subscriptions.

use actix_web::HttpRequest;
use actix_web::web;
use racun_access::Permission::{ManageBilling, ReadBilling};
use racun_billing::{
    BillingError, Charge, ChargeKind, CollectionState, Feature, Resource, Subscription, UsageMonth,
    total,
};
use racun_kernel::{Issue, Patch};
use racun_sales::billing::{self, Choice};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::plan::{IntervalBody, LimitCheckBody, PlansBody, SubscriptionBody};
use crate::answer::Json;
use crate::body::{AllBody, Convert, names};
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::request::Body;
use crate::route::{Gate, Route};
const TAG: &str = "White-label subscriptions";
const READ: Gate = Gate::Entity(ReadBilling);
const MANAGE: Gate = Gate::Entity(ManageBilling);

/// Routes of subscriptions. They answer 404 for an entity that has none, for nothing is limited;
/// but for the plans, of which there are none then.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/white-label-subscriptions", "getSubscription", READ, || web::to(get))
        .whatever_the_plan()
        .about(TAG, "Answers the entity's subscription, and what was used of it.")
        .may_lack()
        .answers::<SubscriptionBody>(),
    Route::get("/white-label-subscriptions/plans", "listPlans", READ, || web::to(plans))
        .whatever_the_plan()
        .about(
            TAG,
            "Answers the plans that the entity can choose from: none without a subscription.",
        )
        .answers::<PlansBody>(),
    Route::get("/white-label-subscriptions/bills", "listSubscriptionBills", READ, || {
        web::to(bills)
    })
    .whatever_the_plan()
    .about(TAG, "Lists what months that are over were charged, the newest first.")
    .explained(
        "A month is charged when it ends: the plan, where its period began in the month, \
             add-ons, documents and electronic invoices beyond the limits that have a price, less \
             what a coupon takes off. A higher plan cuts a month short, and what is left of the \
             one before is taken off. Trials are charged nothing. A month below nothing is credit \
             for those to come. What is paid by card is collected at once; a declined bill is \
             tried again after 1, 3, 5 and 7 days, and at once with another card. What is too \
             little for a card to be charged is not collected by itself: its bill is `carried`, \
             and the next one has a line `carried` of it. At most 100 are listed.",
    )
    .may_lack()
    .answers::<AllBody<BillBody>>(),
    Route::get("/white-label-subscriptions/check-feature/{feature}", "checkFeature", READ, || {
        web::to(check_feature)
    })
    .whatever_the_plan()
    .about(TAG, "Whether the plan has a feature, and else which plan does.")
    .answers::<FeatureCheckBody>(),
    Route::get("/white-label-subscriptions/check-limit/{resource}", "checkLimit", READ, || {
        web::to(check_limit)
    })
    .whatever_the_plan()
    .about(TAG, "Whether there is more of `documents`, `invoices` or `e_invoicing_sends`.")
    .answers::<LimitCheckBody>(),
    Route::patch("/white-label-subscriptions/billing-email", "setBillingEmail", MANAGE, || {
        web::to(set_billing_email)
    })
    .whatever_the_plan()
    .about(TAG, "Says where mails about bills are sent.")
    .explained(
        "A declined card is told there, and the operator's invoices go there. Without an address, \
         they go to that of the entity, else to its admin. The sandbox sends to users of the \
         account alone.",
    )
    .may_lack()
    .takes_with::<BillingEmailInputBody>(&["billing_email"])
    .answers::<BillingEmailBody>(),
    Route::post("/white-label-subscriptions/activate", "activatePlan", MANAGE, || {
        web::to(activate)
    })
    .whatever_the_plan()
    .about(
        TAG,
        "Chooses a plan: a higher one at once, a lower one when the period ends. One with a \
         price is paid by the card on file, or by bank.",
    )
    .explained(
        "A month is charged when it ends. A plan that is paid by card needs one on file: give it \
         with `payment-method`, or on the page of `checkout`. While a declined payment is owed, \
         only free plans can be chosen.",
    )
    .may_lack()
    .takes::<ActivateBody>()
    .answers::<ActivatedBody>(),
    Route::post("/white-label-subscriptions/cancel", "cancelSubscription", MANAGE, || {
        web::to(cancel)
    })
    .whatever_the_plan()
    .about(TAG, "Ends the subscription when its period ends; choosing its plan again keeps it.")
    .may_lack()
    .answers::<SubscriptionBody>(),
];

/// Whether a feature may be used.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FeatureCheck)]
struct FeatureCheckBody {
    feature: &'static str,
    allowed: bool,
    /// Whether another plan has to be chosen for it.
    requires_upgrade: bool,
    /// The plan to choose, where there is one.
    #[schema(required = true)]
    upgrade_plan_slug: Option<String>,
}

/// Body of `PATCH /white-label-subscriptions/billing-email`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = BillingEmailInput)]
struct BillingEmailInputBody {
    /// An address; null for none.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Email)]
    billing_email: Patch<String>,
}

/// Where mails about bills are sent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BillingEmail)]
struct BillingEmailBody {
    #[schema(required = true)]
    billing_email: Option<String>,
}

/// Body of `POST /white-label-subscriptions/activate`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = ActivatePlan)]
struct ActivateBody {
    /// One of `GET /white-label-subscriptions/plans`.
    plan_slug: String,
    billing_interval: IntervalBody,
    /// A code that the white label knows. One of its coupons takes off what it says, in the place
    /// of the coupon before.
    coupon_code: Option<String>,
    /// What is wanted beside the plan, at once: these and no others. Absent: what there is.
    add_ons: Option<Vec<AddOnChoiceBody>>,
}

/// How many of an add-on are wanted.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = AddOnChoice)]
struct AddOnChoiceBody {
    /// One of those that `GET /white-label-subscriptions/plans` lists.
    slug: String,
    /// How many; 0 is none.
    quantity: i64,
}

/// What a month of a subscription was charged. All is in cents of `currency_code`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SubscriptionBill)]
pub(super) struct BillBody {
    id: String,
    /// The plan that the month was under.
    plan_slug: String,
    /// When the month began.
    period_start: String,
    /// When it ended.
    period_end: String,
    currency_code: String,
    /// What is charged: the plan for a period that began in the month, add-ons, stores beyond the
    /// included ones, what was beyond the limits; and what is taken off, below nothing.
    lines: Vec<BillLineBody>,
    /// Their sum. Below nothing it is credit for months to come.
    total_cents: i64,
    /// How much of that is paid by credit of earlier months; below nothing, what it adds to that.
    credit_used_cents: i64,
    /// What is left to pay.
    amount_due_cents: i64,
    /// Whether it is paid. What is paid by bank stays `open` until the operator says so. What is
    /// `carried` is a line of the next bill.
    status: BillStatusBody,
    /// How often the card was tried.
    attempts: u32,
    /// When the card is tried again.
    #[schema(required = true)]
    next_attempt_at: Option<String>,
    /// Why the card was declined last.
    #[schema(required = true)]
    failure_message: Option<String>,
    /// The card processor's id of the payment, or what the operator says that it is known by.
    #[schema(required = true)]
    payment_id: Option<String>,
    #[schema(required = true)]
    paid_at: Option<String>,
    /// The operator's invoice, where one was issued.
    #[schema(required = true)]
    invoice_id: Option<String>,
    created_at: String,
}

names! {
    /// How far a bill is.
    BillStatusBody as SubscriptionBillStatus of CollectionState {
        Open, Paid, Failed, Carried
    }
}

names! {
    /// What a line charges.
    ChargeKindBody as SubscriptionChargeKind of ChargeKind {
        Plan, CutShort, AddOn, Coupon, Stores, Documents, EInvoicingSends, Carried
    }
}

/// A line of a bill.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SubscriptionBillLine)]
struct BillLineBody {
    kind: ChargeKindBody,
    /// The name of plan or add-on, or the coupon's code; the plan's for all others.
    name: String,
    quantity: i64,
    unit_price_cents: i64,
    amount_cents: i64,
}

impl BillBody {
    pub(super) fn of(month: UsageMonth, currency: &str) -> Self {
        let total_cents = total(&month.charges);
        let (amount_due_cents, status) = (month.due_cents(), month.state().convert());
        let collection = month.collection;
        let due_at = collection.as_ref().and_then(|one| one.due_at);
        let paid_at = collection.as_ref().and_then(|one| one.paid_at);
        let line = |charge: Charge| BillLineBody {
            kind: charge.kind.convert(),
            name: charge.name,
            quantity: charge.quantity,
            unit_price_cents: charge.unit_cents,
            amount_cents: charge.cents,
        };
        Self {
            id: month.id.convert(),
            plan_slug: month.plan_slug,
            period_start: month.usage.month.start.convert(),
            period_end: month.usage.month.end.convert(),
            currency_code: currency.to_owned(),
            lines: month.charges.into_iter().map(line).collect(),
            total_cents,
            credit_used_cents: month.credit_used_cents,
            amount_due_cents,
            status,
            attempts: collection.as_ref().map_or(0, |one| one.attempts),
            next_attempt_at: due_at.map(Convert::convert),
            failure_message: collection.as_ref().and_then(|one| one.failure.clone()),
            paid_at: paid_at.map(Convert::convert),
            payment_id: collection.and_then(|one| one.payment),
            invoice_id: month.invoice_id.convert(),
            created_at: month.created_at.convert(),
        }
    }
}

/// What activating a plan came to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActivatedPlan)]
struct ActivatedBody {
    /// Always null: months are charged when they end, and invoiced when that is collected; see
    /// `invoice_id` of bills.
    #[schema(required = true)]
    invoice_id: Option<String>,
    /// Whether the plan begins only when the period ends.
    scheduled: bool,
}

async fn subscription(call: &EntityCall) -> Result<Subscription, BillingError> {
    billing::get(call.cx(), call.entity()).await
}

async fn get(call: EntityCall) -> Result<Json<SubscriptionBody>, ApiError> {
    let found = subscription(&call).await?;
    let labels = call.labels().await?;
    let label = labels.by_slug(&found.white_label);
    Ok(Json(SubscriptionBody::of(&found, label, call.stamp().now())))
}

async fn plans(call: EntityCall) -> Result<Json<PlansBody>, ApiError> {
    let found = match subscription(&call).await {
        Err(BillingError::NoSubscription) => return Ok(Json(PlansBody::default())),
        found => found?,
    };
    let labels = call.labels().await?;
    let label = labels.by_slug(&found.white_label);
    Ok(Json(PlansBody::of(&found, label)))
}

async fn bills(call: EntityCall) -> Result<Json<AllBody<BillBody>>, ApiError> {
    let found = subscription(&call).await?;
    let months = billing::list_bills(call.cx(), call.entity()).await?;
    let bills = months.into_iter().map(|month| BillBody::of(month, &found.currency));
    Ok(Json(AllBody::of(bills.collect())))
}

async fn check_feature(
    call: EntityCall,
    request: HttpRequest,
) -> Result<Json<FeatureCheckBody>, ApiError> {
    let found = subscription(&call).await?;
    let named = request.match_info().query("feature").parse::<Feature>();
    let feature = named.map_err(|issue| issue.at("feature"))?;
    let check = call.labels().await?.check(&found, feature);
    Ok(Json(FeatureCheckBody {
        feature: feature.slug(),
        allowed: check.allowed,
        requires_upgrade: !check.allowed,
        upgrade_plan_slug: check.upgrade_plan_slug,
    }))
}

async fn check_limit(
    call: EntityCall,
    request: HttpRequest,
) -> Result<Json<LimitCheckBody>, ApiError> {
    let found = subscription(&call).await?;
    let named = request.match_info().query("resource").parse::<Resource>();
    let resource = named.map_err(|issue| issue.at("resource"))?;
    Ok(Json(found.check(resource).into()))
}

async fn set_billing_email(
    call: EntityCall,
    body: Body<BillingEmailInputBody>,
) -> Result<Json<BillingEmailBody>, ApiError> {
    let email = match body.0.billing_email {
        Patch::Value(email) => Some(email),
        Patch::Null => None,
        Patch::Absent => {
            let message = "an address is needed, or null for none";
            return Err(Issue::new("required", message).at("billing_email").into());
        }
    };
    let task = call.run(|call| async move {
        billing::set_billing_email(call.cx(), call.entity(), email).await
    });
    let after = task.await?;
    Ok(Json(BillingEmailBody { billing_email: after.billing_email }))
}

async fn cancel(call: EntityCall) -> Result<Json<SubscriptionBody>, ApiError> {
    let task = call.run(|call| async move {
        let after = billing::cancel(call.cx(), call.entity()).await?;
        Ok::<_, ApiError>((after, call.labels().await?))
    });
    let (after, labels) = task.await?;
    let label = labels.by_slug(&after.white_label);
    Ok(Json(SubscriptionBody::of(&after, label, call.stamp().now())))
}

async fn activate(
    call: EntityCall,
    body: Body<ActivateBody>,
) -> Result<Json<ActivatedBody>, ApiError> {
    let ActivateBody { plan_slug, billing_interval, coupon_code, add_ons } = body.0;
    let interval = billing_interval.convert();
    let pair = |one: AddOnChoiceBody| (one.slug, one.quantity);
    let add_ons = add_ons.map(|all| all.into_iter().map(pair).collect());
    let choice = Choice { plan_slug, interval, coupon_code, add_ons };
    let task = call.run(|call| async move {
        let labels = call.labels().await?;
        let has_processor = call.cards.serves(call.entity().environment);
        billing::activate(call.cx(), &labels, has_processor, call.entity(), choice).await
    });
    let after = task.await?;
    Ok(Json(ActivatedBody { invoice_id: None, scheduled: after.is_scheduled }))
}
