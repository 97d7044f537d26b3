//! Whether what a received invoice states adds up.

use en16931::Invoice;
use racun_kernel::{Currency, Decimal};

use super::import::decimal;
use crate::finding::{Finding, Level};

/// The rule of Peppol on the amount of a line, which is looked at in every invoice.
const LINE: &str = "PEPPOL-EN16931-R120";
/// By how much a line may differ, by that rule.
const TOLERANCE: (i64, u8) = (2, 2);

/// Whether a rule is about sums: those of the totals (BR-CO-10 to 17), of decimals without which
/// nothing is added up (BR-DEC), those of each category's base and tax (…-08 and …-09), and that of
/// a line.
pub fn is_of_sums(rule: &str) -> bool {
    let number = |rest: &str| rest.parse::<u8>().ok();
    if let Some(rest) = rule.strip_prefix("BR-CO-") {
        return number(rest).is_some_and(|number| (10..=17).contains(&number));
    }
    let category = rule.strip_prefix("BR-").and_then(|rest| rest.split_once('-'));
    let is_category = |name: &str| {
        matches!(name, "S" | "Z" | "E" | "AE" | "IC" | "G" | "O" | "AF" | "AG" | "IG" | "IP")
    };
    rule == LINE
        || rule.starts_with("BR-DEC-")
        || category
            .is_some_and(|(name, rest)| is_category(name) && matches!(number(rest), Some(8 | 9)))
}

/// Lines whose amount is not what quantity, price, allowances and charges come to.
pub fn lines(invoice: &Invoice) -> Vec<Finding> {
    let mut found = Vec::new();
    for (place, line) in invoice.lines.iter().enumerate() {
        let price = &line.price;
        let base = price.base_quantity.as_ref().map_or_else(|| 1.into(), decimal);
        let whole = &decimal(&line.quantity) * &decimal(&price.net_price);
        let sum = |amounts: Vec<Decimal>| amounts.iter().sum::<Decimal>();
        let off = sum(line.allowances.iter().map(|one| decimal(&one.amount)).collect());
        let on = sum(line.charges.iter().map(|one| decimal(&one.amount)).collect());
        // The euro has two decimals, as amounts of invoices have.
        let goods = Currency::EUR.divide(&whole, &base);
        let expected = goods.map(|goods| &(&goods - &off) + &on);
        let stated = decimal(&line.net_amount);
        let is_right = expected.as_ref().is_some_and(|expected| {
            let difference = (expected - &stated).abs();
            !(&difference - &Decimal::new(TOLERANCE.0, TOLERANCE.1)).is_positive()
        });
        if !is_right {
            let expected = expected.map_or_else(|| "nothing".to_owned(), |one| one.to_string());
            let message = format!(
                "line {} states {stated}, and its quantity, price and discounts come to {expected}",
                place + 1
            );
            let rule = LINE.to_owned();
            found.push(Finding { rule, level: Level::Fatal, path: Vec::new(), message });
        }
    }
    found
}
