//! Known answers, schemas, and documents to make reports of.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use racun_insights::{Partner, Sale, Sold, SoldKind, TaxPart};
use racun_kernel::{Classification, Currency, Decimal, calendar};
use serde_json::Value;
use time::Date;

/// Where the vectors are.
pub fn vectors() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/insights")
}

/// A file of vectors.
pub fn read(name: &str) -> Value {
    serde_json::from_slice(&fs::read(vectors().join(name)).unwrap()).unwrap()
}

/// The entries of a group, which must have some.
pub fn group<'a>(file: &'a Value, name: &str) -> &'a [Value] {
    let entries = file[name].as_array().unwrap();
    assert!(!entries.is_empty(), "{name}");
    entries
}

pub fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} is no text in {value}"))
}

pub fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

pub fn date(text: &str) -> Date {
    calendar::parse_date(text).unwrap()
}

/// What xmllint says of each document: whether it is valid against the schema `name`.
pub fn validity(name: &str, documents: &[String]) -> Vec<Result<(), String>> {
    let folder = tempfile::tempdir().unwrap();
    let path = |n: usize| folder.path().join(format!("{n}.xml"));
    for (n, document) in documents.iter().enumerate() {
        fs::write(path(n), document).unwrap();
    }
    let output = racun_test_postgres::program("xmllint")
        .args(["--nonet", "--noout", "--schema"])
        .arg(vectors().join("schemas").join(name))
        .args((0..documents.len()).map(path))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let judged = (0..documents.len()).map(|n| {
        let path = path(n).display().to_string();
        let of_it = said.lines().filter(|line| line.starts_with(&path));
        let wrong: Vec<&str> = of_it.filter(|line| !line.ends_with(" validates")).collect();
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
    });
    let judged: Vec<_> = judged.collect();
    let valid = judged.iter().filter(|one| one.is_ok()).count();
    assert_eq!(said.matches(" validates\n").count(), valid, "{said}");
    judged
}

/// Asserts that each document is valid against the schema `name`.
pub fn assert_valid(name: &str, documents: &[String]) {
    for (judged, document) in validity(name, documents).into_iter().zip(documents) {
        assert_eq!(judged, Ok(()), "{document}");
    }
}

/// A part of a document, all of it sold as `what`.
pub fn part(rate: &str, base: &str, tax: &str, what: Option<Classification>) -> TaxPart {
    let base = decimal(base);
    let part = TaxPart::of(decimal(rate), base.clone(), decimal(tax));
    part.sold_as([(what, &base)])
}

/// The invoice `number` without a buyer.
pub fn sold(number: &str, day: &str, sale: Sale, parts: Vec<TaxPart>) -> Sold {
    let gross = parts.iter().map(|part| &part.base + &part.tax).collect::<Vec<_>>();
    Sold {
        id: format!("inv_{number}"),
        kind: SoldKind::Invoice,
        number: number.to_owned(),
        fiscal_number: None,
        date: date(day),
        supplied_on: None,
        due: None,
        is_voided: false,
        sale,
        partner: None,
        parts,
        gross: gross.iter().sum(),
        is_converted: true,
    }
}

/// The partner `name` of `country` with a number.
pub fn partner(name: &str, country: &str, number: &str) -> Partner {
    Partner {
        code: Some("K1".to_owned()),
        name: Some(name.to_owned()),
        address: Some("Cesta 1".to_owned()),
        post_code: Some("1000".to_owned()),
        city: Some("Mesto".to_owned()),
        country: Some(country.to_owned()),
        tax_number: Some(number.to_owned()),
        is_business: true,
    }
}

/// Any document of October or November 2026.
pub fn any_sold() -> impl Strategy<Value = Sold> {
    let sale = prop_oneof![
        Just(Sale::Domestic),
        Just(Sale::UnionBusiness),
        Just(Sale::UnionConsumer),
        Just(Sale::Abroad)
    ];
    let kind = prop_oneof![
        6 => Just(SoldKind::Invoice),
        3 => Just(SoldKind::CreditNote),
        1 => Just(SoldKind::Advance)
    ];
    let head = (1_u32..100_000, kind, 0_i64..60, any::<bool>(), sale);
    let partner = proptest::option::of(any_partner());
    let parts = proptest::collection::vec(any_part(), 1..4);
    let flags = (proptest::bool::weighted(0.95), proptest::option::of(0_i64..30));
    (head, partner, parts, flags).prop_map(|(head, partner, parts, (is_converted, due))| {
        let (number, kind, day, is_voided, sale) = head;
        let mut sold = sold(&format!("2026-{number}"), "2026-10-01", sale, parts);
        sold.kind = kind;
        sold.date += time::Duration::days(day);
        sold.is_voided = is_voided;
        sold.partner = partner;
        sold.is_converted = is_converted;
        sold.due = due.map(|days| sold.date + time::Duration::days(days));
        sold
    })
}

fn any_partner() -> impl Strategy<Value = Partner> {
    let numbers = [
        ("SI", "SI87654326"),
        ("GR", "EL094259216"),
        ("GR", "GR094259217"),
        ("DE", "136695976"),
        ("de", "DE136695977"),
        ("CH", "CHE-116.281.710"),
        ("GB", "XI980780684"),
        ("AT", ""),
        ("HR", "HR/žš 12"),
    ];
    (proptest::sample::select(numbers.to_vec()), "\\PC{0,300}").prop_map(
        |((country, number), name)| Partner { name: Some(name), ..partner("", country, number) },
    )
}

fn any_part() -> impl Strategy<Value = TaxPart> {
    let rates = ["22", "9.5", "5", "0", "0", "19", "8"];
    let what = prop_oneof![
        Just(Some(Classification::Product)),
        Just(Some(Classification::Service)),
        Just(None)
    ];
    let lines = proptest::collection::vec((what, 0_i64..1_000_000), 1..4);
    let flags = (any::<bool>(), proptest::bool::weighted(0.1), 0_u8..=100);
    (proptest::sample::select(rates.to_vec()), lines, flags).prop_map(
        |(rate, lines, (reverse_charge, is_margin, deductible))| {
            let rate = decimal(rate);
            let lines: Vec<_> =
                lines.into_iter().map(|(what, cents)| (what, Decimal::new(cents, 2))).collect();
            let base: Decimal = lines.iter().map(|(_, total)| total).sum();
            let taxed = !reverse_charge && !is_margin;
            let tax = if taxed { &base * &rate.percent() } else { Decimal::zero() };
            let part = TaxPart::of(rate, base, Currency::EUR.round(&tax));
            let part = part.sold_as(lines.iter().map(|(what, total)| (*what, total)));
            TaxPart { reverse_charge, is_margin, deductible: i64::from(deductible).into(), ..part }
        },
    )
}
