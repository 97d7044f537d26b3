//! What may be left unfiscalized.

use racun_fiscal::{Authority, may_skip};
use racun_kernel::PaymentType;
use time::macros::date;

use crate::world::{group, read, text};

#[test]
fn the_scope_by_means_of_payment_is_the_known_one() {
    let file = read("furs.json");
    for vector in group(&file, "vectors", "payment_scope") {
        let means: Vec<PaymentType> = vector["payment_means"]
            .as_array()
            .unwrap()
            .iter()
            .map(|means| match means.as_str().unwrap() {
                "cheque" => PaymentType::Check,
                "voucher" => PaymentType::Coupon,
                _ => serde_json::from_value(means.clone()).unwrap(),
            })
            .collect();
        let required = vector["fiscal_verification_required"].as_bool().unwrap();
        let skips = may_skip(Authority::Furs, date!(2026 - 11 - 20), &means, false);
        assert_eq!(skips, !required, "{}", text(vector, "id"));
    }
}

#[test]
fn in_slovenia_only_what_is_paid_by_transfer_or_not_yet_paid_may_be_left_out() {
    let day = date!(2026 - 11 - 20);
    assert!(may_skip(Authority::Furs, day, &[], false));
    for means in PaymentType::ALL {
        let is_transfer = means == PaymentType::BankTransfer;
        for paid in
            [&[means][..], &[means, PaymentType::BankTransfer], &[PaymentType::BankTransfer, means]]
        {
            assert_eq!(may_skip(Authority::Furs, day, paid, false), is_transfer, "{paid:?}");
            assert!(!may_skip(Authority::Furs, day, paid, true), "{paid:?}");
        }
    }
    assert!(!may_skip(Authority::Furs, day, &[], true));
}

#[test]
fn in_croatia_nothing_may_be_left_out_since_2026() {
    for means in PaymentType::ALL {
        let skips = |day| may_skip(Authority::Fina, day, &[means], false);
        assert!(!skips(date!(2026 - 01 - 01)), "{means:?}");
        assert_eq!(skips(date!(2025 - 12 - 31)), means == PaymentType::BankTransfer, "{means:?}");
        assert!(skips(date!(2012 - 12 - 31)), "{means:?}");
    }
    assert!(!may_skip(Authority::Fina, date!(2026 - 11 - 20), &[], false));
    assert!(may_skip(Authority::Furs, date!(2016 - 01 - 01), &[PaymentType::Cash], true));
}
