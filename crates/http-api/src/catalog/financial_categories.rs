//! Financial categories.

use actix_web::web::{self, Data, Json, ReqData};
use racun_access::Permission::{ReadTill, WriteRecords};
use racun_catalog::{self as catalog, FinancialCategory};
use racun_kernel::{Scope, id};

use super::{answered, get};
use crate::answer::{Created, NoContent};
use crate::body::{AllBody, Convert, answer, input};
use crate::error::ApiError;
use crate::request::{Body, PathId, Query};
use crate::route::{Gate, Parameter, ParameterKind, Route};
use crate::services::Services;

const TAG: &str = "Financial categories";

/// Routes of financial categories.
pub(crate) const ROUTES: &[Route] = &[
    Route::post(
        "/financial-categories",
        "createFinancialCategory",
        Gate::Entity(WriteRecords),
        || web::to(create),
    )
    .about(TAG, "Adds a financial category.")
    .takes_with::<FinancialCategoryInputBody>(&["name"])
    .creates::<FinancialCategoryBody>(),
    Route::get("/financial-categories", "listFinancialCategories", Gate::Entity(ReadTill), || {
        web::to(list)
    })
    .about(TAG, "Lists all financial categories, by their sort order and name.")
    .reads(&[Parameter {
        name: "include_archived",
        meaning: "True for the archived ones too; false when absent.",
        kind: ParameterKind::Flag,
    }])
    .answers::<AllBody<FinancialCategoryBody>>(),
    Route::get(
        "/financial-categories/{id}",
        "getFinancialCategory",
        Gate::Entity(ReadTill),
        || web::to(get::<FinancialCategory>),
    )
    .about(TAG, "Answers a financial category.")
    .answers::<FinancialCategoryBody>(),
    Route::patch(
        "/financial-categories/{id}",
        "updateFinancialCategory",
        Gate::Entity(WriteRecords),
        || web::to(update),
    )
    .about(TAG, "Changes what is sent of a financial category.")
    .takes::<FinancialCategoryInputBody>()
    .answers::<FinancialCategoryBody>(),
    Route::delete(
        "/financial-categories/{id}",
        "archiveFinancialCategory",
        Gate::Entity(WriteRecords),
        || web::to(archive),
    )
    .about(TAG, "Archives a financial category."),
];

input! {
    /// What a caller says of a financial category.
    FinancialCategoryInputBody as FinancialCategoryInput into catalog::FinancialCategoryInput {
        /// 1 to 200 characters.
        name: String,
        /// The colour it is shown in.
        color: String,
        /// Its place in lists: smallest first; 0 when absent.
        sort_order: i32,
    }
}

answer! {
    /// A financial category.
    FinancialCategoryBody as FinancialCategory from FinancialCategory {
        /// Its id.
        id: String,
        /// Whose category.
        entity_id: String,
        /// Its name.
        name: String,
        /// The colour it is shown in.
        color: Option<String>,
        /// Its place in lists: smallest first.
        sort_order: i32,
        /// Since when it is archived.
        archived_at: Option<String>,
        /// When it was made.
        created_at: String,
        /// When it changed last.
        updated_at: String,
    }
}

answered!(FinancialCategory, FinancialCategoryBody);

async fn create(
    services: Data<Services>,
    scope: ReqData<Scope>,
    body: Body<FinancialCategoryInputBody>,
) -> Result<Created<FinancialCategoryBody>, ApiError> {
    let (scope, input) = (scope.into_inner(), body.0.convert());
    let task = |services: Services| async move {
        catalog::create_financial_category(&*services.store, &scope, input, &services.stamp()).await
    };
    Ok(Created(services.run(task).await?.convert()))
}

async fn list(
    services: Data<Services>,
    scope: ReqData<Scope>,
    query: Query,
) -> Result<Json<AllBody<FinancialCategoryBody>>, ApiError> {
    let archived = query.flag("include_archived")?;
    let all = catalog::list_financial_categories(&*services.store, &scope, archived).await?;
    Ok(Json(all.convert()))
}

async fn update(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<id::FinancialCategory>,
    body: Body<FinancialCategoryInputBody>,
) -> Result<Json<FinancialCategoryBody>, ApiError> {
    let (scope, input) = (scope.into_inner(), body.0.convert());
    let task = |services: Services| async move {
        let stamp = services.stamp();
        catalog::update_financial_category(&*services.store, &scope, id.0, input, &stamp).await
    };
    Ok(Json(services.run(task).await?.convert()))
}

async fn archive(
    services: Data<Services>,
    scope: ReqData<Scope>,
    id: PathId<id::FinancialCategory>,
) -> Result<NoContent, ApiError> {
    let scope = scope.into_inner();
    let task = |services: Services| async move {
        let stamp = services.stamp();
        catalog::archive_financial_category(&*services.store, &scope, id.0, &stamp).await
    };
    services.run(task).await?;
    Ok(NoContent)
}
