//! The process: what it is, and the threads that it has beside those that serve requests.

use std::future::Future;
use std::num::NonZero;
use std::sync::LazyLock;
use std::time::Instant;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tracing::Instrument as _;

use crate::error::ApiError;

/// What a process is, and the runtime that use cases run on.
#[derive(Debug, Clone)]
pub struct Process {
    /// The version that `GET /health` answers.
    pub version: &'static str,
    /// Since when it runs.
    pub started: Instant,
    /// The runtime that use cases run on: the process's own, not that of one worker.
    pub runtime: Handle,
}

impl Process {
    /// A process of `version` that starts now, on the runtime that this is called on.
    ///
    /// # Panics
    /// Outside of a runtime.
    #[must_use]
    pub fn starting(version: &'static str) -> Self {
        Self { version, started: Instant::now(), runtime: Handle::current() }
    }

    /// Runs a use case to its end, even when the client hangs up meanwhile.
    ///
    /// actix drops a handler whose connection was reset. What changes state therefore runs in a
    /// task of its own, on the process's runtime, and the handler merely waits for it.
    ///
    /// # Errors
    /// What the use case answers. A panic in it goes on in the caller.
    pub async fn run<T, E>(
        &self,
        use_case: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: Send + 'static,
    {
        match self.runtime.spawn(use_case.in_current_span()).await {
            Ok(outcome) => outcome,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Computes what takes long, such as a password's hash, off the threads that serve requests and
    /// no more of it at once than there are processors.
    ///
    /// A panic in it goes on in the caller.
    pub async fn compute<T: Send + 'static>(
        &self,
        compute: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        // The semaphore is never closed, so there is always a turn. The work keeps it: a caller
        // that gives up ends neither the work nor its turn.
        let turn = PROCESSORS.acquire().await;
        let work = move || {
            let _turn = turn;
            compute()
        };
        match self.runtime.spawn_blocking(work).await {
            Ok(value) => value,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}

/// How many processors there are.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// The threads on which pages are put together: rows read, answers written. That takes tens of
/// milliseconds of a large page, in which neither what answers requests nor what runs use cases may
/// stand still.
static PAGES: LazyLock<Runtime> = LazyLock::new(|| {
    let mut builder = Builder::new_multi_thread();
    let built =
        builder.worker_threads(processors()).thread_name("racun-pages").enable_all().build();
    built.expect("the system has threads")
});

/// Lets as many long computations run at once as there are processors.
static PROCESSORS: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(processors()));

/// Runs `work` on the threads that put pages together; it ends with its caller.
///
/// # Errors
/// When it does not run. A panic in it goes on in the caller.
pub(crate) async fn on_threads_of_pages<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, ApiError> {
    // Dropped together with the caller, which ends what is left of it.
    let mut tasks = JoinSet::new();
    tasks.spawn_on(work.in_current_span(), PAGES.handle());
    match tasks.join_next().await {
        Some(Ok(done)) => Ok(done),
        Some(Err(error)) => std::panic::resume_unwind(error.into_panic()),
        None => Err(ApiError::internal("nothing was put together")),
    }
}
