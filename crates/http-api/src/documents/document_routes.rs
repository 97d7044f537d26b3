//! Routes that take documents of any kind.

use actix_web::web::{self, Data, ReqData};
use racun_access::Entity;
use racun_access::Permission::{ReadTill, Sell, WriteRecords};
use racun_application::Services;
use racun_documents::{DocumentError, DocumentKind};
use racun_kernel::{Issue, Issues, Step};
use racun_sales::Error;
use racun_sales::documents::{self as application, Finalizing, LineCategory, NextOf};
use serde::Deserialize;
use utoipa::ToSchema;
use validator::Validate;

use super::allowed_properties::{Allowed, Calculate};
use super::answer::AnyDocumentBody;
use super::document_id;
use super::e_invoice::{EInvoiceInput, SendingInputBody, ValidationInputBody};
use super::fiscal::{FinaInputBody, FiscalizeBody, FursInputBody, fiscal_request};
use super::line::AnyLineBody;
use super::output::{CalculationBody, NextNumberBody};
use super::portugal::PtInputBody;
use super::relation::of_one;
use crate::answer::{Json, NoContent};
use crate::body::{AllBody, Convert};
use crate::body_limit::{DOCUMENT, RECORD};
use crate::call::{Call, EntityCall};
use crate::error::ApiError;
use crate::request::{Body, MaybeBody, PathText, Query};
use crate::route::{Gate, Parameter, Route};

const DOCUMENTS: &str = "Documents";

const TYPE: Parameter =
    Parameter::text("type", "invoice, estimate, credit_note, advance_invoice or delivery_note.");
const BUSINESS_UNIT: Parameter =
    Parameter::text("business_unit_id", "The business unit that the document would be of.");

const PREMISE: Parameter = Parameter::text(
    "business_premise_name",
    "The business premise that it would be issued in, where a tax authority is told.",
);
const DEVICE: Parameter =
    Parameter::text("electronic_device_name", "The electronic device that it would be issued on.");

/// The operations that read a document, one for each kind.
const ANY_KIND: &[&str] =
    &["getInvoice", "getEstimate", "getCreditNote", "getAdvanceInvoice", "getDeliveryNote"];

/// Routes of documents of any kind.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/documents/next-number", "getNextNumber", Gate::Entity(ReadTill), || {
        web::to(next_number)
    })
    .about(DOCUMENTS, "Answers the number that the next document would get, without taking it.")
    .reads(&[TYPE, BUSINESS_UNIT, PREMISE, DEVICE])
    .answers::<NextNumberBody>(),
    Route::post("/documents/calculate", "calculateDocument", Gate::Entity(ReadTill), || {
        web::to(calculate)
    })
    .about(DOCUMENTS, "Calculates a document without making it.")
    .reads(&[TYPE])
    .takes_with::<Allowed<Calculate>>(&["items"])
    .up_to(DOCUMENT)
    .answers::<CalculationBody>(),
    Route::patch(
        "/documents/items/financial-categories",
        "categorizeDocumentItems",
        Gate::Entity(WriteRecords),
        || web::to(categorize_all),
    )
    .about(DOCUMENTS, "Gives lines their financial categories: all of them, or none.")
    .takes::<AssignmentsBody>()
    .up_to(DOCUMENT)
    .answers::<AllBody<AnyLineBody>>(),
    Route::patch(
        "/documents/items/{id}/financial-category",
        "categorizeDocumentItem",
        Gate::Entity(WriteRecords),
        || web::to(categorize),
    )
    .about(DOCUMENTS, "Gives a line its financial category, also on an issued document.")
    .takes::<CategoryBody>()
    .answers::<AnyLineBody>(),
    Route::post("/documents/{id}/finalize", "finalizeDocument", Gate::Entity(Sell), || {
        web::to(finalize)
    })
    .read_by(ANY_KIND)
    .about(DOCUMENTS, "Issues a draft: gives it the next number of its sequence.")
    .takes::<FinalizeBody>()
    .up_to(RECORD)
    .answers::<AnyDocumentBody>(),
    Route::post("/documents/{id}/fiscalize", "fiscalizeDocument", Gate::Entity(Sell), || {
        web::to(fiscalize)
    })
    .read_by(ANY_KIND)
    .about(DOCUMENTS, "Tells the tax authority of a document that it refused, or was not told of.")
    .takes::<FiscalizeBody>()
    .answers::<AnyDocumentBody>(),
    Route::delete("/documents/{id}", "deleteDocument", Gate::Entity(WriteRecords), || {
        web::to(delete)
    })
    .about(DOCUMENTS, "Deletes a draft.")
    .reads(&[TYPE]),
    Route::post("/documents/{id}/restore", "restoreDocument", Gate::Entity(WriteRecords), || {
        web::to(restore)
    })
    .read_by(ANY_KIND)
    .about(DOCUMENTS, "Makes a deleted draft a draft again, without the links that it had.")
    .answers::<AnyDocumentBody>(),
];

