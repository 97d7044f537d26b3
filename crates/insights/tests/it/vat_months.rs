//! Small months, made by hand, with their sums written out.

use racun_insights::{Bought, Sale, Sold, SoldKind, TaxPart, TaxPeriod, VatBook};
use racun_kernel::Classification::{Product, Service};

use crate::world::{date, decimal, part, partner, sold};

fn codes(findings: &racun_insights::Findings) -> Vec<(&'static str, Vec<&str>)> {
    let each = |one: &'static str, documents: Vec<_>| (one, documents);
    findings
        .iter()
        .map(|one| each(one.code, one.documents.iter().map(|named| &*named.number).collect()))
        .collect()
}

/// Sums of the columns, those that are zero left out.
fn sums(book: &VatBook) -> Vec<(u8, String)> {
    let all = (7..=27).map(|column| (column, book.total(column)));
    all.filter(|(_, sum)| !sum.is_zero()).map(|(column, sum)| (column, sum.to_string())).collect()
}

/// P7 is 100 + 50 (22 and 9.5 percent) + 700 exported + 80 to a consumer - 10 given back = 920;
/// P14 is 22 + 17.60 - 2.20 = 37.40; P15 is 4.75; P8 is 1000; P9 is 300; P10 is 400; P27 is
/// 900 of services and 60 of unknown lines.
#[test]
fn what_was_issued_in_a_month() {
    let german = || Some(partner("Käufer GmbH", "DE", "DE136695976"));
    let documents = [
        sold(
            "1",
            "2026-10-01",
            Sale::Domestic,
            vec![part("22", "100", "22", None), part("9.5", "50", "4.75", None)],
        ),
        sold(
            "2",
            "2026-10-02",
            Sale::Domestic,
            vec![TaxPart { reverse_charge: true, ..part("22", "1000", "0", None) }],
        ),
        sold("3", "2026-10-03", Sale::Domestic, vec![part("0", "300", "0", None)]),
        Sold {
            partner: german(),
            ..sold("4", "2026-10-04", Sale::UnionBusiness, vec![part("0", "400", "0", None)])
        },
        sold("5", "2026-10-05", Sale::UnionConsumer, vec![part("22", "80", "17.60", None)]),
        sold("6", "2026-10-06", Sale::Abroad, vec![part("0", "700", "0", Some(Product))]),
        sold("7", "2026-10-07", Sale::Abroad, vec![part("0", "900", "0", Some(Service))]),
        sold("8", "2026-10-08", Sale::Abroad, vec![part("0", "60", "0", None)]),
        Sold {
            kind: SoldKind::CreditNote,
            ..sold("D-1", "2026-10-09", Sale::Domestic, vec![part("22", "10", "2.20", None)])
        },
        Sold {
            is_voided: true,
            ..sold("9", "2026-10-10", Sale::Domestic, vec![part("22", "5", "1.10", None)])
        },
        Sold {
            kind: SoldKind::Advance,
            ..sold("A-1", "2026-10-11", Sale::Domestic, vec![part("22", "20", "4.40", None)])
        },
        Sold {
            is_converted: false,
            ..sold("10", "2026-10-12", Sale::Domestic, vec![part("22", "30", "6.60", None)])
        },
        sold("11", "2026-10-13", Sale::UnionConsumer, vec![part("19", "90", "17.10", None)]),
        sold("12", "2026-10-14", Sale::UnionBusiness, vec![part("0", "0", "0", None)]),
        sold("13", "2026-11-01", Sale::Domestic, vec![part("22", "7", "1.54", None)]),
    ];
    let book = VatBook::issued(TaxPeriod::new(2026, Some(10), None).unwrap(), &documents);
    let expected =
        [(7, "920"), (8, "1000"), (9, "300"), (10, "400"), (14, "37.4"), (15, "4.75"), (27, "960")];
    assert_eq!(sums(&book), expected.map(|(column, sum)| (column, sum.to_owned())));
    assert_eq!(book.rows.len(), 11);
    assert_eq!(book.file_stem(), "KIR_2026_M10");
    assert_eq!(
        codes(&book.left_out),
        [
            ("advance_invoice", vec!["A-1"]),
            ("no_exchange_rate", vec!["10"]),
            ("rate_without_column", vec!["11"]),
        ]
    );
    assert_eq!(
        codes(&book.warnings),
        [("classification_unknown", vec!["8"]), ("buyer_number_missing", vec!["12"])]
    );
}

