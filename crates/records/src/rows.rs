//! Rows by their fields.

use std::fmt::Display;

use racun_kernel::Tenant;
use racun_store::{Clause, ListQuery, Operator, Record, Store, StoreError, Table, Value, Walk};

/// Versions of one document that are listed at once.
pub const ROW_LIMIT: usize = 1000;

/// All rows of `table` that `clause` holds of, newest first. It is for what is few by nature, such
/// as the links or the payments of one document.
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
    let query = ListQuery { clauses, ..ListQuery::first_page(table) };
    let mut walk = Walk::through(table, tenant.clone(), query);
    let mut rows = Vec::new();
    while let Some(page) = walk.next(store).await? {
        rows.extend(page);
    }
    Ok(rows)
}

/// All rows of `table` whose `field` is one of `values`; a question names
/// [`ListQuery::MAX_LIMIT`] of them at most.
///
/// # Errors
/// When the store fails.
pub async fn all_in<A: Record>(
    store: &dyn Store,
    tenant: &Tenant,
    table: &'static Table,
    field: &str,
    values: &[String],
) -> Result<Vec<A>, StoreError> {
    let mut rows = Vec::new();
    for some in values.chunks(ListQuery::MAX_LIMIT) {
        rows.extend(all_of(store, tenant, table, where_in(table, field, some)).await?);
    }
    Ok(rows)
}

/// That `field` is `value`.
#[must_use]
pub fn by_field(table: &'static Table, field: &str, value: &str) -> Clause {
    Clause::on(table, field, Operator::Equals(value.into()))
}

/// That `field` is one of `values`.
#[must_use]
pub fn where_in<T: Display>(
    table: &'static Table,
    field: &str,
    values: impl IntoIterator<Item = T>,
) -> Clause {
    let values = values.into_iter().map(|value| Value::from(value.to_string()));
    Clause::on(table, field, Operator::In(values.collect()))
}
