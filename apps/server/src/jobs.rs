//! The work that no request asks for: invoices of recurring ones, documents that a tax authority
//! has not confirmed yet, subscriptions whose period ends, what receivers of events are to be told,
//! and jobs. Each piece is a step that is taken again and again, and says when it is taken next.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use racun_application::Services;
use racun_application::retention::{self, Pruned};
use racun_background::jobs::Report;
use racun_background::log_window::LogWindow;
use racun_fiscalization::{Alarm, OutsideServices};
use racun_lookups::{RateSource, Refreshed};
use racun_sales::{billing, recurring};
use racun_store::{Store, StoreError};
use tokio::sync::Notify;
use tokio::task::{AbortHandle, JoinHandle, JoinSet};

use crate::workers::{self, Next, Workers};
use crate::{clock, webhooks};

/// From the end of a run that made all recurring invoices there were to the next.
const RECURRING_INTERVAL: Duration = Duration::from_secs(60);
/// From the end of a run that reported all due documents to the next: short, for what
/// waits is due to the second.
const FISCAL_INTERVAL: Duration = Duration::from_secs(5);
/// From the end of a run that advanced all subscriptions that were due to the next.
const BILLING_INTERVAL: Duration = Duration::from_secs(60);
/// From one look for rates of exchange to the next. The publisher is called only when there should
/// be some that are not kept.
const RATES_INTERVAL: Duration = Duration::from_secs(15 * 60);
/// From the end of a round through what is kept for a time only to the next look whether another
/// one is due.
const RETENTION_INTERVAL: Duration = Duration::from_secs(15 * 60);
/// From one of its steps to the next, so that it leaves room to requests.
const RETENTION_PAUSE: Duration = Duration::from_secs(1);
/// From a panic of what has no end, or follows the log, to its new beginning.
const RESTART_INTERVAL: Duration = Duration::from_secs(1);

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
    let mut jobs = due(services);
    let (store, posting) = (&services.store, services.webhooks());
    let own = Arc::clone(store);
    jobs.push(endless(move || webhooks::deliver(Arc::clone(&own), posting.clone())));
    let Workers { mut readers, handlers, rates } = workers;
    if let Some(rates) = rates {
        let store = Arc::clone(store);
        jobs.push(repeat(RATES_INTERVAL, move || fetch(Arc::clone(&store), Arc::clone(&rates))));
    }
    let own = Arc::clone(store);
    jobs.push(repeat(RETENTION_INTERVAL, move || prune(Arc::clone(&own))));
    readers.push(webhooks::reader(services));
    let news = Arc::new(Notify::new());
    let log: Arc<dyn Store> = Arc::new(LogWindow::on(Arc::clone(store)));
    for reader in readers {
        let (store, news) = (Arc::clone(&log), Arc::clone(&news));
        jobs.push(repeat(RESTART_INTERVAL, move || {
            workers::follow(Arc::clone(&store), Arc::clone(&reader), Arc::clone(&news))
        }));
    }
    if !handlers.is_empty() {
        let store = Arc::clone(store);
        jobs.push(endless(move || {
            workers::work(Arc::clone(&store), handlers.clone(), Arc::clone(&news))
        }));
    }
    Jobs(jobs)
}

/// What works off rows that say when something is due.
fn due(services: &Services) -> Vec<JoinHandle<()>> {
    let (store, fiscal) = (&services.store, services.fiscal());
    let (own, told, asked) = (Arc::clone(store), fiscal.clone(), services.vat_registry.clone());
    let certified = services.portugal.clone();
    let recurring = repeat(RECURRING_INTERVAL, move || {
        let (store, fiscal, vat) = (Arc::clone(&own), told.clone(), Arc::clone(&asked));
        let portugal = certified.clone();
        async move {
            let outside = OutsideServices {
                fiscal: fiscal.as_ref(),
                vat: Some(&*vat),
                portugal: portugal.as_deref(),
            };
            let stamp = clock::stamp();
            let run = recurring::run_due(&*store, outside, &stamp, recurring::LIMITS).await;
            note("recurring invoices", RECURRING_INTERVAL, run, none)
        }
    });
    let own = Arc::clone(store);
    let billing = repeat(BILLING_INTERVAL, move || {
        let store = Arc::clone(&own);
        async move {
            let run = billing::run_due(&*store, &clock::stamp(), billing::LIMITS).await;
            note("subscriptions", BILLING_INTERVAL, run, none)
        }
    });
    let own = Arc::clone(store);
    let fiscalization = fiscal.map(|fiscal| {
        repeat(FISCAL_INTERVAL, move || {
            let (store, fiscal) = (Arc::clone(&own), fiscal.clone());
            async move {
                let (stamp, limits) = (&clock::stamp, racun_fiscalization::LIMITS);
                let run = racun_fiscalization::run_due(&*store, &fiscal, stamp, limits).await;
                note("fiscalization", FISCAL_INTERVAL, run, raise)
            }
        })
    });
    [recurring, billing].into_iter().chain(fiscalization).collect()
}

