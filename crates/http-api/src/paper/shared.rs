//! Documents behind links, for everyone: as pages and files.

use actix_web::http::StatusCode;
use actix_web::http::header::{LOCATION, VARY};
use actix_web::{HttpRequest, HttpResponse, Responder as _, web};
use racun_delivery::printing::Wanted;
use racun_delivery::sharing::{self, SharedPaper};
use racun_documents::DocumentKind;
use racun_paper::Language;
use racun_paper::page::{Around, Notice, Reply, gone};
use racun_sales::card_payments;

use super::answer;
use super::parameters::{FILE, asked, asked_of_page, wanted_of_file, wanted_of_page, wants_page};
use crate::call::Call;
use crate::error::{ApiError, Kind};
use crate::html;
use crate::limits;
use crate::request::Query;
use crate::route::{Gate, Route};

const TAG: &str = "Shared documents";

macro_rules! files {
    ($path:literal, $one:literal, $kind:ident, $a_one:literal) => {
        [
            Route::get(
                concat!($path, "/shareable/{shareable_id}/html"),
                concat!("showShared", $one),
                Gate::Open,
                || web::to(|call, request| html(call, request, DocumentKind::$kind)),
            )
            .about(TAG, concat!("Shows ", $a_one, " as a page to anyone who has its link."))
            .reads(FILE)
            .answers_file("text/html"),
            Route::get(
                concat!($path, "/shareable/{shareable_id}/pdf"),
                concat!("printShared", $one),
                Gate::Open,
                || web::to(|call, request| pdf(call, request, DocumentKind::$kind)),
            )
            .about(TAG, concat!("Answers ", $a_one, " as PDF to anyone who has its link."))
            .reads(FILE)
            .answers_file("application/pdf"),
        ]
    };
}

/// Files behind links.
pub(crate) const FILES: &[&[Route]] = &[
    &files!("/invoices", "Invoice", Invoice, "an invoice"),
    &files!("/estimates", "Estimate", Estimate, "an estimate"),
    &files!("/credit-notes", "CreditNote", CreditNote, "a credit note"),
    &files!("/advance-invoices", "AdvanceInvoice", AdvanceInvoice, "an advance invoice"),
    &files!("/delivery-notes", "DeliveryNote", DeliveryNote, "a delivery note"),
];

async fn shared(
    call: &Call<()>,
    request: &HttpRequest,
    kind: DocumentKind,
    wanted: &Wanted,
) -> Result<SharedPaper, ApiError> {
    let id = request.match_info().query("shareable_id").to_owned();
    let paper =
        sharing::shared(call.store(), &*call.files, kind, &id, wanted, call.stamp()).await?;
    Ok(paper)
}

/// The page of the document behind the link of `request`, whose last part is the shareable id.
pub(crate) async fn page(
    call: Call<()>,
    request: HttpRequest,
    kind: DocumentKind,
) -> Result<HttpResponse, ApiError> {
    let id = request.match_info().query("shareable_id").to_owned();
    shown(&call, &request, kind, &of_page(&request), &format!("{id}/"), None).await
}

/// What the page behind the link of `request` is asked for with.
fn of_page(request: &HttpRequest) -> Wanted {
    wanted_of_page(&Query::parse(request.query_string()), request.headers())
}

/// What the file behind the link of `request` is asked for with.
fn of_file(request: &HttpRequest) -> Result<Wanted, ApiError> {
    wanted_of_file(&Query::parse(request.query_string()), request.headers())
}

async fn html(
    call: Call<()>,
    request: HttpRequest,
    kind: DocumentKind,
) -> Result<HttpResponse, ApiError> {
    shown(&call, &request, kind, &of_file(&request)?, "", None).await
}

async fn pdf(
    call: Call<()>,
    request: HttpRequest,
    kind: DocumentKind,
) -> Result<HttpResponse, ApiError> {
    let paper = match shared(&call, &request, kind, &of_file(&request)?).await {
        Ok(SharedPaper { paper, .. }) => paper,
        // Who follows a link to a file in a browser reads there that it leads nowhere.
        Err(error) if error.kind() == Kind::NotFound && wants_page(request.headers()) => {
            return Ok(led_nowhere(&request));
        }
        Err(error) => return Err(error),
    };
    let name = paper.file_name();
    let bytes = call.press().print(paper).await?;
    limits::make_room(&request, bytes.len()).await?;
    let mut answer = answer::pdf(name, bytes).respond_to(&request);
    html::unseen(answer.headers_mut());
    Ok(answer)
}

