//! The store: queues in front of the threads that own the connections.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use async_trait::async_trait;
use racun_kernel::Tenant;
use racun_store::read_cache::{CacheKey, CacheScope, CachedRows, ReadCache};
use racun_store::{
    ACTIVITIES, Entry, Fullness, ListQuery, Look, Store, StoreError, Stored, Table, Tally,
    TallyRow, TransactError, Unit,
};
use rusqlite::Connection;
use time::OffsetDateTime;
use tokio::sync::{mpsc, oneshot};

use crate::settling::Settling;
use crate::turns::Turns;
use crate::writer::{Job, Waiting};
use crate::{
    OpenError, columns, connection, declaration, forgetting, read, readers, schema, select, tally,
    upgrade, writer,
};

/// Units, or reads, that may wait; callers beyond them wait to get into the queue.
const QUEUE: usize = 1024;

/// Whose reads those are that belong to no tenant: of what lets requests in, and of jobs.
const SHARED: &str = "";

/// Whose turn a read of the rows of `tenant` takes. Those of the directory let requests in.
fn turn_of(tenant: &Tenant) -> &str {
    if *tenant == Tenant::directory() { SHARED } else { tenant.as_str() }
}

/// Everything, in one SQLite file or in memory.
///
/// Dropping it finishes what is queued and closes the file; the drop waits for that.
pub struct SqliteStore {
    /// `None` only while it is dropped.
    writes: Option<mpsc::Sender<Job>>,
    /// `None` in memory, where the writer's connection is the only one.
    reads: Option<Arc<Turns<read::Read>>>,
    /// `None` only while it is dropped.
    writer: Option<JoinHandle<()>>,
    readers: Vec<JoinHandle<()>>,
    cache: Arc<ReadCache>,
    fullness: Arc<Fullness>,
    /// Released after all connections are closed.
    _lock: Option<File>,
}

/// How a file is opened.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Options {
    /// The version of the declarations, from 1.
    pub version: u32,
    /// Rows of the segments that lists are found by, see `columns`.
    pub rows: usize,
    /// The bytes that are free on the disk, in the place of those that are.
    pub room: Option<u64>,
    /// Called after each step of an upgrade.
    pub after_step: Option<fn()>,
}

impl Default for Options {
    fn default() -> Self {
        Self { version: 1, rows: columns::ROWS, room: None, after_step: None }
    }
}

