//! What an expense comes to.

use racun_documents::calculation::{CalculationMode, Discount, DiscountKind};
use racun_documents::expense::{ExpenseContent, ExpenseItem};
use racun_documents::{LineKind, LineTaxDetail, NewLine, RevenueRecognition};
use racun_kernel::{Currency, ExchangeRate, Issues};
use time::macros::date;

use super::{content, decimal, item, now};

fn tax(rate: &str, share: Option<&str>) -> LineTaxDetail {
    LineTaxDetail {
        tax_id: None,
        rate: decimal(rate),
        classification: None,
        reverse_charge: false,
        amount: decimal("0"),
        is_deductible: Some(true),
        deductible_percentage: share.map(decimal),
        pt_exemption_code: None,
        pt_exemption_reason: None,
    }
}

fn texts(result: Result<(), Issues>) -> Vec<String> {
    let issues = result.unwrap_err();
    issues.iter().map(|issue| format!("{} {issue}", issue.code)).collect()
}

#[test]
fn items_are_calculated_and_their_taxes_summed_up() {
    let discounts = vec![Discount { value: decimal("10"), kind: DiscountKind::Percent }];
    let of = |share| ExpenseItem { taxes: vec![tax("22", share)], ..item() };
    let heading = ExpenseItem { is_separator: true, price: None, quantity: None, ..item() };
    let items = vec![of(Some("50")), heading, ExpenseItem { discounts, ..of(Some("50")) }];
    let mut content = ExpenseContent { items, ..content() };
    content.calculate(CalculationMode::B2bStandard, None).unwrap();
    let amounts = &content.amounts;
    assert_eq!(amounts.total, Some(decimal("190")));
    assert_eq!(amounts.total_with_tax, Some(decimal("231.80")));
    assert_eq!(amounts.total_discount, Some(decimal("10")));
    let [sum] = &amounts.taxes[..] else { panic!("{:?}", amounts.taxes) };
    assert_eq!((&sum.base, &sum.amount), (&decimal("190"), &decimal("41.80")));
    assert_eq!(sum.deductible_percentage, Some(decimal("50")));
    assert_eq!(content.items[2].taxes[0].amount, decimal("19.80"));
    assert_eq!(content.items[2].total_tax, Some(decimal("19.80")));
    // What is deductible is said where all items say the same.
    content.items[0].taxes[0].deductible_percentage = None;
    content.calculate(CalculationMode::B2bStandard, None).unwrap();
    assert_eq!(content.amounts.taxes[0].is_deductible, None);
}

#[test]
fn figures_are_calculated_again_when_what_they_depend_on_changes() {
    let before = ExpenseContent { items: vec![item()], ..content() };
    let renamed = ExpenseItem { name: None, ..item() };
    let same = ExpenseContent { items: vec![renamed], ..before.clone() };
    assert!(same.is_calculated_as(&before));
    let dearer = ExpenseItem { price: Some(decimal("51")), ..item() };
    let other = ExpenseContent { items: vec![dearer], ..before.clone() };
    assert!(!other.is_calculated_as(&before));
    let mode = Some(CalculationMode::B2cGrossDiscount);
    assert!(!ExpenseContent { calculation_mode: mode, ..before.clone() }.is_calculated_as(&before));
}

#[test]
fn given_totals_agree_but_for_a_cent_per_line() {
    assert_eq!(content().check_given(), Ok(()));
    let with = |total: &str| {
        let mut content = content();
        content.amounts.total_with_tax = Some(decimal(total));
        content.check_given()
    };
    assert_eq!(with("122.01"), Ok(()));
    let expected = "totals_disagree total_with_tax: total and taxes come to 122; that misses \
                    total_with_tax by more than 0.01 per line";
    assert_eq!(texts(with("122.02")), [expected]);
    // Under reverse charge the supplier charges nothing.
    let mut content = content();
    content.amounts.taxes[0].reverse_charge = true;
    content.amounts.total_with_tax = Some(decimal("100"));
    assert_eq!(content.check_given(), Ok(()));
}

#[test]
fn given_totals_are_amounts_that_are_stored() {
    let mut content = content();
    content.amounts.taxes[0].base = decimal("100.001");
    content.amounts.taxes[0].rate = Some(decimal("101"));
    content.amounts.taxes[0].deductible_percentage = Some(decimal("-1"));
    content.items = vec![item().with_totals(Some(decimal("1.005")), Some(decimal("2")), None)];
    let found = texts(content.check_given());
    let expected = [
        "too_many_decimals taxes[0].base: an amount in EUR has at most 2 decimals",
        "out_of_range taxes[0].rate: a tax rate is from 0 to 100 percent",
        "out_of_range taxes[0].deductible_percentage: a share is from 0 to 100 percent",
        "too_many_decimals items[0].total: an amount in EUR has at most 2 decimals",
        "too_many_decimals items[0].total_tax: an amount in EUR has at most 2 decimals",
    ];
    assert_eq!(found, expected);
}

#[test]
fn amounts_are_converted_where_there_is_a_rate_and_kept_where_there_is_none() {
    let mut content = ExpenseContent { currency: "USD".parse().unwrap(), ..content() };
    content.amounts.taxes[0].base_converted = Some(decimal("91"));
    content.convert(Currency::EUR).unwrap();
    assert_eq!(content.amounts.taxes[0].base_converted, Some(decimal("91")));
    assert_eq!(content.amounts.total_converted, None);
    content.exchange_rate = Some(ExchangeRate {
        rate: decimal("0.92"),
        source: "ecb".to_owned(),
        date: date!(2026 - 11 - 10),
        quote_currency: Currency::EUR,
    });
    content.convert(Currency::EUR).unwrap();
    assert_eq!(content.amounts.taxes[0].base_converted, Some(decimal("92")));
    assert_eq!(content.amounts.total_with_tax_converted, Some(decimal("112.24")));
    (content.exchange_rate, content.currency) = (None, Currency::EUR);
    content.convert(Currency::EUR).unwrap();
    assert_eq!(content.amounts.taxes[0].base_converted, None);
}

#[test]
fn a_line_is_checked_by_itself() {
    let issues = |line: NewLine, custom| texts(ExpenseItem::check(&line, custom));
    let price = "required price: an item needs price (before tax) or gross_price (with tax)";
    assert_eq!(issues(NewLine::default(), false), [price]);
    assert_eq!(ExpenseItem::check(&NewLine::default(), true), Ok(()));
    let both = NewLine {
        price: Some(decimal("1")),
        gross_price: Some(decimal("1")),
        ..NewLine::default()
    };
    assert_eq!(
        issues(both.clone(), true),
        ["conflicting gross_price: send price or gross_price, \
                                             not both"]
    );
    let heading = NewLine { kind: Some(LineKind::Separator), ..both };
    let found = issues(heading.clone(), false);
    assert!(found.iter().all(|issue| issue.starts_with("not_allowed ")) && found.len() == 2);
    let period = RevenueRecognition {
        method: None,
        date_from: Some(date!(2026 - 11 - 02)),
        date_to: Some(date!(2026 - 11 - 01)),
    };
    let line = NewLine {
        price: Some(decimal("1")),
        taxes: vec![tax("22", Some("101"))],
        revenue_recognition: Some(period),
        ..NewLine::default()
    };
    let expected = [
        "out_of_range taxes[0].deductible_percentage: a share is from 0 to 100 percent",
        "invalid_period expense_recognition.date_to: must not be before date_from",
    ];
    assert_eq!(issues(line, false), expected);
    let kept = ExpenseItem::of(heading, &now());
    assert_eq!((kept.is_separator, kept.quantity), (true, None));
}
