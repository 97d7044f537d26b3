//! Racun's store on PostgreSQL, version 15 or later: any number of processes share one database.
//!
//! It works from the declarations ([`Table`]) alone: every table is what [`create_table_sql`] makes
//! of one, and is made by a migration of the top-level folder `migrations`.
//!
//! | Module        | Owns                                                                       |
//! | ------------- | -------------------------------------------------------------------------- |
//! | `schema`      | names, types and indexes of a declared table; the check at the start       |
//! | `listing`     | what is kept for lists of many rows: columns, indexes                      |
//! | `migration`   | the embedded migrations                                                    |
//! | `filter`      | filters, orders and cursors as SQL                                         |
//! | `ask`         | find and lookup: rows by id or by a field, for several askers at once      |
//! | `read`        | list, series, the log                                                      |
//! | `tally`       | figures over rows, all of a report in one statement                        |
//! | `lease`       | whether this process is the only one that writes                           |
//! | `lane`        | what waits for its like, to be done together                               |
//! | `group`       | units that share one: each decides on what those before it decided         |
//! | `transaction` | one transaction: load and hold, write, commit                              |
//! | `hold`        | what units ask to hold, and what they hold                                 |
//! | `wishes`      | what a group wants written                                                 |
//! | `write`       | the statements that write                                                  |
//! | `pool`        | connections                                                                |
//! | `shared`      | lists and figures that several ask for at once                             |
//! | `rate`        | requests, counted for all processes                                        |
//! | `session`     | whose rows a statement reaches, and how it is planned                      |
//! | `statement`   | SQL text with values, and how diesel sends it                              |
//! | `error`       | what PostgreSQL's failures mean to the port                                |
//!
//! **Invariants.** Values are bound, never written into SQL. Rows that are named are held in the
//! order of table, tenant and id, then rows found by a field, then the series, then kept counts.
//! A statement reaches only the rows of tenants that it named to the row-level security. Every
//! transaction runs in a task that no caller ends, whoever waits.

mod ask;
mod error;
mod filter;
mod group;
mod hold;
mod lane;
mod lease;
mod listing;
mod log;
mod migration;
mod pool;
mod rate;
mod read;
mod schema;
mod session;
mod shared;
mod statement;
mod tally;
mod touched;
mod transaction;
mod wishes;
mod write;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Object;
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use racun_kernel::recent::{Answer, Asked, Began, Part};
use racun_kernel::{
    ACTIVITIES, Entry, ListQuery, Read, Rows, Store, StoreError, Stored, Table, Tally, TallyRow,
    Tenant, TransactError, Unit,
};
use tokio::runtime::Handle;

pub use lease::is_in_use;
pub use migration::migrate;
pub use pool::Options;
pub use schema::create_table_sql;

use ask::{Asker, Question};
use group::Waiting;
use lane::{Ending, Lanes};
use lease::Lease;
use rate::Counting;
use shared::{FiguresOf, PageOf, Shared};
use statement::batch;
use transaction::Base;

/// A store on PostgreSQL.
pub struct PgStore {
    base: Base,
    runtime: Handle,
    /// Units wait for those of their tenant.
    units: Lanes<Tenant, Waiting>,
    /// Who asks for rows waits for those with the same question.
    askers: Lanes<Question, Asker>,
    pages: Shared<PageOf>,
    figures: Shared<FiguresOf>,
    /// What one caller reads at once.
    reads: Shared<Vec<Read>>,
    settled: log::Settled,
    counting: Counting,
    /// Whether the last write that met a full disk was not followed by a good one.
    is_full: AtomicBool,
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
        let units = Lanes::with_endings(runtime.clone(), move |_, group, ending| {
            let base = writing.clone();
            async move { group::run(&base, group, ending).await }.boxed()
        });
        let pool = connections.clone();
        let askers = Lanes::new(runtime.clone(), move |question, askers| {
            let pool = pool.clone();
            async move { ask::answer(&pool, question, askers).await }.boxed()
        });
        let pages = Shared::new(runtime.clone(), connections.clone());
        let figures = Shared::new(runtime.clone(), connections.clone());
        let reads = Shared::new(runtime.clone(), connections.clone());
        let settled = log::Settled::default();
        let counting = rate::counting(runtime.clone(), connections);
        let store = Self {
            base,
            runtime,
            units,
            askers,
            pages,
            figures,
            reads,
            settled,
            counting,
            is_full: AtomicBool::new(false),
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
        question: Question,
        values: Vec<String>,
    ) -> Result<Vec<Stored>, StoreError> {
        let (asker, answer) = Asker::new(values);
        self.askers.pass(question, asker).await;
        answer.await.unwrap_or_else(|_| Err(no_answer()))
    }

