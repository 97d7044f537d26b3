//! What is refused, where, and with which code; and the expected total.

use racun_documents::calculation::{
    Calculated, CalculationError, CalculationMode, LineInput, MAX_TOTAL, MIN_TOTAL, PricedLine,
    calculate, fits_total,
};
use racun_kernel::{Currency, Decimal, Issues};

use super::{B2B, B2C, Say, currency, decimal, gross, net, priced};

/// `items[1].discounts out_of_range` and the like.
fn told(issues: &Issues) -> Vec<String> {
    let tell = |issue: &racun_kernel::Issue| {
        let shown = issue.to_string();
        let path = shown.strip_suffix(&issue.message).unwrap().trim_end_matches(": ");
        format!("{path} {}", issue.code)
    };
    issues.iter().map(tell).collect()
}

/// The issues of a document whose second line is `line`, behind a separator.
#[track_caller]
fn check(mode: CalculationMode, line: PricedLine, expected: &[&str]) {
    let lines = [LineInput::Separator, LineInput::Priced(line)];
    match calculate(&lines, mode, Currency::EUR, None) {
        Err(CalculationError::Invalid(issues)) => assert_eq!(told(&issues), expected),
        other => panic!("{other:?}"),
    }
}

#[test]
fn discounts_above_their_line_are_refused_and_not_clamped() {
    let refused = &["items[1].discounts discount_exceeds_line_total"];
    for mode in [B2B, B2C] {
        check(mode, net("1", "10").amount("10.01"), refused);
        check(mode, net("-1", "10").amount("10.01"), refused);
        check(mode, net("1", "10").percent("100.01"), refused);
        check(mode, net("1", "0").amount("0.01"), refused);
        check(mode, net("1", "0").percent("101"), refused);
        check(mode, net("1", "0.335").amount("0.34"), refused);
    }
    check(B2B, net("1", "10").percent("60").percent("60"), refused);
    check(B2B, net("1", "10").percent("50").amount("5.01"), refused);
    // Too high a discount is refused, even if a later percentage would bring the total back to
    // zero.
    check(B2C, gross("1", "10").amount("11").percent("100"), refused);
}

#[test]
fn a_line_holds_five_discounts_and_ten_taxes() {
    let mut line = net("1", "10");
    for n in 0..5 {
        line = line.percent("1").tax(&format!("{n}"));
    }
    let calculated = super::in_euros(B2B, [line.clone()]).unwrap();
    assert_eq!(calculated.total_discount, decimal("0.5"));
    check(B2B, line.clone().percent("1"), &["items[1].discounts too_many"]);
    for n in 5..10 {
        line = line.tax(&format!("{n}"));
    }
    assert_eq!(super::in_euros(B2B, [line.clone()]).unwrap().taxes.len(), 10);
    check(B2B, line.tax("10"), &["items[1].taxes too_many"]);
}

#[test]
fn values_out_of_range_are_named_one_by_one() {
    let line = net("1", "10").percent("1").amount("-0.01").tax("22").tax("-1").tax("100.5");
    let expected = &[
        "items[1].discounts[1].value out_of_range",
        "items[1].taxes[1].rate out_of_range",
        "items[1].taxes[2].rate out_of_range",
    ];
    check(B2C, line, expected);
    check(B2B, net("1", "10").tax("22").tax("22.0"), &["items[1].taxes[1] duplicate_tax"]);
}

#[test]
fn a_tax_may_stand_beside_its_reverse_charge() {
    let calculated = super::in_euros(B2B, [net("1", "10").tax("22").reverse("22")]).unwrap();
    assert_eq!(calculated.taxes.len(), 2);
}

#[test]
fn all_lines_issues_are_reported_at_once() {
    let lines = priced([net("1", "10").amount("11"), net("1", "1"), net("1", "10").tax("101")]);
    let refused = calculate(&lines, B2B, Currency::EUR, Some(&decimal("21.001")));
    let Err(CalculationError::Invalid(issues)) = refused else { panic!("{refused:?}") };
    let expected = [
        "items[0].discounts discount_exceeds_line_total",
        "items[2].taxes[0].rate out_of_range",
        "expected_total_with_tax too_many_decimals",
    ];
    assert_eq!(told(&issues), expected);
}

#[test]
fn totals_stay_within_two_to_the_47th() {
    for (text, fits) in [
        ("140737488355327", true),
        ("140737488355327.01", false),
        ("-140737488355328", true),
        ("-140737488355328.01", false),
    ] {
        assert_eq!(fits_total(&decimal(text)), fits, "{text}");
    }
    let (highest, lowest) = (MAX_TOTAL.to_string(), MIN_TOTAL.to_string());
    let most = super::in_euros(B2B, [net("1", &highest)]).unwrap();
    assert_eq!(most.total, decimal(&highest));
    let least = super::in_euros(B2B, [net("1", &lowest)]).unwrap();
    assert_eq!(least.total_with_tax, decimal(&lowest));
    check(B2B, net("2", &highest), &["items[1] out_of_range"]);
    check(B2B, net("1", &highest).tax("1"), &["items[1] out_of_range"]);
    check(B2B, net("2", &highest).percent("100"), &["items[1] out_of_range"]);
    // Fifteen digits on either side: far beyond 128 bits before it is refused.
    let huge = "999999999999999.9999999999";
    check(B2C, net(huge, huge).tax("99.9999999999"), &["items[1] out_of_range"]);

    let refused = super::in_euros(B2B, [net("1", &highest), net("1", "0.01")]);
    let Err(CalculationError::Invalid(issues)) = refused else { panic!("{refused:?}") };
    assert_eq!(told(&issues), ["items out_of_range"]);
}

