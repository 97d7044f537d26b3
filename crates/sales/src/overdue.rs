//! Invoices whose due date has passed: one event for each.
//!
//! A reader of the log leaves a job for each invoice that may become overdue, due when its date has
//! passed. The job looks at the invoice as it is then: it may be paid, voided, or due at another
//! day. What was told is noted, in the commit that says it.

use std::sync::Arc;

use async_trait::async_trait;
use racun_background::clock::Clock;
use racun_background::consumer::LogConsumer;
use racun_background::jobs::{
    Ending, Handler, Job, JobKind, LeaseError, NewJob, Outcome, still_held,
};
use racun_documents::events::invoice;
use racun_documents::{Document, DocumentId, DocumentKind, Stage};
use racun_kernel::id::EntityId;
use racun_kernel::{Decimal, Stamp, Tenant};
use racun_settlement::events::payment;
use racun_store::{
    Activity, Entry, Event, EventKind, Field, Logged, Put, Store, StoreError, Writes,
};
use serde::{Deserialize, Serialize};
use time::macros::time;
use time::{Date, OffsetDateTime};

racun_store::record! {
    /// Where [`OverdueNotice`]s are kept.
    pub static OVERDUE_NOTICES: OverdueNotice = "overdue_notices";
    |notice|
    id: notice_id(&notice.document_id.to_string()),
    tenant: Tenant::entity(notice.entity_id),
    fields: {
        Field::id() => notice.id(),
        Field::instant("created_at") => notice.created_at,
    }
}

/// That an invoice was told to be overdue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverdueNotice {
    /// Which invoice.
    pub document_id: DocumentId,
    /// Whose.
    pub entity_id: EntityId,
    /// The due date that had passed.
    #[serde(with = "racun_kernel::calendar::date")]
    pub date_due: Date,
    /// When it was told.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// The id of the notice about the invoice `id`: not the invoice's own, by which entries of the log
/// find their record.
fn notice_id(id: &str) -> String {
    format!("overdue/{id}")
}

/// When `date` has passed wherever an entity is: in the last zone, twelve hours behind UTC.
fn passed(date: Date) -> OffsetDateTime {
    date.next_day().unwrap_or(date).with_time(time!(12:00)).assume_utc()
}

/// The day `due` by which money is still to come for an invoice in `stage`, of which `paid` of
/// `total` is paid. What is issued is never deleted.
fn awaited(stage: &Stage, due: Option<Date>, total: &Decimal, paid: &Decimal) -> Option<Date> {
    due.filter(|_| matches!(stage, Stage::Issued(_)) && paid < total)
}

/// What of an invoice is read here. The rest is passed over.
#[derive(Deserialize)]
struct IssuedInvoice {
    id: String,
    stage: Stage,
    content: Terms,
    amounts: Owed,
}

/// When it is due.
#[derive(Deserialize)]
struct Terms {
    #[serde(with = "racun_kernel::calendar::date::option")]
    date_due: Option<Date>,
}

/// What of it is open.
#[derive(Deserialize)]
struct Owed {
    total_with_tax: Decimal,
    total_paid: Decimal,
}

impl IssuedInvoice {
    /// The day by which money is still to come for it.
    fn awaited(&self) -> Option<Date> {
        let Owed { total_with_tax, total_paid } = &self.amounts;
        awaited(&self.stage, self.content.date_due, total_with_tax, total_paid)
    }
}

/// Leaves a job for each invoice that may become overdue.
pub struct OverdueReader {
    /// Where invoices and payments are as they were left.
    pub store: Arc<dyn Store>,
    /// What time it is, and where ids come from.
    pub stamp: Clock,
}

/// What of a payment is read here.
#[derive(Deserialize)]
struct PaidInvoice {
    invoice_id: Option<String>,
}

/// Finds in an entry and its snapshot the invoice that may be overdue from some moment on, and that
/// moment.
type Candidate = fn(&Activity, &str) -> Option<(String, OffsetDateTime)>;

