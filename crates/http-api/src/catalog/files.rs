//! Files: uploading, listing, downloading.

use std::str::FromStr;

use actix_web::{HttpRequest, web};
use racun_access::Permission::{ReadRecords, WriteRecords};
use racun_application::Services;
use racun_catalog::{
    self as catalog, File, FileCategory, FileFormat, FileLinks, MAX_FILE_BYTES, MAX_IMAGE_BYTES,
    NewFile,
};
use racun_delivery::files;
use racun_kernel::{InvalidId, Issue, Issues, id};
use racun_sales::expenses;
use racun_store::{Page, RawQuery};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use validator::Validate;

use crate::answer::{self, Created, Json, NoContent};
use crate::body::{Convert, ListBody, names};
use crate::call::Call;
use crate::error::ApiError;
use crate::limits;
use crate::request::{Form, PathId, Query};
use crate::route::{Gate, LIST, Parameter, Route};
use crate::schema::file;

const TAG: &str = "Files";

/// What a form holds beside its file: names, boundaries, short texts.
const MARGIN: usize = 64 * 1024;
/// Bytes of a form with any file.
const MAX_FORM: usize = MAX_FILE_BYTES + MARGIN;
/// Bytes of a form with a picture.
const MAX_IMAGE_FORM: usize = MAX_IMAGE_BYTES + MARGIN;

/// Routes of files.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/files", "uploadFile", Gate::Entity(WriteRecords), || web::to(upload))
        .read_by(&["getFile"])
        .about(TAG, "Keeps a file; a logo or signature replaces the one before.")
        .takes_form::<FileForm>(&["file", "category"])
        .up_to(MAX_FORM)
        .creates::<FileBody>(),
    Route::get("/files", "listFiles", Gate::Entity(ReadRecords), || web::to(list))
        .about(TAG, "Lists files.")
        .reads(LIST)
        .reads_also(FILTERS)
        .answers::<ListBody<FileBody>>(),
    Route::get("/files/{id}", "getFile", Gate::Entity(ReadRecords), || web::to(get))
        .about(TAG, "Answers what is known of a file.")
        .answers::<FileBody>(),
    Route::get("/files/{id}/download", "downloadFile", Gate::Entity(ReadRecords), || {
        web::to(download)
    })
    .about(TAG, "Answers a file, under its own media type, to be saved and not to be shown.")
    .answers_file("application/octet-stream"),
    Route::delete("/files/{id}", "deleteFile", Gate::Entity(WriteRecords), || web::to(delete))
        .about(TAG, "Removes a file for good."),
    Route::post("/upload/image", "uploadImage", Gate::Entity(WriteRecords), || {
        web::to(upload_image)
    })
    .read_by(&["getFile"])
    .about(TAG, "Keeps a picture in PNG, JPG, WEBP or GIF, of 5 MiB at most.")
    .takes_form::<ImageForm>(&["file"])
    .up_to(MAX_IMAGE_FORM)
    .creates::<FileBody>(),
];

/// Routes of what is attached to expenses: the same files, named by their expense.
pub(crate) const OF_EXPENSES: &[Route] = &[
    Route::post(
        "/expenses/{id}/attachments",
        "attachToExpense",
        Gate::Entity(WriteRecords),
        || web::to(attach),
    )
    .read_by(&["getFile"])
    .about("Expenses", "Keeps a file as an attachment of an expense; the same as `POST /files`.")
    .takes_form::<AttachmentForm>(&["file"])
    .up_to(MAX_FORM)
    .creates::<FileBody>(),
    Route::get(
        "/expenses/{id}/attachments",
        "listExpenseAttachments",
        Gate::Entity(ReadRecords),
        || web::to(list_attached),
    )
    .about("Expenses", "Lists what is attached to an expense.")
    .reads(LIST)
    .answers::<ListBody<FileBody>>(),
];

/// The parameters that are filters by themselves.
const FILTERS: &[Parameter] = &[
    Parameter::text(
        "category",
        "Only files of this category: `logo`, `signature` or `attachment`.",
    ),
    Parameter::text("business_unit_id", "Only files of this business unit."),
    Parameter::text("expense_id", "Only files of this expense."),
    Parameter::text("invoice_id", "Only files of this invoice."),
    Parameter::text("estimate_id", "Only files of this estimate."),
    Parameter::text("credit_note_id", "Only files of this credit note."),
    Parameter::text("advance_invoice_id", "Only files of this advance invoice."),
];

names! {
    /// What a file is for.
    FileCategoryBody as FileCategory of FileCategory { Logo, Signature, Attachment }
}

names! {
    /// What a file's bytes are.
    FileFormatBody as FileFormat of FileFormat { Png, Jpg, Webp, Gif, Pdf, Xml, Csv, Xlsx, Zip }
}

