//! From a request and what it names to an expense's content.

use racun_documents::TransactionType;
use racun_documents::expense::ExpenseContent;
use racun_kernel::{Issue, Issues, Metadata, Patch, Stamp};
use time::Date;

use super::gather::ResolvedReferences;
use super::request::ExpenseRequest;
use super::supplier::{self, CatalogueWrites};
use super::{amounts, items};
use crate::documents::{CurrencyRequest, LineRules};
use crate::error::Error;

/// An expense's content, and what its commit keeps in the catalogue.
pub(super) struct Composition {
    /// The content.
    pub content: ExpenseContent,
    /// What is kept.
    pub catalogue: CatalogueWrites,
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
    let mut catalogue = CatalogueWrites::default();
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
    supplier::apply(&mut content, request, gathered, &mut catalogue, stamp, &mut issues);
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
        (content.items, catalogue.items) = lines;
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
    Ok(Composition { content, catalogue })
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
