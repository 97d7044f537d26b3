//! Tables and indexes, made from the declarations.

use std::path::Path;

use racun_kernel::{ACTIVITIES, Field, FieldKind, Source, Table, Unique};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};

use crate::{OpenError, columns};

/// Marks the file as Racun's (`file` shows it): "RACN".
const APPLICATION_ID: i64 = 0x5241_434E;
/// The layout of what is below and of how values are encoded. A file of format 1 is brought up to
/// it when it is opened: text is folded without accents since 2.
const FORMAT: i64 = 2;

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
/// The column of the log that holds what a record looked like.
pub(crate) const SNAPSHOT: &str = "snapshot";

/// Keeps entries of the log as they were written.
const ONCE_AND_FOR_ALL: &str = "
    CREATE TRIGGER activities_stay_as_they_are BEFORE UPDATE ON activities
    BEGIN SELECT RAISE(ABORT, 'the log is not rewritten'); END;
    CREATE TRIGGER activities_stay BEFORE DELETE ON activities
    BEGIN SELECT RAISE(ABORT, 'the log is not rewritten'); END;
";

/// Makes whatever is missing of `tables`, in one transaction.
///
/// # Errors
/// When the file is not one of this version's, or SQLite fails.
pub(crate) fn prepare(
    connection: &mut Connection,
    path: &Path,
    tables: &[&'static Table],
) -> Result<(), OpenError> {
    prepare_in_segments(connection, path, tables, columns::ROWS)
}

/// The same, with segments of so many rows.
pub(crate) fn prepare_in_segments(
    connection: &mut Connection,
    path: &Path,
    tables: &[&'static Table],
    size: usize,
) -> Result<(), OpenError> {
    let failed = |error| OpenError::sqlite(path, error);
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    let format = check_format(&transaction, path)?;
    for table in std::iter::once(&&ACTIVITIES).chain(tables) {
        let declared = fingerprint(table);
        let stored = stored_fingerprint(&transaction, table).map_err(failed)?;
        match stored {
            None => create(&transaction, table, &declared).map_err(failed)?,
            Some(stored) if stored != declared => {
                let file = path.to_owned();
                return Err(OpenError::TableChanged { file, table: table.name, stored, declared });
            }
            Some(_) => {}
        }
        if format < FORMAT {
            fold_anew(&transaction, table).map_err(failed)?;
        }
        drop_undeclared(&transaction, table).map_err(failed)?;
        transaction.execute_batch(&indexes(table)).map_err(failed)?;
    }
    columns::prepare(&transaction, tables, size).map_err(failed)?;
    transaction.pragma_update(None, "user_version", FORMAT).map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// Takes the accents out of what `search` looks through, which files of format 1 have there.
fn fold_anew(transaction: &Transaction<'_>, table: &Table) -> rusqlite::Result<()> {
    if *table == ACTIVITIES {
        // The log has no search, and its entries never change.
        return Ok(());
    }
    let update = format!(
        r#"UPDATE "{}" SET search = racun_fold(search) WHERE search <> racun_fold(search)"#,
        table.name
    );
    transaction.execute(&update, []).map(|_| ())
}

/// The format of the file, which this version can read.
fn check_format(transaction: &Transaction<'_>, path: &Path) -> Result<i64, OpenError> {
    let failed = |error| OpenError::sqlite(path, error);
    let foreign = |reason| OpenError::Foreign { file: path.to_owned(), reason };
    let pragma = |name| transaction.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let application = pragma("application_id").map_err(failed)?;
    let format = pragma("user_version").map_err(failed)?;
    let count = "SELECT count(*) FROM sqlite_schema";
    let objects: i64 = transaction.query_row(count, [], |row| row.get(0)).map_err(failed)?;
    match (application, format) {
        (APPLICATION_ID, 1..=FORMAT) => Ok(format),
        (0, 0) if objects == 0 => {
            transaction.execute_batch(OWN_TABLES).map_err(failed)?;
            let set = |name, value: i64| transaction.pragma_update(None, name, value);
            set("application_id", APPLICATION_ID).map_err(failed)?;
            set("user_version", FORMAT).map_err(failed)?;
            Ok(FORMAT)
        }
        (APPLICATION_ID, _) => {
            Err(foreign(format!("its format is {format}, and this version writes {FORMAT}")))
        }
        _ => Err(foreign("it is another program's database".to_owned())),
    }
}

fn stored_fingerprint(
    transaction: &Transaction<'_>,
    table: &Table,
) -> rusqlite::Result<Option<String>> {
    let query = "SELECT declaration FROM racun_tables WHERE name = ?";
    transaction.query_row(query, [table.name], |row| row.get(0)).optional()
}

/// What of a declaration is kept in the rows: columns, uniqueness and what `search` holds.
///
/// Rows written under another one cannot be read under this one; a plain index can be added.
fn fingerprint(table: &Table) -> String {
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

fn create(transaction: &Transaction<'_>, table: &Table, fingerprint: &str) -> rusqlite::Result<()> {
    let columns: String = table
        .columns()
        .map(|(_, field, column)| {
            let kind = match field.kind {
                FieldKind::Bool | FieldKind::Instant => "INTEGER",
                FieldKind::Text
                | FieldKind::Number
                | FieldKind::Date
                | FieldKind::Map
                | FieldKind::List => "TEXT",
            };
            format!(r#""{column}" {kind}, "#)
        })
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
    transaction.execute_batch(&create)?;
    if *table == ACTIVITIES {
        transaction.execute_batch(ONCE_AND_FOR_ALL)?;
    }
    let remember = "INSERT INTO racun_tables (name, declaration) VALUES (?, ?)";
    transaction.execute(remember, [table.name, fingerprint])?;
    Ok(())
}

/// Drops indexes that an earlier version declared.
fn drop_undeclared(transaction: &Transaction<'_>, table: &Table) -> rusqlite::Result<()> {
    let declared = indexes(table);
    let query = "SELECT name FROM sqlite_schema
                 WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL";
    let mut statement = transaction.prepare(query)?;
    let names = statement.query_map([table.name], |row| row.get(0))?;
    for name in names.collect::<rusqlite::Result<Vec<String>>>()? {
        let quoted = format!(r#""{name}""#);
        if !declared.contains(&quoted) {
            transaction.execute(&format!("DROP INDEX {quoted}"), [])?;
        }
    }
    Ok(())
}

/// The indexes of `table`: its default order, uniqueness, and the indexed fields.
///
/// An indexed text is mostly a reference, `customer_id`: it is filtered by within the default
/// order, and looked up across tenants. Other indexed fields, such as dates, are ordered by.
fn indexes(table: &Table) -> String {
    let name = table.name;
    let index = |kind: &str, suffix: &str, columns: &str, condition: &str| {
        format!(
            r#"CREATE {kind} IF NOT EXISTS "{name}__{suffix}" ON "{name}" ({columns}) {condition};"#
        )
    };
    let plain =
        |suffix: &str, columns: &str, condition: &str| index("INDEX", suffix, columns, condition);
    let unique = |suffix: &str, columns: &str| index("UNIQUE INDEX", suffix, columns, "");
    let mut all = String::new();
    if table.has_trash() {
        let order = "tenant, created_at, id";
        all += &plain("live", order, "WHERE deleted_at IS NULL");
        all += &plain("trash", order, "WHERE deleted_at IS NOT NULL");
    } else {
        all += &plain("order", "tenant, created_at, id", "");
    }
    for (_, field, column) in table.columns() {
        match field.unique {
            Unique::Everywhere => {
                all += &unique(&format!("{column}__unique"), &format!(r#""{column}""#));
                continue;
            }
            Unique::Tenant => {
                let columns = format!(r#"tenant, "{column}""#);
                all += &unique(&format!("{column}__unique"), &columns);
            }
            Unique::No if field.indexed => {
                let then = if field.kind == FieldKind::Text { "created_at, id" } else { "id" };
                let columns = format!(r#"tenant, "{column}", {then}"#);
                all += &plain(&format!("{column}__within"), &columns, "");
            }
            Unique::No => continue,
        }
        if field.kind == FieldKind::Text {
            let known = format!(r#"WHERE "{column}" IS NOT NULL"#);
            all += &plain(&format!("{column}__lookup"), &format!(r#""{column}""#), &known);
        }
    }
    all
}
