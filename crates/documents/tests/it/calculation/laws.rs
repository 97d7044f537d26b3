//! Laws that hold for any lines, and agreement with the oracle.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use racun_documents::calculation::{
    Calculated, CalculationError, CalculationMode, Discount, DiscountKind, LineInput, LineTax,
    PricedLine, SummaryTax, UnitPrice, calculate,
};
use racun_kernel::{Currency, Decimal, Step};

use super::oracle::{self, minor_units};
use super::{B2B, B2C, currency, decimal, tax_id};

fn modes() -> impl Strategy<Value = CalculationMode> {
    select(vec![B2B, B2C])
}

fn currencies() -> impl Strategy<Value = Currency> {
    select(["EUR", "JPY", "KWD", "CLF"].map(currency).to_vec())
}

fn decimals(most: i64, scales: std::ops::RangeInclusive<u8>) -> impl Strategy<Value = Decimal> {
    let digits = prop_oneof![4 => -most..=most, 1 => -20_i64..=20];
    (digits, scales).prop_map(|(units, scale)| Decimal::new(units, scale))
}

fn discounts() -> impl Strategy<Value = Vec<Discount>> {
    let percent = (0_i64..=4_000).prop_map(|n| (Decimal::new(n, 2), DiscountKind::Percent));
    let round = select(vec!["0", "10", "25", "50", "100"])
        .prop_map(|text| (decimal(text), DiscountKind::Percent));
    let amount = (0_i64..=20_000, 0_u8..=4)
        .prop_map(|(n, scale)| (Decimal::new(n, scale), DiscountKind::Amount));
    let one = prop_oneof![4 => percent, 1 => round, 2 => amount];
    let one = one.prop_map(|(value, kind)| Discount { value, kind });
    prop_oneof![2 => Just(Vec::new()), 3 => vec(one, 0..=5)]
}

fn taxes() -> impl Strategy<Value = Vec<LineTax>> {
    let rates = ["0", "0.5", "5", "9.5", "13", "19", "22", "25", "33.3333", "100"].map(decimal);
    let ids = [None, tax_id(1), tax_id(2)];
    let one = (select(ids.to_vec()), select(rates.to_vec()), prop::bool::weighted(0.2));
    let one =
        one.prop_map(|(tax_id, rate, reverse_charge)| LineTax { tax_id, rate, reverse_charge });
    vec(one, 0..=4).prop_map(|mut taxes| {
        let all = taxes.clone();
        let mut n = 0;
        taxes.retain(|tax| {
            n += 1;
            !all[..n - 1].contains(tax)
        });
        taxes
    })
}

fn lines() -> impl Strategy<Value = PricedLine> {
    let price = (decimals(10_000_000, 0..=6), any::<bool>())
        .prop_map(|(price, net)| if net { UnitPrice::Net(price) } else { UnitPrice::Gross(price) });
    (decimals(100_000, 0..=4), price, discounts(), taxes()).prop_map(
        |(quantity, price, discounts, taxes)| PricedLine { quantity, price, discounts, taxes },
    )
}

/// Lines whose discounts stay within them in `mode`.
fn valid(lines: Vec<PricedLine>, mode: CalculationMode) -> Vec<PricedLine> {
    let within = |line: &PricedLine| oracle::line(line, mode, 2).is_some();
    lines.into_iter().filter(within).collect()
}

/// A document of valid lines, its mode and its currency.
fn documents() -> impl Strategy<Value = (Vec<PricedLine>, CalculationMode, Currency)> {
    (vec(lines(), 1..12), modes(), currencies())
        .prop_map(|(lines, mode, currency)| (valid(lines, mode), mode, currency))
}

fn inputs(lines: &[PricedLine]) -> Vec<LineInput> {
    super::priced(lines.iter().cloned())
}

fn plain(lines: &[PricedLine], mode: CalculationMode, currency: Currency) -> Calculated {
    calculate(&inputs(lines), mode, currency, None).unwrap()
}

