//! Routes of the catalogue, and what all its resources share.

pub(crate) mod business_units;
pub(crate) mod customers;
pub(crate) mod files;
pub(crate) mod financial_categories;
pub(crate) mod items;
pub(crate) mod parts;
pub(crate) mod suppliers;
pub(crate) mod taxes;

use racun_access::Entity;
use racun_catalog::{self as catalog, Resource, Trashable};
use racun_store::Page;
use serde::Serialize;

use crate::answer::{self, Json, NoContent};
use crate::body::ListBody;
use crate::call::{Call, EntityCall};
use crate::error::ApiError;
use crate::request::{PathId, Query};
use crate::route::Route;

/// The routes of all its resources but files, which belong to records of other areas, too.
pub(crate) const ROUTES: &[&[Route]] = &[
    customers::ROUTES,
    suppliers::ROUTES,
    items::ROUTES,
    taxes::ROUTES,
    financial_categories::ROUTES,
    business_units::ROUTES,
];

/// A record of the catalogue, and the body that it is answered with.
pub(crate) trait Answered: Resource {
    /// The body.
    type Body: Serialize + 'static;

    /// The record of `entity` as it is answered.
    fn answered(self, entity: &Entity) -> Self::Body;
}

/// Declares that a record is answered with a body that does not depend on its entity.
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

async fn list<A: Answered>(call: EntityCall, query: Query) -> Result<answer::Page, ApiError> {
    let raw = query.list()?;
    let page = call.page(|call| async move {
        let Page { rows, pagination } = catalog::list::<A>(call.cx(), &raw).await?;
        let rows = rows.into_iter().map(|record| record.answered(call.entity())).collect();
        Ok::<ListBody<A::Body>, _>(ListBody::of(Page { rows, pagination }))
    });
    page.await
}

async fn get<A: Answered>(
    call: EntityCall,
    id: PathId<A::Kind>,
) -> Result<Json<A::Body>, ApiError> {
    let record = catalog::get::<A>(call.cx(), id.0).await?;
    Ok(Json(record.answered(call.entity())))
}

async fn trash<A: Trashable>(call: Call, id: PathId<A::Kind>) -> Result<NoContent, ApiError> {
    let task = call.run(|call| async move { catalog::trash::<A>(call.cx(), id.0).await });
    task.await?;
    Ok(NoContent)
}

async fn restore<A: Answered + Trashable>(
    call: EntityCall,
    id: PathId<A::Kind>,
) -> Result<Json<A::Body>, ApiError> {
    let task = call.run(|call| async move { catalog::restore::<A>(call.cx(), id.0).await });
    Ok(Json(task.await?.answered(call.entity())))
}

async fn erase<A: Trashable>(call: Call, id: PathId<A::Kind>) -> Result<NoContent, ApiError> {
    let task = call.run(|call| async move { catalog::erase::<A>(call.cx(), id.0).await });
    task.await?;
    Ok(NoContent)
}
