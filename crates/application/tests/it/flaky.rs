//! A store that stops answering in the middle of its work.

use std::sync::Mutex;

use async_trait::async_trait;
use racun_kernel::{
    ListQuery, Store, StoreError, Stored, Table, Tally, TallyRow, Tenant, TransactError, Unit,
};

/// A store whose units fail after a few of them, as when its process is killed.
pub struct Flaky<S> {
    store: S,
    /// Units that still succeed, and whether those after them are written all the same.
    left: Mutex<Option<(usize, bool)>>,
}

impl<S: Store> Flaky<S> {
    pub fn new(store: S) -> Self {
        Self { store, left: Mutex::new(None) }
    }

    /// From now on `units` succeed; the answer of any other is lost, `written` or not.
    pub fn fail_after(&self, units: usize, written: bool) {
        *self.left.lock().unwrap() = Some((units, written));
    }

    pub fn heal(&self) {
        *self.left.lock().unwrap() = None;
    }
}

#[async_trait]
impl<S: Store> Store for Flaky<S> {
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

    async fn tallies(
        &self,
        tenant: &Tenant,
        tallies: &[Tally],
    ) -> Result<Vec<Vec<TallyRow>>, StoreError> {
        self.store.tallies(tenant, tallies).await
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
            None => self.store.transact(unit).await,
            Some(true) => self.store.transact(unit).await.and(Err(lost)),
            Some(false) => Err(lost),
        }
    }

    async fn series(&self, tenant: &Tenant) -> Result<Vec<(String, i64)>, StoreError> {
        self.store.series(tenant).await
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.store.ping().await
    }
}
