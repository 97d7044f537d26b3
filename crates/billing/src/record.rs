//! How subscriptions and used months are kept, and what is due.

use racun_kernel::id::{EntityId, SubscriptionId, UsageMonthId};
use racun_kernel::{
    Clause, Event, Field, FieldKind, ListQuery, Operator, Order, Put, Record, Stamp, Table, Tenant,
    Value,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{Happening, Period, Plan, Resource, Subscription, Usage};

/// The id of the one subscription that an entity may have.
#[must_use]
pub const fn subscription_id(entity_id: EntityId) -> SubscriptionId {
    SubscriptionId::new(entity_id.ulid())
}

/// Where subscriptions are kept: with their entity.
pub static SUBSCRIPTIONS: Table = Table {
    name: "subscriptions",
    fields: &[
        Field::id(),
        Field::column("white_label", FieldKind::Text),
        Field::column("plan_slug", FieldKind::Text),
        Field::column("status", FieldKind::Text),
        Field::column("period_start", FieldKind::Instant),
        Field::column("period_end", FieldKind::Instant),
        Field::column("documents", FieldKind::Number),
        Field::column("invoices", FieldKind::Number),
        Field::column("created_at", FieldKind::Instant),
        Field::column("updated_at", FieldKind::Instant),
    ],
};

impl Record for Subscription {
    fn table(&self) -> &'static Table {
        &SUBSCRIPTIONS
    }

    fn id(&self) -> String {
        self.id.to_string()
    }

    fn tenant(&self) -> Tenant {
        Tenant::entity(self.entity_id)
    }

    fn values(&self) -> Vec<Value> {
        vec![
            self.id.into(),
            (&self.white_label).into(),
            (&self.plan.slug).into(),
            self.status.name().into(),
            self.period.start.into(),
            self.period.end.into(),
            self.usage.documents.into(),
            self.usage.invoices.into(),
            self.created_at.into(),
            self.updated_at.into(),
        ]
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
    /// When it was noted.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// Where used months are kept: with their entity.
pub static USAGE_MONTHS: Table = Table {
    name: "usage_months",
    fields: &[
        Field::id(),
        Field::column("plan_slug", FieldKind::Text),
        Field::column("period_start", FieldKind::Instant),
        Field::column("period_end", FieldKind::Instant),
        Field::column("documents", FieldKind::Number),
        Field::column("invoices", FieldKind::Number),
        Field::column("e_invoicing_sends", FieldKind::Number),
        Field::column("beyond", FieldKind::Number),
        Field::column("created_at", FieldKind::Instant),
    ],
};

impl Record for UsageMonth {
    fn table(&self) -> &'static Table {
        &USAGE_MONTHS
    }

    fn id(&self) -> String {
        self.id.to_string()
    }

    fn tenant(&self) -> Tenant {
        Tenant::entity(self.entity_id)
    }

    fn values(&self) -> Vec<Value> {
        let Period { start, end } = self.usage.month;
        vec![
            self.id.into(),
            (&self.plan_slug).into(),
            start.into(),
            end.into(),
            self.usage.documents.into(),
            self.usage.invoices.into(),
            self.usage.e_invoicing_sends.into(),
            self.beyond.into(),
            self.created_at.into(),
        ]
    }
}

impl UsageMonth {
    /// The record of a month that ended under `plan`.
    #[must_use]
    pub fn new(entity_id: EntityId, plan: &Plan, usage: Usage, stamp: &Stamp) -> Self {
        let limits = &plan.limits;
        let documents = usage.beyond(limits, Resource::Documents);
        Self {
            id: stamp.id(),
            entity_id,
            plan_slug: plan.slug.clone(),
            beyond: documents.max(usage.beyond(limits, Resource::Invoices)),
            overage_price_cents: limits.overage_price_cents,
            e_invoicing_beyond: usage.beyond(limits, Resource::EInvoicingSends),
            e_invoicing_send_price_cents: limits.e_invoicing_send_price_cents,
            usage,
            created_at: stamp.now(),
        }
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

/// Where what is due is kept: in the directory.
pub static DUE_SUBSCRIPTIONS: Table = Table {
    name: "due_subscriptions",
    fields: &[
        Field::id(),
        Field::column("entity_id", FieldKind::Text),
        Field::column("due_at", FieldKind::Instant).indexed(),
        Field::column("created_at", FieldKind::Instant),
    ],
};

impl Record for DueSubscription {
    fn table(&self) -> &'static Table {
        &DUE_SUBSCRIPTIONS
    }

    fn id(&self) -> String {
        self.id.to_string()
    }

    fn tenant(&self) -> Tenant {
        Tenant::directory()
    }

    fn values(&self) -> Vec<Value> {
        vec![self.id.into(), self.entity_id.into(), self.due_at.into(), self.created_at.into()]
    }
}

/// The first page of [`DUE_SUBSCRIPTIONS`], earliest first, of those that are due at `now`.
#[must_use]
pub fn due_by(now: OffsetDateTime) -> ListQuery {
    ListQuery {
        limit: ListQuery::MAX_LIMIT,
        count: false,
        clauses: vec![Clause::on(&DUE_SUBSCRIPTIONS, "due_at", Operator::Lte(now.into()))],
        order: vec![Order::on(&DUE_SUBSCRIPTIONS, "due_at", false)],
        ..ListQuery::first_page(&DUE_SUBSCRIPTIONS)
    }
}

/// What to write of the due row when a subscription changes from `before` to `after`, in the same
/// commit; `None` there means that it does not exist.
#[must_use]
pub fn due_put(before: Option<&Subscription>, after: &Subscription) -> Option<Put> {
    match (before.and_then(Subscription::due_row), after.due_row()) {
        (None, None) => None,
        (None, Some(after)) => Some(Put::insert(&after)),
        (Some(before), None) => Some(Put::delete(&before)),
        (Some(before), Some(after)) => (before != after).then(|| Put::update(&before, &after)),
    }
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

    /// What the account is told of `happening`, which `actor` did.
    #[must_use]
    pub fn event(&self, happening: Happening, actor: &str, stamp: &Stamp) -> Event {
        let (tenant, subject) = (Tenant::account(self.account_id), self.id.to_string());
        Event::new(tenant, happening.event(), subject, actor.to_owned(), stamp)
    }
}
