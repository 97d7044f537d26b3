//! The description of the interface, for programs and for people. Nothing of it is loaded from
//! elsewhere.

use std::sync::{Arc, LazyLock};

use actix_web::http::header::{CONTENT_SECURITY_POLICY, ContentType};
use actix_web::{HttpRequest, HttpResponse, web};
use utoipa_swagger_ui::{Config, serve};

use crate::error::ApiError;
use crate::openapi::openapi;
use crate::route::{Gate, Route};

/// Routes of the description.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/openapi.json", "getDescription", Gate::Open, || web::to(description))
        .about("Description", "This description, as OpenAPI 3.1."),
    Route::get("/docs", "getDocs", Gate::Open, || web::to(page))
        .about("Description", "This description, as pages to read and to try.")
        .linked(),
    Route::get("/docs/{file}", "getDocsFile", Gate::Open, || web::to(file))
        .about("Description", "A part of those pages."),
];

/// The pages run their own scripts and styles and talk to this service, and to nobody else.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; frame-ancestors 'none'";

/// Written once: it is the same for as long as the process runs.
static DESCRIPTION: LazyLock<Result<String, String>> =
    LazyLock::new(|| openapi().to_pretty_json().map_err(|error| error.to_string()));

async fn description() -> Result<HttpResponse, ApiError> {
    let text = DESCRIPTION.as_ref().map_err(ApiError::internal)?;
    Ok(HttpResponse::Ok().content_type(ContentType::json()).body(text.as_str()))
}

async fn page() -> Result<HttpResponse, ApiError> {
    let (_, bytes) = load("index.html")?;
    // The page stands at `/docs`, its parts beneath it.
    let text = String::from_utf8_lossy(&bytes)
        .replace("=\"./", "=\"docs/")
        .replace("=\"index.css", "=\"docs/index.css");
    let mut answer = HttpResponse::Ok();
    answer.insert_header((CONTENT_SECURITY_POLICY, POLICY)).content_type(ContentType::html());
    Ok(answer.body(text))
}

async fn file(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let (content_type, bytes) = load(request.match_info().query("file"))?;
    Ok(HttpResponse::Ok().content_type(content_type).body(bytes))
}

fn load(name: &str) -> Result<(String, Vec<u8>), ApiError> {
    // The page's parts ask for the description beside the page.
    let config = Arc::new(Config::new(["openapi.json"]));
    let found = serve(name, config).map_err(ApiError::internal)?;
    let found = found.ok_or_else(|| ApiError::not_found(name))?;
    Ok((found.content_type, found.bytes.into_owned()))
}
