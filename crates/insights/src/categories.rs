//! Revenue by the financial categories of lines.

use std::collections::BTreeMap;

use racun_kernel::{Currency, Decimal};

/// What a line of a document adds to its category; below zero on a credit note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryLine {
    /// The category; `None` where the line names none.
    pub category: Option<String>,
    /// Before tax.
    pub total: Decimal,
    /// With tax.
    pub total_with_tax: Decimal,
}

/// What a category comes to in a currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryRevenue {
    /// The category; `None` for lines that name none.
    pub category: Option<String>,
    /// The currency of the documents.
    pub currency: Currency,
    /// Before tax.
    pub total: Decimal,
    /// With tax.
    pub total_with_tax: Decimal,
    /// Documents that have lines of it.
    pub count: usize,
}

/// Revenue by category, which takes in one document after the other.
#[derive(Debug, Default)]
pub struct RevenueByCategory(BTreeMap<(Option<String>, &'static str), CategoryRevenue>);

impl RevenueByCategory {
    /// Takes in the lines of a document in `currency`.
    pub fn add(&mut self, currency: Currency, lines: impl IntoIterator<Item = CategoryLine>) {
        let mut seen: Vec<Option<String>> = Vec::new();
        for line in lines {
            let is_first = !seen.contains(&line.category);
            if is_first {
                seen.push(line.category.clone());
            }
            let key = (line.category.clone(), currency.code());
            let row = self.0.entry(key).or_insert_with(|| CategoryRevenue {
                category: line.category,
                currency,
                total: Decimal::zero(),
                total_with_tax: Decimal::zero(),
                count: 0,
            });
            row.total += &line.total;
            row.total_with_tax += &line.total_with_tax;
            row.count += usize::from(is_first);
        }
    }

    /// Its rows, by category and currency; lines without a category first.
    #[must_use]
    pub fn rows(self) -> Vec<CategoryRevenue> {
        self.0.into_values().collect()
    }
}
