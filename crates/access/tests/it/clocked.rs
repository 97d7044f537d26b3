//! A store with a clock of its own, which the processes that share it do not have.

use std::sync::Arc;

use async_trait::async_trait;
use racun_kernel::{
    ListQuery, Logged, Store, StoreError, Stored, Table, Tally, TallyRow, Tenant, TransactError,
    Unit,
};
use racun_store_sqlite::SqliteStore;
use time::OffsetDateTime;

/// A store at a time of its own.
pub struct Clocked {
    pub store: Arc<SqliteStore>,
    pub now: OffsetDateTime,
}

#[async_trait]
impl Store for Clocked {
    async fn find(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        ids: &[String],
    ) -> Result<Vec<Stored>, StoreError> {
        self.store.find(table, tenant, ids).await
    }

    async fn lookup(
        &self,
        table: &'static Table,
        field: &'static str,
        value: &str,
    ) -> Result<Vec<Stored>, StoreError> {
        self.store.lookup(table, field, value).await
    }

    async fn list(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        query: &ListQuery,
    ) -> Result<(Vec<Stored>, i64), StoreError> {
        self.store.list(table, tenant, query).await
    }

    async fn transact(&self, unit: Unit) -> Result<(), TransactError> {
        let now = Some(self.now);
        let decide = Box::new(move |mut loaded: racun_kernel::Loaded| {
            loaded.now = now;
            (unit.decide)(loaded)
        });
        self.store.transact(Unit { decide, ..unit }).await
    }

    async fn tallies(
        &self,
        tenant: &Tenant,
        tallies: &[Tally],
    ) -> Result<Vec<Vec<TallyRow>>, StoreError> {
        self.store.tallies(tenant, tallies).await
    }

    async fn events_after(&self, position: i64, limit: usize) -> Result<Vec<Logged>, StoreError> {
        self.store.events_after(position, limit).await
    }

    async fn series(&self, tenant: &Tenant) -> Result<Vec<(String, i64)>, StoreError> {
        self.store.series(tenant).await
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.store.ping().await
    }
}
