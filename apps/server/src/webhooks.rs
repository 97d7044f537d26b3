//! Telling receivers what happened: the fan-out of events, and their deliveries.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use racun_application::reading::Reader;
use racun_application::webhooks::{self, Delivered, FanOut, Webhooks};
use racun_http_api::{Resources, Services};
use racun_kernel::{Store, StoreError};
use racun_webhooks::DueDelivery;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::clock;

/// Until the queue is looked at again in which nothing was due.
const RESTING: Duration = Duration::from_millis(200);
/// Until the store is asked again that did not answer.
const WAITING: Duration = Duration::from_secs(2);
/// Deliveries that are looked at at once.
const LOOK: usize = 400;
/// Deliveries of one endpoint that are taken at once.
const SHARE: usize = 64;
/// Endpoints that are posted to at once. One that does not answer takes one place, for a time-out.
const ENDPOINTS: usize = 256;

/// The reader of the log that makes deliveries of what happens.
pub fn reader(services: &Services) -> Arc<dyn Reader> {
    Arc::new(FanOut {
        store: Arc::clone(&services.store),
        schedule: services.webhook_schedule.clone(),
        renderer: Arc::new(Resources { white_labels: Arc::clone(&services.white_labels) }),
        stamp: Arc::new(clock::stamp),
    })
}

/// What runs for one endpoint.
type Run = (String, Result<Delivered, StoreError>);

/// Delivers what is due, for ever: each endpoint in a task of its own, so that none waits for another.
pub async fn deliver(store: Arc<dyn Store>, webhooks: Webhooks) {
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
