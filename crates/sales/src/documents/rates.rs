//! The rate of exchange of a document in another currency than its entity's, whose caller gives
//! none: the reference rate of the last business day.

use racun_access::Entity;
use racun_documents::Content;
use racun_kernel::{Currency, ExchangeRate};
use racun_lookups::{CurrencyCode, LookupError, Question, rate};
use racun_store::{Store, StoreError};
use time::Date;

use super::request::DocumentRequest;

/// The rate that a new document of `request` takes. `None` where it needs none, says one, or there
/// is none: then the document is not converted, and its warnings say so.
///
/// # Errors
/// When the store fails.
pub(super) async fn of_request(
    store: &dyn Store,
    entity: &Entity,
    request: &DocumentRequest,
    today: Date,
) -> Result<Option<ExchangeRate>, StoreError> {
    let code = request.currency_code.as_deref().filter(|_| request.exchange_rate.is_absent());
    match code.map(str::parse) {
        Some(Ok(currency)) => {
            on(store, entity, currency, request.date.unwrap_or(today), today).await
        }
        // Another code is refused.
        Some(Err(_)) | None => Ok(None),
    }
}

/// The rate that a change takes: of another currency, or of another date where the present rate was
/// found in this way. `None` where the present one stays.
///
/// # Errors
/// When the store fails.
pub(super) async fn of_change(
    store: &dyn Store,
    entity: &Entity,
    request: &DocumentRequest,
    before: &Content,
    today: Date,
) -> Result<Option<ExchangeRate>, StoreError> {
    if !request.exchange_rate.is_absent() {
        return Ok(None);
    }
    let code = request.currency_code.as_deref().map(str::parse);
    let Ok(currency) = code.unwrap_or(Ok(before.currency)) else { return Ok(None) };
    let date = request.date.unwrap_or(before.date);
    let is_found = before.exchange_rate.as_ref().is_some_and(|rate| is_of_the_bank(&rate.source));
    match currency != before.currency || (date != before.date && is_found) {
        true => on(store, entity, currency, date, today).await,
        false => Ok(None),
    }
}

/// The rate that a draft takes when it is issued on `date`, where it has none.
///
/// # Errors
/// When the store fails.
pub(super) async fn of_draft(
    store: &dyn Store,
    entity: &Entity,
    content: &Content,
    date: Date,
    today: Date,
) -> Result<Option<ExchangeRate>, StoreError> {
    match content.exchange_rate {
        Some(_) => Ok(None),
        None => on(store, entity, content.currency, date, today).await,
    }
}

/// Whether a rate was found here, and not given by a caller.
fn is_of_the_bank(source: &str) -> bool {
    [racun_lookups::source_name(), racun_lookups::sandbox::SOURCE].contains(&source)
}

async fn on(
    store: &dyn Store,
    entity: &Entity,
    currency: Currency,
    date: Date,
    today: Date,
) -> Result<Option<ExchangeRate>, StoreError> {
    if currency == entity.currency {
        return Ok(None);
    }
    let (from, to) = (CurrencyCode::from(currency), CurrencyCode::from(entity.currency));
    let question = Question { from, to, date, today };
    match rate(store, entity.environment, &question).await {
        Ok(rate) => Ok(Some(ExchangeRate {
            rate: rate.found.rate,
            source: rate.source.to_owned(),
            date: rate.found.date,
            quote_currency: entity.currency,
        })),
        Err(LookupError::Store(error)) => Err(error),
        Err(LookupError::NoRate(_) | LookupError::Invalid(_)) => Ok(None),
    }
}
