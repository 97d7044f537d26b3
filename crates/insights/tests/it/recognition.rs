//! Revenue over time.

use proptest::prelude::*;
use racun_insights::{RecognitionReport, Spread, check_report};
use racun_kernel::{Currency, Decimal};
use time::{Date, Duration};

use crate::world::{date, decimal};

fn spread(amount: &str, from: &str, to: &str) -> Spread {
    Spread {
        from: date(from),
        to: date(to),
        ..Spread::at_once(decimal(amount), Currency::EUR, date("2026-01-01"))
    }
}

/// 100 × 31 ÷ 90 = 34.44, 100 × 28 ÷ 90 = 31.11, and 34.45 is left.
#[test]
fn months_have_their_share_and_the_last_one_takes_the_rest() {
    let quarter = spread("100", "2026-01-01", "2026-03-31");
    let amounts: Vec<String> =
        quarter.slices().iter().map(|slice| slice.amount.to_string()).collect();
    assert_eq!(amounts, ["34.44", "31.11", "34.45"]);
    let standing = quarter.at(date("2026-02-28"));
    assert_eq!((standing.recognized, standing.deferred), (decimal("65.55"), decimal("34.45")));
}

/// What is recognised on each day of a service.
fn by_day(spread: &Spread) -> Vec<String> {
    let mut day = spread.from;
    let mut found = Vec::new();
    while day <= spread.to {
        let (before, after) = (spread.at(day - Duration::DAY), spread.at(day));
        found.push((&after.recognized - &before.recognized).to_string());
        day += Duration::DAY;
    }
    found
}

/// Each day has 100 ÷ 3 = 33.33, 10 ÷ 7 = 1.43 or 100 ÷ 90 = 1.11, and the last one, of the
/// service or of its month, the rest: of January 34.44 - 30 × 1.11, of March 34.45 - 30 × 1.11.
#[test]
fn days_have_their_share_and_the_last_one_takes_the_rest() {
    let short = spread("100", "2026-01-30", "2026-02-01");
    assert_eq!(by_day(&short), ["33.33", "33.33", "33.34"]);
    assert_eq!(by_day(&spread("-100", "2026-01-10", "2026-01-12")), ["-33.33", "-33.33", "-33.34"]);
    let week = by_day(&spread("10", "2026-03-01", "2026-03-07"));
    assert_eq!(week, ["1.43", "1.43", "1.43", "1.43", "1.43", "1.43", "1.42"]);
    let quarter = by_day(&spread("100", "2026-01-01", "2026-03-31"));
    assert!(quarter[..30].iter().chain(&quarter[59..89]).all(|day| day == "1.11"), "{quarter:?}");
    assert_eq!([&quarter[30], &quarter[89]], ["1.14", "1.15"]);
    let tiny = by_day(&spread("0.05", "2026-04-01", "2026-04-10"));
    assert_eq!(tiny, ["0.01", "0.01", "0.01", "0.01", "0.01", "0", "0", "0", "0", "0"]);
}

/// A credit note of 15 March over January to March: 31 and 28 days, and 15 of March, on its date.
#[test]
fn a_credit_note_leaves_months_that_were_over_as_they_were() {
    let note = Spread {
        invoiced_on: date("2026-03-15"),
        accrues: false,
        ..spread("-90", "2026-01-01", "2026-03-31")
    };
    for (day, recognized, deferred) in
        [("2026-03-14", "0", "0"), ("2026-03-15", "-74", "-16"), ("2026-03-31", "-90", "0")]
    {
        let at = note.at(date(day));
        assert_eq!((at.recognized, at.deferred), (decimal(recognized), decimal(deferred)), "{day}");
        assert!(at.accrued.is_zero());
    }
}

#[test]
fn tiny_amounts_are_never_recognised_beyond_what_there_is() {
    let tiny = spread("0.05", "2026-01-01", "2026-10-31");
    let amounts: Vec<Decimal> = tiny.slices().into_iter().map(|slice| slice.amount).collect();
    assert!(amounts.iter().all(|amount| !amount.is_negative()), "{amounts:?}");
    assert_eq!(amounts.iter().sum::<Decimal>(), decimal("0.05"));
}

