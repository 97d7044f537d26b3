//! Typed access to a store: records instead of rows, and decisions that answer a value.

use racun_kernel::Tenant;

use super::{Event, Put, Store, StoreError, UnitBuilder, Writes};
#[cfg(feature = "testing")]
use super::{Load, Loaded, Series};
use crate::{ListQuery, Page, Record, Table, Tally, TallyRow};

/// What a command decided about the record that it was shown.
#[must_use = "a decision does nothing until a store applies it"]
#[derive(Debug)]
pub enum Decision<A> {
    /// The command had been applied before, or asks for nothing. Nothing is written.
    Unchanged(A),
    /// The record, what is written beside it, and the events: all of it, or nothing.
    Changed {
        /// The record as it is to be.
        record: A,
        /// Other rows of the same commit.
        beside: Vec<Put>,
        /// What happened.
        events: Vec<Event>,
    },
}

impl<A> Decision<A> {
    /// A changed record and what happened, with nothing beside it.
    pub const fn changed(record: A, events: Vec<Event>) -> Self {
        Self::Changed { record, beside: Vec::new(), events }
    }

    /// The record, and all that is written: what is beside it, and it itself as `put` says.
    pub fn written(self, put: impl FnOnce(&A) -> Put) -> (A, Writes) {
        match self {
            Self::Unchanged(record) => (record, Writes::default()),
            Self::Changed { record, beside, events } => {
                let writes = Writes::default().puts(beside).put(put(&record)).events(events);
                (record, writes)
            }
        }
    }
}

impl dyn Store + '_ {
    /// The record `id` of `tenant`, or `None`.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn get<A: Record>(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        id: &str,
    ) -> Result<Option<A>, StoreError> {
        let rows = self.find(table, tenant, &[id.to_owned()]).await?;
        rows.first().map(|row| row.read(table)).transpose()
    }

    /// The records with these ids that there are.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn get_all<A: Record>(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        ids: &[String],
    ) -> Result<Vec<A>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.find(table, tenant, ids).await?.iter().map(|row| row.read(table)).collect()
    }

    /// The records of all tenants whose `field` has `value`.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn look_up<A: Record>(
        &self,
        table: &'static Table,
        field: &'static str,
        value: &str,
    ) -> Result<Vec<A>, StoreError> {
        self.lookup(table, field, value).await?.iter().map(|row| row.read(table)).collect()
    }

    /// The page that `query` asks for.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn page<A: Record>(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        query: &ListQuery,
    ) -> Result<Page<A>, StoreError> {
        let (rows, total) = self.list(table, tenant, query).await?;
        query.page(table, &rows, total)
    }

    /// What `tally` comes to over the rows of `tenant`, by group.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn tally(&self, tenant: &Tenant, tally: Tally) -> Result<Vec<TallyRow>, StoreError> {
        Ok(self.tallies(tenant, &[tally]).await?.into_iter().flatten().collect())
    }

    /// A unit of work on the rows of `tenant` for who acts in no entity; use cases of an entity
    /// have [`crate::Context::unit`].
    #[must_use]
    pub fn unit(&self, tenant: Tenant) -> UnitBuilder<'_, ()> {
        UnitBuilder::new(self, tenant, ())
    }

    /// Runs a unit whose decision is shown rows by their place, as stores have it; for tests of
    /// them.
    ///
    /// # Errors
    /// The decision's reason as it is, or the store's failure.
    #[cfg(feature = "testing")]
    pub async fn decide<T, E>(
        &self,
        loads: Vec<Load>,
        series: Option<Series>,
        decide: impl FnOnce(Loaded) -> Result<(T, Writes), E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let unit = self.unit(Tenant::directory()).holding(loads, series);
        unit.decide(move |held| decide(held.loaded.clone())).await
    }

    /// Shows the record `id` of `tenant` to `decide` and writes what it decides.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], the decision's reason as it is, or the store's failure.
    pub async fn amend<A, E>(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        id: String,
        decide: impl FnOnce(A) -> Result<Decision<A>, E> + Send + 'static,
    ) -> Result<A, E>
    where
        A: Record,
        E: From<StoreError> + Send + 'static,
    {
        let mut unit = self.unit(tenant.clone());
        let record = unit.hold(table, id);
        unit.decide(move |held| held.amend(record, decide)).await
    }

    /// Writes new records and what happened, in one commit, without looking at anything.
    ///
    /// # Errors
    /// When the store fails, [`StoreError::Duplicate`] among others.
    pub async fn insert(&self, puts: Vec<Put>, events: Vec<Event>) -> Result<(), StoreError> {
        let unit = self.unit(Tenant::directory());
        unit.decide(move |_| Ok(((), Writes { puts, events, takes_number: false }))).await
    }
}
