//! What admins see of their entity's jobs, and restarting those that were given up.

use racun_kernel::Tenant;
use racun_kernel::id::JobId;
use racun_store::{Clause, Context, ListQuery, Operator, Page, StoreError, Value, Writes};

use super::events;
use super::job::{JOBS, Job, JobState};

/// Why a job is not shown or restarted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// The entity has no such job.
    #[error("there is no job {id} here; it may be done")]
    NotFound {
        /// The id that was asked for.
        id: String,
    },
    /// It was not given up.
    #[error("the job is not dead; only dead jobs are started again")]
    NotDead,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The jobs of the entity that are not done. `query` is one over [`JOBS`].
///
/// # Errors
/// The store's failure.
pub async fn list(cx: Context<'_>, mut query: ListQuery) -> Result<Page<Job>, StoreError> {
    let entity = Value::from(cx.scope.entity().to_string());
    query.clauses.push(Clause::on(&JOBS, "entity_id", Operator::In(vec![entity])));
    cx.store.page(&JOBS, &Tenant::directory(), &query).await
}

/// Restarts a dead job of the entity: it is due at once and has all its attempts.
///
/// # Errors
/// [`JobError`]; then nothing changes.
pub async fn retry(cx: Context<'_>, id: JobId) -> Result<Job, JobError> {
    let mut unit = cx.unit();
    let job = unit.hold_of(Tenant::directory(), &JOBS, id);
    unit.decide(move |held| {
        let actor = held.actor();
        let found: Option<Job> = held.find(job)?;
        let own = found.filter(|job| job.entity_id == Some(actor.entity_id()));
        let before = own.ok_or_else(|| JobError::NotFound { id: id.to_string() })?;
        if before.state != JobState::Dead {
            return Err(JobError::NotDead);
        }
        let after = before.clone().revived(actor.now());
        let writes = Writes::default().update(&before, &after);
        Ok((after, writes.events([actor.event(events::job::RETRIED, id)])))
    })
    .await
}
