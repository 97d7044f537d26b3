//! What a certified program refuses, each rule at its limit.

use proptest::prelude::*;
use racun_kernel::{Decimal, PaymentType};
use racun_portugal::restrictions::{
    Change, Ending, GivenBack, Original, Piece, RuledLine, RuledTax, check_change, check_country,
    check_credit, check_credited, check_draft, check_lines, check_locale, check_output,
    check_payments, check_period, check_template, check_void,
};
use racun_portugal::{Code, Number, PortugalRefusal, Region};

use crate::world::{date, decimal, faults, said};

fn fault(result: Result<(), racun_kernel::Issue>) -> Option<String> {
    result.err().map(|issue| faults(&issue.into()).remove(0))
}

#[test]
fn there_are_no_drafts_other_templates_and_languages() {
    assert_eq!(check_draft(false), Ok(()));
    assert_eq!(fault(check_draft(true)).unwrap(), "is_draft: not_in_portugal");
    for (template, fits) in [(None, true), (Some("classic"), true), (Some("modern"), false)] {
        assert_eq!(check_template(template, "pdf_template").is_ok(), fits, "{template:?}");
    }
    for (locale, fits) in
        [(None, true), (Some("pt-PT"), true), (Some("pt"), true), (Some("en-US"), false)]
    {
        assert_eq!(check_locale(locale, "locale").is_ok(), fits, "{locale:?}");
    }
}

#[test]
fn issued_documents_do_not_change_and_others_do_not_go_out() {
    assert_eq!(check_change(Change::Edit, true), Err(PortugalRefusal::Immutable));
    assert_eq!(check_change(Change::Delete, true), Err(PortugalRefusal::NotDeleted));
    assert_eq!(check_change(Change::Edit, false), Ok(()));
    for (country, fits) in
        [(Some("PT"), true), (Some("pt"), true), (Some("ES"), false), (None, false)]
    {
        assert_eq!(check_country(country).is_ok(), fits, "{country:?}");
    }
    assert_eq!(check_output(true), Ok(()));
    assert_eq!(check_output(false), Err(PortugalRefusal::NotSigned));
}

#[test]
fn credit_notes_take_no_payments() {
    let cash = [PaymentType::Cash];
    assert_eq!(check_payments(Code::Ft, &cash), Ok(()));
    assert_eq!(check_payments(Code::Nc, &[]), Ok(()));
    assert_eq!(fault(check_payments(Code::Nc, &cash)).unwrap(), "payments: not_in_portugal");
}

#[test]
fn lines_are_above_zero_and_have_one_tax_of_their_region() {
    let check =
        |quantity: &str, price: &str, discount: &str, total: &str, taxes: &[(&str, bool)]| {
            let (quantity, price) = (decimal(quantity), decimal(price));
            let (discount, total) = (decimal(discount), decimal(total));
            let percents: Vec<Decimal> =
                taxes.iter().map(|(percent, _)| decimal(percent)).collect();
            let tax = |(percent, (_, has)): (_, &(&str, bool))| RuledTax {
                percent,
                exemption_code: has.then_some("M07"),
                exemption_reason: has.then_some("Isento artigo 9.º do CIVA"),
            };
            let line = RuledLine {
                quantity: &quantity,
                price: &price,
                discount_percents: vec![&discount],
                total: &total,
                taxes: percents.iter().zip(taxes).map(tax).collect(),
            };
            let found = check_lines([(0, line)], Region::Mainland, date("2026-11-23"));
            found.map_or_else(|issues| faults(&issues), |()| Vec::new())
        };
    let plain = &[("23", false)][..];
    for (found, expected) in [
        (check("1", "10", "0", "10", plain), &[][..]),
        (check("1", "10", "100", "0", plain), &[]),
        (check("1", "10", "0", "10", &[("0", true)]), &[]),
        (check("-1", "10", "0", "-10", plain), &["items[0].quantity: not_in_portugal"]),
        (check("1", "-10", "0", "-10", plain), &["items[0].price: not_in_portugal"]),
        (check("1", "10", "0", "-1", plain), &["items[0].discounts: not_in_portugal"]),
        (check("1", "10", "100.01", "0", plain), &["items[0].discounts[0].amount: invalid_value"]),
        (check("1", "10", "-1", "10", plain), &["items[0].discounts[0].amount: invalid_value"]),
        (check("1", "10", "0", "10", &[]), &["items[0].taxes: not_in_portugal"]),
        (
            check("1", "10", "0", "10", &[("23", false), ("6", false)]),
            &["items[0].taxes: not_in_portugal"],
        ),
        (
            check("1", "10", "0", "10", &[("22", false)]),
            &["items[0].taxes[0].rate: unknown_tax_rate"],
        ),
        (
            check("1", "10", "0", "10", &[("0", false)]),
            &[
                "items[0].taxes[0].pt_exemption_code: required",
                "items[0].taxes[0].pt_exemption_reason: required",
            ],
        ),
    ] {
        assert_eq!(found, expected);
    }
}

