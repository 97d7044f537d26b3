//! Tabs.

use actix_web::http::header::{ETAG, ETag, TryIntoHeaderValue as _};
use actix_web::web;
use actix_web::{HttpRequest, HttpResponse, Responder as _};
use racun_access::Permission::{ReadTill, Sell};
use racun_kernel::{Issue, id};
use racun_till::{close as close_tab, tabs as application};

use super::listing::{self, Listing};
use super::tab::{AppendBody, CloseBody, DeviceBody, OpenTabBody, TabBody, TabPatchBody, TabsBody};
use crate::answer::{Created, Json};
use crate::body::Convert;
use crate::body_limit::DOCUMENT;
use crate::call::{Call, EntityCall};
use crate::error::ApiError;
use crate::request::{Body, MaybeBody, PathId, Query};
use crate::route::{Gate, Parameter, Route};
const TAG: &str = "Point of sale";

/// Routes of tabs.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/pos/tabs", "openPosTab", Gate::Entity(Sell), || web::to(open))
        .read_by(&["getPosTab"])
        .about(TAG, "Opens a tab, on a table or on none.")
        .takes::<OpenTabBody>()
        .up_to(DOCUMENT)
        .creates::<TabBody>(),
    Route::get("/pos/tabs", "listPosTabs", Gate::Entity(ReadTill), || web::to(list))
        .about(
            TAG,
            "Lists all tabs in some states, in the order in which they were opened. Of more than 4 \
             MiB of them, as they are stored, the newest are answered.",
        )
        .reads(&[Parameter::text(
            "status",
            "Some of open, issuing, issued, cancelled, parted by commas; open and issuing \
             when absent.",
        )])
        .conditional()
        .answers::<TabsBody>(),
    Route::get("/pos/tabs/{id}", "getPosTab", Gate::Entity(ReadTill), || web::to(get))
        .about(TAG, "Answers a tab.")
        .answers::<TabBody>(),
    Route::patch("/pos/tabs/{id}", "updatePosTab", Gate::Entity(Sell), || web::to(replace))
        .read_by(&["getPosTab"])
        .about(TAG, "Replaces what is sent of a tab, if it is at the version that is expected.")
        .takes::<TabPatchBody>()
        .up_to(DOCUMENT)
        .answers::<TabBody>(),
    Route::delete("/pos/tabs/{id}", "cancelPosTab", Gate::Entity(Sell), || web::to(cancel))
        .read_by(&["getPosTab"])
        .about(TAG, "Cancels a tab that is open or being paid.")
        .reads(&[Parameter::integer(
            "expected_version",
            "Cancels only a tab at this version; at any when absent.",
        )])
        .tells::<TabBody>(),
    Route::post("/pos/tabs/{id}/items", "appendPosTabItems", Gate::Entity(Sell), || {
        web::to(append)
    })
    .read_by(&["getPosTab"])
    .about(TAG, "Adds lines to an open tab, whatever others add at the same time.")
    .takes::<AppendBody>()
    .up_to(DOCUMENT)
    .answers::<TabBody>(),
    Route::post("/pos/tabs/{id}/claim", "claimPosTab", Gate::Entity(Sell), || web::to(claim))
        .read_by(&["getPosTab"])
        .about(TAG, "Gives the payment to a device: for five minutes nobody else changes the tab.")
        .takes::<DeviceBody>()
        .answers::<TabBody>(),
    Route::post("/pos/tabs/{id}/release", "releasePosTab", Gate::Entity(Sell), || web::to(release))
        .read_by(&["getPosTab"])
        .about(TAG, "Gives a claim back; any device clears one that ran out.")
        .takes::<DeviceBody>()
        .answers::<TabBody>(),
    Route::post("/pos/tabs/{id}/close", "closePosTab", Gate::Entity(Sell), || web::to(close))
        .read_by(&["getPosTab"])
        .about(
            TAG,
            "Ends a claimed tab in an issued invoice; again with the same one changes nothing. \
             What the invoice differs by from the tabs that it closes is noted.",
        )
        .takes::<CloseBody>()
        .answers::<TabBody>(),
];

async fn open(call: Call, body: MaybeBody<OpenTabBody>) -> Result<Created<TabBody>, ApiError> {
    let table_id = body.0.table_id;
    let task = call.run(|call| async move { application::open(call.cx(), table_id).await });
    Ok(Created(task.await?.convert()))
}

async fn list(
    call: EntityCall,
    query: Query,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let statuses = listing::statuses(&query)?;
    Ok(match listing::read(&call, &request, &statuses).await? {
        Listing::Unchanged(tag) => HttpResponse::NotModified().insert_header(ETag(tag)).finish(),
        Listing::Tabs(tag, tabs) => {
            let page = call.page(|_| async { Ok(TabsBody::of(tabs)) });
            let mut answer = page.await?.respond_to(&request);
            let tag = ETag(tag).try_into_value().map_err(ApiError::internal)?;
            answer.headers_mut().insert(ETAG, tag);
            answer
        }
    })
}

async fn get(call: EntityCall, id: PathId<id::PosTab>) -> Result<Json<TabBody>, ApiError> {
    Ok(Json(application::view(call.cx(), call.entity(), id.0).await?.convert()))
}

async fn replace(
    call: EntityCall,
    id: PathId<id::PosTab>,
    body: Body<TabPatchBody>,
) -> Result<Json<TabBody>, ApiError> {
    let patch = body.0.convert();
    let task = call.run(|call| async move {
        application::replace(call.cx(), call.entity(), id.0, patch).await
    });
    Ok(Json(task.await?.convert()))
}

async fn cancel(
    call: EntityCall,
    id: PathId<id::PosTab>,
    query: Query,
) -> Result<Json<TabBody>, ApiError> {
    let expected = query.one("expected_version")?.map(str::parse).transpose();
    let expected: Option<i64> = expected.map_err(|_| {
        let message = "expected a whole number: the version that you saw last";
        Issue::new("invalid_type", message).at("expected_version")
    })?;
    let task = call.run(|call| async move {
        application::cancel(call.cx(), call.entity(), id.0, expected).await
    });
    Ok(Json(task.await?.convert()))
}

async fn append(
    call: EntityCall,
    id: PathId<id::PosTab>,
    body: Body<AppendBody>,
) -> Result<Json<TabBody>, ApiError> {
    let AppendBody { items, append_id } = body.0;
    let lines = items.convert();
    let task = call.run(|call| async move {
        application::append(call.cx(), call.entity(), id.0, lines, append_id).await
    });
    Ok(Json(task.await?.convert()))
}

async fn claim(
    call: EntityCall,
    id: PathId<id::PosTab>,
    body: Body<DeviceBody>,
) -> Result<Json<TabBody>, ApiError> {
    let task = call.run(|call| async move {
        application::claim(call.cx(), call.entity(), id.0, body.0.device_id).await
    });
    Ok(Json(task.await?.convert()))
}

async fn release(
    call: EntityCall,
    id: PathId<id::PosTab>,
    body: Body<DeviceBody>,
) -> Result<Json<TabBody>, ApiError> {
    let task = call.run(|call| async move {
        application::release(call.cx(), call.entity(), id.0, body.0.device_id).await
    });
    Ok(Json(task.await?.convert()))
}

async fn close(
    call: EntityCall,
    id: PathId<id::PosTab>,
    body: Body<CloseBody>,
) -> Result<Json<TabBody>, ApiError> {
    let task = call.run(|call| async move {
        close_tab(call.cx(), call.entity(), id.0, body.0.invoice_id).await
    });
    Ok(Json(task.await?.convert()))
}
