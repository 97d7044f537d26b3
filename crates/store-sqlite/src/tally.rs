//! Tallies: SQLite finds the rows, and crate `store` counts them. No number is added up in SQL.
//! What is in columns ([`crate::columns`]) is read from there, without looking at rows.

use racun_kernel::Tenant;
use racun_kernel::calendar::parse_date;
use racun_store::sorting::number;
use racun_store::{
    CountedRow, Counter, Field, FieldKind, ListQuery, Part, Projection, Source, Table, Tally,
    TallyRow, Value,
};
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, Row};

use crate::column;
use crate::columns::Owner;
use crate::encoding;
use crate::scan::each_row;
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
    let columns = Columns::of(tallies);
    let looked_at = Projection::of(tallies);
    let mut counters: Vec<Counter<'_>> = tallies.iter().map(|tally| Counter::new(tally)).collect();
    let mut values = vec![Value::Null; first.table.fields.len()];
    if first.within.is_none() && !tallies.iter().any(|tally| tally.needs_bodies()) {
        let owner = Owner { table: first.table, tenant: tenant.as_str() };
        let wanted: Vec<(usize, Source)> =
            columns.own.iter().map(|(place, field)| (*place, field.source)).collect();
        let by_columns = each_row(connection, owner, &first.clauses, &wanted, |cells| {
            for ((place, field), cell) in columns.own.iter().zip(cells) {
                values[*place] = of_bytes(field, cell);
            }
            let counted =
                CountedRow { values: &values, named: &[], body: &serde_json::Value::Null };
            counters.iter_mut().for_each(|counter| counter.add(counted));
        });
        if by_columns? {
            return Ok(counters.into_iter().map(Counter::rows).collect());
        }
    }
    let others = first.within.as_ref().map_or(0, |within| within.table.fields.len());
    let mut named = vec![Value::Null; others];
    statement(tenant, first, &columns).rows(connection, |row| {
        for (column, (place, field)) in columns.own.iter().enumerate() {
            values[*place] = value(field, row, column)?;
        }
        for (column, (place, field)) in columns.named.iter().enumerate() {
            named[*place] = value(field, row, columns.own.len() + column)?;
        }
        let last = columns.own.len() + columns.named.len();
        let body = row.get_ref(last)?.as_str_or_null().map_err(|error| unread(last, error))?;
        let body = body.map_or(Ok(serde_json::Value::Null), |body| looked_at.read(body));
        let body = body.map_err(|error| unread(last, error))?;
        let counted = CountedRow { values: &values, named: &named, body: &body };
        counters.iter_mut().for_each(|counter| counter.add(counted));
        Ok(())
    })?;
    Ok(counters.into_iter().map(Counter::rows).collect())
}

/// What is read of the rows.
struct Columns {
    /// Declared fields, with their places.
    own: Vec<(usize, &'static Field)>,
    /// The same of the rows that they name.
    named: Vec<(usize, &'static Field)>,
    /// The body, or null.
    body: &'static str,
}

impl Columns {
    /// Those that `tallies`, all of the same rows, look at.
    fn of(tallies: &[&Tally]) -> Self {
        let (mut own, mut named) = (Vec::new(), Vec::new());
        let names_one = tallies.iter().any(|tally| tally.within.is_some());
        for part in tallies.iter().flat_map(|tally| tally.parts()) {
            match part {
                Part::Field { field, place } | Part::DayOf { field, place } => {
                    own.push((place, field));
                }
                Part::Named { field, place } if names_one => named.push((place, field)),
                Part::Named { .. } | Part::Body(..) | Part::Element(..) => {}
            }
        }
        for fields in [&mut own, &mut named] {
            fields.sort_by_key(|(place, _)| *place);
            fields.dedup_by_key(|(place, _)| *place);
        }
        let needs_bodies = tallies.iter().any(|tally| tally.needs_bodies());
        Self { own, named, body: if needs_bodies { "body" } else { "NULL" } }
    }
}

/// The rows that count, as `columns`.
fn statement(tenant: &Tenant, tally: &Tally, columns: &Columns) -> Sql {
    let live = |table: &'static Table, clauses: &Vec<_>| {
        let query = ListQuery { clauses: clauses.clone(), ..ListQuery::first_page(table) };
        matching(table, tenant, &query)
    };
    let list = |sql: Sql, (_, field): &(usize, &'static Field)| sql.join(&place(field)).then(", ");
    let sql = columns.own.iter().fold(Sql::new("SELECT "), list);
    let sql = (0..columns.named.len()).fold(sql, |sql, n| sql.then(&format!("named_{n}, ")));
    let table = format!(r#""{}""#, tally.table.name);
    let sql = sql.then(&format!("{} FROM ", columns.body));
    let Some(within) = &tally.within else {
        return sql.then(&format!("{table} WHERE ")).join(&live(tally.table, &tally.clauses));
    };
    let named = columns.named.iter().enumerate();
    let named = named.fold(Sql::new("(SELECT id AS racun_named"), |sql, (n, (_, field))| {
        sql.then(", ").join(&place(field)).then(&format!(" AS named_{n}"))
    });
    let named = named
        .then(&format!(r#" FROM "{}" WHERE "#, within.table.name))
        .join(&live(within.table, &within.clauses))
        .then(")");
    // SQLite begins with the left side of a CROSS JOIN.
    let joined = match within.is_looked_up {
        true => sql.then(&table).then(" CROSS JOIN ").join(&named),
        false => sql.join(&named).then(" CROSS JOIN ").then(&table),
    };
    joined
        .then(" ON racun_named = ")
        .join(&place(within.field))
        .then(" WHERE ")
        .join(&live(tally.table, &tally.clauses))
}

/// The value of `field` in `column` of `row`.
fn value(field: &Field, row: &Row<'_>, column: usize) -> rusqlite::Result<Value> {
    Ok(match row.get(column)? {
        Cell::Text(text) => of_text(field, &text),
        Cell::Integer(number) => of_integer(field, number),
        Cell::Null | Cell::Real(_) | Cell::Blob(_) => Value::Null,
    })
}

/// The value of `field` that is kept as `bytes` of a column.
fn of_bytes(field: &Field, bytes: &[u8]) -> Value {
    match field.kind {
        FieldKind::Bool | FieldKind::Instant => {
            column::integer(bytes).map_or(Value::Null, |number| of_integer(field, number))
        }
        _ => column::text(bytes).map_or(Value::Null, |text| of_text(field, text)),
    }
}

/// The value of `field`, a text, a number or a date, that is kept as `text`.
fn of_text(field: &Field, text: &str) -> Value {
    match field.kind {
        FieldKind::Number => number(text).as_ref().into(),
        FieldKind::Date => parse_date(text).map_or(Value::Null, Value::Date),
        _ => Value::Text(text.to_owned()),
    }
}

/// The value of `field`, a flag or an instant, that is kept as `number`.
fn of_integer(field: &Field, number: i64) -> Value {
    match field.kind {
        FieldKind::Bool => Value::Bool(number != 0),
        FieldKind::Instant => encoding::instant(number).map_or(Value::Null, Value::Instant),
        _ => Value::Null,
    }
}

/// A body that is no JSON.
fn unread(column: usize, error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
}
