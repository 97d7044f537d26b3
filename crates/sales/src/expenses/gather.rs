//! The reads behind an expense: supplier, items, taxes, categories, and the rate of exchange.

use std::collections::BTreeSet;

use racun_access::Entity;
use racun_catalog::{SUPPLIERS, Supplier};
use racun_documents::expense::ExpenseContent;
use racun_kernel::{ExchangeRate, Patch, Stamp, Tenant};
use racun_store::{One, Store, StoreError, UnitBuilder};
use time::Date;

use super::items;
use super::request::ExpenseRequest;
use crate::documents::rates::{self, RateBefore, RateRequest};
use crate::documents::{LineRecords, LineRequest, live, taxes, today};

/// What a request names, looked up; what is missing here does not exist, or is in the trash.
#[derive(Debug, Clone)]
pub(super) struct ResolvedReferences {
    /// Whose expense.
    pub entity: Entity,
    /// Today, in the entity's zone.
    pub today: Date,
    /// The supplier of `supplier_id`, or the one to refresh.
    pub supplier: Option<Supplier>,
    /// What the items name.
    pub records: LineRecords,
    /// The rate of exchange where the request gives none and needs one.
    pub rate: Option<ExchangeRate>,
}

impl ResolvedReferences {
    /// Holds the supplier's record, when `request` is to refresh it.
    pub fn hold_supplier(
        &self,
        request: &ExpenseRequest,
        unit: &mut UnitBuilder<'_>,
    ) -> Option<One<Supplier>> {
        let refreshed = self.supplier.as_ref().filter(|_| request.save_supplier)?;
        Some(unit.hold(&SUPPLIERS, refreshed.id))
    }
}

/// Looks up what `request` names, on an expense that is `before`.
pub(super) async fn gather(
    store: &dyn Store,
    entity: &Entity,
    request: &ExpenseRequest,
    before: Option<&ExpenseContent>,
    stamp: &Stamp,
) -> Result<ResolvedReferences, StoreError> {
    let tenant = Tenant::entity(entity.id);
    let present = before.and_then(|content| content.supplier_id).filter(|_| request.save_supplier);
    let id = match &request.supplier_id {
        Patch::Absent => present.map(|id| id.to_string()),
        Patch::Null => None,
        Patch::Value(id) => Some(id.clone()),
    };
    let supplier = match id {
        Some(id) => live(store.get(&SUPPLIERS, &tenant, &id).await?),
        None => None,
    };
    let lines: Vec<LineRequest> =
        request.items.iter().flatten().map(|item| item.line.clone()).collect();
    let mut records = LineRecords::gather(store, &tenant, &lines, BTreeSet::new()).await?;
    let present = before.iter().flat_map(|before| &before.items);
    records = records.keeping(present.filter_map(|item| item.financial_category_id));
    let redates = !request.date.is_absent() && before.is_some_and(items::has_dated_taxes);
    if redates && records.taxes.is_empty() {
        records.taxes = taxes(store, &tenant).await?;
    }
    let today = today(entity, stamp);
    let rate = rate(store, entity, request, before, today).await?;
    Ok(ResolvedReferences { entity: entity.clone(), today, supplier, records, rate })
}

/// The rate of exchange that `request` needs and does not say.
async fn rate(
    store: &dyn Store,
    entity: &Entity,
    request: &ExpenseRequest,
    before: Option<&ExpenseContent>,
    today: Date,
) -> Result<Option<ExchangeRate>, StoreError> {
    let asked = RateRequest {
        code: request.currency_code.as_deref(),
        rate: &request.exchange_rate,
        date: request.date.value().copied(),
    };
    let before = before.map(|content| RateBefore {
        currency: content.currency,
        rate: content.exchange_rate.as_ref(),
        date: content.date.unwrap_or(today),
    });
    rates::find(store, entity, &asked, before, today).await
}
