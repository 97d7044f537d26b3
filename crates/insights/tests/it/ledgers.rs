//! Issued documents as postings.

use proptest::prelude::*;
use racun_insights::{
    ACCOUNTS, Accounts, Ledger, LedgerFormat, Sale, Side, Sold, SoldKind, TaxPart,
};
use racun_kernel::{Classification, Decimal};
use roxmltree::{Document, Node};

use crate::world::{
    any_sold, assert_valid, date, decimal, group, part, partner, read, sold, text, validity,
    vectors,
};

const SCHEMA: &str = "VOD.xsd";

fn october<'a>(documents: &'a [Sold], accounts: &Accounts) -> Ledger<'a> {
    Ledger::of(date("2026-10-01"), date("2026-10-31"), documents, accounts)
}

/// The documents of the sample that was made by hand.
fn sample() -> Vec<Sold> {
    let home = |mut sold: Sold| {
        sold.partner = Some(racun_insights::Partner {
            city: Some("Ljubljana".to_owned()),
            ..partner("Kupec d.o.o.", "SI", "SI87654326")
        });
        sold
    };
    let away = Sold {
        partner: Some(partner("Käufer GmbH", "DE", "DE136695976")),
        ..sold(
            "2026-6",
            "2026-10-06",
            Sale::UnionBusiness,
            vec![part("0", "2500", "0", Some(Classification::Product))],
        )
    };
    let taxed = || vec![part("22", "100", "22", None)];
    vec![
        home(sold("2026-1", "2026-10-01", Sale::Domestic, taxed())),
        away,
        home(Sold {
            kind: SoldKind::CreditNote,
            ..sold("D-2026-1", "2026-10-12", Sale::Domestic, taxed())
        }),
    ]
}

/// Kind of posting, account, side and amount of all postings of a file.
fn posted(file: &str) -> Vec<Vec<(String, String)>> {
    let file = Document::parse(file).unwrap();
    let postings = file.descendants().filter(|node| node.has_tag_name("Knjizba"));
    let inside = |node: Node<'_, '_>| {
        let elements = node.children().filter(Node::is_element);
        elements
            .map(|node| {
                (node.tag_name().name().to_owned(), node.text().unwrap_or_default().to_owned())
            })
            .collect()
    };
    postings.map(inside).collect()
}

#[test]
fn vod_says_what_the_sample_says() {
    let documents = sample();
    let written = october(&documents, &Accounts::default()).write(LedgerFormat::Vod, "1.0");
    let known = std::fs::read_to_string(vectors().join("vod_own.xml")).unwrap();
    assert_eq!(posted(&written), posted(&known));
    assert_valid(SCHEMA, &[written, known]);
}

#[test]
fn the_schema_refuses_what_is_known_to_be_wrong() {
    let known = std::fs::read_to_string(vectors().join("vod_own.xml")).unwrap();
    let file = read("vod_invalid.json");
    for case in group(&file, "cases") {
        let edited = known.replacen(text(case, "replace"), text(case, "by"), 1);
        assert_ne!(edited, known, "{}", case["id"]);
        assert!(validity(SCHEMA, &[edited])[0].is_err(), "{}", case["id"]);
    }
}

#[test]
fn a_long_number_stands_where_the_authoritys_number_stands() {
    let long =
        sold("PP1-BLAG1-000001", "2026-10-01", Sale::Domestic, vec![part("22", "1", "0.22", None)]);
    let documents = [long];
    let file = october(&documents, &Accounts::default()).write(LedgerFormat::Vod, "1.0");
    assert!(file.contains("<Stevilka_dokumenta>P1-BLAG1-000001</"), "{file}");
    assert!(file.contains("<FURS_stevilka>PP1-BLAG1-000001</"), "{file}");
    assert_valid(SCHEMA, &[file]);
}

#[test]
fn a_document_that_comes_to_nothing_is_named_and_not_posted() {
    let nothing = sold("2026-2", "2026-10-02", Sale::Domestic, vec![part("22", "0", "0", None)]);
    let mut documents = sample();
    documents.push(nothing);
    let ledger = october(&documents, &Accounts::default());
    let left_out: Vec<_> = ledger.left_out.iter().map(|one| one.code).collect();
    assert_eq!(left_out, ["nothing_to_post"]);
    let file = ledger.write(LedgerFormat::Vod, "1.0");
    assert!(file.contains("left out (nothing_to_post)") && file.contains(": 2026-2"), "{file}");
    assert_valid(SCHEMA, &[file]);
}

#[test]
fn a_buyer_in_northern_ireland_is_in_the_united_kingdom_and_buys_within_the_union() {
    let goods = vec![part("0", "80", "0", Some(Classification::Product))];
    let documents = [Sold {
        partner: Some(partner("Belfast Ltd", "XI", "XI980780684")),
        ..sold("2026-13", "2026-10-16", Sale::UnionBusiness, goods)
    }];
    let ledger = october(&documents, &Accounts::default());
    for (format, country) in [
        (LedgerFormat::Vod, "<Drzava>GB</Drzava>"),
        (LedgerFormat::Vasco, "<Drzava>826</Drzava>"),
        (LedgerFormat::Minimax, "<KraticaDrzave>GB</KraticaDrzave>"),
    ] {
        let file = ledger.write(format, "1.0");
        assert!(file.contains(country) && file.contains("XI980780684"), "{format:?}: {file}");
    }
}

