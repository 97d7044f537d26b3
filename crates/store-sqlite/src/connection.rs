//! The file, its lock, and what every connection is set to.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use racun_kernel::text::fold;
use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OpenFlags};

use crate::OpenError;

/// How long a connection waits for a lock that another program holds, such as a backup.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Statements that a connection keeps prepared.
const STATEMENTS: usize = 128;
/// Page cache of the writer; SQLite reads a negative number as KiB.
const WRITER_CACHE_KIB: i64 = -16 * 1024;
/// Page cache of a reader: there are several, and the system keeps the file's pages for all.
const READER_CACHE_KIB: i64 = -6 * 1024;
/// Pages in the write-ahead log that begin a checkpoint: 16 MiB. Most pages of a busy till are
/// written by many commits, and a checkpoint writes each of them once; with SQLite's 1,000 pages
/// one came after every few dozen invoices.
const CHECKPOINT_PAGES: i64 = 4_096;
/// The write-ahead log is cut back to this after a checkpoint.
const LOG_BYTES: i64 = 64 * 1024 * 1024;

/// Takes the file for this process until the answer is dropped.
///
/// # Errors
/// When someone else has it, or the lock file cannot be made.
pub(crate) fn lock(path: &Path) -> Result<File, OpenError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let file = PathBuf::from(name);
    let opened = File::options().create(true).truncate(false).write(true).open(&file);
    let lock = opened.map_err(|error| OpenError::io(&file, error))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse { file }),
        Err(TryLockError::Error(error)) => Err(OpenError::io(&file, error)),
    }
}

pub(crate) fn open_writer(path: &Path) -> rusqlite::Result<Connection> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_CREATE, WRITER_CACHE_KIB)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // A committed unit survives a power cut, not only a crash of this process.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.pragma_update(None, "journal_size_limit", LOG_BYTES)?;
    Ok(connection)
}

pub(crate) fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let connection = open(path, OpenFlags::empty(), READER_CACHE_KIB)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

pub(crate) fn open_in_memory() -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    set_up(&connection)?;
    Ok(connection)
}

fn open(path: &Path, more: OpenFlags, cache_kib: i64) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    let connection = Connection::open_with_flags(path, flags)?;
    set_up(&connection)?;
    connection.pragma_update(None, "cache_size", cache_kib)?;
    Ok(connection)
}

fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Plans that do not hang on the values that are bound. Otherwise SQLite looks at those of some
    // parameters (LIMIT, fields of partial indexes), and prepares the statement again for each.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "foreign_keys", false)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("racun_fold", 1, flags, |context| {
        Ok(context.get_raw(0).as_str_or_null()?.map(fold))
    })
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    #[test]
    fn statements_are_prepared_once_for_all_values() {
        let connection = open_in_memory().unwrap();
        let table = "CREATE TABLE things (key TEXT, place INTEGER);
                     CREATE INDEX keys ON things (key) WHERE key IS NOT NULL;
                     INSERT INTO things VALUES ('a', 1), ('b', 2)";
        connection.execute_batch(table).unwrap();
        let query = "SELECT place FROM things WHERE key = ? ORDER BY place LIMIT ?";
        let mut statement = connection.prepare(query).unwrap();
        for (key, place) in [("a", 1), ("b", 2), ("a", 1)] {
            let found: i64 = statement.query_row((key, place), |row| row.get(0)).unwrap();
            assert_eq!(found, place);
        }
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
    }
}
