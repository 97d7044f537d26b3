//! What each kind of document has routes for, declared once for all kinds.

use actix_web::{HttpRequest, HttpResponse, web};
use racun_access::Permission::{ReadRecords, ReadTill, Sell, WriteRecords};
use racun_billing::Feature;
use racun_delivery::printing::Previewed;
use racun_documents::{Document, DocumentId, Editor};
use racun_kernel::Scope;
use racun_records::get_document;
use racun_sales::documents::{self as application, Edit};
use racun_store::Page;
use serde::Deserialize;
use utoipa::ToSchema;
use validator::Validate;

use super::allowed_properties::{Allowed, Create, CreateBody, CreateCustom, Update};
use super::answer::{
    AdvanceInvoiceBody, CreditNoteBody, DeliveryNoteBody, DocumentBody, EstimateBody, InvoiceBody,
    answered, with_links,
};
use super::output::{VersionBody, VersionsBody};
use super::relation::{INCLUDE, included, of_one};
use crate::answer::{self, Created, Json};
use crate::body::ListBody;
use crate::body_limit::DOCUMENT;
use crate::call::{Call, EntityCall};
use crate::error::ApiError;
use crate::paper::{CODES, PREVIEW, preview};
use crate::request::{Body, MaybeBody, PathText, Query};
use crate::route::{Gate, LIST, Route};

/// Declares the routes of a kind: its body, path, name and names in operations and sentences; and
/// those that not every kind has.
macro_rules! routes {
    (
        $body:ty, $path:literal $(needs $feature:ident)?, $tag:literal,
        $one:literal, $many:literal, $a_one:literal, $plural:literal,
        $($more:expr),* $(,)?
    ) => {
        &[
            Route::post($path, concat!("create", $one), Gate::Entity(Sell), || {
                web::to(create::<Create<$body>>)
            })
            $(.needs(Feature::$feature))?
            .read_by(&[concat!("get", $one)])
            .about($tag, concat!("Makes ", $a_one, ": issued with the next number, or a draft."))
            .takes_with::<Allowed<Create<$body>>>(&["items"])
            .up_to(DOCUMENT)
            .creates::<$body>(),
            Route::post(
                concat!($path, "/custom"),
                concat!("createCustom", $one),
                Gate::Entity(Sell),
                || web::to(create::<CreateCustom<$body>>),
            )
            $(.needs(Feature::$feature))?
            .read_by(&[concat!("get", $one)])
            .about($tag, concat!("Makes ", $a_one, " with totals that are kept as given."))
            .takes_with::<Allowed<CreateCustom<$body>>>(&["items", "total", "total_with_tax"])
            .up_to(DOCUMENT)
            .creates::<$body>(),
            Route::post(
                concat!($path, "/preview"),
                concat!("preview", $one),
                Gate::Entity(ReadTill),
                || web::to(show_preview::<Create<$body>>),
            )
            $(.needs(Feature::$feature))?
            .about($tag, concat!("Shows ", $a_one, " as a page, without making it."))
            .reads(PREVIEW)
            .reads_also(CODES)
            .takes_with::<Allowed<Create<$body>>>(&["items"])
            .up_to(DOCUMENT)
            .answers_file("text/html"),
            Route::get($path, concat!("list", $many), Gate::Entity(ReadTill), || {
                web::to(list::<$body>)
            })
            .about($tag, concat!("Lists ", $plural, "."))
            .reads(LIST)
            .reads_also(&[INCLUDE])
            .answers::<ListBody<$body>>(),
            Route::get(
                concat!($path, "/{id}"),
                concat!("get", $one),
                Gate::Entity(ReadTill),
                || web::to(get::<$body>),
            )
            .about($tag, concat!("Answers ", $a_one, "."))
            .reads(&[INCLUDE])
            .answers::<$body>(),
            Route::patch(
                concat!($path, "/{id}"),
                concat!("update", $one),
                Gate::Entity(WriteRecords),
                || web::to(update::<$body>),
            )
            $(.needs(Feature::$feature))?
            .read_by(&[concat!("get", $one)])
            .about($tag, concat!("Changes what is sent of ", $a_one, "; keeps a version of it."))
            .takes::<Allowed<Update<$body>>>()
            .up_to(DOCUMENT)
            .answers::<$body>(),
            Route::get(
                concat!($path, "/{id}/versions"),
                concat!("list", $one, "Versions"),
                Gate::Entity(ReadRecords),
                || web::to(versions::<$body>),
            )
            .about($tag, concat!("Tells what each update of ", $a_one, " changed, newest first."))
            .long()
            .answers::<VersionsBody>(),
            $($more,)*
        ]
    };
}

