//! How a payment of a bill ended, as the operator says: what no event of the processor told, and
//! what was paid by bank.

use racun_access::enter_as_recipient;
use racun_billing::{
    BillingError, Collection, SUBSCRIPTIONS, Subscription, Taken, USAGE_MONTHS, UsageMonth,
    subscription_id,
};
use racun_kernel::id::{EntityId, UsageMonthId};
use racun_kernel::{Scope, Stamp};
use racun_store::{Context, ListQuery, Store, Writes};

use super::collecting::{hold, issuer, job, settled};
use super::labels::LabelSource;

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BillEnd {
    /// The money is there, by what this names: the processor's id of the payment, or the bank's.
    Paid(String),
    /// There is none: a card is tried again.
    NotPaid,
}

/// Where the entity `id` is, and its subscription.
async fn subscriber(
    store: &dyn Store,
    id: EntityId,
) -> Result<(Scope, Subscription), BillingError> {
    let place = enter_as_recipient(store, id).await?;
    let place = place.filter(|(_, entity)| entity.is_subscribed);
    let (scope, _) = place.ok_or(BillingError::NoSubscription)?;
    let own = store.get(&SUBSCRIPTIONS, &scope.tenant(), &subscription_id(id).to_string()).await?;
    Ok((scope, own.ok_or(BillingError::NoSubscription)?))
}

/// The bills of the entity `id`, the newest first, a hundred at most, and their subscription.
///
/// # Errors
/// [`BillingError::NoSubscription`], or the store's failure.
pub async fn bills_of(
    store: &dyn Store,
    id: EntityId,
    stamp: &Stamp,
) -> Result<(Vec<UsageMonth>, Subscription), BillingError> {
    let (scope, own) = subscriber(store, id).await?;
    let cx = Context::new(store, &scope, stamp);
    let query = ListQuery { limit: 100, count: false, ..ListQuery::first_page(&USAGE_MONTHS) };
    Ok((cx.page(&USAGE_MONTHS, &query).await?.rows, own))
}

/// Ends the payment of a bill of the entity `id` as the operator says. One that is paid stays so,
/// and is invoiced once, where the white label names who invoices.
///
/// # Errors
/// [`BillingError::NoSubscription`]; [`BillingError::NoBill`]; [`BillingError::NothingUnderWay`]
/// where nothing is there that was not paid; the store's failure.
pub async fn end_bill(
    store: &dyn Store,
    labels: &LabelSource,
    (id, bill): (EntityId, UsageMonthId),
    end: BillEnd,
    stamp: &Stamp,
) -> Result<(UsageMonth, Subscription), BillingError> {
    let (scope, own) = subscriber(store, id).await?;
    let invoices_by = issuer(store, labels, &own).await?;
    let mut unit = Context::new(store, &scope, stamp).unit();
    let rows = hold(&mut unit, bill);
    unit.decide(move |held| {
        let before: Option<UsageMonth> = held.find(rows.0)?;
        let before = before.ok_or_else(|| BillingError::NoBill { id: bill.to_string() })?;
        let (own, actor): (Subscription, _) = (held.one(rows.1)?, held.actor());
        if before.due_cents() <= 0 {
            return Ok(((before, own), Writes::default()));
        }
        let known = before.collection.clone();
        let is_tried = known.as_ref().is_some_and(|known| known.in_flight.is_some());
        let taken = match end {
            BillEnd::Paid(reference) => Taken::Paid(reference),
            BillEnd::NotPaid if !is_tried => return Err(BillingError::NothingUnderWay),
            BillEnd::NotPaid => Taken::Declined("the processor took nothing".to_owned()),
        };
        let known = known.unwrap_or_else(|| Collection::by_bank(before.created_at));
        let number = known.last_attempt();
        let turn = known.settle(number, taken, own.payer().as_ref(), actor.now());
        let (after, writes) = settled(&before, &own, turn, invoices_by, actor)?;
        let next = after.collection.as_ref().and_then(|one| one.next_look(actor.now()));
        let job = next.map(|at| job(&after, actor.stamp()).due(at).put());
        Ok(((after, own), writes.puts(job)))
    })
    .await
}
