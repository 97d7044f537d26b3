//! Endpoints of entities.

use actix_web::web::{self, Data, Json, ReqData};
use racun_access::Permission::{ManageEntity, ReadWebhooks};
use racun_application::webhooks::{self, Holder};
use racun_kernel::{Scope, id};

use super::log::{RangeBody, ReplayedBody, WebhookLogBody};
use super::{WebhookBody, WebhookInputBody, vault};
use crate::answer::{Created, NoContent};
use crate::body::{Convert, ListBody};
use crate::error::ApiError;
use crate::request::{Body, PathId, Query};
use crate::route::{Gate, LIST, Route};
use crate::services::Services;

const TAG: &str = "Webhooks";

/// Routes of endpoints of entities.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/webhooks", "createWebhook", Gate::Entity(ManageEntity), || web::to(create))
        .about(TAG, "Adds an endpoint; its secret is shown once.")
        .takes_with::<WebhookInputBody>(&["url", "events"])
        .creates::<WebhookBody>()
        .shows_secret(),
    Route::get("/webhooks", "listWebhooks", Gate::Entity(ReadWebhooks), || web::to(list))
        .about(TAG, "Lists endpoints.")
        .reads(LIST)
        .answers::<ListBody<WebhookBody>>(),
    Route::get("/webhooks/{id}", "getWebhook", Gate::Entity(ReadWebhooks), || web::to(get))
        .about(TAG, "Answers an endpoint; its secret is masked.")
        .answers::<WebhookBody>(),
    Route::patch("/webhooks/{id}", "updateWebhook", Gate::Entity(ManageEntity), || web::to(update))
        .about(TAG, "Changes what is sent of an endpoint.")
        .takes::<WebhookInputBody>()
        .answers::<WebhookBody>(),
    Route::delete("/webhooks/{id}", "deleteWebhook", Gate::Entity(ManageEntity), || {
        web::to(delete)
    })
    .about(TAG, "Removes an endpoint; the log of its deliveries stays."),
    Route::post(
        "/webhooks/{id}/rotate-secret",
        "rotateWebhookSecret",
        Gate::Entity(ManageEntity),
        || web::to(rotate_secret),
    )
    .about(TAG, "Makes another secret, shown once; the old one signs beside it for 24 hours.")
    .answers::<WebhookBody>()
    .shows_secret(),
    Route::post("/webhooks/{id}/test", "testWebhook", Gate::Entity(ManageEntity), || web::to(test))
        .about(TAG, "Posts a test event at once and answers what came of it.")
        .answers::<WebhookLogBody>(),
    Route::post("/webhooks/{id}/replay", "replayWebhook", Gate::Entity(ManageEntity), || {
        web::to(replay)
    })
    .about(TAG, "Queues the events of a range of time once more.")
    .takes_with::<RangeBody>(&["from", "to"])
    .answers::<ReplayedBody>(),
];

async fn create(
    services: Data<Services>,
    scope: ReqData<Scope>,
    body: Body<WebhookInputBody>,
) -> Result<Created<WebhookBody>, ApiError> {
    let (holder, input) = (Holder::entity(&scope), body.0.convert());
    let vault = vault(&services)?;
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        webhooks::create(store, &services.webhooks(), &vault, &holder, input, &stamp).await
    };
    Ok(Created(services.run(task).await?.convert()))
}

async fn list(
    services: Data<Services>,
    scope: ReqData<Scope>,
    query: Query,
) -> Result<Json<ListBody<WebhookBody>>, ApiError> {
    let page = webhooks::list(&*services.store, &Holder::entity(&scope), &query.list()?).await?;
    Ok(Json(page.convert()))
}

async fn get(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<id::Webhook>,
) -> Result<Json<WebhookBody>, ApiError> {
    let holder = Holder::entity(&scope);
    Ok(Json(webhooks::get(&*services.store, &holder, &id.0.to_string()).await?.convert()))
}

async fn update(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<id::Webhook>,
    body: Body<WebhookInputBody>,
) -> Result<Json<WebhookBody>, ApiError> {
    let (holder, id, input) = (Holder::entity(&scope), id.0.to_string(), body.0.convert());
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        webhooks::update(store, &services.webhooks(), &holder, id, input, &stamp).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn delete(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<id::Webhook>,
) -> Result<NoContent, ApiError> {
    let (holder, id) = (Holder::entity(&scope), id.0.to_string());
    let task = |services: Services| async move {
        webhooks::delete(&*services.store, &holder, id, &services.stamp()).await
    };
    services.run(task).await?;
    Ok(NoContent)
}

async fn rotate_secret(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<id::Webhook>,
) -> Result<Json<WebhookBody>, ApiError> {
    let (holder, id) = (Holder::entity(&scope), id.0.to_string());
    let vault = vault(&services)?;
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        webhooks::rotate_secret(store, &vault, &holder, id, &stamp).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn test(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<id::Webhook>,
) -> Result<Json<WebhookLogBody>, ApiError> {
    let (holder, id) = (Holder::entity(&scope), id.0.to_string());
    let task = |services: Services| async move {
        let (store, webhooks) = (&*services.store, services.webhooks());
        webhooks::send_test(store, &webhooks, &holder, id, &|| services.stamp()).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn replay(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<id::Webhook>,
    body: Body<RangeBody>,
) -> Result<Json<ReplayedBody>, ApiError> {
    let (holder, id) = (Holder::entity(&scope), id.0.to_string());
    let range = body.0.convert();
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        webhooks::replay_range(store, &services.webhooks(), &holder, &id, &range, &stamp).await
    };
    Ok(Json(services.run(task).await?.convert()))
}
