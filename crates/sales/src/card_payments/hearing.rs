//! What the processor tells of the accounts of entities. Its signature was checked.

use std::collections::BTreeMap;

use racun_access::enter_as_recipient;
use racun_card_payments::{AutoInvoiceEvent, Happened, PAYMENT_APPS, PaymentApp, ProcessorEvent};
use racun_kernel::{Currency, Environment, Stamp};
use racun_store::{Context, Store, StoreError};

use super::CardServices;
use super::connection::deauthorized;
use super::error::CardError;
use super::invoicing::invoice_by_itself;
use super::paying::SESSION;
use super::recording::{Declined, Taken, declined, page_of, paid};

/// What came of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// It was about an account of an entity.
    Noted,
    /// It says nothing to payments by card of entities.
    Nothing,
}

/// Takes over what `event` says. The same event again changes nothing.
///
/// # Errors
/// What says nothing of the event, such as the store's failure: then the processor has to tell it
/// again.
pub async fn hear(
    store: &dyn Store,
    services: CardServices<'_>,
    environment: Environment,
    event: &ProcessorEvent,
    stamp: &Stamp,
) -> Result<Heard, CardError> {
    let Some(account) = event.account.as_deref() else { return Ok(Heard::Nothing) };
    let hearing = Hearing { store, services, environment, account, stamp };
    let is_noted = match &event.happened {
        Happened::SessionCompleted {
            payment: Some(payment),
            is_paid: true,
            amount: Some(amount),
            currency: Some(currency),
            metadata,
            ..
        } => hearing.on_page(payment, (*amount, *currency), metadata).await?,
        Happened::PaymentSucceeded { payment, amount, currency, metadata } => {
            hearing.on_page(payment, (*amount, *currency), metadata).await?
                || hearing.by_itself(AutoInvoiceEvent::PaymentSucceeded, payment).await?
        }
        Happened::InvoicePaid { invoice } => {
            hearing.by_itself(AutoInvoiceEvent::InvoicePaid, invoice).await?
        }
        Happened::Disconnected => {
            deauthorized(store, environment, account, &event.id, stamp).await?
        }
        Happened::PaymentFailed { payment, message, metadata, .. } => {
            let told = Declined { event: &event.id, payment, why: message };
            hearing.declined(told, metadata).await?
        }
        Happened::SessionCompleted { .. }
        | Happened::CardReady { .. }
        | Happened::CardChosen { .. }
        | Happened::Other => false,
    };
    Ok(if is_noted { Heard::Noted } else { Heard::Nothing })
}

struct Hearing<'a> {
    store: &'a dyn Store,
    services: CardServices<'a>,
    environment: Environment,
    account: &'a str,
    stamp: &'a Stamp,
}

impl Hearing<'_> {
    /// Records a payment that was made on a page of a document.
    async fn on_page(
        &self,
        payment: &str,
        (amount, currency): (i64, Currency),
        metadata: &BTreeMap<String, String>,
    ) -> Result<bool, CardError> {
        let Self { store, services, environment, account, stamp } = *self;
        let page = page_of(store, metadata.get(SESSION), account).await?;
        let Some(page) = page.filter(|_| amount > 0) else { return Ok(false) };
        let taken = Taken { account, payment, amount, currency };
        paid(store, services, environment, &page, &taken, stamp).await
    }

    /// Notes that a card was declined on a page of a document.
    async fn declined(
        &self,
        told: Declined<'_>,
        metadata: &BTreeMap<String, String>,
    ) -> Result<bool, CardError> {
        let Self { store, environment, account, stamp, .. } = *self;
        match page_of(store, metadata.get(SESSION), account).await? {
            Some(page) => declined(store, environment, &page, told, stamp).await,
            None => Ok(false),
        }
    }

    /// Makes an invoice of `object`, where the entity's settings want that.
    async fn by_itself(&self, event: AutoInvoiceEvent, object: &str) -> Result<bool, CardError> {
        let Self { store, services, environment, account, stamp } = *self;
        let key = PaymentApp::key_of(environment, account);
        let found: Vec<PaymentApp> = store.look_up(&PAYMENT_APPS, "account_key", &key).await?;
        let Some(app) = found.into_iter().find(|app| app.invoices(event)) else {
            return Ok(false);
        };
        let Some((scope, entity)) = enter_as_recipient(store, app.entity_id).await? else {
            return Err(StoreError::Unavailable("the entity is disabled".to_owned()).into());
        };
        let cx = Context::new(store, &scope, stamp);
        invoice_by_itself(cx, services, &entity, object).await?;
        Ok(true)
    }
}
