//! The generated columns and indexes that let lists of many rows read few of them.
//!
//! Row-level security lets a condition lead through an index only if its operator is leakproof:
//! those of texts, dates, instants and booleans are, those of `jsonb` and `numeric` are not. So
//! a listed field inside a body has a column that the database fills from it, and a deep page by a
//! number is found by scanning the index from its beginning.
//!
//! Indexes cover the rows outside the trash and include the default order, so that pages and counts
//! are index-only scans. They ascend, because most values grow and are then added at one end.

use racun_store::{Field, FieldKind, Listing, Source, State, Table};

use crate::schema::{CREATED_AT, array_of, quote};

/// What follows the columns of an index of the rows outside the trash.
const LIVE: &str = "deleted_at IS NULL";

/// The column that holds `field`, which is listed and inside the body.
pub(crate) fn body_column(field: &Field) -> Option<String> {
    let is_kept = field.is_listed() && matches!(field.source, Source::Body(_));
    is_kept.then(|| field.name.replace('.', "_"))
}

/// The column that `field` is in, if it has one.
fn column(field: &Field) -> Option<String> {
    match field.source {
        Source::Id => Some("id".to_owned()),
        Source::Column(column) => Some(column.to_owned()),
        Source::Body(_) => body_column(field),
    }
}

/// Names and definitions of the columns that the database fills from bodies of `table`.
pub(crate) fn body_columns(table: &Table) -> impl Iterator<Item = (String, String)> {
    table.fields.iter().filter_map(|field| {
        let Source::Body(path) = field.source else { return None };
        let name = body_column(field)?;
        let path = array_of(path);
        let definition = format!(
            r#"{} text COLLATE "C" GENERATED ALWAYS AS (body #>> {path}) STORED"#,
            quote(&name)
        );
        Some((name, definition))
    })
}

/// Whether an index has the order of `field` within a tenant's rows.
pub(crate) fn is_ordered(field: &Field) -> bool {
    matches!(field.listing, Listing::Ordered | Listing::Seldom)
}

/// The statements that make the indexes which `table` needs for large lists.
pub(crate) fn indexes(table: &Table) -> Vec<String> {
    if !table.has_trash() {
        return Vec::new();
    }
    let mut all: Vec<String> =
        table.fields.iter().filter_map(|field| order(table, field)).collect();
    all.extend(states(table));
    all
}

fn index(table: &Table, suffix: &str, columns: &str, condition: &str) -> String {
    let (name, table) = (quote(&format!("{}_{suffix}", table.name)), quote(table.name));
    format!("CREATE INDEX {name}\n    ON {table} ({columns}\n    WHERE {condition};")
}

/// The index of the order of `field`, or of the rows that have a text which may be longer than the
/// 2,704 bytes that an entry of an index takes.
fn order(table: &Table, field: &Field) -> Option<String> {
    let name = column(field)?;
    let quoted = quote(&name);
    let key = format!("{quoted} NULLS FIRST, ");
    let (key, condition) = match field.listing {
        Listing::Ordered => (key, LIVE.to_owned()),
        Listing::Seldom => (key, format!("{LIVE} AND {quoted} IS NOT NULL")),
        Listing::Long => (String::new(), format!("{LIVE} AND {quoted} IS NOT NULL")),
        Listing::Unkept => return None,
    };
    let columns = format!("tenant, {key}id NULLS FIRST) INCLUDE ({CREATED_AT})");
    Some(index(table, &format!("{name}_order"), &columns, &condition))
}

/// The indexes of the default order among the rows with one value of a leading state.
fn states(table: &Table) -> impl Iterator<Item = String> {
    let beside = quoted(table, |field| field.state == State::Beside).join(", ");
    let leading = table.fields.iter().filter(|field| field.state == State::Leads);
    leading.filter_map(column).map(move |name| {
        let lead = quote(&name);
        let columns = format!(
            "tenant, {lead} NULLS FIRST, {CREATED_AT} NULLS FIRST, id NULLS FIRST) \
             INCLUDE ({beside})"
        );
        index(table, &format!("{name}_state"), &columns, LIVE)
    })
}

fn quoted(table: &Table, of: impl Fn(&Field) -> bool) -> Vec<String> {
    let fields = table.fields.iter().filter(|field| of(field) && field.kind != FieldKind::Map);
    fields.filter_map(column).map(|column| quote(&column)).collect()
}
