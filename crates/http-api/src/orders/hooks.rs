//! Webhooks of shops. They are signed, and carry no token.

use actix_web::HttpRequest;
use actix_web::web;
use racun_kernel::id;
use racun_orders::SourceKind;
use racun_orders::platform::MAX_BODY_BYTES;
use racun_shop::{Signed, receive};

use crate::answer::NoContent;
use crate::call::Call;
use crate::error::ApiError;
use crate::header::single;
use crate::request::{PathId, RawBody};
use crate::route::{Gate, Route};

const TAG: &str = "Order integrations";

/// Routes that platforms post to. What they send is the platforms' own, so it is not described.
pub(crate) const ROUTES: &[Route] = &[
    Route::post(
        "/order-integrations/{id}/webhooks/shopify",
        "takeShopifyWebhook",
        Gate::Open,
        || web::to(shopify),
    )
    .about(TAG, "Takes in a webhook of Shopify.")
    .up_to(MAX_BODY_BYTES)
    .page(),
    Route::post(
        "/order-integrations/{id}/webhooks/woocommerce",
        "takeWoocommerceWebhook",
        Gate::Open,
        || web::to(woocommerce),
    )
    .about(TAG, "Takes in a webhook of WooCommerce.")
    .up_to(MAX_BODY_BYTES)
    .page(),
];

/// Where a platform says what a webhook is about.
struct Headers {
    source: SourceKind,
    topic: &'static str,
    event_id: &'static str,
    triggered_at: Option<&'static str>,
    signature: &'static str,
}

const SHOPIFY: Headers = Headers {
    source: SourceKind::Shopify,
    topic: "x-shopify-topic",
    event_id: "x-shopify-webhook-id",
    triggered_at: Some("x-shopify-triggered-at"),
    signature: "x-shopify-hmac-sha256",
};

const WOOCOMMERCE: Headers = Headers {
    source: SourceKind::Woocommerce,
    topic: "x-wc-webhook-topic",
    event_id: "x-wc-webhook-delivery-id",
    triggered_at: None,
    signature: "x-wc-webhook-signature",
};

async fn shopify(
    call: Call<()>,
    request: HttpRequest,
    id: PathId<id::OrderIntegration>,
    body: RawBody,
) -> Result<NoContent, ApiError> {
    take(call, request, id, body, &SHOPIFY).await
}

async fn woocommerce(
    call: Call<()>,
    request: HttpRequest,
    id: PathId<id::OrderIntegration>,
    body: RawBody,
) -> Result<NoContent, ApiError> {
    take(call, request, id, body, &WOOCOMMERCE).await
}

async fn take(
    call: Call<()>,
    request: HttpRequest,
    id: PathId<id::OrderIntegration>,
    body: RawBody,
    headers: &Headers,
) -> Result<NoContent, ApiError> {
    let signed = Signed {
        source: headers.source,
        topic: header(&request, headers.topic)?,
        event_id: header(&request, headers.event_id)?,
        triggered_at: match headers.triggered_at {
            Some(name) => header(&request, name)?,
            None => None,
        },
        signature: header(&request, headers.signature)?,
        body: body.0,
    };
    let task = call.run(|call| async move {
        let vault = call.vault.clone();
        receive(call.store(), vault.as_deref(), call.stamp(), id.0, signed).await
    });
    task.await?;
    Ok(NoContent)
}

fn header(request: &HttpRequest, name: &'static str) -> Result<Option<String>, ApiError> {
    Ok(single(request.headers(), name)?.map(str::to_owned))
}
