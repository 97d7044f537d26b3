//! Work of one kind waits in a lane, and is done together.
//!
//! A commit is flushed to the disk, and every statement costs the server much the same for one row as
//! for thirty. So whoever arrives while a lane is at work waits, and all who wait are served by the
//! next turn together. Who comes to an empty lane is served at once.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::runtime::Handle;

/// What is served in one turn, at most.
const TURN: usize = 32;

/// Serves all who wait in a lane.
type Serve<K, T> = dyn Fn(K, Vec<T>) -> BoxFuture<'static, ()> + Send + Sync;

/// Lanes for work that can be done together when its key is equal.
pub(crate) struct Lanes<K, T> {
    runtime: Handle,
    /// The lanes that are at work, and who waits in them.
    queues: Arc<Queues<K, T>>,
    serve: Arc<Serve<K, T>>,
}

type Queues<K, T> = Mutex<HashMap<K, VecDeque<T>>>;

impl<K, T> Lanes<K, T>
where
    K: Clone + Eq + Hash + Send + 'static,
    T: Send + 'static,
{
    pub(crate) fn new<S>(runtime: Handle, serve: S) -> Self
    where
        S: Fn(K, Vec<T>) -> BoxFuture<'static, ()> + Send + Sync + 'static,
    {
        Self { runtime, queues: Arc::default(), serve: Arc::new(serve) }
    }

    /// Puts `item` into the lane `key`, and sets the lane to work when it stands still. It is served
    /// whether anybody goes on waiting or not.
    pub(crate) fn enter(&self, key: K, item: T) {
        let mut queues = lock(&self.queues);
        if let Some(queue) = queues.get_mut(&key) {
            queue.push_back(item);
            return;
        }
        queues.insert(key.clone(), VecDeque::from([item]));
        drop(queues);
        let lane = work(Arc::clone(&self.queues), Arc::clone(&self.serve), key);
        self.runtime.spawn(lane);
    }
}

impl<K, T> Lanes<K, T>
where
    K: Clone + Eq + Hash + Send + 'static,
    T: Send + 'static,
{
    /// As [`Lanes::enter`], for what may be dropped together with whoever waits for it: who comes to an
    /// empty lane serves himself, without another task. Who comes meanwhile is served by one.
    pub(crate) async fn pass(&self, key: K, item: T) {
        {
            let mut queues = lock(&self.queues);
            if let Some(queue) = queues.get_mut(&key) {
                queue.push_back(item);
                return;
            }
            queues.insert(key.clone(), VecDeque::new());
        }
        let _leaving = Leaving { lanes: self, key: key.clone() };
        (self.serve)(key, vec![item]).await;
    }
}

/// Who served himself leaves the lane, done or not, to those who wait in it.
struct Leaving<'a, K, T>
where
    K: Clone + Eq + Hash + Send + 'static,
    T: Send + 'static,
{
    lanes: &'a Lanes<K, T>,
    key: K,
}

impl<K, T> Drop for Leaving<'_, K, T>
where
    K: Clone + Eq + Hash + Send + 'static,
    T: Send + 'static,
{
    fn drop(&mut self) {
        let Lanes { runtime, queues, serve } = self.lanes;
        let mut waiting = lock(queues);
        if waiting.get(&self.key).is_some_and(VecDeque::is_empty) {
            waiting.remove(&self.key);
        } else {
            drop(waiting);
            runtime.spawn(work(Arc::clone(queues), Arc::clone(serve), self.key.clone()));
        }
    }
}

/// Serves turn after turn of the lane `key` until nobody waits in it.
async fn work<K, T>(queues: Arc<Queues<K, T>>, serve: Arc<Serve<K, T>>, key: K)
where
    K: Clone + Eq + Hash + Send + 'static,
    T: Send + 'static,
{
    while let Some(items) = next_turn(&queues, &key) {
        // Should it panic, its callers are told, for what they wait for is dropped; the lane goes on.
        let _: Result<(), _> = AssertUnwindSafe(serve(key.clone(), items)).catch_unwind().await;
    }
}

/// Who is served next in the lane, or none: then the lane stands still.
fn next_turn<K: Eq + Hash, T>(queues: &Queues<K, T>, key: &K) -> Option<Vec<T>> {
    let mut queues = lock(queues);
    let queue = queues.get_mut(key)?;
    if queue.is_empty() {
        queues.remove(key);
        return None;
    }
    let count = queue.len().min(TURN);
    Some(queue.drain(..count).collect())
}

/// The queues are whole even when a thread panicked while it held them: no step leaves them half
/// done.
fn lock<T>(queues: &Mutex<T>) -> MutexGuard<'_, T> {
    queues.lock().unwrap_or_else(PoisonError::into_inner)
}