/// How a draft is finalized.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = FinalizeDocument)]
struct FinalizeBody {
    /// Where and by whom it is issued, if FURS receives it; ignored otherwise.
    furs: Option<FursInputBody>,
    /// The same in Croatia.
    fina: Option<FinaInputBody>,
    /// In which series and by whom it is issued, in Portugal; ignored otherwise.
    pt: Option<PtInputBody>,
    /// Whether it is checked for e-SLOG, of entities in Slovenia; as the draft says when absent.
    eslog: Option<ValidationInputBody>,
    /// The same for UJP.
    ujp: Option<ValidationInputBody>,
    /// Whether it is checked for XRechnung, of entities in Germany; as the draft says when absent.
    xrechnung: Option<ValidationInputBody>,
    /// The same for ZUGFeRD.
    zugferd: Option<ValidationInputBody>,
    /// Whether it is sent as an electronic invoice; as the draft says when absent.
    e_invoicing: Option<SendingInputBody>,
}

/// The financial category of a line.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = LineCategory)]
struct CategoryBody {
    /// The category; none when null or absent.
    financial_category_id: Option<String>,
}

/// A line, and the financial category that it is to have.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = LineCategoryAssignment)]
struct AssignmentBody {
    /// The line.
    id: String,
    /// The category; none when null or absent.
    financial_category_id: Option<String>,
}

/// Lines, and the financial categories that they are to have.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = LineCategoryAssignments)]
struct AssignmentsBody {
    /// 1 to 100 lines, of any documents.
    #[schema(min_items = 1, max_items = 100)]
    assignments: Vec<AssignmentBody>,
}

