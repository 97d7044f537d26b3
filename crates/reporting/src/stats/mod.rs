//! Statistics: counted by the store where its language of figures says what a query asks for, and
//! otherwise row by row.
//!
//! | Module    | Owns                                               |
//! | --------- | -------------------------------------------------- |
//! | `counted` | queries as figures that stores count               |
//! | `walked`  | queries over rows, of which there are not too many |
//! | `value`   | values of rows as statistics have them             |

mod counted;
mod value;
mod walked;

use racun_access::Entity;
use racun_insights::{StatFold, StatQuery, StatRow, StatTable};
use racun_kernel::Currency;
use racun_sales::documents::today;
use racun_store::{Context, StoreError, Table};

/// How a query is answered: what it means is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// By the store where it can, otherwise by walking.
    Counted,
    /// Row by row.
    Walked,
}

/// The answers to `queries`, in their order.
///
/// # Errors
/// When the store fails, and as too expensive when a query has to look at more rows than
/// [`crate::MAX_RECORDS`].
pub async fn answer(
    cx: Context<'_>,
    entity: &Entity,
    queries: &[StatQuery],
    way: Way,
) -> Result<Vec<Vec<StatRow>>, StoreError> {
    let today = today(entity, cx.stamp);
    let mut answers = Vec::with_capacity(queries.len());
    for query in queries {
        let mut fold = StatFold::new(query, today);
        let is_counted = way == Way::Counted && counted::count(cx, query, &mut fold).await?;
        if !is_counted {
            walked::walk(cx, entity, query, &mut fold).await?;
        }
        answers.push(fold.finish());
    }
    Ok(answers)
}

/// Where the rows of `table` are; the taxes of invoices are inside invoices.
fn stored(table: StatTable) -> &'static Table {
    use racun_documents::{DocumentKind, table_of};
    match table {
        StatTable::Invoices | StatTable::InvoiceTaxes => table_of(DocumentKind::Invoice),
        StatTable::Estimates => table_of(DocumentKind::Estimate),
        StatTable::CreditNotes => table_of(DocumentKind::CreditNote),
        StatTable::AdvanceInvoices => table_of(DocumentKind::AdvanceInvoice),
        StatTable::Payments => &racun_settlement::PAYMENTS,
        StatTable::Customers => &racun_catalog::CUSTOMERS,
        StatTable::Items => &racun_catalog::ITEMS,
    }
}

/// What stands for the currency of payments: theirs are those of their documents.
const fn books(entity: &Entity) -> Currency {
    entity.currency
}
