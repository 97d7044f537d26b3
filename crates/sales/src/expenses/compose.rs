//! From a request and what it names to an expense's content.

use std::collections::BTreeSet;

use racun_access::Entity;
use racun_catalog::{SUPPLIERS, Supplier};
use racun_documents::TransactionType;
use racun_documents::expense::ExpenseContent;
use racun_kernel::{ExchangeRate, Issue, Issues, Metadata, Patch, Stamp, Tenant};
use racun_store::{One, Store, StoreError, UnitBuilder};
use time::Date;

use super::request::ExpenseRequest;
use super::supplier::{self, CatalogueWrites};
use super::{amounts, items};
use crate::documents::rates::{self, RateBefore, RateRequest};
use crate::documents::{CurrencyRequest, LineRecords, LineRequest, LineRules, live, taxes, today};
use crate::error::Error;

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

/// An expense's content, and what its commit keeps in the catalogue.
pub(super) struct Composition {
    /// The content.
    pub content: ExpenseContent,
    /// What is kept.
    pub savings: CatalogueWrites,
}

/// `before` with what `request` says; the totals of `custom` expenses are kept as given.
pub(super) fn compose(
    before: ExpenseContent,
    request: &ExpenseRequest,
    custom: bool,
    gathered: &ResolvedReferences,
    stamp: &Stamp,
) -> Result<Composition, Error> {
    let mut issues = Issues::default();
    let mut savings = CatalogueWrites::default();
    let mut content = before.clone();
    request.supplier_document_number.clone().apply(&mut content.supplier_document_number);
    request.date.apply(&mut content.date);
    request.date_received.apply(&mut content.date_received);
    request.date_due.apply(&mut content.date_due);
    request.date_service.apply(&mut content.date_service);
    request.date_service_to.apply(&mut content.date_service_to);
    request.summary_classification.apply(&mut content.summary_classification);
    request.reference.clone().apply(&mut content.reference);
    request.note.clone().apply(&mut content.note);
    request.metadata.clone().apply_or(&mut content.metadata, Metadata::default());
    set_transaction_type(&mut content, &request.transaction_type, &mut issues);
    supplier::apply(&mut content, request, gathered, &mut savings, stamp, &mut issues);
    let date = content.date.unwrap_or(gathered.today);
    set_money(&mut content, request, gathered, date, &mut issues);
    let rules = LineRules {
        entity: &gathered.entity,
        records: &gathered.records,
        date,
        reverse_charge: false,
        untaxed: false,
        gross_only: false,
    };
    if let Some(asked) = &request.items {
        let lines = items::resolve(asked, custom, &rules, gathered.today, stamp, &mut issues);
        (content.items, savings.items) = lines;
    } else if content.date != before.date && content.calculation_mode.is_some() {
        items::redate(&mut content.items, &rules);
    }
    if !issues.is_empty() {
        // Report the other issues in the same answer.
        if let Err(further) = content.check() {
            issues.extend_elsewhere(&further);
        }
        return Err(issues.into());
    }
    amounts::set(&mut content, &before, request, custom, &gathered.entity)?;
    Ok(Composition { content, savings })
}

/// Writes into `content` what kind of purchase it is.
fn set_transaction_type(content: &mut ExpenseContent, sent: &Patch<String>, issues: &mut Issues) {
    let kind = sent.clone().map(|name| TransactionType::from_name(&name));
    if matches!(kind, Patch::Value(None)) {
        let names = TransactionType::ALL.map(TransactionType::name);
        let message = format!("expected one of {}", names.join(", "));
        issues.push(Issue::new("invalid_value", message).at("transaction_type"));
    }
    match kind {
        Patch::Absent => {}
        Patch::Null => content.transaction_type = None,
        Patch::Value(kind) => content.transaction_type = kind,
    }
}

/// Writes currency and rate into `content`.
fn set_money(
    content: &mut ExpenseContent,
    request: &ExpenseRequest,
    gathered: &ResolvedReferences,
    date: Date,
    issues: &mut Issues,
) {
    let asked = CurrencyRequest {
        code: request.currency_code.as_deref(),
        rate: &request.exchange_rate,
        found: gathered.rate.as_ref(),
    };
    let kept = (content.currency, content.exchange_rate.take());
    (content.currency, content.exchange_rate) =
        asked.resolve(&gathered.entity, date, Some(kept), issues);
    if content.exchange_rate.as_ref().is_some_and(|exchange| !exchange.rate.is_positive()) {
        let issue = Issue::new("out_of_range", "must be above zero");
        issues.push(issue.at("rate").at("exchange_rate"));
    }
}
