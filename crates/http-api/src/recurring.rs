//! Recurring invoices.

use std::collections::BTreeMap;

use actix_web::web;
use racun_access::Permission::{EraseRecords, ReadRecords, WriteRecords};
use racun_billing::Feature;
use racun_documents::recurrence::{self, RecurringInput, RecurringInvoice};
use racun_documents::{DocumentId, DocumentKind};
use racun_kernel::calendar::format_date;
use racun_kernel::{Issue, Issues, Metadata, Patch, id};
use racun_sales::recurring as application;
use serde::{Deserialize, Serialize};
use time::Date;
use utoipa::ToSchema;
use validator::Validate;

use crate::answer::{self, Created, Json, NoContent};
use crate::body::{Convert, ListBody, names};
use crate::body_limit::RECORD;
use crate::call::{Call, EntityCall};
use crate::error::ApiError;
use crate::request::{Body, PathId, Query};
use crate::route::{Gate, LIST, Route};
use crate::scalar::Day;
const TAG: &str = "Recurring invoices";

/// What a new recurring invoice cannot do without.
const NEEDED: &[&str] = &["document_id", "name", "frequency", "start_date"];

/// Routes of recurring invoices.
pub(crate) const ROUTES: &[Route] = &[
    Route::post(
        "/recurring-invoices",
        "createRecurringInvoice",
        Gate::Entity(WriteRecords),
        || web::to(create),
    )
    .needs(Feature::Recurring)
    .read_by(&["getRecurringInvoice"])
    .about(TAG, "Makes a schedule that makes invoices after the one that it names.")
    .takes_with::<RecurringInputBody>(NEEDED)
    .up_to(RECORD)
    .creates::<RecurringBody>(),
    Route::get("/recurring-invoices", "listRecurringInvoices", Gate::Entity(ReadRecords), || {
        web::to(list)
    })
    .about(TAG, "Lists recurring invoices.")
    .reads(LIST)
    .answers::<ListBody<RecurringBody>>(),
    Route::get(
        "/recurring-invoices/{id}",
        "getRecurringInvoice",
        Gate::Entity(ReadRecords),
        || web::to(get),
    )
    .about(TAG, "Answers a recurring invoice.")
    .answers::<RecurringBody>(),
    Route::patch(
        "/recurring-invoices/{id}",
        "updateRecurringInvoice",
        Gate::Entity(WriteRecords),
        || web::to(update),
    )
    .needs(Feature::Recurring)
    .read_by(&["getRecurringInvoice"])
    .about(TAG, "Changes what is sent of a recurring invoice; the invoice to copy stays.")
    .takes::<RecurringInputBody>()
    .up_to(RECORD)
    .answers::<RecurringBody>(),
    Route::delete(
        "/recurring-invoices/{id}",
        "deleteRecurringInvoice",
        Gate::Entity(WriteRecords),
        || web::to(trash),
    )
    .needs(Feature::Recurring)
    .about(TAG, "Moves a recurring invoice to the trash, where it makes no invoices."),
    Route::post(
        "/recurring-invoices/{id}/pause",
        "pauseRecurringInvoice",
        Gate::Entity(WriteRecords),
        || web::to(pause),
    )
    .needs(Feature::Recurring)
    .read_by(&["getRecurringInvoice"])
    .about(TAG, "Pauses an active recurring invoice.")
    .answers::<RecurringBody>(),
    Route::post(
        "/recurring-invoices/{id}/resume",
        "resumeRecurringInvoice",
        Gate::Entity(WriteRecords),
        || web::to(resume),
    )
    .needs(Feature::Recurring)
    .read_by(&["getRecurringInvoice"])
    .about(TAG, "Resumes a paused one; the runs of the days it was paused are not made.")
    .answers::<RecurringBody>(),
    Route::post(
        "/recurring-invoices/{id}/restore",
        "restoreRecurringInvoice",
        Gate::Entity(WriteRecords),
        || web::to(restore),
    )
    .needs(Feature::Recurring)
    .read_by(&["getRecurringInvoice"])
    .about(TAG, "Brings a recurring invoice back from the trash, in the status it had.")
    .answers::<RecurringBody>(),
    Route::delete(
        "/recurring-invoices/{id}/permanent",
        "permanentlyDeleteRecurringInvoice",
        Gate::Entity(EraseRecords),
        || web::to(erase),
    )
    .needs(Feature::Recurring)
    .about(TAG, "Removes a recurring invoice in the trash for good; its invoices stay."),
];

names! {
    /// How often an invoice is made, before the interval.
    FrequencyBody as RecurringFrequency of recurrence::Frequency { Daily, Weekly, Monthly, Yearly }
}
names! {
    /// Whether a recurring invoice makes invoices.
    StatusBody as RecurringStatus of recurrence::Status { Active, Paused, Completed }
}

