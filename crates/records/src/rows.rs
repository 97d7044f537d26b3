//! Rows by their fields.

use racun_kernel::Tenant;
use racun_store::{Clause, ListQuery, Operator, Record, Store, StoreError, Table, Value};

/// Rows that are read at once: versions, links or payments of one document, or links of one page
/// of documents.
pub const ROW_LIMIT: usize = 1000;

/// All rows of `table` that `clause` holds of, up to [`ROW_LIMIT`].
///
/// # Errors
/// When the store fails.
pub async fn all_of<A: Record>(
    store: &dyn Store,
    tenant: &Tenant,
    table: &'static Table,
    clause: Clause,
) -> Result<Vec<A>, StoreError> {
    all_where(store, tenant, table, vec![clause]).await
}

/// As [`all_of`], where all of `clauses` hold.
///
/// # Errors
/// When the store fails.
pub async fn all_where<A: Record>(
    store: &dyn Store,
    tenant: &Tenant,
    table: &'static Table,
    clauses: Vec<Clause>,
) -> Result<Vec<A>, StoreError> {
    let query =
        ListQuery { limit: ROW_LIMIT, count: false, clauses, ..ListQuery::first_page(table) };
    Ok(store.page(table, tenant, &query).await?.rows)
}

/// That `field` is `value`.
#[must_use]
pub fn by_field(table: &'static Table, field: &str, value: &str) -> Clause {
    Clause::on(table, field, Operator::Equals(value.into()))
}

/// That `field` is one of `values`.
#[must_use]
pub fn where_in(table: &'static Table, field: &str, values: &[String]) -> Clause {
    Clause::on(table, field, Operator::In(values.iter().map(Value::from).collect()))
}
