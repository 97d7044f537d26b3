//! What customers owe.
//!
//! | Module      | Owns                                       |
//! | ----------- | ------------------------------------------ |
//! | `movements` | what changes what is owed, and when        |
//! | `aging`     | what was open on a day, of all customers   |
//!
//! **Invariant.** What is open of a customer's documents on a day comes to the closing balance of
//! the statement of that day: both are made of the same movements.

mod aging;
mod movements;

use racun_access::Entity;
use racun_catalog::{CUSTOMERS, Customer};
use racun_documents::{Document, DocumentKind, table_of};
use racun_insights::{Aging, Statement};
use racun_kernel::{Currency, Issue};
use racun_sales::documents::today;
use racun_store::{Clause, Context, Operator};
use time::Date;

use crate::ReportError;
use crate::days::{Budget, for_each};
use movements::{Issued, KINDS, Others, moved, paid, settled_on};

/// What was owed on `date`, or is today: what is open of invoices and credit notes by all that
/// moved until the end of that day, by how late it is then. See [`statement`] for what counts when.
///
/// A credit note that settles an invoice is taken off that invoice. What is owed to a customer is
/// below zero, and not late: a credit note that settles nothing, and money ahead of its invoice.
///
/// # Errors
/// When the store fails, and as too expensive when more than [`crate::MAX_RECORDS`] documents and
/// payments are open or of after `date`.
pub async fn aging(
    cx: Context<'_>,
    entity: &Entity,
    date: Option<Date>,
) -> Result<Aging, ReportError> {
    let day = date.unwrap_or_else(|| today(entity, cx.stamp));
    Ok(aging::aging(cx, entity, day).await?)
}

/// A customer's account in one currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerStatement {
    /// The customer.
    pub customer: Customer,
    /// The currency: documents in others are not in it.
    pub currency: Currency,
    /// Other currencies in which the customer has documents.
    pub other_currencies: Vec<String>,
    /// The account.
    pub statement: Statement,
}

/// The statement of the customer `id` over `from` to `to` in `currency`, or the entity's.
///
/// Invoices and credit notes that are issued count by their dates, money by the day on which it
/// moved, and a void by its day: it takes the document off again, while what was paid on it stays.
/// What an advance invoice took is owed to the customer in goods, not in money, so it counts on the
/// day on which an invoice takes it: the date of an invoice that took it when it was issued, and
/// otherwise the day of the link; what a voided invoice had taken is free again, as if it had never
/// been taken. A settlement by a credit note moves nothing, for the credit note itself counts;
/// where that is another customer's, the settlement takes the amount off one account and puts it on
/// the other. Money that is dated before its document counts on its own day, so that what is owed
/// at the end of a day is what is owed before the next one.
///
/// # Errors
/// A customer that there is not; days in the wrong order; the store's failure.
pub async fn statement(
    cx: Context<'_>,
    entity: &Entity,
    id: &str,
    (from, to): (Date, Date),
    currency: Option<Currency>,
) -> Result<CustomerStatement, ReportError> {
    if to < from {
        let message = "must not be before date_from";
        return Err(Issue::new("invalid_period", message).at("date_to").into());
    }
    let found: Option<Customer> = cx.store.get(&CUSTOMERS, &cx.tenant(), id).await?;
    let customer = found.ok_or_else(|| ReportError::NotFound(id.to_owned()))?;
    let currency = currency.unwrap_or(entity.currency);
    let mut budget = Budget::new();
    let (mut movements, mut others) = (Vec::new(), Vec::new());
    for (kind, field) in KINDS {
        let table = table_of(kind);
        // Also those that are dated later: money may be dated before its document.
        let clauses = vec![
            Clause::on(table, "is_draft", Operator::Equals(false.into())),
            Clause::on(table, "customer_id", Operator::Equals(id.into())),
        ];
        let mut issued = Issued::default();
        let each = |document: Document| {
            let code = document.content.currency;
            if code == currency {
                movements.extend(moved(&document, entity));
                issued.note(&document);
            } else if !others.iter().any(|other| other == code.code()) {
                others.push(code.code().to_owned());
            }
        };
        for_each(cx, table, clauses, "date", &mut budget, each).await?;
        let payments = issued.payments(cx, field, &mut budget).await?;
        let settlements = Others::of(cx, kind, &payments, &mut budget).await?;
        movements.extend(payments.iter().filter_map(|(payment, day)| {
            if !payment.is_credit_settlement() {
                return Some(paid(payment, *day, kind));
            }
            let other = settlements.get(payment, kind)?;
            let is_of_others = other.content.customer_id != Some(customer.id);
            let own = match kind {
                DocumentKind::CreditNote => payment.credit_note_id,
                _ => payment.invoice_id,
            };
            let own = own.and_then(|own| issued.date(own)).filter(|_| is_of_others)?;
            Some(paid(payment, settled_on(payment, own, other), kind))
        }));
    }
    others.sort();
    let statement = Statement::of(from, to, movements);
    Ok(CustomerStatement { customer, currency, other_currencies: others, statement })
}