#[test]
fn a_report_has_months_groups_and_balances_at_their_ends() {
    let mut report = RecognitionReport::new(date("2026-01-01"), date("2026-03-31"));
    report.add(&spread("90", "2026-01-01", "2026-03-31"), Some("a"));
    let voided =
        Spread { voided_on: Some(date("2026-02-10")), ..spread("59", "2026-01-01", "2026-02-28") };
    report.add(&voided, Some("b"));
    let late =
        Spread { invoiced_on: date("2026-03-01"), ..spread("59", "2026-01-01", "2026-02-28") };
    report.add(&late, Some("c"));
    let rows: Vec<_> = report
        .rows()
        .into_iter()
        .map(|row| {
            let [r, d, a] = [row.recognized, row.deferred, row.accrued].map(|sum| sum.to_string());
            (row.period, row.group.unwrap(), r, d, a)
        })
        .collect();
    let expected = [
        ("2026-01", "a", "31", "59", "0"),
        ("2026-01", "b", "31", "28", "0"),
        ("2026-01", "c", "31", "0", "31"),
        ("2026-02", "a", "28", "31", "0"),
        ("2026-02", "b", "-31", "0", "0"),
        ("2026-02", "c", "28", "0", "59"),
        ("2026-03", "a", "31", "0", "0"),
    ];
    let expected = expected.map(|(period, group, r, d, a)| {
        (period.to_owned(), group.to_owned(), r.to_owned(), d.to_owned(), a.to_owned())
    });
    assert_eq!(rows, expected);
}

#[test]
fn days_that_make_no_report_are_refused() {
    let (a, b) = (date("2026-01-01"), date("2025-12-31"));
    assert_eq!(check_report(a, b).unwrap_err().code, "invalid_period");
    assert_eq!(check_report(a, date("2036-01-01")).unwrap_err().code, "out_of_range");
    assert!(check_report(a, date("2035-12-31")).is_ok());
}

fn any_spread() -> impl Strategy<Value = Spread> {
    let currency = prop_oneof![Just("EUR"), Just("JPY"), Just("KWD")];
    let voided = proptest::option::of(0_i64..900);
    let terms = (0_i64..400, 0_i64..400, 0_i64..500, any::<bool>());
    (-500_000_i64..500_000, currency, terms, voided).prop_map(
        |(units, code, (invoiced, from, length, accrues), voided)| {
            let currency: Currency = code.parse().unwrap();
            let day = |days| date("2026-01-01") + Duration::days(days);
            Spread {
                amount: Decimal::new(units, currency.decimals()),
                currency,
                invoiced_on: day(invoiced),
                from: day(from),
                to: day(from + length),
                voided_on: voided.map(|after| day(invoiced + after)),
                accrues,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Recognised plus deferred is invoiced plus accrued, on every day.
    #[test]
    fn nothing_is_lost_on_any_day(spread in any_spread()) {
        let zero = Decimal::zero();
        let mut before = zero.clone();
        let mut day: Date = date("2025-12-31");
        while day <= spread.to.max(spread.invoiced_on) + Duration::days(2) {
            let at = spread.at(day);
            prop_assert_eq!(&at.recognized + &at.deferred, &at.invoiced + &at.accrued);
            prop_assert!(at.deferred.is_zero() || at.accrued.is_zero());
            prop_assert!(at.recognized.abs() <= spread.amount.abs());
            if day < spread.from.max(spread.invoiced_on) && spread.from >= spread.invoiced_on {
                prop_assert!(at.recognized.is_zero() && at.accrued.is_zero());
            }
            if !spread.accrues {
                prop_assert!(at.accrued.is_zero());
                prop_assert_eq!(&at.recognized + &at.deferred, at.invoiced);
            }
            if spread.voided_on.is_none() {
                prop_assert!(at.recognized.abs() >= before.abs());
            }
            before = at.recognized;
            day += Duration::DAY;
        }
        if spread.voided_on.is_none() {
            let end = spread.at(spread.to.max(spread.invoiced_on));
            prop_assert_eq!((&end.recognized, &end.deferred, &end.accrued),
                (&spread.amount, &zero, &zero));
        }
        let slices: Decimal = spread.slices().iter().map(|slice| &slice.amount).sum();
        prop_assert_eq!(slices, spread.amount.clone());
    }

    /// The months of a report come to what all its days come to.
    #[test]
    fn months_come_to_the_whole(spreads in proptest::collection::vec(any_spread(), 0..6)) {
        let (from, to) = (date("2026-01-15"), date("2028-06-14"));
        let mut report = RecognitionReport::new(from, to);
        let mut expected = Decimal::zero();
        for spread in &spreads {
            report.add(spread, None);
            let (a, b) = (spread.at(from - Duration::DAY), spread.at(to));
            expected += &(&b.recognized - &a.recognized);
        }
        let sum: Decimal = report.rows().iter().map(|row| &row.recognized).sum();
        prop_assert_eq!(sum, expected);
    }
}
