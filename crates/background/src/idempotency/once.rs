//! The store that a keyed request works on: it stores the key in the commit that makes the effect.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use racun_store::{
    Inner, Read, Record as _, Refusal, Rows, Store, StoreDecorator, StoreError, TransactError,
    Unit, Writes,
};

use super::{KEYED_REQUESTS, KeyedRequest};

/// How far a keyed request came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Passed {
    /// Its effect is not there.
    #[default]
    Nothing,
    /// Its effect is there, and its key with it.
    Effect,
    /// Its key was there already: another request carried it out, or is doing so now.
    Twin,
}

/// A store on which one request is carried out once: the first unit that makes an effect stores the
/// request's key as well, and any unit is refused when the key is there.
///
/// A use case knows nothing of it. Its answer is not sent when a unit is refused this way: the code
/// that made the store checks [`Once::passed`].
pub struct Once {
    store: Arc<dyn Store>,
    request: KeyedRequest,
    passed: Arc<Mutex<Passed>>,
}

impl Once {
    /// `store` for `request` alone.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, request: KeyedRequest) -> Self {
        Self { store, request, passed: Arc::default() }
    }

    /// How far the request came.
    #[must_use]
    pub fn passed(&self) -> Passed {
        *lock(&self.passed)
    }
}

fn lock(passed: &Mutex<Passed>) -> MutexGuard<'_, Passed> {
    passed.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What `decide` writes, with the key of `request` beside it; `found` is stored under that key.
/// Notes in `passed` what is to be so when it is committed.
fn with_key(
    request: &KeyedRequest,
    passed: &Mutex<Passed>,
    found: Result<Option<KeyedRequest>, StoreError>,
    decide: Inner,
) -> Result<Writes, Refusal> {
    // A row that cannot be read is a twin of which nothing more is known.
    let before = match found {
        Ok(found) if found.as_ref().is_none_or(|found| !found.holds_at(request.created_at)) => {
            found
        }
        Ok(_) | Err(_) => {
            *lock(passed) = Passed::Twin;
            return Err(Refusal);
        }
    };
    let mut writes = decide()?;
    if let Some(request) = request.with_effect(&writes) {
        writes.puts.push(request.put(before.as_ref()));
        *lock(passed) = Passed::Effect;
    }
    Ok(writes)
}

#[async_trait]
impl StoreDecorator for Once {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    async fn read_all(&self, reads: &[Read]) -> Vec<Rows> {
        self.store.read_all(reads).await
    }

    async fn transact(&self, unit: Unit) -> Result<(), TransactError> {
        if self.passed() == Passed::Effect {
            return self.store.transact(unit).await;
        }
        let (request, passed) = (self.request.clone(), Arc::clone(&self.passed));
        let (tenant, key) = (self.request.tenant(), self.request.id());
        let unit = unit.beside(tenant, &KEYED_REQUESTS, key, move |found, decide| {
            with_key(&request, &passed, found, decide)
        });
        let committed = self.store.transact(unit).await;
        if committed.is_err() {
            // The code that sends the answer reads again whether the key is there.
            let mut passed = lock(&self.passed);
            if *passed == Passed::Effect {
                *passed = Passed::Nothing;
            }
        }
        committed
    }
}
