//! Tallies: SQLite finds the rows, and the kernel counts them. No number is added up in SQL.

use racun_kernel::sorting::number;
use racun_kernel::{
    Counter, Field, FieldKind, ListQuery, Part, Projection, Table, Tally, TallyRow, Tenant, Value,
};
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, Row};

use crate::select::matching;
use crate::sql::{Sql, place};

/// What each of `tallies` comes to, all at one moment. Those of the same rows read them together:
/// most of the time goes into bodies.
pub(crate) fn tallies(
    connection: &mut Connection,
    tenant: &Tenant,
    tallies: &[Tally],
) -> rusqlite::Result<Vec<Vec<TallyRow>>> {
    let snapshot = connection.transaction()?;
    let mut answers = vec![Vec::new(); tallies.len()];
    for alike in Tally::of_the_same_rows(tallies) {
        let of_these: Vec<&Tally> = alike.iter().filter_map(|n| tallies.get(*n)).collect();
        for (place, answer) in alike.iter().zip(count(&snapshot, tenant, &of_these)?) {
            answers[*place] = answer;
        }
    }
    Ok(answers)
}

/// What each of `tallies`, all of the same rows, comes to.
fn count(
    connection: &Connection,
    tenant: &Tenant,
    tallies: &[&Tally],
) -> rusqlite::Result<Vec<Vec<TallyRow>>> {
    let Some(first) = tallies.first() else { return Ok(Vec::new()) };
    let fields = fields(tallies);
    let needs_bodies = tallies.iter().any(|tally| tally.needs_bodies());
    let looked_at = Projection::of(tallies);
    let mut counters: Vec<Counter<'_>> = tallies.iter().map(|tally| Counter::new(tally)).collect();
    let mut values = vec![Value::Null; first.table.fields.len()];
    statement(tenant, first, &fields, needs_bodies).rows(connection, |row| {
        for (column, (place, field)) in fields.iter().enumerate() {
            values[*place] = value(field, row, column)?;
        }
        let body = row.get_ref(fields.len())?.as_str_or_null();
        let body = body.map_err(|error| unread(fields.len(), error))?;
        let body = body.map_or(Ok(serde_json::Value::Null), |body| looked_at.read(body));
        let body = body.map_err(|error| unread(fields.len(), error))?;
        counters.iter_mut().for_each(|counter| counter.add(&values, &body));
        Ok(())
    })?;
    Ok(counters.into_iter().map(Counter::rows).collect())
}

/// The declared fields that `tallies` look at, with their places.
fn fields(tallies: &[&Tally]) -> Vec<(usize, &'static Field)> {
    let declared = tallies.iter().flat_map(|tally| tally.parts()).filter_map(|part| match part {
        Part::Field { field, place } => Some((place, field)),
        Part::Body(..) | Part::Element(..) => None,
    });
    let mut fields: Vec<_> = declared.collect();
    fields.sort_by_key(|(place, _)| *place);
    fields.dedup_by_key(|(place, _)| *place);
    fields
}

/// The rows that count: `fields`, and the body or null.
fn statement(
    tenant: &Tenant,
    tally: &Tally,
    fields: &[(usize, &'static Field)],
    needs_bodies: bool,
) -> Sql {
    let live = |table: &'static Table, clauses: &Vec<_>| {
        let query = ListQuery { clauses: clauses.clone(), ..ListQuery::first_page(table) };
        matching(table, tenant, &query)
    };
    let selected = fields
        .iter()
        .fold(Sql::new("SELECT "), |sql, (_, field)| sql.join(&place(field)).then(", "));
    let body = if needs_bodies { "body" } else { "NULL" };
    let sql = selected
        .then(&format!(r#"{body} FROM "{}" WHERE "#, tally.table.name))
        .join(&live(tally.table, &tally.clauses));
    let Some(within) = &tally.within else { return sql };
    if within.is_looked_up {
        // SQLite makes a list of all that IN (SELECT …) answers before it looks at the first row.
        let exists = format!(
            r#" AND EXISTS (SELECT 1 FROM "{}" WHERE id = "{}"."#,
            within.table.name, tally.table.name
        );
        return sql
            .then(&exists)
            .join(&place(within.field))
            .then(" AND ")
            .join(&live(within.table, &within.clauses))
            .then(")");
    }
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
fn unread(column: usize, error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
}
