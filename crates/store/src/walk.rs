//! Going through rows of a table, of which one page is in memory at a time.

use racun_kernel::Tenant;

use crate::{ListQuery, PageSize, Record, Store, StoreError, Table};

/// Rows of a page at most. A store may look at each row of the tenant to find a page, so few pages
/// are faster than many.
const MAX_ROWS: usize = 1_000;
/// Bytes of bodies, as a store keeps them, behind which a page ends with the row that was read.
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// Goes through rows of a tenant's table, page by page, in an order that changes of rows do not
/// alter.
pub struct Walk {
    table: &'static Table,
    tenant: Tenant,
    next: Option<ListQuery>,
}

impl Walk {
    /// The walk through all rows of `table` of `tenant`, newest first.
    #[must_use]
    pub fn of(table: &'static Table, tenant: Tenant) -> Self {
        Self::through(table, tenant, ListQuery::first_page(table))
    }

    /// The walk through the rows that `query` finds, in its order.
    #[must_use]
    pub fn through(table: &'static Table, tenant: Tenant, query: ListQuery) -> Self {
        let size = PageSize::Stored(MAX_BYTES);
        let page = ListQuery { limit: MAX_ROWS, size, count: false, ..query };
        Self { table, tenant, next: Some(page) }
    }

    /// The next rows; `None` behind the last ones.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn next<A: Record>(
        &mut self,
        store: &dyn Store,
    ) -> Result<Option<Vec<A>>, StoreError> {
        let Some(query) = self.next.take() else { return Ok(None) };
        let page = store.page::<A>(self.table, &self.tenant, &query).await?;
        if let Some(last) = page.rows.last().filter(|_| page.pagination.has_more) {
            let cursor = Some(query.place_behind(last));
            self.next = Some(ListQuery { cursor, ..query });
        }
        Ok(Some(page.rows))
    }
}
