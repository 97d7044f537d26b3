//! Running one job by its handler.

use std::panic::AssertUnwindSafe;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use racun_kernel::Stamp;
use racun_store::Store;

use super::claim::{Ending, LeaseError, end};
use super::job::Job;
use super::kind::JobKind;

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The attempt is to end so.
    Ends(Ending),
    /// The handler has ended it, in the commit of what it did.
    Ended,
}

/// What performs the jobs of a kind.
#[async_trait]
pub trait Handler: Send + Sync {
    /// Which jobs.
    fn kind(&self) -> JobKind;

    /// Makes one attempt. It may be made again although it succeeded, when the process dies before
    /// that is written; and it is dropped when the process stops.
    async fn run(&self, job: &Job) -> Outcome;
}

/// Makes the attempt that `job` was leased for, and ends it. A handler that panics has failed.
/// Answers how it ended; `None` when the handler saw to that.
///
/// # Errors
/// [`LeaseError`]; then the job is found again when its lease runs out.
pub async fn perform(
    store: &dyn Store,
    handler: &dyn Handler,
    job: &Job,
    stamp: &(dyn Fn() -> Stamp + Sync),
) -> Result<Option<Ending>, LeaseError> {
    let outcome = AssertUnwindSafe(handler.run(job)).catch_unwind().await;
    let panicked = || Ending::Failed { error: "the handler panicked".to_owned(), wait: None };
    let ending = match outcome {
        Ok(Outcome::Ended) => return Ok(None),
        Ok(Outcome::Ends(ending)) => ending,
        Err(_) => panicked(),
    };
    end(store, job, ending.clone(), &stamp()).await?;
    Ok(Some(ending))
}
