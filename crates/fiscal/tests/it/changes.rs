//! Another means of payment of a Croatian receipt.

use racun_fiscal::fina::{PaymentMeans, WindowClosed, change_window, takes_tips};
use racun_fiscal::{Buyer, Sale, SaleKind};
use racun_kernel::PaymentType;
use time::Duration;
use time::macros::datetime;

use crate::world::{group, header, instant, read, receipt, sale};

#[test]
fn the_window_closes_at_midnight_in_zagreb() {
    let file = read("fina.json");
    for vector in group(&file, "public", "change_window") {
        let result = change_window(instant(vector, "issued_utc"), instant(vector, "now_utc"));
        let expected = match vector["change_allowed"].as_bool().unwrap() {
            true => Ok(()),
            false => Err(WindowClosed::Passed),
        };
        assert_eq!(result, expected, "{vector}");
    }
    // In winter, and issued right after midnight there, when UTC still has the day before.
    let issued = datetime!(2026-11-19 23:00:05 UTC);
    let last = datetime!(2026-11-20 22:59:59.999 UTC);
    assert_eq!(change_window(issued, issued), Ok(()));
    assert_eq!(change_window(issued, last), Ok(()));
    let midnight = last + Duration::MILLISECOND;
    assert_eq!(change_window(issued, midnight), Err(WindowClosed::Passed));
    let before = issued - Duration::SECOND;
    assert_eq!(change_window(issued, before), Err(WindowClosed::NotYetIssued));
}

#[test]
fn tips_are_taken_until_the_end_of_the_second_day_in_zagreb() {
    // Issued right after midnight there, when UTC still has the day before.
    let issued = datetime!(2026-11-19 23:00:05 UTC);
    let midnight = datetime!(2026-11-22 23:00 UTC);
    assert!(takes_tips(issued, issued));
    assert!(takes_tips(issued, midnight - Duration::MILLISECOND));
    assert!(!takes_tips(issued, midnight));
    // In summer midnight comes an hour earlier by UTC.
    let issued = datetime!(2026-07-01 21:59:59 UTC);
    assert!(takes_tips(issued, datetime!(2026-07-03 21:59:59 UTC)));
    assert!(!takes_tips(issued, datetime!(2026-07-03 22:00 UTC)));
}

#[test]
fn a_change_repeats_the_receipt_as_it_was_taken() {
    let buyer = Buyer {
        tax_number: Some("HR55544433328".to_owned()),
        country_code: Some("HR".to_owned()),
        is_end_consumer: false,
    };
    let sold = Sale {
        means: vec![PaymentType::BankTransfer],
        buyer: Some(buyer.clone()),
        ..sale(SaleKind::Invoice, "12.50")
    };
    let taken = receipt(&sold);
    assert_eq!((taken.means, &taken.buyer_oib), (PaymentMeans::T, &None));
    for (means, code, late, oib) in [
        (PaymentMeans::G, "G", false, "55544433328"),
        (PaymentMeans::K, "K", true, "55544433328"),
        (PaymentMeans::O, "O", false, ""),
    ] {
        let xml = taken.change(means, Some(&buyer), late).xml(&header());
        // All between the two tags is the same, but for what is added at its end.
        let between = |xml: &str| {
            let (_, rest) = xml.split_once("<tns:Racun>").unwrap();
            rest.split_once("</tns:Racun>").unwrap().0.to_owned()
        };
        let added = format!(
            "<tns:PromijenjeniNacinPlac>{code}</tns:PromijenjeniNacinPlac>\
             <tns:PromijenjeniOibPrimateljaRacuna>{oib}</tns:PromijenjeniOibPrimateljaRacuna>"
        );
        assert_eq!(between(&xml), between(&taken.xml(&header(), late)) + &added);
    }
}

#[test]
fn a_change_that_is_kept_comes_back_as_it_was() {
    let change = receipt(&sale(SaleKind::CreditNote, "3.10")).change(PaymentMeans::K, None, true);
    let kept = serde_json::to_string(&change).unwrap();
    assert_eq!(serde_json::from_str::<racun_fiscal::fina::Change>(&kept).unwrap(), change);
}
