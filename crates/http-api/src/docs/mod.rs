//! The description of the interface, for programs and for people, and the page that stands before
//! it. Nothing of it is loaded from elsewhere.

use std::borrow::Cow;
use std::io::Write as _;
use std::sync::{Arc, LazyLock, OnceLock};

use actix_web::body::MessageBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ACCEPT, ACCEPT_ENCODING, AcceptEncoding, CACHE_CONTROL, CONTENT_ENCODING,
    CONTENT_SECURITY_POLICY, ContentType, ETAG, Encoding, EntityTag, Header as _, IfNoneMatch,
    LOCATION, VARY,
};
use actix_web::web::{self, Bytes, Data};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use flate2::Compression;
use flate2::write::GzEncoder;
use ring::digest::{SHA256, digest};
use serde_json::{Map, Value as Json, json};
use utoipa::ToSchema;
use utoipa_swagger_ui::{Config, serve};

use crate::error::ApiError;
use crate::process::Process;
use crate::route::{Gate, Route};

/// Routes of the description.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/openapi.json", "getDescription", Gate::Open, || web::to(description))
        .about("Description", "This description, as OpenAPI 3.1.")
        .explained("It comes compressed to whoever accepts gzip.")
        .answers::<DescriptionBody>()
        .conditional()
        .fixed(),
    Route::get("/openapi-3.0.json", "getDescription30", Gate::Open, || web::to(description_3_0))
        .about("Description", "This description, as OpenAPI 3.0.")
        .explained("For tools that do not read OpenAPI 3.1.")
        .answers::<DescriptionBody>()
        .conditional()
        .fixed(),
    Route::get("/", "getHome", Gate::Open, || web::to(home))
        .about("Description", "What this is, and where to go on.")
        .page(),
    Route::get("/docs", "getDocs", Gate::Open, || web::to(page))
        .about("Description", "This description, as pages to read and to try.")
        .linked()
        .page()
        .fixed(),
    Route::get("/docs/", "getDocsFolder", Gate::Open, || web::to(folder))
        .about("Description", "Leads to those pages.")
        .page(),
    Route::get("/docs/{file}", "getDocsFile", Gate::Open, || web::to(file))
        .about("Description", "A part of those pages.")
        .page()
        .fixed(),
    Route::get("/favicon.ico", "getIcon", Gate::Open, || web::to(icon))
        .about("Description", "The sign of these pages.")
        .page(),
    Route::get("/robots.txt", "getRobots", Gate::Open, || web::to(robots))
        .about("Description", "What search engines may look at.")
        .page(),
];

/// What writes the descriptions: they are made from the table of all routes, of which these are a
/// part.
#[derive(Clone, Copy)]
pub(crate) struct Descriptions {
    /// As OpenAPI 3.1.
    pub latest: fn() -> Json,
    /// As OpenAPI 3.0.
    pub three_zero: fn() -> Json,
}

/// A description in the language of OpenAPI.
#[derive(ToSchema)]
#[schema(as = ApiDescription)]
#[expect(dead_code, reason = "it is described, and written as text")]
struct DescriptionBody {
    /// Version of OpenAPI.
    openapi: String,
    /// Title, version and introduction.
    info: Map<String, Json>,
    /// What there is, by path and method.
    paths: Map<String, Json>,
}

/// The pages run their own scripts and styles and talk to this service only.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; object-src 'none'; base-uri 'none'; \
                      form-action 'self'; frame-ancestors 'none'";

/// A part of what comes with the pages that they do not need: it leads a log-in elsewhere back.
const REDIRECT: &str = "oauth2-redirect";

/// The first page has a style and nothing else.
const HOME_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; \
                           base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HOME: &str = include_str!("home.html");

/// What starts the pages, in the place of what comes with them.
const INITIALIZER: &str = include_str!("initializer.js");

const ICON: &str = include_str!("icon.svg");

/// Pages may be found; what stands behind links to documents says of itself that it may not.
const ROBOTS: &str = "User-agent: *\nAllow: /$\nAllow: /docs\nAllow: /openapi.json\nDisallow: /\n";

/// A description in the forms in which it is answered.
struct Written {
    plain: Bytes,
    gzip: Bytes,
    tag: EntityTag,
}

impl Written {
    fn of(description: &Json) -> std::io::Result<Self> {
        let plain = serde_json::to_vec(description)?;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&plain)?;
        let shown = digest(&SHA256, &plain)
            .as_ref()
            .iter()
            .take(16)
            .fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
        // Weak, for compressed or not it says the same.
        Ok(Self {
            plain: plain.into(),
            gzip: gzip.finish()?.into(),
            tag: EntityTag::new_weak(shown),
        })
    }

    fn answer(&self, request: &HttpRequest) -> HttpResponse {
        let has_it = request.headers().contains_key(IfNoneMatch::name())
            && match IfNoneMatch::parse(request) {
                Ok(IfNoneMatch::Any) => true,
                Ok(IfNoneMatch::Items(tags)) => tags.iter().any(|tag| tag.weak_eq(&self.tag)),
                Err(_) => false,
            };
        let status = if has_it { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
        let mut answer = HttpResponse::build(status);
        answer.insert_header((ETAG, self.tag.to_string()));
        answer.insert_header((VARY, ACCEPT_ENCODING.as_str()));
        answer.insert_header((CACHE_CONTROL, "no-cache"));
        if has_it {
            return answer.finish();
        }
        answer.content_type(ContentType::json());
        if accepts_gzip(request) {
            return answer.insert_header((CONTENT_ENCODING, "gzip")).body(self.gzip.clone());
        }
        answer.body(self.plain.clone())
    }
}

