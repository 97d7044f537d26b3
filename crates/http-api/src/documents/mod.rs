//! Routes of invoices, and of documents of any kind.

mod input;
mod line;
mod output;
mod party;
mod scalar;

use actix_web::web::{self, Data, Json, ReqData};
use racun_access::Permission::{ReadRecords, WriteRecords};
use racun_access::{Caller, Entity};
use racun_application::documents::{self as application, Creation, DocumentRequest, Edit};
use racun_documents::{DocumentId, DocumentKind, Editor};
use racun_kernel::{Issue, Scope};
use serde::Deserialize;
use utoipa::ToSchema;
use validator::Validate;

use crate::answer::{Created, NoContent};
use crate::body::{Convert, ListBody};
use crate::error::ApiError;
use crate::request::{Body, MaybeBody, PathText, Query};
use crate::route::{Gate, LIST, Parameter, ParameterKind, Route};
use crate::services::Services;
use input::{CustomDocumentBody, DocumentUpdateBody, NewDocumentBody};
use output::{CalculationBody, InvoiceBody, NextNumberBody, VersionsBody};

const INVOICES: &str = "Invoices";
const DOCUMENTS: &str = "Documents";

const TYPE: Parameter = Parameter {
    name: "type",
    meaning: "invoice, estimate, credit_note, advance_invoice or delivery_note.",
    kind: ParameterKind::Text,
};
const BUSINESS_UNIT: Parameter = Parameter {
    name: "business_unit_id",
    meaning: "The business unit that the document would be of.",
    kind: ParameterKind::Text,
};
const INCLUDE: Parameter = Parameter {
    name: "include",
    meaning: "Relations to answer with it, comma separated: document_relations.",
    kind: ParameterKind::Text,
};

/// Routes of documents.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/invoices", "createInvoice", Gate::Entity(WriteRecords), || web::to(create))
        .about(INVOICES, "Makes an invoice: issued with the next number, or a draft.")
        .takes_with::<NewDocumentBody>(&["items"])
        .creates::<InvoiceBody>(),
    Route::post("/invoices/custom", "createCustomInvoice", Gate::Entity(WriteRecords), || {
        web::to(create_custom)
    })
    .about(INVOICES, "Makes an invoice with totals that are kept as given.")
    .takes_with::<CustomDocumentBody>(&["items", "total", "total_with_tax"])
    .creates::<InvoiceBody>(),
    Route::get("/invoices", "listInvoices", Gate::Entity(ReadRecords), || web::to(list))
        .about(INVOICES, "Lists invoices.")
        .reads(LIST)
        .answers::<ListBody<InvoiceBody>>(),
    Route::get("/invoices/{id}", "getInvoice", Gate::Entity(ReadRecords), || web::to(get))
        .about(INVOICES, "Answers an invoice.")
        .reads(&[INCLUDE])
        .answers::<InvoiceBody>(),
    Route::patch("/invoices/{id}", "updateInvoice", Gate::Entity(WriteRecords), || web::to(update))
        .about(INVOICES, "Changes what is sent of an invoice, and keeps a version of it.")
        .takes::<DocumentUpdateBody>()
        .answers::<InvoiceBody>(),
    Route::post("/invoices/{id}/void", "voidInvoice", Gate::Entity(WriteRecords), || web::to(void))
        .about(INVOICES, "Declares an issued invoice void; its number stays taken.")
        .takes::<VoidBody>()
        .answers::<InvoiceBody>(),
    Route::get("/invoices/{id}/versions", "listInvoiceVersions", Gate::Entity(ReadRecords), || {
        web::to(versions)
    })
    .about(INVOICES, "Tells what each update of an invoice changed, newest first.")
    .answers::<VersionsBody>(),
    Route::get("/documents/next-number", "getNextNumber", Gate::Entity(ReadRecords), || {
        web::to(next_number)
    })
    .about(DOCUMENTS, "Answers the number that the next document would get, without taking it.")
    .reads(&[TYPE, BUSINESS_UNIT])
    .answers::<NextNumberBody>(),
    Route::post("/documents/calculate", "calculateDocument", Gate::Entity(ReadRecords), || {
        web::to(calculate)
    })
    .about(DOCUMENTS, "Calculates a document without making it.")
    .reads(&[TYPE])
    .takes_with::<NewDocumentBody>(&["items"])
    .answers::<CalculationBody>(),
    Route::post("/documents/{id}/finalize", "finalizeDocument", Gate::Entity(WriteRecords), || {
        web::to(finalize)
    })
    .about(DOCUMENTS, "Issues a draft: gives it the next number of its sequence.")
    .takes::<FinalizeBody>()
    .answers::<InvoiceBody>(),
    Route::delete("/documents/{id}", "deleteDocument", Gate::Entity(WriteRecords), || {
        web::to(delete)
    })
    .about(DOCUMENTS, "Deletes a draft.")
    .reads(&[TYPE]),
];

/// How an invoice is voided.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = VoidInvoice)]
struct VoidBody {
    /// Why.
    #[validate(length(min = 1, max = 500))]
    #[schema(min_length = 1, max_length = 500)]
    reason: Option<String>,
    /// Whether the paper original was recovered.
    has_original_document: Option<bool>,
}

/// How a draft is finalized. It takes no properties in this version.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = FinalizeDocument)]
struct FinalizeBody {}

/// The path's id as one of an invoice; any other is answered like an id that is not there.
fn invoice_id(path: &PathText) -> Result<DocumentId, ApiError> {
    let id = document_id(path)?;
    if id.kind() == DocumentKind::Invoice { Ok(id) } else { Err(ApiError::not_found(&path.0)) }
}

