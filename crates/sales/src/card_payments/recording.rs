//! Money that was paid on a page becomes a payment of its document, once.

use racun_access::{Entity, enter_as_recipient};
use racun_card_payments::events::card_payment::FAILED;
use racun_card_payments::{
    CARD_CHARGES, CARD_SESSIONS, CardRefusal, Charge, ChargeState, NewCharge, PaySession,
    SessionOrder, amount_of,
};
use racun_documents::DocumentId;
use racun_kernel::{Currency, Environment, Stamp};
use racun_settlement::NewPayment;
use racun_store::{Context, Put, Store, StoreError, Writes};

use super::CardServices;
use super::error::CardError;
use super::paying::PAID_BY;
use crate::error::Error;
use crate::payments::record_charge;

/// Money, as the processor tells of it.
#[derive(Debug, Clone)]
pub(super) struct Taken<'a> {
    /// The account that took it.
    pub account: &'a str,
    /// The payment: `pi_…`.
    pub payment: &'a str,
    /// How much, in the currency's smallest unit.
    pub amount: i64,
    /// In which currency.
    pub currency: Currency,
}

impl Taken<'_> {
    /// The same as money that was paid on `page`.
    fn on(&self, page: &PaySession) -> NewCharge {
        NewCharge {
            id: self.payment.to_owned(),
            entity_id: page.entity_id,
            account: self.account.to_owned(),
            paid: Some((page.id, page.order.document_id)),
            amount: self.amount,
            currency: self.currency,
        }
    }
}

/// The page that `named` names, when its money goes to `account`: whose event it is cannot be said
/// by who writes metadata.
pub(super) async fn page_of(
    store: &dyn Store,
    named: Option<&String>,
    account: &str,
) -> Result<Option<PaySession>, StoreError> {
    let Some(id) = named else { return Ok(None) };
    let found: Vec<PaySession> = store.look_up(&CARD_SESSIONS, "own_id", id).await?;
    Ok(found.into_iter().find(|page| page.order.account == account))
}

/// Records `taken`, which was paid on `page`. What was recorded before stays as it is.
///
/// # Errors
/// What says nothing of the money, such as the store's failure: it is to be told again.
pub(super) async fn paid(
    store: &dyn Store,
    services: CardServices<'_>,
    environment: Environment,
    page: &PaySession,
    taken: &Taken<'_>,
    stamp: &Stamp,
) -> Result<bool, CardError> {
    let place = enter_as_recipient(store, page.entity_id).await?;
    let Some((scope, entity)) = place else {
        return Err(StoreError::Unavailable("the entity is disabled".to_owned()).into());
    };
    if entity.environment != environment {
        return Ok(false);
    }
    let cx = Context::new(store, &scope, stamp);
    let charge = note(cx, page, taken).await?;
    if charge.state == ChargeState::Waiting {
        record(cx, services, &entity, charge).await?;
    }
    Ok(true)
}

/// A decline, as the processor tells of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declined<'a> {
    /// The event that tells it.
    pub event: &'a str,
    /// The payment: `pi_…`.
    pub payment: &'a str,
    /// What the processor said.
    pub why: &'a str,
}

/// Notes that a card was declined on `page`, and says so once for each event of the processor.
///
/// # Errors
/// As [`paid`].
pub(super) async fn declined(
    store: &dyn Store,
    environment: Environment,
    page: &PaySession,
    told: Declined<'_>,
    stamp: &Stamp,
) -> Result<bool, CardError> {
    let place = enter_as_recipient(store, page.entity_id).await?;
    let Some((scope, _)) = place.filter(|(_, entity)| entity.environment == environment) else {
        return Ok(false);
    };
    let SessionOrder { account, amount, currency, .. } = &page.order;
    let (amount, currency) = (*amount, *currency);
    let new = Taken { account, payment: told.payment, amount, currency }.on(page);
    let mut unit = Context::new(store, &scope, stamp).unit();
    let known = unit.hold(&CARD_CHARGES, &new.id);
    let (event, why) = (told.event.to_owned(), told.why.to_owned());
    unit.decide(move |held| {
        let now = held.actor().now();
        let before: Option<Charge> = held.find(known)?;
        let first = before.clone().unwrap_or_else(|| Charge::not_taken(new, now));
        let after = first.declined(&why, &event, now);
        if before.as_ref() == Some(&after) {
            return Ok::<_, StoreError>(((), Writes::default()));
        }
        let event = held.actor().event(FAILED, &after.id);
        Ok(((), Writes::default().put(Put::write(before.as_ref(), &after)).events([event])))
    })
    .await?;
    Ok(true)
}

