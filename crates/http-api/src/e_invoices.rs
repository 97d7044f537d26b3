//! Routes of electronic invoices: checks by order, and files.

use actix_web::{HttpRequest, web};
use racun_access::Permission::{ReadRecords, WriteRecords};
use racun_billing::Feature;
use racun_delivery::einvoice_files;
use racun_documents::{Document, DocumentId, DocumentKind, EInvoiceForm};
use racun_kernel::Issue;
use racun_sales::einvoicing;
use serde::Serialize;
use utoipa::ToSchema;

use crate::answer::{File, Json};
use crate::body::Convert;
use crate::call::EntityCall;
use crate::documents::e_invoice::ValidationBody;
use crate::documents::input::DocumentKindBody;
use crate::error::ApiError;
use crate::limits;
use crate::request::{PathText, Query};
use crate::route::{Gate, Parameter, ParameterKind, Route};

const ESLOG: &str = "e-SLOG and UJP";
const XML: &str = "application/xml";

const TYPE: Parameter = Parameter {
    name: "type",
    meaning: "invoice, estimate, credit_note or advance_invoice; as the id says when absent.",
    kind: ParameterKind::Text,
};

/// Routes of electronic invoices.
pub(crate) const ROUTES: &[Route] = &[
    Route::get(
        "/invoices/{id}/xrechnung",
        "downloadInvoiceXRechnung",
        Gate::Entity(ReadRecords),
        || web::to(invoice_xrechnung),
    )
    .needs(Feature::EInvoicing)
    .about("Invoices", "Answers an issued invoice as XRechnung.")
    .explained(XRECHNUNG)
    .answers_file(XML),
    Route::get(
        "/credit-notes/{id}/xrechnung",
        "downloadCreditNoteXRechnung",
        Gate::Entity(ReadRecords),
        || web::to(credit_note_xrechnung),
    )
    .needs(Feature::EInvoicing)
    .about("Credit notes", "Answers an issued credit note as XRechnung.")
    .explained(XRECHNUNG)
    .answers_file(XML),
    Route::post("/eslog/{id}/validate", "validateEslog", Gate::Entity(WriteRecords), || {
        web::to(validate_eslog)
    })
    .needs(Feature::Eslog)
    .about(ESLOG, "Checks a document for e-SLOG 2.0, and keeps what the check says.")
    .reads(&[TYPE])
    .answers::<EslogCheckBody>(),
    Route::get("/eslog/{id}/download", "downloadEslog", Gate::Entity(ReadRecords), || {
        web::to(download_eslog)
    })
    .needs(Feature::Eslog)
    .about(ESLOG, "Answers an issued document as e-SLOG 2.0.")
    .explained(
        "The last check has to have found it valid. Signed (XAdES-BES) when the entity has a \
         certificate for FURS that is valid.",
    )
    .reads(&[TYPE])
    .answers_file(XML),
    Route::post("/ujp/{id}/validate", "validateUjp", Gate::Entity(WriteRecords), || {
        web::to(validate_ujp)
    })
    .needs(Feature::Eslog)
    .about(ESLOG, "Checks an invoice or credit note for UJP, and keeps what the check says.")
    .explained(
        "UJP wants a document that the invoice refers to: the linked delivery note, or the \
         customer's order in `customer.e_invoicing.buyer_reference`.",
    )
    .answers::<UjpCheckBody>(),
];

const XRECHNUNG: &str = "UBL 2.1 by XRechnung 3.0. The last check has to have found it valid: \
                         documents of entities in Germany are checked when they are issued or \
                         changed, where settings or request say so.";

/// What a check for e-SLOG said.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EslogCheck)]
struct EslogCheckBody {
    document_id: String,
    document_type: DocumentKindBody,
    eslog: Option<ValidationBody>,
}

/// What a check for UJP said.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UjpCheck)]
struct UjpCheckBody {
    document_id: String,
    document_type: DocumentKindBody,
    ujp: Option<ValidationBody>,
}

/// The path's id; when `kind` is said, as one of that kind. Any other is answered like an id that
/// is not there.
fn id_of(path: &PathText, kind: Option<DocumentKind>) -> Result<DocumentId, ApiError> {
    let name = kind.map_or("document", DocumentKind::name);
    let no_such = || ApiError::no_such(name, &path.0);
    let id: DocumentId = path.0.parse().map_err(|_| no_such())?;
    if kind.is_none_or(|kind| kind == id.kind()) { Ok(id) } else { Err(no_such()) }
}

/// The kind that `type` names, when it is said.
fn said_kind(query: &Query) -> Result<Option<DocumentKind>, ApiError> {
    let Some(name) = query.one(TYPE.name)? else { return Ok(None) };
    let kind = DocumentKind::from_name(name).filter(|kind| EInvoiceForm::Eslog.is_of(*kind));
    kind.map(Some).ok_or_else(|| {
        let message = "expected invoice, estimate, credit_note or advance_invoice";
        Issue::new("invalid_value", message).at(TYPE.name).into()
    })
}

async fn file(
    call: EntityCall,
    request: HttpRequest,
    id: DocumentId,
    form: EInvoiceForm,
) -> Result<File, ApiError> {
    let made = einvoice_files::file(call.cx(), call.fiscal(), call.entity(), id, form).await?;
    limits::make_room(&request, made.xml.len()).await?;
    let name = format!("{}.xml", made.name);
    Ok(File { media_type: XML, name, bytes: made.xml.into_bytes() })
}

async fn validated(
    call: &EntityCall,
    id: DocumentId,
    form: EInvoiceForm,
) -> Result<Document, ApiError> {
    let task = call.run(move |call| async move {
        einvoicing::validate(call.cx(), call.entity(), id, form).await
    });
    Ok(task.await?)
}

async fn invoice_xrechnung(
    call: EntityCall,
    path: PathText,
    request: HttpRequest,
) -> Result<File, ApiError> {
    let id = id_of(&path, Some(DocumentKind::Invoice))?;
    file(call, request, id, EInvoiceForm::XRechnung).await
}

async fn credit_note_xrechnung(
    call: EntityCall,
    path: PathText,
    request: HttpRequest,
) -> Result<File, ApiError> {
    let id = id_of(&path, Some(DocumentKind::CreditNote))?;
    file(call, request, id, EInvoiceForm::XRechnung).await
}

async fn download_eslog(
    call: EntityCall,
    path: PathText,
    query: Query,
    request: HttpRequest,
) -> Result<File, ApiError> {
    let id = id_of(&path, said_kind(&query)?)?;
    file(call, request, id, EInvoiceForm::Eslog).await
}

async fn validate_eslog(
    call: EntityCall,
    path: PathText,
    query: Query,
) -> Result<Json<EslogCheckBody>, ApiError> {
    let id = id_of(&path, said_kind(&query)?)?;
    let document = validated(&call, id, EInvoiceForm::Eslog).await?;
    Ok(Json(EslogCheckBody {
        document_id: id.to_string(),
        document_type: id.kind().convert(),
        eslog: ValidationBody::of(&document, EInvoiceForm::Eslog),
    }))
}

async fn validate_ujp(call: EntityCall, path: PathText) -> Result<Json<UjpCheckBody>, ApiError> {
    let id = id_of(&path, None)?;
    let document = validated(&call, id, EInvoiceForm::Ujp).await?;
    Ok(Json(UjpCheckBody {
        document_id: id.to_string(),
        document_type: id.kind().convert(),
        ujp: ValidationBody::of(&document, EInvoiceForm::Ujp),
    }))
}
