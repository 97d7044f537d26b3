//! What the card processor tells: one place takes it in, and hands it to whom it is about.

use actix_web::HttpRequest;
use actix_web::web;
use racun_billing::Taken;
use racun_card_payments::{Happened, ProcessorEvent};
use racun_kernel::Environment;
use racun_sales::billing::cards::{GivenCard, hear_card, hear_choice};
use racun_sales::billing::{Told, hear_payment};
use racun_sales::card_payments;
use serde::Serialize;

use crate::answer::Json;
use crate::body_limit::PROCESSOR_EVENT;
use crate::call::Call;
use crate::cards::services;
use crate::error::ApiError;
use crate::request::RawBody;
use crate::route::{Gate, Route};

const TAG: &str = "Payment app";
/// Where the processor says who sends.
const SIGNATURE: &str = "stripe-signature";

/// The route that the processor posts to. It carries no token: each event is signed, and what is
/// not is refused. What it sends is the processor's own, so it is not described.
pub(crate) const ROUTES: &[Route] =
    &[Route::post("/card-processor/webhook", "takeCardProcessorWebhook", Gate::Open, || {
        web::to(take)
    })
    .about(TAG, "Takes in an event of the card processor.")
    .checks_sender()
    .up_to(PROCESSOR_EVENT)
    .page()];

/// That an event arrived: it need not be told again.
#[derive(Debug, Serialize)]
struct Received {
    received: bool,
}

async fn take(
    call: Call<()>,
    request: HttpRequest,
    body: RawBody,
) -> Result<Json<Received>, ApiError> {
    // A header that is there twice or empty signs nothing, either.
    let signature = request.headers().get(SIGNATURE).and_then(|value| value.to_str().ok());
    let now = call.stamp().now();
    let (environment, event) = call.cards.read_webhook(signature, &body.0, now)?;
    call.run(move |call| async move { hand_over(&call, environment, event).await }).await?;
    Ok(Json(Received { received: true }))
}

/// Hands `event` to the area that it is about: of a connected account to the payments of documents,
/// of the operator's own to subscriptions. What is about none is taken, too.
async fn hand_over(
    call: &Call<()>,
    environment: Environment,
    event: ProcessorEvent,
) -> Result<(), ApiError> {
    if event.account.is_none() {
        return of_subscription(call, environment, event.happened).await;
    }
    let cards = services(call);
    card_payments::hear(call.store(), cards, environment, &event, call.stamp()).await?;
    Ok(())
}

/// An event of the operator's own account: of a subscription, where its metadata or its customer
/// names one.
async fn of_subscription(
    call: &Call<()>,
    environment: Environment,
    happened: Happened,
) -> Result<(), ApiError> {
    let (metadata, amount, taken) = match happened {
        Happened::CardReady { customer, payment_method, metadata } => {
            let given = GivenCard { environment, customer, payment_method, metadata };
            let labels = call.labels().await?;
            return Ok(hear_card(call.store(), &*call.cards, &labels, given, call.stamp()).await?);
        }
        Happened::CardChosen { customer, .. } => {
            let who = (environment, &*customer);
            return Ok(hear_choice(call.store(), &*call.cards, who, call.stamp()).await?);
        }
        Happened::PaymentSucceeded { payment, amount, currency, metadata } => {
            (metadata, Some((amount, currency)), Taken::Paid(payment))
        }
        Happened::PaymentFailed { message, metadata, .. } => {
            (metadata, None, Taken::Declined(message))
        }
        Happened::SessionCompleted { .. }
        | Happened::InvoicePaid { .. }
        | Happened::Disconnected
        | Happened::Other => return Ok(()),
    };
    let told = Told { environment, metadata, amount, taken };
    Ok(hear_payment(call.store(), &call.white_labels, told, call.stamp()).await?)
}