    /// The cached answer, while this process is alone; or the place in the cache for what is read
    /// now, if there is one.
    fn kept(
        &self,
        part: impl FnOnce() -> Part,
        asked: impl FnOnce() -> Asked,
    ) -> Result<Answer, Option<Box<Place>>> {
        let belief = self.base.lease.belief().ok_or(None)?;
        let (part, asked) = (part(), asked());
        match self.base.lease.recent().answer(&part, &asked) {
            Ok(answer) if belief.held() => Ok(Arc::unwrap_or_clone(answer)),
            Ok(_) => Err(None),
            Err(began) => Err(Some(Box::new(Place { part, asked, began }))),
        }
    }

    /// Keeps `answer`, if there is a place for it.
    fn keep(&self, place: Option<Box<Place>>, answer: Answer) -> Answer {
        let Some(place) = place else { return answer };
        let Place { part, asked, began } = *place;
        let answer = Arc::new(answer);
        self.base.lease.recent().keep(part, asked, began, &answer);
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
        let asked = || Asked::Ids(ids.to_vec());
        let place = match self.kept(|| Part::of(table, tenant), asked) {
            Ok((rows, _)) => return Ok(rows),
            Err(place) => place,
        };
        let rows = self.ask(Question::ids(table, tenant), ids.to_vec()).await?;
        Ok(self.keep(place, (rows, 0)).0)
    }

    async fn lookup(
        &self,
        table: &'static Table,
        field: &'static str,
        value: &str,
    ) -> Result<Vec<Stored>, StoreError> {
        let column = table.indexed_text(field)?;
        let asked = || Asked::Value(column, value.to_owned());
        let place = match self.kept(|| Part::all(table), asked) {
            Ok((rows, _)) => return Ok(rows),
            Err(place) => place,
        };
        let rows = self.ask(Question::field(table, field)?, vec![value.to_owned()]).await?;
        Ok(self.keep(place, (rows, 0)).0)
    }

    async fn list(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        query: &ListQuery,
    ) -> Result<(Vec<Stored>, i64), StoreError> {
        let place = match self.kept(|| Part::of(table, tenant), || Asked::Page(query.clone())) {
            Ok(answer) => return Ok(answer),
            Err(place) => place,
        };
        let page = PageOf { table, tenant: tenant.clone(), query: query.clone() };
        Ok(self.keep(place, self.pages.ask(page).await?))
    }

    async fn read_all(&self, reads: &[Read]) -> Vec<Rows> {
        if self.base.lease.belief().is_some() {
            return join_all(reads.iter().map(|read| read.ask(self))).await;
        }
        match self.reads.ask(reads.to_vec()).await {
            Ok(answers) => answers,
            Err(error) => reads.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    fn changed(&self, table: &'static Table, tenant: &Tenant) -> Option<u64> {
        let belief = self.base.lease.belief()?;
        let changed = self.base.lease.recent().changed(&Part::of(table, tenant))?;
        belief.held().then_some(changed)
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
        match waiting.lane() {
            Some(tenant) => self.units.enter(tenant, waiting),
            None => {
                let base = self.base.clone();
                let alone = Ending::of_nobody();
                self.runtime.spawn(async move { group::run(&base, vec![waiting], alone).await });
            }
        }
        let answer = answer.await.unwrap_or_else(|_| Err(TransactError::Store(no_answer())));
        if answer == Err(TransactError::Store(StoreError::Full)) {
            self.is_full.store(true, Ordering::Relaxed);
        }
        answer
    }

    async fn events_after(&self, position: i64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        self.settled.entries(&*self.connection().await?, position, limit).await
    }

    async fn snapshots(&self, positions: &[i64]) -> Result<Vec<(i64, String)>, StoreError> {
        log::snapshots(&*self.connection().await?, positions).await
    }

    async fn series(&self, tenant: &Tenant) -> Result<Vec<(String, i64)>, StoreError> {
        read::series(&*self.connection().await?, tenant).await
    }

    async fn stored_bytes(&self, tenants: &[Tenant]) -> Result<i64, StoreError> {
        read::stored_bytes(&*self.connection().await?, tenants).await
    }

    async fn ping(&self) -> Result<(), StoreError> {
        let connection = self.connection().await?;
        // Where the disk was full, a write tells whether it still is.
        let sql = match self.is_full.load(Ordering::Relaxed) {
            true => "UPDATE lease SET state = state",
            false => "SELECT 1",
        };
        batch(&connection, sql).await.map_err(|error| error::unavailable(&error))?;
        self.is_full.store(false, Ordering::Relaxed);
        Ok(())
    }
}

/// Where an answer is kept, and when the read of it began.
struct Place {
    part: Part,
    asked: Asked,
    began: Began,
}

fn no_answer() -> StoreError {
    StoreError::Unavailable("a task of the store ended without an answer".to_owned())
}
