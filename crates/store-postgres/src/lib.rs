//! Racun's store on PostgreSQL, version 15 or later: any number of processes share one database.
//!
//! It works from the declarations ([`Table`]) alone: every table is what [`create_table_sql`] makes
//! of one, and is made by a migration of the top-level folder `migrations`.
//!
//! | Module          | Owns                                                                 |
//! | --------------- | -------------------------------------------------------------------- |
//! | `schema`        | names, types and indexes of a declared table; the check at the start |
//! | `listing`       | columns and indexes that long lists need                             |
//! | `migration`     | the embedded migrations                                              |
//! | `filter`        | filters, orders and cursors as SQL                                   |
//! | `lookup_batch`  | find and lookup: one statement for several callers                   |
//! | `single_flight` | equal reads at the same moment share one round trip                  |
//! | `read`          | lists and series                                                     |
//! | `tally`         | figures over rows, all of a report in one statement                  |
//! | `log`           | the log of activities in its settled order                           |
//! | `lease`         | whether this process is the only writer                              |
//! | `keys`          | no process opens the master key while it is being changed            |
//! | `batcher`       | batches of items with one key                                        |
//! | `group`         | units that share a transaction: each sees the decisions before it    |
//! | `conflict_set`  | the rows a batch reads or writes                                     |
//! | `transaction`   | one transaction: load and lock, write, commit                        |
//! | `lock`          | the rows that units ask to lock, and the locked rows                 |
//! | `write_set`     | the merged write set of a batch                                      |
//! | `write`         | the statements that write                                            |
//! | `pool`          | connections                                                          |
//! | `rate`          | requests, counted for all processes                                  |
//! | `session`       | tenants and planner settings in front of a statement                 |
//! | `statement`     | SQL text with values, and how diesel sends it                        |
//! | `error`         | what PostgreSQL's failures mean to the port                          |
//!
//! **Invariants.** Values are bound, never written into SQL. Rows that are named are locked in the
//! order of table, tenant and id, then rows found by a field, then the series, then kept counts.
//! A statement reaches only rows of the tenants that it named to the row-level security. Every
//! transaction runs in a task that goes on when its caller stops waiting.

mod batcher;
mod conflict_set;
mod error;
mod filter;
mod group;
mod keys;
mod lease;
mod listing;
mod lock;
mod log;
mod lookup_batch;
mod migration;
mod pool;
mod rate;
mod read;
mod schema;
mod session;
mod single_flight;
mod statement;
mod tally;
mod transaction;
mod write;
mod write_set;

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Object;
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use racun_kernel::Tenant;
use racun_store::read_cache::{CacheKey, CacheScope, CachedRows, ReadTicket};
use racun_store::{
    ACTIVITIES, Entry, Fullness, ListQuery, Look, Read, Rows, Store, StoreError, Stored, Table,
    Tally, TallyRow, TransactError, Unit,
};
use time::OffsetDateTime;
use tokio::runtime::Handle;

pub use keys::{KeyHold, hold_key, hold_key_alone};
pub use migration::migrate;
pub use pool::Options;
pub use schema::create_table_sql;

use batcher::{Batcher, CommitPhase};
use group::Waiting;
use lease::Lease;
use lookup_batch::{LookupKey, Waiter};
use rate::Counting;
use single_flight::{FiguresOf, PageOf, SingleFlight};
use statement::batch;
use transaction::Base;

/// A store on PostgreSQL.
pub struct PgStore {
    base: Base,
    runtime: Handle,
    /// Batches units by tenant.
    units: Batcher<Tenant, Waiting>,
    /// Batches lookups that one statement answers.
    lookups: Batcher<LookupKey, Waiter>,
    pages: SingleFlight<PageOf>,
    figures: SingleFlight<FiguresOf>,
    /// Several reads of one caller.
    reads: SingleFlight<Vec<Read>>,
    settled: log::Settled,
    counting: Counting,
    fullness: Fullness,
}

