//! Endpoints of accounts: they get what happens to subscriptions of the account's entities.

use actix_web::web;
use racun_access::AccountScope;

use super::log::{RangeBody, ReplayedBody, WebhookLogBody};
use super::{WebhookBody, WebhookInputBody, managing};
use crate::body::ListBody;
use crate::route::{Gate, LIST, Route};

const TAG: &str = "Account webhooks";

/// Routes of endpoints of accounts.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/account-webhooks", "createAccountWebhook", Gate::Account, || {
        web::to(managing::create::<AccountScope>)
    })
    .about(TAG, "Adds an endpoint; its secret is shown once.")
    .takes_with::<WebhookInputBody>(&["url", "events"])
    .creates::<WebhookBody>()
    .shows_secret(),
    Route::get("/account-webhooks", "listAccountWebhooks", Gate::Account, || {
        web::to(managing::list::<AccountScope>)
    })
    .about(TAG, "Lists endpoints.")
    .reads(LIST)
    .answers::<ListBody<WebhookBody>>(),
    Route::get("/account-webhooks/{id}", "getAccountWebhook", Gate::Account, || {
        web::to(managing::get::<AccountScope>)
    })
    .about(TAG, "Answers an endpoint; its secret is masked.")
    .answers::<WebhookBody>(),
    Route::patch("/account-webhooks/{id}", "updateAccountWebhook", Gate::Account, || {
        web::to(managing::update::<AccountScope>)
    })
    .read_by(&["getAccountWebhook"])
    .about(TAG, "Changes what is sent of an endpoint.")
    .takes::<WebhookInputBody>()
    .answers::<WebhookBody>(),
    Route::delete("/account-webhooks/{id}", "deleteAccountWebhook", Gate::Account, || {
        web::to(managing::delete::<AccountScope>)
    })
    .about(TAG, "Removes an endpoint; the log of its deliveries stays."),
    Route::post(
        "/account-webhooks/{id}/rotate-secret",
        "rotateAccountWebhookSecret",
        Gate::Account,
        || web::to(managing::rotate_secret::<AccountScope>),
    )
    .about(TAG, "Makes another secret, shown once; the old one signs beside it for 24 hours.")
    .answers::<WebhookBody>()
    .shows_secret(),
    Route::post("/account-webhooks/{id}/test", "testAccountWebhook", Gate::Account, || {
        web::to(managing::test::<AccountScope>)
    })
    .about(TAG, "Posts a test event at once and answers what came of it.")
    .answers::<WebhookLogBody>(),
    Route::post("/account-webhooks/{id}/replay", "replayAccountWebhook", Gate::Account, || {
        web::to(managing::replay::<AccountScope>)
    })
    .about(TAG, "Queues the events of a range of time once more.")
    .takes_with::<RangeBody>(&["from", "to"])
    .answers::<ReplayedBody>(),
];