/// A file to keep.
#[derive(ToSchema, Validate)]
#[schema(as = FileForm)]
#[expect(dead_code, reason = "describes the form, which is read part by part")]
struct FileForm {
    /// A picture of 5 MiB at most in PNG, JPG, WEBP or GIF; as an attachment also PDF, XML, CSV,
    /// XLSX or ZIP, of 10 MiB at most. Its bytes decide; its name and media type must not say
    /// otherwise.
    #[schema(schema_with = file)]
    file: Vec<u8>,
    /// What it is for.
    category: FileCategoryBody,
    /// The business unit that it belongs to.
    #[schema(nullable = false)]
    business_unit_id: Option<String>,
    /// The expense; of attachments only, as all below.
    #[schema(nullable = false)]
    expense_id: Option<String>,
    /// The invoice.
    #[schema(nullable = false)]
    invoice_id: Option<String>,
    /// The estimate.
    #[schema(nullable = false)]
    estimate_id: Option<String>,
    /// The credit note.
    #[schema(nullable = false)]
    credit_note_id: Option<String>,
    /// The advance invoice.
    #[schema(nullable = false)]
    advance_invoice_id: Option<String>,
}

/// A file to attach.
#[derive(ToSchema, Validate)]
#[schema(as = AttachmentForm)]
#[expect(dead_code, reason = "describes the form, which is read part by part")]
struct AttachmentForm {
    /// A picture, PDF, XML, CSV, XLSX or ZIP of 10 MiB at most.
    #[schema(schema_with = file)]
    file: Vec<u8>,
}

/// A picture to keep.
#[derive(ToSchema, Validate)]
#[schema(as = ImageForm)]
#[expect(dead_code, reason = "describes the form, which is read part by part")]
struct ImageForm {
    /// The picture.
    #[schema(schema_with = file)]
    file: Vec<u8>,
}

/// A stored file.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = File)]
pub(crate) struct FileBody {
    /// Its id.
    id: String,
    /// Whose it is.
    entity_id: String,
    /// What it is for.
    category: FileCategoryBody,
    /// The business unit that it belongs to.
    #[schema(required = true)]
    business_unit_id: Option<String>,
    /// The expense.
    #[schema(required = true)]
    expense_id: Option<String>,
    /// The invoice.
    #[schema(required = true)]
    invoice_id: Option<String>,
    /// The estimate.
    #[schema(required = true)]
    estimate_id: Option<String>,
    /// The credit note.
    #[schema(required = true)]
    credit_note_id: Option<String>,
    /// The advance invoice.
    #[schema(required = true)]
    advance_invoice_id: Option<String>,
    /// Where it is downloaded, with the same headers as any request.
    url: String,
    /// The same.
    #[serde(rename = "secureUrl")]
    secure_url: String,
    /// The same as `id`.
    #[serde(rename = "publicId")]
    public_id: String,
    /// What its bytes are.
    format: FileFormatBody,
    /// Pixels across; of pictures only.
    #[schema(required = true)]
    width: Option<i64>,
    /// Pixels down; of pictures only.
    #[schema(required = true)]
    height: Option<i64>,
    /// Its size.
    bytes: i64,
    /// What it is called.
    filename: String,
    /// Its media type.
    mime_type: String,
    /// What callers attach.
    metadata: std::collections::BTreeMap<String, String>,
    /// When it was uploaded.
    created_at: String,
    /// When it changed last.
    updated_at: String,
}

impl FileBody {
    fn of(file: File, services: &Services) -> Self {
        let url = format!("{}/files/{}/download", services.public_url, file.id);
        Self {
            id: file.id.convert(),
            entity_id: file.entity_id.convert(),
            category: file.category.convert(),
            business_unit_id: file.business_unit_id.convert(),
            expense_id: file.expense_id.convert(),
            mime_type: file.media_type().to_owned(),
            invoice_id: file.invoice_id.convert(),
            estimate_id: file.estimate_id.convert(),
            credit_note_id: file.credit_note_id.convert(),
            advance_invoice_id: file.advance_invoice_id.convert(),
            secure_url: url.clone(),
            url,
            public_id: file.id.convert(),
            format: file.format.convert(),
            width: file.width,
            height: file.height,
            bytes: file.bytes,
            filename: file.filename,
            metadata: file.metadata.convert(),
            created_at: file.created_at.convert(),
            updated_at: file.updated_at.convert(),
        }
    }
}

