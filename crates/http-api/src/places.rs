//! Named semaphores: each name has a bounded number of slots, and callers beyond them wait.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The semaphores of the process, by name; one without holders and waiters is removed.
pub(crate) struct Slots<N>(LazyLock<Mutex<HashMap<N, Arc<Semaphore>>>>);

/// A slot that is held until it is dropped.
pub(crate) struct Slot<N: Eq + Hash + 'static> {
    all: &'static Slots<N>,
    name: N,
    permit: Option<OwnedSemaphorePermit>,
    /// Whether the caller had to wait for it.
    pub waited: bool,
}

impl<N: Eq + Hash + Clone> Slots<N> {
    /// Without slots that are held.
    pub(crate) const fn new() -> Self {
        Self(LazyLock::new(Mutex::default))
    }

    /// Waits for one of the `most` slots of `name`. Callers pass the same `most` for a name each
    /// time.
    pub(crate) async fn take(&'static self, name: N, most: usize) -> Slot<N> {
        let semaphore = Arc::clone(
            self.names().entry(name.clone()).or_insert_with(|| Arc::new(Semaphore::new(most))),
        );
        let mut slot = Slot { all: self, name, permit: None, waited: false };
        slot.permit = Arc::clone(&semaphore).try_acquire_owned().ok();
        if slot.permit.is_none() {
            slot.waited = true;
            // Never closed, so there is a permit at last.
            slot.permit = semaphore.acquire_owned().await.ok();
        }
        slot
    }
}

impl<N> Slots<N> {
    pub(crate) fn names(&self) -> MutexGuard<'_, HashMap<N, Arc<Semaphore>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<N: Eq + Hash> Drop for Slot<N> {
    /// Releases the slot, and removes the name when no slot of it is held or waited for.
    fn drop(&mut self) {
        let mut names = self.all.names();
        self.permit = None;
        if names.get(&self.name).is_some_and(|semaphore| Arc::strong_count(semaphore) == 1) {
            names.remove(&self.name);
        }
    }
}
