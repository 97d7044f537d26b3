//! Giving a card: what a client's page needs, the processor's own pages, and their events.

use racun_access::{Digest, Entity, enter_as_recipient};
use racun_background::jobs::{JOBS, Job, JobKind};
use racun_billing::{
    BillingError, CardOnFile, Catalogue, Chosen, Interval, PaymentProvider, PendingCheckout, Plan,
    SUBSCRIPTIONS, Subscription, USAGE_MONTHS, UsageMonth, WhiteLabel, subscription_id,
};
use racun_card_payments::{
    Card, CardProcessor, CheckoutOrder, ProcessorError, SessionPurpose, SetupIntent,
};
use racun_kernel::Environment;
use racun_kernel::id::EntityId;
use racun_store::{Actor, Context, One, Put, Store, StoreError, Writes};
use std::collections::BTreeMap;

use super::collecting::{self, ENTITY, SUBSCRIPTION};
use super::{Change, amend, amended, get};

/// What events of the processor name a page by.
const CHECKOUT: &str = "racun_checkout";

/// Why a card cannot be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    /// The subscription does not allow it, or the store failed.
    #[error(transparent)]
    Billing(#[from] BillingError),
    /// The processor refused it, or gave no answer.
    #[error(transparent)]
    Processor(#[from] ProcessorError),
}

impl From<StoreError> for CardError {
    fn from(error: StoreError) -> Self {
        Self::Billing(error.into())
    }
}

/// A subscription whose white label takes cards, and who charges them.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    /// Who acts where, and when.
    pub cx: Context<'a>,
    /// Who charges cards.
    pub cards: &'a dyn CardProcessor,
    /// The white labels.
    pub labels: &'a Catalogue,
    /// The entity.
    pub entity: &'a Entity,
}

/// A plan that is chosen on the processor's page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckoutChoice {
    /// Its slug.
    pub plan_slug: String,
    /// How often it is to be paid.
    pub interval: Interval,
    /// Where the person goes who gave a card.
    pub success_url: String,
    /// Where who did not.
    pub cancel_url: String,
}

impl<'a> Desk<'a> {
    /// The subscription, with its white label.
    ///
    /// # Errors
    /// [`BillingError::NoCards`] where it takes none.
    async fn open(&self) -> Result<(Subscription, &'a WhiteLabel), CardError> {
        let own = get(self.cx, self.entity).await?;
        let label = self.labels.by_slug(&own.white_label);
        let label = label.filter(|label| label.takes(PaymentProvider::CardProcessor));
        match label.filter(|_| self.cards.serves(self.entity.environment)) {
            Some(label) => Ok((own, label)),
            None => Err(BillingError::NoCards.into()),
        }
    }

    /// Begins to take a card: the client's page gives it to the processor with the secret.
    ///
    /// # Errors
    /// [`CardError`].
    pub async fn set_up(&self) -> Result<SetupIntent, CardError> {
        let (own, _) = self.open().await?;
        let customer = own.customer.as_deref();
        // The first one makes the customer: repeated, it makes no second one. Processors refuse a
        // key with anything else than it had before, so the key follows from the name, too.
        let key = match customer {
            None => {
                let name = Digest::of(&self.entity.name);
                format!("{}-customer-{}", own.id, name.as_str())
            }
            Some(_) => format!("{}-{}", own.id, self.cx.stamp.ulid()),
        };
        let environment = self.entity.environment;
        let intent = self.cards.set_up(environment, customer, &self.entity.name, &key).await?;
        if own.customer.is_none() {
            let (customer, now) = (intent.customer.clone(), self.cx.now());
            amend(self.cx, move |own| Ok(Change::of(own.known_as(&customer, now)))).await?;
        }
        Ok(intent)
    }

    /// Who pays, as the processor knows them; made where there is no customer yet.
    async fn customer(&self, own: &Subscription) -> Result<String, CardError> {
        match &own.customer {
            Some(customer) => Ok(customer.clone()),
            None => Ok(self.set_up().await?.customer),
        }
    }

    /// Makes the card the one that pays, and tries at once what was declined.
    ///
    /// # Errors
    /// [`CardError`].
    pub async fn give(&self, payment_method: &str) -> Result<Subscription, CardError> {
        let (own, _) = self.open().await?;
        let customer = self.customer(&own).await?;
        let card = self.cards.attach(self.entity.environment, &customer, payment_method).await?;
        Ok(keep(self.cx, &own, card, None).await?)
    }