/// What a caller says of a recurring invoice.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = RecurringInvoiceInput)]
struct RecurringInputBody {
    /// The invoice to copy, issued or a draft. Only for a new one: an update leaves it as it is.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    document_id: Patch<String>,
    /// What its owner calls it.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 255)]
    #[serde(default)]
    name: Patch<String>,
    /// How often, before the interval.
    #[schema(value_type = Option<FrequencyBody>)]
    #[serde(default)]
    frequency: Patch<FrequencyBody>,
    /// Every how many days, weeks, months or years; 1 when absent.
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 365)]
    #[serde(default)]
    interval: Patch<i64>,
    /// Weekly: 0 is Sunday, 6 is Saturday; the day of `start_date` when absent.
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 6)]
    #[serde(default)]
    day_of_week: Patch<i64>,
    /// Monthly and yearly: the day, or the last one of a month that has no such day; the day of
    /// `start_date` when absent.
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 31)]
    #[serde(default)]
    day_of_month: Patch<i64>,
    /// Yearly: the month; the month of `start_date` when absent.
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 12)]
    #[serde(default)]
    month_of_year: Patch<i64>,
    /// No invoice is of an earlier day, `YYYY-MM-DD`; the first that fits is the first.
    #[schema(value_type = Option<String>, format = Date)]
    #[serde(default)]
    start_date: Patch<Day>,
    /// No invoice is of a later day, `YYYY-MM-DD`; without end when null.
    #[schema(value_type = Option<String>, format = Date)]
    #[serde(default)]
    end_date: Patch<Day>,
    /// Whether its invoices are to be sent as they are made; false when absent. It is kept; sending
    /// comes with e-mail in a later version.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    auto_send: Patch<bool>,
    /// Whether its invoices are left as drafts; false when absent.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    create_as_draft: Patch<bool>,
    /// The e-mail address that its invoices are to go to; see `auto_send`.
    #[schema(value_type = Option<String>, max_length = 255)]
    #[serde(default)]
    send_to: Patch<String>,
    /// Days from an invoice's date to its due date; the entity's setting when absent or null.
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 3650)]
    #[serde(default)]
    payment_terms_days: Patch<i64>,
    /// Whether its owner is to be notified of what it makes; true when absent. It is stored;
    /// notices come with e-mail in a later version.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    notify_owner: Patch<bool>,
    /// Up to 50 properties of at most 250 characters; replace all there were.
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    #[serde(default)]
    metadata: Patch<BTreeMap<String, String>>,
}

impl RecurringInputBody {
    fn parse(self) -> Result<RecurringInput, Issues> {
        let mut issues = Issues::default();
        let document_id = issues.collect("document_id", self.document_id.try_map(parse_invoice));
        let metadata = issues.collect("metadata", self.metadata.try_map(Metadata::checked));
        let date = |day: Patch<Day>| day.map(|day| day.0);
        issues.into_result(RecurringInput {
            document_id: document_id.unwrap_or_default(),
            name: self.name,
            frequency: self.frequency.convert(),
            interval: self.interval,
            day_of_week: self.day_of_week,
            day_of_month: self.day_of_month,
            month_of_year: self.month_of_year,
            start_date: date(self.start_date),
            end_date: date(self.end_date),
            auto_send: self.auto_send,
            create_as_draft: self.create_as_draft,
            send_to: self.send_to,
            payment_terms_days: self.payment_terms_days,
            notify_owner: self.notify_owner,
            metadata: metadata.unwrap_or_default(),
        })
    }
}

fn parse_invoice(text: String) -> Result<DocumentId, Issues> {
    let parsed = text.parse().ok().filter(|id: &DocumentId| id.kind() == DocumentKind::Invoice);
    let message = "expected the id of an invoice, which starts with inv_";
    parsed.ok_or_else(|| Issue::new("invalid_value", message).into())
}

/// A schedule that makes invoices after a template.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RecurringInvoice)]
pub(crate) struct RecurringBody {
    /// Its id.
    id: String,
    /// Whose it is.
    entity_id: String,
    /// The invoice that is copied.
    document_id: String,
    /// What its owner calls it.
    name: String,
    /// How often, before the interval.
    frequency: FrequencyBody,
    /// Every how many days, weeks, months or years.
    interval: i64,
    /// Weekly: 0 is Sunday, 6 is Saturday.
    #[schema(required = true)]
    day_of_week: Option<i64>,
    /// Monthly and yearly: the day, or the last one of a month that has no such day.
    #[schema(required = true)]
    day_of_month: Option<i64>,
    /// Yearly: the month.
    #[schema(required = true)]
    month_of_year: Option<i64>,
    /// No invoice is of an earlier day.
    #[schema(format = Date)]
    start_date: String,
    /// No invoice is of a later day.
    #[schema(required = true, format = Date)]
    end_date: Option<String>,
    /// The day of the next invoice; null when it is completed.
    #[schema(required = true, format = Date)]
    next_run_date: Option<String>,
    /// The day of the invoice that was made last.
    #[schema(required = true, format = Date)]
    last_run_date: Option<String>,
    /// Whether it makes invoices.
    status: StatusBody,
    /// Whether its invoices are to be sent as they are made. Sending comes with e-mail in a later
    /// version.
    auto_send: bool,
    /// Whether its invoices are left as drafts.
    create_as_draft: bool,
    /// The e-mail address that its invoices are to go to.
    #[schema(required = true)]
    send_to: Option<String>,
    /// Days from an invoice's date to its due date; the entity's setting when null.
    #[schema(required = true)]
    payment_terms_days: Option<i64>,
    /// Whether its owner is to be notified of what it makes. Notices come with e-mail in a later
    /// version.
    notify_owner: bool,
    /// Invoices made so far.
    invoices_generated: i64,
    /// The invoice made last.
    #[schema(required = true)]
    last_generated_invoice_id: Option<String>,
    /// Why the last invoice could not be made; it is tried again the next day. Null when it was
    /// made.
    #[schema(required = true)]
    last_error: Option<String>,
    /// When that was.
    #[schema(required = true)]
    last_error_at: Option<String>,
    /// What the caller attached.
    metadata: BTreeMap<String, String>,
    /// Since when it is in the trash.
    #[schema(required = true)]
    deleted_at: Option<String>,
    /// When it was made.
    created_at: String,
    /// When it changed last.
    updated_at: String,
}

