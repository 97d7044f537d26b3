//! Connections: how they are opened, and how one is kept for a transaction.

use std::ops::Deref;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::QueueMode;
use diesel::ConnectionError;
use diesel_async::pooled_connection::deadpool::{Object, Pool};
use diesel_async::pooled_connection::{
    AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod,
};
use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use futures_util::FutureExt;
use racun_store::StoreError;
use tokio::runtime::Handle;

use crate::error::of_pool;
use crate::session::usual;

/// How a [`crate::PgStore`] uses its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Connections of this process, at most; one more is for knowing whether it is alone.
    pub connections: usize,
    /// Whether others than stores of Racun change rows, so that nothing read may be kept.
    pub others_write: bool,
    /// How long a statement may take, in whole milliseconds; zero is without a bound.
    pub statement_time: Duration,
    /// How long a statement may wait for rows that another transaction holds; as above.
    pub row_time: Duration,
}

impl Options {
    /// Enough for a small server of its own; the flush of a commit is waited for, not computed.
    pub const DEFAULT_CONNECTIONS: usize = 16;
    /// How long an operation waits for a connection.
    pub const WAIT: Duration = Duration::from_secs(1);
    /// How long opening a connection may take.
    pub const CONNECT: Duration = Duration::from_secs(5);

    /// SQL that bounds what each statement of a connection takes.
    fn bounds(self) -> String {
        let (statement, row) = (self.statement_time.as_millis(), self.row_time.as_millis());
        format!("SET statement_timeout = {statement}; SET lock_timeout = {row}")
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            connections: Self::DEFAULT_CONNECTIONS,
            others_write: false,
            statement_time: Duration::from_secs(5),
            row_time: Duration::from_secs(2),
        }
    }
}

/// What every connection begins with. Joins are only with a handful of values, so each goes through
/// an index, and no statement is worth compiling; see also [`crate::session`]. Where the text of
/// all rows is looked through, few are found, though the planner expects a third: others may help.
/// The parts of a day's documents that a report looks at are some megabytes: PostgreSQL's default
/// of four would write them to a file on their way.
/// Where the role cannot be taken, the fence binds the role that logged in, unless it is a
/// superuser's. Bodies are compressed by the faster method of the two, where the server was built
/// with it: the other one takes half of the time of writing an invoice.
const SETUP: &str = "
    SET idle_in_transaction_session_timeout = '10s';
    SET jit = off;
    SET enable_hashjoin = off;
    SET enable_mergejoin = off;
    SET parallel_tuple_cost = 0.001;
    SELECT set_config('work_mem', '16MB', false)
        WHERE pg_size_bytes(current_setting('work_mem')) < pg_size_bytes('16MB');
    DO $$
    BEGIN
        SET ROLE racun_app;
    EXCEPTION
        WHEN invalid_parameter_value OR insufficient_privilege THEN NULL;
    END
    $$;
    DO $$
    BEGIN
        SET default_toast_compression = 'lz4';
    EXCEPTION
        WHEN invalid_parameter_value THEN NULL;
    END
    $$;
";

/// In how many parts a list's count is kept; see [`crate::write::count`].
const SHARDS: u16 = 16;

pub(crate) type Connections = Pool<AsyncPgConnection>;

/// A connection, set up as all are and then as `further` says. It lives on the present runtime.
async fn open(
    url: &str,
    options: Options,
    further: &str,
) -> Result<AsyncPgConnection, ConnectionError> {
    let mut connection = AsyncPgConnection::establish(url).await?;
    let setup = format!("{SETUP} {}; {}; {further};", options.bounds(), usual());
    let ready = connection.batch_execute(&setup).await;
    ready.map_err(ConnectionError::CouldntSetupConfiguration)?;
    Ok(connection)
}

/// A connection beside those of a store, for locks that last as long as it does.
pub(crate) async fn session(url: &str) -> Result<AsyncPgConnection, String> {
    open(url, Options::default(), "").await.map_err(|error| error.to_string())
}

/// A pool whose connections all live on `runtime`: one that is driven by a busy worker's own
/// runtime would stand still together with that worker.
pub(crate) fn pool(
    url: &str,
    options: Options,
    runtime: Handle,
) -> Result<Connections, StoreError> {
    let mut config = ManagerConfig::default();
    config.recycling_method = RecyclingMethod::Fast;
    let opened = AtomicU16::new(0);
    config.custom_setup = Box::new(move |url| {
        let shard = opened.fetch_add(1, Ordering::Relaxed) % SHARDS;
        let url = url.to_owned();
        let further = format!("SET racun.shard = {shard}");
        let opening = runtime.spawn(async move { open(&url, options, &further).await });
        let stopped = |error| ConnectionError::BadConnection(format!("opening stopped: {error}"));
        async move { opening.await.map_err(stopped)? }.boxed()
    });
    let manager = AsyncDieselConnectionManager::new_with_config(url, config);
    Pool::builder(manager)
        .max_size(options.connections)
        // The one that was used last: its server process has the tables and plans at hand.
        .queue_mode(QueueMode::Lifo)
        .wait_timeout(Some(Options::WAIT))
        .create_timeout(Some(Options::CONNECT))
        .runtime(Runtime::Tokio1)
        .build()
        .map_err(|error| StoreError::Unavailable(error.to_string()))
}

/// A connection with a transaction under way. Unless it is [`Held::release`]d, it is closed rather
/// than given back: no other task may get a connection inside a transaction that is not its own.
pub(crate) struct Held(Option<Object<AsyncPgConnection>>);

impl Held {
    pub(crate) async fn take(pool: &Connections) -> Result<Self, StoreError> {
        Ok(Self(Some(pool.get().await.map_err(of_pool)?)))
    }

    /// Gives the connection back. The transaction has ended.
    pub(crate) fn release(mut self) {
        self.0 = None;
    }
}

impl Deref for Held {
    type Target = AsyncPgConnection;

    fn deref(&self) -> &AsyncPgConnection {
        self.0.as_ref().expect("it is taken out only by release and drop, which consume it")
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(connection) = self.0.take() {
            drop(Object::take(connection));
        }
    }
}
