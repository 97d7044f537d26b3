//! Routes of payments.

use actix_web::web::{self, Data, Json, ReqData};
use racun_access::Entity;
use racun_access::Permission::{EraseRecords, ReadTill, Sell, WriteRecords};
use racun_application::payments::{self as application, PaymentPorts};
use racun_kernel::{Page, Scope, id};

use super::include::{INCLUDE, Include};
use super::payment::{NewPaymentBody, PaymentBody, PaymentPatchBody};
use crate::answer::{self, Created, NoContent};
use crate::body::{Convert, ListBody};
use crate::body_limit::RECORD;
use crate::error::ApiError;
use crate::request::{Body, PathId, Query};
use crate::route::{Gate, LIST, Route};
use crate::services::Services;

const TAG: &str = "Payments";

/// Routes of payments.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/payments", "createPayment", Gate::Entity(Sell), || web::to(create))
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

/// The store, and the authority that may have to hear of how documents are paid.
fn ports(services: &Services) -> PaymentPorts<'_> {
    PaymentPorts { store: &*services.store, authority: Some(&services.tax_authority) }
}

async fn create(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    body: Body<NewPaymentBody>,
) -> Result<Created<PaymentBody>, ApiError> {
    let (scope, entity, new) = (scope.into_inner(), entity.into_inner(), body.0.convert());
    let task = |services: Services| async move {
        application::record(ports(&services), &scope, &entity, new, &services.stamp()).await
    };
    Ok(Created(services.run(task).await?.convert()))
}

async fn list(
    services: Data<Services>,
    scope: ReqData<Scope>,
    query: Query,
) -> Result<answer::Page, ApiError> {
    let (raw, include) = (query.list()?, Include::of(&query)?);
    let scope = scope.into_inner();
    let page = |services: Services| async move {
        let store = &*services.store;
        let Page { rows, pagination } = application::list(store, &scope, &raw).await?;
        let related = include.related(store, &scope, &rows).await?;
        let rows = rows.iter().map(|payment| include.with(payment, &related)).collect();
        Ok(ListBody::of(Page { rows, pagination }))
    };
    services.page(page).await
}

async fn get(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<id::Payment>,
    query: Query,
) -> Result<Json<PaymentBody>, ApiError> {
    let include = Include::of(&query)?;
    let store = &*services.store;
    let payment = application::get(store, &scope, id.0).await?;
    let related = include.related(store, &scope, std::slice::from_ref(&payment)).await?;
    Ok(Json(include.with(&payment, &related)))
}

async fn update(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    id: PathId<id::Payment>,
    body: Body<PaymentPatchBody>,
) -> Result<Json<PaymentBody>, ApiError> {
    let (scope, entity, patch) = (scope.into_inner(), entity.into_inner(), body.0.convert());
    let task = |services: Services| async move {
        let (store, authority) = (&*services.store, &services.tax_authority);
        let stamp = services.stamp();
        application::change(store, authority, &scope, &entity, id.0, patch, &stamp).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn trash(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    id: PathId<id::Payment>,
) -> Result<NoContent, ApiError> {
    let (scope, entity) = (scope.into_inner(), entity.into_inner());
    let task = |services: Services| async move {
        application::trash(ports(&services), &scope, &entity, id.0, &services.stamp()).await
    };
    services.run(task).await?;
    Ok(NoContent)
}

async fn restore(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    id: PathId<id::Payment>,
) -> Result<Json<PaymentBody>, ApiError> {
    let (scope, entity) = (scope.into_inner(), entity.into_inner());
    let task = |services: Services| async move {
        application::restore(ports(&services), &scope, &entity, id.0, &services.stamp()).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn erase(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<id::Payment>,
) -> Result<NoContent, ApiError> {
    let scope = scope.into_inner();
    let task = |services: Services| async move {
        application::erase(&*services.store, &scope, id.0, &services.stamp()).await
    };
    services.run(task).await?;
    Ok(NoContent)
}
