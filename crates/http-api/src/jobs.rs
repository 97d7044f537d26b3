//! Routes of jobs: what is still to be done for an entity.

use actix_web::web;
use racun_access::Permission::{ReadJobs, RetryJobs};
use racun_background::jobs::{self, JOBS, Job};
use racun_kernel::id;
use racun_store::{Clause, ListQuery, Operator};
use serde::Serialize;
use utoipa::ToSchema;

use crate::answer::Json;
use crate::body::{Convert, ListBody};
use crate::call::Call;
use crate::error::ApiError;
use crate::request::{PathId, Query};
use crate::route::{Gate, LIST, Parameter, Route};
const TAG: &str = "Jobs";

/// Routes of jobs.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/jobs", "listJobs", Gate::Entity(ReadJobs), || web::to(list))
        .about(TAG, "Lists what is still to be done for the entity, and what was given up.")
        .reads(LIST)
        .reads_also(PLAIN)
        .answers::<ListBody<JobBody>>(),
    Route::post("/jobs/{id}/retry", "retryJob", Gate::Entity(RetryJobs), || web::to(retry))
        .about(TAG, "Starts a dead job again: it is due at once, with all its attempts.")
        .answers::<JobBody>(),
];

const PLAIN: &[Parameter] = &[
    Parameter::text("state", "Only jobs that are waiting, running or dead."),
    Parameter::text(
        "kind",
        "Only jobs of this kind: webhook_delivery, mail, invoice_overdue, \
         fiscal_tips, pt_report, document_export, export_expiry, order_processing, order_sync, \
         order_mail, e_invoice_enrollment, e_invoice_auto_send, e_invoice_submission, \
         recognition_backfill, subscription_collection, subscription_invoice, \
         subscription_mail.",
    ),
];

/// Something that is to be done.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Job)]
struct JobBody {
    /// Its id.
    id: String,
    /// What sort of work: `webhook_delivery`, `mail`, `fiscal_tips`, `pt_report`,
    /// `document_export`, `export_expiry`, `order_processing`, `order_sync`, `order_mail`,
    /// `e_invoice_enrollment`, `e_invoice_auto_send`, `e_invoice_submission`,
    /// `recognition_backfill`, `subscription_collection`, `subscription_invoice`,
    /// `subscription_mail`.
    kind: String,
    /// The entity it is done for.
    #[schema(required = true)]
    entity_id: Option<String>,
    /// The id of what it is about.
    subject: String,
    /// `waiting` until it is due, `running`, or `dead`: given up.
    state: String,
    /// The attempts that were begun.
    attempts: i64,
    /// After how many failed ones it is given up.
    max_attempts: i64,
    /// When it is begun next; while it runs, when its worker is taken for dead.
    #[schema(required = true)]
    due_at: Option<String>,
    /// Why the last attempt failed.
    #[schema(required = true)]
    last_error: Option<String>,
    /// When it was made.
    created_at: String,
    /// When it changed last.
    updated_at: String,
}

impl Convert<JobBody> for Job {
    fn convert(self) -> JobBody {
        JobBody {
            id: self.id.to_string(),
            kind: self.kind.name().to_owned(),
            entity_id: self.entity_id.convert(),
            subject: self.subject,
            state: self.state.name().to_owned(),
            attempts: self.attempts.into(),
            max_attempts: self.max_attempts.into(),
            due_at: self.due_at.convert(),
            last_error: self.last_error,
            created_at: self.created_at.convert(),
            updated_at: self.updated_at.convert(),
        }
    }
}

async fn list(call: Call, query: Query) -> Result<Json<ListBody<JobBody>>, ApiError> {
    let mut wanted = ListQuery::parse(&JOBS, &query.list()?)?;
    for Parameter { name, .. } in PLAIN {
        let value = query.one(name)?;
        let clause =
            |text: &str| Clause::on(&JOBS, name, Operator::In(vec![text.to_owned().into()]));
        wanted.clauses.extend(value.map(clause));
    }
    Ok(Json(jobs::list(call.cx(), wanted).await?.convert()))
}

async fn retry(call: Call, id: PathId<id::Job>) -> Result<Json<JobBody>, ApiError> {
    let task = call.run(|call| async move { jobs::retry(call.cx(), id.0).await });
    Ok(Json(task.await?.convert()))
}
