//! Telling receivers what happened: the fan-out of events, and their deliveries.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use racun_application::reading::Step;
use racun_application::webhooks::{self, Delivered, Webhooks};
use racun_http_api::Resources;
use racun_kernel::{Store, StoreError};
use racun_webhooks::DueDelivery;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

use crate::clock;

/// Until the log is looked at again that had nothing new.
const LISTENING: Duration = Duration::from_millis(250);
/// Until the queue is looked at again in which nothing was due.
const RESTING: Duration = Duration::from_millis(200);
/// Until the store is asked again that did not answer.
const WAITING: Duration = Duration::from_secs(2);
/// Entries of the log that one unit makes deliveries of.
const BATCH: usize = 200;
/// Deliveries that are looked at at once.
const LOOK: usize = 400;
/// Deliveries of one endpoint that are taken at once.
const SHARE: usize = 64;
/// Endpoints that are posted to at once. One that does not answer takes one place, for a time-out.
const ENDPOINTS: usize = 256;

/// Fans out and delivers until it is stopped.
pub fn start(store: Arc<dyn Store>, webhooks: Webhooks) -> JoinHandle<()> {
    tokio::spawn(async move {
        // Dropping the set ends both.
        let mut tasks = JoinSet::new();
        tasks.spawn(listen(Arc::clone(&store), webhooks.clone()));
        tasks.spawn(deliver(store, webhooks));
        while let Some(ended) = tasks.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "a job of webhooks ended");
            }
        }
    })
}

/// Makes deliveries of what happens, for ever.
async fn listen(store: Arc<dyn Store>, webhooks: Webhooks) {
    loop {
        let stamp = clock::stamp();
        let pause = match webhooks::fan_out(&*store, &webhooks, &Resources, BATCH, &stamp).await {
            Ok(Step::Read(_)) => continue,
            Ok(Step::Nothing | Step::Overtaken) => LISTENING,
            Err(error) => {
                tracing::error!(error = %detail(&error), "webhooks: the log cannot be followed");
                WAITING
            }
        };
        sleep(pause).await;
    }
}

/// What runs for one endpoint.
type Run = (String, Result<Delivered, StoreError>);

/// Delivers what is due, for ever: each endpoint in a task of its own, so that none waits for another.
async fn deliver(store: Arc<dyn Store>, webhooks: Webhooks) {
    let (mut runs, mut busy) = (JoinSet::<Run>::new(), HashSet::<String>::new());
    loop {
        let named: Vec<String> = busy.iter().cloned().collect();
        let room = ENDPOINTS.saturating_sub(busy.len());
        let found = match room {
            0 => Ok(Vec::new()),
            _ => webhooks::due(&*store, &named, LOOK, &clock::stamp()).await,
        };
        let (pause, due) = match found {
            Ok(due) => (RESTING, due),
            Err(error) => {
                tracing::error!(error = %detail(&error), "webhooks: the queue cannot be read");
                (WAITING, Vec::new())
            }
        };
        let has_more = !due.is_empty();
        for (endpoint, share) in by_endpoint(due).into_iter().take(room) {
            busy.insert(endpoint.clone());
            let (store, webhooks) = (Arc::clone(&store), webhooks.clone());
            runs.spawn(async move {
                let ran = webhooks::run_endpoint(&*store, &webhooks, share, &clock::stamp).await;
                (endpoint, ran)
            });
        }
        // What others wait for is looked for at once; what is busy, when it is done.
        let pause = if has_more { Duration::from_millis(5) } else { pause };
        tokio::select! {
            () = sleep(pause) => {}
            Some(ended) = runs.join_next() => note(ended, &mut busy),
        }
        while let Some(ended) = runs.try_join_next() {
            note(ended, &mut busy);
        }
        if runs.is_empty() {
            // Also those whose task panicked.
            busy.clear();
        }
    }
}

/// The first [`SHARE`] deliveries of each endpoint.
fn by_endpoint(due: Vec<DueDelivery>) -> BTreeMap<String, Vec<DueDelivery>> {
    let mut shares: BTreeMap<String, Vec<DueDelivery>> = BTreeMap::new();
    for delivery in due {
        let share = shares.entry(delivery.endpoint_id.to_string()).or_default();
        if share.len() < SHARE {
            share.push(delivery);
        }
    }
    shares
}

fn note(ended: Result<Run, tokio::task::JoinError>, busy: &mut HashSet<String>) {
    match ended {
        Ok((endpoint, ran)) => {
            busy.remove(&endpoint);
            match ran {
                Ok(Delivered { attempts, arrived, disabled, .. }) => {
                    tracing::debug!(%endpoint, attempts, arrived, "webhooks: delivered");
                    if disabled {
                        tracing::warn!(%endpoint, "webhooks: disabled after its last attempt");
                    }
                }
                Err(error) => {
                    tracing::error!(%endpoint, error = %detail(&error), "webhooks: not delivered");
                }
            }
        }
        Err(error) => tracing::error!(%error, "webhooks: a delivery ended half-way"),
    }
}

/// An error with what only the log is told.
fn detail(error: &StoreError) -> String {
    match error {
        StoreError::Unavailable(reason) => format!("{error}: {reason}"),
        StoreError::Corrupt { reason, .. } => format!("{error}: {reason}"),
        StoreError::NotFound { .. } | StoreError::Duplicate { .. } => error.to_string(),
    }
}
