//! What is read outside of transactions.
//!
//! Each read names its tenants to the row-level security first, in the same flight.

use diesel::QueryResult;
use diesel_async::AsyncPgConnection;
use futures_util::future::{BoxFuture, join, join3};
use racun_kernel::{FieldKind, ListQuery, Operator, StoreError, Stored, Table, Tenant, Value};

use crate::error::unavailable;
use crate::filter;
use crate::schema::{has_list_index, quote};
use crate::session::{Planning, reach};
use crate::statement::{Bind, BodyRow, NumberRow, SeriesRow, Statement};

/// Lets a read reach the rows of `tenants`.
pub(crate) fn see<'a>(
    connection: &'a AsyncPgConnection,
    tenants: &str,
    planning: Planning,
) -> BoxFuture<'a, QueryResult<usize>> {
    reach(tenants, planning).run(connection)
}

pub(crate) async fn list(
    connection: &AsyncPgConnection,
    table: &'static Table,
    tenant: &Tenant,
    query: &ListQuery,
) -> Result<(Vec<Stored>, i64), StoreError> {
    let page = page(table, tenant, query).rows::<BodyRow>(connection);
    let seen = see(connection, tenant.as_str(), planning(query));
    let (seen, rows, total) = if query.count {
        let count = count(table, tenant, query).rows::<NumberRow>(connection);
        join3(seen, page, count).await
    } else {
        let (seen, rows) = join(seen, page).await;
        (seen, rows, Ok(Vec::new()))
    };
    let found = seen.and(rows).and_then(|rows| Ok((stored(rows), total?)));
    let (rows, total) = found.map_err(|error| unavailable(&error))?;
    Ok((rows, total.first().and_then(|row| row.number).unwrap_or(0)))
}

/// Whether only few statements of this shape exist, so that connections can keep them prepared.
fn is_common(query: &ListQuery) -> bool {
    (query.clauses.is_empty() || is_by_key(query)) && query.order.len() == 1
}

/// Whether the one condition is on a field that has an index for it.
fn is_by_key(query: &ListQuery) -> bool {
    let [clause] = &query.clauses[..] else { return false };
    let Operator::In(values) = &clause.operator else { return false };
    let is_text = clause.field.kind == FieldKind::Text && clause.key.is_none();
    clause.field.indexed && is_text && !values.contains(&Value::Null)
}

fn planning(query: &ListQuery) -> Planning {
    let leads_an_index = query.order.first().is_some_and(|order| has_list_index(order.field));
    match query.clauses.is_empty() {
        true if leads_an_index => Planning::Ordered,
        true => Planning::Indexed,
        false if is_by_key(query) => Planning::Indexed,
        false => Planning::Free,
    }
}

fn page(table: &Table, tenant: &Tenant, query: &ListQuery) -> Statement {
    let mut statement =
        Statement::new(format!("SELECT id, body::text AS body FROM {} WHERE ", quote(table.name)));
    let mut condition = filter::condition(&mut statement, table, tenant.as_str(), query);
    if let Some(cursor) = &query.cursor {
        condition = format!("{condition} AND {}", filter::behind(&mut statement, query, cursor));
    }
    let limit = i64::try_from(query.limit.saturating_add(1)).unwrap_or(i64::MAX);
    let limit = statement.value(Bind::Int(limit));
    statement.push(&format!("{condition} ORDER BY {} LIMIT {limit}", filter::order(query)));
    if is_common(query) { statement } else { statement.unprepared() }
}

fn count(table: &Table, tenant: &Tenant, query: &ListQuery) -> Statement {
    if query.is_unfiltered() {
        let column = if query.trash { "trashed" } else { "live" };
        let sql = format!(
            "SELECT sum({column})::bigint AS number FROM list_counts \
             WHERE tenant = $1 AND table_name = $2"
        );
        return Statement::new(sql).bind(tenant.as_str()).bind(table.name);
    }
    let mut statement =
        Statement::new(format!("SELECT count(*) AS number FROM {} WHERE ", quote(table.name)));
    let condition = filter::condition(&mut statement, table, tenant.as_str(), query);
    statement.push(&condition);
    if is_common(query) { statement } else { statement.unprepared() }
}

pub(crate) async fn series(
    connection: &AsyncPgConnection,
    tenant: &Tenant,
) -> Result<Vec<(String, i64)>, StoreError> {
    let sql = "SELECT key, last FROM series WHERE tenant = $1 AND last IS NOT NULL ORDER BY key";
    let rows = Statement::new(sql).bind(tenant.as_str()).rows::<SeriesRow>(connection);
    let (seen, rows) = join(see(connection, tenant.as_str(), Planning::Indexed), rows).await;
    let rows = seen.and(rows).map_err(|error| unavailable(&error))?;
    Ok(rows.into_iter().filter_map(|row| Some((row.key, row.last?))).collect())
}

fn stored(rows: Vec<BodyRow>) -> Vec<Stored> {
    rows.into_iter().map(|row| Stored { id: row.id, body: row.body }).collect()
}
