//! What a document comes to: calculated of its lines, or given and checked.

use racun_kernel::id::format_ulid;
use racun_kernel::{Decimal, Issue, Issues, Stamp};
use serde::{Deserialize, Serialize};

use crate::calculation::{self, Calculated, CalculationError, CalculationMode, SummaryTax};
use crate::content::{Content, GivenTotals};
use crate::line::{Line, NewLine};
use crate::{Document, DocumentError, DocumentId};

/// A tax of the summary, also in the entity's currency when the document has another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaxAmounts {
    /// In the document's currency.
    pub tax: SummaryTax,
    /// The base in the entity's currency.
    pub base_converted: Option<Decimal>,
    /// The amount in the entity's currency.
    pub amount_converted: Option<Decimal>,
}

/// What a document comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amounts {
    /// Before tax.
    pub total: Decimal,
    /// With tax.
    pub total_with_tax: Decimal,
    /// Discounts, before tax.
    pub total_discount: Decimal,
    /// Taxes, by tax, rate and reverse charge.
    pub taxes: Vec<TaxAmounts>,
    /// Before tax, what no tax of `taxes` has in its base: what lines without taxes come to.
    #[serde(default = "Decimal::zero")]
    pub untaxed: Decimal,
    /// Expected less calculated total, when a total was expected.
    pub rounding_correction: Option<Decimal>,
    /// `total` in the entity's currency.
    pub total_converted: Option<Decimal>,
    /// `total_with_tax` in the entity's currency.
    pub total_with_tax_converted: Option<Decimal>,
    /// `untaxed` in the entity's currency.
    #[serde(default)]
    pub untaxed_converted: Option<Decimal>,
    /// Sum of the active payments.
    pub total_paid: Decimal,
    /// Of an advance invoice: what of it is allocated to invoices.
    #[serde(default = "Decimal::zero")]
    pub total_applied: Decimal,
    /// Of an invoice or advance invoice: what issued credit notes give back of it.
    #[serde(default = "Decimal::zero")]
    pub total_credited: Decimal,
}

/// The lines asked for, with fresh ids where they have none; what is wrong goes to `issues`.
///
/// The id of a line lies beside that of its document, so that the document is found by it
/// ([`DocumentId::of_line`]).
pub(crate) fn lines(
    asked: Vec<NewLine>,
    of: DocumentId,
    stamp: &Stamp,
    issues: &mut Issues,
) -> Vec<Line> {
    let kind = of.kind();
    if asked.is_empty() || asked.len() > Content::MAX_LINES {
        let message = format!("expected 1 to {} lines", Content::MAX_LINES);
        issues.push(Issue::new("out_of_range", message).at("items"));
        return Vec::new();
    }
    let mut inner = Issues::default();
    let mut lines = Vec::with_capacity(asked.len());
    for (n, mut line) in asked.into_iter().enumerate() {
        let id = line.id.take();
        let id =
            id.unwrap_or_else(|| format_ulid(kind.line_prefix(), stamp.ulid_beside(of.ulid())));
        lines.extend(inner.collect(n, Line::of(line, id, kind)));
    }
    issues.extend_at("items", inner);
    lines
}

/// Calculates `content`'s lines, writes their figures into them and answers the document's.
pub(crate) fn calculated(
    content: &mut Content,
    mode: CalculationMode,
    expected: Option<&Decimal>,
) -> Result<Amounts, DocumentError> {
    let inputs: Vec<_> = content.lines.iter().map(Line::input).collect();
    let calculated = calculation::calculate(&inputs, mode, content.currency, expected)?;
    for (line, figures) in content.lines.iter_mut().zip(calculated.lines) {
        if let Some(figures) = figures {
            line.take_over(figures);
        }
    }
    Ok(Amounts {
        untaxed: untaxed(&calculated.total, &calculated.taxes, &content.lines),
        total: calculated.total,
        total_with_tax: calculated.total_with_tax,
        total_discount: calculated.total_discount,
        taxes: calculated.taxes.into_iter().map(TaxAmounts::of).collect(),
        rounding_correction: calculated.rounding_correction,
        total_converted: None,
        total_with_tax_converted: None,
        untaxed_converted: None,
        total_paid: Decimal::zero(),
        total_applied: Decimal::zero(),
        total_credited: Decimal::zero(),
    })
}

