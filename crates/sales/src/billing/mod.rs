//! Subscriptions: what they allow, what is counted, and what time makes of them.
//!
//! | Module   | Owns                                                           |
//! | -------- | -------------------------------------------------------------- |
//! | `cards`      | giving a card: intents, pages, and their events      |
//! | `collecting` | the job of a bill that is collected by card                  |
//! | `ending` | how a payment ended, as the operator says                       |
//! | `labels` | where white labels come from, and how they are managed         |
//! | `meter`  | documents and stores counted in the unit that causes it        |
//! | `worker` | subscriptions of all tenants whose month or period ends        |
//!
//! An entity says itself whether it has a subscription, so one that has none costs no read. What is
//! read is as it is now: time that passed since it was written is reckoned with.

pub mod cards;
mod collecting;
mod ending;
mod labels;
mod meter;
mod worker;

use racun_access::{ACCOUNTS, Account, Entity};
use racun_billing::{
    AddOn, AtEnd, BillingError, Catalogue, Chosen, Coupon, EndedMonth, Feature, Happening,
    Interval, NewSubscription, PaymentProvider, Plan, SUBSCRIPTIONS, Subscription, USAGE_MONTHS,
    UsageMonth, WhiteLabel, choose_add_ons, due_put, subscription_id,
};
use racun_kernel::id::AccountId;
use racun_kernel::{Issue, Stamp, Tenant};
use racun_store::{Actor, Context, ListQuery, Put, Store, StoreError, Writes};
use time::OffsetDateTime;

pub use collecting::{CollectionHandler, Told, hear_payment};
pub use ending::{BillEnd, bills_of, end_bill};
pub use labels::{LabelSource, list_labels, put_label, remove_label};
pub(crate) use meter::Meter;
pub use meter::StoreMeter;
pub use worker::{LIMITS, run_due};

/// The white label that the account signed up under, as long as the catalogue has it; the
/// catalogue's default for an account that came under none.
///
/// # Errors
/// When the store fails.
pub async fn label_of<'a>(
    store: &dyn Store,
    catalogue: &'a Catalogue,
    account: AccountId,
) -> Result<Option<&'a WhiteLabel>, StoreError> {
    if catalogue.is_empty() {
        return Ok(None);
    }
    let found: Option<Account> =
        store.get(&ACCOUNTS, &Tenant::directory(), &account.to_string()).await?;
    Ok(match found.and_then(|account| account.white_label) {
        Some(slug) => catalogue.by_slug(&slug),
        None => catalogue.default_label(),
    })
}

/// The rows with which the subscription of a new entity under `label` begins.
pub fn start_puts(label: Option<&WhiteLabel>, entity: &Entity, stamp: &Stamp) -> Vec<Put> {
    let new = |white_label| NewSubscription {
        entity_id: entity.id,
        account_id: entity.account_id,
        environment: entity.environment,
        white_label,
    };
    let started = label.and_then(|label| Subscription::start(new(label), stamp));
    let rows = |started: Subscription| {
        [Some(Put::insert(&started)), due_put(None, &started)].into_iter().flatten()
    };
    started.into_iter().flat_map(rows).collect()
}

/// The entity's subscription as it is now.
///
/// # Errors
/// [`BillingError::NoSubscription`], or the store's failure.
pub async fn get(cx: Context<'_>, entity: &Entity) -> Result<Subscription, BillingError> {
    if !entity.is_subscribed {
        return Err(BillingError::NoSubscription);
    }
    let id = subscription_id(cx.scope.entity()).to_string();
    let found: Option<Subscription> = cx.store.get(&SUBSCRIPTIONS, &cx.tenant(), &id).await?;
    let found = found.ok_or(BillingError::NoSubscription)?;
    Ok(found.advance(cx.now()).subscription)
}

/// Accepts the use of `features`; of an entity without a subscription all may be used.
///
/// # Errors
/// [`racun_billing::NotAllowed`], or the store's failure.
pub async fn require(
    cx: Context<'_>,
    entity: &Entity,
    features: &[Feature],
) -> Result<(), BillingError> {
    if !entity.is_subscribed || features.is_empty() {
        return Ok(());
    }
    let subscription = get(cx, entity).await?;
    for feature in features {
        subscription.require(*feature)?;
    }
    Ok(())
}

