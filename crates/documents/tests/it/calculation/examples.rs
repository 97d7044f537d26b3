//! Worked examples: those of the specification by their letters, and one for each decided question.

use racun_documents::calculation::{
    CalculationMode, Discount, DiscountKind, LineInput, PricedLine, calculate,
};
use racun_kernel::{Currency, Decimal};

use super::{B2B, B2C, Say, currency, decimal, gross, in_euros, net, priced, tax_id};

/// Total, tax, total with tax and discount of the document.
#[track_caller]
fn check<const N: usize>(mode: CalculationMode, lines: [PricedLine; N], figures: [&str; 4]) {
    let calculated = in_euros(mode, lines).unwrap();
    let tax: Decimal = calculated.taxes.iter().map(|tax| &tax.amount).sum();
    let found = [calculated.total, tax, calculated.total_with_tax, calculated.total_discount];
    assert_eq!(found, figures.map(decimal));
    assert_eq!(calculated.rounding_correction, None);
}

/// Amounts of a single line's taxes.
#[track_caller]
fn check_taxes<const N: usize>(mode: CalculationMode, line: PricedLine, amounts: [&str; N]) {
    let calculated = in_euros(mode, [line]).unwrap();
    assert_eq!(calculated.lines[0].as_ref().unwrap().taxes, amounts.map(decimal));
}

#[test]
fn the_guides_worked_example_comes_out() {
    let line = net("2", "100").percent("10").tax("22");
    check(B2B, [line], ["180.00", "39.60", "219.60", "20.00"]);
}

#[test]
fn a_net_lines_tax_is_computed_of_its_total() {
    check(B2B, [net("40", "150").tax("22")], ["6000", "1320", "7320", "0"]);
}

#[test]
fn b_a_document_is_the_sum_of_its_lines() {
    let lines = [net("40", "150").tax("22"), net("1", "2500").tax("22")];
    check(B2B, lines, ["8500", "1870", "10370", "0"]);
}

#[test]
fn c_b2b_percentages_add_up() {
    let line = net("2", "100").percent("10").percent("5").tax("22");
    check(B2B, [line], ["170", "37.40", "207.40", "30"]);
}

#[test]
fn d_a_gross_lines_discount_is_reported_net() {
    let line = gross("3", "12.20").percent("10").tax("22");
    check(B2B, [line], ["27", "5.94", "32.94", "3"]);
}

#[test]
fn e_b2c_percentages_apply_to_what_the_earlier_ones_left() {
    let line = gross("1", "100").percent("10").percent("10").tax("22");
    check(B2C, [line], ["66.39", "14.61", "81", "15.57"]);
}

#[test]
fn f_b2b_percentages_of_a_gross_price_add_up() {
    let line = gross("1", "100").percent("10").percent("10").tax("22");
    check(B2B, [line], ["65.57", "14.43", "80", "16.39"]);
}

#[test]
fn g_each_line_is_rounded_before_the_document_adds_up() {
    let line = || net("1", "0.335").tax("22");
    check(B2B, [line(), line(), line()], ["1.02", "0.21", "1.23", "0"]);
}

#[test]
fn h_a_gross_price_keeps_its_gross() {
    check(B2B, [gross("1", "9.99").tax("9.5")], ["9.12", "0.87", "9.99", "0"]);
}

#[test]
fn b2c_makes_a_net_price_gross_unrounded_and_takes_gross_amounts_off() {
    // 3 × 10.005 × 1.22 = 36.6183, less 6.10 gross, which is 5.00 net.
    let line = || net("3", "10.005").amount("6.10").tax("22");
    check(B2C, [line()], ["25.02", "5.50", "30.52", "5"]);
    // The same amount is net in b2b: 30.015 − 6.10 = 23.915.
    check(B2B, [line()], ["23.92", "5.26", "29.18", "6.10"]);
}

#[test]
fn b2b_percentages_ignore_amounts_that_stand_before_them() {
    let line = || gross("1", "100").amount("50").percent("10");
    check(B2B, [line()], ["40", "0", "40", "60"]);
    check(B2C, [line()], ["45", "0", "45", "55"]);
}

#[test]
fn several_taxes_stand_on_one_net_base() {
    check_taxes(B2B, net("1", "10.05").tax("22").tax("5"), ["2.21", "0.50"]);
    // 127 gross holds 100 net.
    check_taxes(B2B, gross("1", "127").tax("22").tax("5"), ["22", "5"]);
}

#[test]
fn the_last_charged_tax_takes_the_remainder_of_a_gross_price() {
    // 1.00 holds 0.79 net and 0.21 tax: 0.17111… at 22 and 0.03888… at 5 percent.
    check_taxes(B2B, gross("1", "1").tax("22").tax("5"), ["0.17", "0.04"]);
    check_taxes(B2B, gross("1", "1").tax("5").tax("22"), ["0.04", "0.17"]);
    // 0.10 holds 0.08 net and 0.02 tax, 0.00666… each.
    let thirds = gross("1", "0.10").tax("10").tax("10.0001").tax("9.9999");
    check_taxes(B2C, thirds, ["0.01", "0.01", "0"]);
    check_taxes(B2B, gross("1", "1").tax("22").tax("5").tax("0"), ["0.17", "0.04", "0"]);
    check_taxes(B2B, gross("1", "1").tax("22").tax("5").reverse("9"), ["0.17", "0.04", "0"]);
}

