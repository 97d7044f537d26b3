//! A store with a clock of its own, which the processes that share it do not have.

use std::sync::Arc;

use async_trait::async_trait;
use racun_store::{Store, StoreDecorator, TransactError, Unit};
use racun_store_sqlite::SqliteStore;
use time::OffsetDateTime;

/// A store at a time of its own.
pub struct Clocked {
    pub store: Arc<SqliteStore>,
    pub now: OffsetDateTime,
}

#[async_trait]
impl StoreDecorator for Clocked {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    async fn transact(&self, unit: Unit) -> Result<(), TransactError> {
        let now = Some(self.now);
        let decide = Box::new(move |mut loaded: racun_store::Loaded| {
            loaded.now = now;
            (unit.decide)(loaded)
        });
        self.store.transact(Unit { decide, ..unit }).await
    }
}
