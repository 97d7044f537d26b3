//! Tallies: SQLite finds the rows, and the kernel counts them. No number is added up in SQL.

use racun_kernel::sorting::number;
use racun_kernel::{
    Counter, Field, FieldKind, ListQuery, Part, Table, Tally, TallyRow, Tenant, Value,
};
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, Row};

use crate::select::matching;
use crate::sql::{Sql, place};

/// What each of `tallies` comes to, all at one moment.
pub(crate) fn tallies(
    connection: &mut Connection,
    tenant: &Tenant,
    tallies: &[Tally],
) -> rusqlite::Result<Vec<Vec<TallyRow>>> {
    let snapshot = connection.transaction()?;
    tallies.iter().map(|tally| count(&snapshot, tenant, tally)).collect()
}

fn count(
    connection: &Connection,
    tenant: &Tenant,
    tally: &Tally,
) -> rusqlite::Result<Vec<TallyRow>> {
    let fields = fields(tally);
    let mut counter = Counter::new(tally);
    let mut values = vec![Value::Null; tally.table.fields.len()];
    statement(tenant, tally, &fields).rows(connection, |row| {
        for (column, (place, field)) in fields.iter().enumerate() {
            values[*place] = value(field, row, column)?;
        }
        let body: Option<String> = row.get(fields.len())?;
        let body = body.map_or(Ok(serde_json::Value::Null), |body| serde_json::from_str(&body));
        counter.add(&values, &body.map_err(|error| unread(fields.len(), error))?);
        Ok(())
    })?;
    Ok(counter.rows())
}

/// The declared fields that `tally` looks at, with their places.
fn fields(tally: &Tally) -> Vec<(usize, &'static Field)> {
    let declared = tally.parts().filter_map(|part| match part {
        Part::Field { field, place } => Some((place, field)),
        Part::Body(..) | Part::Element(..) => None,
    });
    let mut fields: Vec<_> = declared.collect();
    fields.sort_by_key(|(place, _)| *place);
    fields.dedup_by_key(|(place, _)| *place);
    fields
}

/// The rows that count: `fields`, and the body or null.
fn statement(tenant: &Tenant, tally: &Tally, fields: &[(usize, &'static Field)]) -> Sql {
    let live = |table: &'static Table, clauses: &Vec<_>| {
        let query = ListQuery { clauses: clauses.clone(), ..ListQuery::first_page(table) };
        matching(table, tenant, &query)
    };
    let selected = fields
        .iter()
        .fold(Sql::new("SELECT "), |sql, (_, field)| sql.join(&place(field)).then(", "));
    let body = if tally.needs_bodies() { "body" } else { "NULL" };
    let sql = selected
        .then(&format!(r#"{body} FROM "{}" WHERE "#, tally.table.name))
        .join(&live(tally.table, &tally.clauses));
    let Some(within) = &tally.within else { return sql };
    sql.then(" AND ")
        .join(&place(within.field))
        .then(&format!(r#" IN (SELECT id FROM "{}" WHERE "#, within.table.name))
        .join(&live(within.table, &within.clauses))
        .then(")")
}

/// The value of `field`, a text or a number, in `column` of `row`.
fn value(field: &Field, row: &Row<'_>, column: usize) -> rusqlite::Result<Value> {
    Ok(match row.get(column)? {
        Cell::Text(key) if field.kind == FieldKind::Number => number(&key).as_ref().into(),
        Cell::Text(text) => Value::Text(text),
        Cell::Null | Cell::Integer(_) | Cell::Real(_) | Cell::Blob(_) => Value::Null,
    })
}

/// A body that is no JSON.
fn unread(column: usize, error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
}
