//! What lines name: items, taxes and financial categories.

use std::collections::{BTreeMap, BTreeSet};

use racun_catalog::{FINANCIAL_CATEGORIES, FinancialCategory, ITEMS, Item, TAXES, Tax};
use racun_kernel::id::{FinancialCategoryId, ItemId};
use racun_kernel::{Issue, Issues, Tenant};
use racun_store::{Context, ListQuery, Record, Store, StoreError, Table};

/// More taxes than an entity has.
const TAX_LIMIT: usize = 1000;

/// What lines name, looked up.
#[derive(Debug, Clone, Default)]
pub struct LineRecords {
    /// Items, by id.
    pub items: BTreeMap<String, Item>,
    /// All taxes of the entity, when a line needs one looked up.
    pub taxes: Vec<Tax>,
    /// Financial categories that are not archived.
    pub categories: BTreeSet<String>,
    /// Those that are: lines that have them keep them, and no others get them, whether they name
    /// them or their item has them.
    pub archived: BTreeSet<String>,
}

impl LineRecords {
    /// `items` and `taxes`, with those of `categories` and of the items' own that there are.
    pub async fn of(
        store: &dyn Store,
        tenant: &Tenant,
        items: Vec<Item>,
        taxes: Vec<Tax>,
        mut categories: BTreeSet<String>,
    ) -> Result<Self, StoreError> {
        let of_items = items.iter().filter_map(|item| item.financial_category_id);
        categories.extend(of_items.map(|id| id.to_string()));
        let categories = categories.iter().map(String::as_str).collect();
        let categories: Vec<FinancialCategory> =
            by_ids(store, &FINANCIAL_CATEGORIES, tenant, categories).await?;
        let (archived, categories): (Vec<_>, Vec<_>) =
            categories.into_iter().partition(|category| category.archived_at.is_some());
        let ids = |categories: Vec<FinancialCategory>| {
            categories.into_iter().map(|category| category.id.to_string()).collect()
        };
        Ok(Self {
            items: items.into_iter().map(|item| (item.id.to_string(), item)).collect(),
            taxes,
            categories: ids(categories),
            archived: ids(archived),
        })
    }

    /// The same where lines have the categories `present` already, archived or not.
    pub fn keeping(mut self, present: impl Iterator<Item = FinancialCategoryId>) -> Self {
        for id in present.map(|id| id.to_string()) {
            if self.archived.remove(&id) {
                self.categories.insert(id);
            }
        }
        self
    }
}

/// That a category is archived.
pub(crate) fn archived_category() -> Issue {
    let message = "this financial category is archived; choose another one, or none";
    Issue::new("archived", message).at("financial_category_id")
}

/// The lines, each with its item and its category, that have no category because that of their item
/// is archived. A till sells on when a category ends, so this is a warning.
///
/// # Errors
/// When the store fails.
pub(crate) async fn archived_of_items(
    cx: Context<'_>,
    lines: impl Iterator<Item = (Option<ItemId>, Option<FinancialCategoryId>)>,
) -> Result<Issues, StoreError> {
    let bare = lines.enumerate().filter_map(|(n, (item, category))| {
        let item = item.filter(|_| category.is_none())?;
        Some((n, item.to_string()))
    });
    let bare: Vec<(usize, String)> = bare.collect();
    let mut found = Issues::default();
    if bare.is_empty() {
        return Ok(found);
    }
    let ids = bare.iter().map(|(_, id)| id.as_str()).collect();
    let items: Vec<Item> = by_ids(cx.store, &ITEMS, &cx.tenant(), ids).await?;
    let (taxes, named) = (Vec::new(), BTreeSet::new());
    let records = LineRecords::of(cx.store, &cx.tenant(), items, taxes, named).await?;
    for (n, id) in bare {
        let category = records.items.get(&id).and_then(|item| item.financial_category_id);
        if category.is_some_and(|id| records.archived.contains(&id.to_string())) {
            let message = "the item's financial category is archived, so the line has none; give \
                           the item another one, or none";
            let issue = Issue::new("archived", message).at("financial_category_id");
            found.push(issue.at(n).at("items"));
        }
    }
    Ok(found)
}

/// All taxes of the tenant that are not in the trash.
pub async fn taxes(store: &dyn Store, tenant: &Tenant) -> Result<Vec<Tax>, StoreError> {
    let query = ListQuery { limit: TAX_LIMIT, count: false, ..ListQuery::first_page(&TAXES) };
    Ok(store.page(&TAXES, tenant, &query).await?.rows)
}

/// The records with these ids that are there and not in the trash.
pub async fn by_ids<A: Record>(
    store: &dyn Store,
    table: &'static Table,
    tenant: &Tenant,
    ids: BTreeSet<&str>,
) -> Result<Vec<A>, StoreError> {
    let ids: Vec<String> = ids.into_iter().map(str::to_owned).collect();
    let found: Vec<A> = store.get_all(table, tenant, &ids).await?;
    Ok(found.into_iter().filter(|record| !record.is_trashed()).collect())
}

/// A record that is not in the trash.
pub fn live<A: Record>(found: Option<A>) -> Option<A> {
    found.filter(|record| !record.is_trashed())
}
