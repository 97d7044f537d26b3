//! Documents of any kind, for callers that may read them.

use actix_web::http::StatusCode;
use actix_web::web;
use actix_web::{HttpRequest, HttpResponse};
use racun_access::Permission::ReadTill;
use racun_billing::Feature;
use racun_delivery::printing::{self, Wanted};
use racun_kernel::Issue;
use racun_paper::page::Around;
use racun_paper::{Paper, Roll, Template};

use super::answer;
use super::parameters::{CODES, PRINT, RECEIPT, wanted};
use crate::answer::File;
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::limits;
use crate::request::{PathText, Query};
use crate::route::{Gate, Route};

const TAG: &str = "Documents";

/// Routes of documents on paper.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/documents/{id}/pdf", "printDocument", Gate::Entity(ReadTill), || web::to(pdf))
        .needs(Feature::PdfExport)
        .about(TAG, "Answers a document as PDF.")
        .explained(
            "The file is PDF/A-3b, tagged, and the same bytes whenever the same document is \
             asked for in the same state.",
        )
        .reads(PRINT)
        .reads_also(CODES)
        .answers_file("application/pdf"),
    Route::get("/documents/{id}/html", "showDocument", Gate::Entity(ReadTill), || web::to(html))
        .about(TAG, "Answers a document as a page without scripts.")
        .reads(PRINT)
        .reads_also(CODES)
        .answers_file("text/html"),
    Route::get("/documents/{id}/receipt", "printReceipt", Gate::Entity(ReadTill), || {
        web::to(receipt)
    })
    .about(TAG, "Answers a document as bytes for a receipt printer.")
    .explained(
        "The bytes are ESC/POS, with logo and codes as pictures. As PDF a receipt is \
         `/documents/{id}/pdf?template=receipt_80`.",
    )
    .reads(RECEIPT)
    .answers_file("application/octet-stream"),
];

async fn paper(call: &EntityCall, path: &PathText, query: &Query) -> Result<Paper, ApiError> {
    paper_of(call, path, &wanted(query)?).await
}

async fn paper_of(call: &EntityCall, path: &PathText, wanted: &Wanted) -> Result<Paper, ApiError> {
    let id = path.0.parse().map_err(|_| ApiError::no_such("document", &path.0))?;
    wanted.check(call.entity())?;
    Ok(printing::paper(call.cx(), &*call.files, call.entity(), id, wanted).await?)
}

async fn pdf(
    call: EntityCall,
    path: PathText,
    query: Query,
    request: HttpRequest,
) -> Result<File, ApiError> {
    let paper = paper(&call, &path, &query).await?;
    let name = paper.file_name();
    let bytes = call.press().print(paper).await?;
    limits::make_room(&request, bytes.len()).await?;
    Ok(answer::pdf(name, bytes))
}

async fn html(
    call: EntityCall,
    path: PathText,
    query: Query,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let paper = answer::lightened(call.press(), paper(&call, &path, &query).await?).await;
    let page = call.compute(move || paper.page(&Around::default())).await;
    limits::make_room(&request, page.html.len()).await?;
    Ok(answer::page(StatusCode::OK, page))
}

async fn receipt(
    call: EntityCall,
    path: PathText,
    query: Query,
    request: HttpRequest,
) -> Result<File, ApiError> {
    if !matches!(query.one("format")?, None | Some("escpos")) {
        return Err(Issue::new("invalid_value", "expected escpos").at("format").into());
    }
    let (roll, template) = match query.one("template")?.map(Template::from_name) {
        None | Some(Some(Template::Receipt80)) => (Roll::Wide, Template::Receipt80),
        Some(Some(Template::Receipt58)) => (Roll::Narrow, Template::Receipt58),
        Some(_) => {
            let message = "expected `receipt_80` or `receipt_58`";
            return Err(Issue::new("invalid_value", message).at("template").into());
        }
    };
    let wanted = Wanted { template: Some(template), ..wanted(&query)? };
    let paper = paper_of(&call, &path, &wanted).await?;
    let name = format!("{}.bin", paper.file_name());
    let logo = match &paper.logo {
        Some(logo) => call.press().dots(logo.clone(), roll.logo_dots(logo.scale_percent)).await,
        None => None,
    };
    let bytes = call.compute(move || paper.escpos(roll, logo.as_ref())).await;
    limits::make_room(&request, bytes.len()).await?;
    Ok(File { media_type: "application/octet-stream", name, bytes })
}
