//! Tables and indexes, made from the declarations.

use std::path::Path;

use racun_store::{ACTIVITIES, Field, FieldKind, Source, Table, Unique};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use crate::{OpenError, columns};

/// Marks the file as Racun's (`file` shows it): "RACN".
const APPLICATION_ID: i64 = 0x5241_434E;
/// The layout of what is below and of how values are encoded.
pub(crate) const FORMAT: i64 = 3;
/// The format since which texts that are searched have no accents.
const FOLDED: i64 = 2;
/// The format since which a file names the version of its data.
const NAMED: i64 = 3;

/// Tables of the store itself.
const OWN_TABLES: &str = "
    CREATE TABLE racun_tables (name TEXT PRIMARY KEY, declaration TEXT NOT NULL) STRICT;
    CREATE TABLE racun_counts (
        tenant TEXT NOT NULL, table_name TEXT NOT NULL,
        live INTEGER NOT NULL, trashed INTEGER NOT NULL,
        PRIMARY KEY (tenant, table_name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE racun_series (
        tenant TEXT NOT NULL, key TEXT NOT NULL, last INTEGER NOT NULL,
        PRIMARY KEY (tenant, key)
    ) STRICT, WITHOUT ROWID;
";
/// Tables of the store itself that came later.
const LATER_TABLES: &str = "
    CREATE TABLE IF NOT EXISTS racun_versions (
        name TEXT PRIMARY KEY, value INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS racun_upgrades (
        table_name TEXT PRIMARY KEY, declaration TEXT NOT NULL, filled INTEGER NOT NULL
    ) STRICT;
";
/// The column of the log that holds what a record looked like.
pub(crate) const SNAPSHOT: &str = "snapshot";

/// Keeps entries of the log as they were written.
pub(crate) const ONCE_AND_FOR_ALL: &str = "
    CREATE TRIGGER activities_stay_as_they_are BEFORE UPDATE ON activities
    BEGIN SELECT RAISE(ABORT, 'the log is not rewritten'); END;
    CREATE TRIGGER activities_stay BEFORE DELETE ON activities
    BEGIN SELECT RAISE(ABORT, 'the log is not rewritten'); END;
";

/// Lets them be rewritten, until the same transaction keeps them again.
pub(crate) const REWRITABLE: &str = "
    DROP TRIGGER activities_stay_as_they_are;
    DROP TRIGGER activities_stay;
";

/// Version of the data of files that name none: of formats 1 and 2.
const FIRST_VERSION: u32 = 1;

/// What a file says about itself.
pub(crate) struct State {
    /// The layout of its own tables.
    pub(crate) format: i64,
    /// The version of its data.
    pub(crate) version: u32,
    /// The version of an upgrade that has not ended.
    pub(crate) upgrading_to: Option<u32>,
}

/// What the file says about itself; `None` when it is empty.
///
/// # Errors
/// When it is not a file that this program can use, or SQLite fails.
pub(crate) fn state(
    connection: &Connection,
    path: &Path,
    known: u32,
) -> Result<Option<State>, OpenError> {
    let failed = |error| OpenError::sqlite(path, error);
    let newer = |found| OpenError::Newer { file: path.to_owned(), found, known };
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let application = pragma("application_id").map_err(failed)?;
    let format = pragma("user_version").map_err(failed)?;
    let count = "SELECT count(*) FROM sqlite_schema";
    let objects: i64 = connection.query_row(count, [], |row| row.get(0)).map_err(failed)?;
    let (version, upgrading_to) = match (application, format) {
        (0, 0) if objects == 0 => return Ok(None),
        (APPLICATION_ID, 1..NAMED) => (FIRST_VERSION, None),
        (APPLICATION_ID, NAMED..=FORMAT) => {
            let version = named(connection, "version").map_err(failed)?.unwrap_or(FIRST_VERSION);
            (version, named(connection, "upgrading_to").map_err(failed)?)
        }
        (APPLICATION_ID, _) => return Err(newer(format!("in format {format}"))),
        _ => {
            let reason = "it is another program's database".to_owned();
            return Err(OpenError::Foreign { file: path.to_owned(), reason });
        }
    };
    let highest = upgrading_to.unwrap_or_default().max(version);
    if highest > known {
        return Err(newer(format!("of version {highest}")));
    }
    Ok(Some(State { format, version, upgrading_to }))
}

/// The number that the file has under `name`.
fn named(connection: &Connection, name: &str) -> rusqlite::Result<Option<u32>> {
    let query = "SELECT value FROM racun_versions WHERE name = ?";
    connection.query_row(query, [name], |row| row.get(0)).optional()
}

fn name(connection: &Connection, name: &str, version: u32) -> rusqlite::Result<()> {
    let upsert = "INSERT OR REPLACE INTO racun_versions (name, value) VALUES (?, ?)";
    connection.execute(upsert, (name, version)).map(|_| ())
}

/// Makes `tables` in an empty file, in one transaction.
///
/// # Errors
/// When SQLite fails.
pub(crate) fn create_all(
    connection: &mut Connection,
    tables: &[&'static Table],
    version: u32,
) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(OWN_TABLES)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    make_own_tables(&transaction)?;
    for table in std::iter::once(&&ACTIVITIES).chain(tables) {
        create(&transaction, table)?;
        for index in indexes(table) {
            transaction.execute_batch(&index.sql)?;
        }
        columns::remember(&transaction, table)?;
    }
    finish(&transaction, version)?;
    transaction.commit()
}

/// Marks the file as being upgraded to `version`, so that no earlier program uses it, and notes
/// the tables that are to be filled again even if their declarations are unchanged.
pub(crate) fn begin(connection: &Connection, state: &State, version: u32) -> rusqlite::Result<()> {
    make_own_tables(connection)?;
    if state.format < FOLDED {
        let all = "INSERT OR IGNORE INTO racun_upgrades (table_name, declaration, filled)
                   SELECT name, '', 0 FROM racun_tables WHERE name <> ?";
        // The log has no search, and its entries never change.
        connection.execute(all, [ACTIVITIES.name])?;
    }
    name(connection, "version", state.version)?;
    name(connection, "upgrading_to", version)?;
    connection.pragma_update(None, "user_version", FORMAT)
}

/// Marks the data of the file as of `version`.
pub(crate) fn finish(connection: &Connection, version: u32) -> rusqlite::Result<()> {
    name(connection, "version", version)?;
    connection.execute("DELETE FROM racun_versions WHERE name = 'upgrading_to'", [])?;
    connection.pragma_update(None, "user_version", FORMAT)
}

/// Makes the tables of this crate that earlier formats lack.
fn make_own_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(LATER_TABLES)?;
    connection.execute_batch(columns::OWN_TABLES)
}

/// The declaration that the rows of `table` were written under; `None` when there is no such table.
pub(crate) fn stored_fingerprint(
    connection: &Connection,
    table: &Table,
) -> rusqlite::Result<Option<String>> {
    let query = "SELECT declaration FROM racun_tables WHERE name = ?";
    connection.query_row(query, [table.name], |row| row.get(0)).optional()
}

/// Notes that the rows of `table` are as it is declared.
pub(crate) fn remember(connection: &Connection, table: &Table) -> rusqlite::Result<()> {
    let remember = "INSERT OR REPLACE INTO racun_tables (name, declaration) VALUES (?, ?)";
    connection.execute(remember, (table.name, fingerprint(table))).map(|_| ())
}

/// What of a declaration is kept in the rows: columns, uniqueness and what `search` holds.
///
/// Rows written under another one are filled again before they are read under this one.
pub(crate) fn fingerprint(table: &Table) -> String {
    let told = |field: &Field| {
        let place = match field.source {
            Source::Id => return None,
            Source::Column(column) => column.to_owned(),
            Source::Body(_) if !field.search => return None,
            Source::Body(path) => format!("/{}", path.join("/")),
        };
        let kind = match field.kind {
            FieldKind::Text => "text",
            FieldKind::Number => "number",
            FieldKind::Bool => "bool",
            FieldKind::Date => "date",
            FieldKind::Instant => "instant",
            FieldKind::Map => "map",
            FieldKind::List => "list",
        };
        let unique = match field.unique {
            Unique::No => "",
            Unique::Tenant => " unique",
            Unique::Everywhere => " unique everywhere",
        };
        let search = if field.search { " searched" } else { "" };
        Some(format!("{place} {kind}{unique}{search}"))
    };
    let mut fields: Vec<String> = table.fields.iter().filter_map(told).collect();
    fields.sort();
    fields.join(", ")
}

/// The type of the column that holds values of `kind`.
pub(crate) const fn column_type(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Bool | FieldKind::Instant => "INTEGER",
        FieldKind::Text
        | FieldKind::Number
        | FieldKind::Date
        | FieldKind::Map
        | FieldKind::List => "TEXT",
    }
}

/// Makes `table`, without indexes.
pub(crate) fn create(connection: &Connection, table: &Table) -> rusqlite::Result<()> {
    let columns: String = table
        .columns()
        .map(|(_, field, column)| format!(r#""{column}" {}, "#, column_type(field.kind)))
        .collect();
    // Entries of the log are numbered as they come: nothing that is gone lends its number to
    // another.
    let (own, key) = if *table == ACTIVITIES {
        let own = format!("position INTEGER PRIMARY KEY AUTOINCREMENT, {SNAPSHOT} TEXT, ");
        (own, "UNIQUE (tenant, id)")
    } else {
        (String::new(), "PRIMARY KEY (tenant, id)")
    };
    // Not WITHOUT ROWID: bodies are large, and would fill the inner pages of such a table's tree.
    let create = format!(
        r#"CREATE TABLE "{}" ({own}tenant TEXT NOT NULL, id TEXT NOT NULL, {columns}
            search TEXT NOT NULL, body TEXT NOT NULL, {key}) STRICT"#,
        table.name
    );
    connection.execute_batch(&create)?;
    if *table == ACTIVITIES {
        connection.execute_batch(ONCE_AND_FOR_ALL)?;
    }
    remember(connection, table)
}

/// An index of a table.
pub(crate) struct Index {
    pub(crate) name: String,
    /// The statement that makes it, as SQLite keeps it.
    pub(crate) sql: String,
}

/// The indexes of `table`: its default order, uniqueness, and the indexed fields.
///
/// An indexed text is mostly a reference, `customer_id`: it is filtered by within the default
/// order, and looked up across tenants. Other indexed fields, such as dates, are ordered by.
pub(crate) fn indexes(table: &Table) -> Vec<Index> {
    let mut all = Vec::new();
    let mut index = |kind: &str, suffix: &str, columns: &str, condition: &str| {
        let name = format!("{}__{suffix}", table.name);
        let sql = format!(r#"CREATE {kind} "{name}" ON "{}" ({columns}){condition}"#, table.name);
        all.push(Index { name, sql });
    };
    let order = "tenant, created_at, id";
    if table.has_trash() {
        index("INDEX", "live", order, " WHERE deleted_at IS NULL");
        index("INDEX", "trash", order, " WHERE deleted_at IS NOT NULL");
    } else {
        index("INDEX", "order", order, "");
    }
    for (_, field, column) in table.columns() {
        match field.unique {
            Unique::Everywhere => {
                let columns = format!(r#""{column}""#);
                index("UNIQUE INDEX", &format!("{column}__unique"), &columns, "");
                continue;
            }
            Unique::Tenant => {
                let columns = format!(r#"tenant, "{column}""#);
                index("UNIQUE INDEX", &format!("{column}__unique"), &columns, "");
            }
            Unique::No if field.indexed => {
                let then = if field.kind == FieldKind::Text { "created_at, id" } else { "id" };
                let columns = format!(r#"tenant, "{column}", {then}"#);
                index("INDEX", &format!("{column}__within"), &columns, "");
            }
            Unique::No => continue,
        }
        if field.kind == FieldKind::Text {
            let known = format!(r#" WHERE "{column}" IS NOT NULL"#);
            index("INDEX", &format!("{column}__lookup"), &format!(r#""{column}""#), &known);
        }
    }
    all
}
