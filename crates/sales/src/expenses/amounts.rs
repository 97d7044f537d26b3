//! Which totals an expense gets: calculated of its items, or kept as the supplier gave them.

use racun_access::Entity;
use racun_documents::expense::{ExpenseAmounts, ExpenseContent};

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
        let mode = request.calculation_mode.or(before.calculation_mode);
        let mode = mode.unwrap_or_else(|| default_mode(entity));
        let expected = request.expected_total_with_tax.as_ref();
        let expected = expected.or(request.totals.total_with_tax.value());
        content.calculation_mode = Some(mode);
        let is_new = request.items.is_some() || expected.is_some();
        if is_new || !content.is_calculated_as(before) {
            content.calculate(mode, expected)?;
        }
    } else {
        content.calculation_mode = None;
        if was_calculated {
            content.amounts = ExpenseAmounts::default();
        }
        keep(content, request);
        content.check_given()?;
    }
    Ok(content.convert(entity.currency)?)
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
