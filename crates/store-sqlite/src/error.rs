//! Why a store does not open, and what SQLite's errors mean.

use std::path::{Path, PathBuf};

use racun_store::{StoreError, Table};
use rusqlite::ErrorCode;

/// Why a store does not open. The text is for the operator who starts the program.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process, or another store of this one, has the file open.
    #[error("{file:?} is in use by another process: stop that one, or choose another data folder")]
    InUse {
        /// The lock file.
        file: PathBuf,
    },
    /// Another program reads the file, which is to be copied and upgraded.
    #[error("{file:?} is to be upgraded, and another program reads it: stop that one")]
    Read {
        /// The file.
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
    /// The file belongs to another program.
    #[error("{file:?} was not made by Racun: {reason}")]
    Foreign {
        /// The file.
        file: PathBuf,
        /// How that is known.
        reason: String,
    },
    /// A later version of this program used the file.
    #[error(
        "{file:?} is {found}, and this program knows versions up to {known}: start the later \
         version of Racun that used the file last, or put the copy that it kept before its upgrade \
         ({file:?} with .before- and a number behind it) in the place of the file"
    )]
    Newer {
        /// The file.
        file: PathBuf,
        /// What the file says about itself.
        found: String,
        /// The highest version that this program knows.
        known: u32,
    },
    /// The disk has no room for the copy that is kept before an upgrade.
    #[error(
        "{file:?} is to be upgraded and kept as it is beside that, which takes {needed} bytes; the \
         disk has {free} free: make room, and start again"
    )]
    NoRoom {
        /// The file.
        file: PathBuf,
        /// What the copy and the upgrade take, in bytes.
        needed: u64,
        /// What is free, in bytes.
        free: u64,
    },
    /// The disk was full during an upgrade.
    #[error(
        "the disk of {file:?} is full: make room and start again, and the upgrade goes on where it \
         stopped"
    )]
    Full {
        /// The file.
        file: PathBuf,
    },
    /// A table cannot be upgraded.
    #[error(
        "{file:?} cannot be upgraded: table {table}: {reason}; to go on with the version that made \
         the file, put the copy that was kept before the upgrade ({file:?} with .before- and a \
         number behind it) in its place"
    )]
    Upgrade {
        /// The file.
        file: PathBuf,
        /// The table.
        table: &'static str,
        /// What is wrong with it.
        reason: String,
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
