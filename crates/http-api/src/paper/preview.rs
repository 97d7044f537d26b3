//! Documents that are not made yet.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use racun_delivery::printing::{self, Previewed};
use racun_paper::page::Around;

use super::answer;
use super::parameters::wanted;
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::limits;
use crate::request::Query;

/// The page of the document that is `previewed`.
pub(crate) async fn preview(
    call: EntityCall,
    query: Query,
    request: HttpRequest,
    previewed: Previewed,
) -> Result<HttpResponse, ApiError> {
    let wanted = wanted(&query)?;
    let is_partial = query.flag("partial")?;
    let entity = call.entity();
    let paper = printing::preview(call.cx(), &*call.files, entity, previewed, &wanted).await?;
    let paper = answer::lightened(call.press(), paper).await;
    if is_partial {
        let part = call.compute(move || paper.fragment()).await;
        limits::make_room(&request, part.len()).await?;
        return Ok(answer::part(part));
    }
    let page = call.compute(move || paper.page(&Around::default())).await;
    limits::make_room(&request, page.html.len()).await?;
    Ok(answer::page(StatusCode::OK, page))
}
