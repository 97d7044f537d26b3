//! Batches items that have the same key.
//!
//! A commit is flushed to the disk, and every statement costs the server much the same for one row
//! as for thirty. So an item that arrives while a batch of its key is running waits, and the next
//! batch serves all waiting items together. An item whose key is idle is served at once.
//!
//! A batch may signal that only its commit is left. Then the next batch of the same key starts with
//! the items at the head of the queue that do not conflict with it.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Either, select};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Items of a batch, at most.
const MAX_BATCH: usize = 32;

/// Serves a batch of items with one key.
type Serve<K, T> = dyn Fn(K, Vec<T>, CommitPhase<T>) -> BoxFuture<'static, ()> + Send + Sync;

/// Whether an item may be served while the commit of the batch before is in flight.
type MayOverlap<T> = Box<dyn Fn(&T) -> bool + Send>;

/// Signals that a batch has only its commit left, so that items that do not conflict with it may
/// start. Optional: a batch that does not signal is waited for.
pub(crate) struct CommitPhase<T>(Option<oneshot::Sender<MayOverlap<T>>>);

impl<T> CommitPhase<T> {
    /// For a batch outside of any queue: no item waits behind it.
    pub(crate) const fn unobserved() -> Self {
        Self(None)
    }

    /// Lets queued items that satisfy `may_overlap` run concurrently from here on.
    pub(crate) fn begins(self, may_overlap: impl Fn(&T) -> bool + Send + 'static) {
        if let Self(Some(sender)) = self {
            // The receiver is gone when the runtime shuts down.
            let _: Result<(), _> = sender.send(Box::new(may_overlap));
        }
    }
}

