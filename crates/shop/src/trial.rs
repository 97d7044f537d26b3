//! What is only tried: a command decides, and nothing of it is written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use racun_store::{Read, Refusal, Rows, Store, StoreDecorator, StoreError, TransactError, Unit};

/// A store that decides the unit that is tried and commits none of it. Units before that one, such
/// as the registration of a series, are committed: they hold whatever becomes of it.
pub struct Trial<'a> {
    store: &'a dyn Store,
    is_tried: Arc<AtomicBool>,
    is_good: Arc<AtomicBool>,
}

impl<'a> Trial<'a> {
    /// One on `store`, in which every unit is tried.
    pub fn of_all(store: &'a dyn Store) -> Self {
        let is_tried = Arc::new(AtomicBool::new(true));
        Self { store, is_tried, is_good: Arc::default() }
    }

    /// One on `store`, in which a unit is tried whose decision sets the flag that is answered.
    pub fn of_one(store: &'a dyn Store) -> (Self, Arc<AtomicBool>) {
        let trial = Self { store, is_tried: Arc::default(), is_good: Arc::default() };
        let flag = Arc::clone(&trial.is_tried);
        (trial, flag)
    }

    /// What it came to: a unit that would have been committed ends in the store's failure.
    ///
    /// # Errors
    /// Why the command would be refused.
    pub fn outcome<T, E>(&self, tried: Result<T, E>) -> Result<(), E> {
        match tried {
            Err(refused) if !self.is_good.load(Ordering::Acquire) => Err(refused),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl StoreDecorator for Trial<'_> {
    fn inner(&self) -> &dyn Store {
        self.store
    }

    async fn read_all(&self, reads: &[Read]) -> Vec<Rows> {
        self.store.read_all(reads).await
    }

    async fn transact(&self, mut unit: Unit) -> Result<(), TransactError> {
        let (is_tried, is_good) = (Arc::clone(&self.is_tried), Arc::clone(&self.is_good));
        let decide = unit.decide;
        unit.decide = Box::new(move |loaded| {
            let decided = decide(loaded)?;
            if !is_tried.load(Ordering::Acquire) {
                return Ok(decided);
            }
            is_good.store(true, Ordering::Release);
            Err(Refusal)
        });
        let outcome = self.store.transact(unit).await;
        if self.is_good.load(Ordering::Acquire) {
            return Err(TransactError::Store(StoreError::Unavailable("a trial".to_owned())));
        }
        outcome
    }
}
