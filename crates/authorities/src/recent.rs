//! What was used last, kept up to a number.

use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

/// Values that are costly to make, by key. When there are too many, the one that was used longest
/// ago goes.
pub(crate) struct Recent<K: Eq + Hash, V>(Mutex<LruCache<K, Arc<V>>>);

impl<K: Eq + Hash, V> Recent<K, V> {
    pub(crate) fn new(most: NonZeroUsize) -> Self {
        Self(Mutex::new(LruCache::new(most)))
    }

    /// The value of `key`, made by `make` unless it is kept.
    pub(crate) fn get<E>(&self, key: K, make: impl FnOnce() -> Result<V, E>) -> Result<Arc<V>, E> {
        if let Some(value) = self.lock().get(&key) {
            return Ok(Arc::clone(value));
        }
        // Made without the lock: others go on, and a value that two made at once is one of them.
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
    fn what_was_used_longest_ago_goes() {
        let recent = Recent::new(NonZeroUsize::new(2).unwrap());
        let get = |key: u8, made: u8| *recent.get(key, || Ok::<_, ()>(made)).unwrap();
        assert_eq!([get(1, 10), get(2, 20), get(1, 11), get(3, 30)], [10, 20, 10, 30]);
        assert_eq!([get(1, 12), get(2, 21)], [10, 21]);
        assert_eq!(recent.get(9, || Err(())), Err(()));
    }
}
