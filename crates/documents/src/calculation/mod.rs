//! What a document's lines come to: totals, taxes and discounts, in both calculation modes.
//!
//! | Module     | Owns                                                             |
//! | ---------- | ---------------------------------------------------------------- |
//! | `input`    | what is calculated, and what no line may hold                    |
//! | `line`     | the figures of one line                                          |
//! | `document` | the figures of all lines, and the total that the caller expected |
//!
//! # Rules
//! All arithmetic is exact. Money is rounded at the points named here and nowhere else, halves away
//! from zero, to the currency's minor unit ([`Currency::round`], [`Currency::divide`]).
//!
//! - **Net first** (a net price in `b2b_standard`): discounts are summed, each percentage taken of
//!   the undiscounted subtotal, and subtracted once. The net is rounded; each tax is computed of
//!   the rounded net and rounded; the gross is their sum.
//! - **Gross first** (a gross price, or any price in `b2c_gross_discount`): the discounted gross is
//!   rounded, divided by 1 + the sum of the rates and rounded again to give the net. What lies
//!   between is tax, split by rate; the last tax that is charged takes the remainder. In
//!   `b2c_gross_discount` a net price becomes gross by multiplication, unrounded, and discounts
//!   apply one after the other to what the earlier ones left.
//! - **Reverse charge**: such a tax charges nothing and its rate counts as 0 wherever rates are
//!   summed, so a gross price under reverse charge equals the net price. Its base is reported.
//! - **Returns**: quantity or price may be negative. Discounts lower a line's magnitude, whatever
//!   its sign: −2 × 100 less 10 % or less an amount of 20 is −180, its discount −20.
//! - **Discounts above the line** are refused, never clamped. Exact figures are compared: 0.34 off
//!   a line of 0.335 is refused. In `b2b_standard` percentages add up, so 60 % and 60 % are
//!   refused; in `b2c_gross_discount` they leave 16 %.
//! - **The document** is the sum of its lines, with one tax group per tax id, rate and reverse
//!   charge: total + Σ tax amounts = total_with_tax.

mod document;
mod input;
mod line;

use racun_kernel::id::TaxId;
use racun_kernel::{Currency, Decimal, Issues};
use serde::{Deserialize, Serialize};

pub use input::{Discount, DiscountKind, LineInput, LineTax, PricedLine, UnitPrice};

/// Discounts that one line may hold.
pub const MAX_DISCOUNTS: usize = 5;
/// Taxes that one line may hold, whatever an entity's own limit is.
pub const MAX_TAXES: usize = 10;
/// The lowest total that is stored, −2^47.
pub const MIN_TOTAL: i64 = -140_737_488_355_328;
/// The highest total that is stored, 2^47 − 1.
pub const MAX_TOTAL: i64 = 140_737_488_355_327;

/// How discounts and rounding work; chosen when a document is made, and kept with it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CalculationMode {
    /// Net is rounded first where prices are net; percentages are of the undiscounted subtotal.
    #[default]
    #[serde(rename = "b2b_standard")]
    B2bStandard,
    /// Gross is rounded first; discounts are gross and apply one after the other.
    #[serde(rename = "b2c_gross_discount")]
    B2cGrossDiscount,
}

impl CalculationMode {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::B2bStandard => "b2b_standard",
            Self::B2cGrossDiscount => "b2c_gross_discount",
        }
    }
}

/// What one line comes to, as money of the document's currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalculatedLine {
    /// Net, discounts taken off.
    pub total: Decimal,
    /// `total` and its taxes.
    pub total_with_tax: Decimal,
    /// What the discounts took off, as net.
    pub discount: Decimal,
    /// Amount of each tax, in the order of the line's taxes.
    pub taxes: Vec<Decimal>,
}

/// One entry of a document's tax summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryTax {
    /// The catalogue's tax; `None` when the lines named a rate only.
    pub tax_id: Option<TaxId>,
    /// Percent.
    pub rate: Decimal,
    /// Whether the customer owes the tax; then `amount` is 0.
    pub reverse_charge: bool,
    /// Sum of the net totals of the lines with this tax.
    pub base: Decimal,
    /// Sum of those lines' amounts of this tax.
    pub amount: Decimal,
}

