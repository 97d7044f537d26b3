//! The job of a bill that is collected by card, and what the processor tells of its payments.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use racun_access::enter_as_recipient;
use racun_background::clock::Clock;
use racun_background::jobs::{
    Ending, Handler, Job, JobKind, LeaseError, NewJob, Outcome, still_held,
};
use racun_billing::{
    Attempt, Begun, BillingError, Collection, SUBSCRIPTIONS, Subscription, Sum, Taken, Turn,
    USAGE_MONTHS, UsageMonth, subscription_id,
};
use racun_card_payments::{
    AMOUNT_TOO_SMALL, CardProcessor, Outcome as Answer, PaymentOrder, ProcessorError,
};
use racun_kernel::calendar::format_date;
use racun_kernel::id::{EntityId, UsageMonthId};
use racun_kernel::{Currency, Environment, Scope, Stamp};
use racun_store::{Actor, Context, One, Store, StoreError, UnitBuilder, Writes};
use time::OffsetDateTime;

use super::labels::LabelSource;
use super::{Change, amended};

/// What events of the processor name a subscription by.
pub(super) const SUBSCRIPTION: &str = "racun_subscription";
/// What they name its entity by.
pub(super) const ENTITY: &str = "racun_entity";
/// What they name a bill by.
const BILL: &str = "racun_bill";
/// What they name an attempt to collect it by.
const ATTEMPT: &str = "racun_attempt";

/// The job that collects `bill`.
pub(super) fn job(bill: &UsageMonth, stamp: &Stamp) -> Job {
    let new = NewJob {
        kind: JobKind::SubscriptionCollection,
        entity_id: Some(bill.entity_id),
        subject: bill.id.to_string(),
        payload: String::new(),
    };
    Job::new(new, stamp)
}

/// The entity that invoices what `own` pays; `None` where the operator names none.
pub(super) async fn issuer(
    store: &dyn Store,
    labels: &LabelSource,
    own: &Subscription,
) -> Result<Option<EntityId>, StoreError> {
    let labels = labels.read(store).await?;
    Ok(labels.by_slug(&own.white_label).and_then(|label| label.billing_entity_id))
}

/// The job that issues the invoice of `bill` in the entity `issuer`.
fn invoice_job(bill: &UsageMonth, issuer: EntityId, stamp: &Stamp) -> Job {
    let new = NewJob {
        kind: JobKind::SubscriptionInvoice,
        entity_id: Some(issuer),
        subject: bill.id.to_string(),
        payload: bill.entity_id.to_string(),
    };
    Job::new(new, stamp)
}

/// The job that mails who subscribes that the last attempt to collect `bill` was declined.
fn declined_mail(bill: &UsageMonth, collection: &Collection, stamp: &Stamp) -> Job {
    let new = NewJob {
        kind: JobKind::SubscriptionMail,
        entity_id: Some(bill.entity_id),
        subject: bill.id.to_string(),
        payload: collection.attempts.to_string(),
    };
    Job::new(new, stamp)
}

/// Collects bills by card.
pub struct CollectionHandler {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// Who charges cards.
    pub cards: Arc<dyn CardProcessor>,
    /// Where the white labels come from.
    pub labels: LabelSource,
    /// What time it is, and where ids come from.
    pub stamp: Clock,
}

#[async_trait]
impl Handler for CollectionHandler {
    fn kind(&self) -> JobKind {
        JobKind::SubscriptionCollection
    }

    async fn run(&self, job: &Job) -> Outcome {
        match self.collect(job).await {
            Ok(()) | Err(Stopped::Lease(LeaseError::Lost)) => Outcome::Ended,
            Err(error) => Outcome::Ends(Ending::Failed { error: error.to_string(), wait: None }),
        }
    }
}