impl Document {
    /// What its lines come to by the rules of its mode, whatever its totals say.
    ///
    /// # Errors
    /// What no calculation accepts of lines whose totals were given.
    pub fn calculated(&self) -> Result<Calculated, Issues> {
        let inputs: Vec<_> = self.content.lines.iter().map(Line::input).collect();
        let calculated = calculation::calculate(&inputs, self.mode, self.content.currency, None);
        calculated.map_err(|error| match error {
            CalculationError::Invalid(issues) => issues,
            // Without an expected total none is missed.
            CalculationError::ExpectedTotalMismatch(missed) => {
                Issue::new("expected_total_mismatch", missed.to_string()).into()
            }
        })
    }
}

/// Totals of a custom document: kept as given, when they agree with each other.
///
/// Total and taxes may miss the total with tax by one hundredth per line, for they were rounded
/// elsewhere (contract 2.3).
pub(crate) fn given(given: GivenTotals, lines: &[Line]) -> Result<Amounts, DocumentError> {
    let taxes: Decimal = given.taxes.iter().map(|tax| &tax.amount).sum();
    let difference = (&(&given.total + &taxes) - &given.total_with_tax).abs();
    let line_count = i64::try_from(lines.len()).unwrap_or(i64::MAX);
    if difference > Decimal::new(line_count, 2) {
        let message = format!(
            "total and taxes come to {}; that misses total_with_tax by more than 0.01 per line",
            &given.total + &taxes
        );
        return Err(
            Issues::from(Issue::new("totals_disagree", message).at("total_with_tax")).into()
        );
    }
    Ok(Amounts {
        untaxed: untaxed(&given.total, &given.taxes, lines),
        total: given.total,
        total_with_tax: given.total_with_tax,
        total_discount: given.total_discount,
        taxes: given.taxes.into_iter().map(TaxAmounts::of).collect(),
        rounding_correction: None,
        total_converted: None,
        total_with_tax_converted: None,
        untaxed_converted: None,
        total_paid: Decimal::zero(),
        total_applied: Decimal::zero(),
        total_credited: Decimal::zero(),
    })
}

/// What of `total` is in the base of none of `taxes`. A line with two taxes is in two bases.
fn untaxed(total: &Decimal, taxes: &[SummaryTax], lines: &[Line]) -> Decimal {
    let bases: Decimal = taxes.iter().map(|tax| &tax.base).sum();
    let again = lines.iter().flat_map(|line| line.taxes.iter().skip(1).map(|_| &line.total));
    let again: Decimal = again.sum();
    &(total - &bases) + &again
}

impl TaxAmounts {
    const fn of(tax: SummaryTax) -> Self {
        Self { tax, base_converted: None, amount_converted: None }
    }
}

/// Fills in what everything is in the entity's currency, or that there is nothing to convert.
pub(crate) fn convert(content: &mut Content, amounts: &mut Amounts) -> Result<(), DocumentError> {
    let exchange = content.exchange_rate.clone();
    let into = |amount: &Decimal| Some(exchange.as_ref()?.convert(amount));
    for line in &mut content.lines {
        line.total_converted = into(&line.total);
        line.total_with_tax_converted = into(&line.total_with_tax);
    }
    for tax in &mut amounts.taxes {
        tax.base_converted = into(&tax.tax.base);
        tax.amount_converted = into(&tax.tax.amount);
    }
    amounts.total_converted = into(&amounts.total);
    amounts.total_with_tax_converted = into(&amounts.total_with_tax);
    amounts.untaxed_converted = into(&amounts.untaxed);
    let converted = [&amounts.total_converted, &amounts.total_with_tax_converted];
    if converted.into_iter().flatten().all(calculation::fits_total) {
        return Ok(());
    }
    let message = "the converted total is too large to be stored";
    Err(Issues::from(Issue::new("out_of_range", message).at("exchange_rate")).into())
}

/// An issued document's number tells its year and unit, so they stay.
pub(crate) fn check_number_stays(document: &Document, content: &Content) -> Issues {
    let mut issues = Issues::default();
    if document.is_draft() {
        return issues;
    }
    if document.content.date.year() != content.date.year() {
        let message = "the number of an issued document is of its year; keep the year, or void it";
        issues.push(Issue::new("number_locked", message).at("date"));
    }
    if document.content.business_unit_id != content.business_unit_id {
        let message = "the number of an issued document is of its business unit; keep the unit";
        issues.push(Issue::new("number_locked", message).at("business_unit_id"));
    }
    issues
}
