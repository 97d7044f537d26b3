//! What an expense comes to: calculated of its items, or kept as the supplier gave it.

use racun_access::Entity;
use racun_documents::DocumentError;
use racun_documents::calculation::{
    self, Calculated, CalculationMode, LineInput, SummaryTax, fits_total,
};
use racun_kernel::{Currency, Decimal, Issue, Issues};
use racun_settlement::{ExpenseAmounts, ExpenseContent, ExpenseItem, ExpenseSummaryTax};
use serde_json::Value as Json;

use super::items;
use super::request::ExpenseRequest;
use crate::documents::default_mode;
use crate::error::Error;

/// Writes into `content`, whose items are those to be, what it comes to.
///
/// An expense has a calculation mode when its totals are calculated of its items; totals without
/// items, and those of `custom` expenses, are kept as given.
pub(super) fn set(
    content: &mut ExpenseContent,
    before: &ExpenseContent,
    request: &ExpenseRequest,
    custom: bool,
    entity: &Entity,
) -> Result<(), Error> {
    let was_calculated = before.calculation_mode.is_some();
    let is_calculated = match &request.items {
        Some(items) => !custom && !items.is_empty(),
        None => was_calculated,
    };
    if is_calculated {
        let stored = before.calculation_mode.as_deref().and_then(mode);
        let mode = request.calculation_mode.or(stored).unwrap_or_else(|| default_mode(entity));
        let expected = request.expected_total_with_tax.as_ref();
        let expected = expected.or(request.totals.total_with_tax.value());
        content.calculation_mode = Some(mode.name().to_owned());
        let same = |content: &ExpenseContent| -> (Vec<LineInput>, Currency, Option<String>) {
            let inputs = content.items.iter().map(items::input).collect();
            (inputs, content.currency, content.calculation_mode.clone())
        };
        if request.items.is_some() || expected.is_some() || same(content) != same(before) {
            calculate(content, mode, expected)?;
        }
    } else {
        content.calculation_mode = None;
        if was_calculated {
            content.amounts = ExpenseAmounts::default();
        }
        keep(content, request);
        check_given(content)?;
    }
    Ok(convert(content, entity.currency)?)
}

fn mode(name: &str) -> Option<CalculationMode> {
    serde_json::from_value(Json::String(name.to_owned())).ok()
}

/// Calculates the items and what they come to.
fn calculate(
    content: &mut ExpenseContent,
    mode: CalculationMode,
    expected: Option<&Decimal>,
) -> Result<(), DocumentError> {
    let inputs: Vec<LineInput> = content.items.iter().map(items::input).collect();
    let calculated = calculation::calculate(&inputs, mode, content.currency, expected)?;
    let Calculated { lines, total, total_with_tax, total_discount, taxes, rounding_correction } =
        calculated;
    for (item, figures) in content.items.iter_mut().zip(lines) {
        let Some(figures) = figures else { continue };
        item.total_tax = Some(&figures.total_with_tax - &figures.total);
        item.total = Some(figures.total);
        item.total_with_tax = Some(figures.total_with_tax);
        for (tax, amount) in item.taxes.iter_mut().zip(figures.taxes) {
            tax.amount = Some(amount);
        }
    }
    let taxes = taxes.into_iter().map(|tax| summary(tax, &content.items)).collect();
    content.amounts = ExpenseAmounts {
        total: Some(total),
        total_with_tax: Some(total_with_tax),
        total_discount: Some(total_discount),
        taxes,
        total_converted: None,
        total_with_tax_converted: None,
        rounding_correction,
    };
    Ok(())
}

/// A calculated tax of the summary. It says what is deductible when all its items say the same.
fn summary(tax: SummaryTax, items: &[ExpenseItem]) -> ExpenseSummaryTax {
    let mut shares = items
        .iter()
        .flat_map(|item| &item.taxes)
        .filter(|of_item| {
            of_item.tax_id == tax.tax_id
                && of_item.rate.as_ref() == Some(&tax.rate)
                && of_item.reverse_charge == tax.reverse_charge
        })
        .map(|of_item| (of_item.is_deductible, of_item.deductible_percentage.clone()));
    let first = shares.next().unwrap_or_default();
    let (is_deductible, deductible_percentage) =
        if shares.all(|share| share == first) { first } else { (None, None) };
    ExpenseSummaryTax {
        tax_id: tax.tax_id,
        rate: Some(tax.rate),
        base: tax.base,
        amount: tax.amount,
        base_converted: None,
        amount_converted: None,
        reverse_charge: tax.reverse_charge,
        is_deductible,
        deductible_percentage,
    }
}

