//! The keys that a provider signs with.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jsonwebtoken::jwk::Jwk;
use serde_json::Value;
use tokio::time::Instant;

/// Keys that are kept of a provider.
const MOST: usize = 64;
/// For so long keys are not fetched again, whatever key a token names: tokens are made up easily.
const PAUSE: Duration = Duration::from_secs(10);

/// The keys, as they were fetched last.
#[derive(Default)]
pub(super) struct Keys(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    keys: Arc<Vec<Jwk>>,
    fetched: Option<Instant>,
}

impl Keys {
    /// The keys that are known.
    pub fn known(&self) -> Arc<Vec<Jwk>> {
        Arc::clone(&self.lock().keys)
    }

    /// Whether they may be fetched now; who asks does it.
    pub fn may_fetch(&self) -> bool {
        let mut kept = self.lock();
        let may = kept.fetched.is_none_or(|at| at.elapsed() >= PAUSE);
        if may {
            kept.fetched = Some(Instant::now());
        }
        may
    }

    /// Keeps the keys of the set `body`, those of them that can be read.
    pub fn keep(&self, body: &[u8]) -> Arc<Vec<Jwk>> {
        let set: Value = serde_json::from_slice(body).unwrap_or_default();
        let keys = set["keys"].as_array().into_iter().flatten();
        let keys = keys.filter_map(|key| serde_json::from_value(key.clone()).ok()).take(MOST);
        let keys: Arc<Vec<Jwk>> = Arc::new(keys.collect());
        self.lock().keys = Arc::clone(&keys);
        keys
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // No code that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
