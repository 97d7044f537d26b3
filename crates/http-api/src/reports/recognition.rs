//! Revenue and cost over time: settings, the report, and entries of earlier documents.

use actix_web::web;
use racun_access::Permission::{ManageEntity, ReadEntity, ReadRecords};
use racun_documents::recognition::{RecognitionDefault, RecognitionSide};
use racun_insights::RecognitionRow;
use racun_kernel::spelling::suggestion;
use racun_kernel::{Currency, Decimal, Issue};
use racun_reporting::recognition::{self, Basis, RecognitionQuery};
use racun_sales::recognition::{
    Filled, FilledDays, MAX_FILLED_AT_ONCE, begin, change_default, default_of, fill_expenses,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use super::days;
use crate::answer::Json;
use crate::body::{Convert, names};
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::request::{Body, MaybeBody, Query};
use crate::route::{Gate, Parameter, Route};
use crate::scalar::Day;
use crate::schema::number;

const TAG: &str = "Revenue recognition";

const REPORT: &[Parameter] = &[
    Parameter::day("date_from", "The first day. Required."),
    Parameter::day("date_to", "The last day; ten years after the first at most. Required."),
    Parameter::text(
        "basis",
        "Only months in which something is `recognized`, `deferred` or `accrued`; all when absent.",
    ),
    Parameter::text(
        "group_by",
        "What lines are grouped by: `document_id`, `document_type`, `customer_id` (of expenses \
         `supplier_id`), `item_id`, `financial_category_id`, `business_unit_id`, \
         `classification` or `transaction_type`.",
    ),
];

const MEANING: &str = "By month, group and currency: what lines recognise in the month, as far as \
                       it is in the days of the report, and what of them is deferred (invoiced and \
                       not recognised yet) and accrued (recognised and not invoiced yet) at its \
                       end. Lines count that are spread over days of service; credit notes are \
                       below zero, and take back on their own date what was recognised by then, as \
                       voiding does.";

/// Routes of revenue and cost over time.
pub(crate) const ROUTES: &[Route] = &[
    settings("/revenue-recognition/settings", "getRevenueRecognitionSettings", || {
        web::to(revenue_settings)
    })
    .about(TAG, "Answers how revenue is recognised of lines that do not say it."),
    change("/revenue-recognition/settings", "updateRevenueRecognitionSettings", || {
        web::to(change_revenue_settings)
    })
    .about(TAG, "Changes how revenue is recognised of lines that do not say it, from now on.")
    .read_by(&["getRevenueRecognitionSettings"]),
    report("/revenue-recognition/report", "getRevenueRecognitionReport", || web::to(revenue))
        .about(TAG, "Answers what revenue is recognised, deferred and accrued."),
    Route::post(
        "/revenue-recognition/backfill",
        "backfillRevenueRecognition",
        Gate::Entity(ManageEntity),
        || web::to(backfill_revenue),
    )
    .about(TAG, "Spreads the revenue of earlier documents over their days of service.")
    .explained(
        "Issued invoices and credit notes of these days that have no entries get those that they \
         would get if they were issued now. The answer counts them; unless `dry_run` is set, a \
         worker makes them, as the job `job_id`. What has entries stays as it is.",
    )
    .takes::<BackfillBody>()
    .tells::<BackfilledBody>(),
    settings("/expense-recognition/settings", "getExpenseRecognitionSettings", || {
        web::to(expense_settings)
    })
    .about(TAG, "Answers how cost is recognised of items that do not say it."),
    change("/expense-recognition/settings", "updateExpenseRecognitionSettings", || {
        web::to(change_expense_settings)
    })
    .about(TAG, "Changes how cost is recognised of items that do not say it, from now on.")
    .read_by(&["getExpenseRecognitionSettings"]),
    report("/expense-recognition/report", "getExpenseRecognitionReport", || web::to(expenses))
        .about(TAG, "Answers what cost is recognised, deferred and accrued."),
    Route::post(
        "/expense-recognition/backfill",
        "backfillExpenseRecognition",
        Gate::Entity(ManageEntity),
        || web::to(backfill_expenses),
    )
    .about(TAG, "Spreads the cost of earlier expenses over their days of service, page by page.")
    .explained(
        "Expenses in the books of these days that have no entries get those that they would get \
         if they were entered now, `limit` of them at once; `cursor` of the answer names the next \
         ones, and is null at the end. With `dry_run` they are counted only.",
    )
    .takes::<PagedBackfillBody>()
    .tells::<PageBackfilledBody>(),
];

const fn settings(path: &'static str, name: &'static str, to: fn() -> actix_web::Route) -> Route {
    Route::get(path, name, Gate::Entity(ReadEntity), to).answers::<SettingsBody>()
}

const fn change(path: &'static str, name: &'static str, to: fn() -> actix_web::Route) -> Route {
    Route::patch(path, name, Gate::Entity(ManageEntity), to)
        .takes::<SettingsInput>()
        .answers::<SettingsBody>()
}

const fn report(path: &'static str, name: &'static str, to: fn() -> actix_web::Route) -> Route {
    Route::get(path, name, Gate::Entity(ReadRecords), to)
        .explained(MEANING)
        .long()
        .reads(REPORT)
        .answers::<ReportBody>()
}

names! {
    /// What becomes of lines that do not say when they are recognised.
    DefaultBody as RecognitionDefault of RecognitionDefault { Off, ServicePeriodDaily }
}

/// How lines are recognised that do not say it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RecognitionSettings)]
struct SettingsBody {
    /// `off`: on the date of their document; `service_period_daily`: over the days of service that
    /// their document names.
    default_method: DefaultBody,
}

/// How lines are recognised that do not say it.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = RecognitionSettingsInput)]
struct SettingsInput {
    /// As it is answered; what is absent stays.
    default_method: Option<DefaultBody>,
}

/// Revenue or cost over time.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RecognitionReport)]
struct ReportBody {
    /// By month, group and currency.
    periods: Vec<PeriodBody>,
}

/// A month of a group in a currency.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RecognitionPeriod)]
struct PeriodBody {
    /// The month: `2026-11`.
    period: String,
    /// What the lines have in common by `group_by`; null where nothing is grouped, and where they
    /// have none.
    #[schema(required = true)]
    group: Option<String>,
    /// Recognised in the month.
    #[schema(schema_with = number)]
    recognized: Decimal,
    /// Invoiced and not recognised yet at its end.
    #[schema(schema_with = number)]
    deferred: Decimal,
    /// Recognised and not invoiced yet at its end.
    #[schema(schema_with = number)]
    accrued: Decimal,
    /// The currency of the documents.
    currency_code: String,
}

/// Which documents are looked at.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = RecognitionBackfill)]
struct BackfillBody {
    /// The first date of documents; from the first one on when absent.
    #[schema(value_type = Option<String>)]
    date_from: Option<Day>,
    /// The last date of documents; up to the last one when absent.
    #[schema(value_type = Option<String>)]
    date_to: Option<Day>,
    /// Whether entries are only counted; false when absent.
    #[serde(default)]
    dry_run: bool,
}

/// Which expenses are looked at.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = ExpenseRecognitionBackfill)]
struct PagedBackfillBody {
    /// The first date of expenses; from the first one on when absent.
    #[schema(value_type = Option<String>)]
    date_from: Option<Day>,
    /// The last date of expenses; up to the last one when absent.
    #[schema(value_type = Option<String>)]
    date_to: Option<Day>,
    /// Whether entries are only counted; false when absent.
    #[serde(default)]
    dry_run: bool,
    /// Where the page begins: `cursor` of the answer before.
    cursor: Option<String>,
    /// Expenses of the page, 1 to 100; 100 when absent.
    #[schema(minimum = 1, maximum = 100)]
    limit: Option<i64>,
}

/// What was looked at, and the entries that it gets.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RecognitionBackfilled)]
struct BackfilledBody {
    /// Documents that were looked at.
    processed_documents: usize,
    /// Entries that they get.
    generated_entries: usize,
    /// Whether they were only counted.
    dry_run: bool,
    /// The job that makes them; null where there is nothing to make.
    #[schema(required = true)]
    job_id: Option<String>,
}

/// What was looked at, and the entries that it got.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExpenseRecognitionBackfilled)]
struct PageBackfilledBody {
    /// Expenses that were looked at.
    processed_documents: usize,
    /// Entries that they got, or would get.
    generated_entries: usize,
    /// Whether they were only counted.
    dry_run: bool,
    /// Where the next page begins; null when there is none.
    #[schema(required = true)]
    cursor: Option<String>,
}

fn settings_of(call: &EntityCall, side: RecognitionSide) -> Json<SettingsBody> {
    Json(SettingsBody { default_method: default_of(call.entity(), side).convert() })
}

async fn revenue_settings(call: EntityCall) -> Json<SettingsBody> {
    settings_of(&call, RecognitionSide::Revenue)
}

async fn expense_settings(call: EntityCall) -> Json<SettingsBody> {
    settings_of(&call, RecognitionSide::Expense)
}

async fn changed(
    call: EntityCall,
    side: RecognitionSide,
    sent: SettingsInput,
) -> Result<Json<SettingsBody>, ApiError> {
    let wanted = sent.default_method.convert();
    let task = call.run(|call| async move { change_default(call.cx(), side, wanted).await });
    Ok(Json(SettingsBody { default_method: task.await?.convert() }))
}

async fn change_revenue_settings(
    call: EntityCall,
    body: Body<SettingsInput>,
) -> Result<Json<SettingsBody>, ApiError> {
    changed(call, RecognitionSide::Revenue, body.0).await
}

async fn change_expense_settings(
    call: EntityCall,
    body: Body<SettingsInput>,
) -> Result<Json<SettingsBody>, ApiError> {
    changed(call, RecognitionSide::Expense, body.0).await
}

async fn revenue(call: EntityCall, query: Query) -> Result<Json<ReportBody>, ApiError> {
    reported(call, query, RecognitionSide::Revenue).await
}

async fn expenses(call: EntityCall, query: Query) -> Result<Json<ReportBody>, ApiError> {
    reported(call, query, RecognitionSide::Expense).await
}

async fn reported(
    call: EntityCall,
    query: Query,
    side: RecognitionSide,
) -> Result<Json<ReportBody>, ApiError> {
    let (from, to) = days(&query)?;
    let basis = query.one("basis")?.map(basis).transpose()?;
    let group_by = query.one("group_by")?.map(str::to_owned);
    let query = RecognitionQuery { side, from, to, basis, group_by };
    let rows = recognition::recognition(call.cx(), &query).await?;
    let period = |row: RecognitionRow| PeriodBody {
        period: row.period,
        group: row.group,
        recognized: row.recognized,
        deferred: row.deferred,
        accrued: row.accrued,
        currency_code: code(row.currency),
    };
    Ok(Json(ReportBody { periods: rows.into_iter().map(period).collect() }))
}

fn code(currency: Currency) -> String {
    currency.to_string()
}

fn basis(name: &str) -> Result<Basis, Issue> {
    let found = Basis::ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, basis)| *basis).ok_or_else(|| {
        let known = Basis::ALL.map(|(known, _)| known);
        let advice = suggestion(name, &known).map_or_else(
            || format!("expected one of {}", known.join(", ")),
            |near| format!("did you mean {near:?}?"),
        );
        Issue::new("invalid_value", advice).at("basis")
    })
}

