//! Batches lookups: one statement answers all callers that look up by id or by the same field.

use std::collections::BTreeSet;

use diesel_async::AsyncPgConnection;
use futures_util::future::join;
use racun_kernel::Tenant;
use racun_store::{LOOKUP_LIMIT, StoreError, Stored, Table};
use tokio::sync::oneshot;

use crate::error::{of_pool, unavailable};
use crate::pool::Connections;
use crate::schema::quote;
use crate::session::{ALL_TENANTS, Planning, reach};
use crate::statement::{Bind, HeldRow, Statement};

/// What lookups have in common that one statement answers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct LookupKey {
    pub(crate) table: &'static str,
    pub(crate) by: By,
}

/// By what rows are found.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum By {
    /// By the ids of a tenant's rows.
    Ids(Tenant),
    /// By the values of the column of a field, in all tenants.
    Column(&'static str),
}

impl LookupKey {
    pub(crate) fn ids(table: &Table, tenant: &Tenant) -> Self {
        Self { table: table.name, by: By::Ids(tenant.clone()) }
    }

    pub(crate) fn field(table: &Table, field: &str) -> Result<Self, StoreError> {
        Ok(Self { table: table.name, by: By::Column(table.indexed_text(field)?) })
    }
}

type LookupResult = Result<Vec<Stored>, StoreError>;

/// A lookup that waits for its answer.
pub(crate) struct Waiter {
    /// The ids or values asked for.
    values: Vec<String>,
    answer: oneshot::Sender<LookupResult>,
}

impl Waiter {
    /// A lookup of `values`, and the receiver of its answer.
    pub(crate) fn new(values: Vec<String>) -> (Self, oneshot::Receiver<LookupResult>) {
        let (answer, receiver) = oneshot::channel();
        (Self { values: storable(&values).cloned().collect(), answer }, receiver)
    }
}

/// Answers all `waiters` with one statement.
pub(crate) async fn answer(connections: &Connections, question: LookupKey, waiters: Vec<Waiter>) {
    let values: BTreeSet<&String> = waiters.iter().flat_map(|waiter| &waiter.values).collect();
    let found = match connections.get().await {
        Ok(connection) => find(&connection, &question, &values).await,
        Err(error) => Err(of_pool(error)),
    };
    for waiter in waiters {
        let answer = match &found {
            Ok(rows) => Ok(share(rows, &waiter.values)),
            Err(error) => Err(error.clone()),
        };
        // The receiver is gone when the caller was dropped.
        let _: Result<(), _> = waiter.answer.send(answer);
    }
}

/// The rows of `found` that were found by one of `values`.
fn share(found: &[HeldRow], values: &[String]) -> Vec<Stored> {
    let is_asked = |row: &&HeldRow| row.key.as_ref().is_some_and(|key| values.contains(key));
    let stored = |row: &HeldRow| Stored { id: row.id.clone(), body: row.body.clone() };
    found.iter().filter(is_asked).map(stored).collect()
}

/// Answers one lookup of `values`.
pub(crate) async fn one(
    connection: &AsyncPgConnection,
    question: &LookupKey,
    values: &[String],
) -> LookupResult {
    let found = find(connection, question, &storable(values).collect()).await?;
    Ok(found.into_iter().map(|row| Stored { id: row.id, body: row.body }).collect())
}

/// No text that is stored holds NUL, and PostgreSQL refuses to compare with it.
fn storable(values: &[String]) -> impl Iterator<Item = &String> {
    values.iter().filter(|value| !value.contains('\0'))
}

async fn find(
    connection: &AsyncPgConnection,
    question: &LookupKey,
    values: &BTreeSet<&String>,
) -> Result<Vec<HeldRow>, StoreError> {
    let tenants = match &question.by {
        By::Ids(tenant) => tenant.as_str(),
        By::Column(_) => ALL_TENANTS,
    };
    let seen = reach(tenants, Planning::Indexed).run(connection);
    let rows = statement(question, values).rows::<HeldRow>(connection);
    let (seen, rows) = join(seen, rows).await;
    seen.and(rows).map_err(|error| unavailable(&error))
}

/// One value is compared as such, several one after the other: PostgreSQL takes an array in a
/// prepared statement for ten values, and may prefer an index that serves none of them.
fn statement(question: &LookupKey, values: &BTreeSet<&String>) -> Statement {
    let table = quote(question.table);
    let mut statement = Statement::new("");
    let one = values.first().filter(|_| values.len() == 1);
    let bind = match one {
        Some(value) => Bind::from(value.as_str()),
        None => values.iter().copied().collect::<Bind>(),
    };
    let asked = statement.value(bind);
    let value = if one.is_some() { &*asked } else { "asked.value" };
    let rows = match &question.by {
        By::Ids(tenant) => {
            let tenant = statement.value(tenant.as_str());
            format!(
                "SELECT id, id AS key, body::text AS body FROM {table} \
                 WHERE tenant = {tenant} AND id = {value}"
            )
        }
        By::Column(column) => {
            let column = quote(column);
            format!(
                "SELECT id, {column} AS key, body::text AS body FROM {table} \
                 WHERE {column} = {value} ORDER BY id, tenant LIMIT {LOOKUP_LIMIT}"
            )
        }
    };
    statement.push(&match one {
        Some(_) => rows,
        None => format!(
            "SELECT found.* FROM unnest({asked}) AS asked (value), LATERAL ({rows}) AS found"
        ),
    });
    statement
}
