//! The figures of all lines, and the total that the caller expected.

use std::collections::BTreeMap;

use racun_kernel::id::TaxId;
use racun_kernel::{Currency, Decimal};

use super::input::{LineInput, LineTax};
use super::{Calculated, CalculatedLine, CalculationError, SummaryTax, TotalMismatch};

/// Minor units by which an expected total may always differ.
const LEAST_TOLERANCE: usize = 5;

/// Adds up the `figures` of `lines`.
pub(super) fn sum(lines: &[LineInput], figures: Vec<Option<CalculatedLine>>) -> Calculated {
    let mut total = Decimal::zero();
    let mut total_with_tax = Decimal::zero();
    let mut total_discount = Decimal::zero();
    let mut groups = TaxGroups::default();
    for (line, figures) in lines.iter().zip(&figures) {
        let (LineInput::Priced(line), Some(figures)) = (line, figures) else { continue };
        total += &figures.total;
        total_with_tax += &figures.total_with_tax;
        total_discount += &figures.discount;
        for (tax, amount) in line.taxes.iter().zip(&figures.taxes) {
            groups.add(tax, &figures.total, amount);
        }
    }
    Calculated {
        lines: figures,
        total,
        total_with_tax,
        total_discount,
        taxes: groups.taxes,
        rounding_correction: None,
    }
}

/// The tax summary while lines are added, with an index so that many distinct rates stay cheap.
#[derive(Default)]
struct TaxGroups<'a> {
    taxes: Vec<SummaryTax>,
    places: BTreeMap<(Option<TaxId>, &'a Decimal, bool), usize>,
}

impl<'a> TaxGroups<'a> {
    fn add(&mut self, tax: &'a LineTax, base: &Decimal, amount: &Decimal) {
        let next = self.taxes.len();
        let place = (tax.tax_id, &tax.rate, tax.reverse_charge);
        let place = *self.places.entry(place).or_insert(next);
        if place == next {
            self.taxes.push(SummaryTax {
                tax_id: tax.tax_id,
                rate: tax.rate.clone(),
                reverse_charge: tax.reverse_charge,
                base: base.clone(),
                amount: amount.clone(),
            });
        } else {
            self.taxes[place].base += base;
            self.taxes[place].amount += amount;
        }
    }
}

/// Makes `expected` the total with tax, when rounding can explain the difference.
pub(super) fn reconcile(
    calculated: &mut Calculated,
    expected: &Decimal,
    currency: Currency,
) -> Result<(), CalculationError> {
    let difference = expected - &calculated.total_with_tax;
    let lines = calculated.lines.iter().flatten().count().max(LEAST_TOLERANCE);
    let units = Decimal::from(i64::try_from(lines).unwrap_or(i64::MAX));
    let tolerance = &units * &currency.minor_unit();
    if difference.abs() > tolerance {
        return Err(CalculationError::ExpectedTotalMismatch(Box::new(TotalMismatch {
            expected: expected.clone(),
            calculated: calculated.total_with_tax.clone(),
            difference,
            tolerance,
        })));
    }
    match largest_charged(&mut calculated.taxes) {
        Some(tax) => tax.amount += &difference,
        None => calculated.total += &difference,
    }
    calculated.total_with_tax = expected.clone();
    calculated.rounding_correction = Some(difference);
    Ok(())
}

/// The first of the charged taxes whose amount no other exceeds in magnitude.
fn largest_charged(taxes: &mut [SummaryTax]) -> Option<&mut SummaryTax> {
    let charged = taxes.iter_mut().filter(|tax| !tax.reverse_charge && !tax.rate.is_zero());
    charged
        .reduce(|largest, tax| if tax.amount.abs() > largest.amount.abs() { tax } else { largest })
}
