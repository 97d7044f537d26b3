//! Mails to who subscribes: that a card was declined, and the operator's invoice of a bill.
//!
//! Their jobs are left in the commit that ends an attempt declined, or issues the invoice, so none
//! is forgotten. Each mail is written once, however often its job is done.

use std::sync::Arc;

use async_trait::async_trait;
use racun_access::{AccessError, Entity, enter_as_recipient, first_outside_sandbox};
use racun_background::clock::Clock;
use racun_background::jobs::{Ending, Handler, Job, JobKind, LeaseError, Outcome, still_held};
use racun_billing::{
    Collection, CollectionState, SUBSCRIPTIONS, Subscription, USAGE_MONTHS, UsageMonth, WhiteLabel,
    subscription_id,
};
use racun_delivery::mailing::{LetterRequest, MailingError, SendRequest};
use racun_delivery::outbox::posted;
use racun_delivery::webhooks::address_of;
use racun_documents::DocumentId;
use racun_kernel::id::{EntityId, UsageMonthId};
use racun_kernel::{Currency, Decimal, Environment, Scope};
use racun_mail::{MailKind, MailLimits, NewMail, OutgoingMail, PRODUCT, amount, day, defused};
use racun_sales::billing::LabelSource;
use racun_store::{Context, Store, StoreError, Writes};
use racun_webhooks::Owner;

use crate::document_mails::{Letters, ending};

/// The locale of what is written here: as other notices of the service, in English.
const LOCALE: &str = "en-US";

/// Mails to subscribers what became of their bills.
pub struct BillMailHandler {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// Where the white labels come from, in whose name is written.
    pub labels: LabelSource,
    /// The base of links in mails.
    pub base: Arc<str>,
    /// How much may be sent.
    pub limits: MailLimits,
    /// What time it is, and where ids come from.
    pub stamp: Clock,
}

#[async_trait]
impl Handler for BillMailHandler {
    fn kind(&self) -> JobKind {
        JobKind::SubscriptionMail
    }

    async fn run(&self, job: &Job) -> Outcome {
        let failed = |error: String| Outcome::Ends(Ending::Failed { error, wait: None });
        let place = match job.entity_id {
            Some(entity) => enter_as_recipient(&*self.store, entity).await,
            None => Ok(None),
        };
        let place = match place {
            Ok(Some(place)) => place,
            Ok(None) => return Outcome::Ends(Ending::Done),
            Err(error) => return failed(error.to_string()),
        };
        if let Ok(document) = job.subject.parse::<DocumentId>() {
            return Outcome::Ends(match self.invoice(&place, job, document).await {
                Ok(()) => Ending::Done,
                Err(error) => ending(&error),
            });
        }
        match self.decline(&place, job).await {
            Ok(()) | Err(LeaseError::Lost) => Outcome::Ended,
            Err(error) => failed(error.to_string()),
        }
    }
}

impl BillMailHandler {
    /// Mails the operator's invoice, in the name of the entity that issued it.
    async fn invoice(
        &self,
        issuer: &(Scope, Entity),
        job: &Job,
        document: DocumentId,
    ) -> Result<(), MailingError> {
        let (store, stamp) = (&*self.store, (self.stamp)());
        let Ok(buyer) = job.payload.parse::<EntityId>() else { return Ok(()) };
        let Some((scope, buyer)) = enter_as_recipient(store, buyer).await? else { return Ok(()) };
        let own = subscription(Context::new(store, &scope, &stamp)).await?;
        let Some(to) = address(store, &buyer, own.as_ref()).await? else { return Ok(()) };
        let request = SendRequest {
            to,
            document_id: Some(document),
            letter: LetterRequest {
                locale: Some(buyer.locale),
                // Who subscribes is no user of the operator's account, to whom alone the sandbox
                // sends.
                sandbox_skip_delivery: issuer.1.environment == Environment::Sandbox,
                ..LetterRequest::default()
            },
            attach_pdf: true,
            attach_eslog: false,
        };
        let letters = Letters { store: &self.store, base: &self.base, limits: self.limits };
        letters.mail_once(issuer, format!("bill_mail/{document}"), request, &stamp).await
    }

