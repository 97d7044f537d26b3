//! How a declared [`Table`] looks in PostgreSQL: names, types and indexes.

use std::collections::BTreeSet;

use diesel_async::AsyncPgConnection;
use racun_store::{Field, FieldKind, Source, StoreError, Table, Unique};

use crate::error::unavailable;
use crate::listing;
use crate::statement::{Bind, PartRow, Statement};

/// The column of the default order, which every table has and which is never null.
pub(crate) const CREATED_AT: &str = "created_at";

/// `name` as an identifier, whatever words SQL reserves.
pub(crate) fn quote(name: &str) -> String {
    format!("\"{name}\"")
}

/// The column type of `kind`. Text is compared byte by byte, as the port demands.
pub(crate) const fn column_type(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Text => "text",
        FieldKind::Number => "numeric",
        FieldKind::Bool => "boolean",
        FieldKind::Date => "date",
        FieldKind::Instant => "timestamp with time zone",
        FieldKind::Map => "jsonb",
        FieldKind::List => "text[]",
    }
}

/// `field` as an expression of its own kind, in a statement over its table alone.
pub(crate) fn expression(field: &Field) -> String {
    let path = match field.source {
        Source::Id => return "id".to_owned(),
        Source::Column(column) => return quote(column),
        Source::Body(path) => path,
    };
    if let Some(column) = listing::body_column(field) {
        return quote(&column);
    }
    let path = array_of(path);
    match field.kind {
        FieldKind::Text => format!(r#"(body #>> {path}) COLLATE "C""#),
        FieldKind::Map => format!("(body #> {path})"),
        FieldKind::List => format!(
            "CASE jsonb_typeof(body #> {path}) WHEN 'array' \
             THEN ARRAY(SELECT jsonb_array_elements_text(body #> {path})) END"
        ),
        kind => format!("(body #>> {path})::{}", column_type(kind)),
    }
}

/// `path` as the array that `#>` takes.
pub(crate) fn array_of(path: &[&str]) -> String {
    let keys = path.iter().map(|key| format!("'{}'", key.replace('\'', "''")));
    format!("ARRAY[{}]::text[]", keys.collect::<Vec<_>>().join(", "))
}

/// The name of the primary key of `table`.
pub(crate) fn primary_key(table: &Table) -> String {
    format!("{}_pkey", table.name)
}

/// The unique indexes of `table`, by name, and the fields that they are on.
pub(crate) fn unique_indexes(table: &Table) -> impl Iterator<Item = (String, &'static Field)> {
    table
        .columns()
        .filter(|(_, field, _)| field.unique != Unique::No)
        .map(|(_, field, column)| (format!("{}_{column}_key", table.name), field))
}

/// The statements that make `table`, as a migration holds them.
///
/// Indexes on texts lead with the text, not with the tenant: one index then serves units that load
/// by it within a tenant and lookups across tenants, which no query needs of a field that lists are
/// ordered by. Others serve lists in their order.
#[must_use]
pub fn create_table_sql(table: &Table) -> String {
    let name = quote(table.name);
    let mut columns = vec![
        r#"    tenant text COLLATE "C" NOT NULL"#.to_owned(),
        r#"    id text COLLATE "C" NOT NULL"#.to_owned(),
    ];
    let mut indexes = Vec::new();
    for (_, field, column) in table.columns() {
        let collation = if field.kind == FieldKind::Text { r#" COLLATE "C""# } else { "" };
        let not_null = if column == CREATED_AT { " NOT NULL" } else { "" };
        let kind = column_type(field.kind);
        columns.push(format!("    {} {kind}{collation}{not_null}", quote(column)));
        indexes.extend(field_index(table, field, column));
    }
    columns.push("    search text NOT NULL".to_owned());
    columns.push("    body jsonb NOT NULL".to_owned());
    columns.extend(listing::body_columns(table).map(|(_, definition)| format!("    {definition}")));
    indexes.extend(listing::indexes(table));
    let key = quote(&primary_key(table));
    columns.push(format!("    CONSTRAINT {key} PRIMARY KEY (tenant, id)"));
    format!(
        "CREATE TABLE {name} (\n{}\n);\n{}\nSELECT racun_fence('{name}');\n",
        columns.join(",\n"),
        indexes.join("\n")
    )
}

fn field_index(table: &Table, field: &Field, column: &str) -> Option<String> {
    let index = |suffix| quote(&format!("{}_{column}_{suffix}", table.name));
    let (name, quoted) = (quote(table.name), quote(column));
    match field.unique {
        Unique::Everywhere => {
            Some(format!("CREATE UNIQUE INDEX {}\n    ON {name} ({quoted});", index("key")))
        }
        Unique::Tenant => {
            Some(format!("CREATE UNIQUE INDEX {}\n    ON {name} ({quoted}, tenant);", index("key")))
        }
        // The index of its order finds it, too.
        Unique::No if listing::is_ordered(field) && column != CREATED_AT => None,
        Unique::No if has_list_index(field) => Some(list_index(table, column)),
        Unique::No if field.indexed => {
            Some(format!("CREATE INDEX {}\n    ON {name} ({quoted}, tenant, id);", index("idx")))
        }
        Unique::No => None,
    }
}

/// Whether an index of all rows has the order of `field` within a tenant.
pub(crate) fn has_list_index(field: &Field) -> bool {
    let is_declared = field.indexed && field.unique == Unique::No && field.kind != FieldKind::Text;
    field.source == Source::Column(CREATED_AT) || is_declared
}

/// The index of a list in the order of `column`, greatest first, or least first read backwards.
fn list_index(table: &Table, column: &str) -> String {
    let (index, column) = (quote(&format!("{}_{column}_list", table.name)), quote(column));
    let name = quote(table.name);
    format!(
        "CREATE INDEX {index}\n    ON {name} (tenant, {column} DESC NULLS LAST, id DESC NULLS \
         LAST);"
    )
}

/// What `table` must have: columns with their types, unique indexes, and the fence.
fn wanted(table: &Table) -> BTreeSet<(String, String, String)> {
    let part = |part: &str, kind: &str| (table.name.to_owned(), part.to_owned(), kind.to_owned());
    let fixed = [("tenant", "text"), ("id", "text"), ("search", "text"), ("body", "jsonb")];
    let fixed = fixed.into_iter().map(|(column, kind)| part(column, kind));
    let declared = table.columns().map(|(_, field, column)| part(column, column_type(field.kind)));
    let kept: Vec<_> =
        listing::body_columns(table).map(|(column, _)| part(&column, "text")).collect();
    let unique = unique_indexes(table).map(|(index, _)| part(&index, "unique index"));
    let key = [part(&primary_key(table), "unique index"), part("fence", "row-level security")];
    fixed.chain(declared).chain(kept).chain(unique).chain(key).collect()
}

/// What the tables named in $1 have.
const PARTS: &str = r"
    WITH owners AS (
        SELECT c.oid, c.relname::text AS owner, c.relrowsecurity AND c.relforcerowsecurity AS fenced
        FROM unnest($1) AS named (name)
        JOIN pg_class c ON c.oid = to_regclass(quote_ident(named.name))
    )
    SELECT owner, attname::text AS part, format_type(atttypid, atttypmod) AS kind
    FROM owners JOIN pg_attribute ON attrelid = oid
    WHERE attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT owner, indexes.relname::text, 'unique index'
    FROM owners JOIN pg_index ON indrelid = owners.oid
    JOIN pg_class AS indexes ON indexes.oid = indexrelid
    WHERE indisunique
    UNION ALL
    SELECT owner, 'fence', 'row-level security' FROM owners WHERE fenced";

/// Compares the declarations with what the database has. More than is declared is allowed: a
/// migration comes before the program that needs it.
pub(crate) async fn check(
    connection: &AsyncPgConnection,
    tables: &[&'static Table],
) -> Result<(), StoreError> {
    let names: Bind = tables.iter().map(|table| table.name).collect();
    let parts = Statement::new(PARTS).bind(names).rows::<PartRow>(connection).await;
    let parts = parts.map_err(|error| unavailable(&error))?;
    let there: BTreeSet<_> =
        parts.into_iter().map(|part| (part.owner, part.part, part.kind)).collect();
    let wanted: BTreeSet<_> = tables.iter().flat_map(|table| wanted(table)).collect();
    let missing: Vec<String> = wanted
        .difference(&there)
        .map(|(table, part, kind)| format!("{table}.{part} ({kind})"))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let missing = missing.join(", ");
    Err(StoreError::Unavailable(format!(
        "the database lacks {missing}; run the migrations of this version"
    )))
}