/// Declares the route by which a kind is voided.
macro_rules! void_route {
    (
        $body:ty, $path:literal $(needs $feature:ident)?,
        $one:literal, $tag:literal, $a_one:literal $(,)?
    ) => {
        Route::post($path, concat!("void", $one), Gate::Entity(WriteRecords), || {
            web::to(void::<$body>)
        })
            $(.needs(Feature::$feature))?
            .read_by(&[concat!("get", $one)])
            .about($tag, concat!("Declares ", $a_one, " void, if issued; its number stays taken."))
            .takes::<VoidBody>()
            .answers::<$body>()
    };
}

/// Routes of invoices.
pub(crate) const INVOICES: &[Route] = routes! {
    InvoiceBody, "/invoices" needs Invoices, "Invoices",
    "Invoice", "Invoices", "an invoice", "invoices",
    void_route!(
        InvoiceBody, "/invoices/{id}/void" needs Invoices, "Invoice", "Invoices", "an invoice"
    ),
};

/// Routes of estimates. They end by being rejected or by running out, not by being voided.
pub(crate) const ESTIMATES: &[Route] = routes! {
    EstimateBody, "/estimates" needs Estimates, "Estimates",
    "Estimate", "Estimates", "an estimate", "estimates",
    Route::post("/estimates/{id}/accept", "acceptEstimate", Gate::Entity(WriteRecords), || {
        web::to(accept)
    })
    .needs(Feature::Estimates)
    .read_by(&["getEstimate"])
    .about("Estimates", "Notes that the customer accepted an estimate.")
    .takes::<ReplyBody>()
    .answers::<EstimateBody>(),
    Route::post("/estimates/{id}/reject", "rejectEstimate", Gate::Entity(WriteRecords), || {
        web::to(reject)
    })
    .needs(Feature::Estimates)
    .read_by(&["getEstimate"])
    .about("Estimates", "Notes that the customer rejected an estimate.")
    .takes::<ReplyBody>()
    .answers::<EstimateBody>(),
};

/// Routes of credit notes.
pub(crate) const CREDIT_NOTES: &[Route] = routes! {
    CreditNoteBody, "/credit-notes" needs Invoices, "Credit notes",
    "CreditNote", "CreditNotes", "a credit note", "credit notes",
    void_route!(
        CreditNoteBody, "/credit-notes/{id}/void" needs Invoices,
        "CreditNote", "Credit notes", "a credit note"
    ),
};

/// Routes of advance invoices.
pub(crate) const ADVANCE_INVOICES: &[Route] = routes! {
    AdvanceInvoiceBody, "/advance-invoices" needs Invoices, "Advance invoices",
    "AdvanceInvoice", "AdvanceInvoices", "an advance invoice", "advance invoices",
    void_route!(
        AdvanceInvoiceBody, "/advance-invoices/{id}/void" needs Invoices, "AdvanceInvoice",
        "Advance invoices", "an advance invoice"
    ),
};

/// Routes of delivery notes.
pub(crate) const DELIVERY_NOTES: &[Route] = routes! {
    DeliveryNoteBody, "/delivery-notes", "Delivery notes",
    "DeliveryNote", "DeliveryNotes", "a delivery note", "delivery notes",
    void_route!(
        DeliveryNoteBody, "/delivery-notes/{id}/void", "DeliveryNote",
        "Delivery notes", "a delivery note"
    ),
};

/// How a document is voided.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = VoidDocument)]
struct VoidBody {
    /// Why.
    #[validate(length(min = 1, max = 500))]
    #[schema(min_length = 1, max_length = 500)]
    reason: Option<String>,
    /// Whether the paper original was recovered.
    has_original_document: Option<bool>,
}

/// What a customer says to an estimate. It takes no properties.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = ReplyToEstimate)]
struct ReplyBody {}

/// The path's id as one of this kind; any other is answered like an id that is not there.
fn own_id<B: DocumentBody>(path: &PathText) -> Result<DocumentId, ApiError> {
    let no_such = || ApiError::no_such(B::KIND.name(), &path.0);
    let id: DocumentId = path.0.parse().map_err(|_| no_such())?;
    if id.kind() == B::KIND { Ok(id) } else { Err(no_such()) }
}

/// `document` with its links.
async fn body<B: DocumentBody>(call: &Call, document: Document) -> Result<B, ApiError> {
    let links = of_one(&*call.store, call.scope(), document.id).await?;
    Ok(B::of(document, links))
}

