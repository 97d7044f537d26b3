//! How subscriptions and used months are kept, and what is due.

use racun_kernel::id::{EntityId, SubscriptionId, UsageMonthId};
use racun_kernel::{DocumentId, Stamp, Tenant};
use racun_store::{Event, Field, ListQuery, Put};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    Charge, Collection, CollectionState, EndedMonth, Happening, Resource, Subscription, Usage,
    total,
};

/// The id of the one subscription that an entity may have.
#[must_use]
pub const fn subscription_id(entity_id: EntityId) -> SubscriptionId {
    SubscriptionId::new(entity_id.ulid())
}

racun_store::record! {
    /// Where subscriptions are kept: with their entity.
    pub static SUBSCRIPTIONS: Subscription = "subscriptions";
    |subscription|
    id: subscription.id,
    tenant: Tenant::entity(subscription.entity_id),
    fields: {
        Field::id() => subscription.id,
        Field::text("white_label") => subscription.white_label,
        Field::text("plan_slug") => subscription.plan.slug,
        Field::text("status") => subscription.status.name(),
        Field::instant("period_start") => subscription.period.start,
        Field::instant("period_end") => subscription.period.end,
        Field::number("documents") => subscription.usage.documents,
        Field::number("invoices") => subscription.usage.invoices,
        Field::instant("created_at") => subscription.created_at,
        Field::instant("updated_at") => subscription.updated_at,
        Field::text("customer_key").indexed().hidden() => subscription.customer,
    }
}

/// What was used in a month that is over: what the operator charges extra.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageMonth {
    /// Its id.
    pub id: UsageMonthId,
    /// Whose.
    pub entity_id: EntityId,
    /// The slug of the plan that it was under.
    pub plan_slug: String,
    /// What was used.
    pub usage: Usage,
    /// Documents or invoices beyond the limit.
    pub beyond: i64,
    /// The price of each.
    pub overage_price_cents: Option<i64>,
    /// Electronic invoices beyond those that are included.
    pub e_invoicing_beyond: i64,
    /// The price of each.
    pub e_invoicing_send_price_cents: Option<i64>,
    /// What it is charged: the bill. Empty in months of before there were bills.
    #[serde(default)]
    pub charges: Vec<Charge>,
    /// How much of it is paid by credit of earlier months; below nothing, what it adds to that.
    #[serde(default)]
    pub credit_used_cents: i64,
    /// How it is collected by card; `None` where it is not.
    #[serde(default)]
    pub collection: Option<Collection>,
    /// The operator's invoice of it, where there is one.
    #[serde(default)]
    pub invoice_id: Option<DocumentId>,
    /// When it was noted.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

racun_store::record! {
    /// Where used months are kept: with their entity.
    pub static USAGE_MONTHS: UsageMonth = "usage_months";
    |month|
    id: month.id,
    tenant: Tenant::entity(month.entity_id),
    fields: {
        Field::id() => month.id,
        Field::text("plan_slug") => month.plan_slug,
        Field::instant("period_start") => month.usage.month.start,
        Field::instant("period_end") => month.usage.month.end,
        Field::number("documents") => month.usage.documents,
        Field::number("invoices") => month.usage.invoices,
        Field::number("e_invoicing_sends") => month.usage.e_invoicing_sends,
        Field::number("beyond") => month.beyond,
        Field::instant("created_at") => month.created_at,
    }
}

impl UsageMonth {
    /// The record of a month that ended.
    #[must_use]
    pub fn new(entity_id: EntityId, month: EndedMonth, stamp: &Stamp) -> Self {
        let EndedMonth { plan, limits, usage, charges, due } = month;
        let limits = &limits;
        let documents = usage.beyond(limits, Resource::Documents);
        Self {
            id: stamp.id(),
            entity_id,
            plan_slug: plan.slug,
            beyond: documents.max(usage.beyond(limits, Resource::Invoices)),
            overage_price_cents: limits.overage_price_cents,
            e_invoicing_beyond: usage.beyond(limits, Resource::EInvoicingSends),
            e_invoicing_send_price_cents: limits.e_invoicing_send_price_cents,
            usage,
            charges,
            credit_used_cents: due.credit_used_cents,
            collection: due.is_by_card.then(|| Collection::open(stamp.now())),
            invoice_id: None,
            created_at: stamp.now(),
        }
    }

    /// What is left to pay when credit is taken off, in cents.
    #[must_use]
    pub fn due_cents(&self) -> i64 {
        total(&self.charges).saturating_sub(self.credit_used_cents)
    }

    /// How far it is with being paid. One that comes to nothing is; how far one is that is paid
    /// from account to account, only the operator knows.
    #[must_use]
    pub fn state(&self) -> CollectionState {
        match &self.collection {
            Some(collection) => collection.state,
            None if self.due_cents() <= 0 => CollectionState::Paid,
            None => CollectionState::Open,
        }
    }

    /// What the card processor knows the attempt `number` by: the same each time that it is made.
    #[must_use]
    pub fn attempt_key(&self, number: u32) -> String {
        format!("{}-{number}", self.id)
    }
}

/// The row in the directory by which workers find a subscription whose month or period ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DueSubscription {
    /// The subscription's id.
    pub id: SubscriptionId,
    /// Whose.
    pub entity_id: EntityId,
    /// When it is due.
    #[serde(with = "time::serde::rfc3339")]
    pub due_at: OffsetDateTime,
    /// When the subscription was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

racun_store::record! {
    /// Where what is due is kept: in the directory.
    pub static DUE_SUBSCRIPTIONS: DueSubscription = "due_subscriptions";
    |due|
    id: due.id,
    tenant: Tenant::directory(),
    fields: {
        Field::id() => due.id,
        Field::text("entity_id") => due.entity_id,
        Field::instant("due_at").indexed() => due.due_at,
        Field::instant("created_at") => due.created_at,
    }
}

/// The first page of [`DUE_SUBSCRIPTIONS`], earliest first, of those that are due at `now`.
#[must_use]
pub fn due_by(now: OffsetDateTime) -> ListQuery {
    ListQuery::due_by(&DUE_SUBSCRIPTIONS, "due_at", now.into())
}

/// What to write of the due row when a subscription changes from `before` to `after`, in the same
/// commit; `None` there means that it does not exist.
#[must_use]
pub fn due_put(before: Option<&Subscription>, after: &Subscription) -> Option<Put> {
    Put::between(before.and_then(Subscription::due_row).as_ref(), after.due_row().as_ref())
}

impl Subscription {
    /// The row by which workers find it; `None` when nothing more becomes of it by itself.
    #[must_use]
    pub fn due_row(&self) -> Option<DueSubscription> {
        self.status.is_running().then_some(DueSubscription {
            id: self.id,
            entity_id: self.entity_id,
            due_at: self.usage.month.end,
            created_at: self.created_at,
        })
    }

    /// The account's event for `happening`, done by `actor`.
    #[must_use]
    pub fn event(&self, happening: Happening, actor: &str, stamp: &Stamp) -> Event {
        let (tenant, subject) = (Tenant::account(self.account_id), self.id.to_string());
        Event::new(tenant, happening.event(), subject, actor.to_owned(), stamp)
    }
}
