//! A cache of the entries of the log that were read last: the consumers of a process read the same
//! ones, soon after each other.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use racun_store::{Entry, Store, StoreDecorator, StoreError};

/// A store whose log is read once for all consumers that are about as far.
///
/// It keeps no more entries than one call was answered. What [`Store::events_after`] answers is a
/// stable prefix, so these are all that stand there, however long ago they were read; who is behind
/// the last of them reads on from the store.
pub struct LogWindow {
    inner: Arc<dyn Store>,
    window: Mutex<Window>,
}

/// All entries behind a position, up to the last of them.
#[derive(Clone, Default)]
struct Window {
    position: i64,
    entries: Arc<[Entry]>,
}

impl Window {
    /// Those of its entries that stand behind `position`; `None` when it does not know them.
    fn after(&self, position: i64, limit: usize) -> Option<Vec<Entry>> {
        let is_within = position >= self.position;
        let read = self.entries.partition_point(|entry| entry.position <= position);
        let rest = self.entries.get(read..).filter(|rest| is_within && !rest.is_empty())?;
        Some(rest.iter().take(limit).cloned().collect())
    }
}

impl LogWindow {
    /// A window on the log of `inner`.
    #[must_use]
    pub fn on(inner: Arc<dyn Store>) -> Self {
        Self { inner, window: Mutex::default() }
    }
}

#[async_trait]
impl StoreDecorator for LogWindow {
    fn inner(&self) -> &dyn Store {
        &*self.inner
    }

    async fn events_after(&self, position: i64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        let window = self.window.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(entries) = window.after(position, limit) {
            return Ok(entries);
        }
        let entries = self.inner.events_after(position, limit).await?;
        if !entries.is_empty() {
            let read = Window { position, entries: entries.clone().into() };
            *self.window.lock().unwrap_or_else(PoisonError::into_inner) = read;
        }
        Ok(entries)
    }
}