/// Takes over totals as they are given.
fn keep(content: &mut ExpenseContent, request: &ExpenseRequest) {
    let (amounts, given) = (&mut content.amounts, request.totals.clone());
    given.total.apply(&mut amounts.total);
    given.total_with_tax.apply(&mut amounts.total_with_tax);
    given.total_discount.apply(&mut amounts.total_discount);
    if let Some(taxes) = given.taxes {
        amounts.taxes = taxes;
    }
}

/// Checks totals that are given, against each other and against what their currency can hold.
fn check_given(content: &ExpenseContent) -> Result<(), Issues> {
    let (amounts, currency) = (&content.amounts, content.currency);
    let mut issues = Issues::default();
    let mut inner = Issues::default();
    for (n, tax) in amounts.taxes.iter().enumerate() {
        let mut of_tax = Issues::default();
        money(&mut of_tax, "base", Some(&tax.base), currency);
        money(&mut of_tax, "amount", Some(&tax.amount), currency);
        let rate = tax.rate.as_ref();
        if rate.is_some_and(|rate| rate.is_negative() || *rate > Decimal::from(100)) {
            let message = "a tax rate is from 0 to 100 percent";
            of_tax.push(Issue::new("out_of_range", message).at("rate"));
        }
        let share = items::check_percentage(tax.deductible_percentage.as_ref());
        share.unwrap_or_else(|issue| of_tax.push(issue));
        inner.extend_at(n, of_tax);
    }
    issues.extend_at("taxes", inner);
    let mut inner = Issues::default();
    for (n, item) in content.items.iter().enumerate() {
        let mut of_item = Issues::default();
        money(&mut of_item, "total", item.total.as_ref(), currency);
        money(&mut of_item, "total_with_tax", item.total_with_tax.as_ref(), currency);
        money(&mut of_item, "total_tax", item.total_tax.as_ref(), currency);
        inner.extend_at(n, of_item);
    }
    issues.extend_at("items", inner);
    check_agreement(content, &mut issues);
    issues.into_result(())
}

/// Adds an issue when `amount` is no amount of `currency` that is stored.
fn money(issues: &mut Issues, field: &str, amount: Option<&Decimal>, currency: Currency) {
    let Some(amount) = amount else { return };
    let decimals = currency.decimals();
    if !amount.fits_scale(decimals) {
        let message = format!("an amount in {currency} has at most {decimals} decimals");
        issues.push(Issue::new("too_many_decimals", message).at(field));
    }
    if !fits_total(amount) {
        let (least, most) = (calculation::MIN_TOTAL, calculation::MAX_TOTAL);
        let message = format!("between {least} and {most}");
        issues.push(Issue::new("out_of_range", message).at(field));
    }
}

/// Total and taxes come to the total with tax, but for one hundredth per line: they were rounded
/// elsewhere (contract 2.3). Under reverse charge the supplier charges nothing.
fn check_agreement(content: &ExpenseContent, issues: &mut Issues) {
    let ExpenseAmounts { total: Some(total), total_with_tax: Some(with_tax), taxes, .. } =
        &content.amounts
    else {
        return;
    };
    if taxes.is_empty() {
        return;
    }
    let charged = taxes.iter().filter(|tax| !tax.reverse_charge);
    let charged: Decimal = charged.map(|tax| &tax.amount).sum();
    let sum = total + &charged;
    let lines = i64::try_from(content.items.len().max(taxes.len())).unwrap_or(i64::MAX);
    if (&sum - with_tax).abs() > Decimal::new(lines, 2) {
        let message = format!(
            "total and taxes come to {sum}; that misses total_with_tax by more than 0.01 per line"
        );
        issues.push(Issue::new("totals_disagree", message).at("total_with_tax"));
    }
}

/// Fills in what everything is in the entity's currency, or that there is nothing to convert. What
/// was given stays when there is no rate.
fn convert(content: &mut ExpenseContent, entity_currency: Currency) -> Result<(), Issues> {
    let exchange = content.exchange_rate.clone();
    let into = |amount: &Decimal| Some(exchange.as_ref()?.convert(amount));
    let keeps = content.exchange_rate.is_none() && content.currency != entity_currency;
    let amounts = &mut content.amounts;
    for tax in &mut amounts.taxes {
        tax.base_converted = into(&tax.base).or(tax.base_converted.take().filter(|_| keeps));
        tax.amount_converted = into(&tax.amount).or(tax.amount_converted.take().filter(|_| keeps));
    }
    amounts.total_converted = amounts.total.as_ref().and_then(into);
    amounts.total_with_tax_converted = amounts.total_with_tax.as_ref().and_then(into);
    let converted = [&amounts.total_converted, &amounts.total_with_tax_converted];
    if converted.into_iter().flatten().all(fits_total) {
        return Ok(());
    }
    let message = "the converted total is too large to be stored";
    Err(Issue::new("out_of_range", message).at("exchange_rate").into())
}
