//! Looking up what a request names: one read per kind of thing, and only for what is named.

use std::collections::{BTreeMap, BTreeSet};

use racun_access::Entity;
use racun_catalog::{
    BUSINESS_UNITS, BusinessUnit, CUSTOMERS, Customer, FINANCIAL_CATEGORIES, FinancialCategory,
    ITEMS, Item, TAXES, Tax,
};
use racun_kernel::calendar::local_date;
use racun_kernel::id::FinancialCategoryId;
use racun_kernel::{Issue, ListQuery, Record, Stamp, Store, StoreError, Table, Tenant};
use time::Date;

use super::request::{DocumentRequest, LineRequest};

/// What a request names, looked up; what is missing here does not exist, or is in the trash.
#[derive(Debug, Clone)]
pub(super) struct Gathered {
    /// The entity that issues.
    pub entity: Entity,
    /// Today, in the entity's zone.
    pub today: Date,
    /// The customer of `customer_id`.
    pub customer: Option<Customer>,
    /// The unit of `business_unit_id`.
    pub unit: Option<BusinessUnit>,
    /// What the lines name.
    pub records: LineRecords,
}

/// What lines name, looked up.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineRecords {
    /// Items, by id.
    pub items: BTreeMap<String, Item>,
    /// All taxes of the entity, when a line needs one looked up.
    pub taxes: Vec<Tax>,
    /// Financial categories that are not archived.
    pub categories: BTreeSet<String>,
    /// Those that are: lines that have them keep them, and no others get them.
    pub archived: BTreeSet<String>,
}

impl LineRecords {
    /// What `lines` name, and those of `categories` that there are.
    pub async fn gather(
        store: &dyn Store,
        tenant: &Tenant,
        lines: &[LineRequest],
        categories: BTreeSet<&str>,
    ) -> Result<Self, StoreError> {
        let of_lines = lines.iter().filter_map(|line| line.financial_category_id.as_deref());
        let categories = of_lines.chain(categories).collect();
        let categories: Vec<FinancialCategory> =
            by_ids(store, &FINANCIAL_CATEGORIES, tenant, categories).await?;
        let items: Vec<Item> = by_ids(store, &ITEMS, tenant, item_ids(lines)).await?;
        let taxes =
            if lines.iter().any(needs_taxes) { taxes(store, tenant).await? } else { Vec::new() };
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
}

impl LineRecords {
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

/// More taxes than an entity has.
const TAX_LIMIT: usize = 1000;

pub(super) async fn gather(
    store: &dyn Store,
    entity: &Entity,
    request: &DocumentRequest,
    stamp: &Stamp,
) -> Result<Gathered, StoreError> {
    let tenant = Tenant::entity(entity.id);
    let lines = request.items.as_deref().unwrap_or_default();
    let assigned = request.category_assignments.iter();
    let assigned = assigned.filter_map(|a| a.financial_category_id.as_deref()).collect();
    let records = LineRecords::gather(store, &tenant, lines, assigned).await?;
    let customer = match request.customer_id.value() {
        Some(id) => live(store.get(&CUSTOMERS, &tenant, id).await?),
        None => None,
    };
    let unit = match unit_id(request) {
        Some(id) => live(store.get(&BUSINESS_UNITS, &tenant, id).await?),
        None => None,
    };
    Ok(Gathered { entity: entity.clone(), today: today(entity, stamp), customer, unit, records })
}

/// Today, where the entity is.
pub(crate) fn today(entity: &Entity, stamp: &Stamp) -> Date {
    local_date(stamp.now(), &entity.timezone).unwrap_or_else(|| stamp.now().date())
}

/// All taxes of the tenant that are not in the trash.
pub(crate) async fn taxes(store: &dyn Store, tenant: &Tenant) -> Result<Vec<Tax>, StoreError> {
    let query = ListQuery { limit: TAX_LIMIT, count: false, ..ListQuery::first_page(&TAXES) };
    Ok(store.page(&TAXES, tenant, &query).await?.rows)
}

/// The unit that a request names, by `business_unit_id` or inside `business_unit`.
pub(super) fn unit_id(request: &DocumentRequest) -> Option<&str> {
    let inline = || request.business_unit.as_ref().and_then(|unit| unit.id.as_ref());
    request.business_unit_id.value().or_else(inline).map(String::as_str)
}

/// The records with these ids that are there and not in the trash.
pub(crate) async fn by_ids<A: Record>(
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
pub(crate) fn live<A: Record>(found: Option<A>) -> Option<A> {
    found.filter(|record| !record.is_trashed())
}

fn item_ids(lines: &[LineRequest]) -> BTreeSet<&str> {
    lines.iter().filter_map(|line| line.item_id.as_deref()).collect()
}

/// A bare rate needs no record; an id, a classification, an item's taxes and the default do.
fn needs_taxes(line: &LineRequest) -> bool {
    let Some(taxes) = &line.taxes else { return line.kind.is_none() };
    taxes.iter().any(|tax| tax.tax_id.is_some() || tax.rate.is_none())
}
