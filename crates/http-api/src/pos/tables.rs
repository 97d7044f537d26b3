//! Tables.

use std::collections::BTreeMap;

use actix_web::web::{self, Data, Json, ReqData};
use racun_access::Permission::{ReadTill, WriteRecords};
use racun_application::pos::tables as application;
use racun_kernel::{Scope, id};
use racun_pos as pos;

use crate::answer::{Created, NoContent};
use crate::body::{AllBody, Convert, answer, input};
use crate::error::ApiError;
use crate::request::{Body, PathId, Query};
use crate::route::{Gate, Parameter, ParameterKind, Route};
use crate::services::Services;

const TAG: &str = "Point of sale";

/// Routes of tables.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/pos/tables", "createPosTable", Gate::Entity(WriteRecords), || web::to(create))
        .about(TAG, "Adds a table.")
        .takes_with::<PosTableInputBody>(&["label"])
        .creates::<PosTableBody>(),
    Route::get("/pos/tables", "listPosTables", Gate::Entity(ReadTill), || web::to(list))
        .about(TAG, "Lists all tables, by their sort order and label.")
        .reads(&[Parameter {
            name: "include_inactive",
            meaning: "True for those that are not active too; false when absent.",
            kind: ParameterKind::Flag,
        }])
        .answers::<AllBody<PosTableBody>>(),
    Route::patch("/pos/tables/{id}", "updatePosTable", Gate::Entity(WriteRecords), || {
        web::to(update)
    })
    .about(TAG, "Changes what is sent of a table.")
    .takes::<PosTableInputBody>()
    .answers::<PosTableBody>(),
    Route::delete("/pos/tables/{id}", "deletePosTable", Gate::Entity(WriteRecords), || {
        web::to(delete)
    })
    .about(TAG, "Deletes a table, unless a tab is open on it."),
];

input! {
    /// What a caller says of a table.
    PosTableInputBody as PosTableInput into pos::PosTableInput {
        /// Its name, as staff refer to it; 1 to 200 characters.
        label: String,
        /// Its place in lists: smallest first; 0 when absent.
        sort_order: i32,
        /// Whether tabs can be opened on it; true when absent.
        is_active: bool,
        /// Up to 50 properties of at most 250 characters; replace all there were.
        metadata: BTreeMap<String, String>,
    }
}

answer! {
    /// A table: a place that tabs are opened on.
    PosTableBody as PosTable from pos::PosTable {
        /// Its id.
        id: String,
        /// Whose table.
        entity_id: String,
        /// Its name, as staff refer to it.
        label: String,
        /// Its place in lists: smallest first.
        sort_order: i32,
        /// Whether tabs can be opened on it.
        is_active: bool,
        /// What the caller attached.
        metadata: BTreeMap<String, String>,
        /// Since when it is deleted.
        deleted_at: Option<String>,
        /// When it was made.
        created_at: String,
        /// When it changed last.
        updated_at: String,
    }
}

async fn create(
    services: Data<Services>,
    scope: ReqData<Scope>,
    body: Body<PosTableInputBody>,
) -> Result<Created<PosTableBody>, ApiError> {
    let (scope, input) = (scope.into_inner(), body.0.convert());
    let task = |services: Services| async move {
        application::create(&*services.store, &scope, input, &services.stamp()).await
    };
    Ok(Created(services.run(task).await?.convert()))
}

async fn list(
    services: Data<Services>,
    scope: ReqData<Scope>,
    query: Query,
) -> Result<Json<AllBody<PosTableBody>>, ApiError> {
    let inactive = query.flag("include_inactive")?;
    let all = application::list(&*services.store, &scope, inactive).await?;
    Ok(Json(all.convert()))
}

async fn update(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<id::PosTable>,
    body: Body<PosTableInputBody>,
) -> Result<Json<PosTableBody>, ApiError> {
    let (scope, input) = (scope.into_inner(), body.0.convert());
    let task = |services: Services| async move {
        application::update(&*services.store, &scope, id.0, input, &services.stamp()).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn delete(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<id::PosTable>,
) -> Result<NoContent, ApiError> {
    let scope = scope.into_inner();
    let task = |services: Services| async move {
        application::delete(&*services.store, &scope, id.0, &services.stamp()).await
    };
    services.run(task).await?;
    Ok(NoContent)
}
