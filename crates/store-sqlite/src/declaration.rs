//! What a declared table may look like.
//!
//! Names out of declarations become part of SQL. They are static, and checked here once, so that no
//! name can mean anything else there.

use std::collections::BTreeSet;

use racun_store::{ACTIVITIES, FieldKind, Source, Table, Unique};

use crate::OpenError;

/// Columns that every table has.
const OWN_COLUMNS: [&str; 4] = ["tenant", "id", "search", "body"];
/// How the names of this crate's own tables start.
pub(crate) const OWN_PREFIX: &str = "racun_";

/// Whether all `tables` can be kept.
///
/// # Errors
/// The first that cannot, and why.
pub(crate) fn check(tables: &[&'static Table]) -> Result<(), OpenError> {
    let mut names = BTreeSet::from([ACTIVITIES.name]);
    for table in tables {
        let refused = |reason: String| OpenError::Declaration { table: table.name, reason };
        check_table(table).map_err(refused)?;
        if !names.insert(table.name) {
            return Err(refused("is declared twice".to_owned()));
        }
    }
    Ok(())
}

fn check_table(table: &Table) -> Result<(), String> {
    if !is_name(table.name)
        || table.name.starts_with(OWN_PREFIX)
        || table.name.starts_with("sqlite_")
    {
        return Err("a table's name is small letters, digits and _, and not one of ours".to_owned());
    }
    let mut columns = BTreeSet::from(OWN_COLUMNS);
    for field in table.fields {
        let refused = |reason: &str| Err(format!("field {}: {reason}", field.name));
        match field.source {
            Source::Id => {}
            Source::Column(column) if !is_name(column) => {
                return refused("a column's name is small letters, digits and _");
            }
            Source::Column(column) => {
                if !columns.insert(column) {
                    return refused("its column exists already");
                }
            }
            Source::Body(path) => {
                if path.is_empty() || !path.iter().all(|key| is_name(key)) {
                    return refused("a path's keys are small letters, digits and _");
                }
                if field.kind != FieldKind::Text || field.indexed || field.unique != Unique::No {
                    return refused("what is inside the body is text, neither indexed nor unique");
                }
            }
        }
    }
    let instant = |name: &str| {
        let field = table.field(name).map(|(_, field)| field);
        field.is_none_or(|field| {
            field.kind == FieldKind::Instant && field.source == Source::Column(field.name)
        })
    };
    if table.field("created_at").is_none() || !instant("created_at") || !instant("deleted_at") {
        return Err("created_at, and deleted_at if any, are instants in their columns".to_owned());
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}
