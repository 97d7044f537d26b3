//! The jobs that no request asks for: so far, the invoices of recurring ones.

use std::sync::Arc;
use std::time::Duration;

use racun_application::recurring::{Limits, Report, run_due};
use racun_kernel::Store;
use tokio::task::{JoinHandle, JoinSet};

use crate::clock;

/// From the end of a run that did all there was to the next.
const INTERVAL: Duration = Duration::from_secs(60);

/// Works off jobs for as long as the answer is not aborted: at once, then every [`INTERVAL`]. Any
/// number of processes may do so on one store.
///
/// Aborting it is safe at any time: what is written is written whole, and the rest is found again.
pub fn start(store: Arc<dyn Store>) -> JoinHandle<()> {
    tokio::spawn(async move {
        loop {
            let has_more = run(Arc::clone(&store)).await;
            if !has_more {
                tokio::time::sleep(INTERVAL).await;
            }
        }
    })
}

/// One run, whatever becomes of it; answers whether another one is to follow at once.
async fn run(store: Arc<dyn Store>) -> bool {
    // In a task of its own, for a panic to end that and not the loop. Dropping the set ends it too.
    let mut task = JoinSet::new();
    task.spawn(async move { run_due(&*store, &clock::stamp(), Limits::default()).await });
    match task.join_next().await {
        Some(Ok(Ok(report))) => {
            tell(&report);
            report.has_more && report.invoices > 0 && report.interruptions == 0
        }
        Some(Ok(Err(error))) => {
            tracing::error!(%error, "recurring invoices: what is due cannot be read");
            false
        }
        Some(Err(error)) => {
            tracing::error!(%error, "recurring invoices: the run ended half-way");
            false
        }
        None => false,
    }
}

fn tell(report: &Report) {
    for problem in &report.problems {
        tracing::warn!(id = %problem.id, "recurring invoice left alone: {}", problem.reason);
    }
    let Report { invoices, failures, has_more, problems, .. } = report;
    let left_alone = problems.len();
    if *report == Report::default() {
        tracing::debug!("recurring invoices: nothing was due");
    } else {
        tracing::info!(invoices, failures, left_alone, has_more, "recurring invoices: a run ended");
    }
}
