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

use crate::days::Budget;

/// How a query is answered: what it means is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// By the store where it can, otherwise by walking.
    Counted,
    /// Row by row.
    Walked,
}

/// Why queries are not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StatsError {
    /// The query at this place, counted from 0, takes the store too long, or looks at more records
    /// than those before it have left.
    #[error("query {0} looks at too much")]
    TooExpensive(usize),
    /// The store fails.
    #[error(transparent)]
    Store(StoreError),
}

impl StatsError {
    /// What became of the query at `place`.
    fn of(place: usize) -> impl Fn(StoreError) -> Self {
        move |error| match error {
            StoreError::TooExpensive => Self::TooExpensive(place),
            other => Self::Store(other),
        }
    }
}

/// The answers to `queries`, in their order.
///
/// # Errors
/// When the store fails, and as too expensive when a query takes it too long, or all of them
/// together have to look at more rows than [`crate::MAX_RECORDS`].
pub async fn answer(
    cx: Context<'_>,
    entity: &Entity,
    queries: &[StatQuery],
    way: Way,
) -> Result<Vec<Vec<StatRow>>, StatsError> {
    answer_within(cx, entity, queries, way, crate::MAX_RECORDS).await
}

/// The same, with at most `most` rows to look at. What the store counts takes none of them.
///
/// # Errors
/// As [`answer`].
pub async fn answer_within(
    cx: Context<'_>,
    entity: &Entity,
    queries: &[StatQuery],
    way: Way,
    most: usize,
) -> Result<Vec<Vec<StatRow>>, StatsError> {
    let today = today(entity, cx.stamp);
    let mut budget = Budget::of(most);
    let mut answers = Vec::with_capacity(queries.len());
    for (place, query) in queries.iter().enumerate() {
        let refused = StatsError::of(place);
        let mut fold = StatFold::new(query, today);
        let is_counted = match way {
            Way::Counted => counted::count(cx, query, &mut fold).await.map_err(&refused)?,
            Way::Walked => false,
        };
        if !is_counted {
            walked::walk(cx, entity, query, &mut budget, &mut fold).await.map_err(refused)?;
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
