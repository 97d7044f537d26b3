//! One unit: load, decide, write. It runs alone, on the only connection that writes, so that no
//! other unit changes the rows that it loads.

use racun_store::read_cache::CacheScope;
use racun_store::{
    Event, Load, Loaded, Put, PutKind, Refusal, Series, StoreError, Stored, TransactError, Unit,
};
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, OptionalExtension};

use crate::columns;
use crate::encoding::cell;
use crate::error::{of_write, unavailable};
use crate::read::stored;
use crate::schema::SNAPSHOT;
use crate::settling::Noted;
use crate::sql::{Sql, text};

/// What a unit has decided to write.
pub(crate) struct Decided {
    puts: Vec<Put>,
    /// Each event, as the entry of the log that it becomes.
    entries: Vec<(Event, Put)>,
    /// The number that is taken, and the series it is of.
    taken: Option<(Series, i64)>,
}

/// Loads what `unit` holds and asks it for its decision; writes nothing.
pub(crate) fn decide(connection: &Connection, unit: Unit) -> Result<Decided, TransactError> {
    let failed = TransactError::Store;
    let rows = unit.loads.iter().map(|load| rows(connection, load));
    let rows = rows.collect::<Result<_, _>>().map_err(failed)?;
    let number = unit.series.as_ref().map(|series| next_number(connection, series));
    let number = number.transpose().map_err(failed)?;

    let writes = (unit.decide)(Loaded { rows, number, now: None })
        .map_err(|Refusal| TransactError::Refused)?;

    let entry = |event: Event| {
        let entry = event.entry();
        (event, entry)
    };
    Ok(Decided {
        puts: writes.puts,
        entries: writes.events.into_iter().map(entry).collect(),
        taken: unit.series.zip(number).filter(|_| writes.takes_number),
    })
}

impl Decided {
    /// Writes all of it, or fails; the caller rolls back.
    pub(crate) fn write(&self, connection: &Connection) -> Result<(), StoreError> {
        for put in &self.puts {
            write(connection, put)?;
        }
        for (event, entry) in &self.entries {
            record(connection, event, entry)?;
        }
        keep_counts(connection, self.all()).map_err(unavailable)?;
        if let Some((series, number)) = &self.taken {
            take_number(connection, series, *number).map_err(unavailable)?;
        }
        Ok(())
    }

    fn all(&self) -> impl Iterator<Item = &Put> {
        self.puts.iter().chain(self.entries.iter().map(|(_, entry)| entry))
    }

    /// What has changed.
    pub(crate) fn changed(&self) -> impl Iterator<Item = CacheScope> {
        self.all().flat_map(CacheScope::changed_by)
    }

    /// Whose rows are fresh now, once for each.
    pub(crate) fn noted(&self) -> impl Iterator<Item = Noted> {
        let fresh = self.puts.iter().filter(|put| columns::keeps(put.table));
        fresh.map(|put| (put.table, put.tenant.as_str().to_owned()))
    }
}

fn rows(connection: &Connection, load: &Load) -> Result<Vec<Stored>, StoreError> {
    select(load)?.rows(connection, stored).map_err(unavailable)
}

