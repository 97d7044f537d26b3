//! A file of an earlier version, brought up to this one when it is opened.
//!
//! What is to be done follows from the difference between the file and the declarations: tables,
//! columns and indexes that are missing are made, those that nothing declares go, and the columns
//! of a table that is declared otherwise are computed again from the bodies, which are complete.
//! Tables that nothing declares stay.
//!
//! The file is copied first ([`crate::aside`]). Then each **step** is one transaction of bounded
//! size: it leaves the file such that the difference that remains, with the notes in
//! `racun_upgrades` (up to which row a table is filled) and `racun_building` (up to which row its
//! segments are made), says what is left to do. So a program that is killed goes on at its next
//! start. Until the last step the file says that it is being upgraded, and no earlier program
//! opens it. One step is as large as its table: that of dropping a column, which SQLite does whole.

use std::path::Path;

use racun_store::{ACTIVITIES, Table};
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params_from_iter};

use crate::encoding::cell;
use crate::schema::{self, SNAPSHOT, State};
use crate::store::Options;
use crate::{OpenError, aside, columns, connection};

/// The most rows that one step fills.
const ROWS: i64 = 1_000;
/// Bytes of bodies after which a step fills no further row.
const BYTES: usize = 8 * 1024 * 1024;
/// Rows of a table between two lines of the log.
const TOLD: i64 = 20_000;
/// Columns that every table has, and the log has.
const OWN_COLUMNS: [&str; 6] = ["tenant", "id", "search", "body", "position", SNAPSHOT];

