//! Why a store does not open, and what SQLite's errors mean.

use std::path::{Path, PathBuf};

use racun_kernel::{StoreError, Table};
use rusqlite::ErrorCode;

/// Why a store does not open. The text is for whoever starts the program.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process, or another store of this one, has the file open.
    #[error("{file:?} is in use by another process: stop that one, or choose another data folder")]
    InUse {
        /// The lock file.
        file: PathBuf,
    },
    /// The file, its lock or a thread could not be had.
    #[error("{file:?}: {source}")]
    Io {
        /// The file.
        file: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// SQLite cannot use the file.
    #[error("{file:?}: {source}")]
    Sqlite {
        /// The file.
        file: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The file belongs to another program, or to a later version of this one.
    #[error("{file:?} was not made by this version of Racun: {reason}")]
    Foreign {
        /// The file.
        file: PathBuf,
        /// How that is known.
        reason: String,
    },
    /// The file holds a table that this version declares otherwise.
    #[error(
        "{file:?} keeps table {table} as ({stored}), but this version declares ({declared}): \
         use the version that made the file"
    )]
    TableChanged {
        /// The file.
        file: PathBuf,
        /// The table.
        table: &'static str,
        /// As the file has it.
        stored: String,
        /// As it is declared.
        declared: String,
    },
    /// A declaration that no store could keep.
    #[error("table {table}: {reason}")]
    Declaration {
        /// The table.
        table: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}

impl OpenError {
    pub(crate) fn io(file: &Path, source: std::io::Error) -> Self {
        Self::Io { file: file.to_owned(), source }
    }

    pub(crate) fn sqlite(file: &Path, source: rusqlite::Error) -> Self {
        Self::Sqlite { file: file.to_owned(), source }
    }
}

/// A failure that is not the caller's: a full disk, a busy or broken file.
pub(crate) fn unavailable(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full,
        _ => StoreError::Unavailable(error.to_string()),
    }
}

/// The failure of a read: one that was ended because of its time would take as long again.
pub(crate) fn of_question(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => StoreError::TooExpensive,
        _ => unavailable(error),
    }
}

/// What an error of writing to `table` means: a value that is taken, or a failure.
pub(crate) fn of_write(table: &'static Table, error: rusqlite::Error) -> StoreError {
    match &error {
        rusqlite::Error::SqliteFailure(failure, Some(message))
            if failure.code == ErrorCode::ConstraintViolation =>
        {
            match taken_field(table, message) {
                Some(field) => StoreError::Duplicate { table: table.name, field },
                None => unavailable(error),
            }
        }
        _ => unavailable(error),
    }
}

/// The field that SQLite names last: `UNIQUE constraint failed: customers.tenant, customers.code`.
fn taken_field(table: &'static Table, message: &str) -> Option<&'static str> {
    let columns = message.strip_prefix("UNIQUE constraint failed: ")?;
    let (_, name) = columns.rsplit_once('.')?;
    if name == "id" {
        return Some("id");
    }
    table.columns().find(|(_, _, column)| *column == name).map(|(_, field, _)| field.name)
}
