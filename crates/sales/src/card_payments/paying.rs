//! A shared invoice is paid by card: on a page of the processor, into the account of its entity.

use racun_access::{Entity, enter_as_recipient};
use racun_card_payments::{
    CARD_SESSIONS, CardProcessor, CardRefusal, CheckoutOrder, PAYMENT_APPS, PaySession, PaymentApp,
    ProcessorError, SessionOrder, SessionPurpose, SessionState, choose, minor_units,
};
use racun_documents::{Document, DocumentError, DocumentKind, Stage};
use racun_fiscalization::may_be_paid_by;
use racun_kernel::{PaymentType, Stamp, Tenant};
use racun_store::{Context, Put, Store, StoreError, Writes};
use time::OffsetDateTime;

use super::connection::end_page;
use super::error::CardError;
use crate::error::Error;

/// How often a page is chosen again when the document changes.
const ATTEMPTS: usize = 3;
/// The property of a page that names it: see [`super::hearing`].
pub(super) const SESSION: &str = "racun_session";
/// The one that names the document.
pub(super) const DOCUMENT: &str = "racun_document";

/// How money of the processor counts: it does not say which sort of card it was.
pub(super) const PAID_BY: PaymentType = PaymentType::Card;

/// Where who pays a document comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payer {
    /// The page of the document that the processor leads back to when it was paid.
    pub success_url: String,
    /// The one when it was not.
    pub cancel_url: String,
}

/// Whether the holder of the link of `document` can pay it by card now.
///
/// # Errors
/// When the store fails.
pub async fn can_be_paid(
    store: &dyn Store,
    cards: &dyn CardProcessor,
    document: &Document,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    if due(document, now).is_err() {
        return Ok(false);
    }
    let (tenant, id) = (Tenant::entity(document.entity_id), document.entity_id.to_string());
    let app: Option<PaymentApp> = store.get(&PAYMENT_APPS, &tenant, &id).await?;
    Ok(app.is_some_and(|app| app.account.is_some() && cards.serves(app.environment)))
}

/// What is due of `document`, in the currency's smallest unit.
///
/// An advance invoice is issued when it is paid, so it never has anything due.
fn due(document: &Document, now: OffsetDateTime) -> Result<i64, CardRefusal> {
    let refused = |why| Err(CardRefusal::NotPayable(why));
    let is_there = document.deleted_at.is_none();
    match document.stage {
        Stage::Issued(_) if is_there && document.id.kind() == DocumentKind::Invoice => {}
        Stage::Issued(_) | Stage::Draft => return refused("it is no issued invoice"),
        Stage::Voided(..) => return refused("it is void"),
    }
    let due = document.total_due();
    if !due.is_positive() {
        return refused("nothing of it is due");
    }
    if !may_be_paid_by(document, PAID_BY, now) {
        return refused("it was issued without the tax authority, which has to know of cards");
    }
    let amount = minor_units(&due, document.content.currency);
    amount.ok_or(CardRefusal::NotPayable("what is due is no amount that cards pay"))
}

/// The address of the page on which what is due of the shared `document` is paid: the same while
/// that is the same. Pages for another amount are ended first, so no one pays twice.
///
/// # Errors
/// [`CardRefusal::NoAccount`], [`CardRefusal::NotPayable`], [`CardRefusal::TooManySessions`]; what
/// the processor says; the store's failure.
pub async fn pay(
    store: &dyn Store,
    cards: &dyn CardProcessor,
    document: &Document,
    payer: &Payer,
    stamp: &Stamp,
) -> Result<String, CardError> {
    let unknown = || StoreError::NotFound { id: document.id.to_string() };
    let place = enter_as_recipient(store, document.entity_id).await?;
    let (scope, entity) = place.ok_or_else(unknown)?;
    let cx = Context::new(store, &scope, stamp);
    let app: Option<PaymentApp> = cx.get(&PAYMENT_APPS, entity.id).await?;
    let account = app.and_then(|app| app.account).ok_or(CardRefusal::NoAccount)?;
    if !cards.serves(entity.environment) {
        return Err(ProcessorError::NotConnected.into());
    }
    let paying = Paying { cx, cards, entity: &entity, document, payer, account: &account.id };
    for _ in 0..ATTEMPTS {
        if let Some(url) = paying.attempt().await? {
            return Ok(url);
        }
    }
    Err(DocumentError::ChangedMeanwhile.into())
}

