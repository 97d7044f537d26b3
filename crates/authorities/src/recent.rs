//! What was used lately, kept up to a number.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// Values that are costly to make, by key. When there are too many, the one that was used longest
/// ago goes.
pub(crate) struct Recent<K, V> {
    most: usize,
    kept: Mutex<Kept<K, V>>,
}

struct Kept<K, V> {
    uses: u64,
    values: HashMap<K, (u64, Arc<V>)>,
}

impl<K: Clone + Eq + Hash, V> Recent<K, V> {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, kept: Mutex::new(Kept { uses: 0, values: HashMap::new() }) }
    }

    /// The value of `key`, made by `make` unless it is kept.
    pub(crate) fn get<E>(&self, key: K, make: impl FnOnce() -> Result<V, E>) -> Result<Arc<V>, E> {
        if let Some(value) = self.lock().touch(&key) {
            return Ok(value);
        }
        // Made without the lock: others go on, and a value that two made at once is one of them.
        let made = Arc::new(make()?);
        let mut kept = self.lock();
        if let Some(value) = kept.touch(&key) {
            return Ok(value);
        }
        if kept.values.len() >= self.most {
            let oldest = kept.values.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                kept.values.remove(&oldest);
            }
        }
        let used = kept.uses;
        kept.values.insert(key, (used, Arc::clone(&made)));
        Ok(made)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept<K, V>> {
        // No code that can panic runs under the lock.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash, V> Kept<K, V> {
    fn touch(&mut self, key: &K) -> Option<Arc<V>> {
        self.uses += 1;
        let (used, value) = self.values.get_mut(key)?;
        *used = self.uses;
        Some(Arc::clone(value))
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn what_was_used_longest_ago_goes() {
        let recent = Recent::new(2);
        let get = |key: u8, made: u8| *recent.get(key, || Ok::<_, ()>(made)).unwrap();
        assert_eq!([get(1, 10), get(2, 20), get(1, 11), get(3, 30)], [10, 20, 10, 30]);
        assert_eq!([get(1, 12), get(2, 21)], [10, 21]);
        assert_eq!(recent.get(9, || Err(())), Err(()));
    }
}
