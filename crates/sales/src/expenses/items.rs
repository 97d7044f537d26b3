//! From a request's items to an expense's.

use racun_catalog::Item;
use racun_documents::expense::{ExpenseContent, ExpenseItem};
use racun_kernel::{Issues, Stamp};
use time::Date;

use super::request::ExpenseLineRequest;
use crate::documents::{LineRequest, LineRules, new_items};

/// The items of `asked`, with what they name filled in, and those of them that the catalogue is to
/// keep. Prices of `custom` expenses may be missing, and their totals are kept.
pub(super) fn resolve(
    asked: &[ExpenseLineRequest],
    custom: bool,
    rules: &LineRules<'_>,
    today: Date,
    stamp: &Stamp,
    issues: &mut Issues,
) -> (Vec<ExpenseItem>, Vec<Item>) {
    let requests: Vec<LineRequest> = asked.iter().map(|item| item.line.clone()).collect();
    let mut lines = rules.lines(&requests, issues);
    let saved = new_items(rules.entity, today, &requests, &mut lines, stamp);
    let saved = issues.collect("items", saved).unwrap_or_default();
    let mut inner = Issues::default();
    let mut items = Vec::with_capacity(lines.len());
    for (n, (line, asked)) in lines.into_iter().zip(asked).enumerate() {
        inner.collect(n, ExpenseItem::check(&line, custom));
        let item = ExpenseItem::of(line, stamp);
        items.push(if custom {
            let (total, with_tax) = (asked.line.total.clone(), asked.line.total_with_tax.clone());
            item.with_totals(total, with_tax, asked.total_tax.clone())
        } else {
            item
        });
    }
    issues.extend_at("items", inner);
    (items, saved)
}

/// Gives taxes their rates of the expense's new date.
pub(super) fn redate(items: &mut [ExpenseItem], rules: &LineRules<'_>) {
    for tax in items.iter_mut().flat_map(|item| &mut item.taxes) {
        if let Some(rate) = tax.tax_id.and_then(|id| rules.rate(id)) {
            tax.rate = rate;
        }
    }
}

/// Whether an item's rate follows from the date of the expense.
pub(super) fn has_dated_taxes(content: &ExpenseContent) -> bool {
    content.items.iter().flat_map(|item| &item.taxes).any(|tax| tax.tax_id.is_some())
}
