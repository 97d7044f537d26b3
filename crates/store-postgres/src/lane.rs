//! Which units share a transaction.
//!
//! The row of a series is held until its transaction is flushed to the disk, so units of one series
//! that commit one by one are as slow as the disk. Here they wait in a lane instead, and whoever
//! arrived while one transaction was under way goes into the next one together.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use racun_kernel::{Loaded, Refusal, StoreError, Tenant, TransactError, Unit, Writes};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::group;
use crate::pool::Connections;

/// Units that share one transaction, at most.
const GROUP: usize = 32;

/// A unit and whoever waits for it.
pub(crate) struct Waiting {
    pub(crate) unit: Unit,
    pub(crate) caller: Caller,
}

/// Whoever waits for a unit, or has stopped waiting.
pub(crate) struct Caller(oneshot::Sender<Result<(), TransactError>>);

impl Caller {
    pub(crate) fn answer(self, answer: Result<(), TransactError>) {
        // Nobody listens when the caller was dropped; the unit is finished nevertheless.
        let _: Result<(), _> = self.0.send(answer);
    }
}

/// Runs a decision; one that panics has decided nothing.
pub(crate) fn decide(
    decide: Box<dyn FnOnce(Loaded) -> Result<Writes, Refusal> + Send>,
    loaded: Loaded,
) -> Result<Writes, TransactError> {
    match catch_unwind(AssertUnwindSafe(|| decide(loaded))) {
        Ok(decided) => decided.map_err(|Refusal| TransactError::Refused),
        Err(_) => {
            let reason = "a decision panicked".to_owned();
            Err(TransactError::Store(StoreError::Unavailable(reason)))
        }
    }
}

type Key = (Tenant, String);

/// The lanes in which a transaction is under way, and who waits in them.
type Queues = HashMap<Key, VecDeque<Waiting>>;

pub(crate) struct Lanes {
    connections: Connections,
    runtime: Handle,
    queues: Arc<Mutex<Queues>>,
}

impl Lanes {
    pub(crate) fn new(connections: Connections, runtime: Handle) -> Self {
        Self { connections, runtime, queues: Arc::default() }
    }

    /// Runs `unit` to its end, also when the returned future is dropped after its first poll.
    pub(crate) async fn submit(&self, unit: Unit) -> Result<(), TransactError> {
        let (sender, answer) = oneshot::channel();
        let key = unit.series.as_ref().map(|series| (series.tenant.clone(), series.key.clone()));
        let waiting = Waiting { unit, caller: Caller(sender) };
        match key {
            None => {
                let connections = self.connections.clone();
                self.runtime.spawn(async move { group::run(&connections, vec![waiting]).await });
            }
            Some(key) => self.enter(key, waiting),
        }
        answer.await.unwrap_or_else(|_| {
            let reason = "a transaction ended without an answer".to_owned();
            Err(TransactError::Store(StoreError::Unavailable(reason)))
        })
    }

    /// Puts `waiting` into the lane `key`, and starts the lane when it stands still.
    fn enter(&self, key: Key, waiting: Waiting) {
        let mut queues = lock(&self.queues);
        if let Some(queue) = queues.get_mut(&key) {
            queue.push_back(waiting);
            return;
        }
        queues.insert(key.clone(), VecDeque::from([waiting]));
        drop(queues);
        let lane = drive(self.connections.clone(), Arc::clone(&self.queues), key);
        self.runtime.spawn(lane);
    }
}

/// Runs group after group of the lane `key` until nobody waits in it.
async fn drive(connections: Connections, queues: Arc<Mutex<Queues>>, key: Key) {
    while let Some(group) = next_group(&queues, &key) {
        let connections = connections.clone();
        // A task of its own: should it panic, its callers are told and the lane goes on.
        let run = tokio::spawn(async move { group::run(&connections, group).await });
        let deferred = run.await.unwrap_or_default();
        if let Some(queue) = lock(&queues).get_mut(&key) {
            for waiting in deferred.into_iter().rev() {
                queue.push_front(waiting);
            }
        }
    }
}

/// The next units of the lane, or none: then the lane stands still.
fn next_group(queues: &Mutex<Queues>, key: &Key) -> Option<Vec<Waiting>> {
    let mut queues = lock(queues);
    let queue = queues.get_mut(key)?;
    if queue.is_empty() {
        queues.remove(key);
        return None;
    }
    let count = queue.len().min(GROUP);
    Some(queue.drain(..count).collect())
}

/// The queues are whole even when a thread panicked while it held them: no step leaves them half
/// done.
fn lock(queues: &Mutex<Queues>) -> MutexGuard<'_, Queues> {
    queues.lock().unwrap_or_else(PoisonError::into_inner)
}
