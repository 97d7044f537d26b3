//! Archives of documents: asked for, looked at, and downloaded once a worker has put them together.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, Responder as _, web};
use racun_access::Permission::{ReadRecords, WriteRecords};
use racun_application::Services;
use racun_billing::Feature;
use racun_delivery::exports::Span;
use racun_delivery::exports::archive::{
    self as application, ArchiveFormat, ArchiveRequest, ExportJob, ExportState, Skipped,
};
use racun_kernel::{Issue, id};
use racun_store::StoreError;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::TAG;
use crate::answer::{Accepted, Json, StoredFile};
use crate::body::{Convert, names};
use crate::call::{Call, EntityCall};
use crate::error::ApiError;
use crate::html;
use crate::limits;
use crate::request::{Body, PathId, Query};
use crate::route::{Gate, Parameter, Route};
use crate::scalar::Day;

const ZIP: &str = "application/zip";
const XML: &str = "application/xml";

/// Query parameters of the link in the mail.
const LINK: &[Parameter] = &[Parameter::text("token", "The token that was mailed.")];

/// Routes of archives.
pub(crate) const ROUTES: &[Route] = &[
    Route::post(
        "/documents/export/pdf",
        "exportDocumentsAsPdf",
        Gate::Entity(WriteRecords),
        || web::to(begin_pdf),
    )
    .needs(Feature::PdfExport)
    .read_by(&["getExportJob"])
    .about(TAG, "Begins to put documents into an archive of PDFs.")
    .explained(
        "A worker puts the archive together; ask for the job until it is `completed`, and download \
         `file_url`. A person with a verified address is also mailed a link. Drafts and voided \
         documents are in it, and say so. A document that cannot be set is left out and named. An \
         archive holds 10,000 documents and 2 GiB, is kept for seven days and counts against what \
         the account stores; an account has three exports at once that are not over.",
    )
    .takes::<ExportPdfBody>()
    .accepts::<ExportJobBody>(),
    Route::post(
        "/documents/export/eslog",
        "exportDocumentsAsEslog",
        Gate::Entity(WriteRecords),
        || web::to(begin_eslog),
    )
    .needs(Feature::Eslog)
    .read_by(&["getExportJob"])
    .about(TAG, "Begins to put documents into an archive of e-SLOG files.")
    .explained(
        "As the archive of PDFs, of entities in Slovenia. Each document is checked while the \
         archive is put together; drafts, voided documents, delivery notes and those that are not \
         valid are left out and named with what to change. Files are signed when the entity has a \
         certificate for FURS that is valid.",
    )
    .takes::<ExportEslogBody>()
    .accepts::<ExportJobBody>(),
    Route::get("/documents/export/jobs/{id}", "getExportJob", Gate::Entity(ReadRecords), || {
        web::to(get)
    })
    .about(TAG, "Answers how far an export has come.")
    .answers::<ExportJobBody>(),
    Route::get(
        "/documents/export/jobs/{id}/download",
        "downloadExport",
        Gate::Entity(ReadRecords),
        || web::to(download),
    )
    .about(TAG, "Answers the archive of an export that is completed.")
    .answers_file(ZIP)
    .or_file(XML),
    Route::get("/documents/export/download", "followExportLink", Gate::Open, || web::to(follow))
        .about(TAG, "Answers an archive to the person who was mailed its link.")
        .explained("The link ends with the export, and when the person leaves the entity.")
        .may_lack()
        .linked()
        .reads(LINK)
        .answers_file(ZIP)
        .or_file(XML),
];

names! {
    /// Where an export stands.
    ExportStateBody as ExportStatus of ExportState { Pending, Processing, Completed, Failed }
}

/// Which documents to put into an archive: `document_ids`, or `types` with days.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = ExportDocumentsAsPdf)]
struct ExportPdfBody {
    /// The ids of 1 to 1,000 documents of any kind.
    document_ids: Option<Vec<String>>,
    /// All documents of these kinds: `invoice`, `estimate`, `credit_note`, `advance_invoice`,
    /// `delivery_note`.
    types: Option<Vec<String>>,
    /// The first day, with `types`.
    #[schema(value_type = Option<String>)]
    date_from: Option<Day>,
    /// The last day, with `types`; not before `date_from`, and at most 365 days after it.
    #[schema(value_type = Option<String>)]
    date_to: Option<Day>,
    /// The locale of numbers and dates: `sl-SI`; that of `language`, or the entity's when absent.
    locale: Option<String>,
    /// The language: `sl`, or a locale; that of `locale`, or the entity's when absent.
    language: Option<String>,
}

/// Which documents to put into an archive of e-SLOG files: `document_ids`, or `types` with days.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = ExportDocumentsAsEslog)]
struct ExportEslogBody {
    /// The ids of 1 to 1,000 documents.
    document_ids: Option<Vec<String>>,
    /// All documents of these kinds: `invoice`, `estimate`, `credit_note`, `advance_invoice`.
    types: Option<Vec<String>>,
    /// The first day, with `types`.
    #[schema(value_type = Option<String>)]
    date_from: Option<Day>,
    /// The last day, with `types`; not before `date_from`, and at most 365 days after it.
    #[schema(value_type = Option<String>)]
    date_to: Option<Day>,
}

impl Convert<ArchiveRequest> for ExportEslogBody {
    fn convert(self) -> ArchiveRequest {
        let Self { document_ids, types, date_from, date_to } = self;
        let body = ExportPdfBody { document_ids, types, date_from, date_to, ..Default::default() };
        ArchiveRequest { format: ArchiveFormat::Eslog, ..body.convert() }
    }
}

