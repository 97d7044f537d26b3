//! The rate of exchange of a document whose date its issue sets.

use racun_access::Entity;
use racun_documents::{Content, Document};
use racun_kernel::ExchangeRate;
use racun_lookups::{is_outdated, reference_rate};
use racun_store::{Store, StoreError};
use time::Date;

/// The rate that a document of `content` takes as it is issued on `date`: where it has none, or
/// one that was found for another date. `None` where it keeps what it has, as what a caller gave,
/// or there is none for that date.
///
/// # Errors
/// When the store fails.
pub async fn rate_on(
    store: &dyn Store,
    entity: &Entity,
    content: &Content,
    date: Date,
    today: Date,
) -> Result<Option<ExchangeRate>, StoreError> {
    let keeps = |rate: &ExchangeRate| !is_outdated(rate, content.date, date);
    if content.exchange_rate.as_ref().is_some_and(keeps) {
        return Ok(None);
    }
    let exchange = [content.currency, entity.currency];
    let found = reference_rate(store, entity.environment, exchange, date, today).await?;
    Ok(found.filter(|found| content.exchange_rate.as_ref() != Some(found)))
}

/// Whether currency and rate are the same in two looks at a document.
#[must_use]
pub fn same_rate(seen: &Document, held: &Document) -> bool {
    let of =
        |document: &Document| (document.content.currency, document.content.exchange_rate.clone());
    of(seen) == of(held)
}
