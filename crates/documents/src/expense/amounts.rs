//! What an expense comes to: calculated of its items, or kept as the supplier gave it.

use racun_kernel::id::TaxId;
use racun_kernel::{Currency, Decimal, Issue, Issues};
use serde::{Deserialize, Serialize};

use super::item::check_percentage;
use super::{ExpenseContent, ExpenseItem};
use crate::DocumentError;
use crate::calculation::{
    self, Calculated, CalculationMode, LineInput, MAX_TOTAL, MIN_TOTAL, SummaryTax, fits_total,
};

/// A tax of the summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpenseSummaryTax {
    /// The tax, when it names one.
    pub tax_id: Option<TaxId>,
    /// Rate in percent.
    pub rate: Option<Decimal>,
    /// What the tax is on.
    pub base: Decimal,
    /// The tax.
    pub amount: Decimal,
    /// The base in the entity's currency, when the expense has another.
    pub base_converted: Option<Decimal>,
    /// The amount in the entity's currency.
    pub amount_converted: Option<Decimal>,
    /// Whether the entity owes the tax instead of the supplier.
    pub reverse_charge: bool,
    /// Whether the entity may deduct it.
    pub is_deductible: Option<bool>,
    /// How much of it, in percent.
    pub deductible_percentage: Option<Decimal>,
}

/// What an expense comes to, calculated of its items or given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpenseAmounts {
    /// Before tax.
    pub total: Option<Decimal>,
    /// With tax; needed once it is finalized.
    pub total_with_tax: Option<Decimal>,
    /// Discounts, before tax.
    pub total_discount: Option<Decimal>,
    /// Taxes, by tax, rate and reverse charge.
    pub taxes: Vec<ExpenseSummaryTax>,
    /// `total` in the entity's currency, when the expense has another.
    pub total_converted: Option<Decimal>,
    /// `total_with_tax` in the entity's currency.
    pub total_with_tax_converted: Option<Decimal>,
    /// Expected less calculated total, when a total was expected.
    pub rounding_correction: Option<Decimal>,
}

impl ExpenseContent {
    /// Whether its items are calculated as those of `before` were: of the same figures, in the same
    /// currency and mode.
    #[must_use]
    pub fn is_calculated_as(&self, before: &Self) -> bool {
        self.currency == before.currency
            && self.calculation_mode == before.calculation_mode
            && self.inputs() == before.inputs()
    }

    fn inputs(&self) -> Vec<LineInput> {
        self.items.iter().map(ExpenseItem::input).collect()
    }

