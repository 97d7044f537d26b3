//! Reads outside of transactions. Each names its tenants to the row-level security first, in the
//! same round trip.

use diesel::QueryResult;
use diesel_async::AsyncPgConnection;
use futures_util::future::{BoxFuture, join, join3};
use racun_kernel::Tenant;
use racun_store::{
    BYTES, Field, FieldKind, ListQuery, Operator, PageSize, StoreError, Stored, Table, Value,
};

use crate::error::{of_question, unavailable};
use crate::filter;
use crate::schema::{expression, has_list_index, quote};
use crate::session::{Planning, reach};
use crate::statement::{Bind, NumberRow, PageRow, SeriesRow, Statement};

/// Lets a read reach the rows of `tenants`.
pub(crate) fn see<'a>(
    connection: &'a AsyncPgConnection,
    tenants: &str,
    planning: Planning,
) -> BoxFuture<'a, QueryResult<usize>> {
    reach(tenants, planning).run(connection)
}

/// The page that `query` asks for and the number of rows that match it.
///
/// What is filtered is counted first: the page of few rows is found by them, wherever they are, and
/// that of many by walking in the order of the list. All rows of a condition are few, without a
/// count.
pub(crate) async fn list(
    connection: &AsyncPgConnection,
    table: &'static Table,
    tenant: &Tenant,
    query: &ListQuery,
) -> Result<(Vec<Stored>, i64), StoreError> {
    let columns = filter::order_columns(query).filter(|_| filter::reads_texts(query));
    let answered = if query.is_unfiltered() || is_by_key(query) || asks_for_all(query) {
        at_once(connection, table, tenant, query).await
    } else if let Some(columns) = columns {
        looked_through(connection, table, tenant, query, &columns).await
    } else {
        counted_first(connection, table, tenant, query).await
    };
    let (mut rows, total) = answered.map_err(|error| of_question(&error))?;
    // The parts are answered one behind the other, which the language does not promise.
    rows.sort_by_key(|row| row.stretch);
    let rows = rows.into_iter().map(|row| Stored { id: row.id, body: row.body }).collect();
    Ok((rows, total))
}

type Answered = QueryResult<(Vec<PageRow>, i64)>;

/// Counts bytes of bodies until `query` reads no further.
fn reads_on(query: &ListQuery) -> impl FnMut(&PageRow) -> bool + Send + '_ {
    let mut bytes = 0;
    move |row| {
        bytes += row.body.len();
        query.reads_on(bytes)
    }
}

async fn at_once(
    connection: &AsyncPgConnection,
    table: &Table,
    tenant: &Tenant,
    query: &ListQuery,
) -> Answered {
    let page = page(table, tenant, query, asks_for_all(query));
    let page = page.rows_until(connection, reads_on(query));
    let seen = see(connection, tenant.as_str(), planning(query));
    if !query.count {
        let (seen, rows) = join(seen, page).await;
        return Ok((seen.and(rows)?, 0));
    }
    let count = count(table, tenant, query).rows::<NumberRow>(connection);
    let (seen, rows, total) = join3(seen, page, count).await;
    Ok((seen.and(rows)?, number(&total?)))
}

async fn counted_first(
    connection: &AsyncPgConnection,
    table: &Table,
    tenant: &Tenant,
    query: &ListQuery,
) -> Answered {
    let planning = planning(query);
    let seen = see(connection, tenant.as_str(), planning);
    let count = count(table, tenant, query).rows::<NumberRow>(connection);
    let (seen, total) = join(seen, count).await;
    let total = number(&seen.and(total)?);
    if total == 0 {
        return Ok((Vec::new(), 0));
    }
    let sorts = total <= FEW && !filter::has_state_index(query);
    // Others may have used the connection in between.
    let seen = see(connection, tenant.as_str(), planning);
    let page = page(table, tenant, query, sorts).rows_until(connection, reads_on(query));
    let (seen, rows) = join(seen, page).await;
    Ok((seen.and(rows)?, total))
}

fn number(rows: &[NumberRow]) -> i64 {
    rows.first().and_then(|row| row.number).unwrap_or(0)
}

