//! Blocking SQL, callable from everywhere, async tests included.

use std::io;
use std::panic;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls};

/// How long an answer to a connection attempt may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// How long to knock at a server that is there, but full or still recovering.
const BUSY_LIMIT: Duration = Duration::from_secs(60);

/// A connection, for the time of one [`with`].
pub(crate) struct Session<'a> {
    runtime: &'a Runtime,
    client: &'a Client,
}

impl Session<'_> {
    /// Runs one statement outside of a transaction.
    pub(crate) fn run(&self, statement: &str) -> anyhow::Result<()> {
        self.runtime
            .block_on(self.client.batch_execute(statement))
            .with_context(|| format!("`{statement}` failed"))
    }

    /// The first column of the first row, a text.
    pub(crate) fn text(
        &self,
        query: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> anyhow::Result<Option<String>> {
        self.runtime
            .block_on(self.client.query_opt(query, parameters))
            .and_then(|row| row.map(|row| row.try_get(0)).transpose())
            .with_context(|| format!("`{query}` failed"))
    }
}

/// Connects, calls `work` and disconnects.
///
/// It all happens on a thread of its own: the caller may be inside of an async runtime, where
/// neither we nor `work` could block on another one.
pub(crate) fn with<T: Send>(
    url: &str,
    work: impl FnOnce(&Session<'_>) -> anyhow::Result<T> + Send,
) -> anyhow::Result<T> {
    let task = || {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (client, connection) = runtime.block_on(connect(url))?;
        let result = work(&Session { runtime: &runtime, client: &client });
        drop(client);
        // Lets the server know, so that it does not find out by a broken connection.
        let _said_goodbye = runtime.block_on(connection);
        result
    };
    thread::scope(|scope| scope.spawn(task).join())
        .unwrap_or_else(|panic| panic::resume_unwind(panic))
}

/// Whether an error of [`with`] means that no server listens there.
pub(crate) fn a_closed_port_is_a_failure(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::ConnectionRefused)
}

type Connection = tokio::task::JoinHandle<Result<(), tokio_postgres::Error>>;

async fn connect(url: &str) -> anyhow::Result<(Client, Connection)> {
    let deadline = Instant::now() + BUSY_LIMIT;
    loop {
        let attempt = tokio::time::timeout(CONNECT_LIMIT, tokio_postgres::connect(url, NoTls))
            .await
            .context("the PostgreSQL server does not answer")?;
        match attempt {
            Ok((client, connection)) => return Ok((client, tokio::spawn(connection))),
            Err(error) if is_busy(&error) && Instant::now() < deadline => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(error) => return Err(error).context("cannot connect to the PostgreSQL server"),
        }
    }
}

fn is_busy(error: &tokio_postgres::Error) -> bool {
    [&SqlState::TOO_MANY_CONNECTIONS, &SqlState::CANNOT_CONNECT_NOW]
        .into_iter()
        .any(|state| error.code() == Some(state))
}