/// A document is in the book of its date. An invoice over September's or November's work is named;
/// not one without a day of its own, one of a credit note, or one that is voided.
#[test]
fn what_was_supplied_in_another_period_is_named() {
    let of = |number: &str, supplied: Option<&str>| Sold {
        supplied_on: supplied.map(date),
        ..sold(number, "2026-10-20", Sale::Domestic, vec![part("22", "100", "22", None)])
    };
    let documents = [
        of("1", Some("2026-09-30")),
        of("2", Some("2026-10-01")),
        of("3", None),
        of("4", Some("2026-11-01")),
        Sold { is_voided: true, ..of("5", Some("2026-09-30")) },
        Sold { kind: SoldKind::CreditNote, ..of("D-1", Some("2026-09-30")) },
    ];
    let month = VatBook::issued(TaxPeriod::new(2026, Some(10), None).unwrap(), &documents);
    assert_eq!(month.rows.len(), documents.len());
    assert_eq!(codes(&month.warnings), [("supplied_in_other_period", vec!["1", "4"])]);
    let quarter = VatBook::issued(TaxPeriod::new(2026, None, Some(4)).unwrap(), &documents);
    assert_eq!(codes(&quarter.warnings), [("supplied_in_other_period", vec!["1"])]);
}

fn bought(number: &str, country: &str, vat: &str, purchase: Sale, parts: Vec<TaxPart>) -> Bought {
    Bought {
        id: format!("exp_{number}"),
        number: Some(number.to_owned()),
        date: date("2026-09-28"),
        received_on: Some(date("2026-10-02")),
        is_voided: false,
        purchase,
        partner: partner("Dobavitelj", country, vat),
        parts,
        is_converted: true,
    }
}

/// P8 is 100 + 200 + 40 of imported goods = 340; P18 is 22 of the one and half of the other's 44:
/// 44; the other half is in P17; P9 is 500 + 60; P10 is 300; P11 is 70; P14 is 15.
#[test]
fn what_was_received_in_a_month() {
    let half = TaxPart { deductible: decimal("50"), ..part("22", "200", "44", None) };
    let owed = TaxPart { reverse_charge: true, ..part("22", "500", "0", None) };
    let documents = [
        bought("a", "SI", "SI87654326", Sale::Domestic, vec![part("22", "100", "22", None)]),
        bought("b", "SI", "SI87654326", Sale::Domestic, vec![half]),
        bought("c", "SI", "SI87654326", Sale::Domestic, vec![owed, part("0", "15", "0", None)]),
        bought(
            "d",
            "DE",
            "DE136695976",
            Sale::UnionBusiness,
            vec![part("0", "300", "0", Some(Product)), part("0", "70", "0", Some(Service))],
        ),
        bought(
            "e",
            "CH",
            "CHE-116.281.710",
            Sale::Abroad,
            vec![part("0", "40", "0", Some(Product)), part("0", "60", "0", Some(Service))],
        ),
        bought("f", "SI", "", Sale::Domestic, vec![part("0", "1", "0", None)]),
        Bought {
            received_on: None,
            ..bought("g", "SI", "SI87654326", Sale::Domestic, vec![part("22", "1", "0.22", None)])
        },
    ];
    let quarter = TaxPeriod::new(2026, None, Some(4)).unwrap();
    let book = VatBook::received(quarter, date("2026-12-31"), &documents);
    let expected =
        [(8, "340"), (9, "560"), (10, "300"), (11, "70"), (14, "15"), (17, "22"), (18, "44")];
    assert_eq!(sums(&book), expected.map(|(column, sum)| (column, sum.to_owned())));
    assert_eq!(book.file_stem(), "KPR_2026_Q4");
    assert_eq!(codes(&book.left_out), [("supplier_without_number", vec!["f"])]);
    assert_eq!(
        codes(&book.warnings),
        [("tax_owed_by_buyer", vec!["c", "d", "e"]), ("import_tax", vec!["e"])]
    );
}

/// A supplier's document of 12 November that came on the 20th is a row from the 20th on; one that
/// bears a later date than that of its receipt, from that date on.
#[test]
fn what_is_dated_after_the_day_of_making_is_left_out_of_what_was_received() {
    let of = |number: &str, day: &str, received: Option<&str>| Bought {
        date: date(day),
        received_on: received.map(date),
        ..bought(number, "SI", "SI87654326", Sale::Domestic, vec![part("22", "1", "0.22", None)])
    };
    let documents = [
        of("late", "2026-11-12", Some("2026-11-20")),
        of("early", "2026-11-23", Some("2026-11-20")),
        of("unsaid", "2026-11-20", None),
    ];
    let november = TaxPeriod::new(2026, Some(11), None).unwrap();
    for (made_on, rows, ahead) in [
        ("2026-11-19", 0, vec!["late", "unsaid", "early"]),
        ("2026-11-20", 2, vec!["early"]),
        ("2026-11-23", 3, vec![]),
    ] {
        let book = VatBook::received(november, date(made_on), &documents);
        let left_out = if ahead.is_empty() { vec![] } else { vec![("date_in_future", ahead)] };
        assert_eq!((book.rows.len(), codes(&book.left_out)), (rows, left_out), "{made_on}");
        let form = book.form("12345679");
        assert_eq!(form.contains("left out (date_in_future)"), rows < 3, "{form}");
    }
}
