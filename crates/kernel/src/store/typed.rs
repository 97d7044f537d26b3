//! Typed access to a store: records instead of rows, and decisions that answer a value.

use std::sync::{Arc, Mutex};

use super::put::bytes_of;
use super::{
    Event, Load, Loaded, Put, Refusal, Series, Store, StoreError, Tenant, TransactError, Unit,
    Writes,
};
use crate::{ListQuery, Page, Record, Table, Tally, TallyRow, log};

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
}

/// Where a decision leaves its answer for whoever made the unit.
type Slot<T> = Arc<Mutex<Option<T>>>;

fn fill<T>(slot: &Slot<T>, value: T) {
    *slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(value);
}

fn take<T>(slot: &Slot<T>) -> Option<T> {
    slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take()
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

    /// Runs a unit whose decision answers a value of its own or refuses with a reason.
    ///
    /// # Errors
    /// The decision's reason as it is, or the store's failure.
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
        let slot: Slot<Result<T, E>> = Slot::default();
        let answer = Arc::clone(&slot);
        let tables: Vec<_> = loads.iter().map(Load::table).collect();
        let decide = Box::new(move |loaded: Loaded| {
            let shown: Vec<_> = tables.into_iter().zip(loaded.rows.iter().cloned()).collect();
            match decide(loaded) {
                Ok((value, mut writes)) => {
                    log::complete(&shown, &mut writes);
                    fill(&answer, Ok(value));
                    Ok(writes)
                }
                Err(reason) => {
                    fill(&answer, Err(reason));
                    Err(Refusal)
                }
            }
        });
        match self.transact(Unit { loads, series, decide }).await {
            Ok(()) | Err(TransactError::Refused) => take(&slot).unwrap_or_else(|| {
                Err(StoreError::Unavailable("a unit ended without a decision".to_owned()).into())
            }),
            Err(TransactError::Store(error)) => Err(error.into()),
        }
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
        let load = Load::One { table, tenant: tenant.clone(), id: id.clone() };
        self.decide(vec![load], None, move |loaded| {
            let row = loaded.rows.into_iter().flatten().next();
            let before: A = row.ok_or(StoreError::NotFound { id })?.read(table)?;
            let (was_trashed, bytes) = (before.is_trashed(), bytes_of(&before));
            Ok(match decide(before)? {
                Decision::Unchanged(record) => (record, Writes::default()),
                Decision::Changed { record, beside, events } => {
                    let mut puts = vec![Put::replacing(was_trashed, bytes, &record)];
                    puts.extend(beside);
                    (record, Writes { puts, events, takes_number: false })
                }
            })
        })
        .await
    }

    /// Writes new records and what happened, in one commit, without looking at anything.
    ///
    /// # Errors
    /// When the store fails, [`StoreError::Duplicate`] among others.
    pub async fn insert(&self, puts: Vec<Put>, events: Vec<Event>) -> Result<(), StoreError> {
        self.decide(Vec::new(), None, move |_| {
            Ok(((), Writes { puts, events, takes_number: false }))
        })
        .await
    }
}