fn select(load: &Load) -> Result<Sql, StoreError> {
    let (table, tenant, column, value) = match load {
        Load::One { table, tenant, id } => (table, tenant, "id", id),
        Load::Where { table, tenant, field, value } => {
            (table, tenant, table.indexed_text(field)?, value)
        }
    };
    // The sign keeps SQLite from walking all ids of the tenant for the order's sake.
    Ok(Sql::new(format!(r#"SELECT id, body FROM "{}" WHERE tenant = "#, table.name))
        .bind(text(tenant.as_str()))
        .then(&format!(r#" AND "{column}" = "#))
        .bind(text(value))
        .then(" ORDER BY +id"))
}

fn next_number(connection: &Connection, series: &Series) -> Result<i64, StoreError> {
    let query = "SELECT last FROM racun_series WHERE tenant = ? AND key = ?";
    let last = connection
        .prepare_cached(query)
        .and_then(|mut statement| {
            statement.query_row((series.tenant.as_str(), &series.key), |row| row.get(0)).optional()
        })
        .map_err(unavailable)?;
    let next = last.map_or(Some(series.start), |last: i64| last.checked_add(1));
    next.ok_or_else(|| StoreError::Unavailable(format!("series {} is exhausted", series.key)))
}

fn take_number(connection: &Connection, series: &Series, number: i64) -> rusqlite::Result<usize> {
    let upsert = "INSERT INTO racun_series (tenant, key, last) VALUES (?, ?, ?)
                  ON CONFLICT (tenant, key) DO UPDATE SET last = excluded.last";
    connection.prepare_cached(upsert)?.execute((series.tenant.as_str(), &series.key, number))
}

/// Writes `entry`, which says `event`, into the log.
fn record(connection: &Connection, event: &Event, entry: &Put) -> Result<(), StoreError> {
    let mut cells = cells(entry)?;
    cells.push((SNAPSHOT, event.snapshot.as_deref().map_or(Cell::Null, text)));
    let written = insert(entry, cells).run(connection);
    written.map(|_| ()).map_err(|error| of_write(entry.table, error))
}

pub(crate) fn write(connection: &Connection, put: &Put) -> Result<(), StoreError> {
    let sql = match put.kind {
        PutKind::Insert => insert(put, cells(put)?),
        PutKind::Update => update(put, cells(put)?),
        PutKind::Delete => this_row(Sql::new(format!(r#"DELETE FROM "{}""#, put.table.name)), put),
    };
    let changed = sql.run(connection).map_err(|error| of_write(put.table, error))?;
    if changed == 0 {
        return Err(StoreError::NotFound { id: put.id.clone() });
    }
    columns::note(connection, put).map_err(unavailable)
}

/// The columns that an update replaces, with what they are to hold.
fn cells(put: &Put) -> Result<Vec<(&'static str, Cell)>, StoreError> {
    if put.values.len() != put.table.fields.len() {
        let (name, given) = (put.table.name, put.values.len());
        let reason = format!("{name} declares {} fields, not {given}", put.table.fields.len());
        return Err(StoreError::Unavailable(reason));
    }
    let own = [("search", text(&put.search)), ("body", text(&put.body))];
    let declared = put.table.columns().map(|(place, _, column)| (column, cell(&put.values[place])));
    Ok(own.into_iter().chain(declared).collect())
}

fn insert(put: &Put, cells: Vec<(&'static str, Cell)>) -> Sql {
    let (columns, cells): (Vec<_>, Vec<_>) = cells.into_iter().unzip();
    let key = [text(put.tenant.as_str()), text(&put.id)];
    let names = columns.join(r#"", ""#);
    let marks = ", ?".repeat(cells.len());
    let insert =
        format!(r#"INSERT INTO "{}" (tenant, id, "{names}") VALUES (?, ?{marks})"#, put.table.name);
    Sql::bound(insert, key.into_iter().chain(cells))
}

fn update(put: &Put, cells: Vec<(&'static str, Cell)>) -> Sql {
    let mut sql = Sql::new(format!(r#"UPDATE "{}" SET "#, put.table.name));
    for (place, (column, cell)) in cells.into_iter().enumerate() {
        let comma = if place == 0 { "" } else { ", " };
        sql = sql.then(comma).then(&format!(r#""{column}" = "#)).bind(cell);
    }
    this_row(sql, put)
}

fn this_row(sql: Sql, put: &Put) -> Sql {
    let sql = sql.then(" WHERE tenant = ").bind(text(put.tenant.as_str()));
    sql.then(" AND id = ").bind(text(&put.id))
}

/// Moves the kept counts by what all `puts` together move them.
fn keep_counts<'a>(
    connection: &Connection,
    puts: impl Iterator<Item = &'a Put>,
) -> rusqlite::Result<()> {
    let upsert = "INSERT INTO racun_counts (tenant, table_name, live, trashed) VALUES (?, ?, ?, ?)
                  ON CONFLICT (tenant, table_name) DO UPDATE
                  SET live = live + excluded.live, trashed = trashed + excluded.trashed";
    for ((tenant, table), (live, trashed)) in Put::count_changes(puts) {
        connection.prepare_cached(upsert)?.execute((tenant.as_str(), table, live, trashed))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use racun_kernel::Tenant;
    use racun_kernel::id::EntityId;
    use racun_store::testing::contract::SAMPLES;
    use racun_store::{Field, FieldKind};

    use super::*;

    #[test]
    fn rows_are_found_by_the_index_of_their_field() {
        let mut connection = crate::connection::open_in_memory().unwrap();
        crate::schema::create_all(&mut connection, &[&SAMPLES], 1).unwrap();
        let tenant = Tenant::entity(EntityId::new(1_u128.into()));
        let is_key =
            |field: &&Field| field.indexed && field.kind == FieldKind::Text && field.name != "id";
        let keys: Vec<&Field> = SAMPLES.fields.iter().filter(is_key).collect();
        assert!(!keys.is_empty());
        for Field { name, .. } in keys {
            let (tenant, value) = (tenant.clone(), "x".to_owned());
            let load = Load::Where { table: &SAMPLES, tenant, field: name, value };
            let explained = Sql::new("EXPLAIN QUERY PLAN ").join(&select(&load).unwrap());
            let steps: Vec<String> = explained.rows(&connection, |row| row.get(3)).unwrap();
            let is_found = steps[0].starts_with("SEARCH") && !steps[0].ends_with("(tenant=?)");
            assert!(is_found, "{name}: {steps:?}");
        }
    }
}
