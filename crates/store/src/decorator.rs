//! Decorators of a store: they pass on to another store what they do not change.

use async_trait::async_trait;
use racun_kernel::Tenant;
use time::OffsetDateTime;

use crate::{
    Entry, ListQuery, Read, Rows, Store, StoreError, Stored, Table, Tally, TallyRow, TransactError,
    Unit,
};

/// A decorator of a store. Every method passes on to [`inner`](Self::inner) unless it is
/// overridden.
#[async_trait]
pub trait StoreDecorator: Send + Sync {
    /// The decorated store.
    fn inner(&self) -> &dyn Store;

    /// What `read` answers: [`Store::find`], [`Store::lookup`] and [`Store::list`] in one.
    async fn read(&self, read: &Read) -> Rows {
        read.ask(self.inner()).await
    }

    /// [`Store::read_all`]. One after the other, so that a decorator that overrides
    /// [`read`](Self::read) covers these.
    async fn read_all(&self, reads: &[Read]) -> Vec<Rows> {
        let mut answers = Vec::with_capacity(reads.len());
        for read in reads {
            answers.push(self.read(read).await);
        }
        answers
    }

    /// [`Store::changed`].
    fn changed(&self, table: &'static Table, tenant: &Tenant) -> Option<u64> {
        self.inner().changed(table, tenant)
    }

    /// [`Store::transact`].
    async fn transact(&self, unit: Unit) -> Result<(), TransactError> {
        self.inner().transact(unit).await
    }

    /// [`Store::events_after`].
    async fn events_after(&self, position: i64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.inner().events_after(position, limit).await
    }
}

#[async_trait]
impl<L: StoreDecorator> Store for L {
    async fn find(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        ids: &[String],
    ) -> Result<Vec<Stored>, StoreError> {
        let rows = self.read(&Read::Find(table, tenant.clone(), ids.to_vec())).await?;
        Ok(rows.0)
    }

    async fn lookup(
        &self,
        table: &'static Table,
        field: &'static str,
        value: &str,
    ) -> Result<Vec<Stored>, StoreError> {
        let rows = self.read(&Read::Lookup(table, field, value.to_owned())).await?;
        Ok(rows.0)
    }

    async fn list(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        query: &ListQuery,
    ) -> Result<(Vec<Stored>, i64), StoreError> {
        self.read(&Read::List(table, tenant.clone(), query.clone())).await
    }

    async fn read_all(&self, reads: &[Read]) -> Vec<Rows> {
        StoreDecorator::read_all(self, reads).await
    }

    async fn tallies(
        &self,
        tenant: &Tenant,
        tallies: &[Tally],
    ) -> Result<Vec<Vec<TallyRow>>, StoreError> {
        self.inner().tallies(tenant, tallies).await
    }

    fn changed(&self, table: &'static Table, tenant: &Tenant) -> Option<u64> {
        StoreDecorator::changed(self, table, tenant)
    }

    async fn transact(&self, unit: Unit) -> Result<(), TransactError> {
        StoreDecorator::transact(self, unit).await
    }

    async fn events_after(&self, position: i64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        StoreDecorator::events_after(self, position, limit).await
    }

    async fn snapshots(&self, positions: &[i64]) -> Result<Vec<(i64, String)>, StoreError> {
        self.inner().snapshots(positions).await
    }

    async fn forget_snapshots(
        &self,
        tenant: &Tenant,
        until: i64,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        self.inner().forget_snapshots(tenant, until, before, limit).await
    }

    async fn series(&self, tenant: &Tenant) -> Result<Vec<(String, i64)>, StoreError> {
        self.inner().series(tenant).await
    }

    async fn stored_bytes(&self, tenants: &[Tenant]) -> Result<i64, StoreError> {
        self.inner().stored_bytes(tenants).await
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.inner().ping().await
    }
}
