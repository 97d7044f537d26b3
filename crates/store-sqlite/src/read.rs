//! The statements of the reads that are not lists.

use racun_kernel::Tenant;
use racun_store::{BYTES, LOOKUP_LIMIT, Stored, Table};
use rusqlite::{Connection, OptionalExtension as _, Row};

use crate::encoding::text_array;
use crate::sql::{Sql, text};

/// A read on its way to the thread that runs it.
pub(crate) type Read = Box<dyn FnOnce(&mut Connection) + Send>;

/// Reads `id, body`.
pub(crate) fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    Ok(Stored { id: row.get(0)?, body: row.get(1)? })
}

pub(crate) fn find(
    connection: &Connection,
    table: &Table,
    tenant: &Tenant,
    ids: &[String],
) -> rusqlite::Result<Vec<Stored>> {
    Sql::new(format!(r#"SELECT id, body FROM "{}" WHERE tenant = "#, table.name))
        .bind(text(tenant.as_str()))
        .then(" AND id IN (SELECT value FROM json_each(")
        .bind(text_array(ids))
        .then("))")
        .rows(connection, stored)
}

pub(crate) fn lookup(
    connection: &Connection,
    table: &Table,
    column: &str,
    value: &str,
) -> rusqlite::Result<Vec<Stored>> {
    Sql::new(format!(r#"SELECT id, body FROM "{}" WHERE "{column}" = "#, table.name))
        .bind(text(value))
        .then(&format!(" ORDER BY id, tenant LIMIT {LOOKUP_LIMIT}"))
        .rows(connection, stored)
}

/// The bytes that `tenants` store together, as they were counted.
pub(crate) fn stored_bytes(connection: &Connection, tenants: &[String]) -> rusqlite::Result<i64> {
    Sql::new("SELECT COALESCE(sum(live), 0) FROM racun_counts WHERE table_name = ")
        .bind(text(BYTES))
        .then(" AND tenant IN (SELECT value FROM json_each(")
        .bind(text_array(tenants))
        .then("))")
        .rows(connection, |row| row.get(0))
        .map(|rows| rows.into_iter().next().unwrap_or_default())
}

pub(crate) fn series(
    connection: &Connection,
    tenant: &Tenant,
) -> rusqlite::Result<Vec<(String, i64)>> {
    Sql::new("SELECT key, last FROM racun_series WHERE tenant = ")
        .bind(text(tenant.as_str()))
        .then(" ORDER BY key")
        .rows(connection, |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Entries of the log behind `position`. They are a stable prefix, for one thread writes them all,
/// in the order of their positions.
pub(crate) fn events_after(
    connection: &Connection,
    position: i64,
    limit: i64,
) -> rusqlite::Result<Vec<(i64, Stored)>> {
    let query = "SELECT id, body, position FROM activities
                 WHERE position > ? ORDER BY position LIMIT ?";
    let mut statement = connection.prepare_cached(query)?;
    let entry = |row: &Row<'_>| Ok((row.get(2)?, stored(row)?));
    statement.query_map((position, limit), entry)?.collect()
}

/// What the records of the entries at `positions` looked like.
pub(crate) fn snapshots(
    connection: &Connection,
    positions: &[i64],
) -> rusqlite::Result<Vec<(i64, String)>> {
    let query = "SELECT snapshot FROM activities WHERE position = ? AND snapshot IS NOT NULL";
    let mut statement = connection.prepare_cached(query)?;
    let mut found = Vec::new();
    for position in positions {
        let snapshot: Option<String> =
            statement.query_row([position], |row| row.get(0)).optional()?;
        found.extend(snapshot.map(|snapshot| (*position, snapshot)));
    }
    Ok(found)
}

pub(crate) fn ping(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("SELECT count(*) FROM racun_tables", [], |_| Ok(()))
}
