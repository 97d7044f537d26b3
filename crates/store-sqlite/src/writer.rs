//! The thread that writes: it commits waiting units in groups, because the flush to the disk costs
//! the same for one as for many.

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
use crate::unit::Decided;
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
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(unavailable)?;
    let (mut answers, mut written, mut undo) = (Vec::new(), Vec::new(), Undo::BEGIN);
    for unit in units {
        answers.push(match run_one(&transaction, unit) {
            Ok(decided) => {
                written.push(decided);
                Ok(())
            }
            Err(reason) => {
                if let TransactError::Store(error) = &reason {
                    undo.run(&transaction, error, &written)?;
                }
                Err(reason)
            }
        });
    }
    let writing = cache.writing(written.iter().flat_map(Decided::changed).collect());
    transaction.commit().map_err(unavailable)?;
    drop(writing);
    Ok((answers, written.iter().flat_map(Decided::noted).collect()))
}

/// How to undo what a unit of a group wrote before it failed.
///
/// The transaction is rolled back, and what the units before it decided is written again, on the
/// rows that they saw. That makes units which succeed cheap, and nearly all do: with a savepoint
/// for each, SQLite copies every page that it changes. Each unit is written again at most once,
/// for then there is a savepoint behind it.
struct Undo {
    /// Rolls back.
    statement: &'static str,
    /// Units that this leaves written.
    kept: usize,
}

impl Undo {
    const BEGIN: Self = Self { statement: "ROLLBACK; BEGIN IMMEDIATE", kept: 0 };

    /// Undoes what the unit wrote that failed with `error`, after others were `written`.
    fn run(
        &mut self,
        transaction: &Transaction<'_>,
        error: &StoreError,
        written: &[Decided],
    ) -> Result<(), StoreError> {
        // A full disk makes SQLite roll all of it back by itself: what follows would run outside.
        if transaction.is_autocommit() {
            return Err(match error {
                StoreError::Full => StoreError::Full,
                _ => StoreError::Unavailable("SQLite rolled the group back".to_owned()),
            });
        }
        transaction.execute_batch(self.statement).map_err(unavailable)?;
        for decided in &written[self.kept..] {
            decided.write(transaction)?;
        }
        transaction.execute_batch("SAVEPOINT written").map_err(unavailable)?;
        let statement = "ROLLBACK TO written; RELEASE written";
        *self = Self { statement, kept: written.len() };
        Ok(())
    }
}

/// Writes what `unit` decides. A panic in its decision is its own failure.
fn run_one(transaction: &Transaction<'_>, unit: Unit) -> Result<Decided, TransactError> {
    let run = || {
        let decided = unit::decide(transaction, unit)?;
        decided.write(transaction).map_err(TransactError::Store)?;
        Ok(decided)
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        tracing::error!("a decision panicked; its unit is rolled back");
        let reason = "the decision panicked".to_owned();
        Err(TransactError::Store(StoreError::Unavailable(reason)))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use racun_kernel::Tenant;
    use racun_kernel::id::EntityId;
    use racun_store::testing::contract::{SAMPLES, Sample};
    use racun_store::{Load, Loaded, Put, Refusal, Series, Writes};
    use rusqlite::OptionalExtension as _;

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

    /// Commits `units` as one group; what each is answered.
    fn answers(connection: &mut Connection, units: Vec<Unit>) -> Answers {
        let (group, answers): (Vec<_>, Vec<_>) = units
            .into_iter()
            .map(|unit| {
                let (answer, answered) = oneshot::channel();
                (Waiting { unit, answer }, answered)
            })
            .unzip();
        commit(connection, group, &ReadCache::new(true), &Fullness::default());
        answers.into_iter().map(|answer| answer.blocking_recv().unwrap()).collect()
    }

    /// Whether each of `units` was said to be written; those that were not failed for the store.
    fn written(connection: &mut Connection, units: Vec<Unit>) -> Vec<bool> {
        let failed = |error| {
            let store = matches!(
                error,
                TransactError::Store(StoreError::Unavailable(_) | StoreError::Full)
            );
            assert!(store, "{error:?}");
        };
        let answers = answers(connection, units).into_iter();
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

    /// What a unit of the test below writes: samples with these ids and codes, the next number.
    type Asked = Vec<(u8, u8)>;

    fn asked() -> impl Strategy<Value = Vec<Asked>> {
        let sample = (0..12_u8, 0..12_u8);
        proptest::collection::vec(proptest::collection::vec(sample, 1..4), 1..12)
    }

    /// Adds samples, some of which clash with those of other units, and takes a number, unless the
    /// row that it holds is there.
    fn adding(asked: &Asked) -> Unit {
        let entity = EntityId::new(1_u128.into());
        let samples = asked.iter().map(|(id, code)| Sample {
            code: Some(format!("code {code}")),
            ..Sample::new(entity, format!("smp_{id}"))
        });
        let puts: Vec<Put> = samples.map(|sample| Put::insert(&sample)).collect();
        let tenant = Tenant::entity(entity);
        let id = format!("smp_{}", asked.len());
        let loads = vec![Load::One { table: &SAMPLES, tenant: tenant.clone(), id }];
        let series = Some(Series { tenant, key: "samples".to_owned(), start: 1 });
        let decide = Box::new(move |loaded: Loaded| match &*loaded.rows[0] {
            [] => Ok(Writes { puts, takes_number: true, ..Writes::default() }),
            _ => Err(Refusal),
        });
        Unit { loads, series, decide }
    }

    /// What units leave that are done one after the other, each whole or not at all.
    #[derive(Default)]
    struct Model(BTreeMap<u8, u8>);

    impl Model {
        /// Whether the unit is done.
        fn add(&mut self, asked: &Asked) -> bool {
            let mut after = self.0.clone();
            let held = u8::try_from(asked.len()).unwrap();
            let is_done = !after.contains_key(&held)
                && asked.iter().all(|(id, code)| {
                    let is_new = !after.values().any(|taken| taken == code);
                    after.insert(*id, *code).is_none() && is_new
                });
            if is_done {
                self.0 = after;
            }
            is_done
        }
    }

    fn number(connection: &Connection, query: &str) -> Option<i64> {
        connection.query_row(query, [], |row| row.get(0)).optional().unwrap()
    }

    proptest! {
        /// A unit that fails half-way leaves nothing, and takes nothing of its group with it.
        #[test]
        fn of_a_group_exactly_the_units_that_succeed_are_written(all in asked()) {
            let (mut connection, mut model) = (prepared(), Model::default());
            let expected: Vec<bool> = all.iter().map(|asked| model.add(asked)).collect();
            let answers = answers(&mut connection, all.iter().map(adding).collect());
            let written: Vec<bool> = answers.iter().map(Result::is_ok).collect();
            prop_assert_eq!(&written, &expected);
            for answer in answers.into_iter().filter_map(Result::err) {
                let is_own = matches!(
                    answer,
                    TransactError::Refused | TransactError::Store(StoreError::Duplicate { .. })
                );
                prop_assert!(is_own, "{answer:?}");
            }
            let mut rows: Vec<String> = model.0.keys().map(|id| format!("smp_{id}")).collect();
            rows.sort();
            prop_assert_eq!(&ids(&connection), &rows);
            let count = |n: usize| Some(i64::try_from(n).unwrap()).filter(|n| *n > 0);
            let live = "SELECT live FROM racun_counts WHERE table_name = 'samples'";
            prop_assert_eq!(number(&connection, live), count(rows.len()));
            let taken = count(written.iter().filter(|is_done| **is_done).count());
            prop_assert_eq!(number(&connection, "SELECT last FROM racun_series"), taken);
        }
    }
}