/// The days of a backfill.
fn filled_days(from: Option<Day>, to: Option<Day>) -> Result<FilledDays, Issue> {
    let days = FilledDays { from: from.map(|day| day.0), to: to.map(|day| day.0) };
    match days.from.zip(days.to) {
        Some((from, to)) if to < from => {
            let message = format!("must not be before date_from, {from}");
            Err(Issue::new("invalid_period", message).at("date_to"))
        }
        _ => Ok(days),
    }
}

async fn backfill_revenue(
    call: EntityCall,
    body: MaybeBody<BackfillBody>,
) -> Result<Json<BackfilledBody>, ApiError> {
    let BackfillBody { date_from, date_to, dry_run } = body.0;
    let days = filled_days(date_from, date_to)?;
    let task = call.run(|call| async move { begin(call.cx(), call.entity(), days, dry_run).await });
    let (Filled { documents, entries, .. }, job) = task.await?;
    Ok(Json(BackfilledBody {
        processed_documents: documents,
        generated_entries: entries,
        dry_run,
        job_id: job.map(|job| job.id.to_string()),
    }))
}

async fn backfill_expenses(
    call: EntityCall,
    body: MaybeBody<PagedBackfillBody>,
) -> Result<Json<PageBackfilledBody>, ApiError> {
    let PagedBackfillBody { date_from, date_to, dry_run, cursor, limit } = body.0;
    let days = filled_days(date_from, date_to)?;
    let most = MAX_FILLED_AT_ONCE;
    let within = |limit: i64| usize::try_from(limit).ok().filter(|n| (1..=most).contains(n));
    let limit = limit
        .map_or(Some(most), within)
        .ok_or_else(|| Issue::new("out_of_range", format!("expected 1 to {most}")).at("limit"))?;
    let task = call.run(|call| async move {
        fill_expenses(call.cx(), call.entity(), days, (cursor, limit), dry_run).await
    });
    let Filled { documents, entries, cursor } = task.await?;
    Ok(Json(PageBackfilledBody {
        processed_documents: documents,
        generated_entries: entries,
        dry_run,
        cursor,
    }))
}