/// Opens the file at `path`, made when it is empty and upgraded when it is of an earlier version.
///
/// # Errors
/// When the file cannot be used or upgraded, or the disk fails.
pub(crate) fn open(
    path: &Path,
    tables: &[&'static Table],
    options: &Options,
) -> Result<Connection, OpenError> {
    let failed = |error| OpenError::sqlite(path, error);
    let mut connection = connection::open_writer(path).map_err(failed)?;
    let Some(state) = schema::state(&connection, path, options.version)? else {
        schema::create_all(&mut connection, tables, options.version).map_err(failed)?;
        return Ok(connection);
    };
    if state.upgrading_to.is_none() {
        if !differs(&connection, &state, tables, options).map_err(failed)? {
            return Ok(connection);
        }
        // The copy is of the file alone, without its log.
        let busy: i64 = connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
            .map_err(failed)?;
        if busy != 0 {
            return Err(OpenError::Read { file: path.to_owned() });
        }
        connection.close().map_err(|(_, error)| failed(error))?;
        let copy = aside::keep(path, options.version, options.room)?;
        let (from, to) = (state.version, options.version);
        tracing::info!(from, to, ?copy, "the store is upgraded; the file as it was is kept");
        connection = connection::open_writer(path).map_err(failed)?;
    } else {
        tracing::info!(to = options.version, "the upgrade of the store goes on");
    }
    Upgrade { connection: &mut connection, path, options }.run(tables, &state)?;
    tracing::info!(version = options.version, "the store is upgraded");
    Ok(connection)
}

/// Whether the file is not as it is declared.
fn differs(
    connection: &Connection,
    state: &State,
    tables: &[&'static Table],
    options: &Options,
) -> rusqlite::Result<bool> {
    if state.version < options.version || state.format < schema::FORMAT {
        return Ok(true);
    }
    for table in std::iter::once(&&ACTIVITIES).chain(tables) {
        if schema::stored_fingerprint(connection, table)? != Some(schema::fingerprint(table))
            || !undeclared_indexes(connection, table)?.is_empty()
            || !missing_indexes(connection, table)?.is_empty()
            || !columns::is_current(connection, table)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

struct Upgrade<'a> {
    connection: &'a mut Connection,
    path: &'a Path,
    options: &'a Options,
}

impl Upgrade<'_> {
    fn run(&mut self, tables: &[&'static Table], state: &State) -> Result<(), OpenError> {
        let version = self.options.version;
        self.step(&ACTIVITIES, |connection| schema::begin(connection, state, version))?;
        for table in std::iter::once(&&ACTIVITIES).chain(tables) {
            self.table(table)?;
        }
        for table in tables {
            if !columns::is_current(self.connection, table).map_err(|e| self.failed(table, e))? {
                tracing::debug!(table = table.name, "its lists are made again");
                let rows = self.options.rows;
                while self.step(table, |connection| columns::build(connection, table, rows))? {}
            }
        }
        self.step(&ACTIVITIES, |connection| schema::finish(connection, version))
    }

    /// Makes `table` as it is declared.
    fn table(&mut self, table: &'static Table) -> Result<(), OpenError> {
        let stored = self.read(table, schema::stored_fingerprint)?;
        let Some(stored) = stored else {
            tracing::debug!(table = table.name, "is made");
            return self.step(table, |connection| {
                schema::create(connection, table)?;
                make_indexes(connection, table)?;
                columns::remember(connection, table)
            });
        };
        for index in self.read(table, undeclared_indexes)? {
            self.step(table, |connection| drop_index(connection, &index))?;
        }
        if stored != schema::fingerprint(table) || self.read(table, is_noted)? {
            for column in self.read(table, undeclared_columns)? {
                tracing::info!(table = table.name, column, "is dropped");
                self.step(table, |connection| drop_column(connection, table, &column))?;
            }
            if !self.read(table, is_arranged)? {
                self.step(table, |connection| add_columns(connection, table))?;
            }
            self.fill(table)?;
        }
        for index in self.read(table, missing_indexes)? {
            self.step(table, |connection| connection.execute_batch(&index.sql))?;
        }
        Ok(())
    }

    /// Fills the columns of `table` from the bodies.
    fn fill(&mut self, table: &'static Table) -> Result<(), OpenError> {
        let of: i64 = self.read(table, |connection, table| {
            let noted = "(SELECT filled FROM racun_upgrades WHERE table_name = ?)";
            let left = format!(r#"SELECT count(*) FROM "{}" WHERE rowid > {noted}"#, table.name);
            connection.query_row(&left, [table.name], |row| row.get(0))
        })?;
        if of > 0 {
            tracing::info!(table = table.name, rows = of, "its columns are filled from the bodies");
        }
        let (mut rows, mut told) = (0, 0);
        loop {
            let filled = self.step(table, |connection| fill_some(connection, table))?;
            let filled = match filled {
                Filled::Some(filled) => filled,
                Filled::All => return Ok(()),
                Filled::Unreadable { id, reason } => {
                    let reason = format!("{id} cannot be read by this version: {reason}");
                    let file = self.path.to_owned();
                    return Err(OpenError::Upgrade { file, table: table.name, reason });
                }
            };
            rows += filled;
            if rows - told >= TOLD {
                told = rows;
                tracing::info!(table = table.name, rows, of, "filled");
            }
        }
    }

    fn read<T>(
        &self,
        table: &'static Table,
        read: impl FnOnce(&Connection, &'static Table) -> rusqlite::Result<T>,
    ) -> Result<T, OpenError> {
        read(self.connection, table).map_err(|error| self.failed(table, error))
    }

    /// Does one step, in a transaction.
    fn step<T>(
        &mut self,
        table: &'static Table,
        step: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, OpenError> {
        let run = || {
            let behavior = TransactionBehavior::Immediate;
            let transaction = self.connection.transaction_with_behavior(behavior)?;
            let done = step(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        let done = run().map_err(|error| self.failed(table, error))?;
        if let Some(after_step) = self.options.after_step {
            after_step();
        }
        Ok(done)
    }

    fn failed(&self, table: &'static Table, error: rusqlite::Error) -> OpenError {
        let file = self.path.to_owned();
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DiskFull) => OpenError::Full { file },
            Some(rusqlite::ErrorCode::ConstraintViolation) => {
                OpenError::Upgrade { file, table: table.name, reason: error.to_string() }
            }
            _ => OpenError::sqlite(self.path, error),
        }
    }
}

/// Whether `table` is noted to be filled.
fn is_noted(connection: &Connection, table: &'static Table) -> rusqlite::Result<bool> {
    let query = "SELECT EXISTS (SELECT 1 FROM racun_upgrades WHERE table_name = ?)";
    connection.query_row(query, [table.name], |row| row.get(0))
}

/// Whether `table` has all its columns and is noted to be filled as it is declared.
fn is_arranged(connection: &Connection, table: &'static Table) -> rusqlite::Result<bool> {
    let found = found_columns(connection, table)?;
    let is_found = |column: &str| found.iter().any(|(name, _)| name == column);
    let query = "SELECT declaration FROM racun_upgrades WHERE table_name = ?";
    let noted: Option<String> =
        connection.query_row(query, [table.name], |row| row.get(0)).optional()?;
    Ok(noted == Some(schema::fingerprint(table))
        && table.columns().all(|(_, _, column)| is_found(column)))
}

/// The indexes of `table` in the file: names and statements.
fn indexes(connection: &Connection, table: &Table) -> rusqlite::Result<Vec<(String, String)>> {
    let query = "SELECT name, sql FROM sqlite_schema
                 WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL";
    let mut statement = connection.prepare(query)?;
    let rows = statement.query_map([table.name], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// `sql` with one space between its words.
fn plain(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Indexes that `table` does not declare, or not so.
fn undeclared_indexes(
    connection: &Connection,
    table: &'static Table,
) -> rusqlite::Result<Vec<String>> {
    let declared = schema::indexes(table);
    let is_declared = |name: &str, sql: &str| {
        declared.iter().any(|index| index.name == name && plain(&index.sql) == plain(sql))
    };
    let found = indexes(connection, table)?.into_iter();
    Ok(found.filter(|(name, sql)| !is_declared(name, sql)).map(|(name, _)| name).collect())
}

/// Declared indexes that the file lacks.
fn missing_indexes(
    connection: &Connection,
    table: &'static Table,
) -> rusqlite::Result<Vec<schema::Index>> {
    let found = indexes(connection, table)?;
    let is_found = |index: &schema::Index| found.iter().any(|(name, _)| *name == index.name);
    Ok(schema::indexes(table).into_iter().filter(|index| !is_found(index)).collect())
}

fn make_indexes(connection: &Connection, table: &'static Table) -> rusqlite::Result<()> {
    schema::indexes(table).iter().try_for_each(|index| connection.execute_batch(&index.sql))
}

fn drop_index(connection: &Connection, name: &str) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(r#"DROP INDEX "{name}""#))
}

/// The columns of `table` in the file, with their types.
fn found_columns(
    connection: &Connection,
    table: &Table,
) -> rusqlite::Result<Vec<(String, String)>> {
    let mut statement = connection.prepare("SELECT name, type FROM pragma_table_info(?)")?;
    let rows = statement.query_map([table.name], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// Columns that `table` does not declare, or as another type.
fn undeclared_columns(
    connection: &Connection,
    table: &'static Table,
) -> rusqlite::Result<Vec<String>> {
    let is_declared = |name: &str, kind: &str| {
        let mut declared = table.columns();
        OWN_COLUMNS.contains(&name)
            || declared
                .any(|(_, field, column)| column == name && schema::column_type(field.kind) == kind)
    };
    let found = found_columns(connection, table)?.into_iter();
    Ok(found.filter(|(name, kind)| !is_declared(name, kind)).map(|(name, _)| name).collect())
}

/// Drops `column`, and first the indexes on it, which are made again when they are declared.
fn drop_column(connection: &Connection, table: &Table, column: &str) -> rusqlite::Result<()> {
    let quoted = format!(r#""{column}""#);
    for (name, sql) in indexes(connection, table)? {
        if sql.contains(&quoted) {
            drop_index(connection, &name)?;
        }
    }
    connection.execute_batch(&format!(r#"ALTER TABLE "{}" DROP COLUMN {quoted}"#, table.name))
}

/// Adds the columns that the file lacks, and notes that the table is to be filled.
fn add_columns(connection: &Connection, table: &'static Table) -> rusqlite::Result<()> {
    let found = found_columns(connection, table)?;
    for (_, field, column) in table.columns() {
        if !found.iter().any(|(name, _)| name == column) {
            let kind = schema::column_type(field.kind);
            let add = format!(r#"ALTER TABLE "{}" ADD COLUMN "{column}" {kind}"#, table.name);
            connection.execute_batch(&add)?;
        }
    }
    columns::forget(connection, table)?;
    let note = "INSERT INTO racun_upgrades (table_name, declaration, filled) VALUES (?, ?, 0)
                ON CONFLICT DO UPDATE SET declaration = excluded.declaration,
                filled = CASE declaration WHEN excluded.declaration THEN filled ELSE 0 END";
    connection.execute(note, (table.name, schema::fingerprint(table))).map(|_| ())
}

/// What a step filled.
enum Filled {
    /// So many rows; more may be left.
    Some(i64),
    /// All are.
    All,
    /// A body is not one of this version's.
    Unreadable {
        /// Of this row.
        id: String,
        /// What is wrong with it.
        reason: serde_json::Error,
    },
}

/// A row whose columns are to hold something else.
struct Refilled {
    row: i64,
    cells: Vec<Cell>,
}

/// Fills the next rows of `table`, and notes it.
fn fill_some(connection: &Connection, table: &'static Table) -> rusqlite::Result<Filled> {
    let query = "SELECT filled FROM racun_upgrades WHERE table_name = ?";
    let after: Option<i64> =
        connection.query_row(query, [table.name], |row| row.get(0)).optional()?;
    let names: Vec<&str> =
        std::iter::once("search").chain(table.columns().map(|(_, _, column)| column)).collect();
    let selected: String = names.iter().map(|name| format!(r#", "{name}""#)).collect();
    let query = format!(
        r#"SELECT rowid, id, body{selected} FROM "{}" WHERE rowid > ? ORDER BY rowid LIMIT ?"#,
        table.name
    );
    let mut statement = connection.prepare_cached(&query)?;
    let mut found = statement.query((after.unwrap_or(i64::MIN), ROWS))?;
    let (mut changed, mut last, mut rows, mut bytes) = (Vec::new(), None, 0, 0);
    while let Some(row) = found.next()? {
        let number: i64 = row.get(0)?;
        let body: String = row.get(2)?;
        let refilled = match (table.refill)(&body) {
            Ok(refilled) => refilled,
            Err(reason) => return Ok(Filled::Unreadable { id: row.get(1)?, reason }),
        };
        let values = table.columns().filter_map(|(place, _, _)| refilled.values.get(place));
        let search = Cell::Text(refilled.search.clone());
        let cells: Vec<Cell> = std::iter::once(search).chain(values.map(cell)).collect();
        let stored: Vec<Cell> =
            (0..names.len()).map(|n| row.get(n + 3)).collect::<rusqlite::Result<_>>()?;
        if stored != cells {
            changed.push(Refilled { row: number, cells });
        }
        (last, rows, bytes) = (Some(number), rows + 1, bytes + body.len());
        if bytes > BYTES {
            break;
        }
    }
    write(connection, table, &names, changed)?;
    let Some(last) = last else {
        schema::remember(connection, table)?;
        connection.execute("DELETE FROM racun_upgrades WHERE table_name = ?", [table.name])?;
        return Ok(Filled::All);
    };
    let note = "UPDATE racun_upgrades SET filled = ? WHERE table_name = ?";
    connection.execute(note, (last, table.name))?;
    Ok(Filled::Some(rows))
}

/// Writes `rows`.
fn write(
    connection: &Connection,
    table: &'static Table,
    names: &[&str],
    rows: Vec<Refilled>,
) -> rusqlite::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let is_log = *table == ACTIVITIES;
    if is_log {
        connection.execute_batch(schema::REWRITABLE)?;
    }
    let set: Vec<String> = names.iter().map(|name| format!(r#""{name}" = ?"#)).collect();
    let update = format!(r#"UPDATE "{}" SET {} WHERE rowid = ?"#, table.name, set.join(", "));
    let mut update = connection.prepare_cached(&update)?;
    for Refilled { row, cells } in rows {
        update.execute(params_from_iter(cells.into_iter().chain([Cell::Integer(row)])))?;
    }
    if is_log {
        connection.execute_batch(schema::ONCE_AND_FOR_ALL)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use racun_kernel::id::EntityId;
    use racun_store::Put;
    use racun_store::testing::contract::{SAMPLES, Sample};

    use super::*;

    #[test]
    fn an_upgrade_that_met_a_full_disk_goes_on_when_there_is_room() {
        let mut connection = connection::open_in_memory().unwrap();
        schema::create_all(&mut connection, &[&SAMPLES], 1).unwrap();
        let note = Some("x".repeat(2_000));
        for n in 0..200 {
            let sample = Sample {
                note: note.clone(),
                name: Some("y".repeat(1_000)),
                ..Sample::new(EntityId::new(1_u128.into()), format!("smp_{n}"))
            };
            crate::unit::write(&connection, &Put::insert(&sample)).unwrap();
        }
        let before = "DROP INDEX samples__group_name__lookup;
                      ALTER TABLE samples DROP COLUMN name;
                      UPDATE racun_tables SET declaration = 'before' WHERE name = 'samples';
                      VACUUM;";
        connection.execute_batch(before).unwrap();
        let pages: i64 =
            connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        let (path, options) = (Path::new("test"), Options { version: 2, ..Options::default() });
        let mut most = pages;
        let mut refused = 0;
        loop {
            connection.pragma_update(None, "max_page_count", most).unwrap();
            let state = schema::state(&connection, path, 2).unwrap().unwrap();
            let mut upgrade = Upgrade { connection: &mut connection, path, options: &options };
            match upgrade.run(&[&SAMPLES], &state) {
                Ok(()) => break,
                Err(OpenError::Full { .. }) => (refused, most) = (refused + 1, most + 8),
                Err(error) => panic!("{error}"),
            }
        }
        assert!(refused > 2, "{refused}");
        let state = schema::state(&connection, path, 2).unwrap().unwrap();
        assert_eq!((state.version, state.upgrading_to), (2, None));
        let filled = "SELECT count(*) FROM samples WHERE length(name) = 1000";
        let filled: i64 = connection.query_row(filled, [], |row| row.get(0)).unwrap();
        assert_eq!(filled, 200);
        let state = State { version: 2, format: schema::FORMAT, upgrading_to: None };
        assert!(!differs(&connection, &state, &[&SAMPLES], &options).unwrap());
    }
}
