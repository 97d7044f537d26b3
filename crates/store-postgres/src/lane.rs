//! Work of one kind waits in a lane, and is done together.
//!
//! A commit is flushed to the disk, and every statement costs the server much the same for one row
//! as for thirty. So an item that arrives while a lane is at work waits, and the next turn serves
//! all waiting items together. An item that arrives at an idle lane is served at once.
//!
//! A turn may say that only its end is left, which others need not wait for: a flush of the disk,
//! mostly. Then those next in the lane who have nothing to do with it begin beside it.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Either, select};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// What is served in one turn, at most.
const TURN: usize = 32;

/// Serves all who wait in a lane.
type Serve<K, T> = dyn Fn(K, Vec<T>, Ending<T>) -> BoxFuture<'static, ()> + Send + Sync;

/// Who may be served beside the end of a turn.
type Beside<T> = Box<dyn Fn(&T) -> bool + Send>;

/// Where a turn says that only its end is left. It need not.
pub(crate) struct Ending<T>(Option<oneshot::Sender<Beside<T>>>);

impl<T> Ending<T> {
    /// A turn that nobody waits behind.
    pub(crate) const fn of_nobody() -> Self {
        Self(None)
    }

    /// From now on those may be served for whom `beside` holds.
    pub(crate) fn begins(self, beside: impl Fn(&T) -> bool + Send + 'static) {
        if let Self(Some(sender)) = self {
            // Nobody listens when the lane ended with the program.
            let _: Result<(), _> = sender.send(Box::new(beside));
        }
    }
}

/// A turn of which only the end is left, and who may be served beside that.
type Ended<T> = (BoxFuture<'static, ()>, Beside<T>);

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
    /// Lanes whose turns are served one after the other.
    pub(crate) fn new<S>(runtime: Handle, serve: S) -> Self
    where
        S: Fn(K, Vec<T>) -> BoxFuture<'static, ()> + Send + Sync + 'static,
    {
        Self::with_endings(runtime, move |key, items, _| serve(key, items))
    }

    /// Lanes whose turns may say that only their end is left.
    pub(crate) fn with_endings<S>(runtime: Handle, serve: S) -> Self
    where
        S: Fn(K, Vec<T>, Ending<T>) -> BoxFuture<'static, ()> + Send + Sync + 'static,
    {
        Self { runtime, queues: Arc::default(), serve: Arc::new(serve) }
    }

    /// Puts `item` into the lane `key`, and starts the lane when it is idle. The item is served
    /// even if its caller stops waiting.
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
    /// As [`Lanes::enter`], for items that may be dropped together with their caller: the caller of
    /// an idle lane serves its item itself, without another task. A task serves later items.
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
        (self.serve)(key, vec![item], Ending::of_nobody()).await;
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
    let mut before: Option<Ended<T>> = None;
    loop {
        let items = match &before {
            None => next_turn(&queues, &key),
            Some((_, beside)) => turn_beside(&queues, &key, beside),
        };
        before = match (items, before) {
            (None, None) => return,
            (None, Some((end, _))) => {
                end.await;
                None
            }
            (Some(items), before) => {
                let (sender, begun) = oneshot::channel();
                let turn = serve(key.clone(), items, Ending(Some(sender)));
                // When it panics, its callers get an error, for their channels are dropped; the
                // lane goes on.
                let turn = AssertUnwindSafe(turn).catch_unwind().map(|_| ()).boxed();
                until_its_end(before.map(|(end, _)| end), turn, begun).await
            }
        };
    }
}

/// Serves a `turn`, and what is left of the one `before` it, until that has ended and of this one
/// only the end is left, or nothing.
async fn until_its_end<T>(
    before: Option<BoxFuture<'static, ()>>,
    turn: BoxFuture<'static, ()>,
    begun: oneshot::Receiver<Beside<T>>,
) -> Option<Ended<T>> {
    let turn = match before {
        None => turn,
        Some(before) => match select(before, turn).await {
            Either::Left(((), turn)) => turn,
            Either::Right(((), before)) => {
                before.await;
                return None;
            }
        },
    };
    match select(turn, begun).await {
        Either::Left(_) => None,
        Either::Right((Ok(beside), turn)) => Some((turn, beside)),
        Either::Right((Err(_), turn)) => {
            turn.await;
            None
        }
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

/// The items that are served next beside the end of a turn: the first ones of the queue, as long
/// as `beside` holds for them, so that none is overtaken.
fn turn_beside<K: Eq + Hash, T>(
    queues: &Queues<K, T>,
    key: &K,
    beside: &Beside<T>,
) -> Option<Vec<T>> {
    let mut queues = lock(queues);
    let queue = queues.get_mut(key)?;
    let count = queue.iter().take(TURN).take_while(|item| beside(item)).count();
    (count > 0).then(|| queue.drain(..count).collect())
}

/// The queues are whole even when a thread panicked while it held them: no step leaves them half
/// done.
fn lock<T>(queues: &Mutex<T>) -> MutexGuard<'_, T> {
    queues.lock().unwrap_or_else(PoisonError::into_inner)
}
