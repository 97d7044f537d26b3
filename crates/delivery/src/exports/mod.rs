//! Exports: which record is which row, and what is summed.
//!
//! | Module       | Owns                                                             |
//! | ------------ | ---------------------------------------------------------------- |
//! | `archive`    | documents as files in an archive, by a worker                    |
//! | `request`    | what is exported, from when to when, by which filter             |
//! | `documents`  | documents, a sheet for each kind, and their sums                 |
//! | `sales`      | sales per item, and revenue by category: lines of documents      |
//! | `payments`   | payments, and their sums                                         |
//! | `customers`  | customers                                                        |
//! | `expenses`   | expenses, and their sums                                         |
//! | `error`      | why nothing is exported                                          |
//!
//! **Invariants.** Two pages of records are in memory at most: one is written while the next is
//! read. Drafts and voided documents are listed and in no sum. A voided invoice that ended by
//! credit notes is in sums together with them: both cancel out. What credit notes come to is
//! negative, in rows and in sums.

pub mod archive;
mod customers;
mod documents;
mod error;
mod expenses;
mod payments;
mod request;
mod sales;

use futures_util::future::join;
use racun_access::Entity;
use racun_exports::{Cell, SheetWriter};
use racun_kernel::{Currency, Decimal};
use racun_store::{Context, Record, Walk};

pub use documents::is_counted;
pub use error::ExportError;
pub use request::{Export, ExportPlan, ExportRequest, MAX_SPAN_DAYS, Span, kinds_named};

use request::Source;

/// Writes what `plan` says to `to`, to its end.
///
/// # Errors
/// When the store fails, as too expensive where there are too many different items or categories;
/// when `to` cannot be written.
pub async fn write(
    cx: Context<'_>,
    entity: &Entity,
    plan: &ExportPlan,
    mut to: Box<dyn SheetWriter>,
) -> Result<(), ExportError> {
    let locale = plan.locale.unwrap_or(&entity.locale);
    match &plan.export {
        Export::Documents(_) => documents::write(cx, entity, plan, locale, &mut *to).await?,
        Export::SalesPerItem => sales::write_items(cx, entity, plan, locale, &mut *to).await?,
        Export::RevenueByCategory => {
            sales::write_categories(cx, entity, plan, locale, &mut *to).await?
        }
        Export::Payments => payments::write(cx, plan, locale, &mut *to).await?,
        Export::Customers => customers::write(cx, plan, locale, &mut *to).await?,
        Export::Expenses => expenses::write(cx, plan, locale, &mut *to).await?,
    }
    Ok(to.finish()?)
}

/// The walk through the records of a source.
fn walk(cx: Context<'_>, source: &Source) -> Walk {
    Walk::through(source.table, cx.tenant(), source.query.clone())
}

/// Gives each page of a source to `each`, while the store reads the next one.
async fn for_each_page<A: Record>(
    cx: Context<'_>,
    source: &Source,
    mut each: impl FnMut(Vec<A>) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let mut walk = walk(cx, source);
    let mut page = walk.next::<A>(cx.store).await?;
    while let Some(rows) = page {
        // Polled first, the read is with the store before these rows are looked at.
        let (next, done) = join(walk.next(cx.store), async { each(rows) }).await;
        done?;
        page = next?;
    }
    Ok(())
}

/// A code as a cell.
fn currency_cell(currency: Currency) -> Cell {
    Cell::from(currency.code())
}

/// How far something is paid: `paid`, `partly_paid` or `unpaid`.
fn payment_state(paid_in_full: bool, paid: &Decimal) -> &'static str {
    match (paid_in_full, paid.is_zero()) {
        (true, _) => "paid",
        (false, false) => "partly_paid",
        (false, true) => "unpaid",
    }
}
