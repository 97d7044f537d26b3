//! The jobs that no request asks for: the invoices of recurring ones, the documents that a tax
//! authority has not confirmed yet, the subscriptions whose period ends, and what receivers of
//! events are to be told.

use std::sync::Arc;
use std::time::Duration;

use racun_application::Services;
use racun_catalog::VatRegistry;
use racun_fiscalization::{Fiscal, OutsideServices};
use racun_portugal::Portugal;
use racun_sales::{billing, recurring};
use racun_store::{Store, StoreError};
use tokio::sync::Notify;
use tokio::task::{AbortHandle, JoinHandle, JoinSet};

use crate::workers::{self, Workers};
use crate::{clock, webhooks};

/// From the end of a run that made all recurring invoices there were to the next.
const RECURRING_INTERVAL: Duration = Duration::from_secs(60);
/// From the end of a run that reported all due documents to the next: short, for what
/// waits is due to the second.
const FISCAL_INTERVAL: Duration = Duration::from_secs(5);
/// From a panic of what never ends to its new beginning.
const RESTART_INTERVAL: Duration = Duration::from_secs(1);

/// From the end of a run that advanced all subscriptions that were due to the next.
const BILLING_INTERVAL: Duration = Duration::from_secs(60);

/// How long jobs that were stopped may take to end.
const ENDING: Duration = Duration::from_secs(5);

/// Jobs that go on until they are stopped.
pub struct Jobs(Vec<JoinHandle<()>>);

impl Jobs {
    /// A handle that ends them from another task.
    pub fn stopping(&self) -> Stopping {
        Stopping(self.0.iter().map(JoinHandle::abort_handle).collect())
    }

    /// Ends them, and waits until they have ended, or [`ENDING`] is over.
    pub async fn end(self) {
        self.stopping().stop();
        let jobs = async {
            for job in self.0 {
                // It was ended: it answers nothing.
                let _ = job.await;
            }
        };
        if tokio::time::timeout(ENDING, jobs).await.is_err() {
            tracing::warn!("a job did not end in {} seconds", ENDING.as_secs());
        }
    }
}

/// A handle that ends jobs.
pub struct Stopping(Vec<AbortHandle>);

impl Stopping {
    /// Does so. It is safe at any time: what is written is written whole, and the rest is found
    /// again.
    pub fn stop(&self) {
        self.0.iter().for_each(AbortHandle::abort);
    }
}

/// Works off jobs until they are stopped: at once, then again and again. Any number of processes
/// may do so on one store. Without a vault no authority receives a document.
pub fn start(services: &Services, workers: Workers) -> Jobs {
    let (store, fiscal) = (&services.store, services.fiscal());
    let (own, told, asked) = (Arc::clone(store), fiscal.clone(), services.vat_registry.clone());
    let portugal = services.portugal.clone();
    let mut jobs = vec![repeat(RECURRING_INTERVAL, move || {
        make_recurring(Arc::clone(&own), told.clone(), Arc::clone(&asked), portugal.clone())
    })];
    let subscribed = Arc::clone(store);
    jobs.push(repeat(BILLING_INTERVAL, move || advance(Arc::clone(&subscribed))));
    if let Some(fiscal) = fiscal {
        let store = Arc::clone(store);
        jobs.push(repeat(FISCAL_INTERVAL, move || tell(Arc::clone(&store), fiscal.clone())));
    }
    let (posting, own) = (services.webhooks(), Arc::clone(store));
    jobs.push(restart(move || webhooks::deliver(Arc::clone(&own), posting.clone())));
    let Workers { mut readers, handlers } = workers;
    readers.push(webhooks::reader(services));
    let news = Arc::new(Notify::new());
    for reader in readers {
        let (store, news) = (Arc::clone(store), Arc::clone(&news));
        jobs.push(restart(move || {
            workers::follow(Arc::clone(&store), Arc::clone(&reader), Arc::clone(&news))
        }));
    }
    if !handlers.is_empty() {
        let store = Arc::clone(store);
        jobs.push(restart(move || {
            workers::work(Arc::clone(&store), handlers.clone(), Arc::clone(&news))
        }));
    }
    Jobs(jobs)
}

