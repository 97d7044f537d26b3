//! Revenue by financial category.

use std::collections::BTreeMap;

use racun_catalog::{FINANCIAL_CATEGORIES, FinancialCategory};
use racun_documents::{Document, DocumentKind, LineKind, table_of};
use racun_insights::{CategoryLine, CategoryRevenue, RevenueByCategory};
use racun_kernel::Issue;
use racun_store::{Clause, Context, Operator};
use time::Date;

use crate::ReportError;
use crate::days::{Budget, between, for_each};
use crate::facts::is_void;

/// Categories that are looked up at once.
const AT_ONCE: usize = 100;

/// Revenue of the lines of issued invoices, less credit notes, from `from` to `to`, by category and
/// currency; each with its category, where there is one.
///
/// Documents count by their dates, whenever they are paid. Voided ones do not, unless credit notes
/// ended them, which then cancel them.
///
/// # Errors
/// Days in the wrong order; as too expensive when there are more documents than
/// [`crate::MAX_RECORDS`]; the store's failure.
pub async fn revenue(
    cx: Context<'_>,
    from: Option<Date>,
    to: Option<Date>,
) -> Result<Vec<(CategoryRevenue, Option<FinancialCategory>)>, ReportError> {
    if let Some((from, _)) = from.zip(to).filter(|(from, to)| to < from) {
        let message = format!("must not be before date_from, {from}");
        return Err(Issue::new("invalid_period", message).at("date_to").into());
    }
    let (mut sums, mut budget) = (RevenueByCategory::default(), Budget::new());
    for kind in [DocumentKind::Invoice, DocumentKind::CreditNote] {
        let table = table_of(kind);
        let mut clauses = between(table, "date", from, to);
        clauses.push(Clause::on(table, "is_draft", Operator::Equals(false.into())));
        let each = |document: Document| {
            if !is_void(&document) {
                sums.add(document.content.currency, lines(&document));
            }
        };
        for_each(cx, table, clauses, "date", &mut budget, each).await?;
    }
    let rows = sums.rows();
    let ids: Vec<String> = rows.iter().filter_map(|row| row.category.clone()).collect();
    let mut categories = BTreeMap::new();
    for some in ids.chunks(AT_ONCE) {
        let found: Vec<FinancialCategory> = cx.get_all(&FINANCIAL_CATEGORIES, some).await?;
        categories.extend(found.into_iter().map(|one| (one.id.to_string(), one)));
    }
    let named = rows.into_iter().map(|row| {
        let category = row.category.as_ref().and_then(|id| categories.get(id).cloned());
        (row, category)
    });
    Ok(named.collect())
}

fn lines(document: &Document) -> Vec<CategoryLine> {
    let is_note = document.id.kind() == DocumentKind::CreditNote;
    let lines = document.content.lines.iter();
    let lines = lines.filter(|line| line.kind != Some(LineKind::Separator));
    lines
        .map(|line| CategoryLine {
            category: line.financial_category_id.map(|id| id.to_string()),
            total: if is_note { -&line.total } else { line.total.clone() },
            total_with_tax: match is_note {
                true => -&line.total_with_tax,
                false => line.total_with_tax.clone(),
            },
        })
        .collect()
}
