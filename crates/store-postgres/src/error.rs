//! How errors of PostgreSQL map to the errors of the port.

use diesel::result::{DatabaseErrorKind, Error};
use diesel_async::pooled_connection::deadpool::PoolError;
use racun_store::{StoreError, Table};

use crate::schema;

/// Everything but a clash of unique values is worth another try, and its reason belongs in the log.
pub(crate) fn unavailable(error: &Error) -> StoreError {
    if is_disk_full(error) {
        return StoreError::Full;
    }
    StoreError::Unavailable(reason(error))
}

/// Whether the server found no room on its disk (SQLSTATE 53100). diesel does not tell the error's
/// code, so this knows the operating system's English text; in another language a full disk is a
/// failure like others.
fn is_disk_full(error: &Error) -> bool {
    let Error::DatabaseError(_, information) = error else { return false };
    information.message().contains("No space left on device")
}

/// The failure of a list or a report: what runs out of time would do so again.
pub(crate) fn of_question(error: &Error) -> StoreError {
    let Error::DatabaseError(_, information) = error else { return unavailable(error) };
    match information.message() {
        "canceling statement due to statement timeout" => StoreError::TooExpensive,
        _ => unavailable(error),
    }
}

/// The failure of writing rows of `tables`.
pub(crate) fn of_write(error: &Error, tables: &[&'static Table]) -> StoreError {
    if let Error::DatabaseError(DatabaseErrorKind::UniqueViolation, information) = error
        && let Some(constraint) = information.constraint_name()
        && let Some((table, field)) = clash(constraint, tables)
    {
        return StoreError::Duplicate { table, field };
    }
    unavailable(error)
}

/// Whether the server ended the statement because two transactions waited for each other. diesel
/// does not tell the error's code, so this knows the English text; in another language a deadlock
/// is a failure like others.
pub(crate) fn is_deadlock(error: &Error) -> bool {
    let Error::DatabaseError(_, information) = error else { return false };
    information.message() == "deadlock detected"
}

/// The constraint that `racun_write_in` names when it refuses.
const EPOCH: &str = "racun_epoch";

/// Whether the server refused to write in an epoch that has ended: see [`crate::lease`].
pub(crate) fn is_epoch_over(error: &Error) -> bool {
    let Error::DatabaseError(kind, information) = error else { return false };
    matches!(kind, DatabaseErrorKind::SerializationFailure)
        && information.constraint_name() == Some(EPOCH)
}

pub(crate) fn of_pool(error: PoolError) -> StoreError {
    StoreError::Unavailable(format!("no database connection: {error}"))
}

/// Which declared field of which table the unique index `constraint` is on.
fn clash(constraint: &str, tables: &[&'static Table]) -> Option<(&'static str, &'static str)> {
    tables.iter().find_map(|table| {
        if constraint == schema::primary_key(table) {
            return Some((table.name, "id"));
        }
        let unique = schema::unique_indexes(table).find(|(index, _)| index == constraint);
        unique.map(|(_, field)| (table.name, field.name))
    })
}

fn reason(error: &Error) -> String {
    let Error::DatabaseError(kind, information) = error else { return error.to_string() };
    let detail = information.details().map(|detail| format!(" ({detail})")).unwrap_or_default();
    match kind {
        DatabaseErrorKind::UnableToSendCommand | DatabaseErrorKind::ClosedConnection => {
            format!("the database connection is lost: {}", information.message())
        }
        _ => format!("the database answers: {}{detail}", information.message()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_distinguished_from_other_failures() {
        let failed = |text: &str| {
            let information = Box::new(text.to_owned());
            unavailable(&Error::DatabaseError(DatabaseErrorKind::Unknown, information))
        };
        let full = "could not extend file \"base/16384/16389\": No space left on device";
        assert_eq!(failed(full), StoreError::Full);
        assert!(matches!(failed("could not open file"), StoreError::Unavailable(_)));
    }

    #[test]
    fn a_deadlock_is_distinguished_from_other_failures() {
        let failed = |kind, text: &str| Error::DatabaseError(kind, Box::new(text.to_owned()));
        for (kind, text, expected) in [
            (DatabaseErrorKind::Unknown, "deadlock detected", true),
            (DatabaseErrorKind::Unknown, "canceling statement due to lock timeout", false),
            (DatabaseErrorKind::Unknown, "no deadlock detected", false),
            (DatabaseErrorKind::SerializationFailure, "could not serialize access", false),
        ] {
            assert_eq!(is_deadlock(&failed(kind, text)), expected, "{text}");
        }
        assert!(!is_deadlock(&Error::NotFound));
    }

    #[test]
    fn only_statement_timeouts_are_too_expensive() {
        let failed = |text: &str| {
            let information = Box::new(text.to_owned());
            of_question(&Error::DatabaseError(DatabaseErrorKind::Unknown, information))
        };
        let timeout = "canceling statement due to statement timeout";
        assert_eq!(failed(timeout), StoreError::TooExpensive);
        let lock = failed("canceling statement due to lock timeout");
        assert!(matches!(lock, StoreError::Unavailable(_)), "{lock:?}");
        assert!(matches!(of_question(&Error::NotFound), StoreError::Unavailable(_)));
    }
}