/// Says where bills are sent; `None`: nowhere of its own.
///
/// # Errors
/// [`BillingError::NoSubscription`], an issue at `billing_email`, or the store's failure.
pub async fn set_billing_email(
    cx: Context<'_>,
    entity: &Entity,
    email: Option<String>,
) -> Result<Subscription, BillingError> {
    if !entity.is_subscribed {
        return Err(BillingError::NoSubscription);
    }
    if let Some(Err(issue)) = email.as_deref().map(racun_kernel::check_address) {
        return Err(racun_kernel::Issues::from(issue.at("billing_email")).into());
    }
    let now = cx.now();
    amend(cx, move |before| {
        let mut after = before;
        if after.billing_email != email {
            after.billing_email = email;
            after.updated_at = now;
        }
        Ok(Change::of(after))
    })
    .await
}

/// Ends the subscription when its period ends. Choosing its plan again before that keeps it.
///
/// # Errors
/// [`BillingError::NoSubscription`], or the store's failure.
pub async fn cancel(cx: Context<'_>, entity: &Entity) -> Result<Subscription, BillingError> {
    if !entity.is_subscribed {
        return Err(BillingError::NoSubscription);
    }
    let now = cx.now();
    amend(cx, move |before| {
        let (after, happened) = before.cancel(now);
        Ok(Change { happened, ..Change::of(after) })
    })
    .await
}

/// What activating a plan came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activated {
    /// The subscription.
    pub subscription: Subscription,
    /// Whether the plan begins at the end of the period only.
    pub is_scheduled: bool,
}

/// Which plan is chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its slug.
    pub plan_slug: String,
    /// How often it is to be paid.
    pub interval: Interval,
    /// A code that the white label knows.
    pub coupon_code: Option<String>,
    /// What is wanted beside the plan, by slug, with how many; `None` leaves what there is.
    pub add_ons: Option<Vec<(String, i64)>>,
}

/// Chooses a plan of the entity's white label. One with a price is paid by the card on file, or
/// from account to account. `has_processor` says whether cards of the entity can be charged.
///
/// # Errors
/// [`BillingError::NoSubscription`], issues at the fields of the choice,
/// [`BillingError::NoPayment`], [`BillingError::NoCard`], [`BillingError::Overdue`], or the
/// store's failure.
pub async fn activate(
    cx: Context<'_>,
    catalogue: &Catalogue,
    has_processor: bool,
    entity: &Entity,
    choice: Choice,
) -> Result<Activated, BillingError> {
    let seen = get(cx, entity).await?;
    let now = cx.now();
    let order = chosen(catalogue, has_processor, &seen, &choice, now)?;
    let Order { plan, provider, coupon, add_ons } = order;
    let (interval, coupon_code) = (choice.interval, choice.coupon_code);
    let subscription = amend(cx, move |before| {
        if provider.is_some() && !before.owes.is_empty() {
            return Err(BillingError::Overdue);
        }
        let chosen = before.choose(&plan, interval, provider, coupon_code, now);
        let Chosen { subscription, ended, happened, .. } = chosen;
        let mut after = subscription.with_extras(coupon, add_ons, now);
        // What is there beside a free plan is paid, too.
        after.payment_provider = after.payment_provider.or(provider);
        Ok(Change { after, ended, happened })
    })
    .await?;
    let is_scheduled = matches!(subscription.at_end, AtEnd::Change { .. });
    Ok(Activated { subscription, is_scheduled })
}

/// What is chosen, and how it is paid.
struct Order {
    plan: Plan,
    provider: Option<PaymentProvider>,
    coupon: Option<Coupon>,
    add_ons: Option<Vec<(AddOn, i64)>>,
}

fn chosen(
    catalogue: &Catalogue,
    has_processor: bool,
    seen: &Subscription,
    choice: &Choice,
    now: OffsetDateTime,
) -> Result<Order, BillingError> {
    let gone = || Issue::new("invalid_value", "the white label sells nothing any more");
    let label = catalogue.by_slug(&seen.white_label);
    let label = label.ok_or_else(|| racun_kernel::Issues::from(gone().at("plan_slug")))?;
    let plan = label.choose(&choice.plan_slug, choice.interval)?.clone();
    let coupon = choice.coupon_code.as_deref();
    let coupon = coupon.map(|code| label.coupon(code, now.date())).transpose()?.flatten();
    let wanted = choice.add_ons.as_ref();
    let add_ons = wanted.map(|wanted| choose_add_ons(&label.add_ons, wanted)).transpose();
    let add_ons = add_ons.map_err(|issues| issues.at("add_ons"))?;
    let costs = |(one, quantity): &(AddOn, i64)| one.price_cents > 0 && *quantity > 0;
    let kept = seen.add_ons.iter().any(|one| one.add_on.price_cents > 0 && one.quantity > 0);
    let is_free = plan.is_free() && !add_ons.as_ref().map_or(kept, |all| all.iter().any(costs));
    let provider = match is_free {
        true => None,
        false => Some(way_to_pay(label, has_processor, seen, &plan)?),
    };
    Ok(Order { plan, provider, coupon, add_ons })
}