#[test]
fn an_expected_total_cannot_lift_a_total_out_of_range() {
    let lines = priced([net("1", &MAX_TOTAL.to_string())]);
    let expected = &decimal(&MAX_TOTAL.to_string()) + &decimal("0.01");
    let refused = calculate(&lines, B2B, Currency::EUR, Some(&expected));
    let Err(CalculationError::Invalid(issues)) = refused else { panic!("{refused:?}") };
    assert_eq!(told(&issues), ["items out_of_range"]);
}

fn expecting(
    code: &str,
    lines: &[LineInput],
    expected: &str,
) -> Result<Calculated, CalculationError> {
    calculate(lines, B2B, currency(code), Some(&decimal(expected)))
}

#[test]
fn the_tolerance_is_a_minor_unit_per_line_and_at_least_five() {
    for (code, lines, within, beyond) in [
        ("EUR", 1, "0.05", "0.06"),
        ("EUR", 5, "0.05", "0.06"),
        ("EUR", 7, "0.07", "0.08"),
        ("JPY", 1, "5", "6"),
        ("JPY", 6, "6", "7"),
        ("KWD", 6, "0.006", "0.007"),
    ] {
        let mut input = priced((0..lines).map(|_| net("1", "100").tax("25")));
        input.push(LineInput::Separator);
        let total = Decimal::from(125 * lines);
        for (difference, accepted) in [(within, true), (beyond, false)] {
            for difference in [decimal(difference), -&decimal(difference)] {
                let expected = &total + &difference;
                let answer = expecting(code, &input, &expected.to_string());
                let correction = answer.map(|calculated| calculated.rounding_correction);
                let told = format!("{code} {lines} {difference} {correction:?}");
                assert_eq!(correction.is_ok(), accepted, "{told}");
                if accepted {
                    assert_eq!(correction.unwrap(), Some(difference), "{told}");
                }
            }
        }
    }
}

#[test]
fn a_mismatch_tells_all_figures() {
    let refused = expecting("EUR", &priced([net("1", "100").tax("22")]), "121.5");
    let Err(CalculationError::ExpectedTotalMismatch(mismatch)) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(mismatch.expected, decimal("121.5"));
    assert_eq!(mismatch.calculated, decimal("122"));
    assert_eq!(mismatch.difference, decimal("-0.5"));
    assert_eq!(mismatch.tolerance, decimal("0.05"));
    assert!(mismatch.to_string().contains("expected_total_with_tax is 121.5"), "{mismatch}");
}

/// Total and tax amounts when `lines` are expected to come to `expected`.
#[track_caller]
fn check_correction(lines: &[PricedLine], expected: &str, total: &str, amounts: &[&str]) {
    let lines = priced(lines.iter().cloned());
    let plain = calculate(&lines, B2B, Currency::EUR, None).unwrap();
    let corrected = expecting("EUR", &lines, expected).unwrap();
    assert_eq!(corrected.total_with_tax, decimal(expected));
    assert_eq!(corrected.total, decimal(total));
    let found: Vec<_> = corrected.taxes.iter().map(|tax| tax.amount.to_string()).collect();
    assert_eq!(found, amounts);
    assert_eq!(corrected.lines, plain.lines);
    assert_eq!(corrected.total_discount, plain.total_discount);
}

#[test]
fn the_largest_charged_tax_takes_the_correction() {
    let two = [net("1", "100").tax("9.5"), net("1", "100").tax("22")];
    check_correction(&two, "231.52", "200", &["9.5", "22.02"]);
    check_correction(&two, "231.50", "200", &["9.5", "22"]);
    let equals = [net("1", "100").tax("10"), net("2", "100").tax("5")];
    check_correction(&equals, "319.97", "300", &["9.97", "10"]);
    let returned = [net("1", "100").tax("9.5"), net("-1", "100").tax("22")];
    check_correction(&returned, "-12.51", "0", &["9.5", "-22.01"]);
}

#[test]
fn the_total_takes_the_correction_when_no_tax_is_charged() {
    check_correction(&[net("1", "100")], "99.99", "99.99", &[]);
    let uncharged = [net("1", "100").reverse("22"), net("1", "100").tax("0")];
    check_correction(&uncharged, "200.01", "200.01", &["0", "0"]);
}
