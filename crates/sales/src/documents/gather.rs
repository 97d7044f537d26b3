//! Looking up what a request names: one read per kind of thing, and only for what is named.

use std::collections::{BTreeMap, BTreeSet};

use racun_access::Entity;
use racun_catalog::{
    BUSINESS_UNITS, BusinessUnit, CUSTOMERS, Customer, FINANCIAL_CATEGORIES, FinancialCategory,
    ITEMS, Item, TAXES, Tax,
};
use racun_documents::{Content, NumberCheck, Party};
use racun_kernel::calendar::local_date;
use racun_kernel::id::{FinancialCategoryId, ItemId};
use racun_kernel::{ExchangeRate, Issue, Issues, Stamp, Tenant};
use racun_store::{Context, ListQuery, Record, Store, StoreError, Table};
use time::Date;

use super::rates::{self, RateBefore, RateRequest};
use super::request::{DocumentRequest, LineRequest};
use crate::vat::Finding;

/// What a request names, looked up; what is missing here does not exist, or is in the trash.
#[derive(Debug, Clone)]
pub(super) struct ResolvedReferences {
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
    /// What was found out of the customer's VAT number, where the sale rests on it.
    pub finding: Option<Finding>,
    /// The rate of exchange where the request gives none and needs one.
    pub rate: Option<ExchangeRate>,
}

impl ResolvedReferences {
    /// What was found out of the VAT number of `customer`.
    pub fn check_of(&self, customer: Option<&Party>) -> Option<&NumberCheck> {
        self.finding_of(customer?).map(|finding| &finding.check)
    }

    /// The same with the answer that it rests on.
    pub fn finding_of(&self, customer: &Party) -> Option<&Finding> {
        self.finding.as_ref().filter(|finding| finding.is_of(customer))
    }
}

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
    /// What `lines` name, and those of `categories` that there are.
    pub async fn gather(
        store: &dyn Store,
        tenant: &Tenant,
        lines: &[LineRequest],
        categories: BTreeSet<&str>,
    ) -> Result<Self, StoreError> {
        let items: Vec<Item> = by_ids(store, &ITEMS, tenant, item_ids(lines)).await?;
        let taxes =
            if lines.iter().any(needs_taxes) { taxes(store, tenant).await? } else { Vec::new() };
        let of_lines = lines.iter().filter_map(|line| line.financial_category_id.as_deref());
        let categories = of_lines.chain(categories).map(str::to_owned).collect();
        Self::of(store, tenant, items, taxes, categories).await
    }

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

/// More taxes than an entity has.
const TAX_LIMIT: usize = 1000;

/// What `request` names; `before` is the content that it changes, if it does not make a document.
///
/// # Errors
/// When the store fails.
pub(super) async fn gather(
    store: &dyn Store,
    entity: &Entity,
    request: &DocumentRequest,
    before: Option<&Content>,
    stamp: &Stamp,
) -> Result<ResolvedReferences, StoreError> {
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
    let (entity, today) = (entity.clone(), today(entity, stamp));
    let asked = RateRequest {
        code: request.currency_code.as_deref(),
        rate: &request.exchange_rate,
        date: request.date,
    };
    let rate = rates::find(store, &entity, &asked, before.map(RateBefore::of), today).await?;
    let finding = None;
    Ok(ResolvedReferences { entity, today, customer, unit, records, finding, rate })
}

/// Today, where the entity is.
pub fn today(entity: &Entity, stamp: &Stamp) -> Date {
    local_date(stamp.now(), &entity.timezone).unwrap_or_else(|| stamp.now().date())
}

/// All taxes of the tenant that are not in the trash.
pub async fn taxes(store: &dyn Store, tenant: &Tenant) -> Result<Vec<Tax>, StoreError> {
    let query = ListQuery { limit: TAX_LIMIT, count: false, ..ListQuery::first_page(&TAXES) };
    Ok(store.page(&TAXES, tenant, &query).await?.rows)
}

/// The unit that a request names, by `business_unit_id` or inside `business_unit`.
pub(super) fn unit_id(request: &DocumentRequest) -> Option<&str> {
    let inline = || request.business_unit.as_ref().and_then(|unit| unit.id.as_ref());
    request.business_unit_id.value().or_else(inline).map(String::as_str)
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

fn item_ids(lines: &[LineRequest]) -> BTreeSet<&str> {
    lines.iter().filter_map(|line| line.item_id.as_deref()).collect()
}

/// A bare rate needs no record; an id, a classification, an item's taxes and the default do.
fn needs_taxes(line: &LineRequest) -> bool {
    let Some(taxes) = &line.taxes else { return line.kind.is_none() };
    taxes.iter().any(|tax| tax.tax_id.is_some() || tax.rate.is_none())
}
