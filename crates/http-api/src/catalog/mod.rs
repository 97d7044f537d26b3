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
use racun_access::Entity;
use racun_catalog::{self as catalog, Resource, Trashable};
use racun_kernel::{Page, Scope};
use serde::Serialize;

use crate::answer::{self, NoContent};
use crate::body::ListBody;
use crate::error::ApiError;
use crate::request::{PathId, Query};
use crate::services::Services;

/// A record of the catalogue, and the body that it is answered with.
pub(crate) trait Answered: Resource {
    /// The body.
    type Body: Serialize + 'static;

    /// The record of `entity` as it is answered.
    fn answered(self, entity: &Entity) -> Self::Body;
}

/// Declares that a record is answered with a body, whatever its entity.
macro_rules! answered {
    ($record:ty, $body:ty) => {
        impl $crate::catalog::Answered for $record {
            type Body = $body;

            fn answered(self, _: &racun_access::Entity) -> $body {
                $crate::body::Convert::convert(self)
            }
        }
    };
}
use answered;

async fn list<A: Answered>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    query: Query,
) -> Result<answer::Page, ApiError> {
    let (scope, entity, raw) = (scope.into_inner(), entity.into_inner(), query.list()?);
    let page = |services: Services| async move {
        let Page { rows, pagination } = catalog::list::<A>(&*services.store, &scope, &raw).await?;
        let rows = rows.into_iter().map(|record| record.answered(&entity)).collect();
        Ok::<ListBody<A::Body>, _>(ListBody::of(Page { rows, pagination }))
    };
    services.page(page).await
}

async fn get<A: Answered>(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    id: PathId<A::Kind>,
) -> Result<Json<A::Body>, ApiError> {
    let record = catalog::get::<A>(&*services.store, &scope, id.0).await?;
    Ok(Json(record.answered(&entity)))
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
    entity: ReqData<Entity>,
    id: PathId<A::Kind>,
) -> Result<Json<A::Body>, ApiError> {
    let scope = scope.into_inner();
    let task = |services: Services| async move {
        catalog::restore::<A>(&*services.store, &scope, id.0, &services.stamp()).await
    };
    Ok(Json(services.run(task).await?.answered(&entity)))
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
