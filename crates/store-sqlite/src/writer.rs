//! The thread that writes: it commits waiting units in groups, because the flush to the disk costs
//! the same for one as for many.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use racun_store::read_cache::ReadCache;
use racun_store::{Fullness, StoreError, TransactError, Unit};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use crate::error::unavailable;
use crate::read::Read;
use crate::settling::{Noted, Settling};
use crate::unit::Written;
use crate::{readers, unit};

/// Units that one commit holds at most.
const MAX_GROUP: usize = 256;

/// What units are answered, in their order.
type Answers = Vec<Result<(), TransactError>>;

/// A unit and who waits for its answer.
pub(crate) struct Waiting {
    pub(crate) unit: Unit,
    pub(crate) answer: oneshot::Sender<Result<(), TransactError>>,
}

/// What the thread is asked for.
pub(crate) enum Job {
    /// To commit a unit.
    Unit(Waiting),
    /// To read, where there are no readers.
    Read(Read),
    /// To end, with the log folded into the file.
    Close(oneshot::Sender<Result<(), StoreError>>),
}

/// Starts the thread; it ends when `queue` is closed and empty.
pub(crate) fn spawn(
    mut connection: Connection,
    mut queue: mpsc::Receiver<Job>,
    cache: Arc<ReadCache>,
    mut settling: Settling,
    fullness: Arc<Fullness>,
) -> std::io::Result<JoinHandle<()>> {
    Builder::new().name("racun-writer".to_owned()).spawn(move || {
        while let Some(first) = queue.blocking_recv() {
            let Gathered { group, reads, close } = gather(first, &mut queue);
            let noted = commit(&mut connection, group, &cache, &fullness);
            // Those who waited for the commit have their answers.
            settling.after(&mut connection, noted);
            for read in reads {
                readers::run(&mut connection, read);
            }
            if let Some(answer) = close {
                // The receiver may have been dropped.
                let _ = answer.send(fold(&connection));
                return;
            }
        }
    })
}

/// Writes new pages, to see whether there is room on the disk. They are freed by a transaction of
/// their own: pages that are free when they are committed are not written.
pub(crate) fn probe(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch("CREATE TABLE IF NOT EXISTS racun_probe (bytes BLOB)")?;
    let bytes = i64::try_from(Fullness::PROBE).unwrap_or(i64::MAX);
    transaction.execute("INSERT INTO racun_probe VALUES (zeroblob(?1))", [bytes])?;
    transaction.commit()?;
    connection.execute("DELETE FROM racun_probe", []).map(drop)
}

/// Writes what is in the log into the file, and cuts the log to nothing.
fn fold(connection: &Connection) -> Result<(), StoreError> {
    let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
    let busy: i64 = connection.query_row(checkpoint, [], |row| row.get(0)).map_err(unavailable)?;
    match busy {
        0 => Ok(()),
        _ => Err(StoreError::Unavailable("somebody reads the log".to_owned())),
    }
}

/// What waits already.
#[derive(Default)]
struct Gathered {
    group: Vec<Waiting>,
    reads: Vec<Read>,
    close: Option<oneshot::Sender<Result<(), StoreError>>>,
}

/// `first` and whatever else waits already.
fn gather(first: Job, queue: &mut mpsc::Receiver<Job>) -> Gathered {
    let mut gathered = Gathered::default();
    let mut next = Some(first);
    while let Some(job) = next {
        match job {
            Job::Unit(waiting) => gathered.group.push(waiting),
            Job::Read(read) => gathered.reads.push(read),
            Job::Close(answer) => {
                gathered.close = Some(answer);
                break;
            }
        }
        next = if gathered.group.len() < MAX_GROUP { queue.try_recv().ok() } else { None };
    }
    gathered
}

/// Runs the units of `group` in one transaction and answers them once it is on disk.
///
/// A refusal waits for the commit too: it may rest on what a unit before it in the group wrote.
///
/// Answers whose rows are fresh now.
fn commit(
    connection: &mut Connection,
    group: Vec<Waiting>,
    cache: &ReadCache,
    fullness: &Fullness,
) -> Vec<Noted> {
    if group.is_empty() {
        return Vec::new();
    }
    let (units, callers): (Vec<_>, Vec<_>) =
        group.into_iter().map(|waiting| (waiting.unit, waiting.answer)).unzip();
    let (answers, noted) = match run_all(connection, units, cache) {
        Ok(written) => written,
        Err(error) => {
            tracing::error!(%error, units = callers.len(), "a group of units was not committed");
            let failed = TransactError::Store(error);
            (callers.iter().map(|_| Err(failed.clone())).collect(), Vec::new())
        }
    };
    let full = Err(TransactError::Store(StoreError::Full));
    if answers.contains(&full) {
        fullness.refuse();
    }
    for (caller, answer) in callers.into_iter().zip(answers) {
        // A caller that has gone misses the answer, not the commit.
        let _ = caller.send(answer);
    }
    noted
}

