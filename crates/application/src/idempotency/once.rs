//! The store that a keyed request works on: it stores the key in the commit that makes the effect.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use racun_kernel::{Layer, Loaded, Read, Refusal, Rows, Store, TransactError, Unit, Writes};

use super::KeyedRequest;

/// How far a keyed request came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Passed {
    /// Its effect is not there.
    #[default]
    Nothing,
    /// Its effect is there, and its key with it.
    Effect,
    /// Its key was there already: somebody carried it out before, or does so now.
    Twin,
}

/// A store on which one request is carried out once: the first unit that makes an effect stores the
/// request's key as well, and any unit is refused when the key is there.
///
/// A use case knows nothing of it. What it answers when a unit is refused so is not sent: whoever
/// made the store asks it with [`Once::passed`].
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

/// What is decided on `loaded`, whose last row is of the key of `request`, with the key beside it.
/// Notes in `passed` what is to be so when it is committed.
fn decide(
    request: &KeyedRequest,
    passed: &Mutex<Passed>,
    mut loaded: Loaded,
    decide: impl FnOnce(Loaded) -> Result<Writes, Refusal>,
) -> Result<Writes, Refusal> {
    // A row that cannot be read is a twin of whom nobody knows more.
    let held = request.held(&loaded);
    loaded.rows.pop();
    let before = match held {
        Ok(held) if held.as_ref().is_none_or(|held| !held.holds_at(request.created_at)) => held,
        Ok(_) | Err(_) => {
            *lock(passed) = Passed::Twin;
            return Err(Refusal);
        }
    };
    let mut writes = decide(loaded)?;
    if let Some(request) = request.with_effect(&writes) {
        writes.puts.push(request.put(before.as_ref()));
        *lock(passed) = Passed::Effect;
    }
    Ok(writes)
}

#[async_trait]
impl Layer for Once {
    fn beneath(&self) -> &dyn Store {
        &*self.store
    }

    async fn read_all(&self, reads: &[Read]) -> Vec<Rows> {
        self.store.read_all(reads).await
    }

    async fn transact(&self, mut unit: Unit) -> Result<(), TransactError> {
        if self.passed() == Passed::Effect {
            return self.store.transact(unit).await;
        }
        unit.loads.push(self.request.load());
        let (request, passed) = (self.request.clone(), Arc::clone(&self.passed));
        let inner = unit.decide;
        unit.decide = Box::new(move |loaded| decide(&request, &passed, loaded, inner));
        let committed = self.store.transact(unit).await;
        if committed.is_err() {
            // Whether it is there is read again by whoever sends an answer.
            let mut passed = lock(&self.passed);
            if *passed == Passed::Effect {
                *passed = Passed::Nothing;
            }
        }
        committed
    }
}
