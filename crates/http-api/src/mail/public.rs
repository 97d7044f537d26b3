//! Documents behind links, for everyone: what their customer may read, and nothing that the entity
//! keeps for itself.

use actix_web::http::header::{CACHE_CONTROL, ContentType, HeaderName, REFERRER_POLICY};
use actix_web::web;
use actix_web::{HttpRequest, HttpResponse};
use racun_delivery::sharing::{self, SharedReply};
use racun_documents::{Document, DocumentKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};
use validator::Validate;

use crate::answer::Page;
use crate::call::Call;
use crate::documents::AnyDocumentBody;
use crate::error::ApiError;
use crate::paper::{self, LANGUAGE, wants_page};
use crate::request::MaybeBody;
use crate::route::{Gate, Route};

const TAG: &str = "Shared documents";

/// Keeps documents out of search engines.
const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

macro_rules! shared_route {
    ($path:literal, $operation:literal, $kind:ident, $a_one:literal) => {
        Route::get(concat!($path, "/shareable/{shareable_id}"), $operation, Gate::Open, || {
            web::to(|call, request| shared(call, request, DocumentKind::$kind))
        })
        .about(TAG, concat!("Answers ", $a_one, " to anyone who has its link."))
        .explained(
            "Who accepts `text/html` before JSON, as browsers do, is shown a page; its parameters \
             are those of `/html`, and others are passed over. A link that was taken away leads to \
             a page with the status 404.",
        )
        .reads(LANGUAGE)
        .long()
        .shows_page()
        .answers::<SharedDocumentBody>()
    };
}

/// Routes that answer everyone who has a link.
pub(crate) const ROUTES: &[Route] = &[
    shared_route!("/invoices", "getSharedInvoice", Invoice, "an invoice"),
    shared_route!("/estimates", "getSharedEstimate", Estimate, "an estimate"),
    shared_route!("/credit-notes", "getSharedCreditNote", CreditNote, "a credit note"),
    shared_route!(
        "/advance-invoices",
        "getSharedAdvanceInvoice",
        AdvanceInvoice,
        "an advance invoice"
    ),
    shared_route!("/delivery-notes", "getSharedDeliveryNote", DeliveryNote, "a delivery note"),
    Route::post(
        "/estimates/shareable/{shareable_id}/accept",
        "acceptSharedEstimate",
        Gate::Open,
        || web::to(|call, request, body| reply(call, request, body, SharedReply::Accept)),
    )
    .about(TAG, "Accepts an estimate, by anyone who has its link.")
    .explained(
        "The form of the estimate's page is sent here, too: a browser is led back to the page.",
    )
    .reads(LANGUAGE)
    .takes::<ReplyBody>()
    .shows_page()
    .answers::<SharedDocumentBody>(),
    Route::post(
        "/estimates/shareable/{shareable_id}/reject",
        "rejectSharedEstimate",
        Gate::Open,
        || web::to(|call, request, body| reply(call, request, body, SharedReply::Reject)),
    )
    .about(TAG, "Rejects an estimate, by anyone who has its link.")
    .explained(
        "The form of the estimate's page is sent here, too: a browser is led back to the page.",
    )
    .reads(LANGUAGE)
    .takes::<ReplyBody>()
    .shows_page()
    .answers::<SharedDocumentBody>(),
];

/// What becomes of an estimate is said by the path alone.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[schema(as = SharedReply)]
struct ReplyBody {}

/// What is shown of a document.
const OF_DOCUMENT: &[&str] = &[
    "number",
    "date",
    "date_due",
    "date_valid_till",
    "date_service",
    "date_service_to",
    "title_type",
    "hide_prices",
    "issuer",
    "business_unit",
    "customer",
    "note",
    "payment_terms",
    "tax_clause",
    "footer",
    "signature",
    "translations",
    "items",
    "total",
    "total_with_tax",
    "total_discount",
    "taxes",
    "currency_code",
    "exchange_rate",
    "total_converted",
    "total_with_tax_converted",
    "rounding_correction",
    "total_paid",
    "total_due",
    "paid_in_full",
    "advances_applied",
    "transaction_type",
    "reference",
    "accepted_at",
    "rejected_at",
    "voided_at",
    "furs",
    "fina",
    "shareable_id",
];
/// What is shown of a line.
const OF_LINE: &[&str] = &[
    "type",
    "name",
    "description",
    "translations",
    "classification",
    "quantity",
    "unit",
    "price",
    "gross_price",
    "discounts",
    "taxes",
    "total",
    "total_with_tax",
];
/// What is shown of a tax, on a line or in the summary.
const OF_TAX: &[&str] = &[
    "rate",
    "base",
    "amount",
    "base_converted",
    "amount_converted",
    "reverse_charge",
    "classification",
    "pt_exemption_code",
    "pt_exemption_reason",
];
/// What is shown of an advance that pays of an invoice.
const OF_ADVANCE: &[&str] = &["number", "date", "amount", "total", "taxes"];
/// What is shown of a business unit.
const OF_UNIT: &[&str] = &[
    "name",
    "address",
    "address_2",
    "post_code",
    "city",
    "state",
    "country",
    "country_code",
    "email",
    "phone",
    "website",
    "logo_url",
    "signature_url",
];
/// What is shown of issuer and customer.
const OF_PARTY: &[&str] = &[
    "name",
    "unit_name",
    "email",
    "address",
    "address_2",
    "post_code",
    "city",
    "state",
    "country",
    "country_code",
    "tax_number",
    "tax_number_2",
    "company_number",
    "phone",
    "bank_accounts",
    "bank_account",
];
/// What is shown of what a tax authority knows: what is printed on the document.
const OF_FISCALIZATION: &[&str] = &["status", "fiscalized_at", "data"];
/// What of it is between the issuer and the authority: who issued it, ids of messages, and tips.
const NOT_OF_FISCAL_DATA: &[&str] = &["operator_tax_number", "operator_oib", "message_id", "tips"];
/// What says a price: not shown of a delivery note that hides them.
const PRICES: &[&str] = &[
    "price",
    "gross_price",
    "discounts",
    "taxes",
    "total",
    "total_with_tax",
    "total_discount",
    "total_converted",
    "total_with_tax_converted",
    "rounding_correction",
    "exchange_rate",
];

