//! Places by name: so many hold one at once, and the next one waits.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The names under which places are held or waited for, in the whole process.
pub(crate) struct Places<N>(LazyLock<Mutex<HashMap<N, Arc<Semaphore>>>>);

/// A place, until it is dropped.
pub(crate) struct Place<N: Eq + Hash + 'static> {
    all: &'static Places<N>,
    name: N,
    permit: Option<OwnedSemaphorePermit>,
    /// Whether there was none at first.
    pub waited: bool,
}

impl<N: Eq + Hash + Clone> Places<N> {
    /// None is held.
    pub(crate) const fn new() -> Self {
        Self(LazyLock::new(Mutex::default))
    }

    /// Waits until fewer than `most` places of `name` are held. A name has the same `most` each
    /// time.
    pub(crate) async fn take(&'static self, name: N, most: usize) -> Place<N> {
        let semaphore = Arc::clone(
            self.names().entry(name.clone()).or_insert_with(|| Arc::new(Semaphore::new(most))),
        );
        let mut place = Place { all: self, name, permit: None, waited: false };
        place.permit = Arc::clone(&semaphore).try_acquire_owned().ok();
        if place.permit.is_none() {
            place.waited = true;
            // Never closed, so there is a permit at last.
            place.permit = semaphore.acquire_owned().await.ok();
        }
        place
    }
}

impl<N> Places<N> {
    pub(crate) fn names(&self) -> MutexGuard<'_, HashMap<N, Arc<Semaphore>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<N: Eq + Hash> Drop for Place<N> {
    /// Lets the next one in, and forgets the name when no place is held or waited for.
    fn drop(&mut self) {
        let mut names = self.all.names();
        self.permit = None;
        if names.get(&self.name).is_some_and(|semaphore| Arc::strong_count(semaphore) == 1) {
            names.remove(&self.name);
        }
    }
}
