//! Totals that no lines come to are refused: the authority adds the lines up, and what was signed
//! is not corrected.

use std::collections::BTreeMap;

use racun_documents::calculation::SummaryTax;
use racun_documents::{Amounts, CreationSource, Document, Line};
use racun_kernel::{Decimal, Issue, Issues};

/// Accepts totals that were given with a document when they are those that its lines come to.
///
/// # Errors
/// `not_in_portugal` for each total that differs, by its field; what keeps the lines from being
/// calculated.
pub(super) fn check_given(document: &Document) -> Result<(), Issues> {
    if !matches!(document.source, CreationSource::Custom | CreationSource::Recurring) {
        return Ok(());
    }
    let own = document.calculated()?;
    let (mut issues, mut of_lines) = (Issues::default(), Issues::default());
    for (place, (line, own)) in document.content.lines.iter().zip(&own.lines).enumerate() {
        let Some(own) = own else { continue };
        let checked =
            check_totals((&line.total, &line.total_with_tax), (&own.total, &own.total_with_tax));
        of_lines.collect(place, checked);
    }
    issues.extend_at("items", of_lines);
    let amounts = &document.amounts;
    issues.note(check_totals(
        (&amounts.total, &amounts.total_with_tax),
        (&own.total, &own.total_with_tax),
    ));
    if by_rate(amounts.taxes.iter().map(|own| &own.tax)) != by_rate(&own.taxes) {
        let message = "documents in Portugal have the taxes that their lines come to; leave the \
                       totals out, and they are calculated";
        issues.push(Issue::new("not_in_portugal", message).at("taxes"));
    }
    issues.into_result(())
}

/// Accepts totals before and with tax that are those that were calculated.
fn check_totals(given: (&Decimal, &Decimal), own: (&Decimal, &Decimal)) -> Result<(), Issues> {
    let mut issues = Issues::default();
    for (field, given, own) in [("total", given.0, own.0), ("total_with_tax", given.1, own.1)] {
        if given != own {
            let message =
                format!("documents in Portugal have the totals that lines come to: send {own}");
            issues.push(Issue::new("not_in_portugal", message).at(field));
        }
    }
    issues.into_result(())
}

/// Bases and amounts by rate, and by whether the customer owes the tax.
fn by_rate<'a>(
    taxes: impl IntoIterator<Item = &'a SummaryTax>,
) -> BTreeMap<(bool, &'a Decimal), (Decimal, Decimal)> {
    let mut sums = BTreeMap::new();
    for tax in taxes {
        let zero = || (Decimal::zero(), Decimal::zero());
        let (base, amount) = sums.entry((tax.reverse_charge, &tax.rate)).or_insert_with(zero);
        *base += &tax.base;
        *amount += &tax.amount;
    }
    sums
}

/// Accepts a correction to the total that the caller expected, as far as a tax that is charged
/// takes it: no tax falls below zero, and the total before tax stays that of the lines.
///
/// # Errors
/// `not_in_portugal`, for `expected_total_with_tax`.
pub(super) fn check_correction(amounts: &Amounts, lines: &[Line]) -> Result<(), Issue> {
    if amounts.rounding_correction.as_ref().is_none_or(Decimal::is_zero) {
        return Ok(());
    }
    let below = amounts.taxes.iter().any(|own| own.tax.amount.is_negative());
    let of_lines: Decimal = lines.iter().map(|line| &line.total).sum();
    if !below && of_lines == amounts.total {
        return Ok(());
    }
    let message = "no tax of this document is as large as the difference to what its lines come \
                   to; send the total that they come to, or none";
    Err(Issue::new("not_in_portugal", message).at("expected_total_with_tax"))
}