/// How `plan` is paid: by card where one is on file, else by bank.
fn way_to_pay(
    label: &WhiteLabel,
    has_processor: bool,
    seen: &Subscription,
    plan: &Plan,
) -> Result<PaymentProvider, BillingError> {
    let by_card = has_processor && label.takes(PaymentProvider::CardProcessor);
    let plan = || plan.name.clone();
    match (by_card, seen.payer()) {
        (true, Some(_)) => Ok(PaymentProvider::CardProcessor),
        _ if label.takes(PaymentProvider::Bank) => Ok(PaymentProvider::Bank),
        (true, None) => Err(BillingError::NoCard { plan: plan() }),
        (false, _) => Err(BillingError::NoPayment { plan: plan() }),
    }
}

/// The bills of the entity's months that are over, the newest first, a hundred at most.
///
/// # Errors
/// [`BillingError::NoSubscription`], or the store's failure.
pub async fn list_bills(cx: Context<'_>, entity: &Entity) -> Result<Vec<UsageMonth>, BillingError> {
    if !entity.is_subscribed {
        return Err(BillingError::NoSubscription);
    }
    let query = ListQuery { limit: 100, count: false, ..ListQuery::first_page(&USAGE_MONTHS) };
    Ok(cx.store.page(&USAGE_MONTHS, &cx.tenant(), &query).await?.rows)
}

/// What a command makes of a subscription.
struct Change {
    after: Subscription,
    ended: Option<EndedMonth>,
    happened: Option<Happening>,
}

impl Change {
    /// Of the subscription alone.
    const fn of(after: Subscription) -> Self {
        Self { after, ended: None, happened: None }
    }
}

/// Holds the subscription, advances it to now, and writes what `decide` makes of it.
async fn amend(
    cx: Context<'_>,
    decide: impl FnOnce(Subscription) -> Result<Change, BillingError> + Send + 'static,
) -> Result<Subscription, BillingError> {
    let mut unit = cx.unit();
    let row = unit.hold(&SUBSCRIPTIONS, subscription_id(cx.scope.entity()));
    unit.decide(move |held| amended(&held.one(row)?, held.actor(), decide)).await
}

/// The subscription that is `before`, advanced to now, as `decide` makes it, with all that is
/// written for that.
fn amended(
    before: &Subscription,
    actor: &Actor,
    decide: impl FnOnce(Subscription) -> Result<Change, BillingError>,
) -> Result<(Subscription, Writes), BillingError> {
    let advanced = before.clone().advance(actor.now());
    let (mut ended, mut happened) = (advanced.ended, advanced.happened);
    let change = decide(advanced.subscription)?;
    ended.extend(change.ended);
    happened.extend(change.happened);
    let after = change.after;
    if after == *before {
        return Ok((after, Writes::default()));
    }
    let writes = beside(before, &after, ended, happened, &actor.id(), actor.stamp());
    let writes = writes.update(before, &after);
    Ok((after, writes))
}

/// What is written besides a subscription that changed from `before` to `after`: the months that
/// ended, the jobs that collect their bills, the row by which workers find it, the events that the
/// account receives.
fn beside(
    before: &Subscription,
    after: &Subscription,
    ended: Vec<EndedMonth>,
    happened: Vec<Happening>,
    actor: &str,
    stamp: &Stamp,
) -> Writes {
    let mut puts = Vec::new();
    for month in ended {
        let month = UsageMonth::new(after.entity_id, month, stamp);
        puts.push(Put::insert(&month));
        puts.extend(month.collection.is_some().then(|| collecting::job(&month, stamp).put()));
    }
    puts.extend(due_put(Some(before), after));
    let events = happened.into_iter().map(|what| after.event(what, actor, stamp));
    Writes { puts, events: events.collect(), takes_number: false }
}
