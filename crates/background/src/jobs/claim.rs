//! Leasing what is due, and ending what is leased.

use racun_kernel::{Stamp, Tenant};
use racun_store::{Clause, ListQuery, Operator, Put, Store, StoreError, Writes};
use time::{Duration, OffsetDateTime};

use super::job::{JOBS, Job, JobState};
use super::kind::JobKind;

/// The due jobs of these kinds, those first that wait longest.
fn due(kinds: &[JobKind], now: OffsetDateTime, limit: usize) -> ListQuery {
    let kinds = kinds.iter().map(|kind| kind.name().to_owned().into()).collect();
    let mut query = ListQuery { limit, ..ListQuery::due_by(&JOBS, "due_at", now.into()) };
    query.clauses.push(Clause::on(&JOBS, "kind", Operator::In(kinds)));
    query
}

/// Leases up to `limit` jobs of `kinds` that are due: begins the next attempt of each. Of two
/// workers that see the same job, one gets it. What was begun as often as it may be, and never
/// ended, is given up.
///
/// # Errors
/// The store's failure; then nothing is known to be leased, and leases run out by themselves.
pub async fn claim(
    store: &dyn Store,
    kinds: &[JobKind],
    stamp: &Stamp,
    limit: usize,
) -> Result<Vec<Job>, StoreError> {
    let now = stamp.now();
    let seen = store.page::<Job>(&JOBS, &Tenant::directory(), &due(kinds, now, limit)).await?;
    if seen.rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut unit = store.unit(Tenant::directory());
    let jobs = unit.hold_each(seen.rows.iter().map(|job| (&JOBS, job.id.to_string())));
    unit.decide(move |held| {
        let now = held.now().unwrap_or(now);
        let (mut begun, mut writes) = (Vec::new(), Writes::default());
        for before in held.all::<Job>(jobs)? {
            if before.is_due(now) {
                let after = before.clone().begin(now);
                writes = writes.update(&before, &after);
                begun.extend((after.state == JobState::Running).then_some(after));
            }
        }
        Ok((begun, writes))
    })
    .await
}

/// Why an attempt cannot be ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LeaseError {
    /// Another attempt has begun, or the job is gone: this worker was taken for dead. Its results
    /// must not be written.
    #[error("the job's lease has gone to another worker")]
    Lost,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A job that a unit holds and may end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held(Job);

/// What a unit may write of `job`, given its record that it holds by [`Job::hold`].
///
/// # Errors
/// [`LeaseError::Lost`] when the attempt that `job` was leased for is not the running one.
pub fn still_held(job: &Job, found: Option<Job>) -> Result<Held, LeaseError> {
    let now = found.ok_or(LeaseError::Lost)?;
    let is_same = now.state == JobState::Running && now.attempts == job.attempts;
    if is_same { Ok(Held(now)) } else { Err(LeaseError::Lost) }
}

impl Held {
    /// Whether it is given up when this attempt fails.
    #[must_use]
    pub const fn is_last_attempt(&self) -> bool {
        self.0.is_last_attempt()
    }

    /// It is done: its row goes.
    #[must_use]
    pub fn done(&self) -> Put {
        Put::delete(&self.0)
    }

    /// A part of it is done, and the attempt goes on: its worker has a whole lease from `now` on,
    /// and the next part may fail as often as the first one.
    #[must_use]
    pub fn prolonged(&self, now: OffsetDateTime) -> Put {
        Put::update(&self.0, &self.0.clone().prolonged(now))
    }

    /// This attempt failed with `error`. The next one is due at `due`, if there is one left; else
    /// the job is given up.
    #[must_use]
    pub fn again(&self, due: OffsetDateTime, error: &str, now: OffsetDateTime) -> Put {
        Put::update(&self.0, &self.0.clone().again(due, error, now))
    }

    /// It is not time yet: it waits until `due`, and this attempt does not count.
    #[must_use]
    pub fn later(&self, due: OffsetDateTime, now: OffsetDateTime) -> Put {
        Put::update(&self.0, &self.0.clone().later(due, now))
    }

    /// It is given up because of `error`.
    #[must_use]
    pub fn bury(&self, error: &str, now: OffsetDateTime) -> Put {
        Put::update(&self.0, &self.0.clone().bury(error, now))
    }
}

/// How an attempt ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The job is done.
    Done,
    /// The attempt failed.
    Failed {
        /// Why.
        error: String,
        /// How long to wait; `None` for as long as its kind says.
        wait: Option<Duration>,
    },
    /// No attempt can succeed.
    Hopeless {
        /// Why.
        error: String,
    },
}

/// Ends the attempt that `job` was leased for, in a unit of its own.
///
/// # Errors
/// [`LeaseError`]; then nothing is written.
pub async fn end(
    store: &dyn Store,
    job: &Job,
    ending: Ending,
    stamp: &Stamp,
) -> Result<(), LeaseError> {
    let (job, now) = (job.clone(), stamp.now());
    let mut unit = store.unit(Tenant::directory());
    let own = job.hold(&mut unit);
    unit.decide(move |held| {
        let now = held.now().unwrap_or(now);
        let held = still_held(&job, held.find(own)?)?;
        let put = match ending {
            Ending::Done => held.done(),
            Ending::Failed { error, wait } => {
                held.again(now + wait.unwrap_or(job.wait()), &error, now)
            }
            Ending::Hopeless { error } => held.bury(&error, now),
        };
        Ok(((), Writes::default().put(put)))
    })
    .await
}
