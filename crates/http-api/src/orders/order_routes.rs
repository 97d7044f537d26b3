//! Orders.

use actix_web::web;
use racun_access::Permission::{EraseRecords, ReadRecords, WriteRecords};
use racun_billing::Feature;
use racun_kernel::id;
use racun_shop::{Processing, orders as shop, process as process_order};

use super::{OrderBody, OrderInputBody};
use crate::answer::{Created, Json, NoContent, Page};
use crate::body::{Convert, ListBody};
use crate::body_limit::DOCUMENT;
use crate::call::{Call, EntityCall};
use crate::error::ApiError;
use crate::request::{Body, PathId, Query};
use crate::route::{Gate, LIST, Route};

const TAG: &str = "Orders";
const READ: Gate = Gate::Entity(ReadRecords);
const WRITE: Gate = Gate::Entity(WriteRecords);

/// What a new order has to say.
const REQUIRED: &[&str] = &[
    "order_integration_id",
    "source",
    "source_id",
    "currency_code",
    "total",
    "total_with_tax",
    "items",
];

/// Routes of orders.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/orders", "createOrder", WRITE, || web::to(create))
        .read_by(&["getOrder"])
        .about(TAG, "Adds an order of an integration.")
        .explained(
            "An integration has an order of a source once: a second one is 409. Whether it is \
             processed by itself, and when, its integration says.",
        )
        .takes_with::<OrderInputBody>(REQUIRED)
        .up_to(DOCUMENT)
        .creates::<OrderBody>(),
    Route::get("/orders", "listOrders", READ, || web::to(list))
        .about(TAG, "Lists orders.")
        .reads(LIST)
        .answers::<ListBody<OrderBody>>(),
    Route::get("/orders/{id}", "getOrder", READ, || web::to(get))
        .about(TAG, "Answers an order.")
        .answers::<OrderBody>(),
    Route::patch("/orders/{id}", "updateOrder", WRITE, || web::to(update))
        .read_by(&["getOrder"])
        .about(TAG, "Changes what is sent of an order.")
        .explained(
            "A failed order waits to be processed again. One that was processed says that it \
             changed, and is invoiced again where its integration wants it, or by `/process`.",
        )
        .takes::<OrderInputBody>()
        .up_to(DOCUMENT)
        .answers::<OrderBody>(),
    Route::delete("/orders/{id}", "deleteOrder", WRITE, || web::to(trash))
        .about(TAG, "Moves an order to the trash."),
    Route::post("/orders/{id}/restore", "restoreOrder", WRITE, || web::to(restore))
        .read_by(&["getOrder"])
        .about(TAG, "Brings an order back from the trash.")
        .answers::<OrderBody>(),
    Route::delete(
        "/orders/{id}/permanent",
        "permanentlyDeleteOrder",
        Gate::Entity(EraseRecords),
        || web::to(erase),
    )
    .about(TAG, "Removes an order in the trash for good."),
    Route::post("/orders/{id}/process", "processOrder", WRITE, || web::to(process))
        .needs(Feature::Invoices)
        .read_by(&["getOrder"])
        .about(TAG, "Makes the invoice or estimate of an order, and answers the order.")
        .explained(
            "An unpaid order by bank transfer gets an estimate, unless its integration says \
             otherwise. One that has its document stays as it is; one that changed since is \
             invoiced again, and the invoice before is voided, or given back by a credit note \
             where one gave back of it already. What refuses the document is no error: the order \
             is `failed`, and `error` says why.",
        )
        .answers::<OrderBody>(),
    Route::post("/orders/{id}/cancel", "cancelOrder", WRITE, || web::to(cancel))
        .read_by(&["getOrder"])
        .about(TAG, "Cancels an order that has no invoice.")
        .answers::<OrderBody>(),
];

async fn create(call: Call, body: Body<OrderInputBody>) -> Result<Created<OrderBody>, ApiError> {
    let input = body.0.convert();
    let task = call.run(|call| async move { shop::create(call.cx(), input).await });
    Ok(Created(task.await?.convert()))
}

async fn list(call: Call, query: Query) -> Result<Page, ApiError> {
    let raw = query.list()?;
    let page = call.page(|call| async move {
        let page: ListBody<OrderBody> = shop::list(call.cx(), &raw).await?.convert();
        Ok(page)
    });
    page.await
}

async fn get(call: Call, id: PathId<id::Order>) -> Result<Json<OrderBody>, ApiError> {
    Ok(Json(shop::get(call.cx(), id.0).await?.convert()))
}

async fn update(
    call: Call,
    id: PathId<id::Order>,
    body: Body<OrderInputBody>,
) -> Result<Json<OrderBody>, ApiError> {
    let input = body.0.convert();
    let task = call.run(|call| async move { shop::update(call.cx(), id.0, input).await });
    Ok(Json(task.await?.convert()))
}

async fn trash(call: Call, id: PathId<id::Order>) -> Result<NoContent, ApiError> {
    call.run(|call| async move { shop::trash(call.cx(), id.0).await }).await?;
    Ok(NoContent)
}

async fn restore(call: Call, id: PathId<id::Order>) -> Result<Json<OrderBody>, ApiError> {
    let task = call.run(|call| async move { shop::restore(call.cx(), id.0).await });
    Ok(Json(task.await?.convert()))
}

async fn erase(call: Call, id: PathId<id::Order>) -> Result<NoContent, ApiError> {
    call.run(|call| async move { shop::erase(call.cx(), id.0).await }).await?;
    Ok(NoContent)
}

async fn process(call: EntityCall, id: PathId<id::Order>) -> Result<Json<OrderBody>, ApiError> {
    let task = call.run(|call| async move {
        let by = Processing { ports: call.ports(), authority: &call.tax_authority };
        process_order(by, call.entity(), id.0).await
    });
    Ok(Json(task.await?.convert()))
}

async fn cancel(call: Call, id: PathId<id::Order>) -> Result<Json<OrderBody>, ApiError> {
    let task = call.run(|call| async move { shop::cancel(call.cx(), id.0).await });
    Ok(Json(task.await?.convert()))
}