impl AssignmentsBody {
    /// Lines of one request: each is looked for, and its document held.
    const MAX: usize = 100;
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

async fn next_number(
    services: Data<Services>,
    entity: ReqData<Entity>,
    query: Query,
) -> Result<Json<NextNumberBody>, ApiError> {
    let kind = kind(&query, None)?;
    let of = NextOf {
        unit_id: query.one(BUSINESS_UNIT.name)?,
        premise: query.one(PREMISE.name)?,
        device: query.one(DEVICE.name)?,
    };
    let stamp = services.stamp();
    let next = application::next_number(&*services.store, &entity, kind, of, &stamp).await?;
    Ok(Json(next.convert()))
}

async fn calculate(
    call: EntityCall,
    query: Query,
    sent: Body<Allowed<Calculate>>,
) -> Result<Json<CalculationBody>, ApiError> {
    let kind = kind(&query, Some(DocumentKind::Invoice))?;
    let (request, _) = sent.0.properties.creation(false)?;
    let document = application::calculate(call.cx(), call.entity(), kind, request).await?;
    Ok(Json(document.convert()))
}

async fn finalize(
    call: EntityCall,
    path: PathText,
    sent: MaybeBody<FinalizeBody>,
) -> Result<Json<AnyDocumentBody>, ApiError> {
    let id = document_id(&path)?;
    let FinalizeBody { furs, fina, pt, eslog, ujp, xrechnung, zugferd, e_invoicing } = sent.0;
    let options = EInvoiceInput { eslog, ujp, xrechnung, zugferd, e_invoicing };
    let fiscal = fiscal_request(furs, fina, pt)?;
    let said = Finalizing { fiscal, e_invoices: options.convert() };
    let task = call.run(|call| async move {
        let ports = call.ports();
        application::finalize(ports, call.entity(), id, said).await
    });
    let document = task.await?;
    let links = of_one(&*call.store, call.scope(), id).await?;
    Ok(Json(AnyDocumentBody::of(document, links)))
}

async fn fiscalize(
    call: EntityCall,
    path: PathText,
    sent: MaybeBody<FiscalizeBody>,
) -> Result<Json<AnyDocumentBody>, ApiError> {
    let id = document_id(&path)?;
    let request = sent.0.convert();
    let task = call.run(|call| async move {
        let ports = call.ports();
        let done = racun_fiscalization::fiscalize(ports, call.entity(), id, request).await;
        done.map_err(Error::from)
    });
    let document = task.await?;
    let links = of_one(&*call.store, call.scope(), id).await?;
    Ok(Json(AnyDocumentBody::of(document, links)))
}

async fn delete(call: Call, path: PathText, query: Query) -> Result<NoContent, ApiError> {
    let id = document_id(&path)?;
    let asked = kind(&query, Some(id.kind()))?;
    if asked != id.kind() {
        return Err(ApiError::no_such(asked.name(), &path.0));
    }
    let task = call.run(|call| async move { application::delete(call.cx(), id).await });
    task.await?;
    Ok(NoContent)
}

async fn restore(call: Call, path: PathText) -> Result<Json<AnyDocumentBody>, ApiError> {
    let id = document_id(&path)?;
    let task = call.run(|call| async move { application::restore(call.cx(), id).await });
    let document = task.await?;
    let links = of_one(&*call.store, call.scope(), id).await?;
    Ok(Json(AnyDocumentBody::of(document, links)))
}

async fn assign(
    call: &Call,
    assignments: Vec<LineCategory>,
) -> Result<Vec<AnyLineBody>, DocumentError> {
    let task =
        call.run(|call| async move { application::categorize(call.cx(), assignments).await });
    let lines = task.await?;
    Ok(lines.iter().filter_map(|(document, id)| AnyLineBody::one(document, id)).collect())
}

async fn categorize_all(
    call: Call,
    sent: Body<AssignmentsBody>,
) -> Result<Json<AllBody<AnyLineBody>>, ApiError> {
    let assignments = sent.0.assignments;
    if !(1..=AssignmentsBody::MAX).contains(&assignments.len()) {
        let message = format!("expected 1 to {} lines", AssignmentsBody::MAX);
        return Err(Issue::new("invalid_length", message).at("assignments").into());
    }
    let assignments = assignments.into_iter().map(|assignment| LineCategory {
        line_id: assignment.id,
        financial_category_id: assignment.financial_category_id,
    });
    let lines = assign(&call, assignments.collect()).await;
    let lines = lines.map_err(|error| match error {
        DocumentError::Invalid(issues) => {
            let mut inside = Issues::default();
            inside.extend_at("assignments", issues);
            inside.into()
        }
        other => ApiError::from(other),
    })?;
    Ok(Json(AllBody::of(lines)))
}

async fn categorize(
    call: Call,
    path: PathText,
    sent: Body<CategoryBody>,
) -> Result<Json<AnyLineBody>, ApiError> {
    let CategoryBody { financial_category_id } = sent.0;
    let assignment = LineCategory { line_id: path.0.clone(), financial_category_id };
    let lines = assign(&call, vec![assignment]).await;
    let lines = lines.map_err(|error| match error {
        DocumentError::Invalid(issues) => of_the_only(&path, &issues),
        other => ApiError::from(other),
    })?;
    lines.into_iter().next().map(Json).ok_or_else(|| ApiError::not_found(&path.0))
}

/// What is wrong with the only assignment: its line is in the path, its category in the body.
fn of_the_only(path: &PathText, issues: &Issues) -> ApiError {
    let line = Step::Key("id".to_owned());
    if issues.iter().any(|issue| issue.path.last() == Some(&line)) {
        return ApiError::not_found(&path.0);
    }
    let mut of_category = Issues::default();
    for issue in issues.iter() {
        let path = issue.path.iter().skip(1).cloned().collect();
        of_category.push(Issue { path, ..issue.clone() });
    }
    of_category.into()
}