/// Whether the caller would rather have it compressed.
fn accepts_gzip(request: &HttpRequest) -> bool {
    let there = [Encoding::gzip(), Encoding::identity()];
    request.headers().contains_key(ACCEPT_ENCODING)
        && AcceptEncoding::parse(request)
            .is_ok_and(|accepted| accepted.negotiate(there.iter()) == Some(Encoding::gzip()))
}

/// Written on the first request: it is the same for as long as the process runs.
static LATEST: OnceLock<Result<Written, String>> = OnceLock::new();

/// The same, as OpenAPI 3.0.
static THREE_ZERO: OnceLock<Result<Written, String>> = OnceLock::new();

async fn description(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    described(&LATEST, |descriptions| descriptions.latest, &request)
}

async fn description_3_0(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    described(&THREE_ZERO, |descriptions| descriptions.three_zero, &request)
}

/// The answer to `request` for the description that `written` holds as soon as it is written.
fn described(
    written: &OnceLock<Result<Written, String>>,
    which: impl FnOnce(&Descriptions) -> fn() -> Json,
    request: &HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let missing = || ApiError::internal("the application has no description");
    let write = which(request.app_data::<Descriptions>().ok_or_else(missing)?);
    let written = written.get_or_init(|| Written::of(&write()).map_err(|error| error.to_string()));
    Ok(written.as_ref().map_err(ApiError::internal)?.answer(request))
}

/// A page for browsers; API clients get the same as JSON.
async fn home(request: HttpRequest, process: Data<Process>) -> HttpResponse {
    let accepted = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok());
    let mut answer = public();
    answer.insert_header((VARY, ACCEPT.as_str()));
    if accepted.is_some_and(|types| types.contains("text/html")) {
        answer.insert_header((CONTENT_SECURITY_POLICY, HOME_POLICY));
        let page = HOME.replace("{version}", process.version);
        return answer.content_type(ContentType::html()).body(page);
    }
    answer.json(json!({
        "name": "Racun",
        "version": process.version,
        "documentation": "/docs",
        "description": "/openapi.json",
        "health": "/health",
    }))
}

/// The page, as it is answered.
static PAGE: LazyLock<Result<Bytes, ApiError>> = LazyLock::new(|| {
    let (_, bytes) = load("index.html")?;
    // The page stands at `/docs`, its parts beneath it.
    let text = String::from_utf8_lossy(&bytes)
        .replace("=\"./", "=\"docs/")
        .replace("=\"index.css", "=\"docs/index.css")
        .replace("<title>Swagger UI</title>", "<title>Racun – the interface</title>");
    Ok(text.into())
});

async fn page() -> Result<HttpResponse, ApiError> {
    let page = PAGE.as_ref().map_err(Clone::clone)?;
    Ok(part(ContentType::html().to_string(), page.clone()))
}

async fn folder() -> HttpResponse {
    HttpResponse::PermanentRedirect().insert_header((LOCATION, "../docs")).finish()
}

async fn file(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let (content_type, bytes) = load(request.match_info().query("file"))?;
    Ok(part(content_type, bytes))
}

/// A part of the pages, with the policy of all of them.
fn part(content_type: String, body: impl MessageBody + 'static) -> HttpResponse {
    let mut answer = public();
    answer.insert_header((CONTENT_SECURITY_POLICY, POLICY));
    answer.content_type(content_type).body(body)
}

/// An answer that is the same for every caller, and that caches may keep and revalidate.
fn public() -> HttpResponseBuilder {
    let mut answer = HttpResponse::Ok();
    answer.insert_header((CACHE_CONTROL, "no-cache"));
    answer
}

async fn icon() -> HttpResponse {
    public().content_type("image/svg+xml").body(ICON)
}

async fn robots() -> HttpResponse {
    public().content_type(ContentType::plaintext()).body(ROBOTS)
}

/// A part of the pages as it is in the program: it is not copied for each answer.
fn load(name: &str) -> Result<(String, Bytes), ApiError> {
    if name == "swagger-initializer.js" {
        return Ok(("text/javascript".to_owned(), Bytes::from_static(INITIALIZER.as_bytes())));
    }
    if name.starts_with(REDIRECT) {
        return Err(ApiError::not_found(name));
    }
    let found = serve(name, Arc::new(Config::default())).map_err(ApiError::internal)?;
    let found = found.ok_or_else(|| ApiError::not_found(name))?;
    let bytes = match found.bytes {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => bytes.into(),
    };
    Ok((found.content_type, bytes))
}