#[test]
fn under_reverse_charge_nothing_is_charged_and_gross_is_net() {
    for mode in [B2B, B2C] {
        for line in [net("2", "50").reverse("22"), gross("2", "50").reverse("22")] {
            let calculated = in_euros(mode, [line]).unwrap();
            assert_eq!(calculated.total, decimal("100"));
            assert_eq!(calculated.total_with_tax, decimal("100"));
            let [tax] = &calculated.taxes[..] else { panic!("one group") };
            assert!(tax.reverse_charge && tax.amount.is_zero());
            assert_eq!((&tax.base, &tax.rate), (&decimal("100"), &decimal("22")));
        }
    }
}

#[test]
fn discounts_of_a_return_lower_its_magnitude() {
    for line in [net("-2", "100").percent("10"), net("2", "-100").amount("20")] {
        check(B2B, [line.tax("22")], ["-180", "-39.60", "-219.60", "-20"]);
    }
    check(B2C, [gross("-1", "100").amount("10").percent("10")], ["-81", "0", "-81", "-19"]);
}

#[test]
fn a_discount_may_take_the_whole_line() {
    check(B2B, [net("2", "50").percent("60").amount("40").tax("22")], ["0", "0", "0", "100"]);
    check(B2C, [gross("1", "122").percent("100").amount("0").tax("22")], ["0", "0", "0", "100"]);
    check(B2B, [net("1", "0").percent("100")], ["0", "0", "0", "0"]);
}

#[test]
fn b2c_percentages_may_add_up_to_more_than_the_whole() {
    check(B2C, [gross("1", "100").percent("60").percent("60")], ["16", "0", "16", "84"]);
}

#[test]
fn currencies_round_to_their_own_minor_unit() {
    for (code, total, tax) in
        [("JPY", "334", "73"), ("EUR", "333.5", "73.37"), ("KWD", "333.5", "73.37")]
    {
        let line = priced([net("1", "333.5").tax("22")]);
        let calculated = calculate(&line, B2B, currency(code), None).unwrap();
        assert_eq!(calculated.total, decimal(total), "{code}");
        assert_eq!(calculated.taxes[0].amount, decimal(tax), "{code}");
    }
}

#[test]
fn taxes_group_by_id_rate_and_reverse_charge_in_order_of_appearance() {
    let tax_id = tax_id(1);
    let mut catalogued = net("1", "100").tax("9.5");
    catalogued.taxes[0].tax_id = tax_id;
    let lines = [
        net("1", "10").tax("22"),
        net("1", "20").reverse("22"),
        catalogued,
        net("1", "40").tax("22.0"),
        net("1", "80").tax("9.5"),
        net("1", "7"),
    ];
    let calculated = in_euros(B2B, lines).unwrap();
    let groups: Vec<_> = calculated
        .taxes
        .iter()
        .map(|tax| (tax.tax_id, tax.reverse_charge, tax.base.to_string(), tax.amount.to_string()))
        .collect();
    let group = |tax_id, reverse_charge, base: &str, amount: &str| {
        (tax_id, reverse_charge, base.to_owned(), amount.to_owned())
    };
    let expected = [
        group(None, false, "50", "11"),
        group(None, true, "20", "0"),
        group(tax_id, false, "100", "9.5"),
        group(None, false, "80", "7.6"),
    ];
    assert_eq!(groups, expected);
}

#[test]
fn separators_keep_their_place_and_count_nothing() {
    let line = LineInput::Priced(net("1", "10").tax("22"));
    let lines = [LineInput::Separator, line, LineInput::Separator];
    let calculated = calculate(&lines, B2B, Currency::EUR, None).unwrap();
    assert_eq!(calculated.total, decimal("10"));
    assert_eq!(
        calculated.lines.iter().map(Option::is_some).collect::<Vec<_>>(),
        [false, true, false]
    );
}

#[test]
fn no_lines_come_to_nothing() {
    check(B2C, [], ["0", "0", "0", "0"]);
}

#[test]
fn stored_names_are_the_specifications() {
    let text = |value: serde_json::Value| value.to_string();
    assert_eq!(text(serde_json::to_value(B2B).unwrap()), r#""b2b_standard""#);
    assert_eq!(text(serde_json::to_value(B2C).unwrap()), r#""b2c_gross_discount""#);
    let discount = Discount { value: decimal("29.90"), kind: DiscountKind::Amount };
    let stored = serde_json::to_string(&discount).unwrap();
    assert_eq!(stored, r#"{"value":29.9,"kind":"amount"}"#);
    assert_eq!(serde_json::from_str::<Discount>(&stored).unwrap(), discount);
}