impl SqliteStore {
    /// Opens the file at `path`, made when there is none, with these tables, which are those of
    /// `version`. Blocks: a file of an earlier version is upgraded first, and kept as it was under
    /// `<path>.before-<version>`.
    ///
    /// A file belongs to one process at a time: beside it stands a `.lock` file.
    ///
    /// # Errors
    /// When another process has it open, when it is no file of Racun's or one of a later version,
    /// when it cannot be upgraded, when a declaration cannot be kept, or when the disk fails.
    pub fn open(path: &Path, tables: &[&'static Table], version: u32) -> Result<Self, OpenError> {
        Self::open_with(path, tables, &Options { version, ..Options::default() })
    }

    /// The same with options of tests.
    ///
    /// # Errors
    /// Those of [`SqliteStore::open`].
    #[doc(hidden)]
    pub fn open_with(
        path: &Path,
        tables: &[&'static Table],
        options: &Options,
    ) -> Result<Self, OpenError> {
        declaration::check(tables)?;
        let lock = connection::lock(path)?;
        let failed = |error| OpenError::sqlite(path, error);
        let connection = upgrade::open(path, tables, options)?;
        let settling = Settling::of(&connection, tables, options.rows).map_err(failed)?;
        let readers = (0..readers::THREADS)
            .map(|_| connection::open_reader(path))
            .collect::<Result<Vec<_>, _>>()
            .map_err(failed)?;
        Self::start(path, connection, settling, readers, Some(lock))
    }

    /// A store that lives as long as it is held.
    ///
    /// # Errors
    /// When a declaration cannot be kept.
    pub fn in_memory(tables: &[&'static Table]) -> Result<Self, OpenError> {
        let path = Path::new(":memory:");
        declaration::check(tables)?;
        let failed = |error| OpenError::sqlite(path, error);
        let mut connection = connection::open_in_memory().map_err(failed)?;
        schema::create_all(&mut connection, tables, 1).map_err(failed)?;
        let settling = Settling::of(&connection, tables, columns::ROWS).map_err(failed)?;
        Self::start(path, connection, settling, Vec::new(), None)
    }

    fn start(
        path: &Path,
        connection: Connection,
        settling: Settling,
        readers: Vec<Connection>,
        lock: Option<File>,
    ) -> Result<Self, OpenError> {
        let failed = |error| OpenError::io(path, error);
        let (writes, queued_writes) = mpsc::channel(QUEUE);
        let cache = Arc::new(ReadCache::new(true));
        let fullness = Arc::<Fullness>::default();
        let told = Arc::clone(&fullness);
        let writer = writer::spawn(connection, queued_writes, Arc::clone(&cache), settling, told);
        let writer = Some(writer.map_err(failed)?);
        let (mut reads, mut threads) = (None, Vec::new());
        if !readers.is_empty() {
            let turns = Arc::new(Turns::new(QUEUE, readers::OF_ONE_TENANT));
            threads = readers::spawn(readers, &turns).map_err(failed)?;
            reads = Some(turns);
        }
        Ok(Self {
            writes: Some(writes),
            reads,
            writer,
            readers: threads,
            cache,
            fullness,
            _lock: lock,
        })
    }

    /// Finishes what is queued, writes all that was committed into the file itself, and cuts the
    /// log beside it to nothing. Remaining handles can read, and no longer write.
    ///
    /// # Errors
    /// When the disk fails, or a reader of another program keeps the log in use.
    pub async fn close(&self) -> Result<(), StoreError> {
        let (answer, closed) = oneshot::channel();
        let writes = self.writes.as_ref().ok_or_else(ended)?;
        writes.send(Job::Close(answer)).await.map_err(|_| ended())?;
        closed.await.map_err(|_| ended())?
    }

    /// Runs `read` on a connection of another thread, when it is the turn of `whose` reads.
    async fn read<T: Send + 'static>(
        &self,
        whose: &str,
        read: impl FnOnce(&mut Connection) -> Result<T, rusqlite::Error> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (sender, answer) = oneshot::channel();
        let read: read::Read = Box::new(move |connection| {
            // The receiver may have been dropped.
            let _ = sender.send(read(connection));
        });
        let queued = match (&self.reads, &self.writes) {
            (Some(reads), _) => {
                reads.push(whose, read).await;
                Ok(())
            }
            (None, Some(writes)) => writes.send(Job::Read(read)).await.map_err(|_| ended()),
            (None, None) => Err(ended()),
        };
        queued?;
        answer.await.map_err(|_| ended())?.map_err(crate::error::of_question)
    }

    /// Writes where the disk was full, to see whether it still is.
    async fn probe(&self) -> Result<(), StoreError> {
        self.write(writer::probe).await
    }

    /// Runs `write`, which is no unit, on the writing thread.
    async fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (sender, answer) = oneshot::channel();
        let write: read::Read = Box::new(move |connection| {
            // The receiver may have been dropped.
            let _ = sender.send(write(connection));
        });
        let writes = self.writes.as_ref().ok_or_else(ended)?;
        writes.send(Job::Read(write)).await.map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?.map_err(crate::error::unavailable)
    }

    /// The cached answer for `key`, or what `read` answers in the turn of `whose` reads.
    async fn cached(
        &self,
        whose: &str,
        scope: CacheScope,
        key: CacheKey,
        read: impl FnOnce(&mut Connection) -> Result<CachedRows, rusqlite::Error> + Send + 'static,
    ) -> Result<CachedRows, StoreError> {
        let ticket = match self.cache.get(&scope, &key) {
            Ok(answer) => return Ok(Arc::unwrap_or_clone(answer)),
            Err(ticket) => ticket,
        };
        let answer = Arc::new(self.read(whose, read).await?);
        self.cache.insert(scope, key, ticket, &answer);
        Ok(Arc::unwrap_or_clone(answer))
    }
}

/// The threads have ended, or one has panicked over this job.
fn ended() -> StoreError {
    StoreError::Unavailable("the store's thread gave no answer".to_owned())
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        // The writer closes its connection last. Only a connection that finds no other one open
        // removes the log; of two that close at one moment neither may.
        if let Some(reads) = self.reads.take() {
            reads.close();
        }
        self.readers.drain(..).for_each(wait_for);
        self.writes = None;
        self.writer.take().into_iter().for_each(wait_for);
    }
}