#[test]
fn an_entity_names_its_own_accounts() {
    let own = Accounts::named([("receivables", "1210"), ("sales_vat_22", "260")]).unwrap();
    assert_eq!((own.of("receivables"), own.of("payables")), ("1210".into(), "2200".into()));
    let wrong = Accounts::named([("receivable", "1210"), ("payables", "12"), ("x", "123")]);
    let wrong: Vec<String> = wrong.unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(wrong.len(), 3);
    assert!(wrong[0].contains("receivables is one"), "{wrong:?}");
    assert!(wrong[1].starts_with("payables"), "{wrong:?}");
    assert!(ACCOUNTS.iter().all(|(key, usual)| Accounts::named([(*key, *usual)]).is_ok()));
}

/// Each kind of revenue has its own account: 22 % with its tax, exempt, reverse charge, goods and
/// services within and outside the Union, and a cent that rounding left.
#[test]
fn each_kind_of_sale_has_its_account() {
    let mut documents = vec![
        Sold {
            gross: decimal("122.01"),
            ..sold("1", "2026-10-01", Sale::Domestic, vec![part("22", "100", "22", None)])
        },
        sold("2", "2026-10-01", Sale::Domestic, vec![part("5", "20", "1", None)]),
        sold("3", "2026-10-01", Sale::Domestic, vec![part("0", "30", "0", None)]),
        sold(
            "4",
            "2026-10-01",
            Sale::Domestic,
            vec![TaxPart { reverse_charge: true, ..part("22", "40", "0", None) }],
        ),
    ];
    for (number, sale, what) in [
        ("5", Sale::UnionBusiness, Classification::Product),
        ("6", Sale::UnionBusiness, Classification::Service),
        ("7", Sale::Abroad, Classification::Product),
        ("8", Sale::Abroad, Classification::Service),
    ] {
        documents.push(sold(number, "2026-10-01", sale, vec![part("0", "50", "0", Some(what))]));
    }
    let named: Vec<(&str, String)> =
        ACCOUNTS.iter().enumerate().map(|(n, (key, _))| (*key, (1000 + n).to_string())).collect();
    let accounts = Accounts::named(named.iter().map(|(key, own)| (*key, &**own))).unwrap();
    let ledger = october(&documents, &accounts);
    let credited: Vec<Vec<&str>> = ledger
        .documents
        .iter()
        .map(|(_, postings)| {
            let credits = postings.iter().filter(|one| one.side == Side::Credit);
            credits
                .map(|one| named.iter().find(|(_, own)| *own == one.account).unwrap().0)
                .collect()
        })
        .collect();
    assert_eq!(
        credited,
        [
            vec!["sales_revenue_22", "sales_vat_22", "sales_revenue_22"],
            vec!["sales_revenue_5", "sales_vat_5"],
            vec!["sales_revenue_exempt"],
            vec!["sales_revenue_reverse_charge"],
            vec!["sales_revenue_eu_goods"],
            vec!["sales_revenue_eu_services"],
            vec!["sales_revenue_third_country_goods"],
            vec!["sales_revenue_third_country_services"],
        ]
    );
    assert!(ledger.warnings.is_empty());
    for (format, is_said) in
        [(LedgerFormat::Vod, true), (LedgerFormat::Vasco, false), (LedgerFormat::Minimax, false)]
    {
        let file = ledger.write(format, "1.0");
        assert_eq!(file.contains("look at (special_rate)"), is_said, "{format:?}: {file}");
    }
    assert_eq!(ledger.turnover(), decimal("413.01"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn debits_come_to_credits_and_all_is_posted_or_named(
        documents in proptest::collection::vec(any_sold(), 1..10),
    ) {
        let ledger = october(&documents, &Accounts::default());
        let of_days = documents.iter()
            .filter(|one| one.date <= date("2026-10-31")).count();
        let named: usize = ledger.left_out.iter().map(|one| one.documents.len()).sum();
        prop_assert_eq!(ledger.documents.len() + named, of_days);
        for (_, postings) in &ledger.documents {
            let on = |side| -> Decimal {
                postings.iter().filter(|one| one.side == side).map(|one| &one.amount).sum()
            };
            prop_assert_eq!(on(Side::Debit), on(Side::Credit));
            prop_assert!(postings.iter().all(|one| one.amount.is_positive()));
        }
        for format in LedgerFormat::ALL {
            let file = ledger.write(format, "1.0");
            let read = Document::parse(&file).unwrap();
            let amounts = |name: &'static str| -> Decimal {
                let nodes = read.descendants().filter(|node| node.tag_name().name() == name);
                nodes.map(|node| decimal(node.text().unwrap())).collect::<Vec<_>>().iter().sum()
            };
            let (debit, credit) = match format {
                LedgerFormat::Minimax => {
                    ("ZnesekVBremeVDenarniEnoti", "ZnesekVDobroVDenarniEnoti")
                }
                LedgerFormat::Vod | LedgerFormat::Vasco => ("Debet", "Kredit"),
            };
            prop_assert_eq!(amounts(debit), ledger.turnover());
            prop_assert_eq!(amounts(credit), ledger.turnover());
            prop_assert!(ledger.documents.iter().all(|(_, all)| !all.is_empty()));
            if format == LedgerFormat::Vod && !ledger.documents.is_empty() {
                assert_valid(SCHEMA, &[file]);
            }
        }
    }
}