/// What is looked for in entries of `kind`, if anything.
fn candidate(kind: &str) -> Option<Candidate> {
    let is_one_of = |kinds: &[EventKind]| kinds.iter().any(|known| *known == kind);
    if is_one_of(&[invoice::FINALIZED, invoice::UPDATED]) {
        return Some(|_, body| {
            let invoice: IssuedInvoice = serde_json::from_str(body).ok()?;
            let due = passed(invoice.awaited()?);
            Some((invoice.id, due))
        });
    }
    // What it paid may be open again; the job finds out.
    is_one_of(&[payment::DELETED]).then_some(|activity, body| {
        let payment: PaidInvoice = serde_json::from_str(body).ok()?;
        Some((payment.invoice_id?, activity.created_at))
    })
}

#[async_trait]
impl LogConsumer for OverdueReader {
    fn name(&self) -> &'static str {
        "overdue"
    }

    async fn handle(&self, mut entries: Vec<Entry>) -> Result<Vec<Put>, StoreError> {
        entries.retain(|entry| candidate(&entry.activity.kind).is_some());
        let stamp = (self.stamp)();
        let job = |logged: &Logged| {
            let found = candidate(&logged.activity.kind)?;
            let (subject, due) = found(&logged.activity, logged.snapshot.as_deref()?)?;
            // Admins need not watch these jobs: the entity has no part in them.
            let payload = logged.activity.tenant.as_str().to_owned();
            let new = NewJob { kind: JobKind::InvoiceOverdue, entity_id: None, subject, payload };
            Some(Job::new(new, &stamp).due(due).put())
        };
        Ok(self.store.recall(entries).await?.iter().filter_map(job).collect())
    }
}

/// Tells of invoices that are overdue.
pub struct OverdueHandler {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// What time it is, and where ids come from.
    pub stamp: Clock,
}

#[async_trait]
impl Handler for OverdueHandler {
    fn kind(&self) -> JobKind {
        JobKind::InvoiceOverdue
    }

    async fn run(&self, job: &Job) -> Outcome {
        match tell(&*self.store, job, (self.stamp)()).await {
            // Another worker has the job.
            Ok(()) | Err(LeaseError::Lost) => Outcome::Ended,
            Err(LeaseError::Store(error)) => {
                Outcome::Ends(Ending::Failed { error: error.to_string(), wait: None })
            }
        }
    }
}

/// Looks at the invoice that `job` is about and says, once, that it is overdue, if it is. The job
/// ends in the same commit, or waits for the invoice's other day.
async fn tell(store: &dyn Store, job: &Job, stamp: Stamp) -> Result<(), LeaseError> {
    let ids = job.payload.parse::<EntityId>().ok().zip(job.subject.parse::<DocumentId>().ok());
    let Some((entity_id, id)) = ids else {
        let reason = "a job names no invoice".to_owned();
        return Err(StoreError::Unavailable(reason).into());
    };
    let tenant = Tenant::entity(entity_id);
    let table = racun_documents::table_of(DocumentKind::Invoice);
    let job = job.clone();
    let mut unit = store.unit(tenant.clone());
    let own = job.hold(&mut unit);
    let invoice = unit.hold::<Document>(table, id);
    let notice = unit.hold::<OverdueNotice>(&OVERDUE_NOTICES, notice_id(&id.to_string()));
    unit.decide(move |unit| {
        let held = still_held(&job, unit.find(own)?)?;
        let (invoice, notice) = (unit.find(invoice)?, unit.find(notice)?);
        let untold = invoice.filter(|_| notice.is_none());
        let due = untold.and_then(|Document { stage, content, amounts, .. }| {
            awaited(&stage, content.date_due, &amounts.total_with_tax, &amounts.total_paid)
        });
        let writes = Writes::default();
        Ok((
            (),
            match due {
                Some(date_due) if stamp.now() >= passed(date_due) => {
                    let created_at = stamp.now();
                    let notice = OverdueNotice { document_id: id, entity_id, date_due, created_at };
                    let (subject, actor) = (id.to_string(), "cron".to_owned());
                    let event = Event::new(tenant, invoice::OVERDUE, subject, actor, &stamp);
                    writes.insert(&notice).put(held.done()).events([event])
                }
                Some(date_due) => writes.put(held.later(passed(date_due), stamp.now())),
                None => writes.put(held.done()),
            },
        ))
    })
    .await
}
