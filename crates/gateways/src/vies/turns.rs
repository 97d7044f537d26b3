//! How many calls of one entity are under way: VIES refuses who calls it too often at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use racun_kernel::id::EntityId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Calls of one entity that are under way at once.
const AT_ONCE: usize = 2;

/// The turns of each entity that waits or calls.
#[derive(Default)]
pub(super) struct Turns(Mutex<HashMap<EntityId, Weak<Semaphore>>>);

impl Turns {
    /// Waits for a turn of `asker`. It ends when it is dropped.
    pub async fn take(&self, asker: EntityId) -> Option<OwnedSemaphorePermit> {
        // It is never closed, so there is always a turn.
        self.of(asker).acquire_owned().await.ok()
    }

    fn of(&self, asker: EntityId) -> Arc<Semaphore> {
        // No code that can panic runs under the lock.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turns) = all.get(&asker).and_then(Weak::upgrade) {
            return turns;
        }
        all.retain(|_, turns| turns.strong_count() > 0);
        let turns = Arc::new(Semaphore::new(AT_ONCE));
        all.insert(asker, Arc::downgrade(&turns));
        turns
    }
}
