//! Routes of the catalogue, and what all its resources share.

pub(crate) mod business_units;
pub(crate) mod customers;
pub(crate) mod files;
pub(crate) mod financial_categories;
pub(crate) mod items;
pub(crate) mod parts;
pub(crate) mod suppliers;
pub(crate) mod taxes;

use actix_web::web::{Data, Json, ReqData};
use racun_catalog::{self as catalog, Resource, Trashable};
use racun_kernel::Scope;
use serde::Serialize;

use crate::answer::{self, NoContent};
use crate::body::{Convert, ListBody};
use crate::error::ApiError;
use crate::request::{PathId, Query};
use crate::services::Services;

/// A record of the catalogue, and the body that it is answered with.
pub(crate) trait Answered: Resource + Convert<Self::Body> {
    /// The body.
    type Body: Serialize + 'static;
}

async fn list<A: Answered>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    query: Query,
) -> Result<answer::Page, ApiError> {
    let (scope, raw) = (scope.into_inner(), query.list()?);
    let page = |services: Services| async move {
        let page = catalog::list::<A>(&*services.store, &scope, &raw).await?;
        Ok::<ListBody<A::Body>, _>(page.convert())
    };
    services.page(page).await
}

async fn get<A: Answered>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<A::Kind>,
) -> Result<Json<A::Body>, ApiError> {
    let record = catalog::get::<A>(&*services.store, &scope, id.0).await?;
    Ok(Json(record.convert()))
}

async fn trash<A: Trashable>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<A::Kind>,
) -> Result<NoContent, ApiError> {
    let scope = scope.into_inner();
    let task = |services: Services| async move {
        catalog::trash::<A>(&*services.store, &scope, id.0, &services.stamp()).await
    };
    services.run(task).await?;
    Ok(NoContent)
}

async fn restore<A: Answered + Trashable>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<A::Kind>,
) -> Result<Json<A::Body>, ApiError> {
    let scope = scope.into_inner();
    let task = |services: Services| async move {
        catalog::restore::<A>(&*services.store, &scope, id.0, &services.stamp()).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn erase<A: Trashable>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<A::Kind>,
) -> Result<NoContent, ApiError> {
    let scope = scope.into_inner();
    let task = |services: Services| async move {
        catalog::erase::<A>(&*services.store, &scope, id.0, &services.stamp()).await
    };
    services.run(task).await?;
    Ok(NoContent)
}
