//! What a certified program refuses, each rule at its limit.

use racun_kernel::{Decimal, PaymentType};
use racun_portugal::restrictions::{
    Change, Ending, Original, RuledLine, RuledTax, check_change, check_country, check_credit,
    check_credited_quantities, check_draft, check_lines, check_locale, check_output,
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

#[test]
fn no_more_is_given_back_than_was_sold() {
    let sold = [("Pão", decimal("2")), ("Pão", decimal("1")), ("Bolo", decimal("1"))];
    let sold: Vec<_> = sold.iter().map(|(name, quantity)| (*name, quantity)).collect();
    for (credited, expected) in [
        (&[("Pão", "3"), ("Bolo", "0.5")][..], &[][..]),
        (&[("Pão", "1"), ("Desconto", "7"), ("Pão", "2.001")], &["items[2].quantity"]),
        (&[("Bolo", "2"), ("Pão", "4")], &["items[0].quantity", "items[1].quantity"]),
    ] {
        let credited: Vec<_> =
            credited.iter().map(|(name, count)| (*name, decimal(count))).collect();
        let lines = credited.iter().map(|(name, quantity)| (*name, quantity)).enumerate();
        let found = check_credited_quantities(lines, &sold);
        let found = found.err().map(|issues| said(&issues.into())).unwrap_or_default();
        let expected: Vec<String> =
            expected.iter().map(|path| format!("{path}: quantity_exceeds_original")).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_voided_document_takes_no_credit_note_and_a_credited_one_is_not_voided() {
    let number: Number = "FT 2026A/1".parse().unwrap();
    let original =
        |is_voided: bool, is_rectified: bool| Original { number: &number, is_voided, is_rectified };
    assert_eq!(check_credit(Some(&original(false, true))), Ok(()));
    assert_eq!(said(&check_credit(None).unwrap_err()), ["linked_documents: required"]);
    let voided = check_credit(Some(&original(true, false))).unwrap_err();
    assert_eq!(said(&voided), ["pt_document_voided"]);
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