/// A batch that has only its commit left, and which items may overlap it.
type Ended<T> = (BoxFuture<'static, ()>, MayOverlap<T>);

/// Runs items in batches, one batch of a key at a time but for overlapping commits.
pub(crate) struct Batcher<K, T> {
    runtime: Handle,
    /// The items that wait, by key. A key is present while a batch of it runs.
    queues: Arc<Queues<K, T>>,
    serve: Arc<Serve<K, T>>,
}

type Queues<K, T> = Mutex<HashMap<K, VecDeque<T>>>;

impl<K, T> Batcher<K, T>
where
    K: Clone + Eq + Hash + Send + 'static,
    T: Send + 'static,
{
    /// A batcher whose batches of one key never overlap.
    pub(crate) fn new<S>(runtime: Handle, serve: S) -> Self
    where
        S: Fn(K, Vec<T>) -> BoxFuture<'static, ()> + Send + Sync + 'static,
    {
        Self::with_commit_phase(runtime, move |key, items, _| serve(key, items))
    }

    /// A batcher whose batches may signal their [`CommitPhase`].
    pub(crate) fn with_commit_phase<S>(runtime: Handle, serve: S) -> Self
    where
        S: Fn(K, Vec<T>, CommitPhase<T>) -> BoxFuture<'static, ()> + Send + Sync + 'static,
    {
        Self { runtime, queues: Arc::default(), serve: Arc::new(serve) }
    }

    /// Queues `item` under `key`, and starts a task when the key is idle. The item is served even
    /// if its caller stops waiting.
    pub(crate) fn enter(&self, key: K, item: T) {
        let mut queues = lock(&self.queues);
        if let Some(queue) = queues.get_mut(&key) {
            queue.push_back(item);
            return;
        }
        queues.insert(key.clone(), VecDeque::from([item]));
        drop(queues);
        let worker = work(Arc::clone(&self.queues), Arc::clone(&self.serve), key);
        self.runtime.spawn(worker);
    }
}

impl<K, T> Batcher<K, T>
where
    K: Clone + Eq + Hash + Send + 'static,
    T: Send + 'static,
{
    /// As [`Batcher::enter`], for items that may be dropped together with their caller: when the
    /// key is idle, the caller serves its item itself, without another task. A task serves later
    /// items.
    pub(crate) async fn pass(&self, key: K, item: T) {
        {
            let mut queues = lock(&self.queues);
            if let Some(queue) = queues.get_mut(&key) {
                queue.push_back(item);
                return;
            }
            queues.insert(key.clone(), VecDeque::new());
        }
        let _leaving = Leaving { batcher: self, key: key.clone() };
        (self.serve)(key, vec![item], CommitPhase::unobserved()).await;
    }
}

/// When the caller has served its own item, or was dropped, a task goes on with the queue.
struct Leaving<'a, K, T>
where
    K: Clone + Eq + Hash + Send + 'static,
    T: Send + 'static,
{
    batcher: &'a Batcher<K, T>,
    key: K,
}

impl<K, T> Drop for Leaving<'_, K, T>
where
    K: Clone + Eq + Hash + Send + 'static,
    T: Send + 'static,
{
    fn drop(&mut self) {
        let Batcher { runtime, queues, serve } = self.batcher;
        let mut waiting = lock(queues);
        if waiting.get(&self.key).is_some_and(VecDeque::is_empty) {
            waiting.remove(&self.key);
        } else {
            drop(waiting);
            runtime.spawn(work(Arc::clone(queues), Arc::clone(serve), self.key.clone()));
        }
    }
}

/// Serves batch after batch of `key` until its queue is empty.
async fn work<K, T>(queues: Arc<Queues<K, T>>, serve: Arc<Serve<K, T>>, key: K)
where
    K: Clone + Eq + Hash + Send + 'static,
    T: Send + 'static,
{
    let mut before: Option<Ended<T>> = None;
    loop {
        let items = match &before {
            None => next_batch(&queues, &key),
            Some((_, may_overlap)) => overlapping_batch(&queues, &key, may_overlap),
        };
        before = match (items, before) {
            (None, None) => return,
            (None, Some((end, _))) => {
                end.await;
                None
            }
            (Some(items), before) => {
                let (sender, begun) = oneshot::channel();
                let batch = serve(key.clone(), items, CommitPhase(Some(sender)));
                // When it panics, its callers get an error, for their channels are dropped; later
                // batches run.
                let batch = AssertUnwindSafe(batch).catch_unwind().map(|_| ()).boxed();
                until_commit_phase(before.map(|(end, _)| end), batch, begun).await
            }
        };
    }
}

/// Drives a batch and the commit of the one `before` it, until that commit has ended and this
/// batch has ended, too, or has only its commit left.
async fn until_commit_phase<T>(
    before: Option<BoxFuture<'static, ()>>,
    batch: BoxFuture<'static, ()>,
    begun: oneshot::Receiver<MayOverlap<T>>,
) -> Option<Ended<T>> {
    let batch = match before {
        None => batch,
        Some(before) => match select(before, batch).await {
            Either::Left(((), batch)) => batch,
            Either::Right(((), before)) => {
                before.await;
                return None;
            }
        },
    };
    match select(batch, begun).await {
        Either::Left(_) => None,
        Either::Right((Ok(may_overlap), batch)) => Some((batch, may_overlap)),
        Either::Right((Err(_), batch)) => {
            batch.await;
            None
        }
    }
}

/// The next batch of `key`. `None` when its queue is empty: the key is idle then.
fn next_batch<K: Eq + Hash, T>(queues: &Queues<K, T>, key: &K) -> Option<Vec<T>> {
    let mut queues = lock(queues);
    let queue = queues.get_mut(key)?;
    if queue.is_empty() {
        queues.remove(key);
        return None;
    }
    let count = queue.len().min(MAX_BATCH);
    Some(queue.drain(..count).collect())
}

/// The next batch that may overlap a commit: the first items of the queue, as long as
/// `may_overlap` holds for them, so that no item is overtaken.
fn overlapping_batch<K: Eq + Hash, T>(
    queues: &Queues<K, T>,
    key: &K,
    may_overlap: &MayOverlap<T>,
) -> Option<Vec<T>> {
    let mut queues = lock(queues);
    let queue = queues.get_mut(key)?;
    let count = queue.iter().take(MAX_BATCH).take_while(|item| may_overlap(item)).count();
    (count > 0).then(|| queue.drain(..count).collect())
}

/// The queues are whole even when a thread panicked while it held them: no step leaves them half
/// done.
fn lock<T>(queues: &Mutex<T>) -> MutexGuard<'_, T> {
    queues.lock().unwrap_or_else(PoisonError::into_inner)
}
