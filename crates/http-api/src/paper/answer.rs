//! Pages with their policy, and files with their names.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::VARY;
use racun_delivery::printing::PrintPdf;
use racun_paper::page::Page;
use racun_paper::{Paper, Picture};

use crate::answer::File;
use crate::html;

/// Bytes of a picture that a page shows as it was uploaded.
const LIGHT: usize = 24 * 1024;

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
    answer(status, &html::policy(&page.style, " img-src data:;"), page.html)
}

/// The same with a form that is answered by the way to a page elsewhere, where people pay: browsers
/// hold that way against the policy, too. Simulators are on this machine.
pub(super) fn page_with_payment(status: StatusCode, page: Page) -> HttpResponse {
    let forms = "'self' https: http://localhost:* http://127.0.0.1:*";
    let policy = html::policy_with_forms(&page.style, " img-src data:;", forms);
    answer(status, &policy, page.html)
}

/// A part of a page, which runs nothing where it should be opened by itself.
pub(super) fn part(part: String) -> HttpResponse {
    let policy = "default-src 'none'; img-src data:; base-uri 'none'; frame-ancestors 'none'";
    answer(StatusCode::OK, policy, part)
}

fn answer(status: StatusCode, policy: &str, text: String) -> HttpResponse {
    let mut head = HttpResponse::build(status);
    head.insert_header((VARY, "Accept, Accept-Language"));
    html::answer(head, policy, text)
}