async fn create<M: CreateBody>(
    call: EntityCall,
    sent: Body<Allowed<M>>,
) -> Result<Created<M::Answer>, ApiError> {
    let (request, creation) = sent.0.properties.creation(M::CUSTOM)?;
    // What is new and names no other document has no links.
    let names_none = request.linked_documents.as_ref().is_none_or(Vec::is_empty);
    let task = call.run(|call| async move {
        let ports = call.ports();
        let kind = M::Answer::KIND;
        application::create(ports, call.entity(), kind, request, creation).await
    });
    let document = task.await?;
    let links = match names_none {
        true => Vec::new(),
        false => of_one(&*call.store, call.scope(), document.id).await?,
    };
    Ok(Created(answered(&call, document, links).await))
}

async fn show_preview<M: CreateBody>(
    call: EntityCall,
    query: Query,
    request: HttpRequest,
    sent: Body<Allowed<M>>,
) -> Result<HttpResponse, ApiError> {
    let (said, creation) = sent.0.properties.creation(M::CUSTOM)?;
    let previewed = Previewed { kind: M::Answer::KIND, request: said, creation };
    preview(call, query, request, previewed).await
}

async fn list<B: DocumentBody>(call: Call, query: Query) -> Result<answer::Page, ApiError> {
    let (raw, with_relations) = (query.list()?, included(&query)?);
    let page = call.page(move |call| async move {
        let Page { rows, pagination } = application::list(call.cx(), B::KIND, &raw).await?;
        let rows: Vec<B> = if with_relations {
            with_links(&*call.store, call.scope(), rows).await?
        } else {
            rows.into_iter().map(|document| B::of(document, Vec::new())).collect()
        };
        Ok(ListBody::of(Page { rows, pagination }))
    });
    page.await
}

async fn get<B: DocumentBody>(
    call: Call,
    path: PathText,
    query: Query,
) -> Result<Json<B>, ApiError> {
    included(&query)?;
    let document = get_document(call.cx(), own_id::<B>(&path)?).await?;
    Ok(Json(body(&call, document).await?))
}

async fn update<B: DocumentBody>(
    call: EntityCall,
    path: PathText,
    sent: Body<Allowed<Update<B>>>,
) -> Result<Json<B>, ApiError> {
    let id = own_id::<B>(&path)?;
    let (request, change_reason) = sent.0.properties.change()?;
    let has_lines = request.items.is_some();
    let edit = Edit { editor: editor(call.scope()), change_reason };
    let task = call.run(|call| async move {
        application::update(call.ports(), call.entity(), id, request, edit).await
    });
    let document = task.await?;
    if !has_lines {
        return Ok(Json(body(&call, document).await?));
    }
    let links = of_one(&*call.store, call.scope(), id).await?;
    Ok(Json(answered(&call, document, links).await))
}

fn editor(scope: &Scope) -> Option<Editor> {
    scope.person().map(|person| Editor { name: person.name.clone(), email: person.email.clone() })
}

async fn versions<B: DocumentBody>(call: Call, path: PathText) -> Result<answer::Page, ApiError> {
    let id = own_id::<B>(&path)?;
    let page = call.page(move |call| async move {
        let newest = application::versions(call.cx(), id, VersionBody::of).await?;
        Ok(VersionsBody::of(newest))
    });
    page.await
}

async fn void<B: DocumentBody>(
    call: EntityCall,
    path: PathText,
    sent: MaybeBody<VoidBody>,
) -> Result<Json<B>, ApiError> {
    let id = own_id::<B>(&path)?;
    let VoidBody { reason, has_original_document } = sent.0;
    let task = call.run(|call| async move {
        let ports = call.ports();
        let voiding = application::Voiding { reason, has_original_document };
        application::void(ports, call.entity(), id, voiding).await
    });
    let document = task.await?;
    Ok(Json(body(&call, document).await?))
}

async fn accept(
    call: EntityCall,
    path: PathText,
    _body: MaybeBody<ReplyBody>,
) -> Result<Json<EstimateBody>, ApiError> {
    let id = own_id::<EstimateBody>(&path)?;
    let task =
        call.run(|call| async move { application::accept(call.cx(), call.entity(), id).await });
    let document = task.await?;
    Ok(Json(body(&call, document).await?))
}

async fn reject(
    call: Call,
    path: PathText,
    _body: MaybeBody<ReplyBody>,
) -> Result<Json<EstimateBody>, ApiError> {
    let id = own_id::<EstimateBody>(&path)?;
    let task = call.run(|call| async move { application::reject(call.cx(), id).await });
    let document = task.await?;
    Ok(Json(body(&call, document).await?))
}