/// Notes what a run over due rows did; answers when the next one begins.
fn note<A>(
    what: &str,
    interval: Duration,
    run: Result<Report<A>, StoreError>,
    raise: fn(&A),
) -> Next {
    let report = match run {
        Ok(report) => report,
        Err(error) => {
            tracing::error!(?error, "{what}: what is due cannot be read");
            return Next::After(interval);
        }
    };
    report.alarms.iter().for_each(raise);
    for problem in &report.problems {
        tracing::warn!(id = problem.id, "{what}: not done: {}", problem.reason);
    }
    let (attempts, done, problems) = (report.attempts, report.done, report.problems.len());
    if attempts > 0 || problems > 0 {
        let has_more = report.has_more;
        tracing::info!(attempts, done, problems, has_more, "{what}: a run ended");
    } else {
        tracing::debug!("{what}: nothing was due");
    }
    if report.goes_on() { Next::AtOnce } else { Next::After(interval) }
}

const fn none(alarm: &Infallible) {
    match *alarm {}
}

fn raise(alarm: &Alarm) {
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

/// Fetches the rates of exchange that are published and not kept.
async fn fetch(store: Arc<dyn Store>, source: Arc<dyn RateSource>) -> Next {
    match racun_lookups::refresh(&*store, &*source, &clock::stamp()).await {
        Ok(Refreshed::Kept { days, newest }) => {
            tracing::info!(days, %newest, "rates of exchange: a run ended");
        }
        Ok(Refreshed::Silent(silent)) => {
            tracing::warn!("rates of exchange cannot be fetched: {silent}");
        }
        Ok(Refreshed::UpToDate) => tracing::debug!("rates of exchange: nothing is missing"),
        Err(error) => tracing::error!(?error, "rates of exchange: what is kept cannot be read"),
    }
    Next::After(RATES_INTERVAL)
}

/// Removes some of what is kept for a time only.
async fn prune(store: Arc<dyn Store>) -> Next {
    match retention::step(&*store, &clock::stamp()).await {
        Ok(Pruned { rows, has_more }) => {
            if rows > 0 {
                tracing::info!(rows, has_more, "retention: a step ended");
            }
            Next::After(if has_more { RETENTION_PAUSE } else { RETENTION_INTERVAL })
        }
        Err(error) => {
            tracing::error!(%error, "retention: what is over cannot be removed");
            Next::After(RETENTION_INTERVAL)
        }
    }
}

/// Runs `job`, which has no end, and again when it panics.
fn endless<F>(job: impl Fn() -> F + Send + 'static) -> JoinHandle<()>
where
    F: Future<Output = ()> + Send + 'static,
{
    repeat(RESTART_INTERVAL, move || {
        let job = job();
        async move {
            job.await;
            Next::After(RESTART_INTERVAL)
        }
    })
}

/// Takes `step` for ever, each time when the one before said, or `after_panic`.
fn repeat<F>(after_panic: Duration, step: impl Fn() -> F + Send + 'static) -> JoinHandle<()>
where
    F: Future<Output = Next> + Send + 'static,
{
    tokio::spawn(async move {
        loop {
            // In a task of its own, for a panic to end that and not the loop. Dropping the set ends
            // it too.
            let mut task = JoinSet::new();
            task.spawn(step());
            let next = match task.join_next().await {
                Some(Ok(next)) => next,
                Some(Err(error)) => {
                    tracing::error!(%error, "a job ended half-way");
                    Next::After(after_panic)
                }
                None => Next::After(after_panic),
            };
            if let Next::After(pause) = next {
                tokio::time::sleep(pause).await;
            }
        }
    })
}
