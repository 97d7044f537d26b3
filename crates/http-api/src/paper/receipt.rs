//! Receipts of payments.

use actix_web::{HttpRequest, web};
use racun_access::Permission::ReadTill;
use racun_billing::Feature;
use racun_delivery::printing::{self, Wanted};
use racun_kernel::id;
use racun_sales::payments;

use super::answer;
use crate::answer::File;
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::limits;
use crate::request::PathId;
use crate::route::{Gate, Route};

/// Routes of receipts on paper.
pub(crate) const RECEIPTS: &[Route] =
    &[Route::get("/payments/{id}/receipt", "printPaymentReceipt", Gate::Entity(ReadTill), || {
        web::to(receipt)
    })
    .needs(Feature::PdfExport)
    .about("Payments", "Answers the receipt of a payment in Portugal as PDF.")
    .explained(
        "There is one where the payment was recorded while a series for receipts was active.",
    )
    .answers_file("application/pdf")];

async fn receipt(
    call: EntityCall,
    id: PathId<id::Payment>,
    request: HttpRequest,
) -> Result<File, ApiError> {
    let payment = payments::get(call.cx(), id.0).await?;
    let (files, entity, wanted) = (&*call.files, call.entity(), Wanted::default());
    let paper = printing::receipt_of(call.cx(), files, entity, &payment, &wanted).await?;
    let name = paper.file_name();
    let bytes = call.press().print(paper).await?;
    limits::make_room(&request, bytes.len()).await?;
    Ok(answer::pdf(name, bytes))
}
