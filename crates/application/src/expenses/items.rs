//! From a request's items to an expense's.

use racun_catalog::Item;
use racun_documents::calculation::{
    Discount, DiscountKind, LineInput, LineTax, MAX_DISCOUNTS, PricedLine, UnitPrice,
};
use racun_documents::{LineKind, LineTaxDetail, NewLine, RevenueRecognition};
use racun_kernel::id::format_ulid;
use racun_kernel::{Decimal, Issue, Issues, Stamp};
use racun_settlement::{
    ExpenseContent, ExpenseDiscount, ExpenseDiscountType, ExpenseItem, ExpenseItemTranslations,
    ExpenseLineTax, ExpenseRecognition,
};
use time::Date;

use super::request::ExpenseLineRequest;
use crate::documents::{LineRequest, LineRules, new_items};

/// The text before the ULID in ids of items.
const ITEM_PREFIX: &str = "exp_item_";

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
        let mut of_item = Issues::default();
        check(&line, custom, &mut of_item);
        inner.extend_at(n, of_item);
        let item = item(line, format_ulid(ITEM_PREFIX, stamp.ulid()));
        items.push(if custom { with_totals(item, asked) } else { item });
    }
    issues.extend_at("items", inner);
    (items, saved)
}

/// Adds what is wrong with a line by itself.
fn check(line: &NewLine, custom: bool, issues: &mut Issues) {
    let is_separator = line.kind == Some(LineKind::Separator);
    let amounts = [
        ("price", line.price.is_some()),
        ("gross_price", line.gross_price.is_some()),
        ("taxes", !line.taxes.is_empty()),
        ("discounts", !line.discounts.is_empty()),
    ];
    for (field, _) in amounts.into_iter().filter(|(_, present)| is_separator && *present) {
        let message = "a separator is a heading and has no amounts; leave it out";
        issues.push(Issue::new("not_allowed", message).at(field));
    }
    match (&line.price, &line.gross_price) {
        (Some(_), Some(_)) if !is_separator => {
            let message = "send price or gross_price, not both";
            issues.push(Issue::new("conflicting", message).at("gross_price"));
        }
        (None, None) if !is_separator && !custom => {
            let message = "an item needs price (before tax) or gross_price (with tax)";
            issues.push(Issue::new("required", message).at("price"));
        }
        _ => {}
    }
    if custom && line.discounts.len() > MAX_DISCOUNTS {
        let message = format!("a line holds at most {MAX_DISCOUNTS} discounts");
        issues.push(Issue::new("too_many", message).at("discounts"));
    }
    for (n, tax) in line.taxes.iter().enumerate() {
        if let Err(issue) = check_percentage(tax.deductible_percentage.as_ref()) {
            issues.push(issue.at(n).at("taxes"));
        }
    }
    if let Some(RevenueRecognition { date_from: Some(from), date_to: Some(to), .. }) =
        &line.revenue_recognition
        && to < from
    {
        let issue = Issue::new("invalid_period", "must not be before date_from");
        issues.push(issue.at("date_to").at("expense_recognition"));
    }
}

/// Refuses a deductible share that is none.
pub(super) fn check_percentage(share: Option<&Decimal>) -> Result<(), Issue> {
    let most = Decimal::from(100);
    if share.is_none_or(|share| !share.is_negative() && *share <= most) {
        return Ok(());
    }
    let issue = Issue::new("out_of_range", "a share is from 0 to 100 percent");
    Err(issue.at("deductible_percentage"))
}

/// `line` as an expense keeps it, its totals still missing.
fn item(line: NewLine, id: String) -> ExpenseItem {
    let is_separator = line.kind == Some(LineKind::Separator);
    let quantity = line.quantity.unwrap_or_else(|| 1.into());
    ExpenseItem {
        id,
        is_separator,
        item_id: line.item_id,
        name: line.name,
        description: line.description,
        translations: ExpenseItemTranslations {
            name: line.translations.name,
            description: line.translations.description,
        },
        quantity: (!is_separator).then_some(quantity),
        unit: line.unit,
        classification: line.classification,
        financial_category_id: line.financial_category_id,
        expense_recognition: line.revenue_recognition.map(recognition),
        price: line.price,
        gross_price: line.gross_price,
        discounts: line.discounts.into_iter().map(discount).collect(),
        taxes: line.taxes.into_iter().map(tax).collect(),
        total: None,
        total_with_tax: None,
        total_tax: None,
        metadata: line.metadata,
    }
}

/// `item` with the totals of a custom expense; its taxes are what lies between them when they are
/// not given.
fn with_totals(item: ExpenseItem, asked: &ExpenseLineRequest) -> ExpenseItem {
    let (total, with_tax) = (asked.line.total.clone(), asked.line.total_with_tax.clone());
    let between = total.as_ref().zip(with_tax.as_ref()).map(|(total, with_tax)| with_tax - total);
    let total_tax = asked.total_tax.clone().or(between);
    ExpenseItem { total, total_with_tax: with_tax, total_tax, ..item }
}

/// Gives taxes their rates of the expense's new date.
pub(super) fn redate(items: &mut [ExpenseItem], rules: &LineRules<'_>) {
    for tax in items.iter_mut().flat_map(|item| &mut item.taxes) {
        let rate = tax.tax_id.and_then(|id| rules.rate(id));
        tax.rate = rate.or(tax.rate.take());
    }
}

/// Whether an item's rate follows from the date of the expense.
pub(super) fn has_dated_taxes(content: &ExpenseContent) -> bool {
    content.items.iter().flat_map(|item| &item.taxes).any(|tax| tax.tax_id.is_some())
}

/// The item as calculation sees it.
pub(super) fn input(item: &ExpenseItem) -> LineInput {
    let price = match (&item.price, &item.gross_price) {
        (Some(price), _) => UnitPrice::Net(price.clone()),
        (None, Some(gross)) => UnitPrice::Gross(gross.clone()),
        (None, None) => return LineInput::Separator,
    };
    let discounts = item.discounts.iter().map(|discount| Discount {
        value: discount.value.clone(),
        kind: match discount.kind {
            ExpenseDiscountType::Percent => DiscountKind::Percent,
            ExpenseDiscountType::Amount => DiscountKind::Amount,
        },
    });
    let taxes = item.taxes.iter().map(|tax| LineTax {
        tax_id: tax.tax_id,
        rate: tax.rate.clone().unwrap_or_else(Decimal::zero),
        reverse_charge: tax.reverse_charge,
    });
    LineInput::Priced(PricedLine {
        quantity: item.quantity.clone().unwrap_or_else(|| 1.into()),
        price,
        discounts: discounts.collect(),
        taxes: taxes.collect(),
    })
}

fn recognition(recognition: RevenueRecognition) -> ExpenseRecognition {
    let RevenueRecognition { method, date_from, date_to } = recognition;
    ExpenseRecognition { method, date_from, date_to }
}

fn discount(discount: Discount) -> ExpenseDiscount {
    let kind = match discount.kind {
        DiscountKind::Percent => ExpenseDiscountType::Percent,
        DiscountKind::Amount => ExpenseDiscountType::Amount,
    };
    ExpenseDiscount { value: discount.value, kind }
}

fn tax(tax: LineTaxDetail) -> ExpenseLineTax {
    ExpenseLineTax {
        tax_id: tax.tax_id,
        rate: Some(tax.rate),
        classification: tax.classification,
        reverse_charge: tax.reverse_charge,
        amount: Some(tax.amount),
        is_deductible: tax.is_deductible,
        deductible_percentage: tax.deductible_percentage,
    }
}
