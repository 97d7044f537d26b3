//! Background work: consumers of the log, and the worker of the jobs that they and requests queue.

use std::sync::Arc;
use std::time::Duration;

use racun_background::clock::Clock;
use racun_background::consumer::{self, LogConsumer, Step};
use racun_background::jobs::{self, Ending, Handler, Job, JobKind};
use racun_lookups::RateSource;
use racun_sales::overdue::{OverdueHandler, OverdueReader};
use racun_sales::recognition::BackfillHandler;
use racun_store::Store;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::clock;

/// Interval between two polls for new or due rows, when the first found none.
const INTERVAL: Duration = Duration::from_secs(1);
/// Pause before the log is read on, when a step came to its end. Each step is one commit: without
/// the pause, a reader would commit as often as the writers that it follows.
const PAUSE: Duration = Duration::from_millis(250);
/// Jobs of this process that run at once.
const JOBS_AT_ONCE: usize = 64;
/// Entries of the log that a reader takes in a step.
const BATCH: usize = 1_000;

/// When a piece of work goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// At once, for there is more.
    AtOnce,
    /// After so long.
    After(Duration),
}

/// The consumers and job handlers that this process runs.
#[derive(Clone, Default)]
pub struct Workers {
    /// The consumers of the log.
    pub readers: Vec<Arc<dyn LogConsumer>>,
    /// The handlers of jobs; one for each kind.
    pub handlers: Vec<Arc<dyn Handler>>,
    /// Who publishes reference rates of exchange; `None` where they are not fetched.
    pub rates: Option<Arc<dyn RateSource>>,
}

impl Workers {
    /// Those that need only the store.
    pub fn own(store: &Arc<dyn Store>) -> Self {
        let (store, stamp): (_, Clock) = (Arc::clone(store), Arc::new(clock::stamp));
        Self {
            readers: vec![Arc::new(OverdueReader {
                store: Arc::clone(&store),
                stamp: Arc::clone(&stamp),
            })],
            handlers: vec![
                Arc::new(OverdueHandler { store: Arc::clone(&store), stamp: Arc::clone(&stamp) }),
                Arc::new(BackfillHandler { store, stamp }),
            ],
            rates: None,
        }
    }
}

/// Reads the next entries of the log for `reader`, and wakes the worker of jobs when there were
/// any. Answers when to read on.
pub async fn follow(
    store: Arc<dyn Store>,
    reader: Arc<dyn LogConsumer>,
    news: Arc<Notify>,
) -> Next {
    let stamp = clock::stamp();
    let step =
        consumer::read(&*store, reader.name(), BATCH, &stamp, |entries| reader.handle(entries));
    match step.await {
        Ok(Step::Read { has_more, .. }) => {
            news.notify_one();
            if has_more { Next::AtOnce } else { Next::After(PAUSE) }
        }
        // The process that overtook this one reads on.
        Ok(Step::Nothing | Step::Overtaken) => Next::After(INTERVAL),
        Err(error) => {
            tracing::error!(?error, reader = reader.name(), "the log cannot be read on");
            Next::After(INTERVAL)
        }
    }
}

/// Runs jobs without end, each in a task of its own. Dropping it cancels them: their leases
/// expire, and another worker repeats them.
pub async fn work(store: Arc<dyn Store>, handlers: Vec<Arc<dyn Handler>>, news: Arc<Notify>) {
    let kinds: Vec<JobKind> = handlers.iter().map(|handler| handler.kind()).collect();
    let mut running = JoinSet::new();
    loop {
        let free = JOBS_AT_ONCE - running.len();
        let begun = match jobs::claim(&*store, &kinds, &clock::stamp(), free).await {
            Ok(begun) => begun,
            Err(error) => {
                tracing::error!(?error, "jobs: what is due cannot be taken");
                Vec::new()
            }
        };
        let found = !begun.is_empty();
        for job in begun {
            let handler = handlers.iter().find(|handler| handler.kind() == job.kind);
            if let Some(handler) = handler.cloned() {
                running.spawn(perform(Arc::clone(&store), handler, job));
            }
        }
        if running.len() >= JOBS_AT_ONCE {
            let _: Option<Result<(), _>> = running.join_next().await;
        } else if !found {
            tokio::select! {
                () = tokio::time::sleep(INTERVAL) => {}
                () = news.notified() => {}
            }
        }
        while running.try_join_next().is_some() {}
    }
}

async fn perform(store: Arc<dyn Store>, handler: Arc<dyn Handler>, job: Job) {
    let (id, kind) = (job.id, job.kind.name());
    match jobs::perform(&*store, &*handler, &job, &clock::stamp).await {
        Ok(None | Some(Ending::Done)) => tracing::debug!(%id, kind, "a job is done"),
        Ok(Some(Ending::Failed { error, .. })) => {
            let attempt = job.attempts;
            tracing::warn!(%id, kind, attempt, "an attempt of a job failed: {error}");
        }
        Ok(Some(Ending::Hopeless { error })) => {
            tracing::error!(%id, kind, "a job is given up: {error}");
        }
        Err(error) => tracing::warn!(?error, %id, kind, "the end of a job could not be written"),
    }
}
