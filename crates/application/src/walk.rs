//! Going through all rows of a table.

use racun_kernel::{ListQuery, RawQuery, Record, Store, StoreError, Table, Tenant};

/// Rows of a page.
const PAGE: usize = 100;

/// Goes through all rows of a tenant's table, page by page. Rows that change meanwhile keep their
/// places.
pub struct Walk {
    table: &'static Table,
    tenant: Tenant,
    next: Option<RawQuery>,
}

impl Walk {
    /// The walk through `table` of `tenant`.
    #[must_use]
    pub fn of(table: &'static Table, tenant: Tenant) -> Self {
        let raw = RawQuery {
            limit: Some(PAGE.to_string()),
            include_total_count: Some("false".to_owned()),
            ..RawQuery::default()
        };
        Self { table, tenant, next: Some(raw) }
    }

    /// The next rows; `None` behind the last ones.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn next<A: Record>(
        &mut self,
        store: &dyn Store,
    ) -> Result<Option<Vec<A>>, StoreError> {
        let Some(raw) = self.next.take() else { return Ok(None) };
        let query = ListQuery::parse(self.table, &raw)
            .map_err(|issues| StoreError::Unavailable(format!("{issues:?}")))?;
        let page = store.page::<A>(self.table, &self.tenant, &query).await?;
        if let Some(cursor) = page.pagination.next_cursor {
            self.next = Some(RawQuery { next_cursor: Some(cursor), ..raw });
        }
        Ok(Some(page.rows))
    }
}