impl Convert<RecurringBody> for RecurringInvoice {
    fn convert(self) -> RecurringBody {
        let pattern = *self.terms.schedule.pattern();
        let date = |date: Option<Date>| date.map(format_date);
        RecurringBody {
            id: self.id.convert(),
            entity_id: self.entity_id.convert(),
            document_id: self.document_id.to_string(),
            name: self.terms.name,
            frequency: pattern.frequency.convert(),
            interval: pattern.interval,
            day_of_week: pattern.day_of_week,
            day_of_month: pattern.day_of_month,
            month_of_year: pattern.month_of_year,
            start_date: format_date(pattern.start_date),
            end_date: date(pattern.end_date),
            next_run_date: date(self.next_run_date),
            last_run_date: date(self.last_run_date),
            status: self.status.convert(),
            auto_send: self.terms.auto_send,
            create_as_draft: self.terms.create_as_draft,
            send_to: self.terms.send_to,
            payment_terms_days: self.terms.payment_terms_days,
            notify_owner: self.terms.notify_owner,
            invoices_generated: self.invoices_generated,
            last_generated_invoice_id: self.last_generated_invoice_id.map(|id| id.to_string()),
            last_error: self.last_error,
            last_error_at: self.last_error_at.convert(),
            metadata: self.terms.metadata.convert(),
            deleted_at: self.deleted_at.convert(),
            created_at: self.created_at.convert(),
            updated_at: self.updated_at.convert(),
        }
    }
}

async fn create(
    call: Call,
    body: Body<RecurringInputBody>,
) -> Result<Created<RecurringBody>, ApiError> {
    let input = body.0.parse()?;
    let task = call.run(|call| async move { application::create(call.cx(), input).await });
    Ok(Created(task.await?.convert()))
}

async fn list(call: Call, query: Query) -> Result<answer::Page, ApiError> {
    let raw = query.list()?;
    let page = call.page(|call| async move {
        let page = application::list(call.cx(), &raw).await?;
        Ok::<ListBody<RecurringBody>, _>(page.convert())
    });
    page.await
}

async fn get(
    call: Call,
    id: PathId<id::RecurringInvoice>,
) -> Result<Json<RecurringBody>, ApiError> {
    Ok(Json(application::get(call.cx(), id.0).await?.convert()))
}

async fn update(
    call: EntityCall,
    id: PathId<id::RecurringInvoice>,
    body: Body<RecurringInputBody>,
) -> Result<Json<RecurringBody>, ApiError> {
    let input = body.0.parse()?;
    let task =
        call.run(
            |call| async move { application::update(call.cx(), call.entity(), id.0, input).await },
        );
    Ok(Json(task.await?.convert()))
}

/// Declares the handler of a command that has no body and answers the recurring invoice.
macro_rules! command {
    ($name:ident) => {
        async fn $name(
            call: EntityCall,
            id: PathId<id::RecurringInvoice>,
        ) -> Result<Json<RecurringBody>, ApiError> {
            let task =
                call.run(
                    |call| async move { application::$name(call.cx(), call.entity(), id.0).await },
                );
            Ok(Json(task.await?.convert()))
        }
    };
}
command!(pause);
command!(resume);
command!(restore);

async fn trash(call: EntityCall, id: PathId<id::RecurringInvoice>) -> Result<NoContent, ApiError> {
    let task =
        call.run(|call| async move { application::trash(call.cx(), call.entity(), id.0).await });
    task.await?;
    Ok(NoContent)
}

async fn erase(call: Call, id: PathId<id::RecurringInvoice>) -> Result<NoContent, ApiError> {
    let task = call.run(|call| async move { application::erase(call.cx(), id.0).await });
    task.await?;
    Ok(NoContent)
}
