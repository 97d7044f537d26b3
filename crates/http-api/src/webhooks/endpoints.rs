//! Endpoints of entities.

use actix_web::web;
use racun_access::Permission::{ManageEntity, ReadWebhooks};
use racun_billing::Feature;
use racun_kernel::Scope;

use super::log::{RangeBody, ReplayedBody, WebhookLogBody};
use super::{WebhookBody, WebhookInputBody, managing};
use crate::body::ListBody;
use crate::route::{Gate, LIST, Route};

const TAG: &str = "Webhooks";

/// Routes of endpoints of entities.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/webhooks", "createWebhook", Gate::Entity(ManageEntity), || {
        web::to(managing::create::<Scope>)
    })
    .needs(Feature::Webhooks)
    .about(TAG, "Adds an endpoint; its secret is shown once.")
    .takes_with::<WebhookInputBody>(&["url", "events"])
    .creates::<WebhookBody>()
    .shows_secret(),
    Route::get("/webhooks", "listWebhooks", Gate::Entity(ReadWebhooks), || {
        web::to(managing::list::<Scope>)
    })
    .about(TAG, "Lists endpoints.")
    .reads(LIST)
    .answers::<ListBody<WebhookBody>>(),
    Route::get("/webhooks/{id}", "getWebhook", Gate::Entity(ReadWebhooks), || {
        web::to(managing::get::<Scope>)
    })
    .about(TAG, "Answers an endpoint; its secret is masked.")
    .answers::<WebhookBody>(),
    Route::patch("/webhooks/{id}", "updateWebhook", Gate::Entity(ManageEntity), || {
        web::to(managing::update::<Scope>)
    })
    .needs(Feature::Webhooks)
    .read_by(&["getWebhook"])
    .about(TAG, "Changes what is sent of an endpoint.")
    .takes::<WebhookInputBody>()
    .answers::<WebhookBody>(),
    Route::delete("/webhooks/{id}", "deleteWebhook", Gate::Entity(ManageEntity), || {
        web::to(managing::delete::<Scope>)
    })
    .needs(Feature::Webhooks)
    .about(TAG, "Removes an endpoint; the log of its deliveries stays."),
    Route::post(
        "/webhooks/{id}/rotate-secret",
        "rotateWebhookSecret",
        Gate::Entity(ManageEntity),
        || web::to(managing::rotate_secret::<Scope>),
    )
    .needs(Feature::Webhooks)
    .about(TAG, "Makes another secret, shown once; the old one signs beside it for 24 hours.")
    .answers::<WebhookBody>()
    .shows_secret(),
    Route::post("/webhooks/{id}/test", "testWebhook", Gate::Entity(ManageEntity), || {
        web::to(managing::test::<Scope>)
    })
    .needs(Feature::Webhooks)
    .read_by(&["getWebhookLog"])
    .about(TAG, "Posts a test event at once and answers what came of it.")
    .answers::<WebhookLogBody>(),
    Route::post("/webhooks/{id}/replay", "replayWebhook", Gate::Entity(ManageEntity), || {
        web::to(managing::replay::<Scope>)
    })
    .needs(Feature::Webhooks)
    .about(TAG, "Queues the events of a range of time once more.")
    .takes_with::<RangeBody>(&["from", "to"])
    .answers::<ReplayedBody>(),
];
