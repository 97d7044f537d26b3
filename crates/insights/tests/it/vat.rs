//! VAT by rate, category and kind of sale.

use proptest::prelude::*;
use racun_insights::{Sale, Sold, SoldKind, TaxPart, VatOverview};
use racun_kernel::Classification::{Product, Service};
use racun_kernel::Decimal;

use crate::world::{any_sold, date, decimal, part, partner, sold};

fn overview(documents: &[Sold]) -> VatOverview {
    VatOverview::of(date("2026-10-01"), date("2026-10-31"), documents)
}

/// 22 %: 100 + 50 - 10 = 140 with 30.80; to Germany 400 of goods and 30 of services, of which a
/// credit note takes 100 of goods back; exported 700; exempt 5.
#[test]
fn a_month_by_rate_category_and_kind_of_sale() {
    let german = |number: &str, kind, parts| Sold {
        kind,
        partner: Some(partner("Käufer GmbH", "DE", "DE136695976")),
        ..sold(number, "2026-10-04", Sale::UnionBusiness, parts)
    };
    let documents = [
        sold(
            "1",
            "2026-10-01",
            Sale::Domestic,
            vec![part("22", "100", "22", None), part("0", "5", "0", None)],
        ),
        sold("2", "2026-10-31", Sale::Domestic, vec![part("22", "50", "11", None)]),
        Sold {
            kind: SoldKind::CreditNote,
            ..sold("3", "2026-10-09", Sale::Domestic, vec![part("22", "10", "2.20", None)])
        },
        german(
            "4",
            SoldKind::Invoice,
            vec![part("0", "400", "0", Some(Product)), part("0", "30", "0", Some(Service))],
        ),
        german("5", SoldKind::CreditNote, vec![part("0", "100", "0", Some(Product))]),
        sold("6", "2026-10-05", Sale::Abroad, vec![part("0", "700", "0", Some(Product))]),
        Sold {
            is_voided: true,
            ..sold("7", "2026-10-05", Sale::Domestic, vec![part("22", "9", "1.98", None)])
        },
        sold("8", "2026-09-30", Sale::Domestic, vec![part("22", "8", "1.76", None)]),
    ];
    let overview = overview(&documents);
    let rows = overview.rates.iter().map(|row| {
        let [rate, base, tax] = [&row.rate, &row.base, &row.tax].map(ToString::to_string);
        (row.kind.name(), row.category.code(), rate, base, tax)
    });
    let rows: Vec<_> = rows.collect();
    let expected = [
        ("domestic", "S", "22", "140", "30.8"),
        ("domestic", "E", "0", "5", "0"),
        ("intra_eu_b2b", "AE", "0", "30", "0"),
        ("intra_eu_b2b", "K", "0", "300", "0"),
        ("third_country", "G", "0", "700", "0"),
    ];
    let expected = expected.map(|(kind, category, rate, base, tax)| {
        (kind, category, rate.to_owned(), base.to_owned(), tax.to_owned())
    });
    assert_eq!(rows, expected);
    assert_eq!((overview.base, overview.tax), (decimal("1175"), decimal("30.80")));
    assert_eq!((overview.documents, overview.voided), (6, 1));
    let [buyer] = &overview.recapitulative[..] else { panic!("{:?}", overview.recapitulative) };
    assert_eq!((&*buyer.number.state, &*buyer.number.number), ("DE", "136695976"));
    assert_eq!((&buyer.goods, &buyer.services), (&decimal("300"), &decimal("30")));
    assert!(overview.left_out.is_empty() && overview.warnings.is_empty());
}

/// What is taxed by the margin has the category of what is exempt, and is in its row.
#[test]
fn a_rate_of_a_category_and_kind_has_one_row() {
    let margin = TaxPart { is_margin: true, ..part("0", "40", "0", None) };
    let parts = vec![margin, part("0", "5", "0", None)];
    let overview = overview(&[sold("1", "2026-10-01", Sale::Domestic, parts)]);
    let [row] = &overview.rates[..] else { panic!("{:?}", overview.rates) };
    assert_eq!((row.category.code(), &row.base), ("E", &decimal("45")));
    let warned: Vec<_> = overview.warnings.iter().map(|one| one.code).collect();
    assert_eq!(warned, ["margin_scheme"]);
}

/// A used machine that is taxed by its margin is taxed here, to whomever it is sold; 300 of other
/// goods on the same invoice are listed. A buyer without a number matters to what is listed alone.
#[test]
fn what_is_taxed_by_the_margin_is_not_recapitulated() {
    let margin = || TaxPart { is_margin: true, ..part("0", "40", "0", Some(Product)) };
    let german = |number: &str, parts| Sold {
        partner: Some(partner("Käufer GmbH", "DE", "DE136695976")),
        ..sold(number, "2026-10-04", Sale::UnionBusiness, parts)
    };
    let alone = overview(&[
        german("1", vec![margin()]),
        sold("2", "2026-10-05", Sale::UnionBusiness, vec![margin()]),
    ]);
    assert_eq!(alone.base, decimal("80"));
    assert!(alone.recapitulative.is_empty(), "{:?}", alone.recapitulative);
    let warned: Vec<_> = alone.warnings.iter().map(|one| one.code).collect();
    assert_eq!(warned, ["margin_scheme"]);
    let both = overview(&[german("1", vec![margin(), part("0", "300", "0", Some(Product))])]);
    let [buyer] = &both.recapitulative[..] else { panic!("{:?}", both.recapitulative) };
    let listed = (&buyer.goods, &buyer.services, &buyer.unknown);
    assert_eq!(listed, (&decimal("300"), &decimal("0"), &decimal("0")));
}

proptest! {
    /// Whatever the rows are divided by, they come to what the documents come to.
    #[test]
    fn the_rows_come_to_the_documents(
        documents in proptest::collection::vec(any_sold(), 0..20),
    ) {
        let overview = overview(&documents);
        let counted = documents.iter().filter(|one| {
            (date("2026-10-01")..=date("2026-10-31")).contains(&one.date)
                && !one.is_voided && one.is_converted && one.kind != SoldKind::Advance
        });
        let (mut base, mut tax, mut union) = (Decimal::zero(), Decimal::zero(), Decimal::zero());
        for one in counted {
            let sign = Decimal::from(if one.kind == SoldKind::CreditNote { -1 } else { 1 });
            for part in &one.parts {
                base += &(&part.base * &sign);
                tax += &(&part.tax * &sign);
                let number = one.partner.as_ref().and_then(racun_insights::Partner::union_number);
                let is_listed = one.sale == Sale::UnionBusiness && !part.is_taxed()
                    && !part.is_margin && number.is_some();
                if is_listed {
                    union += &(&part.base * &sign);
                }
            }
        }
        let keys: std::collections::BTreeSet<_> = overview
            .rates
            .iter()
            .map(|row| (row.kind.name(), row.category.code(), row.rate.to_string()))
            .collect();
        prop_assert_eq!(keys.len(), overview.rates.len());
        prop_assert_eq!(&overview.base, &base);
        prop_assert_eq!(&overview.tax, &tax);
        let listed = overview.recapitulative.iter();
        let listed: Decimal =
            listed.flat_map(|one| [&one.goods, &one.services, &one.unknown]).sum();
        prop_assert_eq!(listed, union);
    }
}
