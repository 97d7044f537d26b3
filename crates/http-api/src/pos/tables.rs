//! Tables.

use std::collections::BTreeMap;

use actix_web::web;
use racun_access::Permission::{ReadTill, WriteRecords};
use racun_kernel::id;
use racun_pos as pos;
use racun_till::tables as application;

use crate::answer::{Created, Json, NoContent};
use crate::body::{AllBody, Convert, answer, input};
use crate::call::Call;
use crate::error::ApiError;
use crate::request::{Body, PathId, Query};
use crate::route::{Gate, Parameter, Route};
const TAG: &str = "Point of sale";

/// Routes of tables.
pub(crate) const ROUTES: &[Route] = &[
    Route::post("/pos/tables", "createPosTable", Gate::Entity(WriteRecords), || web::to(create))
        .about(TAG, "Adds a table.")
        .takes_with::<PosTableInputBody>(&["label"])
        .creates::<PosTableBody>(),
    Route::get("/pos/tables", "listPosTables", Gate::Entity(ReadTill), || web::to(list))
        .about(TAG, "Lists all tables, by their sort order and label.")
        .reads(&[Parameter::flag(
            "include_inactive",
            "True for those that are not active too; false when absent.",
        )])
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
    call: Call,
    body: Body<PosTableInputBody>,
) -> Result<Created<PosTableBody>, ApiError> {
    let input = body.0.convert();
    let task = call.run(|call| async move { application::create(call.cx(), input).await });
    Ok(Created(task.await?.convert()))
}

async fn list(call: Call, query: Query) -> Result<Json<AllBody<PosTableBody>>, ApiError> {
    let inactive = query.flag("include_inactive")?;
    let all = application::list(call.cx(), inactive).await?;
    Ok(Json(all.convert()))
}

async fn update(
    call: Call,
    id: PathId<id::PosTable>,
    body: Body<PosTableInputBody>,
) -> Result<Json<PosTableBody>, ApiError> {
    let input = body.0.convert();
    let task = call.run(|call| async move { application::update(call.cx(), id.0, input).await });
    Ok(Json(task.await?.convert()))
}

async fn delete(call: Call, id: PathId<id::PosTable>) -> Result<NoContent, ApiError> {
    let task = call.run(|call| async move { application::delete(call.cx(), id.0).await });
    task.await?;
    Ok(NoContent)
}
