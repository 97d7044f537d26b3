//! Pages with their policy, and files with their names.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, ContentType, HeaderMap, HeaderName, HeaderValue,
    REFERRER_POLICY, VARY,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use racun_application::printing::PrintPdf;
use racun_paper::page::Page;
use racun_paper::{Paper, Picture};
use ring::digest::{SHA256, digest};

use crate::answer::File;

/// Bytes of a picture that stands on a page as it was uploaded.
const LIGHT: usize = 24 * 1024;

/// Keeps documents out of search engines.
const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// Bytes as a PDF that is called after its document.
pub(super) fn pdf(name: String, bytes: Vec<u8>) -> File {
    File { media_type: "application/pdf", name: format!("{name}.pdf"), bytes }
}

/// `paper` with pictures as small as a page needs them, for customers load it on their way. One
/// that does not decode is left out.
pub(super) async fn lightened(press: &dyn PrintPdf, mut paper: Paper) -> Paper {
    paper.logo = light(press, paper.logo.take()).await;
    if let Some(signature) = &mut paper.signature {
        signature.picture = light(press, signature.picture.take()).await;
    }
    paper
}

async fn light(press: &dyn PrintPdf, picture: Option<Picture>) -> Option<Picture> {
    let picture = picture?;
    if picture.bytes.len() <= LIGHT { Some(picture) } else { press.small(picture).await }
}

/// A page that has its own style and pictures, sends forms to where it came from, and nothing else.
pub(super) fn page(status: StatusCode, page: Page) -> HttpResponse {
    let style = STANDARD.encode(digest(&SHA256, page.style.as_bytes()));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{style}'; img-src data:; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'"
    );
    html(status, &policy, page.html)
}

/// A part of a page, which runs nothing where it should be opened by itself.
pub(super) fn part(part: String) -> HttpResponse {
    let policy = "default-src 'none'; img-src data:; base-uri 'none'; frame-ancestors 'none'";
    html(StatusCode::OK, policy, part)
}

/// Has no one keep, index or tell of what a link leads to.
pub(super) fn unseen(headers: &mut HeaderMap) {
    for (name, value) in [
        (X_ROBOTS_TAG, "noindex, nofollow"),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

fn html(status: StatusCode, policy: &str, text: String) -> HttpResponse {
    let mut answer = HttpResponse::build(status);
    answer.insert_header((CONTENT_SECURITY_POLICY, policy));
    answer.insert_header((VARY, "Accept, Accept-Language"));
    let mut answer = answer.content_type(ContentType::html()).body(text);
    unseen(answer.headers_mut());
    answer
}