fn run_all(
    connection: &mut Connection,
    units: Vec<Unit>,
    cache: &ReadCache,
) -> Result<(Answers, Vec<Noted>), StoreError> {
    let mut transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(unavailable)?;
    let (mut answers, mut changed, mut fresh) = (Vec::new(), HashSet::new(), Vec::new());
    for unit in units {
        let written = run_one(&mut transaction, unit);
        answers.push(written.map(|written| {
            changed.extend(written.changed);
            fresh.extend(written.noted);
        }));
        // A full disk makes SQLite roll all of it back by itself: what follows would run outside.
        if transaction.is_autocommit() {
            let is_full =
                matches!(answers.last(), Some(Err(TransactError::Store(StoreError::Full))));
            return Err(match is_full {
                true => StoreError::Full,
                false => StoreError::Unavailable("SQLite rolled the group back".to_owned()),
            });
        }
    }
    let writing = cache.writing(changed);
    transaction.commit().map_err(unavailable)?;
    drop(writing);
    Ok((answers, fresh))
}

/// Runs `unit` in a savepoint, which a refusal, a failure or a panic rolls back.
fn run_one(transaction: &mut Transaction<'_>, unit: Unit) -> Result<Written, TransactError> {
    let run = || {
        let failed = |error| TransactError::Store(unavailable(error));
        let savepoint = transaction.savepoint().map_err(failed)?;
        let written = unit::run(&savepoint, unit)?;
        savepoint.commit().map_err(failed)?;
        Ok(written)
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        tracing::error!("a decision panicked; its unit is rolled back");
        let reason = "the decision panicked".to_owned();
        Err(TransactError::Store(StoreError::Unavailable(reason)))
    })
}

#[cfg(test)]
mod tests {
    use racun_kernel::id::EntityId;
    use racun_store::testing::contract::{SAMPLES, Sample};
    use racun_store::{Put, Writes};

    use super::*;

    fn prepared() -> Connection {
        let mut connection = crate::connection::open_in_memory().unwrap();
        crate::schema::create_all(&mut connection, &[&SAMPLES], 1).unwrap();
        connection
    }

    fn insertion(id: &str, bytes: usize) -> Unit {
        let note = Some("x".repeat(bytes));
        let sample = Sample { note, ..Sample::new(EntityId::new(1_u128.into()), id) };
        let writes = Writes { puts: vec![Put::insert(&sample)], ..Writes::default() };
        Unit { loads: Vec::new(), series: None, decide: Box::new(|_| Ok(writes)) }
    }

    /// Commits `units` as one group; whether each was said to be written.
    fn written(connection: &mut Connection, units: Vec<Unit>) -> Vec<bool> {
        let (group, answers): (Vec<_>, Vec<_>) = units
            .into_iter()
            .map(|unit| {
                let (answer, answered) = oneshot::channel();
                (Waiting { unit, answer }, answered)
            })
            .unzip();
        commit(connection, group, &ReadCache::new(true), &Fullness::default());
        let answers = answers.into_iter().map(|answer| answer.blocking_recv().unwrap());
        let failed = |error| {
            let store = matches!(
                error,
                TransactError::Store(StoreError::Unavailable(_) | StoreError::Full)
            );
            assert!(store, "{error:?}");
        };
        answers.map(|answer| answer.map_err(failed).is_ok()).collect()
    }

    fn ids(connection: &Connection) -> Vec<String> {
        let mut statement = connection.prepare("SELECT id FROM samples ORDER BY id").unwrap();
        let ids = statement.query_map([], |row| row.get(0)).unwrap();
        ids.collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn on_a_full_disk_exactly_what_was_answered_is_written() {
        let mut connection = prepared();
        let pages: i64 =
            connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        connection.pragma_update(None, "max_page_count", pages + 8).unwrap();
        let units =
            vec![insertion("smp_1", 1), insertion("smp_2", 1_000_000), insertion("smp_3", 1)];
        let answers = written(&mut connection, units);
        assert!(!answers[1], "a megabyte does not fit");
        let all = ["smp_1", "smp_2", "smp_3"];
        let said = all.iter().zip(answers).filter(|(_, answer)| *answer).map(|(id, _)| *id);
        assert_eq!(ids(&connection), said.collect::<Vec<_>>());

        connection.pragma_update(None, "max_page_count", pages + 1000).unwrap();
        assert_eq!(written(&mut connection, vec![insertion("smp_4", 1)]), [true]);
    }

    #[test]
    fn a_failed_commit_is_reported_to_every_caller() {
        let mut connection = prepared();
        // A reference that is checked at the commit only, and holds for no row called smp_bad.
        let fault = "
            PRAGMA foreign_keys = ON;
            CREATE TABLE parents (id TEXT PRIMARY KEY);
            CREATE TABLE children (
                parent TEXT REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED
            );
            CREATE TRIGGER fault AFTER INSERT ON samples WHEN NEW.id = 'smp_bad'
                BEGIN INSERT INTO children VALUES (NEW.id); END;";
        connection.execute_batch(fault).unwrap();
        let units = vec![insertion("smp_1", 1), insertion("smp_bad", 1), insertion("smp_2", 1)];
        assert_eq!(written(&mut connection, units), [false, false, false]);
        assert_eq!(ids(&connection), [""; 0]);
        assert_eq!(written(&mut connection, vec![insertion("smp_1", 1)]), [true]);
    }
}