/// Lines as name, rate and quantity.
type Lines<'a> = &'a [(&'a str, &'a str, &'a str)];

/// What is wrong with a note of `credited`, after notes of `earlier`, over a sale of `sold`.
fn faults_of(credited: Lines<'_>, earlier: Lines<'_>, sold: Lines<'_>) -> Vec<String> {
    let of = |lines: Lines<'_>| -> Vec<(String, Decimal, Decimal)> {
        let own = |(name, rate, count): &(&str, &str, &str)| {
            ((*name).to_owned(), decimal(rate), decimal(count))
        };
        lines.iter().map(own).collect()
    };
    let (credited, earlier, sold) = (of(credited), of(earlier), of(sold));
    let earlier: Vec<Piece<'_>> = earlier.iter().map(piece).collect();
    let sold: Vec<Piece<'_>> = sold.iter().map(piece).collect();
    let found = check_credited(credited.iter().map(piece).enumerate(), &earlier, &sold);
    found.err().map(|issues| said(&issues.into())).unwrap_or_default()
}

fn piece((name, percent, quantity): &(String, Decimal, Decimal)) -> Piece<'_> {
    Piece { name, percent, quantity }
}

#[test]
fn no_more_is_given_back_than_was_sold_and_at_no_other_rate() {
    let sold = &[("Pão", "6", "2"), ("Pão", "6", "1"), ("Bolo", "23", "1"), ("Pão", "23", "5")];
    for (credited, earlier, expected) in [
        (&[("Pão", "6.0", "3"), ("Bolo", "23", "0.5")][..], &[][..], &[][..]),
        (
            &[("Pão", "6", "1"), ("Desconto", "6", "7"), ("Pão", "6", "2.001")],
            &[],
            &["items[2].quantity: quantity_exceeds_original"],
        ),
        (
            &[("Bolo", "23", "2"), ("Pão", "6", "4")],
            &[],
            &[
                "items[0].quantity: quantity_exceeds_original",
                "items[1].quantity: quantity_exceeds_original",
            ],
        ),
        (&[("Pão", "6", "1")], &[("Pão", "6", "1"), ("Pão", "6", "1")], &[]),
        (
            &[("Pão", "6", "1.5")],
            &[("Pão", "6", "1"), ("Pão", "6", "1")],
            &["items[0].quantity: quantity_exceeds_original"],
        ),
        (&[("Pão", "23", "5")], &[("Pão", "6", "3")], &[]),
        (&[("Bolo", "6", "1")], &[], &["items[0].taxes[0].rate: rate_not_sold"]),
        (&[("Desconto", "13", "1")], &[], &["items[0].taxes[0].rate: rate_not_sold"]),
        (&[("Desconto", "23", "1")], &[("Desconto", "23", "9")], &[]),
    ] {
        assert_eq!(faults_of(credited, earlier, sold), expected, "{credited:?} {earlier:?}");
    }
}