    /// The address of the processor's page on which a card is given. When that is done, the plan
    /// is activated.
    ///
    /// # Errors
    /// [`CardError`]; issues at the fields of the choice.
    pub async fn check_out(&self, choice: CheckoutChoice) -> Result<String, CardError> {
        let (own, label) = self.open().await?;
        let CheckoutChoice { plan_slug, interval, success_url, cancel_url } = choice;
        label.choose(&plan_slug, interval).map_err(BillingError::from)?;
        if !own.owes.is_empty() {
            return Err(BillingError::Overdue.into());
        }
        let customer = self.customer(&own).await?;
        let key = format!("{}-{}", own.id, self.cx.stamp.ulid());
        let (pending, now) =
            (PendingCheckout { key: key.clone(), plan_slug, interval }, self.cx.now());
        // Before the page is made, for its events name it.
        amend(self.cx, move |own| Ok(Change::of(own.with_checkout(pending, now)))).await?;
        let named = [
            (SUBSCRIPTION, own.id.to_string()),
            (ENTITY, own.entity_id.to_string()),
            (CHECKOUT, key.clone()),
        ];
        let order = CheckoutOrder {
            purpose: SessionPurpose::Setup,
            customer: Some(customer),
            account: None,
            success_url,
            cancel_url,
            metadata: named.map(|(name, value)| (name.to_owned(), value)).into(),
            idempotency_key: key,
        };
        Ok(self.cards.checkout(self.entity.environment, &order).await?.url)
    }

    /// The address of the processor's page on which cards are managed.
    ///
    /// # Errors
    /// [`CardError`]; [`BillingError::NoCard`] where none was given yet.
    pub async fn portal(&self, return_url: &str) -> Result<String, CardError> {
        let (own, _) = self.open().await?;
        let plan = own.plan.name.clone();
        let payer = own.payer().ok_or(BillingError::NoCard { plan })?;
        Ok(self.cards.portal(self.entity.environment, &payer.customer, return_url).await?)
    }
}

/// A card that a person gave on a page of the processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenCard {
    /// In which environment.
    pub environment: Environment,
    /// Who gave it.
    pub customer: Option<String>,
    /// The card.
    pub payment_method: String,
    /// What the page was made with.
    pub metadata: BTreeMap<String, String>,
}

/// Takes over a card that was given on a page of the processor, and activates the plan that it was
/// given for. What is of no page that is open, or of another environment or customer, changes
/// nothing.
///
/// # Errors
/// [`CardError`]; then it has to be told again.
pub async fn hear_card(
    store: &dyn Store,
    cards: &dyn CardProcessor,
    labels: &Catalogue,
    given: GivenCard,
    stamp: &racun_kernel::Stamp,
) -> Result<(), CardError> {
    let named = |name: &str| given.metadata.get(name);
    let id = named(ENTITY).and_then(|id| id.parse::<EntityId>().ok());
    let (Some(id), Some(key)) = (id, named(CHECKOUT)) else { return Ok(()) };
    let Some((scope, entity)) = enter_as_recipient(store, id).await? else { return Ok(()) };
    if entity.environment != given.environment || !entity.is_subscribed {
        return Ok(());
    }
    let cx = Context::new(store, &scope, stamp);
    let own = get(cx, &entity).await?;
    let pending = own.checkouts.iter().find(|known| known.key == *key).cloned();
    let (Some(pending), Some(customer)) = (pending, own.customer.clone()) else { return Ok(()) };
    if given.customer.is_some_and(|other| other != customer) {
        return Ok(());
    }
    let card = match cards.attach(given.environment, &customer, &given.payment_method).await {
        // A card that went before that pays nothing.
        Err(ProcessorError::Refused { .. }) => return Ok(()),
        attached => attached?,
    };
    let label = labels.by_slug(&own.white_label);
    let plan = label.and_then(|label| label.choose(&pending.plan_slug, pending.interval).ok());
    let page = Page { key: pending.key, plan: plan.cloned(), interval: pending.interval };
    keep(cx, &own, card, Some(page)).await?;
    Ok(())
}

