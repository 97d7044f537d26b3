//! Racun's store on PostgreSQL, version 15 or later: any number of processes share one database.
//!
//! It works from the declarations ([`Table`]) alone: every table is what [`create_table_sql`] makes
//! of one, and is made by a migration of the top-level folder `migrations`.
//!
//! | Module      | Owns                                                                       |
//! | ----------- | -------------------------------------------------------------------------- |
//! | `schema`    | names, types and indexes of a declared table; the check at the start       |
//! | `migration` | the embedded migrations                                                    |
//! | `filter`    | filters, orders and cursors as SQL                                         |
//! | `read`      | find, lookup, list, series                                                 |
//! | `tally`     | figures over rows, all of a report in one statement                        |
//! | `group`     | one transaction: load and hold, decide, write, commit                      |
//! | `hold`      | what units ask to hold, and what they hold                                 |
//! | `write`     | the statements that write                                                  |
//! | `lane`      | which units of one series share a transaction                              |
//! | `pool`      | connections                                                                |
//! | `session`   | whose rows a statement reaches, and how it is planned                      |
//! | `statement` | SQL text with values, and how diesel sends it                              |
//! | `error`     | what PostgreSQL's failures mean to the port                                |
//!
//! **Invariants.** Values are bound, never written into SQL. Rows that are named are held in the
//! order of table, tenant and id, then rows found by a field, then the series, then kept counts.
//! A statement reaches only the rows of tenants that it named to the row-level security. Every
//! transaction runs in a task of its own and ends, whoever waits.

mod error;
mod filter;
mod group;
mod hold;
mod lane;
mod migration;
mod pool;
mod read;
mod schema;
mod session;
mod statement;
mod tally;
mod write;

use async_trait::async_trait;
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Object;
use racun_kernel::{
    ListQuery, Store, StoreError, Stored, Table, Tally, TallyRow, Tenant, TransactError, Unit,
};
use tokio::runtime::Handle;

pub use migration::migrate;
pub use pool::Options;
pub use schema::create_table_sql;

use lane::Lanes;
use pool::Connections;
use statement::batch;

/// A store on PostgreSQL.
pub struct PgStore {
    connections: Connections,
    lanes: Lanes,
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
        let lanes = Lanes::new(connections.clone(), runtime);
        let store = Self { connections, lanes };
        store.ping().await?;
        Ok(store)
    }

    /// Compares the declarations with the database: tables, columns, their types, unique indexes
    /// and row-level security.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`], whose text names in one line what is missing or different.
    pub async fn check(&self, tables: &[&'static Table]) -> Result<(), StoreError> {
        schema::check(&*self.connection().await?, tables).await
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
        read::find(&*self.connection().await?, table, tenant, ids).await
    }

    async fn lookup(
        &self,
        table: &'static Table,
        field: &'static str,
        value: &str,
    ) -> Result<Vec<Stored>, StoreError> {
        read::lookup(&*self.connection().await?, table, field, value).await
    }

    async fn list(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        query: &ListQuery,
    ) -> Result<(Vec<Stored>, i64), StoreError> {
        read::list(&*self.connection().await?, table, tenant, query).await
    }

    async fn tallies(
        &self,
        tenant: &Tenant,
        tallies: &[Tally],
    ) -> Result<Vec<Vec<TallyRow>>, StoreError> {
        if tallies.is_empty() {
            return Ok(Vec::new());
        }
        tally::tallies(&*self.connection().await?, tenant, tallies).await
    }

    async fn transact(&self, unit: Unit) -> Result<(), TransactError> {
        self.lanes.submit(unit).await
    }

    async fn series(&self, tenant: &Tenant) -> Result<Vec<(String, i64)>, StoreError> {
        read::series(&*self.connection().await?, tenant).await
    }

    async fn ping(&self) -> Result<(), StoreError> {
        let connection = self.connection().await?;
        batch(&connection, "SELECT 1").await.map_err(|error| error::unavailable(&error))
    }
}
