//! Telling receivers what happened: the fan-out of events, and their deliveries.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use racun_application::Services;
use racun_background::consumer::LogConsumer;
use racun_delivery::webhooks::{self, AT_ONCE, Delivered, Due, FanOut, Webhooks};
use racun_http_api::Resources;
use racun_store::{Store, StoreError};
use racun_webhooks::EndpointId;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::clock;

/// Until the queue is looked at again in which nothing was due.
const RESTING: Duration = Duration::from_millis(200);
/// Until it is looked at again in which more was due than could be seen.
const GOING_ON: Duration = Duration::from_millis(5);
/// Looking takes at most one part of this many of the time. What is due for endpoints that are busy
/// is passed over by each look, and where one of them is away, that may be much.
const LOOKING: u32 = 10;
/// Until the store is asked again that did not answer.
const WAITING: Duration = Duration::from_secs(2);
/// Deliveries that are looked at at once.
const LOOK: usize = 400;
/// Deliveries of one endpoint that are taken at once.
const SHARE: usize = 64;
/// Those that are taken before: as many as are posted at once, to see whether the receiver is
/// there, then some more. What is taken and not sent is written twice for nothing.
const SHARES: [usize; 2] = [AT_ONCE, 16];
/// How long one endpoint is posted to before others may have its place.
const TURN: Duration = Duration::from_secs(2);
/// Endpoints that are posted to at once. One that does not answer takes one place, for a time-out.
const ENDPOINTS: usize = 256;

/// The reader of the log that makes deliveries of what happens.
pub fn reader(services: &Services) -> Arc<dyn LogConsumer> {
    Arc::new(FanOut {
        store: Arc::clone(&services.store),
        schedule: services.webhook_schedule.clone(),
        event_named: racun_application::event_named,
        renderer: Arc::new(Resources { white_labels: services.white_labels.clone() }),
        stamp: Arc::new(clock::stamp),
    })
}

/// What runs for one endpoint.
type Run = (EndpointId, Result<Delivered, StoreError>);

/// Delivers what is due, for ever: each endpoint in a task of its own, so that none waits for
/// another.
pub async fn deliver(store: Arc<dyn Store>, webhooks: Webhooks) {
    let (mut runs, mut busy) = (JoinSet::<Run>::new(), HashSet::<EndpointId>::new());
    loop {
        let room = ENDPOINTS.saturating_sub(busy.len());
        let (endpoints, pause) = match room {
            0 => (Vec::new(), WAITING),
            _ => look(&*store, &busy).await,
        };
        for endpoint in endpoints.into_iter().take(room) {
            busy.insert(endpoint);
            let (store, webhooks) = (Arc::clone(&store), webhooks.clone());
            runs.spawn(async move { (endpoint, run(&*store, &webhooks, endpoint).await) });
        }
        let next_look = sleep(pause);
        tokio::pin!(next_look);
        loop {
            let was_full = busy.len() >= ENDPOINTS;
            tokio::select! {
                () = &mut next_look => break,
                Some(ended) = runs.join_next() => {
                    let has_more = note(ended, &mut busy);
                    if runs.is_empty() {
                        // Also those whose task panicked.
                        busy.clear();
                    }
                    if has_more || was_full {
                        break;
                    }
                }
            }
        }
    }
}

/// Endpoints that something is due for, but for those that are `busy`; and how long to wait before
/// the next look.
async fn look(store: &dyn Store, busy: &HashSet<EndpointId>) -> (Vec<EndpointId>, Duration) {
    let (begun, named) = (Instant::now(), busy.iter().copied().collect::<Vec<_>>());
    let (endpoints, pause) = match webhooks::due(store, &named, LOOK, &clock::stamp()).await {
        // Behind those that were seen others may wait.
        Ok(Due { endpoints, is_all: false }) => (endpoints, GOING_ON),
        Ok(Due { endpoints, is_all: true }) => (endpoints, RESTING),
        Err(error) => {
            tracing::error!(error = %detail(&error), "webhooks: the queue cannot be read");
            (Vec::new(), WAITING)
        }
    };
    (endpoints, pause.max(begun.elapsed() * LOOKING))
}

/// Delivers what is due for `endpoint`, share by share, until nothing is, a receiver does not
/// answer, or its turn is over.
async fn run(
    store: &dyn Store,
    webhooks: &Webhooks,
    endpoint: EndpointId,
) -> Result<Delivered, StoreError> {
    let (begun, mut all) = (Instant::now(), Delivered::default());
    for size in SHARES.into_iter().chain(std::iter::repeat(SHARE)) {
        let share = webhooks::run_endpoint(store, webhooks, endpoint, size, &clock::stamp).await?;
        all = all.and(share);
        if share.silent > 0 {
            // The receiver does not answer, and often fails at once: the next share would fail as
            // fast.
            sleep(RESTING).await;
            return Ok(Delivered { has_more: false, ..all });
        }
        if !share.has_more || begun.elapsed() > TURN {
            break;
        }
    }
    Ok(all)
}

/// Records the outcome of a task and frees its endpoint. Answers whether more deliveries are due
/// for that endpoint.
fn note(ended: Result<Run, tokio::task::JoinError>, busy: &mut HashSet<EndpointId>) -> bool {
    let (endpoint, ran) = match ended {
        Ok(ended) => ended,
        Err(error) => {
            tracing::error!(%error, "webhooks: a delivery ended half-way");
            return false;
        }
    };
    busy.remove(&endpoint);
    match ran {
        Ok(Delivered { attempts, arrived, disabled, has_more, .. }) => {
            tracing::debug!(%endpoint, attempts, arrived, "webhooks: delivered");
            if disabled {
                tracing::warn!(%endpoint, "webhooks: disabled after its last attempt");
            }
            has_more
        }
        Err(error) => {
            tracing::error!(%endpoint, error = %detail(&error), "webhooks: not delivered");
            false
        }
    }
}

/// An error with the details that only the log receives.
fn detail(error: &StoreError) -> String {
    match error {
        StoreError::Unavailable(reason) => format!("{error}: {reason}"),
        StoreError::Corrupt { reason, .. } => format!("{error}: {reason}"),
        StoreError::NotFound { .. }
        | StoreError::Duplicate { .. }
        | StoreError::Full
        | StoreError::OverBudget { .. }
        | StoreError::TooExpensive => error.to_string(),
    }
}
