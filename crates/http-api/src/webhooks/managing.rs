//! What endpoints of entities and of accounts have in common: all but their paths and who may use them.

use actix_web::web::{Data, Json, ReqData};
use racun_access::AccountScope;
use racun_application::webhooks::{self, Holder};
use racun_kernel::{Kind, Scope, id};

use super::log::{RangeBody, ReplayedBody, WebhookLogBody};
use super::{WebhookBody, WebhookInputBody, vault};
use crate::answer::{Created, NoContent};
use crate::body::{Convert, ListBody};
use crate::error::ApiError;
use crate::request::{Body, PathId, Query};
use crate::services::Services;

/// Whose endpoints a request manages.
pub(super) trait Holds: Clone + 'static {
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
    services: Data<Services>,
    scope: ReqData<S>,
    body: Body<WebhookInputBody>,
) -> Result<Created<WebhookBody>, ApiError> {
    let (holder, input) = (scope.holder(), body.0.convert());
    let vault = vault(&services)?;
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        webhooks::create(store, &services.webhooks(), &vault, &holder, input, &stamp).await
    };
    Ok(Created(services.run(task).await?.convert()))
}

pub(super) async fn list<S: Holds>(
    services: Data<Services>,
    scope: ReqData<S>,
    query: Query,
) -> Result<Json<ListBody<WebhookBody>>, ApiError> {
    let page = webhooks::list(&*services.store, &scope.holder(), &query.list()?).await?;
    Ok(Json(page.convert()))
}

pub(super) async fn get<S: Holds>(
    services: Data<Services>,
    scope: ReqData<S>,
    id: PathId<S::Id>,
) -> Result<Json<WebhookBody>, ApiError> {
    let holder = scope.holder();
    Ok(Json(webhooks::get(&*services.store, &holder, &id.0.to_string()).await?.convert()))
}

pub(super) async fn update<S: Holds>(
    services: Data<Services>,
    scope: ReqData<S>,
    id: PathId<S::Id>,
    body: Body<WebhookInputBody>,
) -> Result<Json<WebhookBody>, ApiError> {
    let (holder, id, input) = (scope.holder(), id.0.to_string(), body.0.convert());
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        webhooks::update(store, &services.webhooks(), &holder, id, input, &stamp).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

pub(super) async fn delete<S: Holds>(
    services: Data<Services>,
    scope: ReqData<S>,
    id: PathId<S::Id>,
) -> Result<NoContent, ApiError> {
    let (holder, id) = (scope.holder(), id.0.to_string());
    let task = |services: Services| async move {
        webhooks::delete(&*services.store, &holder, id, &services.stamp()).await
    };
    services.run(task).await?;
    Ok(NoContent)
}

pub(super) async fn rotate_secret<S: Holds>(
    services: Data<Services>,
    scope: ReqData<S>,
    id: PathId<S::Id>,
) -> Result<Json<WebhookBody>, ApiError> {
    let (holder, id) = (scope.holder(), id.0.to_string());
    let vault = vault(&services)?;
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        webhooks::rotate_secret(store, &vault, &holder, id, &stamp).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

pub(super) async fn test<S: Holds>(
    services: Data<Services>,
    scope: ReqData<S>,
    id: PathId<S::Id>,
) -> Result<Json<WebhookLogBody>, ApiError> {
    let (holder, id) = (scope.holder(), id.0.to_string());
    let task = |services: Services| async move {
        let (store, webhooks) = (&*services.store, services.webhooks());
        webhooks::send_test(store, &webhooks, &holder, id, &|| services.stamp()).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

pub(super) async fn replay<S: Holds>(
    services: Data<Services>,
    scope: ReqData<S>,
    id: PathId<S::Id>,
    body: Body<RangeBody>,
) -> Result<Json<ReplayedBody>, ApiError> {
    let (holder, id) = (scope.holder(), id.0.to_string());
    let range = body.0.convert();
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        webhooks::replay_range(store, &services.webhooks(), &holder, &id, &range, &stamp).await
    };
    Ok(Json(services.run(task).await?.convert()))
}