fn sum_of_amounts(taxes: &[SummaryTax]) -> Decimal {
    taxes.iter().map(|tax| &tax.amount).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_figure_agrees_with_the_oracle(
        lines in vec(lines(), 0..8), mode in modes(), currency in currencies(),
    ) {
        let decimals = currency.decimals();
        let expected: Vec<_> = lines.iter().map(|l| oracle::line(l, mode, decimals)).collect();
        let refused = expected.iter().enumerate().filter(|(_, line)| line.is_none());
        let refused: Vec<usize> = refused.map(|(n, _)| n).collect();
        match calculate(&inputs(&lines), mode, currency, None) {
            Ok(calculated) => {
                prop_assert_eq!(refused, Vec::<usize>::new());
                agrees(&calculated, &lines, &expected.into_iter().flatten().collect::<Vec<_>>(),
                    decimals)?;
            }
            Err(CalculationError::Invalid(issues)) => {
                let named: Vec<_> = issues.iter().map(|issue| issue.path.clone()).collect();
                let paths: Vec<_> = refused
                    .into_iter()
                    .map(|n| vec![Step::from("items"), Step::Index(n), Step::from("discounts")])
                    .collect();
                prop_assert_eq!(named, paths);
                for issue in issues.iter() {
                    prop_assert_eq!(issue.code, "discount_exceeds_line_total");
                }
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn the_document_is_the_sum_of_its_lines_and_their_taxes(
        (lines, mode, currency) in documents(),
    ) {
        let calculated = plain(&lines, mode, currency);
        let figures: Vec<_> = calculated.lines.iter().flatten().collect();
        let sum = |of: fn(&racun_documents::calculation::CalculatedLine) -> &Decimal| {
            figures.iter().map(|line| of(line)).sum::<Decimal>()
        };
        prop_assert_eq!(&calculated.total, &sum(|line| &line.total));
        prop_assert_eq!(&calculated.total_with_tax, &sum(|line| &line.total_with_tax));
        prop_assert_eq!(&calculated.total_discount, &sum(|line| &line.discount));
        let taxed = &calculated.total + &sum_of_amounts(&calculated.taxes);
        prop_assert_eq!(&calculated.total_with_tax, &taxed);
        for line in figures {
            let taxed = &line.total + &line.taxes.iter().sum();
            prop_assert_eq!(&line.total_with_tax, &taxed);
        }
    }

    #[test]
    fn the_order_of_lines_changes_no_figure(
        (lines, mode, currency) in documents(), seed in any::<prop::sample::Index>(),
    ) {
        let mut turned = lines.clone();
        if !turned.is_empty() {
            turned.rotate_left(seed.index(lines.len()));
            turned.reverse();
        }
        let by_group = |calculated: &Calculated| {
            let entry = |tax: &SummaryTax| {
                ((tax.tax_id, tax.rate.clone(), tax.reverse_charge), tax.clone())
            };
            calculated.taxes.iter().map(entry).collect::<BTreeMap<_, _>>()
        };
        let (one, other) = (plain(&lines, mode, currency), plain(&turned, mode, currency));
        prop_assert_eq!(&one.total, &other.total);
        prop_assert_eq!(&one.total_with_tax, &other.total_with_tax);
        prop_assert_eq!(&one.total_discount, &other.total_discount);
        prop_assert_eq!(by_group(&one), by_group(&other));
        prop_assert_eq!(one.taxes.len(), other.taxes.len());
    }

    #[test]
    fn a_gross_price_without_discount_is_what_the_customer_pays(
        line in lines(), mode in modes(), currency in currencies(),
    ) {
        let (UnitPrice::Net(price) | UnitPrice::Gross(price)) = line.price;
        let pays = currency.round(&(&price * &line.quantity));
        let line = PricedLine { price: UnitPrice::Gross(price), discounts: Vec::new(), ..line };
        let calculated = plain(&[line], mode, currency);
        prop_assert_eq!(&calculated.total_with_tax, &pays);
        prop_assert!(calculated.total_discount.is_zero());
    }

    #[test]
    fn a_return_mirrors_the_sale((lines, mode, currency) in documents()) {
        let returned: Vec<_> = lines
            .iter()
            .map(|line| PricedLine { quantity: -&line.quantity, ..line.clone() })
            .collect();
        let (sale, back) = (plain(&lines, mode, currency), plain(&returned, mode, currency));
        prop_assert_eq!(back.total, -&sale.total);
        prop_assert_eq!(back.total_with_tax, -&sale.total_with_tax);
        prop_assert_eq!(back.total_discount, -&sale.total_discount);
        for (sold, taken) in sale.taxes.iter().zip(&back.taxes) {
            prop_assert_eq!(&taken.amount, &-&sold.amount);
            prop_assert_eq!(&taken.base, &-&sold.base);
        }
    }

    #[test]
    fn an_expected_total_within_the_tolerance_is_the_total(
        (lines, mode, currency) in documents(), units in -14_i64..=14,
    ) {
        let calculated = plain(&lines, mode, currency);
        let difference = Decimal::new(units, currency.decimals());
        let expected = &calculated.total_with_tax + &difference;
        let answer = calculate(&inputs(&lines), mode, currency, Some(&expected));
        if units.unsigned_abs() > u64::try_from(lines.len().max(5)).unwrap() {
            prop_assert!(matches!(answer, Err(CalculationError::ExpectedTotalMismatch(_))));
            return Ok(());
        }
        let corrected = answer.unwrap();
        prop_assert_eq!(&corrected.total_with_tax, &expected);
        prop_assert_eq!(&corrected.rounding_correction, &Some(difference));
        prop_assert_eq!(&corrected.lines, &calculated.lines);
        let taxed = &corrected.total + &sum_of_amounts(&corrected.taxes);
        prop_assert_eq!(&corrected.total_with_tax, &taxed);
        for tax in corrected.taxes.iter().filter(|t| t.reverse_charge || t.rate.is_zero()) {
            prop_assert!(tax.amount.is_zero());
        }
    }
}

fn agrees(
    calculated: &Calculated,
    lines: &[PricedLine],
    expected: &[oracle::Line],
    decimals: u8,
) -> Result<(), TestCaseError> {
    let units = |amount: &Decimal| minor_units(amount, decimals);
    let figures = calculated.lines.iter().flatten().map(|line| oracle::Line {
        total: units(&line.total),
        total_with_tax: units(&line.total_with_tax),
        discount: units(&line.discount),
        taxes: line.taxes.iter().map(units).collect(),
    });
    prop_assert_eq!(figures.collect::<Vec<_>>(), expected);
    let groups = calculated.taxes.iter().map(|group| {
        let tax = LineTax {
            tax_id: group.tax_id,
            rate: group.rate.clone(),
            reverse_charge: group.reverse_charge,
        };
        (format!("{tax:?}"), (units(&group.base), units(&group.amount)))
    });
    prop_assert_eq!(groups.collect::<BTreeMap<_, _>>(), oracle::groups(lines.iter().zip(expected)));
    Ok(())
}
