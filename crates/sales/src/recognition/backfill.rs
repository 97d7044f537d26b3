//! The job that gives documents the entries that they have not.

use std::sync::Arc;

use async_trait::async_trait;
use racun_access::{Entity, enter_as_system};
use racun_background::clock::Clock;
use racun_background::jobs::{Ending, Handler, Job, JobKind, LeaseError, NewJob, Outcome};
use racun_documents::Document;
use racun_documents::recognition::RecognitionSide;
use racun_kernel::id::AccountId;
use racun_store::{Context, Store, StoreError, Walk, Writes};
use serde::{Deserialize, Serialize};
use time::Date;

use super::Filled;
use super::filling::{FilledDays, Filling, tables};

/// Documents that are counted for one request, at most.
const MAX_COUNTED: usize = 100_000;

/// What the job has to know.
#[derive(Serialize, Deserialize)]
struct Payload {
    account_id: AccountId,
    #[serde(with = "racun_kernel::calendar::date::option")]
    from: Option<Date>,
    #[serde(with = "racun_kernel::calendar::date::option")]
    to: Option<Date>,
}

/// Counts the documents of `days`, and the entries that they are to have and have not; unless they
/// are to be counted only, puts the job that makes them.
///
/// # Errors
/// As too expensive when there are more than 100,000 documents; the store's failure.
pub async fn begin(
    cx: Context<'_>,
    entity: &Entity,
    days: FilledDays,
    is_dry: bool,
) -> Result<(Filled, Option<Job>), StoreError> {
    let filling = Filling::of(entity, RecognitionSide::Revenue, days);
    let mut filled = Filled::default();
    for table in tables() {
        let mut walk = Walk::through(table, cx.tenant(), days.query(table));
        while let Some(page) = walk.next::<Document>(cx.store).await? {
            filled.documents += page.len();
            if filled.documents > MAX_COUNTED {
                return Err(StoreError::TooExpensive);
            }
            filled.entries += filling.fill(cx, &page, None).await.map_err(|error| match error {
                LeaseError::Store(error) => error,
                lost @ LeaseError::Lost => StoreError::Unavailable(lost.to_string()),
            })?;
        }
    }
    if is_dry || filled.entries == 0 {
        return Ok((filled, None));
    }
    let payload = Payload { account_id: entity.account_id, from: days.from, to: days.to };
    let unwritten = |error: serde_json::Error| StoreError::Unavailable(error.to_string());
    let job = Job::new(
        NewJob {
            kind: JobKind::RecognitionBackfill,
            entity_id: Some(entity.id),
            subject: entity.id.to_string(),
            payload: serde_json::to_string(&payload).map_err(unwritten)?,
        },
        cx.stamp,
    );
    cx.write(Writes::default().put(job.put())).await?;
    Ok((filled, Some(job)))
}

/// Makes the entries: the handler of such jobs.
///
/// Each page of documents is one commit, in which the job's lease is lengthened. A job that begins
/// again passes over documents that have entries.
pub struct BackfillHandler {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// What time it is, and where ids come from.
    pub stamp: Clock,
}

#[async_trait]
impl Handler for BackfillHandler {
    fn kind(&self) -> JobKind {
        JobKind::RecognitionBackfill
    }

    async fn run(&self, job: &Job) -> Outcome {
        match self.fill(job).await {
            Ok(()) => Outcome::Ends(Ending::Done),
            Err(Stopped::Lease(LeaseError::Lost)) => Outcome::Ended,
            Err(Stopped::Lease(LeaseError::Store(error))) => {
                Outcome::Ends(Ending::Failed { error: error.to_string(), wait: None })
            }
            Err(Stopped::Hopeless(error)) => Outcome::Ends(Ending::Hopeless { error }),
        }
    }
}

/// Why an attempt ends before all entries are made.
enum Stopped {
    Lease(LeaseError),
    Hopeless(String),
}

impl From<StoreError> for Stopped {
    fn from(error: StoreError) -> Self {
        Self::Lease(error.into())
    }
}

impl BackfillHandler {
    async fn fill(&self, job: &Job) -> Result<(), Stopped> {
        let unreadable = || Stopped::Hopeless("the job names no documents".to_owned());
        let entity_id = job.entity_id.ok_or_else(unreadable)?;
        let payload: Payload = serde_json::from_str(&job.payload).map_err(|_| unreadable())?;
        let entered = enter_as_system(&*self.store, payload.account_id, entity_id).await;
        let (scope, entity) = entered.map_err(|error| match error {
            racun_access::AccessError::Store(error) => error.into(),
            other => Stopped::Hopeless(other.to_string()),
        })?;
        let days = FilledDays { from: payload.from, to: payload.to };
        let filling = Filling::of(&entity, RecognitionSide::Revenue, days);
        for table in tables() {
            let mut walk = Walk::through(table, scope.tenant(), days.query(table));
            while let Some(page) = walk.next::<Document>(&*self.store).await? {
                let stamp = (self.stamp)();
                let cx = Context::new(&*self.store, &scope, &stamp);
                filling.fill(cx, &page, Some(job)).await.map_err(Stopped::Lease)?;
            }
        }
        Ok(())
    }
}
