//! A shared invoice is paid by card, by the holder of its link.

use actix_web::http::header::LOCATION;
use actix_web::web;
use actix_web::{HttpRequest, HttpResponse, Responder as _};
use racun_delivery::sharing;
use racun_documents::DocumentKind;
use racun_sales::card_payments::{self as application, Payer};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use crate::answer::Json;
use crate::call::Call;
use crate::error::ApiError;
use crate::html;
use crate::paper::{self, LANGUAGE, wants_page};
use crate::request::{MaybeBody, Query};
use crate::route::{Gate, Route};

/// Paying behind a link.
pub(crate) const ROUTES: &[Route] = &[Route::post(
    "/invoices/shareable/{shareable_id}/pay",
    "paySharedInvoice",
    Gate::Open,
    || web::to(pay),
)
.about("Shared documents", "Answers the page on which what is due of an invoice is paid by card.")
.explained(
    "While the same is due, the same page is answered. The form of the invoice's page is sent \
     here, too: a browser is led to the page. The payment is recorded when the card processor \
     tells that it took the money.",
)
.reads(LANGUAGE)
.takes::<PayBody>()
.shows_page()
.answers::<CheckoutBody>()];

/// What is paid, and how much, is said by the document.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[schema(as = PaySharedInvoice)]
struct PayBody {}

/// Where an invoice is paid.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SharedInvoiceCheckout)]
struct CheckoutBody {
    /// The page of the card processor.
    checkout_url: String,
}

async fn pay(
    call: Call<()>,
    request: HttpRequest,
    _body: MaybeBody<PayBody>,
) -> Result<HttpResponse, ApiError> {
    let payer = payer(&call, &request);
    let id = request.match_info().query("shareable_id").to_owned();
    let task = call.run(|call| async move {
        let document = sharing::find_shared(call.store(), DocumentKind::Invoice, &id).await?;
        let (store, cards) = (call.store(), &*call.cards);
        let url = application::pay(store, cards, &document, &payer, call.stamp()).await?;
        Ok::<_, ApiError>(url)
    });
    match (task.await, wants_page(request.headers())) {
        (Ok(url), true) => {
            let mut answer = HttpResponse::SeeOther();
            let mut answer = answer.insert_header((LOCATION, url)).finish();
            html::unseen(answer.headers_mut());
            Ok(answer)
        }
        (Ok(checkout_url), false) => {
            let mut answer = Json(CheckoutBody { checkout_url }).respond_to(&request);
            html::unseen(answer.headers_mut());
            Ok(answer)
        }
        (Err(error), true) => paper::of_payment(call, request, error).await,
        (Err(error), false) => Err(error),
    }
}

/// Where the processor leads back to: the page of the document, in the language and locale that it
/// was in.
fn payer(call: &Call<()>, request: &HttpRequest) -> Payer {
    let id = request.match_info().query("shareable_id");
    let page = format!("{}/invoices/shareable/{id}", call.public_url.trim_end_matches('/'));
    let query = Query::parse(request.query_string());
    let asked = paper::asked_of_page(&query, request.headers());
    let and = |sign: &str| asked.as_ref().map(|asked| format!("{sign}{asked}")).unwrap_or_default();
    Payer {
        success_url: format!("{page}?paid=1{}", and("&")),
        cancel_url: format!("{page}{}", and("?")),
    }
}
