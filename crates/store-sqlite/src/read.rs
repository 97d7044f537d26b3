//! The statements of the reads that are not lists.

use racun_kernel::{LOOKUP_LIMIT, Stored, Table, Tenant};
use rusqlite::{Connection, Row};

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

pub(crate) fn series(
    connection: &Connection,
    tenant: &Tenant,
) -> rusqlite::Result<Vec<(String, i64)>> {
    Sql::new("SELECT key, last FROM racun_series WHERE tenant = ")
        .bind(text(tenant.as_str()))
        .then(" ORDER BY key")
        .rows(connection, |row| Ok((row.get(0)?, row.get(1)?)))
}

pub(crate) fn ping(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("SELECT count(*) FROM racun_tables", [], |_| Ok(()))
}