/// Somebody who wants to pay.
struct Paying<'a> {
    cx: Context<'a>,
    cards: &'a dyn CardProcessor,
    entity: &'a Entity,
    document: &'a Document,
    payer: &'a Payer,
    account: &'a str,
}

impl Paying<'_> {
    /// The address; `None` when what is due changed while the processor was asked.
    async fn attempt(&self) -> Result<Option<String>, CardError> {
        let (chosen, outdated) = self.choose().await?;
        for page in outdated {
            end_page(self.cx, self.cards, self.entity.environment, page).await?;
        }
        match &chosen.url {
            Some(url) if chosen.state == SessionState::Open => Ok(Some(url.clone())),
            _ => self.make(chosen).await,
        }
    }

    /// Chooses the page, and says which are to be ended at the processor. What is due is looked at
    /// where the page is stored, under the hold on the document.
    async fn choose(&self) -> Result<(PaySession, Vec<PaySession>), CardError> {
        let id = self.document.id;
        let (account, payer) = (self.account.to_owned(), self.payer.clone());
        let mut unit = self.cx.unit();
        let document = unit.hold(racun_documents::table_of(id.kind()), id);
        let sessions = unit.hold_where(&CARD_SESSIONS, "document_id", id);
        unit.decide(move |held| {
            let (actor, document): (_, Document) = (held.actor(), held.one(document)?);
            let now = actor.now();
            let order = SessionOrder {
                document_id: id,
                account,
                amount: due(&document, now)?,
                currency: document.content.currency,
                description: document.number(),
                success_url: payer.success_url,
                cancel_url: payer.cancel_url,
            };
            let new = PaySession::new(actor.stamp().id(), document.entity_id, order, now);
            let choice = choose(held.all(sessions)?, new, now)?;
            let mut writes = Writes::default();
            if choice.is_new {
                writes = writes.insert(&choice.session);
            }
            for (before, after) in &choice.outdated {
                let put = (before != after).then(|| Put::update(before, after));
                writes = writes.puts(put);
            }
            let writes = choice.forgotten.iter().fold(writes, Writes::delete);
            let live = |page: &PaySession| page.state == SessionState::Outdated;
            let outdated = choice.outdated.into_iter().map(|(_, after)| after).filter(live);
            Ok::<_, CardError>(((choice.session, outdated.collect()), writes))
        })
        .await
    }

    /// Has the processor make the page: once, by the key that it is stored with.
    async fn make(&self, page: PaySession) -> Result<Option<String>, CardError> {
        let order = &page.order;
        let named = [(SESSION, page.id.to_string()), (DOCUMENT, order.document_id.to_string())];
        let asked = CheckoutOrder {
            purpose: SessionPurpose::Payment {
                amount: order.amount,
                currency: order.currency,
                description: order.description.clone(),
            },
            customer: None,
            account: Some(order.account.clone()),
            success_url: order.success_url.clone(),
            cancel_url: order.cancel_url.clone(),
            metadata: named.map(|(name, value)| (name.to_owned(), value)).into(),
            idempotency_key: page.id.to_string(),
        };
        let environment = self.entity.environment;
        let made = match self.cards.checkout(environment, &asked).await {
            Ok(made) => made,
            Err(error @ ProcessorError::Refused { .. }) => {
                end_page(self.cx, self.cards, environment, page).await?;
                return Err(error.into());
            }
            Err(error) => return Err(error.into()),
        };
        let mut unit = self.cx.unit();
        let held_page = unit.hold(&CARD_SESSIONS, page.id);
        let (own, now) = (made.clone(), self.cx.now());
        let after = unit.decide(move |held| {
            let before: PaySession = held.one(held_page)?;
            let after = before.clone().made(&own, now);
            let put = (after != before).then(|| Put::update(&before, &after));
            Ok::<_, Error>((after, Writes::default().puts(put)))
        });
        let after = after.await?;
        if after.state == SessionState::Open {
            return Ok(after.url);
        }
        // What is due changed: no one has this address yet, and no one gets it.
        let lost = PaySession { session: Some(made.id), ..after };
        end_page(self.cx, self.cards, environment, lost).await?;
        Ok(None)
    }
}