fn document_id(path: &PathText) -> Result<DocumentId, ApiError> {
    path.0.parse().map_err(|_| ApiError::not_found(&path.0))
}

/// The kind that `type` names; `default` when it is absent.
fn kind(query: &Query, default: Option<DocumentKind>) -> Result<DocumentKind, ApiError> {
    let refused = |code| {
        let message = format!("expected {}", TYPE.meaning);
        ApiError::from(Issue::new(code, message).at(TYPE.name))
    };
    match query.one(TYPE.name)? {
        None => default.ok_or_else(|| refused("required")),
        Some(name) => DocumentKind::from_name(name).ok_or_else(|| refused("invalid_value")),
    }
}

async fn make(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    request: DocumentRequest,
    creation: Creation,
) -> Result<Created<InvoiceBody>, ApiError> {
    let (scope, entity) = (scope.into_inner(), entity.into_inner());
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        let kind = DocumentKind::Invoice;
        application::create(store, &scope, &entity, kind, request, creation, &stamp).await
    };
    Ok(Created(services.run(task).await?.convert()))
}

async fn create(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    body: Body<NewDocumentBody>,
) -> Result<Created<InvoiceBody>, ApiError> {
    let (request, is_draft) = body.0.request()?;
    make(services, scope, entity, request, Creation { is_draft, custom: None }).await
}

async fn create_custom(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    body: Body<CustomDocumentBody>,
) -> Result<Created<InvoiceBody>, ApiError> {
    let (request, totals, is_draft) = body.0.request()?;
    make(services, scope, entity, request, Creation { is_draft, custom: Some(totals) }).await
}

async fn list(
    services: Data<Services>,
    scope: ReqData<Scope>,
    query: Query,
) -> Result<Json<ListBody<InvoiceBody>>, ApiError> {
    let query = query.list()?;
    let kind = DocumentKind::Invoice;
    let page = application::list(&*services.store, &scope, kind, &query).await?;
    Ok(Json(page.convert()))
}

async fn get(
    services: Data<Services>,
    scope: ReqData<Scope>,
    path: PathText,
) -> Result<Json<InvoiceBody>, ApiError> {
    let document = application::get(&*services.store, &scope, invoice_id(&path)?).await?;
    Ok(Json(document.convert()))
}

async fn update(
    services: Data<Services>,
    caller: ReqData<Caller>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    path: PathText,
    body: Body<DocumentUpdateBody>,
) -> Result<Json<InvoiceBody>, ApiError> {
    let id = invoice_id(&path)?;
    let (request, change_reason) = body.0.request()?;
    let edit = Edit { editor: editor(&caller), change_reason };
    let (scope, entity) = (scope.into_inner(), entity.into_inner());
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        application::update(store, &scope, &entity, id, request, edit, &stamp).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

fn editor(caller: &Caller) -> Option<Editor> {
    match caller {
        Caller::User { user, .. } => {
            Some(Editor { name: user.name.clone(), email: user.email.clone() })
        }
        Caller::AccountKey(_) | Caller::EntityKey(_) => None,
    }
}

async fn void(
    services: Data<Services>,
    scope: ReqData<Scope>,
    path: PathText,
    body: MaybeBody<VoidBody>,
) -> Result<Json<InvoiceBody>, ApiError> {
    let (id, scope) = (invoice_id(&path)?, scope.into_inner());
    let VoidBody { reason, has_original_document } = body.0;
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        application::void(store, &scope, id, reason, has_original_document, &stamp).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn versions(
    services: Data<Services>,
    scope: ReqData<Scope>,
    path: PathText,
) -> Result<Json<VersionsBody>, ApiError> {
    let versions = application::versions(&*services.store, &scope, invoice_id(&path)?).await?;
    Ok(Json(versions.convert()))
}

async fn next_number(
    services: Data<Services>,
    entity: ReqData<Entity>,
    query: Query,
) -> Result<Json<NextNumberBody>, ApiError> {
    let kind = kind(&query, None)?;
    let unit = query.one(BUSINESS_UNIT.name)?;
    let stamp = services.stamp();
    let number = application::next_number(&*services.store, &entity, kind, unit, &stamp).await?;
    Ok(Json(NextNumberBody::of(number)))
}

async fn calculate(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    query: Query,
    body: Body<NewDocumentBody>,
) -> Result<Json<CalculationBody>, ApiError> {
    let kind = kind(&query, Some(DocumentKind::Invoice))?;
    let (request, _) = body.0.request()?;
    let (store, stamp) = (&*services.store, services.stamp());
    let document = application::calculate(store, &scope, &entity, kind, request, &stamp).await?;
    Ok(Json(document.convert()))
}

async fn finalize(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    path: PathText,
    _body: MaybeBody<FinalizeBody>,
) -> Result<Json<InvoiceBody>, ApiError> {
    let id = document_id(&path)?;
    let (scope, entity) = (scope.into_inner(), entity.into_inner());
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        application::finalize(store, &scope, &entity, id, &stamp).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn delete(
    services: Data<Services>,
    scope: ReqData<Scope>,
    path: PathText,
    query: Query,
) -> Result<NoContent, ApiError> {
    let id = document_id(&path)?;
    if kind(&query, Some(id.kind()))? != id.kind() {
        return Err(ApiError::not_found(&path.0));
    }
    let scope = scope.into_inner();
    let task = |services: Services| async move {
        application::delete(&*services.store, &scope, id, &services.stamp()).await
    };
    services.run(task).await?;
    Ok(NoContent)
}
