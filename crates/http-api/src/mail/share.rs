//! Links to documents, for users who make and revoke them.

use actix_web::web;
use racun_access::Permission::WriteRecords;
use racun_delivery::sharing;
use racun_documents::DocumentId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::answer::{Json, NoContent};
use crate::call::Call;
use crate::error::ApiError;
use crate::request::PathText;
use crate::route::{Gate, Route};
const TAG: &str = "Documents";

/// Routes of links.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/documents/{id}/share", "shareDocument", Gate::Entity(WriteRecords), || {
        web::to(share)
    })
    .about(
        TAG,
        "Answers the link by which anybody sees an issued document; makes it when it has none.",
    )
    .answers::<ShareBody>(),
    Route::delete("/documents/{id}/share", "unshareDocument", Gate::Entity(WriteRecords), || {
        web::to(unshare)
    })
    .about(TAG, "Revokes the document's link. A later one is another."),
];

/// Where a document is seen.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Share)]
struct ShareBody {
    /// What cannot be guessed of it.
    shareable_id: String,
    /// The link.
    shareable_link: String,
}

/// The path's id as one of a document.
fn document_id(path: &PathText) -> Result<DocumentId, ApiError> {
    path.0.parse().map_err(|_| ApiError::no_such("document", &path.0))
}

async fn share(call: Call, path: PathText) -> Result<Json<ShareBody>, ApiError> {
    let id = document_id(&path)?;
    let task = call.run(|call| async move { sharing::share(call.cx(), id).await });
    let document = task.await?;
    let shareable_id = document.shareable_id.unwrap_or_default();
    let shareable_link = sharing::link(&call.public_url, id.kind(), &shareable_id);
    Ok(Json(ShareBody { shareable_id, shareable_link }))
}

async fn unshare(call: Call, path: PathText) -> Result<NoContent, ApiError> {
    let id = document_id(&path)?;
    let task = call.run(|call| async move { sharing::unshare(call.cx(), id).await });
    task.await?;
    Ok(NoContent)
}
