//! The account of an entity, and its settings.

use racun_access::Entity;
use racun_card_payments::events::payment_app as events;
use racun_card_payments::{
    CARD_SESSIONS, CONSENTS, CardProcessor, CardRefusal, ConnectedAccount, Consent, PAYMENT_APPS,
    PaySession, PaymentApp, PaymentAppInput, ProcessorError, SessionState,
};
use racun_kernel::{Environment, Principal, Stamp, Tenant, Vault};
use racun_store::{
    Clause, Context, Event, Held, ListQuery, Operator, Put, Store, StoreError, Writes,
};

use super::consent::{State, open};
use super::error::CardError;
use crate::error::Error;

/// Pages that are ended between two looks at the store.
const AT_ONCE: usize = 50;

/// The account of `entity` with its settings; that of one that never had any when there is none.
///
/// # Errors
/// When the store fails.
pub async fn get(cx: Context<'_>, entity: &Entity) -> Result<PaymentApp, StoreError> {
    let found = cx.get(&PAYMENT_APPS, entity.id).await?;
    Ok(found.unwrap_or_else(|| PaymentApp::none(entity.id, entity.environment, cx.now())))
}

/// The entity's app that is held, or one of an entity that never had any.
fn found_or_none(held: &Held, found: Option<&PaymentApp>, environment: Environment) -> PaymentApp {
    let actor = held.actor();
    let none = || PaymentApp::none(actor.entity_id(), environment, actor.now());
    found.cloned().unwrap_or_else(none)
}

/// Changes the settings. What says nothing new is no change.
///
/// # Errors
/// What is wrong with the input, by path; the store's failure.
pub async fn update(
    cx: Context<'_>,
    entity: &Entity,
    input: PaymentAppInput,
) -> Result<PaymentApp, Error> {
    let (mut unit, environment) = (cx.unit(), entity.environment);
    let app = unit.hold(&PAYMENT_APPS, entity.id);
    unit.decide(move |held| {
        let found: Option<PaymentApp> = held.find(app)?;
        let before = found_or_none(held, found.as_ref(), environment);
        let after = before.clone().changed(input, held.actor().now())?;
        if after == before {
            return Ok((after, Writes::default()));
        }
        let event = held.actor().event(events::SETTINGS_UPDATED, after.entity_id);
        let writes = Writes::default().put(Put::write(found.as_ref(), &after)).events([event]);
        Ok((after, writes))
    })
    .await
}

/// Gives the entity of `cx` the account that waits under `state`, which `asked_by` has to have
/// asked for. With `force` it takes the place of another account, and comes from another entity.
///
/// # Errors
/// [`CardError::BadConsent`]; [`CardRefusal::OtherEnvironment`], [`CardRefusal::OtherAccount`],
/// [`CardRefusal::AccountTaken`]; the store's failure.
pub async fn connect(
    cx: Context<'_>,
    entity: &Entity,
    (vault, cards): (Option<&dyn Vault>, &dyn CardProcessor),
    (state, asked_by): (&str, &str),
    force: bool,
) -> Result<PaymentApp, CardError> {
    let State { id, environment, asked_by: own, .. } = open(vault, state, cx.now())?;
    if own != asked_by {
        return Err(CardError::BadConsent);
    }
    if environment != entity.environment {
        return Err(CardRefusal::OtherEnvironment.into());
    }
    let waiting: Option<Consent> = cx.store.get(&CONSENTS, &Tenant::directory(), &id).await?;
    let waiting = waiting.ok_or(CardError::BadConsent)?;
    let key = PaymentApp::key_of(environment, &waiting.account.id);
    let others: Vec<PaymentApp> = cx.store.look_up(&PAYMENT_APPS, "account_key", &key).await?;
    let other = others.into_iter().find(|app| app.entity_id != entity.id);
    if other.is_some() && !force {
        return Err(CardRefusal::AccountTaken.into());
    }
    let replaced = take(cx, waiting, other, force).await?;
    if let Some(replaced) = replaced.replaced {
        // It serves no entity any more. Whether the processor hears of it changes nothing here.
        let _ = cards.disconnect(environment, &replaced.id).await;
    }
    Ok(replaced.app)
}

/// A connection that was made, and the account that was there before.
struct Connected {
    app: PaymentApp,
    replaced: Option<ConnectedAccount>,
}

async fn take(
    cx: Context<'_>,
    waiting: Consent,
    other: Option<PaymentApp>,
    force: bool,
) -> Result<Connected, CardError> {
    let mut unit = cx.unit();
    let environment = waiting.environment;
    let consent = unit.hold_of(Tenant::directory(), &CONSENTS, &waiting.id);
    let own = unit.hold(&PAYMENT_APPS, cx.scope.entity());
    let other = other.map(|app| app.entity_id);
    let other = other.map(|id| unit.hold_of(Tenant::entity(id), &PAYMENT_APPS, id));
    let taken = unit.decide(move |held| {
        let now = held.actor().now();
        let waiting: Consent = held.find(consent)?.ok_or(CardError::BadConsent)?;
        if waiting.is_used || waiting.until < now {
            return Err(CardError::BadConsent);
        }
        let found: Option<PaymentApp> = held.find(own)?;
        let before = found_or_none(held, found.as_ref(), environment);
        let app = before.clone().connected(waiting.account.clone(), force, now)?;
        let used = Consent { is_used: true, ..waiting.clone() };
        let mut writes = Writes::default().update(&waiting, &used);
        let other: Option<PaymentApp> = held.find(other)?;
        let wanted = &waiting.account.id;
        let has_it = |app: &PaymentApp| app.account.as_ref().is_some_and(|own| own.id == *wanted);
        // The account leaves the other entity first, for it serves one.
        if let Some(before) = other.filter(has_it) {
            let after = before.clone().disconnected(None, now);
            let event = ended(&after, held.actor().stamp());
            writes = writes.update(&before, &after).events([event]);
        }
        if app != before {
            let event = held.actor().event(events::CONNECTED, app.entity_id);
            writes = writes.put(Put::write(found.as_ref(), &app)).events([event]);
        }
        let replaced = before.account.filter(|account| account.id != *wanted);
        Ok((Connected { app, replaced }, writes))
    });
    match taken.await {
        // Another entity took it at one moment.
        Err(CardError::Sales(Error::Document(racun_documents::DocumentError::Store(
            StoreError::Duplicate { table, .. },
        )))) if table == PAYMENT_APPS.name => Err(CardRefusal::AccountTaken.into()),
        taken => taken,
    }
}

