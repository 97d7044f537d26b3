//! A bounded LRU cache that threads share.

use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

/// Caches values that are costly to make, by key. At its capacity it evicts the least recently used
/// one.
pub(crate) struct SharedLru<K: Eq + Hash, V>(Mutex<LruCache<K, Arc<V>>>);

impl<K: Eq + Hash, V> SharedLru<K, V> {
    pub(crate) fn new(most: NonZeroUsize) -> Self {
        Self(Mutex::new(LruCache::new(most)))
    }

    /// The cached value of `key`, or the one that `make` makes, which is cached then.
    pub(crate) fn get<E>(&self, key: K, make: impl FnOnce() -> Result<V, E>) -> Result<Arc<V>, E> {
        if let Some(value) = self.lock().get(&key) {
            return Ok(Arc::clone(value));
        }
        // `make` runs without the lock, so that other keys are not blocked. Of two values made for
        // a key at the same time, the first to be inserted is kept and answered to both callers.
        let made = Arc::new(make()?);
        Ok(Arc::clone(self.lock().get_or_insert(key, || made)))
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<K, Arc<V>>> {
        // No code that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_value_is_evicted() {
        let cache = SharedLru::new(NonZeroUsize::new(2).unwrap());
        let get = |key: u8, made: u8| *cache.get(key, || Ok::<_, ()>(made)).unwrap();
        assert_eq!([get(1, 10), get(2, 20), get(1, 11), get(3, 30)], [10, 20, 10, 30]);
        assert_eq!([get(1, 12), get(2, 21)], [10, 21]);
        assert_eq!(cache.get(9, || Err(())), Err(()));
    }
}