impl PgStore {
    /// Opens the store at `url` (`postgres://user@host/database`), on the runtime that this is
    /// called from: a multi-threaded one that lives as long as the store.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when there is no database at `url`.
    pub async fn connect(url: &str, options: Options) -> Result<Self, StoreError> {
        let runtime = Handle::current();
        let connections = pool::pool(url, options, runtime.clone())?;
        let lease = Arc::new(Lease::of(url, options.others_write, &runtime));
        let base = Base { connections: connections.clone(), lease };
        let writing = base.clone();
        let units = Batcher::with_commit_phase(runtime.clone(), move |_, group, commit_phase| {
            let base = writing.clone();
            async move { group::run(&base, group, commit_phase).await }.boxed()
        });
        let pool = connections.clone();
        let lookups = Batcher::new(runtime.clone(), move |question, lookups| {
            let pool = pool.clone();
            async move { lookup_batch::answer(&pool, question, lookups).await }.boxed()
        });
        let pages = SingleFlight::new(runtime.clone(), connections.clone());
        let figures = SingleFlight::new(runtime.clone(), connections.clone());
        let reads = SingleFlight::new(runtime.clone(), connections.clone());
        let settled = log::Settled::default();
        let counting = rate::counting(runtime.clone(), connections);
        let store = Self {
            base,
            runtime,
            units,
            lookups,
            pages,
            figures,
            reads,
            settled,
            counting,
            fullness: Fullness::default(),
        };
        store.ping().await?;
        Ok(store)
    }

    /// Compares the declarations with the database: tables, columns, their types, unique indexes
    /// and row-level security.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`], whose text names in one line what is missing or different.
    pub async fn check(&self, tables: &[&'static Table]) -> Result<(), StoreError> {
        let tables: Vec<_> = std::iter::once(&ACTIVITIES).chain(tables.iter().copied()).collect();
        schema::check(&*self.connection().await?, &tables).await
    }

    async fn ask(
        &self,
        question: LookupKey,
        values: Vec<String>,
    ) -> Result<Vec<Stored>, StoreError> {
        let (asker, answer) = Waiter::new(values);
        self.lookups.pass(question, asker).await;
        answer.await.unwrap_or_else(|_| Err(no_answer()))
    }

    /// The cached answer, while this process is alone; or the slot in the cache for the answer of
    /// the read that follows, if there is one.
    fn kept(
        &self,
        scope: impl FnOnce() -> CacheScope,
        key: impl FnOnce() -> CacheKey,
    ) -> Result<CachedRows, Option<Box<CacheSlot>>> {
        let validity = self.base.lease.validity().ok_or(None)?;
        let (scope, key) = (scope(), key());
        match self.base.lease.cache().get(&scope, &key) {
            Ok(answer) if validity.held() => Ok(Arc::unwrap_or_clone(answer)),
            Ok(_) => Err(None),
            Err(ticket) => Err(Some(Box::new(CacheSlot { scope, key, ticket }))),
        }
    }

    /// Caches `answer`, if there is a slot for it.
    fn keep(&self, place: Option<Box<CacheSlot>>, answer: CachedRows) -> CachedRows {
        let Some(place) = place else { return answer };
        let CacheSlot { scope, key, ticket } = *place;
        let answer = Arc::new(answer);
        self.base.lease.cache().insert(scope, key, ticket, &answer);
        Arc::unwrap_or_clone(answer)
    }

    async fn connection(&self) -> Result<Object<AsyncPgConnection>, StoreError> {
        self.base.connections.get().await.map_err(error::of_pool)
    }
}

#[async_trait]
impl Store for PgStore {
    async fn find(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        ids: &[String],
    ) -> Result<Vec<Stored>, StoreError> {
        let asked = || CacheKey::Ids(ids.to_vec());
        let place = match self.kept(|| CacheScope::of(table, tenant), asked) {
            Ok((rows, _)) => return Ok(rows),
            Err(place) => place,
        };
        let rows = self.ask(LookupKey::ids(table, tenant), ids.to_vec()).await?;
        Ok(self.keep(place, (rows, 0)).0)
    }

    async fn lookup(
        &self,
        table: &'static Table,
        field: &'static str,
        value: &str,
    ) -> Result<Vec<Stored>, StoreError> {
        let column = table.indexed_text(field)?;
        let asked = || CacheKey::Value(column, value.to_owned());
        let place = match self.kept(|| CacheScope::all(table), asked) {
            Ok((rows, _)) => return Ok(rows),
            Err(place) => place,
        };
        let rows = self.ask(LookupKey::field(table, field)?, vec![value.to_owned()]).await?;
        Ok(self.keep(place, (rows, 0)).0)
    }

