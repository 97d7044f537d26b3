//! Paying subscriptions by card.

use actix_web::web;
use racun_access::Permission::ManageBilling;
use racun_kernel::Issues;
use racun_sales::billing::cards::{CheckoutChoice, Desk};
use racun_webhooks::{Schemes, check_url};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::plan::{IntervalBody, PaymentMethodBody};
use crate::answer::Json;
use crate::body::Convert;
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::request::Body;
use crate::route::{Gate, Route};

const TAG: &str = "White-label subscriptions";
const MANAGE: Gate = Gate::Entity(ManageBilling);

/// Routes of subscriptions that are paid by card. Where the white label takes no cards, or this
/// server charges none, they answer 422 `no_payment_processor`.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/white-label-subscriptions/setup-intent", "setUpCard", MANAGE, || web::to(set_up))
        .whatever_the_plan()
        .about(TAG, "Begins to take a card: the client's page gives it to the processor.")
        .may_lack()
        .shows_secret()
        .answers::<SetupIntentBody>(),
    Route::post("/white-label-subscriptions/payment-method", "giveCard", MANAGE, || web::to(give))
        .whatever_the_plan()
        .about(TAG, "Says which card pays, once the processor has it.")
        .explained("What was declined before is tried with it at once.")
        .may_lack()
        .takes::<GiveCardBody>()
        .answers::<PaymentMethodBody>(),
    Route::post("/white-label-subscriptions/checkout", "checkOutPlan", MANAGE, || {
        web::to(check_out)
    })
    .whatever_the_plan()
    .about(TAG, "Makes a page of the processor on which a card is given for a plan.")
    .explained(
        "The plan is activated when the processor tells that the card was given. Nothing is paid \
         on the page: months are charged when they end.",
    )
    .may_lack()
    .takes::<CheckoutBody>()
    .answers::<CheckoutUrlBody>(),
    Route::post("/white-label-subscriptions/portal", "openBillingPortal", MANAGE, || {
        web::to(portal)
    })
    .whatever_the_plan()
    .about(TAG, "Makes a page of the processor on which cards are managed.")
    .may_lack()
    .takes::<PortalBody>()
    .answers::<PortalUrlBody>(),
];

/// What a client's page gives a card to the processor with.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SubscriptionSetupIntent)]
struct SetupIntentBody {
    /// It is answered once, and kept nowhere.
    client_secret: String,
}

/// Body of `POST /white-label-subscriptions/payment-method`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = GiveSubscriptionCard)]
struct GiveCardBody {
    /// What the processor calls the card.
    #[validate(length(min = 1, max = 255))]
    payment_method_id: String,
}

/// Body of `POST /white-label-subscriptions/checkout`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = CheckOutPlan)]
struct CheckoutBody {
    /// One of `GET /white-label-subscriptions/plans`.
    plan_slug: String,
    billing_interval: IntervalBody,
    /// Where the person goes who gave a card, over http or https.
    success_url: String,
    /// Where who did not.
    cancel_url: String,
}

/// A page of the processor.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SubscriptionCheckout)]
struct CheckoutUrlBody {
    /// Its address.
    checkout_url: String,
}

/// Body of `POST /white-label-subscriptions/portal`.
#[derive(Deserialize, ToSchema, Validate)]
#[schema(as = OpenBillingPortal)]
struct PortalBody {
    /// Where the page leads back to, over http or https.
    return_url: String,
}

/// A page of the processor.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BillingPortal)]
struct PortalUrlBody {
    /// Its address.
    portal_url: String,
}

/// Accepts the addresses that people are sent back to.
fn check_urls<const N: usize>(urls: [(&'static str, &str); N]) -> Result<(), Issues> {
    let mut issues = Issues::default();
    for (name, url) in urls {
        if let Err(issue) = check_url(url, Schemes::Both) {
            issues.push(issue.at(name));
        }
    }
    issues.into_result(())
}

/// Runs `ask` at the desk where cards of the entity are given.
macro_rules! at_desk {
    ($call:expr, |$desk:ident| $ask:expr) => {
        $call.run(move |call| async move {
            let labels = call.labels().await?;
            let $desk =
                Desk { cx: call.cx(), cards: &*call.cards, labels: &labels, entity: call.entity() };
            $ask.await.map_err(ApiError::from)
        })
    };
}

async fn set_up(call: EntityCall) -> Result<Json<SetupIntentBody>, ApiError> {
    let intent = at_desk!(call, |desk| desk.set_up()).await?;
    Ok(Json(SetupIntentBody { client_secret: intent.client_secret }))
}

async fn give(
    call: EntityCall,
    body: Body<GiveCardBody>,
) -> Result<Json<PaymentMethodBody>, ApiError> {
    let id = body.0.payment_method_id;
    let after = at_desk!(call, |desk| desk.give(&id)).await?;
    Ok(Json(PaymentMethodBody::of(&after)))
}

async fn check_out(
    call: EntityCall,
    body: Body<CheckoutBody>,
) -> Result<Json<CheckoutUrlBody>, ApiError> {
    let CheckoutBody { plan_slug, billing_interval, success_url, cancel_url } = body.0;
    check_urls([("success_url", &success_url), ("cancel_url", &cancel_url)])?;
    let interval = billing_interval.convert();
    let choice = CheckoutChoice { plan_slug, interval, success_url, cancel_url };
    let checkout_url = at_desk!(call, |desk| desk.check_out(choice)).await?;
    Ok(Json(CheckoutUrlBody { checkout_url }))
}

async fn portal(call: EntityCall, body: Body<PortalBody>) -> Result<Json<PortalUrlBody>, ApiError> {
    let back = body.0.return_url;
    check_urls([("return_url", &back)])?;
    let portal_url = at_desk!(call, |desk| desk.portal(&back)).await?;
    Ok(Json(PortalUrlBody { portal_url }))
}
