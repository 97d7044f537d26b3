//! What admins see of their entity's jobs, and starting anew what was given up.

use racun_kernel::id::JobId;
use racun_kernel::{
    Clause, Context, Event, ListQuery, Operator, Page, Put, StoreError, Tenant, Value, Writes,
};

use super::job::{JOBS, Job, JobState};

/// Why a job is not shown or started anew.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// The entity has no such job.
    #[error("there is no job {id} here; it may be done")]
    NotFound {
        /// The id that was asked for.
        id: String,
    },
    /// It was not given up.
    #[error("the job is not dead; only dead jobs are started anew")]
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

/// Starts a dead job of the entity anew: it is due at once and has all its attempts.
///
/// # Errors
/// [`JobError`]; then nothing changes.
pub async fn retry(cx: Context<'_>, id: JobId) -> Result<Job, JobError> {
    let (scope, stamp, id) = (cx.scope.clone(), cx.stamp.clone(), id.to_string());
    let load =
        racun_kernel::Load::One { table: &JOBS, tenant: Tenant::directory(), id: id.clone() };
    cx.store
        .decide(vec![load], None, move |loaded| {
            let row = loaded.rows.into_iter().flatten().next();
            let before: Option<Job> = row.map(|row| row.read(&JOBS)).transpose()?;
            let is_own = |job: &Job| job.entity_id == Some(scope.entity());
            let Some(before) = before.filter(is_own) else {
                return Err(JobError::NotFound { id });
            };
            if before.state != JobState::Dead {
                return Err(JobError::NotDead);
            }
            let after = before.clone().revived(stamp.now());
            let actor = scope.principal().id();
            let event = Event::new(scope.tenant(), "job.retried", id, actor, &stamp);
            let puts = vec![Put::update(&before, &after)];
            Ok((after, Writes { puts, events: vec![event], ..Writes::default() }))
        })
        .await
}
