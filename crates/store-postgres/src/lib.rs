//! Racun's store on PostgreSQL, version 15 or later: any number of processes share one database.
//!
//! It works from the declarations ([`Table`]) alone: every table is what [`create_table_sql`] makes
//! of one, and is made by a migration of the top-level folder `migrations`.
//!
//! | Module        | Owns                                                                       |
//! | ------------- | -------------------------------------------------------------------------- |
//! | `schema`      | names, types and indexes of a declared table; the check at the start       |
//! | `migration`   | the embedded migrations                                                    |
//! | `filter`      | filters, orders and cursors as SQL                                         |
//! | `ask`         | find and lookup: rows by id or by a field, for several askers at once      |
//! | `read`        | list, series, the log                                                             |
//! | `tally`       | figures over rows, all of a report in one statement                        |
//! | `lane`        | what waits for its like, to be done together                               |
//! | `group`       | units that share one: each decides on what those before it decided         |
//! | `transaction` | one transaction: load and hold, write, commit                              |
//! | `hold`        | what units ask to hold, and what they hold                                 |
//! | `wishes`      | what a group wants written                                                 |
//! | `write`       | the statements that write                                                  |
//! | `pool`        | connections                                                                |
//! | `shared`      | lists and figures that several ask for at once                             |
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
mod log;
mod migration;
mod pool;
mod read;
mod schema;
mod session;
mod shared;
mod statement;
mod tally;
mod transaction;
mod wishes;
mod write;

use async_trait::async_trait;
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Object;
use futures_util::FutureExt as _;
use racun_kernel::{
    ACTIVITIES, ListQuery, Logged, Read, Rows, Store, StoreError, Stored, Table, Tally, TallyRow,
    Tenant, TransactError, Unit,
};
use tokio::runtime::Handle;

pub use migration::migrate;
pub use pool::Options;
pub use schema::create_table_sql;

use ask::{Asker, Question};
use group::Waiting;
use lane::Lanes;
use pool::Connections;
use shared::{FiguresOf, PageOf, Shared};
use statement::batch;

/// A store on PostgreSQL.
pub struct PgStore {
    connections: Connections,
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
        let pool = connections.clone();
        let units = Lanes::new(runtime.clone(), move |_, group| {
            let pool = pool.clone();
            async move { group::run(&pool, group).await }.boxed()
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
        let store = Self { connections, runtime, units, askers, pages, figures, reads, settled };
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

    async fn connection(&self) -> Result<Object<AsyncPgConnection>, StoreError> {
        self.connections.get().await.map_err(error::of_pool)
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
        self.ask(Question::ids(table, tenant), ids.to_vec()).await
    }

    async fn lookup(
        &self,
        table: &'static Table,
        field: &'static str,
        value: &str,
    ) -> Result<Vec<Stored>, StoreError> {
        self.ask(Question::field(table, field)?, vec![value.to_owned()]).await
    }

    async fn list(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        query: &ListQuery,
    ) -> Result<(Vec<Stored>, i64), StoreError> {
        self.pages.ask(PageOf { table, tenant: tenant.clone(), query: query.clone() }).await
    }

    async fn read_all(&self, reads: &[Read]) -> Vec<Rows> {
        match self.reads.ask(reads.to_vec()).await {
            Ok(answers) => answers,
            Err(error) => reads.iter().map(|_| Err(error.clone())).collect(),
        }
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
                let pool = self.connections.clone();
                self.runtime.spawn(async move { group::run(&pool, vec![waiting]).await });
            }
        }
        answer.await.unwrap_or_else(|_| Err(TransactError::Store(no_answer())))
    }

    async fn events_after(&self, position: i64, limit: usize) -> Result<Vec<Logged>, StoreError> {
        self.settled.entries(&*self.connection().await?, position, limit).await
    }

    async fn series(&self, tenant: &Tenant) -> Result<Vec<(String, i64)>, StoreError> {
        read::series(&*self.connection().await?, tenant).await
    }

    async fn ping(&self) -> Result<(), StoreError> {
        let connection = self.connection().await?;
        batch(&connection, "SELECT 1").await.map_err(|error| error::unavailable(&error))
    }
}

fn no_answer() -> StoreError {
    StoreError::Unavailable("a task of the store ended without an answer".to_owned())
}
