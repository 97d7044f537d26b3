//! Routes of payments.

use actix_web::web;
use racun_access::Permission::{EraseRecords, ReadTill, Sell, WriteRecords};
use racun_kernel::id;
use racun_sales::payments::{self as application, PaymentPorts};
use racun_store::Page;

use super::body::{NewPaymentBody, PaymentBody, PaymentPatchBody};
use super::include::{INCLUDE, Include};
use crate::answer::{self, Created, Json, NoContent};
use crate::body::{Convert, ListBody};
use crate::body_limit::RECORD;
use crate::call::{Call, EntityCall};
use crate::error::ApiError;
use crate::request::{Body, PathId, Query};
use crate::route::{Gate, LIST, Route};
const TAG: &str = "Payments";

/// Routes of payments.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/payments", "createPayment", Gate::Entity(Sell), || web::to(create))
        .read_by(&["getPayment"])
        .about(TAG, "Records a payment; the totals of what it pays follow.")
        .may_lack()
        .takes_with::<NewPaymentBody>(&["amount"])
        .up_to(RECORD)
        .creates::<PaymentBody>(),
    Route::get("/payments", "listPayments", Gate::Entity(ReadTill), || web::to(list))
        .about(TAG, "Lists payments.")
        .reads(LIST)
        .reads_also(&[INCLUDE])
        .answers::<ListBody<PaymentBody>>(),
    Route::get("/payments/{id}", "getPayment", Gate::Entity(ReadTill), || web::to(get))
        .about(TAG, "Answers a payment.")
        .reads(&[INCLUDE])
        .answers::<PaymentBody>(),
    Route::patch("/payments/{id}", "updatePayment", Gate::Entity(WriteRecords), || web::to(update))
        .read_by(&["getPayment"])
        .about(
            TAG,
            "Changes what is sent of a payment; the totals of what it pays follow. Another type \
             on a fiscalized invoice is first reported to the tax authority, where it must hear \
             of it; so is what is recorded, deleted or restored, when the invoice is then paid \
             otherwise than the authority was told.",
        )
        .takes::<PaymentPatchBody>()
        .up_to(RECORD)
        .answers::<PaymentBody>(),
    Route::delete("/payments/{id}", "deletePayment", Gate::Entity(WriteRecords), || web::to(trash))
        .about(TAG, "Moves a payment to the trash; the totals of what it paid follow."),
    Route::post("/payments/{id}/restore", "restorePayment", Gate::Entity(WriteRecords), || {
        web::to(restore)
    })
    .read_by(&["getPayment"])
    .about(TAG, "Brings a payment back from the trash; the totals of what it pays follow.")
    .answers::<PaymentBody>(),
    Route::delete(
        "/payments/{id}/permanent",
        "permanentlyDeletePayment",
        Gate::Entity(EraseRecords),
        || web::to(erase),
    )
    .about(TAG, "Removes a payment in the trash for good."),
];

/// The context, and the authority that may have to hear of how documents are paid.
fn ports(call: &Call) -> PaymentPorts<'_> {
    let (authority, portugal) = (Some(&call.tax_authority), call.portugal.as_deref());
    PaymentPorts { cx: call.cx(), authority, portugal }
}

async fn create(
    call: EntityCall,
    body: Body<NewPaymentBody>,
) -> Result<Created<PaymentBody>, ApiError> {
    let new = body.0.convert();
    let task =
        call.run(|call| async move { application::record(ports(&call), call.entity(), new).await });
    Ok(Created(task.await?.convert()))
}

async fn list(call: Call, query: Query) -> Result<answer::Page, ApiError> {
    let (raw, include) = (query.list()?, Include::of(&query)?);
    let page = call.page(|call| async move {
        let Page { rows, pagination } = application::list(call.cx(), &raw).await?;
        let related = include.related(call.cx(), &rows).await?;
        let rows = rows.iter().map(|payment| include.with(payment, &related)).collect();
        Ok(ListBody::of(Page { rows, pagination }))
    });
    page.await
}

async fn get(
    call: Call,
    id: PathId<id::Payment>,
    query: Query,
) -> Result<Json<PaymentBody>, ApiError> {
    let include = Include::of(&query)?;
    let payment = application::get(call.cx(), id.0).await?;
    let related = include.related(call.cx(), std::slice::from_ref(&payment)).await?;
    Ok(Json(include.with(&payment, &related)))
}

async fn update(
    call: EntityCall,
    id: PathId<id::Payment>,
    body: Body<PaymentPatchBody>,
) -> Result<Json<PaymentBody>, ApiError> {
    let patch = body.0.convert();
    let task = call.run(|call| async move {
        let authority = &call.tax_authority;
        application::change(call.cx(), authority, call.entity(), id.0, patch).await
    });
    Ok(Json(task.await?.convert()))
}

async fn trash(call: EntityCall, id: PathId<id::Payment>) -> Result<NoContent, ApiError> {
    let task =
        call.run(|call| async move { application::trash(ports(&call), call.entity(), id.0).await });
    task.await?;
    Ok(NoContent)
}

async fn restore(call: EntityCall, id: PathId<id::Payment>) -> Result<Json<PaymentBody>, ApiError> {
    let task = call
        .run(|call| async move { application::restore(ports(&call), call.entity(), id.0).await });
    Ok(Json(task.await?.convert()))
}

async fn erase(call: Call, id: PathId<id::Payment>) -> Result<NoContent, ApiError> {
    let task = call.run(|call| async move { application::erase(call.cx(), id.0).await });
    task.await?;
    Ok(NoContent)
}
