//! A store that stops answering in the middle of its work, and notes what it was asked.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use racun_store::{Loaded, Read, Rows, Store, StoreDecorator, StoreError, TransactError, Unit};

/// A store whose units fail after a few of them, as when its process is killed.
pub struct Flaky<S> {
    store: S,
    /// Units that still succeed, and whether later ones are written although their answer is lost.
    left: Mutex<Option<(usize, bool)>>,
    calls: AtomicUsize,
    rows: Arc<AtomicUsize>,
    events: Arc<Mutex<Vec<&'static str>>>,
}

impl<S: Store> Flaky<S> {
    pub fn new(store: S) -> Self {
        let (left, calls) = (Mutex::new(None), AtomicUsize::new(0));
        Self { store, left, calls, rows: Arc::default(), events: Arc::default() }
    }

    /// From now on `units` succeed; the answer of any other is lost, `written` or not.
    pub fn fail_after(&self, units: usize, written: bool) {
        *self.left.lock().unwrap() = Some((units, written));
    }

    pub fn heal(&self) {
        *self.left.lock().unwrap() = None;
    }

    /// How often it was asked since the last call.
    pub fn calls(&self) -> usize {
        self.calls.swap(0, Ordering::Relaxed)
    }

    /// How many rows units held since the last call.
    pub fn rows(&self) -> usize {
        self.rows.swap(0, Ordering::Relaxed)
    }

    /// The events that decisions wanted written since the last call.
    pub fn events(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.events.lock().unwrap())
    }

    fn asked(&self) -> &S {
        self.calls.fetch_add(1, Ordering::Relaxed);
        &self.store
    }

    /// The same unit, whose rows and events are noted.
    fn noted(&self, unit: Unit) -> Unit {
        let (events, rows) = (Arc::clone(&self.events), Arc::clone(&self.rows));
        let decide = Box::new(move |loaded: Loaded| {
            rows.fetch_add(loaded.rows.iter().map(Vec::len).sum(), Ordering::Relaxed);
            let writes = (unit.decide)(loaded)?;
            events.lock().unwrap().extend(writes.events.iter().map(|event| event.kind.name()));
            Ok(writes)
        });
        Unit { decide, ..unit }
    }
}

#[async_trait]
impl<S: Store> StoreDecorator for Flaky<S> {
    fn inner(&self) -> &dyn Store {
        &self.store
    }

    async fn read(&self, read: &Read) -> Rows {
        read.ask(self.asked()).await
    }

    async fn transact(&self, unit: Unit) -> Result<(), TransactError> {
        let fate = match &mut *self.left.lock().unwrap() {
            None => None,
            Some((0, written)) => Some(*written),
            Some((left, _)) => {
                *left -= 1;
                None
            }
        };
        let lost = TransactError::Store(StoreError::Unavailable("killed".to_owned()));
        match fate {
            None => self.asked().transact(self.noted(unit)).await,
            Some(true) => self.asked().transact(self.noted(unit)).await.and(Err(lost)),
            Some(false) => Err(lost),
        }
    }
}
