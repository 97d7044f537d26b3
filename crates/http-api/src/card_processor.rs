//! What the card processor tells: one webhook, whose events go to those whom they concern.

use actix_web::{HttpRequest, web};
use racun_sales::card_payments;
use serde::Serialize;

use crate::answer::Json;
use crate::call::Call;
use crate::cards::services;
use crate::error::{ApiError, Kind};
use crate::request::RawBody;
use crate::route::{Gate, Route};

/// Bytes that an event may have.
const MAX_BODY_BYTES: usize = 1024 * 1024;
/// The header that signs it.
const SIGNATURE: &str = "stripe-signature";

/// The route that the processor posts to. What it sends is its own, so it is not described.
pub(crate) const ROUTES: &[Route] =
    &[Route::post("/card-processor/webhook", "takeCardProcessorWebhook", Gate::Open, || {
        web::to(take)
    })
    .about("Payment app", "Takes in an event of the card processor.")
    .checks_sender()
    .up_to(MAX_BODY_BYTES)
    .page()];

/// That an event was taken in.
#[derive(Debug, Serialize)]
struct ReceivedBody {
    received: bool,
}

async fn take(
    call: Call<()>,
    request: HttpRequest,
    body: RawBody,
) -> Result<Json<ReceivedBody>, ApiError> {
    let signature = request.headers().get(SIGNATURE).and_then(|value| value.to_str().ok());
    let read = call.cards.read_webhook(signature, &body.0, call.stamp().now());
    let forged = |error: racun_card_payments::ForgedWebhook| {
        ApiError::new(Kind::Unauthorized, error.to_string()).caused_by("invalid_signature")
    };
    let (environment, event) = read.map_err(forged)?;
    let task = call.run(|call| async move {
        let services = services(&call);
        card_payments::hear(call.store(), services, environment, &event, call.stamp()).await
    });
    task.await?;
    Ok(Json(ReceivedBody { received: true }))
}
