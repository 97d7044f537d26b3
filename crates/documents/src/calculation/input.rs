//! What is calculated, and what no line may hold.

use racun_kernel::id::TaxId;
use racun_kernel::{Currency, Decimal, Issue, Issues};
use serde::{Deserialize, Serialize};

use super::{MAX_DISCOUNTS, MAX_TAXES, MAX_TOTAL, MIN_TOTAL, fits_total};

/// The highest tax rate and the highest percentage discount.
const MAX_PERCENT: i64 = 100;

/// One element of a document's `items`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineInput {
    /// A heading row without amounts. It keeps its place, so that issues name the caller's indexes.
    Separator,
    /// A line with amounts.
    Priced(PricedLine),
}

/// What a line's figures depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricedLine {
    /// How many units; below zero for a return.
    pub quantity: Decimal,
    /// What one unit costs; below zero for a return.
    pub price: UnitPrice,
    /// At most [`MAX_DISCOUNTS`], in the order in which they apply.
    pub discounts: Vec<Discount>,
    /// At most [`MAX_TAXES`], each on the same net base; empty for an untaxed line.
    pub taxes: Vec<LineTax>,
}

/// The price of one unit, unrounded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitPrice {
    /// Before tax.
    Net(Decimal),
    /// With every tax of the line that is charged.
    Gross(Decimal),
}

/// What is taken off a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discount {
    /// Percent or money, at least 0; a percentage is at most 100.
    pub value: Decimal,
    /// What `value` counts.
    pub kind: DiscountKind,
}

/// What a discount's value counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiscountKind {
    /// Percent of the line.
    #[default]
    Percent,
    /// Money off the whole line: net for a net price in `b2b_standard`, gross otherwise.
    Amount,
}

/// A tax on a line, its rate resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineTax {
    /// The catalogue's tax; `None` for a bare rate.
    pub tax_id: Option<TaxId>,
    /// Percent, 0 to 100.
    pub rate: Decimal,
    /// Whether the customer owes the tax instead of paying it to the seller.
    pub reverse_charge: bool,
}

impl LineTax {
    /// Whether the seller charges this tax. A tax that is not charged has the amount 0.
    pub(super) fn is_charged(&self) -> bool {
        !self.reverse_charge && !self.rate.is_zero()
    }
}

impl PricedLine {
    /// Adds what is wrong with this line by itself.
    pub(super) fn check(&self, issues: &mut Issues) {
        if self.discounts.len() > MAX_DISCOUNTS {
            let message = format!("a line holds at most {MAX_DISCOUNTS} discounts");
            issues.push(Issue::new("too_many", message).at("discounts"));
        }
        for (n, discount) in self.discounts.iter().enumerate() {
            if let Err(issue) = discount.check(n) {
                issues.push(issue.at("discounts"));
            }
        }
        if self.taxes.len() > MAX_TAXES {
            let message = format!("a line holds at most {MAX_TAXES} taxes");
            return issues.push(Issue::new("too_many", message).at("taxes"));
        }
        for (n, tax) in self.taxes.iter().enumerate() {
            if let Err(issue) = check_tax(tax, &self.taxes[..n]) {
                issues.push(issue.at(n).at("taxes"));
            }
        }
    }
}

impl Discount {
    fn check(&self, n: usize) -> Result<(), Issue> {
        if self.value.is_negative() {
            let message = "a discount is 0 or more; a surcharge is a line of its own";
            return Err(Issue::new("out_of_range", message).at("value").at(n));
        }
        if self.kind == DiscountKind::Percent && self.value > Decimal::from(MAX_PERCENT) {
            let message = format!("{} % is more than the whole line: lower it to 100", self.value);
            return Err(Issue::new("discount_exceeds_line_total", message));
        }
        Ok(())
    }
}

/// Refuses a rate outside 0 to 100, and a tax that is among the line's `earlier` ones: its base
/// would count twice.
fn check_tax(tax: &LineTax, earlier: &[LineTax]) -> Result<(), Issue> {
    if tax.rate.is_negative() || tax.rate > Decimal::from(MAX_PERCENT) {
        return Err(Issue::new("out_of_range", "a tax rate is from 0 to 100 percent").at("rate"));
    }
    if earlier.contains(tax) {
        let message = "the line already has this tax with this rate: name it once";
        return Err(Issue::new("duplicate_tax", message));
    }
    Ok(())
}

/// Adds an issue when `expected` is no amount of `currency`.
pub(super) fn check_expected(expected: &Decimal, currency: Currency, issues: &mut Issues) {
    if let Err(issue) = currency.check(expected) {
        issues.push(issue.at("expected_total_with_tax"));
    }
}

/// Refuses amounts outside the range that is stored.
pub(super) fn check_range(amounts: [&Decimal; 3], remedy: &str) -> Result<(), Issue> {
    if amounts.into_iter().all(fits_total) {
        return Ok(());
    }
    let message = format!("totals lie between {MIN_TOTAL} and {MAX_TOTAL}: {remedy}");
    Err(Issue::new("out_of_range", message))
}