/// That the account of `app` ended by what another did.
fn ended(app: &PaymentApp, stamp: &Stamp) -> Event {
    let (tenant, id) = (Tenant::entity(app.entity_id), app.entity_id.to_string());
    Event::new(tenant, events::DISCONNECTED, id, Principal::System.id(), stamp)
}

/// Gives the entity's account up: its pages end, and the processor hears of it first, so what is
/// repeated after a crash ends alike.
///
/// # Errors
/// [`CardRefusal::NoAccount`]; a processor that does not answer; the store's failure.
pub async fn disconnect(
    cx: Context<'_>,
    entity: &Entity,
    cards: &dyn CardProcessor,
) -> Result<PaymentApp, CardError> {
    let account = get(cx, entity).await?.account.ok_or(CardRefusal::NoAccount)?;
    end_pages(cx, entity, cards).await?;
    gone(cards.disconnect(entity.environment, &account.id).await)?;
    let mut unit = cx.unit();
    let app = unit.hold(&PAYMENT_APPS, entity.id);
    unit.decide(move |held| {
        let before: PaymentApp = held.one(app)?;
        if before.account.as_ref().is_none_or(|own| own.id != account.id) {
            return Ok((before, Writes::default()));
        }
        let after = before.clone().disconnected(None, held.actor().now());
        let event = held.actor().event(events::DISCONNECTED, after.entity_id);
        Ok((after.clone(), Writes::default().update(&before, &after).events([event])))
    })
    .await
}

/// What the processor refuses to end has ended there.
pub(super) fn gone(answer: Result<(), ProcessorError>) -> Result<(), ProcessorError> {
    match answer {
        Err(ProcessorError::Refused { .. }) => Ok(()),
        answer => answer,
    }
}

/// Ends all pages of the entity on which somebody could still pay.
async fn end_pages(
    cx: Context<'_>,
    entity: &Entity,
    cards: &dyn CardProcessor,
) -> Result<(), CardError> {
    let live = [SessionState::Making, SessionState::Open, SessionState::Outdated];
    let names = live.iter().map(|state| state.name().into()).collect();
    let query = ListQuery {
        limit: AT_ONCE,
        count: false,
        clauses: vec![Clause::on(&CARD_SESSIONS, "state", Operator::In(names))],
        ..ListQuery::first_page(&CARD_SESSIONS)
    };
    loop {
        let pages = cx.page::<PaySession>(&CARD_SESSIONS, &query).await?.rows;
        if pages.is_empty() {
            return Ok(());
        }
        for page in pages {
            end_page(cx, cards, entity.environment, page).await?;
        }
    }
}

/// Ends a page: at the processor, then here.
pub(super) async fn end_page(
    cx: Context<'_>,
    cards: &dyn CardProcessor,
    environment: Environment,
    page: PaySession,
) -> Result<(), CardError> {
    if let Some(session) = &page.session {
        let account = Some(page.order.account.as_str());
        gone(cards.expire(environment, account, session).await)?;
    }
    let mut unit = cx.unit();
    let held_page = unit.hold(&CARD_SESSIONS, page.id);
    let ended = unit.decide(move |held| {
        let before: PaySession = held.one(held_page)?;
        let after = before.clone().ended(held.actor().now());
        let put = (after != before).then(|| Put::update(&before, &after));
        Ok::<_, StoreError>(((), Writes::default().puts(put)))
    });
    Ok(ended.await?)
}

/// The consent of `account` was taken back, as the processor's event `event` says: its entity has
/// no account any more. The same event again ends no later connection.
pub(super) async fn deauthorized(
    store: &dyn Store,
    environment: Environment,
    account: &str,
    event: &str,
    stamp: &Stamp,
) -> Result<bool, CardError> {
    let key = PaymentApp::key_of(environment, account);
    let found: Vec<PaymentApp> = store.look_up(&PAYMENT_APPS, "account_key", &key).await?;
    let Some(found) = found.into_iter().next() else { return Ok(false) };
    let (account, event, stamp) = (account.to_owned(), event.to_owned(), stamp.clone());
    let mut unit = store.unit(Tenant::entity(found.entity_id));
    let app = unit.hold(&PAYMENT_APPS, found.entity_id);
    unit.decide(move |held| {
        let before: PaymentApp = held.one(app)?;
        let is_its = before.account.as_ref().is_some_and(|own| own.id == account);
        if !is_its || before.ended_by.as_ref() == Some(&event) {
            return Ok((false, Writes::default()));
        }
        let after = before.clone().disconnected(Some(event), stamp.now());
        let writes = Writes::default().update(&before, &after).events([ended(&after, &stamp)]);
        Ok((true, writes))
    })
    .await
}