/// Looks through the texts of all rows once, and counts and pages what it found. When that is much,
/// it is counted and paged like every other frequent match. `columns` are those of the order.
async fn looked_through(
    connection: &AsyncPgConnection,
    table: &Table,
    tenant: &Tenant,
    query: &ListQuery,
    columns: &[String],
) -> Answered {
    let seen = see(connection, tenant.as_str(), Planning::Texts);
    let page = found_once(table, tenant, query, columns).rows_until(connection, reads_on(query));
    let (seen, rows) = join(seen, page).await;
    let mut rows = seen.and(rows)?;
    let total = rows.iter().position(|row| row.stretch < 0).map(|place| rows.remove(place));
    let total = total.and_then(|row| row.id.parse().ok()).unwrap_or(0);
    if total > MUCH {
        counted_first(connection, table, tenant, query).await
    } else {
        Ok((rows, total))
    }
}

/// Rows that are rather sorted than found by walking past others.
const FEW: i64 = 120_000;

/// A page as long as this is asked for by the program itself, which wants all rows.
const ALL: usize = 1_000;

/// Rows whose keys are kept while their page is looked for.
const MUCH: i64 = 20_000;

/// Whether only few statements of this shape exist, so that connections can keep them prepared.
fn is_common(query: &ListQuery) -> bool {
    let is_one = query.clauses.is_empty() || is_by_key(query) || asks_for_all(query);
    is_one && query.order.len() == 1
}

/// Whether the program asks for all rows of a condition: no page that callers see is so long.
fn asks_for_all(query: &ListQuery) -> bool {
    let is_whole = query.size == PageSize::OfLimit;
    let is_all = !query.count && query.limit >= ALL && is_whole;
    is_all && !query.is_unfiltered() && !is_by_key(query) && !filter::reads_texts(query)
}

/// Whether the one condition is on a field that has an index for it.
fn is_by_key(query: &ListQuery) -> bool {
    let ([clause], None) = (&query.clauses[..], &query.search) else { return false };
    let Operator::In(values) = &clause.operator else { return false };
    let is_text = clause.field.kind == FieldKind::Text && clause.key.is_none();
    clause.field.indexed && is_text && !values.contains(&Value::Null)
}

fn planning(query: &ListQuery) -> Planning {
    let is_walked = match filter::leading(query) {
        Some(field) => has_list_index(field) || (field.is_listed() && !query.trash),
        None => true,
    };
    match query.is_unfiltered() {
        true if is_walked => Planning::Ordered,
        true => Planning::Indexed,
        false if is_by_key(query) => Planning::Indexed,
        false if filter::reads_texts(query) => Planning::Texts,
        false => Planning::Free,
    }
}

/// The page: its keys first, out of indexes where they hold all that is asked for, then bodies of
/// these rows alone. `sorts` keeps the planner from walking in the order of the list.
fn page(table: &Table, tenant: &Tenant, query: &ListQuery, sorts: bool) -> Statement {
    let name = quote(table.name);
    let mut statement = Statement::new("");
    let condition = filter::condition(&mut statement, table, tenant.as_str(), query);
    let tenant = statement.value(tenant.as_str());
    let is_apart = !query.trash && filter::leading(query).is_some_and(Field::parts_nulls);
    // What is sorted is not in the order of any index by itself.
    let fence = if sorts { " OFFSET 0" } else { "" };
    let found =
        |more: &str| format!("(SELECT * FROM {name} WHERE {condition}{more}{fence}) AS found");
    parts(&mut statement, table, &tenant, query, is_apart, found);
    if is_common(query) && sorts == asks_for_all(query) {
        statement
    } else {
        statement.unprepared()
    }
}

/// The same, of rows that are found by one look through all; its row before the first says how
/// many, or that there are more than [`MUCH`].
fn found_once(table: &Table, tenant: &Tenant, query: &ListQuery, columns: &[String]) -> Statement {
    let name = quote(table.name);
    let mut statement = Statement::new("");
    let condition = filter::condition(&mut statement, table, tenant.as_str(), query);
    let tenant = statement.value(tenant.as_str());
    statement.push(&format!(
        "WITH found AS MATERIALIZED (SELECT {} FROM {name} WHERE {condition} LIMIT {MUCH} + 1) \
         SELECT -1::bigint AS stretch, (SELECT count(*) FROM found)::text AS id, '' AS body \
         UNION ALL (",
        columns.join(", "),
    ));
    let found = |more: &str| format!("found WHERE true{more}");
    parts(&mut statement, table, &tenant, query, false, found);
    statement.push(")");
    statement.unprepared()
}

