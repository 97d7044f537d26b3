//! The store that a request works on while its account has a budget.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use racun_store::{Read, Refusal, Rows, Store, StoreDecorator, StoreError, TransactError, Unit};

use super::reserving::Reserved;

/// A store whose units are charged to what a request reserved: what each stores is known when it is
/// decided, and a unit that would store too much is refused there, before anything is written.
pub(super) struct Charging {
    store: Arc<dyn Store>,
    reserved: Arc<Reserved>,
}

/// What became of the bytes of a unit.
#[derive(Default)]
enum Charge {
    /// It was not decided, or stores nothing.
    #[default]
    Nothing,
    /// They are charged.
    Charged(i64),
    /// There was no room for them.
    Refused(StoreError),
}

impl Charging {
    pub(super) const fn new(store: Arc<dyn Store>, reserved: Arc<Reserved>) -> Self {
        Self { store, reserved }
    }
}

#[async_trait]
impl StoreDecorator for Charging {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    async fn read_all(&self, reads: &[Read]) -> Vec<Rows> {
        self.store.read_all(reads).await
    }

    async fn transact(&self, mut unit: Unit) -> Result<(), TransactError> {
        let (decide, reserved) = (unit.decide, Arc::clone(&self.reserved));
        let charge = Arc::<Mutex<Charge>>::default();
        let noted = Arc::clone(&charge);
        unit.decide = Box::new(move |loaded| {
            let writes = decide(loaded)?;
            let bytes = writes.stored_bytes();
            let charged = reserved.charge(bytes);
            let (charge, answer) = match charged {
                Ok(()) => (Charge::Charged(bytes), Ok(writes)),
                Err(error) => (Charge::Refused(error), Err(Refusal)),
            };
            *noted.lock().unwrap_or_else(PoisonError::into_inner) = charge;
            answer
        });
        let outcome = self.store.transact(unit).await;
        let charge = std::mem::take(&mut *charge.lock().unwrap_or_else(PoisonError::into_inner));
        match (charge, &outcome) {
            (Charge::Refused(error), _) => return Err(TransactError::Store(error)),
            // Whether it was committed is unknown.
            (_, Ok(()) | Err(TransactError::Store(StoreError::Unavailable(_)))) => {}
            (Charge::Charged(bytes), Err(_)) => self.reserved.give_back(bytes),
            (Charge::Nothing, Err(_)) => {}
        }
        outcome
    }
}
