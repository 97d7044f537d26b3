//! Tabs.

use actix_web::http::header::ETag;
use actix_web::web::{self, Data, Json, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use racun_access::Entity;
use racun_access::Permission::{ReadTill, Sell};
use racun_application::pos::{close as close_tab, tabs as application};
use racun_kernel::{Issue, Scope, id};

use super::listing::{self, Listing, Seen, Tags};
use super::tab::{AppendBody, CloseBody, DeviceBody, OpenTabBody, TabBody, TabPatchBody};
use crate::answer::Created;
use crate::body::{AllBody, Convert};
use crate::body_limit::DOCUMENT;
use crate::error::ApiError;
use crate::request::{Body, MaybeBody, PathId, Query};
use crate::route::{Gate, Parameter, ParameterKind, Route};
use crate::services::Services;

const TAG: &str = "Point of sale";

/// Routes of tabs.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/pos/tabs", "openPosTab", Gate::Entity(Sell), || web::to(open))
        .about(TAG, "Opens a tab, on a table or on none.")
        .takes::<OpenTabBody>()
        .up_to(DOCUMENT)
        .creates::<TabBody>(),
    Route::get("/pos/tabs", "listPosTabs", Gate::Entity(ReadTill), || web::to(list))
        .about(TAG, "Lists all tabs in some states, in the order in which they were opened.")
        .reads(&[Parameter {
            name: "status",
            meaning: "Some of open, issuing, issued, cancelled, parted by commas; open and issuing \
                      when absent.",
            kind: ParameterKind::Text,
        }])
        .conditional()
        .answers::<AllBody<TabBody>>(),
    Route::get("/pos/tabs/{id}", "getPosTab", Gate::Entity(ReadTill), || web::to(get))
        .about(TAG, "Answers a tab.")
        .answers::<TabBody>(),
    Route::patch("/pos/tabs/{id}", "updatePosTab", Gate::Entity(Sell), || web::to(replace))
        .about(TAG, "Replaces what is sent of a tab, if it is at the version that is expected.")
        .takes::<TabPatchBody>()
        .up_to(DOCUMENT)
        .answers::<TabBody>(),
    Route::delete("/pos/tabs/{id}", "cancelPosTab", Gate::Entity(Sell), || web::to(cancel))
        .about(TAG, "Cancels a tab that is open or being paid.")
        .reads(&[Parameter {
            name: "expected_version",
            meaning: "Cancels only a tab at this version; at any when absent.",
            kind: ParameterKind::Integer,
        }])
        .tells::<TabBody>(),
    Route::post("/pos/tabs/{id}/items", "appendPosTabItems", Gate::Entity(Sell), || {
        web::to(append)
    })
    .about(TAG, "Adds lines to an open tab, whatever others add at the same time.")
    .takes::<AppendBody>()
    .up_to(DOCUMENT)
    .answers::<TabBody>(),
    Route::post("/pos/tabs/{id}/claim", "claimPosTab", Gate::Entity(Sell), || web::to(claim))
        .about(TAG, "Gives the payment to a device: for five minutes nobody else changes the tab.")
        .takes::<DeviceBody>()
        .answers::<TabBody>(),
    Route::post("/pos/tabs/{id}/release", "releasePosTab", Gate::Entity(Sell), || web::to(release))
        .about(TAG, "Gives a claim back; any device clears one that ran out.")
        .takes::<DeviceBody>()
        .answers::<TabBody>(),
    Route::post("/pos/tabs/{id}/close", "closePosTab", Gate::Entity(Sell), || web::to(close))
        .about(
            TAG,
            "Ends a claimed tab in an issued invoice; again with the same one changes nothing. \
             What the invoice differs by from the tabs that it closes is noted.",
        )
        .takes::<CloseBody>()
        .answers::<TabBody>(),
];

async fn open(
    services: Data<Services>,
    scope: ReqData<Scope>,
    body: MaybeBody<OpenTabBody>,
) -> Result<Created<TabBody>, ApiError> {
    let (scope, table_id) = (scope.into_inner(), body.0.table_id);
    let task = |services: Services| async move {
        application::open(&*services.store, &scope, table_id, &services.stamp()).await
    };
    Ok(Created(services.run(task).await?.convert()))
}

async fn list(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    query: Query,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let (statuses, seen) = (listing::statuses(&query)?, Seen::of(&request));
    let tags = request.app_data::<Tags>();
    let tags = tags.ok_or_else(|| ApiError::internal("the application keeps no tags"))?;
    let stamp = services.stamp();
    let read = listing::read(&*services.store, (&scope, &entity), &statuses, &seen, tags, &stamp);
    Ok(match read.await? {
        Listing::Unchanged(tag) => HttpResponse::NotModified().insert_header(ETag(tag)).finish(),
        Listing::Tabs(tag, tabs) => {
            let body: AllBody<TabBody> = tabs.convert();
            HttpResponse::Ok().insert_header(ETag(tag)).json(body)
        }
    })
}

async fn get(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    id: PathId<id::PosTab>,
) -> Result<Json<TabBody>, ApiError> {
    let (store, stamp) = (&*services.store, services.stamp());
    Ok(Json(application::view(store, &scope, &entity, id.0, &stamp).await?.convert()))
}

async fn replace(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    id: PathId<id::PosTab>,
    body: Body<TabPatchBody>,
) -> Result<Json<TabBody>, ApiError> {
    let (scope, entity, patch) = (scope.into_inner(), entity.into_inner(), body.0.convert());
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        application::replace(store, &scope, &entity, id.0, patch, &stamp).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn cancel(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    id: PathId<id::PosTab>,
    query: Query,
) -> Result<Json<TabBody>, ApiError> {
    let expected = query.one("expected_version")?.map(str::parse).transpose();
    let expected: Option<i64> = expected.map_err(|_| {
        let message = "expected a whole number: the version that you saw last";
        Issue::new("invalid_type", message).at("expected_version")
    })?;
    let (scope, entity) = (scope.into_inner(), entity.into_inner());
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        application::cancel(store, &scope, &entity, id.0, expected, &stamp).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn append(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    id: PathId<id::PosTab>,
    body: Body<AppendBody>,
) -> Result<Json<TabBody>, ApiError> {
    let (scope, entity) = (scope.into_inner(), entity.into_inner());
    let AppendBody { items, append_id } = body.0;
    let lines = items.convert();
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        application::append(store, &scope, &entity, id.0, lines, append_id, &stamp).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn claim(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    id: PathId<id::PosTab>,
    body: Body<DeviceBody>,
) -> Result<Json<TabBody>, ApiError> {
    let (scope, entity) = (scope.into_inner(), entity.into_inner());
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        application::claim(store, &scope, &entity, id.0, body.0.device_id, &stamp).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn release(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    id: PathId<id::PosTab>,
    body: Body<DeviceBody>,
) -> Result<Json<TabBody>, ApiError> {
    let (scope, entity) = (scope.into_inner(), entity.into_inner());
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        application::release(store, &scope, &entity, id.0, body.0.device_id, &stamp).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn close(
    services: Data<Services>,
    scope: ReqData<Scope>,
    entity: ReqData<Entity>,
    id: PathId<id::PosTab>,
    body: Body<CloseBody>,
) -> Result<Json<TabBody>, ApiError> {
    let (scope, entity) = (scope.into_inner(), entity.into_inner());
    let task = |services: Services| async move {
        let (store, stamp) = (&*services.store, services.stamp());
        close_tab(store, &scope, &entity, id.0, body.0.invoice_id, &stamp).await
    };
    Ok(Json(services.run(task).await?.convert()))
}
