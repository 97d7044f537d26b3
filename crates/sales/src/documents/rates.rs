//! The rate of exchange of a document or an expense in another currency, whose caller gives
//! none: the reference rate of the last business day.

use racun_access::{ENTITIES, Entity};
use racun_documents::Content;
use racun_kernel::id::EntityId;
use racun_kernel::{Currency, ExchangeRate, Issue, Issues, Patch, Tenant};
use racun_lookups::{is_outdated, reference_rate};
use racun_store::{Context, Store, StoreError};
use time::Date;

use super::request::ExchangeRateRequest;

/// What a request says of currency and rate, and of the date that the rate is of.
pub(crate) struct RateRequest<'a> {
    /// Code of the currency.
    pub code: Option<&'a str>,
    /// Rate into the entity's currency.
    pub rate: &'a Patch<ExchangeRateRequest>,
    /// The date.
    pub date: Option<Date>,
}

/// What a record has of these before a request changes it.
pub(crate) struct RateBefore<'a> {
    /// Its currency.
    pub currency: Currency,
    /// Its rate.
    pub rate: Option<&'a ExchangeRate>,
    /// Its date.
    pub date: Date,
}

impl<'a> RateBefore<'a> {
    /// That of a document.
    pub fn of(content: &'a Content) -> Self {
        let rate = content.exchange_rate.as_ref();
        Self { currency: content.currency, rate, date: content.date }
    }
}

/// The rate that `asked` needs and does not say: of a new record; of another currency than before;
/// or of another date, where the present rate was found in this way. `None` where it needs none,
/// the present one stays, or there is none: then the record is not converted, and its warnings say
/// so.
///
/// # Errors
/// When the store fails.
pub(crate) async fn find(
    store: &dyn Store,
    entity: &Entity,
    asked: &RateRequest<'_>,
    before: Option<RateBefore<'_>>,
    today: Date,
) -> Result<Option<ExchangeRate>, StoreError> {
    if !asked.rate.is_absent() {
        return Ok(None);
    }
    // Another code is refused.
    let Ok(code) = asked.code.map(str::parse).transpose() else { return Ok(None) };
    let Some(before) = before else {
        let Some(currency) = code else { return Ok(None) };
        return on(store, entity, currency, asked.date.unwrap_or(today), today).await;
    };
    let (currency, date) = (code.unwrap_or(before.currency), asked.date.unwrap_or(before.date));
    let is_old = before.rate.is_some_and(|rate| is_outdated(rate, before.date, date));
    match currency != before.currency || is_old {
        true => on(store, entity, currency, date, today).await,
        false => Ok(None),
    }
}

/// That a record in `currency` with this `rate` is in another currency than its entity's, and not
/// converted.
///
/// # Errors
/// When the store fails.
pub(crate) async fn missing(
    cx: Context<'_>,
    entity: EntityId,
    currency: Currency,
    rate: Option<&ExchangeRate>,
) -> Result<Issues, StoreError> {
    // Most are in euros, and so are their entities: those cost no read.
    if rate.is_some() || currency == Currency::EUR {
        return Ok(Issues::default());
    }
    let tenant = Tenant::account(cx.scope.account());
    let entity: Option<Entity> = cx.store.get(&ENTITIES, &tenant, &entity.to_string()).await?;
    if entity.is_none_or(|entity| entity.currency == currency) {
        return Ok(Issues::default());
    }
    let message =
        format!("there is no rate of {currency}, so this is not converted; send exchange_rate");
    Ok(Issue::new("exchange_rate_missing", message).at("exchange_rate").into())
}

async fn on(
    store: &dyn Store,
    entity: &Entity,
    currency: Currency,
    date: Date,
    today: Date,
) -> Result<Option<ExchangeRate>, StoreError> {
    reference_rate(store, entity.environment, [currency, entity.currency], date, today).await
}
