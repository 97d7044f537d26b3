//! Lists as SQL: the same meaning as [`racun_store::evaluate`], clause by clause.

use racun_kernel::Tenant;
use racun_store::{Clause, Cursor, Direction, ListQuery, Operator, Order, Stored, Table, Value};
use rusqlite::Connection;
use rusqlite::types::Value as Cell;

use crate::columns::Owner;
use crate::encoding::{array, cell, text_array};
use crate::read::stored;
use crate::scan::Scan;
use crate::sql::{Sql, place, text};

/// The page that `query` asks for and the number of rows that match it, at one moment.
pub(crate) fn list(
    connection: &mut Connection,
    table: &'static Table,
    tenant: &Tenant,
    query: &ListQuery,
) -> rusqlite::Result<(Vec<Stored>, i64)> {
    if query.trash && !table.has_trash() {
        return Ok((Vec::new(), 0));
    }
    let snapshot = connection.transaction()?;
    if let Some(scan) = Scan::of(table, query)
        && let Some(found) = scan.run(&snapshot, Owner { table, tenant: tenant.as_str() })?
    {
        return Ok(found);
    }
    let matching = matching(table, tenant, query);
    let rows = page(&snapshot, table, &matching, query)?;
    let total = match (query.count, query.is_unfiltered()) {
        (false, _) => 0,
        (true, true) => kept_count(&snapshot, table, tenant, query.trash)?,
        (true, false) => {
            let count = Sql::new(format!(r#"SELECT count(*) FROM "{}" WHERE "#, table.name));
            let counted: Vec<i64> = count.join(&matching).rows(&snapshot, |row| row.get(0))?;
            counted.into_iter().sum()
        }
    };
    Ok((rows, total))
}

fn kept_count(
    connection: &Connection,
    table: &Table,
    tenant: &Tenant,
    trash: bool,
) -> rusqlite::Result<i64> {
    let column = if trash { "trashed" } else { "live" };
    let kept: Vec<i64> = Sql::new(format!("SELECT {column} FROM racun_counts WHERE tenant = "))
        .bind(text(tenant.as_str()))
        .then(" AND table_name = ")
        .bind(text(table.name))
        .rows(connection, |row| row.get(0))?;
    Ok(kept.into_iter().sum())
}

/// Up to `query.limit` + 1 rows from the cursor on, no longer together than `query` reads.
fn page(
    connection: &Connection,
    table: &Table,
    matching: &Sql,
    query: &ListQuery,
) -> rusqlite::Result<Vec<Stored>> {
    let (mut rows, mut bytes) = (Vec::new(), 0);
    let mut reads_on = |row: &Stored| {
        bytes += row.body.len();
        query.reads_on(bytes)
    };
    for stretch in stretches(query) {
        let left = i64::try_from(query.limit + 1 - rows.len()).unwrap_or(i64::MAX);
        let statement = statement(table, matching, &stretch, query).bind(Cell::Integer(left));
        rows.extend(statement.rows_until(connection, stored, &mut reads_on)?);
        if rows.len() > query.limit || !reads_on(&Stored::default()) {
            break;
        }
    }
    Ok(rows)
}

/// The rows of one stretch, up to a number that is still to be bound.
fn statement(table: &Table, matching: &Sql, stretch: &Sql, query: &ListQuery) -> Sql {
    Sql::new(format!(r#"SELECT id, body FROM "{}" WHERE "#, table.name))
        .join(matching)
        .join(stretch)
        .join(&order_by(query))
        .then(" LIMIT ")
}

/// Whether walking `order` as `query` does leads to lesser values.
pub(crate) fn downwards(query: &ListQuery, order: &Order) -> bool {
    order.descending == (query.direction() == Direction::Next)
}

/// Whether the ids of rows that are otherwise equal fall: they go with the first field.
pub(crate) fn ids_fall(query: &ListQuery) -> bool {
    query
        .order
        .first()
        .map_or(query.direction() == Direction::Previous, |first| downwards(query, first))
}

fn order_by(query: &ListQuery) -> Sql {
    let way = |down| if down { " DESC" } else { " ASC" };
    // SQLite puts nulls first in ascending order and last in descending order, as the kernel does.
    let fields = query.order.iter().fold(Sql::new(" ORDER BY "), |sql, order| {
        sql.join(&place(order.field)).then(way(downwards(query, order))).then(", ")
    });
    fields.then("id").then(way(ids_fall(query)))
}

/// The rows beyond the cursor, in stretches that are walked one after another.
///
/// Nulls lie at one end of an order, so a cursor's place can leave two stretches: the rest of the
/// values and all the nulls, or the reverse. Each is a range of an index on the first field, which
/// "less, or null" in one condition would not be.
fn stretches(query: &ListQuery) -> Vec<Sql> {
    let Some(cursor) = &query.cursor else { return vec![Sql::default()] };
    let by_id = Sql::new(if ids_fall(query) { "id < " } else { "id > " }).bind(text(&cursor.id));
    let Some((first, rest)) = query.order.split_first() else {
        return vec![Sql::new(" AND ").join(&by_id)];
    };
    let later = beyond_rest(query, cursor, rest, by_id);
    let column = place(first.field);
    let key = cursor.keys.first().unwrap_or(&Value::Null);
    let and = |condition: &Sql| Sql::new(" AND ").join(condition);
    let nulls = and(&column.clone().then(" IS NULL"));
    match (key, downwards(query, first)) {
        (Value::Null, true) => vec![nulls.then(" AND ").join(&later)],
        (Value::Null, false) => {
            vec![nulls.then(" AND ").join(&later), and(&column.then(" IS NOT NULL"))]
        }
        (key, true) => vec![and(&beyond_key(&column, "<", key, rest, &later, &cursor.id)), nulls],
        (key, false) => vec![and(&beyond_key(&column, ">", key, rest, &later, &cursor.id))],
    }
}

/// Beyond the place whose first value is `key`, among the rows that have a first value.
fn beyond_key(column: &Sql, way: &str, key: &Value, rest: &[Order], later: &Sql, id: &str) -> Sql {
    if rest.is_empty() {
        // Both columns bound the range, however many rows have the same first value.
        let pair = Sql::new("(").join(column).then(", id) ").then(way).then(" (");
        return pair.bind(cell(key)).then(", ").bind(text(id)).then(")");
    }
    let bound = column.clone().then(" ").then(way).then("= ").bind(cell(key));
    let strictly = column.clone().then(" ").then(way).then(" ").bind(cell(key));
    bound.then(" AND (").join(&strictly).then(" OR ").join(later).then(")")
}

/// Beyond the cursor by the fields after the first, where the first ones are equal.
fn beyond_rest(query: &ListQuery, cursor: &Cursor, rest: &[Order], by_id: Sql) -> Sql {
    let keys = cursor.keys.iter().skip(1);
    rest.iter().zip(keys).rev().fold(by_id, |later, (order, key)| {
        let column = place(order.field);
        let beyond = match (key, downwards(query, order)) {
            (Value::Null, true) => Sql::new("FALSE"),
            (Value::Null, false) => column.clone().then(" IS NOT NULL"),
            (key, true) => {
                let less = column.clone().then(" < ").bind(cell(key)).then(" OR ");
                less.join(&column).then(" IS NULL")
            }
            (key, false) => column.clone().then(" > ").bind(cell(key)),
        };
        let equal = column.then(" IS ").bind(cell(key));
        Sql::new("(").join(&beyond).then(" OR ").join(&equal).then(" AND ").join(&later).then(")")
    })
}

/// The condition on all rows of the list.
pub(crate) fn matching(table: &Table, tenant: &Tenant, query: &ListQuery) -> Sql {
    let mut sql = Sql::new("tenant = ").bind(text(tenant.as_str()));
    if table.has_trash() {
        let trash = if query.trash { "IS NOT NULL" } else { "IS NULL" };
        sql = sql.then(" AND deleted_at ").then(trash);
    }
    if let Some(search) = &query.search {
        sql = sql.then(" AND instr(search, ").bind(text(search)).then(") > 0");
    }
    // SQLite may prefer the range of one index to a single value of another: all documents that
    // were ever voided to those of a day.
    let has_value = query.clauses.iter().any(is_one_value_of_an_index);
    query.clauses.iter().fold(sql, |sql, clause| {
        let hides = has_value && !is_one_value_of_an_index(clause);
        sql.then(" AND (").join(&holds(clause, hides)).then(")")
    })
}

fn is_one_value_of_an_index(clause: &Clause) -> bool {
    let is_value = matches!(&clause.operator, Operator::Equals(value) if *value != Value::Null);
    is_value && clause.field.indexed && clause.key.is_none()
}

/// `hides` keeps SQLite from looking for the clause in an index.
fn holds(clause: &Clause, hides: bool) -> Sql {
    let column = Sql::new(if hides { "+" } else { "" }).join(&place(clause.field));
    let operand = match &clause.key {
        None => column,
        Some(key) => Sql::new("(SELECT value FROM json_each(")
            .join(&column)
            .then(") WHERE key = ")
            .bind(text(key))
            .then(")"),
    };
    let compared = |way: &str, value: &Value| operand.clone().then(way).bind(cell(value));
    match &clause.operator {
        Operator::Equals(value) => compared(" IS ", value),
        Operator::Not(value) => compared(" IS NOT ", value),
        Operator::Gt(bound) => compared(" > ", bound),
        Operator::Gte(bound) => compared(" >= ", bound),
        Operator::Lt(bound) => compared(" < ", bound),
        Operator::Lte(bound) => compared(" <= ", bound),
        Operator::NotBefore(bound) => {
            Sql::new("(").join(&compared(" < ", bound)).then(") IS NOT TRUE")
        }
        Operator::Between(min, max) => compared(" BETWEEN ", min).then(" AND ").bind(cell(max)),
        Operator::In(values) => {
            let sql = one_of(operand.clone(), " IN ", values);
            if values.contains(&Value::Null) {
                sql.then(" OR ").join(&operand).then(" IS NULL")
            } else {
                sql
            }
        }
        Operator::NotIn(values) if values.contains(&Value::Null) => {
            one_of(operand.clone(), " NOT IN ", values)
                .then(" AND ")
                .join(&operand)
                .then(" IS NOT NULL")
        }
        // Unknown, which NOT IN answers for null, is not false: null differs from every value.
        Operator::NotIn(values) => {
            Sql::new("(").join(&one_of(operand, " NOT IN ", values)).then(") IS NOT FALSE")
        }
        Operator::Contains(part) => {
            Sql::new("instr(racun_fold(").join(&operand).then("), ").bind(text(part)).then(") > 0")
        }
        Operator::StartsWith(part) => {
            let start = Sql::new("substr(").join(&operand).then(", 1, length(").bind(text(part));
            start.then(")) = ").bind(text(part))
        }
        // substr(x, -0) is all of x, hence the length reckoned from the beginning.
        Operator::EndsWith(part) => {
            let end = Sql::new("length(").join(&operand).then(") >= length(").bind(text(part));
            let end = end.then(") AND substr(").join(&operand).then(", length(").join(&operand);
            end.then(") - length(").bind(text(part)).then(") + 1) = ").bind(text(part))
        }
        Operator::HasAll(texts) => {
            let mut wanted = texts.clone();
            wanted.sort();
            wanted.dedup();
            let count = i64::try_from(wanted.len()).unwrap_or(i64::MAX);
            held(&operand, "count(DISTINCT value)", &wanted).then(" = ").bind(Cell::Integer(count))
        }
        Operator::HasAny(texts) => held(&operand, "count(*)", texts).then(" > 0"),
        Operator::HasNone(texts) => held(&operand, "count(*)", texts).then(" = 0"),
    }
}

fn one_of(operand: Sql, how: &str, values: &[Value]) -> Sql {
    operand.then(how).then("(SELECT value FROM json_each(").bind(array(values)).then("))")
}

/// How many of `texts` are in the JSON array `operand`.
fn held(operand: &Sql, count: &str, texts: &[String]) -> Sql {
    Sql::new("(SELECT ")
        .then(count)
        .then(" FROM json_each(")
        .join(operand)
        .then(") WHERE value IN (SELECT value FROM json_each(")
        .bind(text_array(texts))
        .then(")))")
}

#[cfg(test)]
mod tests {
    use racun_kernel::id::EntityId;
    use racun_store::RawQuery;
    use racun_store::testing::contract::{NOTES, SAMPLES};
    use time::macros::datetime;

    use super::*;

    /// How SQLite walks the stretches behind a cursor whose first field has `key`, and whose others
    /// are null.
    fn plan(table: &'static Table, order: &str, key: Value, filter: &str) -> Vec<String> {
        let mut connection = crate::connection::open_in_memory().unwrap();
        crate::schema::create_all(&mut connection, &[table], 1).unwrap();
        let raw = RawQuery {
            order_by: vec![order.to_owned()],
            query: Some(filter.to_owned()),
            ..RawQuery::default()
        };
        let mut query = ListQuery::parse(table, &raw).unwrap();
        let keys = std::iter::once(key).chain(query.order.iter().skip(1).map(|_| Value::Null));
        let (direction, keys, id) = (Direction::Next, keys.collect(), "smp_1".to_owned());
        query.cursor = Some(Cursor { direction, keys, id });
        let tenant = Tenant::entity(EntityId::new(1_u128.into()));
        let matching = matching(table, &tenant, &query);
        let explain = |stretch: &Sql| {
            let statement = statement(table, &matching, stretch, &query);
            let explained = Sql::new("EXPLAIN QUERY PLAN ").join(&statement);
            let steps: Vec<String> =
                explained.bind(Cell::Integer(11)).rows(&connection, |row| row.get(3)).unwrap();
            steps.join("; ")
        };
        stretches(&query).iter().map(explain).collect()
    }

    #[test]
    fn a_deep_page_starts_in_an_index_at_the_cursor() {
        fn check(table: &'static Table, order: &str, key: impl Into<Value>, expected: &[&str]) {
            assert_eq!(plan(table, order, key.into(), "{}"), expected, "{order}");
        }
        let now = datetime!(2026-11-20 08:30 UTC);
        check(
            &SAMPLES,
            "-created_at",
            now,
            &[
                "SEARCH samples USING INDEX samples__live (tenant=? AND (created_at,id)<(?,?))",
                "SEARCH samples USING INDEX samples__live (tenant=? AND created_at=?)",
            ],
        );
        check(
            &SAMPLES,
            "created_at",
            now,
            &["SEARCH samples USING INDEX samples__live (tenant=? AND (created_at,id)>(?,?))"],
        );
        check(
            &NOTES,
            "-created_at",
            now,
            &[
                "SEARCH sample_notes USING INDEX sample_notes__order \
             (tenant=? AND (created_at,id)<(?,?))",
                "SEARCH sample_notes USING INDEX sample_notes__order (tenant=? AND created_at=?)",
            ],
        );
        check(
            &SAMPLES,
            "-day",
            now.date(),
            &[
                "SEARCH samples USING INDEX samples__day__within (tenant=? AND (day,id)<(?,?))",
                "SEARCH samples USING INDEX samples__day__within (tenant=? AND day=?)",
            ],
        );
        check(
            &SAMPLES,
            "day",
            Value::Null,
            &[
                "SEARCH samples USING INDEX samples__day__within (tenant=? AND day=? AND id>?)",
                "SEARCH samples USING INDEX samples__day__within (tenant=? AND day>?)",
            ],
        );
    }

    #[test]
    fn rows_that_refer_to_one_other_are_found_in_order_without_looking_at_the_rest() {
        let now = Value::from(datetime!(2026-11-20 08:30 UTC));
        let plan = plan(&SAMPLES, "-created_at", now, r#"{"group":"a"}"#);
        assert_eq!(
            plan[0],
            "SEARCH samples USING INDEX samples__group_name__within \
                             (tenant=? AND group_name=? AND (created_at,id)<(?,?))"
        );
    }
    #[test]
    fn one_value_of_an_index_is_looked_for_before_a_range_of_another() {
        let mut connection = crate::connection::open_in_memory().unwrap();
        crate::schema::create_all(&mut connection, &[&SAMPLES], 1).unwrap();
        let filter = r#"{"group": "a", "day": {"lt": "2026-11-20"}}"#;
        let raw = RawQuery { query: Some(filter.to_owned()), ..RawQuery::default() };
        let query = ListQuery::parse(&SAMPLES, &raw).unwrap();
        let tenant = Tenant::entity(EntityId::new(1_u128.into()));
        let rows = Sql::new("EXPLAIN QUERY PLAN SELECT body FROM samples WHERE ")
            .join(&matching(&SAMPLES, &tenant, &query));
        let steps: Vec<String> = rows.rows(&connection, |row| row.get(3)).unwrap();
        let expected =
            "SEARCH samples USING INDEX samples__group_name__within (tenant=? AND group_name=?)";
        assert_eq!(steps, [expected]);
    }
}