/// Waits until `thread` has ended.
fn wait_for(thread: JoinHandle<()>) {
    // A decision may have held the last handle: a thread cannot wait for itself.
    if thread.thread().id() != std::thread::current().id() {
        // A panic of that thread has been reported where it happened.
        let _ = thread.join();
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn find(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        ids: &[String],
    ) -> Result<Vec<Stored>, StoreError> {
        let (owner, ids) = (tenant.clone(), ids.to_vec());
        if tenant.is_of_an_entity() {
            let find = move |connection: &mut _| read::find(connection, table, &owner, &ids);
            return self.read(tenant.as_str(), find).await;
        }
        let (part, asked) = (CacheScope::of(table, tenant), CacheKey::Ids(ids.clone()));
        let read = move |connection: &mut Connection| {
            Ok((read::find(connection, table, &owner, &ids)?, 0))
        };
        Ok(self.cached(turn_of(tenant), part, asked, read).await?.0)
    }

    async fn lookup(
        &self,
        table: &'static Table,
        field: &'static str,
        value: &str,
    ) -> Result<Vec<Stored>, StoreError> {
        let column = table.indexed_text(field)?;
        let value = value.to_owned();
        let asked = CacheKey::Value(column, value.clone());
        let read = move |connection: &mut Connection| {
            Ok((read::lookup(connection, table, column, &value)?, 0))
        };
        Ok(self.cached(SHARED, CacheScope::all(table), asked, read).await?.0)
    }

    async fn list(
        &self,
        table: &'static Table,
        tenant: &Tenant,
        query: &ListQuery,
    ) -> Result<(Vec<Stored>, i64), StoreError> {
        let (owner, query) = (tenant.clone(), query.clone());
        let (part, asked) = (CacheScope::of(table, tenant), CacheKey::Page(query.clone()));
        let list = move |connection: &mut _| select::list(connection, table, &owner, &query);
        if tenant.is_of_an_entity() {
            return self.read(tenant.as_str(), list).await;
        }
        self.cached(turn_of(tenant), part, asked, list).await
    }

    async fn tallies(
        &self,
        tenant: &Tenant,
        tallies: &[Tally],
    ) -> Result<Vec<Vec<TallyRow>>, StoreError> {
        let (owner, tallies) = (tenant.clone(), tallies.to_vec());
        let read = move |connection: &mut _| tally::tallies(connection, &owner, &tallies);
        self.read(tenant.as_str(), read).await
    }

    fn changed(&self, table: &'static Table, tenant: &Tenant) -> Option<u64> {
        self.cache.changed(&CacheScope::of(table, tenant))
    }

    async fn transact(&self, unit: Unit) -> Result<(), TransactError> {
        let failed = || TransactError::Store(ended());
        let (answer, answered) = oneshot::channel();
        let writes = self.writes.as_ref().ok_or_else(failed)?;
        writes.send(Job::Unit(Waiting { unit, answer })).await.map_err(|_| failed())?;
        answered.await.map_err(|_| failed())?
    }

    async fn events_after(&self, position: i64, limit: usize) -> Result<Vec<Entry>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let read = move |connection: &mut _| read::events_after(connection, position, limit);
        let entry = |(position, row): (i64, Stored)| {
            Ok(Entry { position, activity: row.read(&ACTIVITIES)? })
        };
        self.read(SHARED, read).await?.into_iter().map(entry).collect()
    }

    async fn snapshots(&self, positions: &[i64]) -> Result<Vec<(i64, String)>, StoreError> {
        let positions = positions.to_vec();
        self.read(SHARED, move |connection| read::snapshots(connection, &positions)).await
    }

    async fn forget_snapshots(
        &self,
        tenant: &Tenant,
        until: i64,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let owner = tenant.as_str().to_owned();
        let find = move |connection: &mut Connection| {
            forgetting::old(connection, &owner, until, before, limit)
        };
        let old = self.read(tenant.as_str(), find).await?;
        if old.is_empty() {
            return Ok(0);
        }
        let owner = tenant.as_str().to_owned();
        self.write(move |connection| forgetting::forget(connection, &owner, &old)).await
    }

    async fn series(&self, tenant: &Tenant) -> Result<Vec<(String, i64)>, StoreError> {
        let owner = tenant.clone();
        self.read(tenant.as_str(), move |connection| read::series(connection, &owner)).await
    }

    async fn stored_bytes(&self, tenants: &[Tenant]) -> Result<i64, StoreError> {
        let tenants: Vec<String> = tenants.iter().map(|one| one.as_str().to_owned()).collect();
        let whose = tenants.first().cloned().unwrap_or_default();
        self.read(&whose, move |connection| read::stored_bytes(connection, &tenants)).await
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.read(SHARED, |connection| read::ping(connection)).await?;
        match self.fullness.look(Instant::now()) {
            Look::HasRoom => {}
            Look::IsFull => return Err(StoreError::Full),
            Look::Probe(probe) => {
                self.probe().await?;
                self.fullness.found_room(probe);
                return Ok(());
            }
        }
        let store: &dyn Store = self;
        store.insert(Vec::new(), Vec::new()).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use racun_kernel::id::{AccountId, EntityId};
    use racun_store::Put;
    use racun_store::testing::contract::{SAMPLES, Sample};

    use super::*;

    #[tokio::test]
    async fn a_full_disk_is_reported_until_there_is_room_and_reads_go_on() {
        let store = SqliteStore::in_memory(&[&SAMPLES]).unwrap();
        let pages = async |more: i64| {
            let set = move |connection: &mut Connection| {
                let now: i64 =
                    connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
                connection.pragma_update(None, "max_page_count", now + more)
            };
            store.read(SHARED, set).await.unwrap();
        };
        let entity = EntityId::new(1_u128.into());
        let sample = |id: &str, bytes: usize| {
            let note = Some("x".repeat(bytes));
            Put::insert(&Sample { note, ..Sample::new(entity, id) })
        };
        let port: &dyn Store = &store;
        port.insert(vec![sample("smp_1", 1)], Vec::new()).await.unwrap();
        pages(0).await;
        assert_eq!(port.ping().await, Ok(()), "no write has failed yet");
        let refused = port.insert(vec![sample("smp_2", 1_000_000)], Vec::new()).await;
        assert_eq!(refused, Err(StoreError::Full));
        assert_eq!(port.ping().await, Err(StoreError::Full));
        let tenant = Tenant::entity(entity);
        let found: Option<Sample> = port.get(&SAMPLES, &tenant, "smp_1").await.unwrap();
        assert!(found.is_some());
        // Also where there is room for less than what was refused.
        pages(30).await;
        for _ in 0..2 {
            assert_eq!(port.ping().await, Err(StoreError::Full));
            let refused = port.insert(vec![sample("smp_2", 1_000_000)], Vec::new()).await;
            assert_eq!(refused, Err(StoreError::Full));
        }
        pages(4_000).await;
        assert_eq!(port.ping().await, Ok(()));
        port.insert(vec![sample("smp_2", 1_000_000)], Vec::new()).await.unwrap();
    }

    #[tokio::test]
    async fn slow_lists_of_an_account_keep_no_log_in_out() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("racun.db"), &[&SAMPLES], 1).unwrap();
        let store = Arc::new(store);
        let account = Tenant::account(AccountId::new(1_u128.into()));
        let (end, gate) = std::sync::mpsc::channel::<()>();
        let gate = Arc::new(Mutex::new(gate));
        let (started, mut starts) = mpsc::unbounded_channel();
        let slow: Vec<_> = (0..readers::OF_ONE_TENANT)
            .map(|_| {
                let (gate, started) = (Arc::clone(&gate), started.clone());
                let (store, account) = (Arc::clone(&store), account.clone());
                tokio::spawn(async move {
                    let read = store.read(turn_of(&account), move |_| {
                        started.send(()).unwrap();
                        // Ends with an error, once the sender is dropped.
                        let _ = gate.lock().unwrap().recv();
                        Ok(())
                    });
                    read.await
                })
            })
            .collect();
        for _ in 0..readers::OF_ONE_TENANT {
            starts.recv().await.unwrap();
        }
        // A further list of the account waits; the look-up of a login does not wait for it.
        let list = tokio::spawn({
            let store = Arc::clone(&store);
            async move { store.list(&SAMPLES, &account, &ListQuery::first_page(&SAMPLES)).await }
        });
        tokio::task::yield_now().await;
        let port: &dyn Store = &*store;
        let ids = ["smp_1".to_owned()];
        assert_eq!(port.find(&SAMPLES, &Tenant::directory(), &ids).await, Ok(Vec::new()));
        assert_eq!(port.lookup(&SAMPLES, "handle", "nobody").await, Ok(Vec::new()));
        assert!(!list.is_finished(), "it has the place that is left to the others");
        drop(end);
        for read in slow {
            read.await.unwrap().unwrap();
        }
        assert_eq!(list.await.unwrap(), Ok((Vec::new(), 0)));
    }
}