/// Why the work on a job stops.
#[derive(Debug, thiserror::Error)]
enum Stopped {
    #[error(transparent)]
    Lease(#[from] LeaseError),
    #[error(transparent)]
    Billing(#[from] BillingError),
    #[error("the job names no bill")]
    Unreadable,
    #[error("the entity is disabled")]
    Disabled,
}

impl From<StoreError> for Stopped {
    fn from(error: StoreError) -> Self {
        Self::Billing(error.into())
    }
}

impl CollectionHandler {
    async fn collect(&self, job: &Job) -> Result<(), Stopped> {
        let ids = job.entity_id.zip(job.subject.parse::<UsageMonthId>().ok());
        let (entity, id) = ids.ok_or(Stopped::Unreadable)?;
        let place = enter_as_recipient(&*self.store, entity).await?;
        let (scope, entity) = place.ok_or(Stopped::Disabled)?;
        let Some(begun) = self.begin(job, &scope, id).await? else { return Ok(()) };
        let number = begun.attempt.number;
        let taken = self.charge(entity.environment, &begun).await;
        let invoices_by = issuer(&*self.store, &self.labels, &begun.own).await?;
        let settling = Settling { bill: id, number, taken, invoices_by };
        let (own_job, stamp) = (job.clone(), (self.stamp)());
        let mut unit = Context::new(&*self.store, &scope, &stamp).unit();
        let (job, rows) = (own_job.hold(&mut unit), settling.hold(&mut unit));
        unit.decide(move |held| {
            let job = still_held(&own_job, held.find(job)?)?;
            let (Some(bill), own) = (held.find(rows.0)?, held.one(rows.1)?) else {
                return Ok(((), Writes::default().put(job.done())));
            };
            let actor = held.actor();
            let (bill, writes) = settling.settle(bill, &own, actor)?;
            let collection = bill.collection.as_ref();
            let next = match collection.and_then(|one| one.next_look(actor.now())) {
                Some(due) => job.later(due, actor.now()),
                None => job.done(),
            };
            Ok(((), writes.put(next)))
        })
        .await
    }

    /// Begins what is due: an attempt is stored before it is made. `None` when nothing is due, and
    /// the job has been ended or put off.
    async fn begin(
        &self,
        job: &Job,
        scope: &Scope,
        id: UsageMonthId,
    ) -> Result<Option<BegunAttempt>, Stopped> {
        let (own_job, stamp) = (job.clone(), (self.stamp)());
        let mut unit = Context::new(&*self.store, scope, &stamp).unit();
        let job = own_job.hold(&mut unit);
        let (bill, own) = hold(&mut unit, id);
        let cards = Arc::clone(&self.cards);
        unit.decide(move |held| {
            let now = held.actor().now();
            let job = still_held(&own_job, held.find(job)?)?;
            let found: Option<UsageMonth> = held.find(bill)?;
            let Some((before, collection)) =
                found.and_then(|bill| bill.collection.clone().map(|one| (bill, one)))
            else {
                return Ok((None, Writes::default().put(job.done())));
            };
            let own: Subscription = held.one(own)?;
            let least = own.currency.parse::<Currency>().map(|one| cards.minimum(one));
            let sum = Sum { cents: before.due_cents(), minimum: least.unwrap_or(0) };
            match collection.begin(own.payer(), sum, now) {
                Begun::Over => Ok((None, Writes::default().put(job.done()))),
                Begun::Waits(due) => Ok((None, Writes::default().put(job.later(due, now)))),
                Begun::Carried(collection) => {
                    let turn = (*collection, Some(Turn::Carried));
                    let (_, writes) = settled(&before, &own, turn, None, held.actor())?;
                    Ok((None, writes.put(job.done())))
                }
                Begun::Charge(collection, attempt) => {
                    let bill = UsageMonth { collection: Some(*collection), ..before.clone() };
                    let is_new = bill != before;
                    let writes = match is_new {
                        true => Writes::default().update(&before, &bill),
                        false => Writes::default(),
                    };
                    Ok((Some(BegunAttempt { attempt, bill, own, is_new }), writes))
                }
            }
        })
        .await
    }

    /// Charges the card: what is sent follows from the bill and the attempt alone.
    async fn charge(&self, environment: Environment, begun: &BegunAttempt) -> Taken {
        let BegunAttempt { attempt, bill, own, .. } = begun;
        let Ok(currency) = own.currency.parse::<Currency>() else { return Taken::Unknown };
        let month = bill.usage.month;
        let (from, to) = (format_date(month.start.date()), format_date(month.end.date()));
        let metadata = [
            (SUBSCRIPTION, own.id.to_string()),
            (ENTITY, own.entity_id.to_string()),
            (BILL, bill.id.to_string()),
            (ATTEMPT, attempt.number.to_string()),
        ];
        let order = PaymentOrder {
            customer: attempt.payer.customer.clone(),
            payment_method: attempt.payer.payment_method.clone(),
            amount: bill.due_cents(),
            currency,
            description: format!("{}, {from} to {to}", bill.plan_slug),
            metadata: metadata.map(|(name, value)| (name.to_owned(), value)).into(),
            idempotency_key: bill.attempt_key(attempt.number),
        };
        match self.cards.charge(environment, &order).await {
            Ok(Answer::Succeeded { payment }) => Taken::Paid(payment),
            Ok(Answer::Processing { payment }) => Taken::Processing(payment),
            Err(ProcessorError::Refused { code: Some(code), .. }) if code == AMOUNT_TOO_SMALL => {
                Taken::TooSmall
            }
            Ok(Answer::Declined { message, .. }) | Err(ProcessorError::Refused { message, .. }) => {
                Taken::Declined(message)
            }
            // One that was begun before may have been sent then.
            Err(ProcessorError::NotConnected) if begun.is_new => Taken::NotSent,
            Err(ProcessorError::NoAnswer(_) | ProcessorError::NotConnected) => Taken::Unknown,
        }
    }
}

/// An attempt that is stored, and now to be made.
struct BegunAttempt {
    attempt: Attempt,
    bill: UsageMonth,
    own: Subscription,
    /// Whether it is made for the first time.
    is_new: bool,
}

/// Holds the bill and the subscription of the unit's entity.
pub(super) fn hold(
    unit: &mut UnitBuilder<'_>,
    bill: UsageMonthId,
) -> (One<UsageMonth>, One<Subscription>) {
    let own = subscription_id(unit.by().entity_id());
    (unit.hold(&USAGE_MONTHS, bill), unit.hold(&SUBSCRIPTIONS, own))
}

/// The end of an attempt, on its way to the store.
struct Settling {
    bill: UsageMonthId,
    number: u32,
    taken: Taken,
    /// The operator's entity that invoices what was collected.
    invoices_by: Option<EntityId>,
}

impl Settling {
    fn hold(&self, unit: &mut UnitBuilder<'_>) -> (One<UsageMonth>, One<Subscription>) {
        hold(unit, self.bill)
    }

    /// The bill as it becomes, with all that is written for that.
    fn settle(
        self,
        before: UsageMonth,
        own: &Subscription,
        actor: &Actor,
    ) -> Result<(UsageMonth, Writes), BillingError> {
        let now = actor.now();
        let Some(collection) = before.collection.clone() else {
            return Ok((before, Writes::default()));
        };
        let (collection, turn) =
            collection.settle(self.number, self.taken, own.payer().as_ref(), now);
        settled(&before, own, (collection, turn), self.invoices_by, actor)
    }
}

/// The bill `before` with its collection after a turn, and all that is written for that; where it
/// was paid, `invoices_by` invoices it.
pub(super) fn settled(
    before: &UsageMonth,
    own: &Subscription,
    (collection, turn): (Collection, Option<Turn>),
    invoices_by: Option<EntityId>,
    actor: &Actor,
) -> Result<(UsageMonth, Writes), BillingError> {
    let bill = UsageMonth { collection: Some(collection), ..before.clone() };
    if bill == *before {
        return Ok((bill, Writes::default()));
    }
    let (_, writes) = amended(own, actor, |own| Ok(turned(own, turn, &bill, actor.now())))?;
    let issuer = invoices_by.filter(|_| turn == Some(Turn::Paid));
    let invoice = issuer.map(|issuer| invoice_job(&bill, issuer, actor.stamp()).put());
    let declined = bill.collection.as_ref().filter(|_| turn == Some(Turn::Declined));
    let mail = declined.map(|one| declined_mail(&bill, one, actor.stamp()).put());
    let writes = writes.update(before, &bill).puts(invoice).puts(mail);
    Ok((bill, writes))
}

fn turned(own: Subscription, turn: Option<Turn>, bill: &UsageMonth, now: OffsetDateTime) -> Change {
    match turn {
        Some(Turn::Paid) => Change::of(own.bill_paid(bill.id, now)),
        Some(Turn::Carried) => Change::of(own.bill_carried(bill.id, bill.due_cents(), now)),
        Some(Turn::Declined) => {
            let (after, happened) = own.bill_declined(bill.id, now);
            Change { after, ended: None, happened }
        }
        None => Change::of(own),
    }
}

/// What the processor told of a payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// In which environment.
    pub environment: Environment,
    /// What the payment was made with.
    pub metadata: BTreeMap<String, String>,
    /// How much was taken, and in which currency, where it was.
    pub amount: Option<(i64, Currency)>,
    /// How the attempt went.
    pub taken: Taken,
}

/// Takes over what the processor told of a payment of a bill. What is of no bill, of another
/// environment or amount, or known already, changes nothing.
///
/// # Errors
/// When the store fails; then it has to be told again.
pub async fn hear_payment(
    store: &dyn Store,
    labels: &LabelSource,
    told: Told,
    stamp: &Stamp,
) -> Result<(), BillingError> {
    let named = |name: &str| told.metadata.get(name);
    let entity = named(ENTITY).and_then(|id| id.parse::<EntityId>().ok());
    let bill = named(BILL).and_then(|id| id.parse::<UsageMonthId>().ok());
    let number = named(ATTEMPT).and_then(|number| number.parse::<u32>().ok());
    let (Some(entity), Some(bill), Some(number)) = (entity, bill, number) else { return Ok(()) };
    let Some((scope, entity)) = enter_as_recipient(store, entity).await? else { return Ok(()) };
    if entity.environment != told.environment {
        return Ok(());
    }
    let cx = Context::new(store, &scope, stamp);
    let seen: Option<Subscription> = cx.get(&SUBSCRIPTIONS, subscription_id(entity.id)).await?;
    let Some(seen) = seen else { return Ok(()) };
    let invoices_by = issuer(store, labels, &seen).await?;
    let settling = Settling { bill, number, taken: told.taken, invoices_by };
    let mut unit = cx.unit();
    let rows = settling.hold(&mut unit);
    let amount = told.amount;
    unit.decide(move |held| {
        let (found, own) = (held.find(rows.0)?, held.one::<Subscription>(rows.1)?);
        let is_its = |bill: &UsageMonth| {
            let is_known = |collection: &Collection| number <= collection.attempts;
            bill.collection.as_ref().is_some_and(is_known)
                && amount.as_ref().is_none_or(|(cents, currency)| {
                    *cents == bill.due_cents() && currency.code() == own.currency
                })
        };
        let Some(bill) = found.filter(is_its) else { return Ok(((), Writes::default())) };
        Ok(((), settling.settle(bill, &own, held.actor())?.1))
    })
    .await
}