impl Convert<ArchiveRequest> for ExportPdfBody {
    fn convert(self) -> ArchiveRequest {
        let day = |day: Option<Day>| day.map(|day| day.0);
        ArchiveRequest {
            format: ArchiveFormat::Pdf,
            document_ids: self.document_ids,
            types: self.types,
            span: Span { from: day(self.date_from), to: day(self.date_to) },
            locale: self.locale,
            language: self.language,
        }
    }
}

/// An export that a worker puts together.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExportJob)]
pub(crate) struct ExportJobBody {
    /// Its id.
    id: String,
    /// Whose documents.
    entity_id: String,
    /// Where it stands.
    status: ExportStateBody,
    /// Hundredths of the documents that are done, 0 to 100. It never falls.
    progress: usize,
    /// How many documents there were when it was asked for.
    total_docs: usize,
    /// Where the archive is downloaded, with the same headers as any request; null until it is
    /// completed.
    #[schema(required = true)]
    file_url: Option<String>,
    /// What the archive is called.
    file_name: String,
    /// Why there is no archive; null unless it failed.
    #[schema(required = true)]
    error: Option<String>,
    /// What became of the documents; null until it is completed.
    #[schema(required = true)]
    result: Option<ExportResultBody>,
    /// The documents that were left out so far, at most 100 of them.
    skipped_documents: Vec<SkippedBody>,
    /// Until when it is kept.
    expires_at: String,
    /// Since when it is completed or failed.
    #[schema(required = true)]
    completed_at: Option<String>,
    /// When it was asked for.
    created_at: String,
    /// When it changed last.
    updated_at: String,
}

/// What became of the documents of an export.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExportResult)]
struct ExportResultBody {
    /// How many are in the archive.
    exported: usize,
    /// How many were left out.
    skipped: usize,
}

/// A document that was left out of an export.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SkippedDocument)]
struct SkippedBody {
    /// Its id.
    document_id: String,
    /// Its number, where it has one.
    #[schema(required = true)]
    number: Option<String>,
    /// Why.
    reason: String,
}

impl Convert<SkippedBody> for Skipped {
    fn convert(self) -> SkippedBody {
        let Self { document_id, number, reason } = self;
        SkippedBody { document_id: document_id.to_string(), number, reason }
    }
}

impl ExportJobBody {
    pub(crate) fn of(export: ExportJob, services: &Services) -> Self {
        let is_completed = export.state == ExportState::Completed;
        let (base, id) = (&services.public_url, export.id);
        let url = || format!("{base}/documents/export/jobs/{id}/download");
        let (exported, skipped) = (export.exported, export.skipped);
        Self {
            id: id.convert(),
            entity_id: export.entity_id.convert(),
            status: export.state.convert(),
            progress: export.progress(),
            total_docs: export.total_docs,
            file_url: is_completed.then(url),
            error: export.error,
            result: is_completed.then_some(ExportResultBody { exported, skipped }),
            skipped_documents: export.named.convert(),
            file_name: export.file_name,
            expires_at: export.expires_at.convert(),
            completed_at: export.completed_at.convert(),
            created_at: export.created_at.convert(),
            updated_at: export.updated_at.convert(),
        }
    }
}

async fn begin_pdf(
    call: EntityCall,
    body: Body<ExportPdfBody>,
) -> Result<Accepted<ExportJobBody>, ApiError> {
    begin(call, body.0.convert()).await
}

async fn begin_eslog(
    call: EntityCall,
    body: Body<ExportEslogBody>,
) -> Result<Accepted<ExportJobBody>, ApiError> {
    begin(call, body.0.convert()).await
}

async fn begin(
    call: EntityCall,
    request: ArchiveRequest,
) -> Result<Accepted<ExportJobBody>, ApiError> {
    let task =
        call.run(|call| async move { application::begin(call.cx(), call.entity(), request).await });
    Ok(Accepted(ExportJobBody::of(task.await?, &call)))
}

async fn get(call: Call, id: PathId<id::ExportJob>) -> Result<Json<ExportJobBody>, ApiError> {
    let export = application::get(call.cx(), id.0).await?;
    Ok(Json(ExportJobBody::of(export, &call)))
}

async fn download(
    call: Call,
    id: PathId<id::ExportJob>,
    request: HttpRequest,
) -> Result<StoredFile, ApiError> {
    let export = application::get(call.cx(), id.0).await?;
    archive(&call, export, &request).await
}

async fn follow(
    call: Call<()>,
    query: Query,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let missing = || Issue::new("required", "send the token of the mailed link").at("token");
    let token = query.one("token")?.ok_or_else(missing)?;
    let export = application::follow_link(call.store(), token, call.stamp()).await?;
    let mut answer = archive(&call, export, &request).await?.respond_to(&request);
    html::unseen(answer.headers_mut());
    Ok(answer)
}

/// The archive of `export`, of which one part is in memory at a time.
async fn archive(
    services: &Services,
    export: ExportJob,
    request: &HttpRequest,
) -> Result<StoredFile, ApiError> {
    if export.state != ExportState::Completed {
        let id = format!("archive of {}, which is {}", export.id, export.state.name());
        return Err(StoreError::NotFound { id }.into());
    }
    limits::make_room(request, export.largest_part()).await?;
    let media_type = match export.format {
        ArchiveFormat::Pdf | ArchiveFormat::Eslog => ZIP,
        ArchiveFormat::SaftPt => XML,
    };
    Ok(StoredFile {
        media_type,
        bytes: u64::try_from(export.bytes()).unwrap_or(u64::MAX),
        keys: export.keys(),
        name: export.file_name,
        files: Arc::clone(&services.files),
    })
}