/// Takes over the card that `customer` of the processor pays with since somebody chose another one
/// on the processor's page, and tries at once what was declined. Which card that is, the processor
/// is asked, so an event that arrives late brings no earlier card back. What is of no subscription
/// with a card, or of another environment, changes nothing.
///
/// # Errors
/// [`CardError`]; then it has to be told again.
pub async fn hear_choice(
    store: &dyn Store,
    cards: &dyn CardProcessor,
    (environment, customer): (Environment, &str),
    stamp: &racun_kernel::Stamp,
) -> Result<(), CardError> {
    let known: Vec<Subscription> = store.look_up(&SUBSCRIPTIONS, "customer_key", customer).await?;
    for own in known {
        let Some((scope, entity)) = enter_as_recipient(store, own.entity_id).await? else {
            continue;
        };
        let Some(before) = own.card.as_ref().filter(|_| entity.environment == environment) else {
            continue;
        };
        let chosen = match cards.chosen(environment, customer).await {
            // The customer went, or the card again.
            Err(ProcessorError::Refused { .. }) => None,
            chosen => chosen?,
        };
        let other = chosen.filter(|card| card.id != before.payment_method);
        if let Some(card) = other {
            keep(Context::new(store, &scope, stamp), &own, card, None).await?;
        }
    }
    Ok(())
}

/// The page on which a card was given, with the plan that it was given for, as it is sold now.
struct Page {
    key: String,
    plan: Option<Plan>,
    interval: Interval,
}

/// Stores the card, and makes the jobs due that collect what `seen` owes: the new card is tried at
/// once. A page that is not open any more changes nothing.
async fn keep(
    cx: Context<'_>,
    seen: &Subscription,
    card: Card,
    page: Option<Page>,
) -> Result<Subscription, BillingError> {
    let mut unit = cx.unit();
    let row: One<Subscription> = unit.hold(&SUBSCRIPTIONS, subscription_id(seen.entity_id));
    let mut owed: Vec<(One<UsageMonth>, Vec<One<Job>>)> = Vec::new();
    for bill in &seen.owes {
        let jobs: Vec<Job> = cx.store.look_up(&JOBS, "subject", &bill.to_string()).await?;
        let is_own = |job: &&Job| job.kind == JobKind::SubscriptionCollection;
        let jobs = jobs.iter().filter(is_own).map(|job| job.hold(&mut unit)).collect();
        owed.push((unit.hold(&USAGE_MONTHS, *bill), jobs));
    }
    unit.decide(move |held| {
        let (before, actor) = (held.one::<Subscription>(row)?, held.actor());
        if page.as_ref().is_some_and(|page| before.checkouts.iter().all(|one| one.key != page.key))
        {
            return Ok((before, Writes::default()));
        }
        let (after, mut writes) =
            amended(&before, actor, |own| Ok(with_card(own, card, page, actor)))?;
        for (bill, jobs) in owed {
            let Some(bill) = held.find(bill)? else { continue };
            let mut found = Vec::new();
            for job in jobs {
                found.extend(held.find(job)?);
            }
            writes = writes.puts(hurried(&bill, &found, actor));
        }
        Ok((after, writes))
    })
    .await
}

fn with_card(own: Subscription, card: Card, page: Option<Page>, actor: &Actor) -> Change {
    let now = actor.now();
    let Card { id, brand, last4 } = card;
    let own = own.with_card(CardOnFile { payment_method: id, brand, last4 }, now);
    let Some(Page { key, plan, interval }) = page else { return Change::of(own) };
    let own = own.without_checkout(&key).0;
    let Some(plan) = plan.filter(|_| own.owes.is_empty()) else { return Change::of(own) };
    let by_card = Some(PaymentProvider::CardProcessor);
    let chosen = own.choose(&plan, interval, by_card, None, now);
    let Chosen { subscription, ended, happened, .. } = chosen;
    Change { after: subscription, ended, happened }
}

/// What makes the collection of `bill` due now.
fn hurried(bill: &UsageMonth, jobs: &[Job], actor: &Actor) -> Vec<Put> {
    let now = actor.now();
    let Some(collection) = bill.collection.clone() else { return Vec::new() };
    let after = UsageMonth { collection: Some(collection.hurried(now)), ..bill.clone() };
    if after == *bill {
        return Vec::new();
    }
    let is_alive = |job: &&Job| job.due_at.is_some();
    let job = match jobs.iter().find(is_alive) {
        Some(job) => job.hurried(now),
        None => Some(collecting::job(&after, actor.stamp()).put()),
    };
    [Some(Put::update(bill, &after)), job].into_iter().flatten().collect()
}
