//! Revenue by category.

use racun_insights::{CategoryLine, RevenueByCategory};
use racun_kernel::Currency;

use crate::world::decimal;

fn line(category: Option<&str>, total: &str, total_with_tax: &str) -> CategoryLine {
    CategoryLine {
        category: category.map(str::to_owned),
        total: decimal(total),
        total_with_tax: decimal(total_with_tax),
    }
}

#[test]
fn a_category_has_its_lines_by_currency_and_counts_documents() {
    let mut sums = RevenueByCategory::default();
    let (rent, other) = (Some("fcat_rent"), None);
    let first = [line(rent, "100", "122"), line(rent, "50", "61"), line(other, "5", "5")];
    sums.add(Currency::EUR, first);
    sums.add(Currency::EUR, [line(rent, "-30", "-36.6")]);
    sums.add("USD".parse().unwrap(), [line(rent, "7", "7")]);
    let rows: Vec<_> = sums
        .rows()
        .into_iter()
        .map(|row| {
            let category = row.category.unwrap_or_default();
            let [net, gross] = [row.total, row.total_with_tax].map(|sum| sum.to_string());
            format!("{category} {} {net} {gross} {}", row.currency, row.count)
        })
        .collect();
    let expected = [" EUR 5 5 1", "fcat_rent EUR 120 146.4 2", "fcat_rent USD 7 7 1"];
    assert_eq!(rows, expected);
}