    /// Mails that a card was declined, in the commit that ends the job.
    async fn decline(&self, place: &(Scope, Entity), job: &Job) -> Result<(), LeaseError> {
        let stamp = (self.stamp)();
        let cx = Context::new(&*self.store, &place.0, &stamp);
        let puts = match self.declined(cx, &place.1, job).await? {
            Some(mail) => {
                let outside = first_outside_sandbox(cx, &mail.to).await.map_err(failure)?;
                let is_simulated = outside.is_some();
                posted(mail, is_simulated, &stamp).1
            }
            None => Vec::new(),
        };
        let own_job = job.clone();
        let mut unit = cx.unit();
        let row = own_job.hold(&mut unit);
        unit.decide(move |held| {
            let job = still_held(&own_job, held.find(row)?)?;
            Ok::<_, LeaseError>(((), Writes::default().puts(puts).put(job.done())))
        })
        .await
    }

    /// The mail about the declined attempt that `job` is about; `None` where the bill is paid
    /// since or tried again, or there is no address to write to.
    async fn declined(
        &self,
        cx: Context<'_>,
        entity: &Entity,
        job: &Job,
    ) -> Result<Option<OutgoingMail>, StoreError> {
        let (Ok(bill), Ok(attempt)) =
            (job.subject.parse::<UsageMonthId>(), job.payload.parse::<u32>())
        else {
            return Ok(None);
        };
        let bill: Option<UsageMonth> = cx.get(&USAGE_MONTHS, bill).await?;
        let Some((bill, own)) = bill.zip(subscription(cx).await?) else { return Ok(None) };
        let is_it = |one: &&Collection| {
            one.attempts == attempt && one.state != CollectionState::Paid && one.in_flight.is_none()
        };
        let Some(collection) = bill.collection.as_ref().filter(is_it) else { return Ok(None) };
        let Some(to) = address(cx.store, entity, Some(&own)).await? else { return Ok(None) };
        let labels = self.labels.read(cx.store).await?;
        let product = labels.by_slug(&own.white_label).map_or(PRODUCT, WhiteLabel::product);
        let new = NewMail {
            account_id: Some(entity.account_id),
            entity_id: Some(entity.id),
            kind: MailKind::Billing,
            about: vec![bill.id.to_string()],
            sender_name: None,
            reply_to: None,
            to: vec![to],
            subject: format!("{product}: your card was declined"),
            text: text(&bill, collection, &own, entity),
            html: None,
        };
        Ok(Some(OutgoingMail::queued(new, cx.stamp)))
    }
}

/// What came in the way of a look at people: the store alone does.
fn failure(error: AccessError) -> StoreError {
    match error {
        AccessError::Store(error) => error,
        other => StoreError::Unavailable(other.to_string()),
    }
}

async fn subscription(cx: Context<'_>) -> Result<Option<Subscription>, StoreError> {
    cx.get(&SUBSCRIPTIONS, subscription_id(cx.scope.entity())).await
}

/// Where bills of `entity` are sent: the address that its subscription has for them, else its own,
/// else that of its admin.
async fn address(
    store: &dyn Store,
    entity: &Entity,
    own: Option<&Subscription>,
) -> Result<Option<String>, StoreError> {
    let chosen = own.and_then(|own| own.billing_email.clone()).or_else(|| entity.email.clone());
    match chosen {
        Some(address) => Ok(Some(address)),
        None => {
            let (account_id, entity_id) = (entity.account_id, entity.id);
            address_of(store, Owner::Entity { account_id, entity_id }).await
        }
    }
}

/// What a mail says of a bill that was declined.
fn text(bill: &UsageMonth, collection: &Collection, own: &Subscription, entity: &Entity) -> String {
    let currency = own.currency.parse().unwrap_or(Currency::EUR);
    let money = amount(&Decimal::new(bill.due_cents(), 2), currency, LOCALE);
    let month = bill.usage.month;
    let (from, to) = (day(month.start.date(), LOCALE), day(month.end.date(), LOCALE));
    let why = collection.failure.as_deref().unwrap_or("the card was declined");
    let next = match collection.due_at {
        Some(at) => format!("It will be tried again on {}.", day(at.date(), LOCALE)),
        None => "It will not be tried again by itself.".to_owned(),
    };
    format!(
        "The subscription of {}, from {from} to {to}: your card could not be charged {money} \
         {currency}. The card processor says: {why}\n\n{next} Another card is charged at once: \
         give one where the subscription is managed. What is not paid ends the subscription with \
         its month.\n",
        defused(&entity.name),
    )
}