    async fn list(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        query: &ListQuery,
    ) -> Result<(Vec<Stored>, i64), StoreError> {
        let place =
            match self.kept(|| CacheScope::of(table, tenant), || CacheKey::Page(query.clone())) {
                Ok(answer) => return Ok(answer),
                Err(place) => place,
            };
        let page = PageOf { table, tenant: tenant.clone(), query: query.clone() };
        Ok(self.keep(place, self.pages.ask(page).await?))
    }

    async fn read_all(&self, reads: &[Read]) -> Vec<Rows> {
        if self.base.lease.validity().is_some() {
            return join_all(reads.iter().map(|read| read.ask(self))).await;
        }
        match self.reads.ask(reads.to_vec()).await {
            Ok(answers) => answers,
            Err(error) => reads.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    fn changed(&self, table: &'static Table, tenant: &Tenant) -> Option<u64> {
        let validity = self.base.lease.validity()?;
        let changed = self.base.lease.cache().changed(&CacheScope::of(table, tenant))?;
        validity.held().then_some(changed)
    }

    async fn tallies(
        &self,
        tenant: &Tenant,
        tallies: &[Tally],
    ) -> Result<Vec<Vec<TallyRow>>, StoreError> {
        if tallies.is_empty() {
            return Ok(Vec::new());
        }
        let question = FiguresOf { tenant: tenant.clone(), tallies: tallies.to_vec() };
        self.figures.ask(question).await
    }

    async fn transact(&self, unit: Unit) -> Result<(), TransactError> {
        let (waiting, answer) = Waiting::new(unit);
        match waiting.batch_key() {
            Some(tenant) => self.units.enter(tenant, waiting),
            None => {
                let base = self.base.clone();
                let alone = CommitPhase::unobserved();
                self.runtime.spawn(async move { group::run(&base, vec![waiting], alone).await });
            }
        }
        let answer = answer.await.unwrap_or_else(|_| Err(TransactError::Store(no_answer())));
        if answer == Err(TransactError::Store(StoreError::Full)) {
            self.fullness.refuse();
        }
        answer
    }

    async fn events_after(&self, position: i64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.settled.entries(&*self.connection().await?, position, limit).await
    }

    async fn snapshots(&self, positions: &[i64]) -> Result<Vec<(i64, String)>, StoreError> {
        log::snapshots(&*self.connection().await?, positions).await
    }

    async fn forget_snapshots(
        &self,
        tenant: &Tenant,
        until: i64,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        log::forget(&*self.connection().await?, tenant, until, before, limit).await
    }

    async fn series(&self, tenant: &Tenant) -> Result<Vec<(String, i64)>, StoreError> {
        read::series(&*self.connection().await?, tenant).await
    }

    async fn stored_bytes(&self, tenants: &[Tenant]) -> Result<i64, StoreError> {
        read::stored_bytes(&*self.connection().await?, tenants).await
    }

    async fn ping(&self) -> Result<(), StoreError> {
        let connection = self.connection().await?;
        let (sql, probe) = match self.fullness.look(Instant::now()) {
            Look::HasRoom => ("SELECT 1", None),
            Look::IsFull => return Err(StoreError::Full),
            Look::Probe(probe) => (PROBE, Some(probe)),
        };
        batch(&connection, sql).await.map_err(|error| error::unavailable(&error))?;
        if let Some(probe) = probe {
            self.fullness.found_room(probe);
        }
        Ok(())
    }
}

/// Writes [`Fullness::PROBE`] bytes, to see whether there is room on the disk: in a table of its
/// own, for others may have free pages. A batch is one transaction, at whose end the table goes.
const PROBE: &str = "
    UPDATE lease SET state = state;
    DO $$
    BEGIN
        CREATE TEMPORARY TABLE racun_probe (bytes text) ON COMMIT DROP;
        ALTER TABLE racun_probe ALTER bytes SET STORAGE EXTERNAL;
        INSERT INTO racun_probe SELECT repeat('x', 1048576) FROM generate_series(1, 4);
    EXCEPTION
        WHEN insufficient_privilege THEN NULL;
    END
    $$;
";

/// Where an answer is kept, and when the read of it began.
struct CacheSlot {
    scope: CacheScope,
    key: CacheKey,
    ticket: ReadTicket,
}

fn no_answer() -> StoreError {
    StoreError::Unavailable("a task of the store ended without an answer".to_owned())
}