async fn upload(call: Call, form: Form) -> Result<Created<FileBody>, ApiError> {
    let mut form = form;
    let mut issues = Issues::default();
    let category = form.text("category")?;
    let category = FileCategory::of_name(&category)
        .ok_or_else(|| Issue::new("invalid_value", "expected logo, signature or attachment"));
    let category = issues.collect("category", category.map_err(Issues::from));
    let text = |form: &mut Form, name| {
        form.text(name).map(|text| Some(text).filter(|text| !text.is_empty()))
    };
    let unit = text(&mut form, "business_unit_id")?;
    let expense = text(&mut form, "expense_id")?;
    let links = FileLinks {
        business_unit_id: read_id("business_unit_id", unit, &mut issues),
        expense_id: read_id("expense_id", expense, &mut issues),
        invoice_id: text(&mut form, "invoice_id")?,
        estimate_id: text(&mut form, "estimate_id")?,
        credit_note_id: text(&mut form, "credit_note_id")?,
        advance_invoice_id: text(&mut form, "advance_invoice_id")?,
    };
    let Some(category) = category.filter(|_| issues.is_empty()) else {
        return Err(issues.into());
    };
    keep(&call, form, category, links, false).await
}

async fn upload_image(call: Call, form: Form) -> Result<Created<FileBody>, ApiError> {
    keep(&call, form, FileCategory::Attachment, FileLinks::default(), true).await
}

async fn keep(
    call: &Call,
    mut form: Form,
    category: FileCategory,
    links: FileLinks,
    is_image: bool,
) -> Result<Created<FileBody>, ApiError> {
    let sent = form.sent_file("file")?;
    let (filename, media_type) = (sent.filename, sent.media_type);
    let input = NewFile { category, is_image, links, filename, media_type, content: sent.content };
    let task = call.run(|call| async move { files::upload(call.cx(), &*call.files, input).await });
    Ok(Created(FileBody::of(task.await?, call)))
}

fn read_id<T: FromStr<Err = InvalidId>>(
    field: &'static str,
    text: Option<String>,
    issues: &mut Issues,
) -> Option<T> {
    match text?.parse() {
        Ok(id) => Some(id),
        Err(error) => {
            issues.push(Issue::new("invalid_id", error.to_string()).at(field));
            None
        }
    }
}

async fn list(call: Call, query: Query) -> Result<answer::Page, ApiError> {
    answered(&call, filtered(&query)?).await
}

async fn answered(call: &Call, raw: RawQuery) -> Result<answer::Page, ApiError> {
    let page = call.page(|call| async move {
        let page = catalog::list::<File>(call.cx(), &raw).await?;
        let rows = page.rows.into_iter().map(|file| FileBody::of(file, &call)).collect();
        Ok(ListBody::of(Page { rows, pagination: page.pagination }))
    });
    page.await
}

async fn attach(
    call: Call,
    id: PathId<id::Expense>,
    form: Form,
) -> Result<Created<FileBody>, ApiError> {
    expenses::get(call.cx(), id.0).await?;
    let links = FileLinks { expense_id: Some(id.0), ..FileLinks::default() };
    keep(&call, form, FileCategory::Attachment, links, false).await
}

async fn list_attached(
    call: Call,
    id: PathId<id::Expense>,
    query: Query,
) -> Result<answer::Page, ApiError> {
    expenses::get(call.cx(), id.0).await?;
    let raw = with_filters(query.list()?, vec![("expense_id", &id.0.to_string())])?;
    answered(&call, raw).await
}

/// The list's query, with the parameters that are filters by themselves.
fn filtered(query: &Query) -> Result<RawQuery, ApiError> {
    let mut filters = Vec::new();
    for Parameter { name, .. } in FILTERS {
        filters.extend(query.one(name)?.map(|value| (*name, value)));
    }
    with_filters(query.list()?, filters)
}

/// The query with filters by fields and values.
fn with_filters(mut raw: RawQuery, filters: Vec<(&str, &str)>) -> Result<RawQuery, ApiError> {
    let filters: Map<String, Value> =
        filters.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect();
    if filters.is_empty() {
        return Ok(raw);
    }
    if raw.query.is_some() {
        let message = "write the other filters into `query` too, or leave it out";
        return Err(Issue::new("not_allowed", message).at("query").into());
    }
    raw.query = Some(Value::Object(filters).to_string());
    Ok(raw)
}

async fn get(call: Call, id: PathId<id::File>) -> Result<Json<FileBody>, ApiError> {
    let found = files::get(call.cx(), id.0).await?;
    Ok(Json(FileBody::of(found, &call)))
}

async fn download(
    call: Call,
    id: PathId<id::File>,
    request: HttpRequest,
) -> Result<answer::File, ApiError> {
    let file = files::get(call.cx(), id.0).await?;
    limits::make_room(&request, usize::try_from(file.bytes).unwrap_or(usize::MAX)).await?;
    let (file, bytes) = files::content(call.cx(), &*call.files, id.0).await?;
    Ok(answer::File { media_type: file.media_type(), name: file.filename, bytes })
}

async fn delete(call: Call, id: PathId<id::File>) -> Result<NoContent, ApiError> {
    let task = call.run(|call| async move { files::delete(call.cx(), &*call.files, id.0).await });
    task.await?;
    Ok(NoContent)
}
