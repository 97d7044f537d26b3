//! Electronic invoices that are more than XML: hybrid PDFs, and packages for UJP.

use actix_web::{HttpRequest, web};
use racun_access::Permission::ReadRecords;
use racun_billing::Feature;
use racun_delivery::einvoice_files::{self, NamedFile, Workshop};
use racun_documents::{DocumentId, DocumentKind};

use super::answer;
use crate::answer::File;
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::limits;
use crate::request::PathText;
use crate::route::{Gate, Route};

const HYBRID: &str = "PDF/A-3b with `factur-x.xml` inside, which says the same: ZUGFeRD 2.5.2 and \
     Factur-X 1.09.2, profile EN 16931. For entities in Germany, of issued documents whose \
     `zugferd.validation_status` is `valid`. The same bytes whenever the document is asked for in \
     the same state.";

/// Routes of these files.
pub(crate) const E_INVOICES: &[Route] = &[
    Route::get(
        "/invoices/{id}/zugferd",
        "downloadInvoiceAsZugferd",
        Gate::Entity(ReadRecords),
        || web::to(invoice_as_zugferd),
    )
    .needs(Feature::EInvoicing)
    .about("Invoices", "Answers an invoice as ZUGFeRD: a PDF with XML inside.")
    .explained(HYBRID)
    .answers_file("application/pdf"),
    Route::get(
        "/credit-notes/{id}/zugferd",
        "downloadCreditNoteAsZugferd",
        Gate::Entity(ReadRecords),
        || web::to(credit_note_as_zugferd),
    )
    .needs(Feature::EInvoicing)
    .about("Credit notes", "Answers a credit note as ZUGFeRD: a PDF with XML inside.")
    .explained(HYBRID)
    .answers_file("application/pdf"),
    Route::get(
        "/advance-invoices/{id}/zugferd",
        "downloadAdvanceInvoiceAsZugferd",
        Gate::Entity(ReadRecords),
        || web::to(advance_invoice_as_zugferd),
    )
    .needs(Feature::EInvoicing)
    .about("Advance invoices", "Answers an advance invoice as ZUGFeRD: a PDF with XML inside.")
    .explained(HYBRID)
    .answers_file("application/pdf"),
    Route::get("/ujp/{id}/download", "downloadUjpPackage", Gate::Entity(ReadRecords), || {
        web::to(ujp_package)
    })
    .needs(Feature::Eslog)
    .about("e-SLOG and UJP", "Answers an invoice or a credit note as UJP takes it, in a ZIP.")
    .explained(
        "`envelope.xml`, the e-SLOG file and the PDF, to be handed to a bank or to UJP eRačun. For \
         entities in Slovenia, of issued documents whose `ujp.validation_status` is `valid`. The \
         e-SLOG file is signed (XAdES-BES) when the entity's certificate for FURS is valid.",
    )
    .answers_file("application/zip"),
];

async fn invoice_as_zugferd(
    call: EntityCall,
    path: PathText,
    request: HttpRequest,
) -> Result<File, ApiError> {
    as_zugferd(&call, DocumentKind::Invoice, &path, &request).await
}

async fn credit_note_as_zugferd(
    call: EntityCall,
    path: PathText,
    request: HttpRequest,
) -> Result<File, ApiError> {
    as_zugferd(&call, DocumentKind::CreditNote, &path, &request).await
}

async fn advance_invoice_as_zugferd(
    call: EntityCall,
    path: PathText,
    request: HttpRequest,
) -> Result<File, ApiError> {
    as_zugferd(&call, DocumentKind::AdvanceInvoice, &path, &request).await
}

async fn as_zugferd(
    call: &EntityCall,
    kind: DocumentKind,
    path: &PathText,
    request: &HttpRequest,
) -> Result<File, ApiError> {
    let id: Option<DocumentId> = path.0.parse().ok();
    let own = id.filter(|id| id.kind() == kind);
    let id = own.ok_or_else(|| ApiError::no_such(kind.name(), &path.0))?;
    let workshop = Workshop { files: &*call.files, press: call.press(), fiscal: call.fiscal() };
    let NamedFile { name, bytes } =
        einvoice_files::hybrid(call.cx(), workshop, call.entity(), id).await?;
    limits::make_room(request, bytes.len()).await?;
    Ok(answer::pdf(name, bytes))
}

async fn ujp_package(
    call: EntityCall,
    path: PathText,
    request: HttpRequest,
) -> Result<File, ApiError> {
    let id = path.0.parse().map_err(|_| ApiError::no_such("document", &path.0))?;
    let workshop = Workshop { files: &*call.files, press: call.press(), fiscal: call.fiscal() };
    let NamedFile { name, bytes } =
        einvoice_files::ujp_package(call.cx(), workshop, call.entity(), id).await?;
    limits::make_room(&request, bytes.len()).await?;
    Ok(File { media_type: "application/zip", name: format!("{name}.zip"), bytes })
}
