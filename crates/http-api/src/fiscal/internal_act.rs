//! The internal act of a Slovenian taxpayer, as files.

use actix_web::web::{self};
use racun_access::Permission::ReadFiscal;
use racun_fiscal::Authority;
use racun_fiscalization::setup::internal_act;
use racun_kernel::calendar::format_date;

use crate::answer::File;
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::route::{Gate, Route};
const TAG: &str = "FURS";
const PDF: &str = "application/pdf";
const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/// Routes of the internal act.
pub(crate) const ROUTES: &[Route] = &[
    Route::get(
        "/fiscalization/furs/internal-act/pdf",
        "getFursInternalActPdf",
        Gate::Entity(ReadFiscal),
        || web::to(pdf),
    )
    .about(TAG, "Answers the internal act, in Slovene, as PDF.")
    .answers_file(PDF),
    Route::get(
        "/fiscalization/furs/internal-act/docx",
        "getFursInternalActDocx",
        Gate::Entity(ReadFiscal),
        || web::to(docx),
    )
    .about(TAG, "Answers the internal act, in Slovene, as DOCX.")
    .answers_file(DOCX),
];

async fn pdf(call: EntityCall) -> Result<File, ApiError> {
    let text = internal_act::compose(call.cx(), call.entity()).await?;
    let bytes = call.press().print_text(text).await?;
    Ok(file(&call, bytes, PDF, "pdf"))
}

async fn docx(call: EntityCall) -> Result<File, ApiError> {
    let text = internal_act::compose(call.cx(), call.entity()).await?;
    let bytes = call.compute(move || racun_render::docx(&text)).await?;
    Ok(file(&call, bytes, DOCX, "docx"))
}

/// The file, which is named after the day.
fn file(call: &EntityCall, bytes: Vec<u8>, media_type: &'static str, ending: &str) -> File {
    let today = format_date(Authority::Furs.local(call.stamp().now()).date());
    File { media_type, name: format!("interni-akt-{today}.{ending}"), bytes }
}