/// The page, as it is `wanted`; `beside` is the path, from where the page is, to what belongs to
/// the document. With `refused` it says what could not be done, under a status of its own.
async fn shown(
    call: &Call<()>,
    request: &HttpRequest,
    kind: DocumentKind,
    wanted: &Wanted,
    beside: &str,
    refused: Option<(StatusCode, Notice)>,
) -> Result<HttpResponse, ApiError> {
    let found = match shared(call, request, kind, wanted).await {
        Ok(found) => found,
        Err(error) if error.kind() == Kind::NotFound => return Ok(led_nowhere(request)),
        Err(error) => return Err(error),
    };
    let asked = asked(found.paper.language, wanted.locale);
    let to = |what: &str| format!("{beside}{what}?{asked}");
    let template = wanted.template.map(|template| format!("&template={}", template.name()));
    let reply = || Reply { accept: to("accept"), reject: to("reject") };
    let payable = {
        let (store, now) = (call.store(), call.stamp().now());
        card_payments::can_be_paid(store, &*call.cards, &found.document, now).await?
    };
    // Who comes back from paying reads that it counts when it is recorded, and not before.
    let came_back = Query::parse(request.query_string()).pairs().contains(&paid());
    let is_pending = payable && came_back && refused.is_none();
    let notice = refused.map(|(_, notice)| notice);
    let around = Around {
        pdf: Some(to("pdf") + &template.unwrap_or_default()),
        reply: found.awaits_reply.then(reply),
        pay: (payable && !is_pending).then(|| to("pay")),
        notice: notice.or(is_pending.then_some(Notice::PaymentPending)),
        service: {
            let labels = &call.white_labels;
            sharing::service_of(call.store(), labels, found.document.entity_id).await?
        },
    };
    let can_be_paid = around.pay.is_some();
    let paper = answer::lightened(call.press(), found.paper).await;
    let page = call.compute(move || paper.page(&around)).await;
    limits::make_room(request, page.html.len()).await?;
    let status = refused.map_or(StatusCode::OK, |(status, _)| status);
    Ok(match can_be_paid {
        true => answer::page_with_payment(status, page),
        false => answer::page(status, page),
    })
}

/// What the card processor leads back with when somebody paid.
fn paid() -> (String, String) {
    ("paid".to_owned(), "1".to_owned())
}

/// The page of a link that leads nowhere, or not any more.
fn led_nowhere(request: &HttpRequest) -> HttpResponse {
    let language = of_page(request).language.unwrap_or(Language::ENGLISH);
    answer::page(StatusCode::NOT_FOUND, gone(language))
}

/// What a browser is answered that sent the form of an estimate's page: the way back to the page,
/// or the page again, saying that the reply was not taken.
///
/// # Errors
/// Failures that are no refusal.
pub(crate) async fn of_reply(
    call: Call<()>,
    request: HttpRequest,
    outcome: Result<(), ApiError>,
) -> Result<HttpResponse, ApiError> {
    match outcome {
        Ok(()) => {
            let id = request.match_info().query("shareable_id");
            let query = Query::parse(request.query_string());
            let asked = asked_of_page(&query, request.headers());
            let asked = asked.map(|asked| format!("?{asked}"));
            let page = format!("../{id}{}", asked.unwrap_or_default());
            let mut answer = HttpResponse::SeeOther();
            Ok(answer.insert_header((LOCATION, page)).insert_header((VARY, "Accept")).finish())
        }
        Err(error) if error.kind().status().is_client_error() => {
            let status = error.kind().status();
            let refused = Some((status, Notice::ReplyRefused));
            let wanted = of_page(&request);
            shown(&call, &request, DocumentKind::Estimate, &wanted, "", refused).await
        }
        Err(error) => Err(error),
    }
}

/// What a browser is answered that sent the form of an invoice's page in vain: the page again,
/// saying that it cannot be paid by card now.
///
/// # Errors
/// Failures that are no refusal, and that the document cannot be shown.
pub(crate) async fn of_payment(
    call: Call<()>,
    request: HttpRequest,
    error: ApiError,
) -> Result<HttpResponse, ApiError> {
    let status = error.kind().status();
    let is_said = status.is_client_error() || status == StatusCode::SERVICE_UNAVAILABLE;
    if !is_said {
        return Err(error);
    }
    let refused = Some((status, Notice::PayRefused));
    shown(&call, &request, DocumentKind::Invoice, &of_page(&request), "", refused).await
}