    /// Calculates the items and what they come to.
    ///
    /// # Errors
    /// As [`calculation::calculate`].
    pub fn calculate(
        &mut self,
        mode: CalculationMode,
        expected: Option<&Decimal>,
    ) -> Result<(), DocumentError> {
        let calculated = calculation::calculate(&self.inputs(), mode, self.currency, expected)?;
        let Calculated { total, total_with_tax, total_discount, rounding_correction, .. } =
            calculated;
        for (item, figures) in self.items.iter_mut().zip(calculated.lines) {
            let Some(figures) = figures else { continue };
            item.total_tax = Some(&figures.total_with_tax - &figures.total);
            item.total = Some(figures.total);
            item.total_with_tax = Some(figures.total_with_tax);
            for (tax, amount) in item.taxes.iter_mut().zip(figures.taxes) {
                tax.amount = amount;
            }
        }
        let taxes = calculated.taxes.into_iter().map(|tax| summary(tax, &self.items)).collect();
        self.amounts = ExpenseAmounts {
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

    /// Checks totals that are given, against each other and against what their currency can hold.
    ///
    /// # Errors
    /// All that is wrong with them, by path.
    pub fn check_given(&self) -> Result<(), Issues> {
        let (amounts, currency) = (&self.amounts, self.currency);
        let mut issues = Issues::default();
        let mut inner = Issues::default();
        for (n, tax) in amounts.taxes.iter().enumerate() {
            let mut of_tax = Issues::default();
            check_money(&mut of_tax, "base", Some(&tax.base), currency);
            check_money(&mut of_tax, "amount", Some(&tax.amount), currency);
            let rate = tax.rate.as_ref();
            if rate.is_some_and(|rate| rate.is_negative() || *rate > Decimal::from(100)) {
                let message = "a tax rate is from 0 to 100 percent";
                of_tax.push(Issue::new("out_of_range", message).at("rate"));
            }
            let share = check_percentage(tax.deductible_percentage.as_ref());
            share.unwrap_or_else(|issue| of_tax.push(issue));
            inner.extend_at(n, of_tax);
        }
        issues.extend_at("taxes", inner);
        let mut inner = Issues::default();
        for (n, item) in self.items.iter().enumerate() {
            let mut of_item = Issues::default();
            check_money(&mut of_item, "total", item.total.as_ref(), currency);
            check_money(&mut of_item, "total_with_tax", item.total_with_tax.as_ref(), currency);
            check_money(&mut of_item, "total_tax", item.total_tax.as_ref(), currency);
            inner.extend_at(n, of_item);
        }
        issues.extend_at("items", inner);
        self.check_agreement(&mut issues);
        issues.into_result(())
    }

    /// Total and taxes come to the total with tax, but for one hundredth per line: they were
    /// rounded elsewhere (contract 2.3). Under reverse charge the supplier charges nothing.
    fn check_agreement(&self, issues: &mut Issues) {
        let ExpenseAmounts { total: Some(total), total_with_tax: Some(with_tax), taxes, .. } =
            &self.amounts
        else {
            return;
        };
        if taxes.is_empty() {
            return;
        }
        let charged = taxes.iter().filter(|tax| !tax.reverse_charge);
        let charged: Decimal = charged.map(|tax| &tax.amount).sum();
        let sum = total + &charged;
        let lines = i64::try_from(self.items.len().max(taxes.len())).unwrap_or(i64::MAX);
        if (&sum - with_tax).abs() > Decimal::new(lines, 2) {
            let message = format!(
                "total and taxes come to {sum}; that misses total_with_tax by more than 0.01 per \
                 line"
            );
            issues.push(Issue::new("totals_disagree", message).at("total_with_tax"));
        }
    }

    /// Fills in what everything is in the entity's currency, or that there is nothing to convert.
    /// What was given stays when there is no rate.
    ///
    /// # Errors
    /// When a converted total is too large to be stored.
    pub fn convert(&mut self, entity_currency: Currency) -> Result<(), Issues> {
        let exchange = self.exchange_rate.clone();
        let into = |amount: &Decimal| Some(exchange.as_ref()?.convert(amount));
        let keeps = exchange.is_none() && self.currency != entity_currency;
        let amounts = &mut self.amounts;
        for tax in &mut amounts.taxes {
            let (base, amount) = (tax.base_converted.take(), tax.amount_converted.take());
            tax.base_converted = into(&tax.base).or(base.filter(|_| keeps));
            tax.amount_converted = into(&tax.amount).or(amount.filter(|_| keeps));
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
}

/// A calculated tax of the summary. It says what is deductible when all its items say the same.
fn summary(tax: SummaryTax, items: &[ExpenseItem]) -> ExpenseSummaryTax {
    let mut shares = items
        .iter()
        .flat_map(|item| &item.taxes)
        .filter(|of_item| {
            of_item.tax_id == tax.tax_id
                && of_item.rate == tax.rate
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

/// Adds an issue when `amount` is no amount of `currency` that is stored.
fn check_money(issues: &mut Issues, field: &str, amount: Option<&Decimal>, currency: Currency) {
    let Some(amount) = amount else { return };
    if let Err(issue) = currency.check(amount) {
        issues.push(issue.at(field));
    }
    if !fits_total(amount) {
        let message = format!("between {MIN_TOTAL} and {MAX_TOTAL}");
        issues.push(Issue::new("out_of_range", message).at(field));
    }
}