/// Stores that money was taken, before anything is decided on it: the money that is there already
/// stays.
async fn note(cx: Context<'_>, page: &PaySession, taken: &Taken<'_>) -> Result<Charge, StoreError> {
    let new = taken.on(page);
    let mut unit = cx.unit();
    let session = unit.hold(&CARD_SESSIONS, page.id);
    let known = unit.hold(&CARD_CHARGES, &new.id);
    let id = new.id.clone();
    let noted = unit.decide(move |held| {
        let now = held.actor().now();
        let known: Option<Charge> = held.find(known)?;
        let charge = match known.clone() {
            Some(known) => known.taken(new, now),
            None => Charge::new(new, now),
        };
        if known.as_ref() == Some(&charge) {
            return Ok((charge, Writes::default()));
        }
        let before: Option<PaySession> = held.find(session)?;
        let page = before.map(|before| Put::update(&before, &before.clone().paid(now)));
        let writes = Writes::default().put(Put::write(known.as_ref(), &charge)).puts(page);
        Ok::<_, StoreError>((charge, writes))
    });
    match noted.await {
        Err(StoreError::Duplicate { .. }) => cx.one(&CARD_CHARGES, id).await,
        noted => noted,
    }
}

/// Makes the payment of `charge`, in the commit that notes it on the charge. What refuses it is
/// noted, and no error.
///
/// # Errors
/// As [`paid`].
pub(super) async fn record(
    cx: Context<'_>,
    services: CardServices<'_>,
    entity: &Entity,
    charge: Charge,
) -> Result<Charge, CardError> {
    let document = charge.document_id.as_ref().map(DocumentId::to_string);
    let new = NewPayment {
        document_id: document,
        amount: Some(amount_of(charge.amount, charge.currency)),
        reference: Some(charge.id.clone()),
        ..NewPayment::new(PAID_BY)
    };
    let made = record_charge(services.payments(cx), entity, new, charge.id.clone()).await;
    match made.map_err(CardError::from) {
        Ok(_) | Err(CardError::Sales(Error::Card(CardRefusal::Recorded))) => {
            Ok(cx.one(&CARD_CHARGES, charge.id).await?)
        }
        Err(error) if error.is_of_the_moment() => Err(error),
        Err(refused) => Ok(failed(cx, charge, &refused.to_string()).await?),
    }
}

/// Notes why `charge` is not recorded, and says so the first time. One that is not there yet is
/// stored so.
pub(super) async fn failed(
    cx: Context<'_>,
    charge: Charge,
    why: &str,
) -> Result<Charge, StoreError> {
    let mut unit = cx.unit();
    let known = unit.hold(&CARD_CHARGES, &charge.id);
    let why = why.to_owned();
    unit.decide(move |held| {
        let before: Option<Charge> = held.find(known)?;
        let after = before.clone().unwrap_or(charge).failed(&why, held.actor().now());
        if before.as_ref() == Some(&after) {
            return Ok((after, Writes::default()));
        }
        let put = Put::write(before.as_ref(), &after);
        let is_news = before.is_none_or(|before| before.state != after.state);
        let event = is_news.then(|| held.actor().event(FAILED, &after.id));
        Ok((after, Writes::default().put(put).events(event)))
    })
    .await
}
