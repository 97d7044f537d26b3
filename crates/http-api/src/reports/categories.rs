//! Revenue by financial category.

use actix_web::web;
use racun_access::Permission::ReadRecords;
use racun_catalog::FinancialCategory;
use racun_insights::CategoryRevenue;
use racun_kernel::{Decimal, Issues};
use racun_reporting::categories::revenue;
use serde::Serialize;
use utoipa::ToSchema;

use super::day;
use crate::answer::Json;
use crate::body::AllBody;
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::request::Query;
use crate::route::{Gate, Parameter, Route};
use crate::schema::number;

/// Routes of sums by category, before the paths in which an id stands where this says
/// `revenue-summary`.
pub(crate) const ROUTES: &[Route] = &[Route::get(
    "/financial-categories/revenue-summary",
    "getRevenueByCategory",
    Gate::Entity(ReadRecords),
    || web::to(summary),
)
.about("Financial categories", "Answers the revenue of lines by their financial category.")
.explained(
    "Lines of issued invoices, less those of credit notes, by the dates of their documents, \
     whenever they are paid, in each currency. Voided documents do not count.",
)
.long()
.reads(&[
    Parameter::day("date_from", "The first day; from the first document on when absent."),
    Parameter::day("date_to", "The last day; up to the last document when absent."),
])
.answers::<AllBody<CategoryRevenueBody>>()];

/// What a category comes to in a currency.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CategoryRevenue)]
struct CategoryRevenueBody {
    /// The category; null for lines that name none.
    #[schema(required = true)]
    financial_category_id: Option<String>,
    /// Its name.
    #[schema(required = true)]
    name: Option<String>,
    /// Its colour.
    #[schema(required = true)]
    color: Option<String>,
    /// The currency of the documents.
    currency_code: String,
    /// Before tax.
    #[schema(schema_with = number)]
    total: Decimal,
    /// With tax.
    #[schema(schema_with = number)]
    total_with_tax: Decimal,
    /// Documents that have lines of it.
    count: usize,
}

fn body((sum, category): (CategoryRevenue, Option<FinancialCategory>)) -> CategoryRevenueBody {
    let (name, color) = category.map_or((None, None), |one| (Some(one.name), one.color));
    CategoryRevenueBody {
        financial_category_id: sum.category,
        name,
        color,
        currency_code: sum.currency.to_string(),
        total: sum.total,
        total_with_tax: sum.total_with_tax,
        count: sum.count,
    }
}

async fn summary(
    call: EntityCall,
    query: Query,
) -> Result<Json<AllBody<CategoryRevenueBody>>, ApiError> {
    let mut issues = Issues::default();
    let from = day(&query, "date_from", &mut issues)?;
    let to = day(&query, "date_to", &mut issues)?;
    issues.into_result(())?;
    let rows = revenue(call.cx(), from, to).await?;
    Ok(Json(AllBody::of(rows.into_iter().map(body).collect())))
}
