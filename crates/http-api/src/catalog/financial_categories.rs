//! Financial categories.

use actix_web::web;
use racun_access::Permission::{ReadTill, WriteRecords};
use racun_billing::Feature;
use racun_catalog::{self as catalog, FinancialCategory};
use racun_kernel::id;

use super::{answered, get};
use crate::answer::{Created, Json, NoContent};
use crate::body::{AllBody, Convert, answer, input};
use crate::call::Call;
use crate::error::ApiError;
use crate::request::{Body, PathId, Query};
use crate::route::{Gate, Parameter, Route};
const TAG: &str = "Financial categories";

/// Routes of financial categories.
pub(crate) const ROUTES: &[Route] = &[
    Route::post(
        "/financial-categories",
        "createFinancialCategory",
        Gate::Entity(WriteRecords),
        || web::to(create),
    )
    .needs(Feature::FinancialCategories)
    .read_by(&["getFinancialCategory"])
    .about(TAG, "Adds a financial category.")
    .takes_with::<FinancialCategoryInputBody>(&["name"])
    .creates::<FinancialCategoryBody>(),
    Route::get("/financial-categories", "listFinancialCategories", Gate::Entity(ReadTill), || {
        web::to(list)
    })
    .about(TAG, "Lists all financial categories, by their sort order and name.")
    .reads(&[Parameter::flag(
        "include_archived",
        "True for the archived ones too; false when absent.",
    )])
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
    .needs(Feature::FinancialCategories)
    .read_by(&["getFinancialCategory"])
    .about(TAG, "Changes what is sent of a financial category.")
    .takes::<FinancialCategoryInputBody>()
    .answers::<FinancialCategoryBody>(),
    Route::delete(
        "/financial-categories/{id}",
        "archiveFinancialCategory",
        Gate::Entity(WriteRecords),
        || web::to(archive),
    )
    .needs(Feature::FinancialCategories)
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
    call: Call,
    body: Body<FinancialCategoryInputBody>,
) -> Result<Created<FinancialCategoryBody>, ApiError> {
    let input = body.0.convert();
    let task =
        call.run(|call| async move { catalog::create_financial_category(call.cx(), input).await });
    Ok(Created(task.await?.convert()))
}

async fn list(call: Call, query: Query) -> Result<Json<AllBody<FinancialCategoryBody>>, ApiError> {
    let archived = query.flag("include_archived")?;
    let all = catalog::list_financial_categories(call.cx(), archived).await?;
    Ok(Json(all.convert()))
}

async fn update(
    call: Call,
    id: PathId<id::FinancialCategory>,
    body: Body<FinancialCategoryInputBody>,
) -> Result<Json<FinancialCategoryBody>, ApiError> {
    let input = body.0.convert();
    let task =
        call.run(
            |call| async move { catalog::update_financial_category(call.cx(), id.0, input).await },
        );
    Ok(Json(task.await?.convert()))
}

async fn archive(call: Call, id: PathId<id::FinancialCategory>) -> Result<NoContent, ApiError> {
    let task =
        call.run(|call| async move { catalog::archive_financial_category(call.cx(), id.0).await });
    task.await?;
    Ok(NoContent)
}