/// The rows of a page, part by part, each of what `found` says with a further condition.
fn parts(
    statement: &mut Statement,
    table: &Table,
    tenant: &str,
    query: &ListQuery,
    is_apart: bool,
    found: impl Fn(&str) -> String,
) {
    let name = quote(table.name);
    let stretches = filter::stretches(statement, query, is_apart);
    let limit = i64::try_from(query.limit.saturating_add(1)).unwrap_or(i64::MAX);
    let limit = statement.value(Bind::Int(limit));
    let part = |(n, stretch): (usize, &filter::Stretch)| {
        let further = stretch.condition.as_ref();
        let found = found(&further.map(|more| format!(" AND {more}")).unwrap_or_default());
        format!(
            "SELECT {n}::bigint AS stretch, keys.id, (SELECT whole.body::text FROM {name} AS whole \
             WHERE whole.tenant = {tenant} AND whole.id = keys.id) AS body \
             FROM (SELECT id FROM {found} ORDER BY {} LIMIT {limit}) AS keys",
            stretch.order
        )
    };
    let parts: Vec<String> = stretches.iter().enumerate().map(part).collect();
    statement.push(&format!("{} LIMIT {limit}", parts.join(" UNION ALL ")));
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
    if query.count
        && let Some(state) = filter::one_state(query)
    {
        return count_by_the_rest(table, tenant, query, state);
    }
    let mut statement = Statement::new("");
    let condition = filter::condition(&mut statement, table, tenant.as_str(), query);
    let name = quote(table.name);
    statement.push(&if query.count {
        format!("SELECT count(*) AS number FROM {name} WHERE {condition}")
    } else {
        // The count is not shown: it is enough to know whether the rows are few.
        first_ones(&name, &condition)
    });
    if is_common(query) { statement } else { statement.unprepared() }
}

/// How many rows fulfil `condition`, or that there are more than [`FEW`].
fn first_ones(name: &str, condition: &str) -> String {
    format!(
        "SELECT count(*) AS number FROM (SELECT FROM {name} WHERE {condition} LIMIT {FEW} + 1) AS \
         first_ones"
    )
}

/// The count of rows whose `state` is true, or is false. Most are in one of the two: when these are
/// many, they are all rows but the others, and how many rows there are is kept.
fn count_by_the_rest(
    table: &Table,
    tenant: &Tenant,
    query: &ListQuery,
    state: (&'static Field, bool),
) -> Statement {
    let mut statement = Statement::new("");
    let condition = filter::condition(&mut statement, table, tenant.as_str(), query);
    let (name, (field, value)) = (quote(table.name), state);
    let first_ones = first_ones(&name, &condition);
    let tenant = statement.value(tenant.as_str());
    let kept = statement.value(table.name);
    let field = expression(field);
    let others = |which: &str| {
        format!(
            "(SELECT count(*) FROM {name} WHERE tenant = {tenant} AND deleted_at IS NULL AND \
             {field} {which})"
        )
    };
    let (opposite, neither) = (others(&format!("= {}", !value)), others("IS NULL"));
    statement.push(&format!(
        "WITH first_ones AS MATERIALIZED ({first_ones}) SELECT CASE WHEN number <= {FEW} \
         THEN number ELSE (SELECT sum(live)::bigint FROM list_counts WHERE tenant = {tenant} AND \
         table_name = {kept}) - {opposite} - {neither} END AS number FROM first_ones"
    ));
    statement.unprepared()
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

/// The bytes that `tenants` store together, as they were counted.
pub(crate) async fn stored_bytes(
    connection: &AsyncPgConnection,
    tenants: &[Tenant],
) -> Result<i64, StoreError> {
    let names: Vec<&str> = tenants.iter().map(Tenant::as_str).collect();
    let sql = "SELECT sum(live)::bigint AS number FROM list_counts \
               WHERE table_name = $1 AND tenant = ANY($2)";
    let rows = Statement::new(sql).bind(BYTES).bind(names.iter().copied().collect::<Bind>());
    let reached = names.join(",");
    let rows = rows.rows::<NumberRow>(connection);
    let (seen, rows) = join(see(connection, &reached, Planning::Indexed), rows).await;
    let rows = seen.and(rows).map_err(|error| unavailable(&error))?;
    Ok(rows.first().and_then(|row| row.number).unwrap_or_default())
}
