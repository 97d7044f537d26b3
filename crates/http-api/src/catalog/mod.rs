//! Routes of the catalogue, and what all its resources share.

pub(crate) mod business_units;
pub(crate) mod customers;
pub(crate) mod files;
pub(crate) mod financial_categories;
pub(crate) mod items;
pub(crate) mod parts;
pub(crate) mod suppliers;
pub(crate) mod taxes;

use actix_web::web::Json;
use racun_catalog::{self as catalog, Resource, Trashable};
use serde::Serialize;

use crate::answer::{self, NoContent};
use crate::body::{Convert, ListBody};
use crate::call::Call;
use crate::error::ApiError;
use crate::request::{PathId, Query};
/// A record of the catalogue, and the body that it is answered with.
pub(crate) trait Answered: Resource + Convert<Self::Body> {
    /// The body.
    type Body: Serialize + 'static;
}

async fn list<A: Answered>(call: Call, query: Query) -> Result<answer::Page, ApiError> {
    let raw = query.list()?;
    let page = call.page(|call| async move {
        let page = catalog::list::<A>(call.cx(), &raw).await?;
        Ok::<ListBody<A::Body>, _>(page.convert())
    });
    page.await
}

async fn get<A: Answered>(call: Call, id: PathId<A::Kind>) -> Result<Json<A::Body>, ApiError> {
    let record = catalog::get::<A>(call.cx(), id.0).await?;
    Ok(Json(record.convert()))
}

async fn trash<A: Trashable>(call: Call, id: PathId<A::Kind>) -> Result<NoContent, ApiError> {
    let task = call.run(|call| async move { catalog::trash::<A>(call.cx(), id.0).await });
    task.await?;
    Ok(NoContent)
}

async fn restore<A: Answered + Trashable>(
    call: Call,
    id: PathId<A::Kind>,
) -> Result<Json<A::Body>, ApiError> {
    let task = call.run(|call| async move { catalog::restore::<A>(call.cx(), id.0).await });
    Ok(Json(task.await?.convert()))
}

async fn erase<A: Trashable>(call: Call, id: PathId<A::Kind>) -> Result<NoContent, ApiError> {
    let task = call.run(|call| async move { catalog::erase::<A>(call.cx(), id.0).await });
    task.await?;
    Ok(NoContent)
}