proptest! {
    #[test]
    fn notes_that_are_accepted_never_give_back_more_than_was_sold(
        sold in pieces(1..6),
        notes in prop::collection::vec(pieces(1..4), 0..12),
    ) {
        let sold: Vec<Piece<'_>> = sold.iter().map(piece).collect();
        let mut given: Vec<Piece<'_>> = Vec::new();
        for note in &notes {
            let lines = note.iter().map(piece).enumerate();
            if check_credited(lines, &given, &sold).is_ok() {
                given.extend(note.iter().map(piece));
            }
            for own in &given {
                let same = |other: &&Piece<'_>| {
                    (other.name, other.percent) == (own.name, own.percent)
                };
                let sum = |of: &[Piece<'_>]| -> Decimal {
                    of.iter().filter(same).map(|own| own.quantity).sum()
                };
                let is_sold = sold.iter().any(|line| line.name == own.name);
                prop_assert!(!is_sold || sum(&given) <= sum(&sold), "{given:?} of {sold:?}");
                prop_assert!(sold.iter().any(|line| line.percent == own.percent));
            }
        }
        // What is left can be given back, and nothing more.
        for own in &sold {
            let same = |other: &&Piece<'_>| (other.name, other.percent) == (own.name, own.percent);
            let sum = |of: &[Piece<'_>]| -> Decimal {
                of.iter().filter(same).map(|own| own.quantity).sum()
            };
            let left = &sum(&sold) - &sum(&given);
            let rest = Piece { quantity: &left, ..*own };
            prop_assert_eq!(check_credited([(0, rest)], &given, &sold), Ok(()));
            let more = &left + &decimal("0.01");
            let more = Piece { quantity: &more, ..*own };
            prop_assert!(check_credited([(0, more)], &given, &sold).is_err());
        }
    }
}

/// Lines of a few names and rates.
fn pieces(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<(String, Decimal, Decimal)>> {
    let name = prop::sample::select(vec!["Pão", "Bolo", "Café"]).prop_map(str::to_owned);
    let rate = prop::sample::select(vec!["23", "6", "0"]).prop_map(decimal);
    let quantity = (1_i64..500).prop_map(|cents| Decimal::new(cents, 2));
    prop::collection::vec((name, rate, quantity), count)
}

#[test]
fn a_voided_document_takes_no_credit_note_and_a_credited_one_is_not_voided() {
    let number: Number = "FT 2026A/1".parse().unwrap();
    let original = |is_voided: bool, is_rectified: bool| Original {
        number: &number,
        is_voided,
        is_rectified,
        receipt: None,
    };
    assert_eq!(said(&check_credit(None).unwrap_err()), ["linked_documents: required"]);
    let credit = |is_voided: bool, [total, given]: [i64; 2]| {
        let (total, given) = (Decimal::new(total, 2), Decimal::new(given, 2));
        check_credit(Some(&GivenBack { number: &number, is_voided, total: &total, given: &given }))
    };
    assert_eq!(said(&credit(true, [1, 0]).unwrap_err()), ["pt_document_voided"]);
    let used_up = "linked_documents: credit_exceeds_remaining";
    assert_eq!(said(&credit(false, [2, 2]).unwrap_err()), [used_up]);
    assert_eq!(credit(false, [2, 1]), Ok(()));
    assert_eq!(credit(false, [0, 0]), Ok(()), "a sale of no value is never used up");
    let limit = "é".repeat(50);
    for (is_voided, is_rectified, reason, expected) in [
        (false, false, None, "reason: required"),
        (false, false, Some(" "), "reason: required"),
        (false, false, Some(&*"é".repeat(51)), "reason: too_long"),
        (true, false, Some("Erro"), "document_voided"),
        (false, true, Some("Erro"), "document_credited"),
    ] {
        let error = check_void(&original(is_voided, is_rectified), reason, true).unwrap_err();
        assert_eq!(said(&error), [expected]);
    }
    let own = original(false, false);
    assert_eq!(check_void(&own, Some(&limit), true), Ok(Ending::Voided));
    assert_eq!(check_void(&own, Some("Erro"), false), Ok(Ending::Credited));
    let paid = Original { receipt: Some("RG 2026A/1"), ..own };
    let refused = check_void(&paid, Some("Erro"), true).unwrap_err();
    assert_eq!(said(&refused), ["pt_receipt_holds"]);
    assert!(refused.to_string().contains("RG 2026A/1"), "{refused}");
    assert_eq!(check_void(&paid, Some("Erro"), false), Ok(Ending::Credited));
}

#[test]
fn a_file_is_of_days_of_one_year() {
    for (from, to, fits) in [
        ("2026-10-01", "2026-10-31", true),
        ("2026-10-01", "2026-10-01", true),
        ("2026-01-01", "2026-12-31", true),
        ("2026-10-02", "2026-10-01", false),
        ("2026-12-01", "2027-01-01", false),
    ] {
        let found = fault(check_period(date(from), date(to)));
        assert_eq!(found, (!fits).then(|| "to: invalid_value".to_owned()), "{from} {to}");
    }
}