/// What all lines come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calculated {
    /// One entry per input line, in its order; `None` for a separator.
    pub lines: Vec<Option<CalculatedLine>>,
    /// Net, discounts taken off.
    pub total: Decimal,
    /// `total` and all taxes; equals the expected total when one was given.
    pub total_with_tax: Decimal,
    /// What the discounts took off, as net.
    pub total_discount: Decimal,
    /// One entry per tax id, rate and reverse charge, in order of first appearance.
    pub taxes: Vec<SummaryTax>,
    /// Expected total less calculated total; `None` when no total was expected.
    pub rounding_correction: Option<Decimal>,
}

/// Why lines were not calculated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CalculationError {
    /// Fields that no calculation accepts, or totals that are not stored.
    #[error(transparent)]
    Invalid(#[from] Issues),
    /// The expected total is too far from the calculated one to be a matter of rounding.
    #[error(transparent)]
    ExpectedTotalMismatch(Box<TotalMismatch>),
}

/// How far the expected total is from the calculated one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected_total_with_tax is {expected}, but the lines come to {calculated}; the difference of \
     {difference} is beyond the tolerance of {tolerance}: correct the lines, or send the total \
     they come to, or none"
)]
pub struct TotalMismatch {
    /// What the caller expected.
    pub expected: Decimal,
    /// What the lines come to.
    pub calculated: Decimal,
    /// `expected` less `calculated`.
    pub difference: Decimal,
    /// The largest difference, in either direction, that would have been accepted.
    pub tolerance: Decimal,
}

/// Calculates `lines` by the rules of this module.
///
/// With an `expected_total_with_tax`, the difference to what the lines come to is taken for
/// rounding when it is at most one minor unit of `currency` per line, or five units where that is
/// more: for EUR max(0.01 × lines, 0.05), for JPY max(lines, 5), for KWD max(0.001 × lines, 0.005).
/// Separators are no lines here. The difference goes into the charged tax with the largest amount,
/// by magnitude and the first of equals; into the total when no tax is charged. The figures of the
/// lines stay as calculated.
///
/// # Errors
/// [`CalculationError::Invalid`] with every issue found, at `items[n]…` or
/// `expected_total_with_tax`, counted as in `lines`:
/// - `too_many`: more than [`MAX_DISCOUNTS`] discounts or [`MAX_TAXES`] taxes;
/// - `out_of_range`: a discount below 0, a tax rate outside 0 to 100, or a total outside
///   [`MIN_TOTAL`] to [`MAX_TOTAL`];
/// - `duplicate_tax`: a tax that the line names twice;
/// - `discount_exceeds_line_total`: at `items[n].discounts`, also for a percentage above 100;
/// - `too_many_decimals`: an expected total that is no amount of `currency`.
///
/// [`CalculationError::ExpectedTotalMismatch`] when the difference is beyond the tolerance.
pub fn calculate(
    lines: &[LineInput],
    mode: CalculationMode,
    currency: Currency,
    expected_total_with_tax: Option<&Decimal>,
) -> Result<Calculated, CalculationError> {
    let mut issues = Issues::default();
    let figures = line::figures_of_all(lines, mode, currency, &mut issues);
    if let Some(expected) = expected_total_with_tax {
        input::check_expected(expected, currency, &mut issues);
    }
    issues.into_result(())?;
    let mut calculated = document::sum(lines, figures);
    if let Some(expected) = expected_total_with_tax {
        document::reconcile(&mut calculated, expected, currency)?;
    }
    let totals = [&calculated.total, &calculated.total_with_tax, &calculated.total_discount];
    let in_range = input::check_range(totals, "split the document");
    in_range.map_err(|issue| Issues::from(issue.at("items")))?;
    Ok(calculated)
}

/// Whether `amount` lies in the range that is stored for totals, [`MIN_TOTAL`] to [`MAX_TOTAL`].
#[must_use]
pub fn fits_total(amount: &Decimal) -> bool {
    (Decimal::from(MIN_TOTAL)..=Decimal::from(MAX_TOTAL)).contains(amount)
}