/// A document as a holder of its link sees it.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct SharedDocumentBody(Map<String, Json>);

impl PartialSchema for SharedDocumentBody {
    fn schema() -> RefOr<Schema> {
        let text = || Schema::from(ObjectBuilder::new().schema_type(Type::String).build());
        let about = "A document without what its entity keeps for itself: ids of records, \
                     metadata, settings. `type` says which kind it is; properties are those of \
                     the kind.";
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some(about))
            .property("type", text())
            .required("type")
            .property("number", text())
            .required("number")
            .property("is_voided", ObjectBuilder::new().schema_type(Type::Boolean))
            .required("is_voided")
            .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(true)))
            .into()
    }
}

impl ToSchema for SharedDocumentBody {
    fn name() -> std::borrow::Cow<'static, str> {
        "SharedDocument".into()
    }
}

impl SharedDocumentBody {
    fn of(document: Document) -> Result<Self, serde_json::Error> {
        let (kind, hides_prices) = (document.id.kind(), document.content.hide_prices);
        let is_voided = document.voided_at().is_some();
        let whole = serde_json::to_value(AnyDocumentBody::of(document, Vec::new()))?;
        let mut shown = object(whole, OF_DOCUMENT);
        shown.insert("type".to_owned(), kind.name().into());
        shown.insert("is_voided".to_owned(), is_voided.into());
        within(&mut shown, "items", OF_LINE);
        for line in shown.get_mut("items").and_then(Json::as_array_mut).into_iter().flatten() {
            if let Some(line) = line.as_object_mut() {
                within(line, "taxes", OF_TAX);
            }
        }
        for (key, properties) in [
            ("taxes", OF_TAX),
            ("advances_applied", OF_ADVANCE),
            ("business_unit", OF_UNIT),
            ("issuer", OF_PARTY),
            ("customer", OF_PARTY),
            ("furs", OF_FISCALIZATION),
            ("fina", OF_FISCALIZATION),
        ] {
            within(&mut shown, key, properties);
        }
        for authority in ["furs", "fina"] {
            let data = shown.get_mut(authority).and_then(|told| told.get_mut("data"));
            if let Some(data) = data.and_then(Json::as_object_mut) {
                data.retain(|key, _| !NOT_OF_FISCAL_DATA.contains(&key.as_str()));
            }
        }
        if hides_prices {
            let priceless = |map: &mut Map<String, Json>| {
                map.retain(|key, _| !PRICES.contains(&key.as_str()));
            };
            priceless(&mut shown);
            let lines = shown.get_mut("items").and_then(Json::as_array_mut).into_iter().flatten();
            lines.filter_map(Json::as_object_mut).for_each(priceless);
        }
        Ok(Self(shown))
    }
}

/// `value` with these properties only; nothing of what is no object.
fn object(value: Json, properties: &[&str]) -> Map<String, Json> {
    let Json::Object(mut map) = value else { return Map::new() };
    map.retain(|key, _| properties.contains(&key.as_str()));
    map
}

/// Leaves these properties only of what is under `key`: an object, or an array of some.
fn within(map: &mut Map<String, Json>, key: &str, properties: &[&str]) {
    match map.get_mut(key) {
        Some(Json::Array(values)) => {
            for value in values {
                *value = Json::Object(object(value.take(), properties));
            }
        }
        Some(value) if value.is_object() => {
            *value = Json::Object(object(value.take(), properties));
        }
        _ => {}
    }
}

async fn shared(
    call: Call<()>,
    request: HttpRequest,
    kind: DocumentKind,
) -> Result<HttpResponse, ApiError> {
    if wants_page(request.headers()) {
        return paper::page(call, request, kind).await;
    }
    let id = request.match_info().query("shareable_id").to_owned();
    let page = call.page(move |call| async move {
        let document = sharing::find_shared(call.store(), kind, &id).await?;
        SharedDocumentBody::of(document).map_err(ApiError::internal)
    });
    Ok(seen(page.await?))
}

/// What the customer says of an estimate behind a link.
async fn reply(
    call: Call<()>,
    request: HttpRequest,
    _body: MaybeBody<ReplyBody>,
    reply: SharedReply,
) -> Result<HttpResponse, ApiError> {
    let id = request.match_info().query("shareable_id").to_owned();
    let task = call.run(|call| async move {
        sharing::reply_to_shared(call.store(), &id, reply, call.stamp()).await
    });
    let outcome = task.await.map_err(ApiError::from);
    if wants_page(request.headers()) {
        return paper::of_reply(call, request, outcome.map(|_| ())).await;
    }
    let document = outcome?;
    let page = call
        .page(move |_| async move { SharedDocumentBody::of(document).map_err(ApiError::internal) });
    Ok(seen(page.await?))
}

/// The document as its public link shows it.
fn seen(document: Page) -> HttpResponse {
    let mut answer = HttpResponse::Ok();
    answer.insert_header((X_ROBOTS_TAG, "noindex, nofollow"));
    answer.insert_header((CACHE_CONTROL, "no-store"));
    answer.insert_header((REFERRER_POLICY, "no-referrer"));
    answer.content_type(ContentType::json()).body(document.0)
}
