//! What endpoints of entities and of accounts have in common: all but their paths and who may use
//! them.

use racun_access::AccountScope;
use racun_application::Services;
use racun_delivery::webhooks::{self, Holder};
use racun_kernel::{Kind, Scope, id};

use super::log::{RangeBody, ReplayedBody, WebhookLogBody};
use super::{WebhookBody, WebhookInputBody, vault};
use crate::answer::{Created, Json, NoContent};
use crate::body::{Convert, ListBody};
use crate::call::{Asks, Call};
use crate::error::ApiError;
use crate::request::{Body, PathId, Query};

/// Whose endpoints a request manages.
pub(super) trait Holds: Asks {
    /// The kind of their ids.
    type Id: Kind + 'static;

    /// Who holds them.
    fn holder(&self) -> Holder;
}

impl Holds for Scope {
    type Id = id::Webhook;

    fn holder(&self) -> Holder {
        Holder::entity(self)
    }
}

impl Holds for AccountScope {
    type Id = id::AccountWebhook;

    fn holder(&self) -> Holder {
        Holder::account(self)
    }
}

pub(super) async fn create<S: Holds>(
    call: Call<S>,
    body: Body<WebhookInputBody>,
) -> Result<Created<WebhookBody>, ApiError> {
    let (holder, input) = (call.by().holder(), body.0.convert());
    let vault = vault(&call)?;
    let task = call.run(|call| async move {
        webhooks::create(call.store(), &call.webhooks(), &vault, &holder, input, call.stamp()).await
    });
    Ok(Created(task.await?.convert()))
}

pub(super) async fn list<S: Holds>(
    call: Call<S>,
    query: Query,
) -> Result<Json<ListBody<WebhookBody>>, ApiError> {
    let page = webhooks::list(call.store(), &call.by().holder(), &query.list()?).await?;
    Ok(Json(page.convert()))
}

pub(super) async fn get<S: Holds>(
    call: Call<S>,
    id: PathId<S::Id>,
) -> Result<Json<WebhookBody>, ApiError> {
    let holder = call.by().holder();
    Ok(Json(webhooks::get(call.store(), &holder, &id.0.to_string()).await?.convert()))
}

pub(super) async fn update<S: Holds>(
    call: Call<S>,
    id: PathId<S::Id>,
    body: Body<WebhookInputBody>,
) -> Result<Json<WebhookBody>, ApiError> {
    let (holder, id, input) = (call.by().holder(), id.0.to_string(), body.0.convert());
    let task = call.run(|call| async move {
        webhooks::update(call.store(), &call.webhooks(), &holder, id, input, call.stamp()).await
    });
    Ok(Json(task.await?.convert()))
}

pub(super) async fn delete<S: Holds>(
    call: Call<S>,
    id: PathId<S::Id>,
) -> Result<NoContent, ApiError> {
    let (holder, id) = (call.by().holder(), id.0.to_string());
    let task = call
        .run(|call| async move { webhooks::delete(call.store(), &holder, id, call.stamp()).await });
    task.await?;
    Ok(NoContent)
}

pub(super) async fn rotate_secret<S: Holds>(
    call: Call<S>,
    id: PathId<S::Id>,
) -> Result<Json<WebhookBody>, ApiError> {
    let (holder, id) = (call.by().holder(), id.0.to_string());
    let vault = vault(&call)?;
    let task = call.run(|call| async move {
        webhooks::rotate_secret(call.store(), &vault, &holder, id, call.stamp()).await
    });
    Ok(Json(task.await?.convert()))
}

pub(super) async fn test<S: Holds>(
    call: Call<S>,
    id: PathId<S::Id>,
) -> Result<Json<WebhookLogBody>, ApiError> {
    let (holder, id) = (call.by().holder(), id.0.to_string());
    let task = call.run(|call| async move {
        let stamps = || Services::stamp(&call);
        webhooks::send_test(call.store(), &call.webhooks(), &holder, id, &stamps).await
    });
    Ok(Json(task.await?.convert()))
}

pub(super) async fn replay<S: Holds>(
    call: Call<S>,
    id: PathId<S::Id>,
    body: Body<RangeBody>,
) -> Result<Json<ReplayedBody>, ApiError> {
    let (holder, id) = (call.by().holder(), id.0.to_string());
    let range = body.0.convert();
    let task = call.run(|call| async move {
        webhooks::replay_range(call.store(), &call.webhooks(), &holder, &id, &range, call.stamp())
            .await
    });
    Ok(Json(task.await?.convert()))
}