/// Runs `job`, which has no end, and again when it panics.
fn restart<F>(job: impl Fn() -> F + Send + 'static) -> JoinHandle<()>
where
    F: Future<Output = ()> + Send + 'static,
{
    repeat(RESTART_INTERVAL, move || {
        let job = job();
        async move {
            job.await;
            false
        }
    })
}

/// Runs `job` for ever: at once while it answers that there is more, else after `interval`.
fn repeat<F>(interval: Duration, job: impl Fn() -> F + Send + 'static) -> JoinHandle<()>
where
    F: Future<Output = bool> + Send + 'static,
{
    tokio::spawn(async move {
        loop {
            // In a task of its own, for a panic to end that and not the loop. Dropping the set ends
            // it too.
            let mut task = JoinSet::new();
            task.spawn(job());
            let has_more = match task.join_next().await {
                Some(Ok(has_more)) => has_more,
                Some(Err(error)) => {
                    tracing::error!(%error, "a job ended half-way");
                    false
                }
                None => false,
            };
            if !has_more {
                tokio::time::sleep(interval).await;
            }
        }
    })
}

/// Makes the invoices of recurring ones; answers whether another run is to follow at once.
async fn make_recurring(
    store: Arc<dyn Store>,
    fiscal: Option<Fiscal>,
    registry: Arc<dyn VatRegistry>,
    portugal: Option<Arc<dyn Portugal>>,
) -> bool {
    let (stamp, limits) = (clock::stamp(), recurring::Limits::default());
    let services = OutsideServices {
        fiscal: fiscal.as_ref(),
        vat: Some(&*registry),
        portugal: portugal.as_deref(),
    };
    let run = recurring::run_due(&*store, services, &stamp, limits);
    let Some(report) = read("recurring invoices", run.await) else {
        return false;
    };
    for problem in &report.problems {
        tracing::warn!(id = %problem.id, "recurring invoice left alone: {}", problem.reason);
    }
    let recurring::Report { invoices, failures, has_more, problems, .. } = &report;
    let left_alone = problems.len();
    if report == recurring::Report::default() {
        tracing::debug!("recurring invoices: nothing was due");
    } else {
        tracing::info!(invoices, failures, left_alone, has_more, "recurring invoices: a run ended");
    }
    report.has_more && report.invoices > 0 && report.interruptions == 0
}

/// Tells tax authorities of the documents that are due; answers whether another run is to follow at
/// once.
async fn tell(store: Arc<dyn Store>, fiscal: Fiscal) -> bool {
    let limits = racun_fiscalization::Limits::default();
    let run = racun_fiscalization::run_due(&*store, &fiscal, &clock::stamp, limits).await;
    let Some(report) = read("fiscalization", run) else { return false };
    for alarm in &report.alarms {
        let error = alarm.error.as_deref();
        tracing::error!(
            id = %alarm.document_id,
            authority = alarm.authority.name(),
            deadline = %alarm.deadline,
            error,
            "a document is still not confirmed by the tax authority on the last day that the law \
             gives; look at its certificate, its settings and the connection"
        );
    }
    for problem in &report.problems {
        tracing::warn!(id = %problem.document_id, "not fiscalized: {}", problem.reason);
    }
    let racun_fiscalization::Report { sent, confirmed, has_more, .. } = report;
    if sent > 0 {
        tracing::info!(sent, confirmed, has_more, "fiscalization: a run ended");
    }
    has_more && confirmed > 0 && report.interruptions == 0
}

/// Advances the subscriptions whose month or period is over; answers whether another run is to
/// follow at once.
async fn advance(store: Arc<dyn Store>) -> bool {
    let run = billing::run_due(&*store, &clock::stamp(), billing::Limits::default()).await;
    let Some(report) = read("subscriptions", run) else { return false };
    for problem in &report.problems {
        tracing::warn!(id = %problem.id, "subscription left alone: {}", problem.reason);
    }
    let billing::Report { advanced, has_more, .. } = report;
    if advanced > 0 {
        tracing::info!(advanced, has_more, "subscriptions: a run ended");
    }
    has_more && advanced > 0 && report.interruptions == 0
}

fn read<T>(job: &str, run: Result<T, StoreError>) -> Option<T> {
    run.inspect_err(|error| tracing::error!(%error, "{job}: what is due cannot be read")).ok()
}
